// Where the keys lead in a game tree.
import type { TreeUpdate, TreeNode } from "./messages";
import { ask, change, now } from "./store";

const find = (tree: TreeUpdate, id: number): TreeNode | undefined => tree.nodes.find((node) => node[0] === id);
const childrenOf = (tree: TreeUpdate, id: number): TreeNode[] => tree.nodes.filter((node) => node[1] === id);

/** The nodes of the line through a node: from the root to it, and on by first children. */
export function lineOf(tree: TreeUpdate, id: number): TreeNode[] {
  const byId = new Map(tree.nodes.map((node) => [node[0], node]));
  const first = new Map<number, TreeNode>();
  for (const node of tree.nodes) if (!first.has(node[1])) first.set(node[1], node);
  const line: TreeNode[] = [];
  for (let at = byId.get(id); at; at = byId.get(at[1])) line.unshift(at);
  for (let at = first.get(id); at; at = first.get(at[0])) line.push(at);
  return line;
}

/** Look at a node. The next key starts from there, although the server has not answered yet. */
export function goTo(node: number): void {
  change({ wanted: node });
  ask({ type: "go_to", board: "study", node });
}

export function walk(where: "back" | "on" | "start" | "end" | "up" | "down", steps = 1): void {
  const { tree, positions, wanted } = now();
  const here = wanted ?? positions.study?.node;
  if (!tree || here === undefined) return;
  const line = lineOf(tree, here);
  const at = line.findIndex((node) => node[0] === here);
  const parent = find(tree, here)?.[1] ?? -1;
  const siblings = childrenOf(tree, parent);
  const place = siblings.findIndex((node) => node[0] === here);
  const goal = {
    back: line[Math.max(0, at - steps)],
    on: line[Math.min(line.length - 1, at + steps)],
    start: line[0],
    end: line[line.length - 1],
    up: siblings[place - 1],
    down: siblings[place + 1],
  }[where];
  if (goal && goal[0] !== here) goTo(goal[0]);
}
