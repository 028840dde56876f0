// All that the page knows, and how events change it.
import { useEffect, useState } from "preact/hooks";
import type {
  AnyEvent,
  AnyRequest,
  DuelMove,
  Experiments,
  GameState,
  History,
  ItemInfo,
  Judged,
  Lesson,
  LessonInfo,
  Mistake,
  Mistakes,
  Opened,
  Owners,
  Playout,
  Position,
  PositionAnalysis,
  Replies,
  RunInfo,
  SearchTree,
  StudyState,
  Traced,
  TreeStep,
  Welcome,
  Working,
} from "./messages";
import { resultInWords } from "./numbers";
import { keep, kept, readSettings, takeToken, writeSettings, type Settings } from "./settings";
import { Connection, type Link } from "./socket";
import { click } from "./sound";
import { pathOf, treeOf, withEvaluation, withNode, type Tree } from "./tree";

export type Tab = "play" | "analyse" | "inside" | "compare" | "laboratory" | "lesson";
export type Board = "play" | "study" | "duel";
export type InsideView = "tree" | "steps" | "table" | "theatre" | "replies" | "parts";
export type Dialog = "" | "help" | "open" | "resign" | "settings";

/** A mistake that is tried again: the page asks for a better move, and the server judges it. */
export interface Trial {
  mistake: Mistake;
  before: number; // the node to play from
  judged: Judged | null;
}

export interface SideEntries {
  preset: string;
  without: string[];
  setting: string;
}

export interface State {
  link: Link;
  welcome: Welcome | null;
  tab: Tab;
  inside: InsideView;
  settings: Settings;
  positions: Partial<Record<Board, Position>>;
  analyses: Partial<Record<PositionAnalysis["board"], PositionAnalysis>>;
  sides: Record<"first" | "second", SideEntries>; // of a comparison
  compared: Position | null; // its position
  before: PositionAnalysis | null; // what the search said before parts were switched
  without: string[];
  game: GameState | null;
  gameAt: number; // when the state came, for clocks
  form: "closed" | "open" | "sent"; // of a new game
  tree: Tree | null;
  opened: Opened;
  isOpening: boolean; // a record is being read
  history: History;
  wanted: number | null; // a node that was asked for and is not there yet
  working: Record<string, Working>;
  review: Mistakes | null;
  trial: Trial | null;
  searchTree: SearchTree | null;
  timeline: TreeStep[];
  owners: Owners | null;
  traced: Record<string, Traced>; // by place and preset
  lessons: LessonInfo[];
  lesson: Lesson | null;
  tried: Record<string, { owners?: Owners; playout?: Playout }>; // playouts of a lesson's positions
  playout: Playout | null;
  step: number;
  replies: Replies | null;
  shelf: ItemInfo[] | null;
  study: StudyState | null;
  runs: RunInfo[];
  experiments: Experiments | null;
  started: "match" | "experiment" | "game"; // what the laboratory would start
  duel: DuelMove[];
  message: string; // what went wrong
  notice: { message: string; undo: "" | "undo_edit" | "undo" } | null;
  announced: string;
  dialog: Dialog;
}

export const TABS: Tab[] = ["play", "analyse", "inside", "compare", "laboratory", "lesson"];
const NOTICE_MS = 20_000;
const OPENING = ["study_lesson", "open_item", "open_game", "study_game"]; // a record has a chip of its own
const NOTHING_OPENED: Opened = { type: "opened", name: "", games: [], number: 0 };
const NO_HISTORY: History = { type: "history", undo: "", redo: "" };

if (takeToken(location.hash)) history.replaceState(null, "", location.pathname);
if (!kept("tab")) keep("tab", crypto.randomUUID());

let state: State = {
  link: "connecting",
  welcome: null,
  tab: TABS.find((tab) => tab === location.hash.slice(1).split("/")[0]) ?? "play",
  inside: "tree",
  settings: readSettings(),
  positions: {},
  analyses: {},
  sides: { first: { preset: "kikashi", without: [], setting: "" }, second: { preset: "mogo-2006", without: [], setting: "" } },
  compared: null,
  before: null,
  without: [],
  game: null,
  gameAt: 0,
  form: "closed",
  tree: null,
  opened: NOTHING_OPENED,
  isOpening: false,
  history: NO_HISTORY,
  wanted: null,
  working: {},
  review: null,
  trial: null,
  searchTree: null,
  timeline: [],
  owners: null,
  traced: {},
  lessons: [],
  lesson: null,
  tried: {},
  playout: null,
  step: 0,
  replies: null,
  shelf: null,
  study: null,
  runs: [],
  experiments: null,
  started: "match",
  duel: [],
  message: "",
  notice: null,
  announced: "",
  dialog: "",
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

let noticing = 0;

export function notify(message: string, undo: "" | "undo_edit" | "undo" = ""): void {
  clearTimeout(noticing);
  noticing = setTimeout(() => change({ notice: null }), NOTICE_MS);
  change({ notice: { message, undo }, announced: message });
}

/** Take back what a notice tells of. */
export function undoNotice(): void {
  if (state.notice?.undo) ask({ type: state.notice.undo });
  change({ notice: null });
}

/** Where numbers of a lesson's position, or of the study, belong. */
export const tracedKey = (place: string, preset: string): string => `${place} ${preset}`;

// --- events ----------------------------------------------------------------------------------------------------------

const moveInWords = (position: Position): string => {
  if (!position.last) return "";
  const who = position.mover === "black" ? "Black" : "White";
  return `${who} ${position.last === "pass" ? "passes" : position.last === "resign" ? "resigns" : position.last}. `;
};

/** What was found of one position of the study, and says nothing of another. */
const NOT_FOUND_HERE: Partial<State> = { before: null, searchTree: null, timeline: [], owners: null, traced: {}, playout: null, step: 0, replies: null };

function hearTree(tree: Tree): void {
  if (state.tree?.document !== tree.document)
    change({ ...NOT_FOUND_HERE, analyses: { ...state.analyses, study: undefined }, review: null, trial: null, wanted: null, opened: NOTHING_OPENED });
  const review = state.review && { ...state.review, found: state.review.found.filter((mistake) => tree.byId.has(mistake.node)) };
  change({ tree, review, isOpening: false });
}

function hearPosition(position: Position): void {
  const { board } = position;
  const analysis = state.analyses[board];
  const before = state.positions[board];
  const positions = { ...state.positions, [board]: position };
  const isOther = analysis !== undefined && (board === "play" || analysis.node !== position.node);
  const hasMoved = board === "study" && before?.node !== position.node;
  const analyses = isOther ? { ...state.analyses, [board]: undefined } : state.analyses;
  const turn = position.turn === "black" ? "Black" : "White";
  const announced = `${moveInWords(position)}${position.over ? `The game is over. ${resultInWords(position.result)}` : `${turn} to play.`}`;
  const wanted = board === "study" && state.wanted === position.node ? null : state.wanted;
  const isHere = board === boardOf(state.tab);
  if (board === "play" && state.notice?.undo === "undo" && position.mover === state.game?.setup.color && position.last !== "pass") change({ notice: null });
  if (isHere && state.settings.sound && before && position.number > before.number) click();
  change({ positions, analyses, wanted, announced: isHere ? announced : state.announced });
  if (hasMoved) change({ ...NOT_FOUND_HERE, trial: state.trial?.before === position.node ? state.trial : null });
}

function hear(event: AnyEvent): void {
  switch (event.type) {
    case "welcome":
      change({ welcome: event, message: "", form: state.form === "sent" ? "open" : state.form });
      if (state.tab === "laboratory") ask({ type: "list_runs" });
      openAddress();
      break;
    case "failed":
      change({ message: event.message, announced: event.message, wanted: null, isOpening: false, form: state.form === "sent" ? "open" : state.form });
      break;
    case "notice":
      notify(event.message, event.undo);
      break;
    case "position":
      hearPosition(event);
      break;
    case "game_state":
      if (state.form === "sent") {
        set({ setup: event.setup });
        setTimeout(() => document.querySelector<HTMLElement>(".stage")?.focus(), 50); // the next Tab leads to the board
      }
      change({ game: event, gameAt: performance.now(), isOpening: false, form: state.form === "sent" ? "closed" : state.form });
      break;
    case "game_tree":
      if (event.board === "study") hearTree(treeOf(event));
      break;
    case "node_added":
      if (state.tree) change({ tree: withNode(state.tree, event) });
      break;
    case "evaluation":
      if (state.tree) change({ tree: withEvaluation(state.tree, event) });
      break;
    case "analysis":
      if (event.board !== "study" || event.node === state.positions.study?.node)
        change({ analyses: { ...state.analyses, [event.board]: event } });
      break;
    case "working":
      change({ working: { ...state.working, [event.task]: event } });
      break;
    case "mistakes":
      change({ review: event, announced: `${event.found.length} mistakes found` });
      break;
    case "judged":
      if (state.trial?.before === event.node) change({ trial: { ...state.trial, judged: event } });
      break;
    case "opened":
      change({ opened: event });
      break;
    case "history":
      change({ history: event });
      break;
    case "kept":
      keep(event.board === "play" ? "game" : "study", event.item);
      break;
    case "shelf":
      change({ shelf: event.items });
      break;
    case "saved":
      save(event.name, new Blob([event.text], { type: TYPES[event.name.split(".").pop() ?? ""] ?? "application/x-go-sgf" }));
      break;
    case "search_tree":
      if (event.preset === state.settings.preset) change({ searchTree: event }); // not of the preset before
      break;
    case "timeline":
      if (event.node === state.positions.study?.node) change({ timeline: [...state.timeline.slice(0, event.first), ...event.steps] });
      break;
    case "owners":
      if (event.place) change({ tried: { ...state.tried, [tracedKey(event.place, event.preset)]: { owners: event } } });
      else change({ owners: event });
      break;
    case "traced":
      change({ traced: { ...state.traced, [tracedKey(event.place, event.preset)]: event }, announced: `Simulation ${event.trace.number}` });
      break;
    case "lessons":
      change({ lessons: event.found });
      break;
    case "lesson":
      change({ lesson: event, traced: {}, tried: {} });
      break;
    case "playout":
      if (event.place) {
        const key = tracedKey(event.place, event.preset);
        change({ tried: { ...state.tried, [key]: { ...state.tried[key], playout: event } } });
      } else change({ playout: event, step: 0 });
      break;
    case "replies":
      change({ replies: event });
      break;
    case "study_state":
      change({ study: event });
      break;
    case "runs":
      change({ runs: event.found });
      break;
    case "experiments":
      change({ experiments: event });
      break;
    case "duel_move":
      change({ duel: event.number === 1 ? [event] : [...state.duel, event] });
      break;
  }
}

/** Save a file on the person's disk. */
const TYPES: Record<string, string> = { csv: "text/csv", html: "text/html" };

export function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

// --- the connection --------------------------------------------------------------------------------------------------

let lostWork: Record<string, Working> = {};

/** The first message: the token, and where this tab was. */
function hello(): AnyRequest {
  const node = state.positions.study?.node;
  const path = state.tree && node !== undefined ? pathOf(state.tree, node) : [];
  return { type: "hello", token: kept("token"), tab: kept("tab"), game: kept("game"), study: kept("study"), path };
}

/** Go on where the connection was lost: a live search starts again, other work is named. */
function goOn(): void {
  const { study, duel } = lostWork;
  lostWork = {};
  if (study?.live) ask({ type: "start_search", preset: state.settings.preset, without: state.without });
  const stopped = study?.detail && !study.live ? study.detail : duel?.detail;
  notify(`Connected again.${study?.live ? " The search goes on." : stopped ? ` Stopped: ${stopped}.` : ""}`);
}

const connection = new Connection(hello, hear, (link) => {
  const wasOpen = state.link === "open";
  if (wasOpen) lostWork = state.working;
  const isAgain = link === "open" && state.welcome !== null;
  change({ link, working: {} });
  if (isAgain) setTimeout(goOn); // behind the welcome
});

/** Try again at once, with another token. */
export function connect(): void {
  change({ link: "connecting" });
  connection.open();
}

/** Ask for what a person wants: an earlier message is done with. */
export function ask(request: AnyRequest): void {
  if (state.link !== "open") return;
  if (OPENING.includes(request.type)) change({ isOpening: true });
  if (state.message) change({ message: "" });
  connection.ask(request);
}

export const boardOf = (tab: Tab): Board => (tab === "play" ? "play" : tab === "laboratory" ? "duel" : "study");

/** Open a chapter, which has an address of its own. */
export function openLesson(name: string): void {
  location.hash = `lesson/${name}`;
}

/** Show what an address names: a tab, or a chapter of the lessons. */
export function openAddress(): void {
  const [tab, name] = location.hash.slice(1).split("/");
  const found = TABS.find((each) => each === tab);
  if (!found) return;
  if (found !== state.tab) change({ tab: found, message: "" });
  if (found === "lesson" && name && name !== state.lesson?.name) ask({ type: "open_lesson", name: name.slice(0, 80) });
  if (found === "lesson" && !name) change({ lesson: null });
}

export function openTab(tab: Tab): void {
  history.replaceState(null, "", tab === "lesson" && state.lesson ? `#lesson/${state.lesson.name}` : `#${tab}`);
  change({ tab, message: "", notice: state.notice?.undo === "undo" ? null : state.notice });
  if (tab === "laboratory") ask({ type: "list_runs" });
}

export function openDialog(dialog: Dialog): void {
  change({ dialog });
  if (dialog === "open") ask({ type: "list_items" });
}
