// The picture of a search tree: which nodes it has, and where each stands.
import { hierarchy, type HierarchyNode } from "d3-hierarchy";
import type { SearchNode } from "./messages";

export const ROW = 40;
export const COLUMN = 124;

export interface Branch {
  node: SearchNode;
  children: Branch[];
}

export interface Placed {
  data: Branch;
  key: string;
  x: number;
  y: number;
}

export interface Picture {
  nodes: Placed[];
  links: { source: Placed; target: Placed }[];
  width: number;
  height: number;
}

export const keyOf = (path: string[]): string => path.join(" ");
export const pathOf = (key: string): string[] => (key ? key.split(" ") : []);
export const isBelow = (path: string[], above: string[]): boolean => path.length > above.length && above.every((move, i) => path[i] === move);

/** As wide as its share of the visits. */
export const widthOf = (visits: number, all: number): number => 1 + 11 * Math.sqrt(visits / Math.max(1, all));

export const curveOf = ({ source, target }: { source: Placed; target: Placed }): string =>
  `M${source.x} ${source.y}C${source.x + COLUMN / 2} ${source.y} ${target.x - COLUMN / 2} ${target.y} ${target.x} ${target.y}`;

/** The nodes as a tree, without what is below the folded ones; the most visited children first. */
function branches(nodes: SearchNode[], folded: string[][]): Branch | null {
  const made = new Map<string, Branch>();
  for (const node of [...nodes].sort((one, other) => one.path.length - other.path.length || other.visits - one.visits)) {
    if (folded.some((path) => isBelow(node.path, path))) continue;
    const branch = { node, children: [] };
    const parent = made.get(keyOf(node.path.slice(0, -1)));
    if (node.path.length && !parent) continue;
    if (node.path.length) parent!.children.push(branch);
    made.set(keyOf(node.path), branch);
  }
  return made.get("") ?? null;
}

/** The most visited line runs straight along the top; every other leaf has a row of its own below. */
export function pictureOf(nodes: SearchNode[], folded: string[][]): Picture | null {
  const root = branches(nodes, folded);
  if (!root) return null;
  const tree = hierarchy(root, (branch) => branch.children);
  const places = new Map<HierarchyNode<Branch>, Placed>();
  let row = 0;
  tree.eachAfter((node) => {
    const first = node.children?.[0];
    const y = first ? places.get(first)!.y : ROW * row++;
    places.set(node, { data: node.data, key: keyOf(node.data.node.path), x: node.depth * COLUMN, y });
  });
  const links = tree.links().map((link) => ({ source: places.get(link.source)!, target: places.get(link.target)! }));
  // Elements are kept in an order that does not change while visits do: what is moved in the page loses the focus.
  const order = (one: Placed, other: Placed): number => (one.key < other.key ? -1 : 1);
  return { nodes: [...places.values()].sort(order), links, width: (tree.height + 1) * COLUMN, height: row * ROW };
}
