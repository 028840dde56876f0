// What a person does from several places: search, review, open a record.
import { ask, change, say, set, type State } from "./store";

const LARGEST_FILE = 2 * 1024 * 1024;

export const isSearching = (state: State): boolean => !!state.working.study?.detail;

export function startOrStop(state: State): void {
  if (isSearching(state)) ask({ type: "stop_work", task: "study" });
  else ask({ type: "start_search", preset: state.settings.preset, without: state.without });
}

export function startReview(state: State): void {
  if (!isSearching(state)) ask({ type: "review_game", preset: state.settings.preset, simulations: state.settings.depth });
}

/** Search by another preset: nothing of the one before is left under its name. */
export function choosePreset(state: State, preset: string): void {
  set({ preset });
  change({ without: [], before: null, playout: null, replies: null, searchTree: null, timeline: [], owners: null });
  if (state.working.study?.live) ask({ type: "start_search", preset });
  else change({ analyses: { ...state.analyses, study: undefined } });
}

export function openText(text: string): void {
  if (text.length > LARGEST_FILE) say("This is too long for a game record.");
  else ask({ type: "open_sgf", text });
}

/** Open a file as it is: the server knows its encoding. */
export function openFile(file: File | undefined): void {
  if (!file) return;
  if (file.size > LARGEST_FILE) {
    say("This file is too large for a game record.");
    return;
  }
  const reader = new FileReader();
  reader.onload = () => ask({ type: "open_file", data: String(reader.result).split(",")[1] ?? "", name: file.name.slice(0, 200) });
  reader.onerror = () => say("This file cannot be read.");
  reader.readAsDataURL(file);
}
