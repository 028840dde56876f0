// All that the page knows, and how events change it.
import { useEffect, useState } from "preact/hooks";
import type {
  AnyEvent,
  AnyRequest,
  DuelMove,
  Evaluation,
  GameState,
  TreeUpdate,
  Mistake,
  PositionAnalysis,
  Playout,
  Position,
  Replies,
  Saved,
  SearchTree,
  StudyInfo,
  StudyState,
  Welcome,
  Working,
} from "./messages";
import { readGame, readSettings, readStudy, writeGame, writeSettings, writeStudy, type KeptGame, type Settings } from "./settings";
import { Connection } from "./socket";

export type Tab = "play" | "analyse" | "inside" | "laboratory";
export type Board = "play" | "study" | "duel";
export type InsideView = "tree" | "table" | "theatre" | "replies" | "parts";

export interface State {
  isOpen: boolean;
  welcome: Welcome | null;
  tab: Tab;
  inside: InsideView;
  settings: Settings;
  positions: Partial<Record<Board, Position>>;
  analyses: Partial<Record<Board, PositionAnalysis>>;
  before: PositionAnalysis | null; // what the search said before parts were switched
  without: string[];
  game: GameState | null;
  gameAt: number; // when it was told, for clocks
  tree: TreeUpdate | null;
  wanted: number | null; // a node that was asked for and is not there yet
  working: Record<string, Working>;
  mistakes: Mistake[] | null;
  searchTree: SearchTree | null;
  playout: Playout | null;
  step: number;
  replies: Replies | null;
  studies: StudyInfo[];
  study: StudyState | null;
  duel: DuelMove[];
  message: string;
  announced: string;
  isHelpOpen: boolean;
}

export const TABS: Tab[] = ["play", "analyse", "inside", "laboratory"];
const KEEP_AFTER = 1500; // milliseconds without a change

let state: State = {
  isOpen: false,
  welcome: null,
  tab: TABS.find((tab) => tab === location.hash.slice(1)) ?? "play",
  inside: "tree",
  settings: readSettings(),
  positions: {},
  analyses: {},
  before: null,
  without: [],
  game: null,
  gameAt: 0,
  tree: null,
  wanted: null,
  working: {},
  mistakes: null,
  searchTree: null,
  playout: null,
  step: 0,
  replies: null,
  studies: [],
  study: null,
  duel: [],
  message: "",
  announced: "",
  isHelpOpen: false,
};

const listeners = new Set<() => void>();
let isAnnounced = false;

export const now = (): State => state;

export function change(part: Partial<State>): void {
  state = { ...state, ...part };
  if (isAnnounced) return;
  isAnnounced = true; // one repaint for all events of a frame
  requestAnimationFrame(() => {
    isAnnounced = false;
    listeners.forEach((listener) => listener());
  });
}

export function useStore(): State {
  const [shown, show] = useState(state);
  useEffect(() => {
    const listener = () => show(state);
    listeners.add(listener);
    listener();
    return () => void listeners.delete(listener);
  }, []);
  return shown;
}

export function set(part: Partial<Settings>): void {
  const settings = { ...state.settings, ...part };
  writeSettings(settings);
  change({ settings });
}

export function say(message: string): void {
  change({ message });
}

// --- events ----------------------------------------------------------------------------------------------------------

const moveInWords = (position: Position): string => {
  if (!position.last) return "";
  const who = position.mover === "black" ? "Black" : "White";
  return `${who} ${position.last === "pass" ? "passes" : position.last === "resign" ? "resigns" : position.last}. `;
};

/** What was found of one position of the study, and says nothing of another. */
const NOT_FOUND_HERE: Partial<State> = { before: null, searchTree: null, playout: null, step: 0, replies: null };

function hearTree(tree: TreeUpdate): void {
  if (tree.board !== "study") return;
  const isOther = state.tree?.document !== tree.document;
  if (isOther) change({ ...NOT_FOUND_HERE, analyses: { ...state.analyses, study: undefined }, mistakes: null, wanted: null });
  if (state.tree) keepStudy();
  const there = new Set(tree.nodes.map((node) => node[0]));
  change({ tree, mistakes: state.mistakes?.filter((mistake) => there.has(mistake.node)) ?? null });
}

function hearPosition(position: Position): void {
  const { board } = position;
  const analysis = state.analyses[board];
  const positions = { ...state.positions, [board]: position };
  const isOther = analysis !== undefined && (board === "play" || analysis.node !== position.node);
  const hasMoved = board === "study" && state.positions.study?.node !== position.node;
  const analyses = isOther ? { ...state.analyses, [board]: undefined } : state.analyses;
  const turn = position.turn === "black" ? "Black" : "White";
  const announced = `${moveInWords(position)}${position.over ? `The game is over. ${position.result}` : `${turn} to play.`}`;
  const wanted = board === "study" && state.wanted === position.node ? null : state.wanted;
  change({ positions, analyses, wanted, announced: board === boardOf(state.tab) ? announced : state.announced });
  if (hasMoved) change(NOT_FOUND_HERE);
}

function withEvaluation(tree: TreeUpdate | null, told: Evaluation): TreeUpdate | null {
  if (!tree) return tree;
  const nodes = tree.nodes.map((node) =>
    node[0] === told.node
      ? ([node[0], node[1], node[2], node[3], node[4], told.winrate, told.score, told.visits, told.grade || node[8]] as typeof node)
      : node,
  );
  return { ...tree, nodes };
}

function hear(event: AnyEvent): void {
  switch (event.type) {
    case "welcome":
      change({ welcome: event, tree: null, message: "" });
      resume();
      break;
    case "failed":
      change({ message: event.message, announced: event.message, wanted: null });
      break;
    case "position":
      hearPosition(event);
      break;
    case "game_state": {
      const [black, white] = event.clocks.map(({ main, periods }) => ({ main, periods }));
      const clocks: KeptGame["clocks"] = black && white ? [black, white] : null;
      writeGame({ setup: event.setup, sgf: event.sgf, clocks });
      change({ game: event, gameAt: performance.now() });
      break;
    }
    case "game_tree":
      hearTree(event);
      break;
    case "evaluation":
      change({ tree: withEvaluation(state.tree, event) });
      keepStudy();
      break;
    case "analysis":
      if (event.board === "play" || event.node === state.positions[event.board]?.node)
        change({ analyses: { ...state.analyses, [event.board]: event } });
      break;
    case "working":
      change({ working: { ...state.working, [event.task]: event } });
      break;
    case "mistakes":
      change({ mistakes: event.found, announced: `${event.found.length} mistakes found` });
      break;
    case "saved":
      saved(event);
      break;
    case "search_tree":
      change({ searchTree: event });
      break;
    case "playout":
      change({ playout: event, step: 0 });
      break;
    case "replies":
      change({ replies: event });
      break;
    case "studies":
      change({ studies: event.found });
      break;
    case "study_state":
      change({ study: event });
      break;
    case "duel_move":
      change({ duel: event.number === 1 ? [event] : [...state.duel, event] });
      break;
  }
}

function saved({ name, text, board, keep }: Saved): void {
  if (board === "study") writeStudy(text);
  if (keep) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/x-go-sgf" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

let keeping = 0;

/** Keep the study in the browser a moment after it has changed, so that it is there when the page is opened again. */
function keepStudy(): void {
  clearTimeout(keeping);
  keeping = setTimeout(() => connection.ask({ type: "save_sgf", board: "study", keep: true }), KEEP_AFTER);
}

function resume(): void {
  const game = readGame();
  if (game) ask({ type: "resume_game", setup: game.setup, sgf: game.sgf, clocks: game.clocks });
  const study = readStudy();
  if (study) ask({ type: "open_sgf", text: study });
  if (state.tab === "laboratory") ask({ type: "list_studies" });
}

export const boardOf = (tab: Tab): Board => (tab === "play" ? "play" : tab === "laboratory" ? "duel" : "study");

const connection = new Connection(hear, (isOpen, why) => {
  change({ isOpen, working: {}, message: why || state.message }); // kept until a welcome: an open socket may be refused
});

/** Ask for what a person wants: an earlier message is done with. */
export function ask(request: AnyRequest): void {
  if (state.message) change({ message: "" });
  connection.ask(request);
}

export function openTab(tab: Tab): void {
  history.replaceState(null, "", `#${tab}`);
  change({ tab, message: "" });
  if (tab === "laboratory") ask({ type: "list_studies" });
}
