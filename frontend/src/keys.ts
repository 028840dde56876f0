// The keyboard and the focus: what each key does, in one list, which the help shows.
import { openFile, openText, startOrStop, startReview } from "./actions";
import { ask, boardOf, change, now, openAddress, openDialog, openTab, set } from "./store";
import { stepBy } from "./theatre";
import { walk } from "./tree";

interface Key {
  keys: string[];
  shown: string;
  does: string;
  run: () => void;
}

const isStudy = (): boolean => boardOf(now().tab) === "study" && now().tab !== "lesson";
const IN_LESSONS = /^([1-6dDfF?]|Escape)$/; // all others scroll the page
const inStudy = (run: () => void) => () => {
  if (isStudy()) run();
};
const isStaged = (): boolean => now().tab === "inside" && now().inside === "theatre" && now().playout !== null;
/** Go along the game, or along the playout that is on the board. */
const along = (steps: number, run: () => void) => inStudy(() => (isStaged() ? stepBy(steps) : run()));
const dark = (): boolean => document.documentElement.dataset.theme === "dark";
const here = (): number => now().positions.study?.node ?? 0;

function pass(): void {
  const { tab, game, positions } = now();
  if (isStudy()) ask({ type: "play_move", board: "study", move: "pass" });
  else if (tab === "play" && game && !game.thinking && !positions.play?.over) ask({ type: "play_move", board: "play", move: "pass" });
}

export const KEYS: Key[] = [
  { keys: ["ArrowLeft"], shown: "←", does: "Back one move, or one step of a simulation or playout", run: along(-1, () => walk("back")) },
  { keys: ["ArrowRight"], shown: "→", does: "On one move, or one step of a simulation or playout", run: along(1, () => walk("on")) },
  { keys: ["ArrowUp"], shown: "↑", does: "To the variation above", run: inStudy(() => walk("up")) },
  { keys: ["ArrowDown"], shown: "↓", does: "To the variation below", run: inStudy(() => walk("down")) },
  { keys: ["PageUp"], shown: "Page ↑", does: "Back ten moves", run: along(-10, () => walk("back", 10)) },
  { keys: ["PageDown"], shown: "Page ↓", does: "On ten moves", run: along(10, () => walk("on", 10)) },
  { keys: ["Home"], shown: "Home", does: "To the start", run: along(-Infinity, () => walk("start")) },
  { keys: ["End"], shown: "End", does: "To the end", run: along(Infinity, () => walk("end")) },
  { keys: [" "], shown: "Space", does: "Start or stop the search", run: inStudy(() => startOrStop(now())) },
  { keys: ["Ctrl z"], shown: "Ctrl Z", does: "Take back an edit, or your move in a game", run: () => ask({ type: isStudy() ? "undo_edit" : "undo" }) },
  { keys: ["Ctrl Z", "Ctrl y"], shown: "Ctrl ⇧ Z", does: "Make the edit again", run: inStudy(() => ask({ type: "redo_edit" })) },
  { keys: ["Delete"], shown: "Del", does: "Delete this node and what follows", run: inStudy(() => here() && ask({ type: "delete_node", node: here() })) },
  { keys: ["a"], shown: "A", does: "Look over the whole game and list its mistakes", run: inStudy(() => startReview(now())) },
  { keys: ["c"], shown: "C", does: "Show or hide candidates; the graph stays", run: () => set({ candidates: !now().settings.candidates }) },
  { keys: ["o"], shown: "O", does: "Show or hide who owns what", run: () => set({ ownership: !now().settings.ownership }) },
  { keys: ["n"], shown: "N", does: "Show or hide the numbers of moves", run: () => set({ numbers: !now().settings.numbers }) },
  { keys: ["v"], shown: "V", does: "Black's view, or the mover's", run: () => set({ side: now().settings.side === "black" ? "mover" : "black" }) },
  { keys: ["p"], shown: "P", does: "Pass", run: pass },
  { keys: ["u"], shown: "U", does: "Take your move back, in a game", run: () => now().tab === "play" && ask({ type: "undo" }) },
  { keys: ["h"], shown: "H", does: "A hint, in a game", run: () => now().tab === "play" && ask({ type: "hint" }) },
  { keys: ["m"], shown: "M", does: "Make this the main line", run: inStudy(() => ask({ type: "make_main", node: here() })) },
  { keys: ["f"], shown: "F", does: "Open a file, or a recent game", run: () => openDialog("open") },
  { keys: ["s"], shown: "S", does: "Save as SGF", run: () => ask({ type: "save_sgf", board: boardOf(now().tab) }) },
  { keys: ["1"], shown: "1–6", does: "Play, Analyse, Inside, Compare, Laboratory, Lessons", run: () => openTab("play") },
  { keys: ["2"], shown: "", does: "", run: () => openTab("analyse") },
  { keys: ["3"], shown: "", does: "", run: () => openTab("inside") },
  { keys: ["4"], shown: "", does: "", run: () => openTab("compare") },
  { keys: ["5"], shown: "", does: "", run: () => openTab("laboratory") },
  { keys: ["6"], shown: "", does: "", run: () => openTab("lesson") },
  { keys: ["d"], shown: "D", does: "Dark or light", run: () => set({ theme: dark() ? "light" : "dark" }) },
  { keys: ["?"], shown: "?", does: "This help", run: () => openDialog("help") },
  { keys: ["Escape"], shown: "Esc", does: "Close a dialog or a message, leave the points of the board", run: () => change({ message: "", notice: null }) },
];

const TYPING = "input:not([type=checkbox]):not([type=radio]):not([type=range]):not([type=file]), textarea, select";
const PRESSED_BY_SPACE = "button, input, summary, a, [role=button]";
const LEFT_AFTER_A_CLICK = "button, a, summary, svg, g, [role=tab], [tabindex], input[type=checkbox], input[type=radio], input[type=range]";

let byTab = false;
/** Whether the focus came by the Tab key: only then the board's points are walked over. */
export const cameByTab = (): boolean => byTab;

/** A click leaves no focus behind that would take the keys away from the game. */
function leave(): void {
  const focused = document.activeElement;
  if (!byTab && (focused instanceof HTMLElement || focused instanceof SVGElement) && !focused.closest("dialog")) focused.blur();
}

export function listen(): void {
  addEventListener("hashchange", openAddress);
  addEventListener("pointerdown", () => (byTab = false), true);
  addEventListener("click", (event) => event.detail > 0 && document.activeElement?.matches(LEFT_AFTER_A_CLICK) && leave());
  addEventListener("change", (event) => (event.target as Element).matches("select") && leave());
  addEventListener("keydown", (event) => (byTab = event.key === "Tab" || (byTab && !event.key.startsWith("Escape"))), true);
  addEventListener("keydown", (event) => {
    const target = event.target instanceof Element ? event.target : document.body;
    if (event.metaKey || event.altKey || event.isComposing || target.matches(TYPING) || now().dialog) return;
    if (now().tab === "lesson" && !IN_LESSONS.test(event.key)) return;
    if (event.key === " " && target.matches(PRESSED_BY_SPACE)) return; // it presses what Tab has led to
    if (event.key.startsWith("Arrow") && target.matches("input, [role=tab]")) return;
    const name = event.ctrlKey ? `Ctrl ${event.shiftKey ? event.key.toUpperCase() : event.key}` : event.key;
    const found = KEYS.find((key) => key.keys.includes(name) || key.keys.includes(name.toLowerCase()));
    if (!found || (name.length === 1 && name !== " " && !now().settings.shortcuts)) return;
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
