// The game tree of the study: its nodes linked, their places in the picture, and where the keys lead.
import type { Evaluation, NodeAdded, TreeNode, TreeUpdate } from "./messages";
import { ask, change, now } from "./store";

export interface Branch {
  id: number;
  parent: Branch | null;
  children: Branch[];
  color: string;
  move: string;
  hasComment: boolean;
  winrate: number | null;
  score: number | null;
  visits: number;
  grade: string;
  column: number;
  row: number;
}

export interface Tree {
  document: number;
  title: string;
  root: Branch;
  byId: Map<number, Branch>;
  columns: Branch[][]; // by column, from top to bottom
  rows: number;
}

function link(byId: Map<number, Branch>, node: TreeNode): Branch {
  const [id, parentId, color, move, hasComment, winrate, score, visits, grade] = node;
  const parent = byId.get(parentId) ?? null;
  const branch: Branch = { id, parent, children: [], color, move, hasComment, winrate, score, visits, grade, column: 0, row: 0 };
  parent?.children.push(branch);
  byId.set(id, branch);
  return branch;
}

/** The main line runs straight; a variation takes the first row in which all of its line has room. */
function place(root: Branch): Pick<Tree, "columns" | "rows"> {
  const columns: Branch[][] = [];
  const lowest: number[] = []; // by column: the last row that is taken
  const waiting: Branch[] = [root];
  let rows = 0;
  while (waiting.length) {
    const branch = waiting.pop()!;
    const { parent } = branch;
    branch.column = parent ? parent.column + 1 : 0;
    if (parent && parent.children[0] === branch) branch.row = parent.row; // it had its room when the line began
    else {
      let column = branch.column;
      branch.row = parent?.row ?? 0;
      for (let at: Branch | undefined = branch; at; at = at.children[0]) branch.row = Math.max(branch.row, (lowest[column++] ?? -1) + 1);
      if (parent) lowest[parent.column] = Math.max(lowest[parent.column] ?? -1, branch.row);
    }
    lowest[branch.column] = Math.max(lowest[branch.column] ?? -1, branch.row);
    (columns[branch.column] ??= []).push(branch);
    rows = Math.max(rows, branch.row + 1);
    for (let i = branch.children.length - 1; i >= 0; i--) waiting.push(branch.children[i]!);
  }
  return { columns, rows };
}

export function treeOf(update: TreeUpdate): Tree {
  const byId = new Map<number, Branch>();
  const root = update.nodes.map((node) => link(byId, node))[0]!;
  return { document: update.document, title: update.title, root, byId, ...place(root) };
}

export function withNode(tree: Tree, event: NodeAdded): Tree {
  if (event.document !== tree.document) return tree;
  link(tree.byId, event.node);
  return { ...tree, ...place(tree.root) };
}

export function withEvaluation(tree: Tree, event: Evaluation): Tree {
  const branch = tree.byId.get(event.node);
  if (!branch) return tree;
  Object.assign(branch, { winrate: event.winrate, score: event.score, visits: event.visits, grade: event.grade || branch.grade });
  return { ...tree };
}

/** The nodes of the line through a node: from the root to it, and on by first children. */
export function lineOf(tree: Tree, id: number): Branch[] {
  const line: Branch[] = [];
  for (let at: Branch | null | undefined = tree.byId.get(id); at; at = at.parent) line.push(at);
  line.reverse();
  for (let at = line[line.length - 1]?.children[0]; at; at = at.children[0]) line.push(at);
  return line;
}

/** The way to a node: the place of each among its siblings. */
export function pathOf(tree: Tree, id: number): number[] {
  const path: number[] = [];
  for (let at = tree.byId.get(id); at?.parent; at = at.parent) path.unshift(at.parent.children.indexOf(at));
  return path;
}

/** Look at a node. The next key starts from there, although the server has not answered yet. */
export function goTo(node: number): void {
  if (now().link !== "open") return;
  change({ wanted: node });
  ask({ type: "go_to", board: "study", node });
}

export function walk(where: "back" | "on" | "start" | "end" | "up" | "down", steps = 1): void {
  const { tree, positions, wanted } = now();
  const here = tree?.byId.get(wanted ?? positions.study?.node ?? -1);
  if (!here) return;
  const siblings = here.parent?.children ?? [here];
  const beside = (step: number): Branch => siblings[siblings.indexOf(here) + step] ?? here;
  let goal = here;
  if (where === "up" || where === "down") goal = beside(where === "up" ? -1 : 1);
  else if (where === "back" || where === "start") for (let i = 0; goal.parent && (where === "start" || i < steps); i++) goal = goal.parent;
  else for (let i = 0; goal.children[0] && (where === "end" || i < steps); i++) goal = goal.children[0];
  if (goal !== here) goTo(goal.id);
}
