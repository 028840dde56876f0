// Made by `make messages` from src/kikashi/web: do not edit.

export interface Hello {
  type: "hello";
  token: string;
  tab?: string;
  game?: string;
  study?: string;
  path?: number[];
}

export interface Thought {
  simulations?: number | null;
  seconds?: number | null;
  clock?: string | null;
}

export interface Setup {
  preset: string;
  size?: number;
  komi?: number;
  rules?: string;
  handicap?: number;
  color?: "black" | "white";
  thought?: Thought;
  level?: number;
  name?: string;
}

export interface NewGame {
  type: "new_game";
  setup: Setup;
}

export interface Resign {
  type: "resign";
}

export interface Undo {
  type: "undo";
}

export interface Hint {
  type: "hint";
}

export interface MarkDead {
  type: "mark_dead";
  point: string;
}

export interface AcceptCount {
  type: "accept_count";
}

export interface ContinueGame {
  type: "continue_game";
}

export interface OpenSgf {
  type: "open_sgf";
  text: string;
}

export interface OpenFile {
  type: "open_file";
  data: string;
  name?: string;
}

export interface OpenOther {
  type: "open_other";
  number: number;
}

export interface OpenEmpty {
  type: "open_empty";
  size?: number;
  komi?: number;
  rules?: string;
}

export interface DeleteNode {
  type: "delete_node";
  node: number;
}

export interface MakeMain {
  type: "make_main";
  node: number;
}

export interface SetComment {
  type: "set_comment";
  node: number;
  text: string;
}

export interface UndoEdit {
  type: "undo_edit";
}

export interface RedoEdit {
  type: "redo_edit";
}

export interface StartSearch {
  type: "start_search";
  preset: string;
  without?: string[];
  fresh?: boolean;
}

export interface ReviewGame {
  type: "review_game";
  preset: string;
  simulations?: number;
}

export interface TryMove {
  type: "try_move";
  node: number;
  move: string;
  preset: string;
  simulations?: number;
}

export interface LookAt {
  type: "look_at";
  paths: string[][];
  folded?: string[][];
  nodes?: number;
}

export interface StagePlayout {
  type: "stage_playout";
  preset: string;
  without?: string[];
  seed?: number;
  path?: string[];
}

export interface EstimateOwners {
  type: "estimate_owners";
  preset: string;
  without?: string[];
  seed?: number;
  path?: string[];
  playouts?: number;
}

export interface AskReplies {
  type: "ask_replies";
  move: string;
}

export interface ListLessons {
  type: "list_lessons";
}

export interface OpenLesson {
  type: "open_lesson";
  name: string;
}

export interface StudyLesson {
  type: "study_lesson";
  place: string;
}

export interface TraceSimulations {
  type: "trace_simulations";
  preset: string;
  place?: string;
  without?: string[];
  seed?: number;
  simulations?: number;
  fresh?: boolean;
}

export interface TryPlayouts {
  type: "try_playouts";
  preset: string;
  place?: string;
  without?: string[];
  seed?: number;
  playouts?: number;
}

export interface Side {
  preset: string;
  without?: string[];
  overrides?: string[];
}

export interface StartComparison {
  type: "start_comparison";
  first: Side;
  second: Side;
  thought?: Thought;
}

export interface StartDuel {
  type: "start_duel";
  black: string;
  white: string;
  size?: number;
  komi?: number;
  thought?: Thought;
}

export interface ListRuns {
  type: "list_runs";
}

export interface WatchStudy {
  type: "watch_study";
  study: string;
}

export interface StartMatch {
  type: "start_match";
  players: string[];
  games?: number;
  size?: number;
  komi?: number;
  thought?: Thought;
  sprt?: [number, number] | null;
  seed?: number;
}

export interface StartExperiment {
  type: "start_experiment";
  name: string;
  scale?: number;
}

export interface StartRun {
  type: "start_run";
  study: string;
}

export interface StopRun {
  type: "stop_run";
  study: string;
}

export interface ListExperiments {
  type: "list_experiments";
  scale?: number;
}

export interface ExportStudy {
  type: "export_study";
  study: string;
  form: "csv" | "html";
}

export interface ListItems {
  type: "list_items";
}

export interface OpenItem {
  type: "open_item";
  item: string;
}

export interface DeleteItem {
  type: "delete_item";
  item: string;
}

export interface PlayMove {
  type: "play_move";
  board: "duel" | "play" | "study";
  move: string;
}

export interface GoTo {
  type: "go_to";
  board: "duel" | "play" | "study";
  node: number;
}

export interface StudyGame {
  type: "study_game";
  board: "duel" | "play" | "study";
}

export interface OpenGame {
  type: "open_game";
  study: string;
  number: number;
}

export interface SaveSgf {
  type: "save_sgf";
  board: "duel" | "play" | "study";
}

export interface StopWork {
  type: "stop_work";
  task?: "aside" | "class" | "compare" | "duel" | "laboratory" | "play" | "reader" | "study";
}

export interface PresetPart {
  name: string;
  about: string;
  source: string;
}

export interface PresetInfo {
  name: string;
  summary: string;
  source: string;
  parts: PresetPart[];
}

export interface LevelInfo {
  number: number;
  preset: string;
  simulations: number;
}

export interface Welcome {
  type: "welcome";
  version: string;
  presets: PresetInfo[];
  levels: LevelInfo[];
  rules: string[];
  folder: string;
}

export interface Failed {
  type: "failed";
  message: string;
}

export interface Notice {
  type: "notice";
  message: string;
  undo: "" | "undo" | "undo_edit";
}

export interface Position {
  type: "position";
  board: "duel" | "play" | "study";
  node: number;
  size: number;
  stones: string;
  turn: "black" | "white";
  last: string;
  mover: string;
  number: number;
  komi: number;
  rules: string;
  prisoners: [number, number];
  legal: string;
  black: string;
  white: string;
  comment: string;
  marks: Record<string, string>;
  arrows: ([string, string])[];
  lines: ([string, string])[];
  dimmed: string[];
  numbers: Record<string, number>;
  ko: string;
  over: boolean;
  result: string;
  dead: string[];
  handicap: number;
}

export interface CountRow {
  part: string;
  black: number;
  white: number;
}

export interface ClockState {
  main: number;
  period: number;
  periods: number;
  stones: number;
  increment: number;
  running: boolean;
}

export interface GameState {
  type: "game_state";
  setup: Setup;
  thinking: boolean;
  paused: boolean;
  counting: boolean;
  accepted: boolean;
  count: CountRow[];
  territory: string;
  clocks: ClockState[];
}

export interface ItemInfo {
  id: string;
  kind: "game" | "study";
  title: string;
  changed: number;
  moves: number;
  size: number;
  stones: string;
  is_open: boolean;
}

export interface Shelf {
  type: "shelf";
  items: ItemInfo[];
}

export interface Kept {
  type: "kept";
  board: "duel" | "play" | "study";
  item: string;
}

export interface Opened {
  type: "opened";
  name: string;
  games: string[];
  number: number;
}

export interface History {
  type: "history";
  undo: string;
  redo: string;
}

export type TreeNode = [id: number, parent: number, color: string, move: string, comment: boolean, winrate: number | null, score: number | null, visits: number, grade: string];

export interface TreeUpdate {
  type: "game_tree";
  board: "duel" | "play" | "study";
  document: number;
  nodes: TreeNode[];
  title: string;
}

export interface NodeAdded {
  type: "node_added";
  board: "duel" | "play" | "study";
  document: number;
  node: TreeNode;
}

export interface Evaluation {
  type: "evaluation";
  board: "duel" | "play" | "study";
  node: number;
  winrate: number;
  score: number;
  visits: number;
  grade: string;
}

export interface Candidate {
  move: string;
  visits: number;
  winrate: number;
  score: number;
  prior: number | null;
  rave: number | null;
  line: string[];
}

export interface Histogram {
  low: number;
  width: number;
  counts: number[];
}

export interface PositionAnalysis {
  type: "analysis";
  board: "duel" | "first" | "play" | "second" | "study";
  node: number;
  preset: string;
  turn: "black" | "white";
  running: boolean;
  visits: number;
  winrate: number;
  score: number;
  moves: Candidate[];
  deviation: number;
  histogram: Histogram;
  per_second: number;
  depth: number;
  nodes: number;
  ownership: number[];
  shares: Record<string, number>;
  without: string[];
  full: boolean;
}

export interface Working {
  type: "working";
  task: string;
  detail: string;
  done: number;
  of: number;
  live: boolean;
}

export interface Mistake {
  node: number;
  number: number;
  color: "black" | "white";
  move: string;
  loss: number;
  points: number;
  grade: string;
  better: string[];
}

export interface PhaseSummary {
  color: "black" | "white";
  phase: string;
  moves: number;
  mistakes: number;
  loss: number;
  points: number;
}

export interface Mistakes {
  type: "mistakes";
  found: Mistake[];
  summary: PhaseSummary[];
  simulations: number;
}

export interface Judged {
  type: "judged";
  node: number;
  move: string;
  loss: number;
  points: number;
  best: boolean;
}

export interface Saved {
  type: "saved";
  name: string;
  text: string;
}

export interface SearchNode {
  path: string[];
  move: string;
  color: "black" | "white";
  visits: number;
  mean: number | null;
  score: number | null;
  rave: number | null;
  rave_visits: number;
  prior: number | null;
  prior_games: number;
  variance: number | null;
  children: number;
}

export interface SearchTree {
  type: "search_tree";
  preset: string;
  nodes: SearchNode[];
}

export interface TreeStep {
  simulations: number;
  nodes: SearchNode[];
}

export interface Timeline {
  type: "timeline";
  node: number;
  preset: string;
  first: number;
  steps: TreeStep[];
}

export interface Owners {
  type: "owners";
  place: string;
  preset: string;
  path: string[];
  playouts: number;
  ownership: number[];
  criticality: number[];
  winrate: number;
  scores: ([number, number])[];
  komi: number;
}

export interface NodeNumbers {
  visits: number;
  value: number;
  score: number;
  mean: number;
}

export interface TracedPrior {
  prior: string;
  value: number;
  games: Record<string, number>;
}

export interface TracedExpansion {
  moves: string[];
  even_games: number;
  priors: TracedPrior[];
  is_shared?: boolean;
}

export interface TracedChild {
  move: string;
  visits: number;
  mean: number | null;
  prior_games: number;
  prior_value: number | null;
  share: number;
  banned: boolean;
  terms: (number | null)[];
  total: number | null;
  probability: number | null;
}

export interface TracedSelection {
  way: "chosen" | "drawn" | "largest" | "playout";
  terms: string[];
  children: TracedChild[];
  chosen: string;
  by: string;
  refused: string[];
}

export interface TracedNode {
  move: string;
  to_play: "black" | "white";
  index: number;
  is_new: boolean;
  before: NodeNumbers;
  after: NodeNumbers;
  expansion: TracedExpansion | null;
  selection: TracedSelection | null;
}

export interface TracedMove {
  color: "black" | "white";
  move: string;
  by: string;
  captured: string[];
}

export interface TracedResult {
  evaluation: string;
  value: number;
  score: number;
  komi: number;
  winner: "" | "black" | "white";
  backed_up: number;
  stones: string;
  owners: string;
}

export interface TracedChange {
  place: string;
  before: number[];
  after: number[];
  words: string;
}

export interface TracedMemory {
  part: string;
  kind: "memory" | "statistic";
  fields: string[];
  changes: TracedChange[];
}

export interface Trace {
  number: number;
  tree: number;
  size: number;
  selection: string;
  stones: string;
  path: TracedNode[];
  leaf: string;
  playout: TracedMove[];
  result: TracedResult;
  learned: TracedMemory[];
}

export interface Traced {
  type: "traced";
  place: string;
  preset: string;
  without: string[];
  seed: number;
  trace: Trace;
  before: SearchNode[];
  after: SearchNode[];
  abouts: Record<string, string>;
}

export interface Step {
  color: "black" | "white";
  move: string;
  by: string;
  way: string;
  candidates: string[];
  weights: number[];
  captured: string[];
}

export interface Playout {
  type: "playout";
  place: string;
  node: number;
  preset: string;
  path: string[];
  seed: number;
  size: number;
  stones: string;
  steps: Step[];
  shares: Record<string, number>;
  score: number;
  winner: string;
  learned: number;
  abouts: Record<string, string>;
}

export interface Reply {
  heuristic: string;
  move: string;
  replies: string[];
  weights: number[];
}

export interface Replies {
  type: "replies";
  preset: string;
  color: "black" | "white";
  move: string;
  replies: Reply[];
  every: Record<string, string>;
  learned: number;
}

export interface LessonInfo {
  name: string;
  title: string;
  summary: string;
}

export interface Lessons {
  type: "lessons";
  found: LessonInfo[];
}

export interface Lesson {
  type: "lesson";
  name: string;
  title: string;
  preset: string;
  overrides: string[];
  paper: string;
  section: string;
  experiment: string;
  positions: Record<string, Position>;
  text: string;
}

export interface RunInfo {
  id: string;
  title: string;
  state: "decided" | "failed" | "finished" | "running" | "stopped" | "stopping" | "waiting";
  detail: string;
  done: number;
  of: number;
  can: "" | "resume" | "start" | "stop";
  is_papers: boolean;
}

export interface Runs {
  type: "runs";
  found: RunInfo[];
}

export interface ExperimentInfo {
  name: string;
  title: string;
  source: string;
  about: string;
  size: string;
  time: string;
}

export interface Experiments {
  type: "experiments";
  scale: number;
  found: ExperimentInfo[];
}

export interface Test {
  llr: number;
  lower: number;
  upper: number;
  decision: string;
  elo0: number;
  elo1: number;
}

export interface GameRow {
  number: number;
  black: string;
  white: string;
  result: string;
  ended: string;
  moves: number;
}

export interface ReportPart {
  kind: "heading" | "items" | "plot" | "table" | "words";
  words?: string;
  lines?: string[];
  rows?: string[][];
  svg?: string;
}

export interface StudyState {
  type: "study_state";
  study: string;
  kind: string;
  title: string;
  settings: string;
  done: number;
  of: number;
  test: Test | null;
  counts: number[];
  shares: number[];
  lows: number[];
  highs: number[];
  ratios: number[];
  games: GameRow[];
  notes: string[];
  tables: string[][][];
  verdict: string;
  report: ReportPart[];
}

export interface DuelMove {
  type: "duel_move";
  number: number;
  color: "black" | "white";
  move: string;
  winrate: number;
  score: number;
  visits: number;
  line: string[];
}

export type AnyRequest =
  | Hello
  | NewGame
  | Resign
  | Undo
  | Hint
  | MarkDead
  | AcceptCount
  | ContinueGame
  | OpenSgf
  | OpenFile
  | OpenOther
  | OpenEmpty
  | DeleteNode
  | MakeMain
  | SetComment
  | UndoEdit
  | RedoEdit
  | StartSearch
  | ReviewGame
  | TryMove
  | LookAt
  | StagePlayout
  | EstimateOwners
  | AskReplies
  | ListLessons
  | OpenLesson
  | StudyLesson
  | TraceSimulations
  | TryPlayouts
  | StartComparison
  | StartDuel
  | ListRuns
  | WatchStudy
  | StartMatch
  | StartExperiment
  | StartRun
  | StopRun
  | ListExperiments
  | ExportStudy
  | ListItems
  | OpenItem
  | DeleteItem
  | PlayMove
  | GoTo
  | StudyGame
  | OpenGame
  | SaveSgf
  | StopWork;

export type AnyEvent =
  | Welcome
  | Failed
  | Notice
  | Position
  | GameState
  | Shelf
  | Kept
  | Opened
  | History
  | TreeUpdate
  | NodeAdded
  | Evaluation
  | PositionAnalysis
  | Working
  | Mistakes
  | Judged
  | Saved
  | SearchTree
  | Timeline
  | Owners
  | Traced
  | Playout
  | Replies
  | Lessons
  | Lesson
  | Runs
  | Experiments
  | StudyState
  | DuelMove;
