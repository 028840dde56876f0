// A report of the server in the page: headings, words, tables, and plots, which are made anew from their SVG.
import { Fragment, h, type VNode } from "preact";
import { useMemo } from "preact/hooks";
import type { ReportPart } from "./messages";

export function Report({ parts }: { parts: ReportPart[] }) {
  return (
    <>
      {parts.map((part, number) => (
        <Fragment key={number}>
          {part.kind === "heading" && <h3>{part.words}</h3>}
          {part.kind === "words" && part.words && <p>{part.words}</p>}
          {part.kind === "items" && (
            <>
              {part.words && <p>{part.words}</p>}
              <ul class="notes">{part.lines?.map((line) => <li key={line}>{line}</li>)}</ul>
            </>
          )}
          {part.kind === "table" && <ReportTable rows={part.rows ?? []} title={part.words ?? ""} />}
          {part.kind === "plot" && <Plot svg={part.svg ?? ""} />}
        </Fragment>
      ))}
    </>
  );
}

export function ReportTable({ rows, title = "" }: { rows: string[][]; title?: string }) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={title || "Results"}>
      <table>
        {title && <caption>{title}</caption>}
        <thead><tr>{rows[0]?.map((head, i) => <th key={i} scope="col">{head}</th>)}</tr></thead>
        <tbody>{rows.slice(1).map((row, i) => <tr key={i}>{row.map((cell, j) => <td key={j}>{cell}</td>)}</tr>)}</tbody>
      </table>
    </div>
  );
}

const DRAWN = new Set(["svg", "g", "title", "text", "tspan", "rect", "line", "polyline", "polygon", "circle", "path"]);
const REFUSED = /^(on|href|xlink|style|src|class|id$|xmlns)/;

/** Only shapes and their looks are taken over: a report may have names of others' programs. */
function taken(node: Element): VNode | null {
  if (!DRAWN.has(node.localName)) return null;
  const looks = Object.fromEntries([...node.attributes].filter(({ name }) => !REFUSED.test(name)).map(({ name, value }) => [name, value]));
  const inner = [...node.childNodes].map((child) => (child instanceof Element ? taken(child) : child.textContent));
  return h(node.localName, looks, ...inner) as VNode;
}

function Plot({ svg }: { svg: string }) {
  const drawn = useMemo(() => taken(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement), [svg]);
  return <figure class="plot">{drawn}</figure>;
}
