// Made by `make messages` from src/kikashi/web: do not edit.

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
}

export interface NewGame {
  type: "new_game";
  setup: Setup;
}

export interface KeptClock {
  main: number;
  periods?: number;
}

export interface ResumeGame {
  type: "resume_game";
  setup: Setup;
  sgf: string;
  clocks?: [KeptClock, KeptClock] | null;
}

export interface PlayMove {
  type: "play_move";
  board: "duel" | "play" | "study";
  move: string;
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

export interface OpenSgf {
  type: "open_sgf";
  text: string;
}

export interface OpenFile {
  type: "open_file";
  data: string;
}

export interface OpenEmpty {
  type: "open_empty";
  size?: number;
  komi?: number;
  rules?: string;
}

export interface StudyGame {
  type: "study_game";
  board: "duel" | "play" | "study";
}

export interface SaveSgf {
  type: "save_sgf";
  board: "duel" | "play" | "study";
  keep?: boolean;
}

export interface GoTo {
  type: "go_to";
  board: "duel" | "play" | "study";
  node: number;
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

export interface StartSearch {
  type: "start_search";
  preset: string;
  without?: string[];
}

export interface StopWork {
  type: "stop_work";
  board?: "duel" | "play" | "study";
}

export interface ReviewGame {
  type: "review_game";
  preset: string;
  simulations?: number;
}

export interface LookAt {
  type: "look_at";
  paths: string[][];
}

export interface StagePlayout {
  type: "stage_playout";
  preset: string;
  without?: string[];
  seed?: number;
}

export interface AskReplies {
  type: "ask_replies";
  move: string;
}

export interface ListStudies {
  type: "list_studies";
}

export interface WatchStudy {
  type: "watch_study";
  study: string;
}

export interface OpenGame {
  type: "open_game";
  study: string;
  number: number;
}

export interface StartDuel {
  type: "start_duel";
  black: string;
  white: string;
  size?: number;
  komi?: number;
  thought?: Thought;
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

export interface Welcome {
  type: "welcome";
  version: string;
  presets: PresetInfo[];
  rules: string[];
  threads: number;
  folder: string;
}

export interface Failed {
  type: "failed";
  message: string;
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
  over: boolean;
  result: string;
  dead: string[];
  handicap: number;
}

export interface ClockState {
  main: number;
  periods: number;
  more: string;
  running: boolean;
}

export interface GameState {
  type: "game_state";
  setup: Setup;
  thinking: boolean;
  counting: boolean;
  note: string;
  sgf: string;
  clocks: ClockState[];
}

export type TreeNode = [id: number, parent: number, color: string, move: string, comment: boolean, winrate: number | null, score: number | null, visits: number, grade: string];

export interface TreeUpdate {
  type: "game_tree";
  board: "duel" | "play" | "study";
  document: number;
  nodes: TreeNode[];
  title: string;
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
  prior: number;
  rave: number | null;
  line: string[];
}

export interface PositionAnalysis {
  type: "analysis";
  board: "duel" | "play" | "study";
  node: number;
  preset: string;
  turn: "black" | "white";
  running: boolean;
  visits: number;
  winrate: number;
  score: number;
  moves: Candidate[];
  deviation: number;
  per_second: number;
  depth: number;
  nodes: number;
  ownership: number[];
  shares: Record<string, number>;
  without: string[];
}

export interface Working {
  type: "working";
  task: string;
  detail: string;
  done: number;
  of: number;
}

export interface Mistake {
  node: number;
  number: number;
  color: "black" | "white";
  move: string;
  loss: number;
  grade: string;
  better: string[];
}

export interface Mistakes {
  type: "mistakes";
  found: Mistake[];
}

export interface Saved {
  type: "saved";
  board: "duel" | "play" | "study";
  name: string;
  text: string;
  keep: boolean;
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
  node: number;
  preset: string;
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

export interface StudyInfo {
  id: string;
  kind: string;
  title: string;
  games: number;
  of: number;
  changed: number;
}

export interface Studies {
  type: "studies";
  found: StudyInfo[];
}

export interface Pair {
  first: string;
  second: string;
  wins: number;
  draws: number;
  losses: number;
  share: number;
  low: number;
  high: number;
  elo: string;
}

export interface Rating {
  name: string;
  elo: string;
  low: string;
  high: string;
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

export interface StudyState {
  type: "study_state";
  study: string;
  kind: string;
  title: string;
  settings: string;
  done: number;
  of: number;
  pairs: Pair[];
  ratings: Rating[];
  test: Test | null;
  counts: number[];
  shares: number[];
  lows: number[];
  highs: number[];
  ratios: number[];
  games: GameRow[];
  notes: string[];
  tables: string[][][];
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
  | NewGame
  | ResumeGame
  | PlayMove
  | Resign
  | Undo
  | Hint
  | MarkDead
  | OpenSgf
  | OpenFile
  | OpenEmpty
  | StudyGame
  | SaveSgf
  | GoTo
  | DeleteNode
  | MakeMain
  | SetComment
  | StartSearch
  | StopWork
  | ReviewGame
  | LookAt
  | StagePlayout
  | AskReplies
  | ListStudies
  | WatchStudy
  | OpenGame
  | StartDuel;

export type AnyEvent =
  | Welcome
  | Failed
  | Position
  | GameState
  | TreeUpdate
  | Evaluation
  | PositionAnalysis
  | Working
  | Mistakes
  | Saved
  | SearchTree
  | Playout
  | Replies
  | Studies
  | StudyState
  | DuelMove;
