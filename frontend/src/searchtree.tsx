// The search tree as it grows: the most visited lines; a node opens when it is clicked.
import { hierarchy, type HierarchyNode } from "d3-hierarchy";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { SearchNode } from "./messages";
import { colorOf, percent, short, signed } from "./numbers";
import { ask, type State } from "./store";

const ROW = 28;
const COLUMN = 112;
const OPENED_LINE = 2; // moves of the best line that are open at first

interface Branch {
  node: SearchNode;
  children: Branch[];
}

const keyOf = (path: string[]): string => path.join(" ");

function branches(nodes: SearchNode[]): Branch | null {
  const made = new Map<string, Branch>();
  for (const node of nodes) made.set(keyOf(node.path), { node, children: [] });
  for (const branch of made.values()) {
    const { path } = branch.node;
    if (path.length) made.get(keyOf(path.slice(0, -1)))?.children.push(branch);
  }
  return made.get("") ?? null;
}

interface Placed {
  data: Branch;
  x: number;
  y: number;
}

/** The most visited line runs straight along the top; every other leaf has a row of its own below. */
function placed(root: Branch): { nodes: Placed[]; links: { source: Placed; target: Placed }[] } {
  const tree = hierarchy(root, (branch) => branch.children);
  const places = new Map<HierarchyNode<Branch>, Placed>();
  let row = 0;
  tree.eachAfter((node) => {
    const first = node.children?.[0];
    places.set(node, { data: node.data, x: node.depth * COLUMN, y: first ? places.get(first)!.y : ROW * row++ });
  });
  const links = tree.links().map((link) => ({ source: places.get(link.source)!, target: places.get(link.target)! }));
  // Elements are kept in an order that does not change while visits do: what is moved in the page loses the focus.
  const order = (one: Placed, other: Placed): number => (keyOf(one.data.node.path) < keyOf(other.data.node.path) ? -1 : 1);
  return { nodes: [...places.values()].sort(order), links };
}

export function SearchTreeView({ state }: { state: State }) {
  const [opened, open] = useState<string[][] | null>(null);
  const [chosen, choose] = useState("");
  const nodeId = state.positions.study?.node;
  const best = state.analyses.study?.moves[0]?.line ?? [];
  const firstMoves = keyOf(best.slice(0, OPENED_LINE));
  const paths = opened ?? [[], ...best.slice(0, OPENED_LINE).map((_, number) => best.slice(0, number + 1))];
  useEffect(() => open(null), [nodeId]);
  useEffect(() => ask({ type: "look_at", paths }), [opened, nodeId, opened ? "" : firstMoves]);
  useEffect(() => () => ask({ type: "look_at", paths: [] }), []);
  const root = useMemo(() => (state.searchTree ? branches(state.searchTree.nodes) : null), [state.searchTree]);
  if (!root) return <p class="hint">Start a search to see its tree grow.</p>;
  const { nodes, links } = placed(root);
  const bottom = Math.max(...nodes.map((node) => node.y)) + ROW;
  const right = Math.max(...nodes.map((node) => node.x)) + COLUMN;
  const isOpen = (path: string[]): boolean => paths.some((each) => keyOf(each) === keyOf(path));
  const turn = (path: string[]): void => {
    choose(keyOf(path));
    if (isOpen(path)) open(paths.filter((each) => keyOf(each.slice(0, path.length)) !== keyOf(path) || (!path.length && !each.length)));
    else open([...paths, path]);
  };
  const shown = nodes.find((node) => keyOf(node.data.node.path) === chosen)?.data.node ?? root.node;
  return (
    <>
      <Numbers node={shown} />
      <div class="searchtree" tabIndex={0} role="group" aria-label="Search tree">
        <svg width={right + 20} height={bottom + ROW / 2} viewBox={`-20 ${-ROW / 2} ${right + 20} ${bottom + ROW / 2}`}>
          {links.map((link) => (
            <path
              key={keyOf(link.target.data.node.path)}
              class="branch"
              stroke-width={1 + 7 * (link.target.data.node.visits / Math.max(1, link.source.data.node.visits))}
              d={`M${link.source.x} ${link.source.y}C${link.source.x + COLUMN / 2} ${link.source.y} ${link.target.x - COLUMN / 2} ${link.target.y} ${link.target.x} ${link.target.y}`}
            />
          ))}
          {nodes.map(({ data: { node }, x, y }) => {
            const share = node.mean ?? 0.5;
            return (
              <g
                key={keyOf(node.path)}
                role="button"
                tabindex={0}
                class={`branching${keyOf(node.path) === chosen ? " here" : ""}`}
                aria-expanded={isOpen(node.path)}
                aria-label={`${node.move || "root"}, ${node.visits} visits, ${percent(share)}`}
                onClick={() => turn(node.path)}
                onKeyDown={(event) => {
                  if (event.key !== "Enter" && event.key !== " ") return;
                  event.preventDefault();
                  event.stopPropagation(); // it is for this node, not for the page
                  turn(node.path);
                }}
                transform={`translate(${x} ${y})`}
              >
                <circle r={10} class={`stone ${node.color}`} />
                <circle r={12} class="value" stroke={colorOf(state.settings.scheme, share)} />
                <text x={16} y={-2} class="move">{node.move || "root"}</text>
                <text x={16} y={9} class="few">{short(node.visits)} · {percent(share, 0)}</text>
              </g>
            );
          })}
        </svg>
      </div>
    </>
  );
}

function Numbers({ node }: { node: SearchNode }) {
  const told = (value: number | null, text: (value: number) => string): string => (value === null ? "–" : text(value));
  return (
    <dl class="nodenumbers" aria-label={`Numbers of ${node.move || "the root"}`}>
      <div><dt>Line</dt><dd>{node.path.join(" ") || "root"}</dd></div>
      <div><dt>Visits</dt><dd>{node.visits}</dd></div>
      <div><dt>Mean</dt><dd>{told(node.mean, percent)}</dd></div>
      <div><dt>RAVE</dt><dd>{told(node.rave, percent)}{node.rave_visits ? ` of ${short(node.rave_visits)}` : ""}</dd></div>
      <div><dt>Prior</dt><dd>{told(node.prior, percent)}{node.prior_games ? ` of ${node.prior_games.toFixed(0)} games` : ""}</dd></div>
      <div><dt>Variance</dt><dd>{told(node.variance, (value) => value.toFixed(3))}</dd></div>
      <div><dt>Score</dt><dd>{told(node.score, signed)}</dd></div>
      <div><dt>Moves</dt><dd>{node.children}</dd></div>
    </dl>
  );
}
