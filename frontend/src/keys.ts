// The keyboard: what each key does, in one list, which the help shows.
import { isSearching, openFile, openText, startOrStop } from "./analyse";
import { ask, boardOf, change, now, openTab, set } from "./store";
import { stepBy } from "./theatre";
import { walk } from "./walking";

interface Key {
  keys: string[];
  shown: string;
  does: string;
  run: () => void;
}

const isStudy = (): boolean => boardOf(now().tab) === "study";
const inStudy = (run: () => void) => () => {
  if (isStudy()) run();
};
const isStaged = (): boolean => now().tab === "inside" && now().inside === "theatre" && now().playout !== null;
/** Go along the game, or along the playout that is on the board. */
const along = (steps: number, run: () => void) => inStudy(() => (isStaged() ? stepBy(steps) : run()));
const dark = (): boolean => document.documentElement.dataset.theme === "dark";

export const KEYS: Key[] = [
  { keys: ["ArrowLeft"], shown: "←", does: "Back one move, or one step of a playout", run: along(-1, () => walk("back")) },
  { keys: ["ArrowRight"], shown: "→", does: "On one move, or one step of a playout", run: along(1, () => walk("on")) },
  { keys: ["ArrowUp"], shown: "↑", does: "To the variation above", run: inStudy(() => walk("up")) },
  { keys: ["ArrowDown"], shown: "↓", does: "To the variation below", run: inStudy(() => walk("down")) },
  { keys: ["PageUp"], shown: "Page ↑", does: "Back ten moves", run: along(-10, () => walk("back", 10)) },
  { keys: ["PageDown"], shown: "Page ↓", does: "On ten moves", run: along(10, () => walk("on", 10)) },
  { keys: ["Home"], shown: "Home", does: "To the start", run: along(-Infinity, () => walk("start")) },
  { keys: ["End"], shown: "End", does: "To the end", run: along(Infinity, () => walk("end")) },
  { keys: [" "], shown: "Space", does: "Start or stop the search", run: inStudy(() => startOrStop(now())) },
  { keys: ["a"], shown: "A", does: "Analyse the whole game and list its mistakes", run: inStudy(() => !isSearching(now()) && ask({ type: "review_game", preset: now().settings.preset })) },
  { keys: ["c"], shown: "C", does: "Show or hide candidates; the graph stays", run: () => set({ candidates: !now().settings.candidates }) },
  { keys: ["o"], shown: "O", does: "Show or hide who owns what", run: () => set({ ownership: !now().settings.ownership }) },
  { keys: ["v"], shown: "V", does: "Black's view, or the mover's", run: () => set({ side: now().settings.side === "black" ? "mover" : "black" }) },
  { keys: ["p"], shown: "P", does: "Pass", run: () => now().tab !== "laboratory" && ask({ type: "play_move", board: isStudy() ? "study" : "play", move: "pass" }) },
  { keys: ["u"], shown: "U", does: "Take your move back, in a game", run: () => now().tab === "play" && ask({ type: "undo" }) },
  { keys: ["h"], shown: "H", does: "A hint, in a game", run: () => now().tab === "play" && ask({ type: "hint" }) },
  { keys: ["m"], shown: "M", does: "Make this the main line", run: inStudy(() => ask({ type: "make_main", node: now().positions.study?.node ?? 0 })) },
  { keys: ["Delete"], shown: "Del", does: "Delete this node and what follows", run: inStudy(() => ask({ type: "delete_node", node: now().positions.study?.node ?? 0 })) },
  { keys: ["s"], shown: "S", does: "Save as SGF", run: () => ask({ type: "save_sgf", board: boardOf(now().tab) }) },
  { keys: ["1"], shown: "1–4", does: "Play, Analyse, Inside, Laboratory", run: () => openTab("play") },
  { keys: ["2"], shown: "", does: "", run: () => openTab("analyse") },
  { keys: ["3"], shown: "", does: "", run: () => openTab("inside") },
  { keys: ["4"], shown: "", does: "", run: () => openTab("laboratory") },
  { keys: ["d"], shown: "D", does: "Dark or light", run: () => set({ theme: dark() ? "light" : "dark" }) },
  { keys: ["?"], shown: "?", does: "This help", run: () => change({ isHelpOpen: !now().isHelpOpen }) },
  { keys: ["Escape"], shown: "Esc", does: "Close the help, or a message", run: () => change({ message: "" }) },
];

const TYPING = "input:not([type=checkbox]):not([type=range]):not([type=file]), textarea, select";

export function listen(): void {
  addEventListener("keydown", (event) => {
    const target = event.target instanceof Element ? event.target : document.body;
    if (event.ctrlKey || event.metaKey || event.altKey || target.matches(TYPING)) return;
    if (event.key === " " && target.matches("button, input, summary, a")) return; // it presses what has the focus
    if (event.key.startsWith("Arrow") && target.matches("input")) return;
    const found = KEYS.find((key) => key.keys.includes(event.key));
    if (!found || (now().isHelpOpen && event.key !== "?")) return; // Escape closes a dialog by itself
    event.preventDefault();
    found.run();
  });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    openTab("analyse");
    openFile(file);
  });
  addEventListener("paste", (event) => {
    if ((event.target as Element).matches(TYPING)) return;
    const text = event.clipboardData?.getData("text") ?? "";
    if (text.includes("(;")) {
      openTab("analyse");
      openText(text);
    }
  });
}
