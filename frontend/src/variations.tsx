// The tree of a game's variations: only what is in sight is drawn, however large the tree.
import { memo } from "preact/compat";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { goTo, type Branch, type Tree } from "./tree";

const STEP = 24;
const MARGIN = 4; // columns and rows that are drawn beyond the edge

const at = (value: number): number => STEP * (value + 0.5);

/** The nodes in a window of columns and rows; a column is sorted by row. */
function inSight(tree: Tree, left: number, right: number, top: number, bottom: number): Branch[] {
  const found: Branch[] = [];
  for (let column = Math.max(0, left); column <= Math.min(right, tree.columns.length - 1); column++) {
    const branches = tree.columns[column]!;
    let [low, high] = [0, branches.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (branches[middle]!.row < top) low = middle + 1;
      else high = middle;
    }
    for (; low < branches.length && branches[low]!.row <= bottom; low++) found.push(branches[low]!);
  }
  return found;
}

export const Variations = memo(({ tree, current }: { tree: Tree; current: number }) => {
  const here = tree.byId.get(current);
  const box = useRef<HTMLDivElement>(null);
  const [window, look] = useState({ left: 0, top: 0, width: 480, height: 180 });
  const measure = (): void => {
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = box.current!;
    look({ left: scrollLeft, top: scrollTop, width: clientWidth, height: clientHeight });
  };
  useLayoutEffect(() => {
    if (!box.current || !here) return;
    box.current.scrollTo({ left: at(here.column) - box.current.clientWidth / 2, top: at(here.row) - box.current.clientHeight / 2 });
    measure();
  }, [here?.column, here?.row, tree.document]);
  const edge = (pixels: number, more: number): number => Math.floor(pixels / STEP) + more;
  const shown = inSight(tree, edge(window.left, -MARGIN), edge(window.left + window.width, MARGIN), edge(window.top, -MARGIN), edge(window.top + window.height, MARGIN));
  return (
    <div class="variations" ref={box} tabIndex={0} role="group" aria-label={`Variations, ${tree.byId.size} nodes`} onScroll={measure}>
      <svg width={tree.columns.length * STEP} height={tree.rows * STEP} role="presentation">
        {shown.map(({ id, column, row, parent }) =>
          parent ? (
            <path key={`path${id}`} class="branch" d={`M${at(parent.column)} ${at(parent.row)}${row > parent.row ? `V${at(row) - STEP}L${at(column)} ${at(row)}` : `H${at(column)}`}`} />
          ) : null,
        )}
        {shown.map(({ id, column, row, color, move, grade, hasComment }) => (
          <g key={id} class={`node${id === current ? " here" : ""}`} onClick={() => goTo(id)}>
            <title>{`${move || "start"}${grade ? `, ${grade}` : ""}`}</title>
            {id === current && <circle cx={at(column)} cy={at(row)} r={10.5} class="ring" />}
            {color ? (
              <circle cx={at(column)} cy={at(row)} r={8.5} class={color === "b" ? "stone black" : "stone white"} />
            ) : (
              <rect x={at(column) - 5} y={at(row) - 5} width={10} height={10} class="start" />
            )}
            {grade && <circle cx={at(column) + 6} cy={at(row) - 6} r={3.4} class={grade === "doubtful" ? "doubtful" : "bad"} />}
            {hasComment && <circle cx={at(column)} cy={at(row)} r={2.4} class="comment" />}
          </g>
        ))}
      </svg>
    </div>
  );
});
