// The Markdown of lessons: blocks, and what stands in a line. Text stays text; controls are left to the lesson.
import type { ComponentChildren, VNode } from "preact";

export interface Control {
  name: string;
  options: Record<string, string>;
}

/** The control of a line such as `:::board position=start`. */
function controlOf(line: string): Control {
  const options: Record<string, string> = {};
  for (const [, key, quoted, plain] of line.matchAll(/([\w-]+)=(?:"([^"]*)"|(\S+))/g)) options[key!] = quoted ?? plain ?? "";
  return { name: /^:::(\S+)/.exec(line)?.[1] ?? "", options };
}

/** Bold, italic, code and links. */
export function inline(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let rest = text;
  while (rest) {
    const found = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|\[([^\]]+)\]\(((?:https?:\/\/|#)[^)\s]+)\)/.exec(rest);
    if (!found) return [...parts, rest];
    const [whole, code, bold, italic, label, address] = found;
    parts.push(rest.slice(0, found.index));
    if (code) parts.push(<code>{code}</code>);
    else if (bold) parts.push(<strong>{inline(bold)}</strong>);
    else if (italic) parts.push(<em>{inline(italic)}</em>);
    else parts.push(<a href={address} {...(address!.startsWith("#") ? {} : { target: "_blank", rel: "noreferrer" })}>{label}</a>);
    rest = rest.slice(found.index + whole.length);
  }
  return parts;
}

const cells = (line: string): string[] => line.replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());

function table(lines: string[]): VNode {
  const [head, , ...rows] = lines;
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead><tr>{cells(head!).map((cell) => <th scope="col">{inline(cell)}</th>)}</tr></thead>
        <tbody>{rows.map((row) => <tr>{cells(row).map((cell) => <td>{inline(cell)}</td>)}</tr>)}</tbody>
      </table>
    </div>
  );
}

function block(lines: string[]): VNode {
  const first = lines[0]!;
  const heading = /^(##+) (.*)/.exec(first);
  if (heading) return heading[1] === "##" ? <h3>{inline(heading[2]!)}</h3> : <h4>{inline(heading[2]!)}</h4>;
  if (first.startsWith("|")) return table(lines);
  const marker = /^(-|\d+\.) /.exec(first)?.[1];
  if (marker) {
    const items: string[] = [];
    for (const line of lines) {
      if (/^(-|\d+\.) /.test(line)) items.push(line.replace(/^(-|\d+\.) /, ""));
      else items[items.length - 1] += ` ${line.trim()}`;
    }
    const shown = items.map((item) => <li>{inline(item)}</li>);
    return marker === "-" ? <ul>{shown}</ul> : <ol>{shown}</ol>;
  }
  if (first.startsWith("> ")) return <blockquote>{inline(lines.map((line) => line.replace(/^> ?/, "")).join(" "))}</blockquote>;
  return <p>{inline(lines.join(" "))}</p>;
}

/** Render a text; `control` renders a line that begins with ":::", `question` a question with its answer. */
export function markdown(text: string, control: (control: Control) => ComponentChildren, question: (question: ComponentChildren, answer: ComponentChildren) => ComponentChildren): ComponentChildren[] {
  const found: ComponentChildren[] = [];
  const lines = text.split("\n");
  let waiting: string[] = [];
  const flush = (): void => {
    if (waiting.length) found.push(block(waiting));
    waiting = [];
  };
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!;
    if (line.startsWith("```")) {
      flush();
      const end = lines.indexOf("```", i + 1);
      const last = end < 0 ? lines.length : end;
      found.push(<pre tabIndex={0}>{lines.slice(i + 1, last).join("\n")}</pre>);
      i = last;
    } else if (line.trim() === ":::question") {
      flush();
      const answer = lines.indexOf(":::answer", i);
      const end = lines.indexOf(":::", answer);
      const part = (from: number, to: number) => markdown(lines.slice(from, to).join("\n"), control, question);
      found.push(question(part(i + 1, answer), part(answer + 1, end)));
      i = end;
    } else if (line.startsWith(":::")) {
      flush();
      found.push(control(controlOf(line)));
    } else if (!line.trim() || /^##/.test(line)) {
      flush();
      if (line.trim()) found.push(block([line]));
    } else if (waiting.length && /^(-|\d+\.) /.test(line) && !/^(-|\d+\.) /.test(waiting[0]!)) {
      flush();
      waiting.push(line);
    } else waiting.push(line);
  }
  flush();
  return found;
}
