// The tree of a game's variations: the main line runs straight, others branch off below it.
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { TreeUpdate, TreeNode } from "./messages";
import { goTo } from "./walking";

const STEP = 24;
const AROUND = 60; // columns that are drawn to each side of where we are

interface Place {
  node: TreeNode;
  column: number;
  row: number;
  parent: Place | null;
}

export function placesOf(tree: TreeUpdate): Map<number, Place> {
  const children = new Map<number, TreeNode[]>();
  for (const node of tree.nodes) children.set(node[1], [...(children.get(node[1]) ?? []), node]);
  const places = new Map<number, Place>();
  const lowest: number[] = []; // by column: the last row that is taken
  const waiting: [TreeNode, Place | null][] = (children.get(-1) ?? []).map((node) => [node, null]);
  while (waiting.length) {
    const [node, parent] = waiting.pop()!;
    const column = parent ? parent.column + 1 : 0;
    // A line keeps its row as long as nothing is in its way: look as far as it goes straight on.
    let row = parent?.row ?? 0;
    let length = 0;
    for (let at: TreeNode | undefined = node; at; at = children.get(at[0])?.[0]) {
      row = Math.max(row, (lowest[column + length] ?? -1) + 1);
      length += 1;
      if (parent && children.get(parent.node[0])?.[0] === node) break; // the straight line was looked at when it began
    }
    if (parent && children.get(parent.node[0])?.[0] === node) row = parent.row;
    lowest[column] = Math.max(lowest[column] ?? -1, row);
    if (parent && row > parent.row) lowest[column - 1] = Math.max(lowest[column - 1] ?? -1, row);
    const place = { node, column, row, parent };
    places.set(node[0], place);
    for (const child of [...(children.get(node[0]) ?? [])].reverse()) waiting.push([child, place]);
  }
  return places;
}

export function Variations({ tree, current }: { tree: TreeUpdate; current: number }) {
  const places = useMemo(() => placesOf(tree), [tree]);
  const here = places.get(current);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!box.current || !here) return;
    box.current.scrollTo({ left: here.column * STEP - box.current.clientWidth / 2, top: here.row * STEP - box.current.clientHeight / 2 });
  }, [here?.column, here?.row]);
  const all = [...places.values()];
  const columns = Math.max(...all.map((place) => place.column)) + 1;
  const rows = Math.max(...all.map((place) => place.row)) + 1;
  const shown = all.filter((place) => Math.abs(place.column - (here?.column ?? 0)) <= AROUND);
  const at = (value: number): number => STEP * (value + 0.5);
  return (
    <div class="variations" ref={box} tabIndex={0} role="group" aria-label={`Variations, ${tree.nodes.length} nodes`}>
      <svg width={columns * STEP} height={rows * STEP} role="presentation">
        {shown.map(({ node, column, row, parent }) =>
          parent ? (
            <path
              key={`path${node[0]}`}
              class="branch"
              d={`M${at(parent.column)} ${at(parent.row)}${row > parent.row ? `V${at(row) - STEP}L${at(column)} ${at(row)}` : `H${at(column)}`}`}
            />
          ) : null,
        )}
        {shown.map(({ node, column, row }) => {
          const [id, , color, move, hasComment, , , , grade] = node;
          return (
            <g key={id} class={`node${id === current ? " here" : ""}`} onClick={() => goTo(id)}>
              <title>{`${move || "start"}${grade ? `, ${grade}` : ""}`}</title>
              {id === current && <circle cx={at(column)} cy={at(row)} r={10.5} class="ring" />}
              {color ? (
                <circle cx={at(column)} cy={at(row)} r={7.5} class={color === "b" ? "stone black" : "stone white"} />
              ) : (
                <rect x={at(column) - 5} y={at(row) - 5} width={10} height={10} class="start" />
              )}
              {grade && <circle cx={at(column) + 6} cy={at(row) - 6} r={3.4} class={grade === "doubtful" ? "doubtful" : "bad"} />}
              {hasComment && <circle cx={at(column)} cy={at(row)} r={2.4} class="comment" />}
            </g>
          );
        })}
      </svg>
    </div>
  );
}
