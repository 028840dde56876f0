// The page: its head, its four views, what works, and what everybody must see.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { AnalyseView } from "./analyse";
import { CompareView } from "./compare";
import { InsideView } from "./inside";
import { KEYS } from "./keys";
import { LaboratoryView } from "./laboratory";
import { LessonView } from "./lessonview";
import { OpenDialog } from "./open";
import { PlayView } from "./play";
import { takeToken, type Settings } from "./settings";
import { TABS, ask, change, connect, openDialog, openTab, set, undoNotice, useStore, type State, type Tab } from "./store";

const TITLES: Record<Tab, string> = { play: "Play", analyse: "Analyse", inside: "Look inside", compare: "Compare", laboratory: "Laboratory", lesson: "Lessons" };

/** Before anything is drawn in its colours: graphs read them once. */
function useTheme(settings: Settings): void {
  useLayoutEffect(() => {
    const query = matchMedia("(prefers-color-scheme: dark)");
    const apply = (): void => {
      const theme = settings.theme === "auto" ? (query.matches ? "dark" : "light") : settings.theme;
      document.documentElement.dataset.theme = theme;
      document.documentElement.dataset.scheme = settings.scheme;
    };
    apply();
    query.addEventListener("change", apply);
    return () => query.removeEventListener("change", apply);
  }, [settings.theme, settings.scheme]);
}

export function App() {
  const state = useStore();
  useTheme(state.settings);
  const isOff = state.link !== "open";
  return (
    <>
      <Drawings />
      <header>
        <h1>kikashi</h1>
        <nav aria-label="Views">
          {TABS.map((tab) => (
            <button key={tab} type="button" aria-current={state.tab === tab ? "page" : undefined} onClick={() => openTab(tab)}>
              {TITLES[tab]}
            </button>
          ))}
        </nav>
        <Chips state={state} />
        <div class="look" role="group" aria-label="Settings and help">
          <button type="button" aria-label="Settings" onClick={() => openDialog("settings")}>⚙</button>
          <button type="button" aria-label="Keyboard help" onClick={() => openDialog("help")}>?</button>
        </div>
      </header>
      <Banner state={state} />
      <section class="toasts" aria-label="Notices">
        <div role="alert">
          {state.message && (
            <p class="toast wrong">
              <span>{state.message}</span>
              <button type="button" aria-label="Close this message" onClick={() => change({ message: "" })}>✕</button>
            </p>
          )}
        </div>
        <div>
          {state.notice && (
            <p class="toast">
              <span>{state.notice.message}</span>
              {state.notice.undo && <button type="button" onClick={undoNotice}>Undo</button>}
              <button type="button" aria-label="Close this notice" onClick={() => change({ notice: null })}>✕</button>
            </p>
          )}
        </div>
      </section>
      <main class={state.tab}>
        <div class={`view ${state.tab}`} inert={isOff}>
          {state.tab === "play" && <PlayView state={state} />}
          {state.tab === "analyse" && <AnalyseView state={state} />}
          {state.tab === "inside" && <InsideView state={state} />}
          {state.tab === "compare" && <CompareView state={state} />}
          {state.tab === "laboratory" && <LaboratoryView state={state} />}
          {state.tab === "lesson" && <LessonView state={state} />}
        </div>
      </main>
      <footer>
        <span>kikashi {state.welcome?.version}</span>
        <a href="/licences.txt">Licences of what this page is made of</a>
      </footer>
      <p class="announced" role="status" aria-live="polite">
        {state.announced}
      </p>
      {state.dialog === "help" && <Help settings={state.settings} />}
      {state.dialog === "settings" && <SettingsDialog settings={state.settings} />}
      {state.dialog === "open" && <OpenDialog state={state} />}
      {state.dialog === "resign" && <Resign />}
    </>
  );
}

/** What works, on every tab, each with a button that ends it. */
function Chips({ state }: { state: State }) {
  const working = Object.values(state.working).filter((task) => task.detail);
  return (
    <div class="chips">
      {state.isOpening && (
        <span class="chip opening">
          <i class="spinner" /> reading the record
        </span>
      )}
      {working.map(({ task, detail, done, of }) => (
        <span key={task} class="chip" data-task={task}>
          <i class="spinner" />
          <span>{detail}</span>
          {of ? <progress value={done} max={of} aria-label={detail} /> : null}
          <button type="button" onClick={() => ask({ type: "stop_work", task: task as "play" })}>
            {task === "play" && detail.endsWith("thinks") ? "Move now" : "Stop"}
          </button>
        </span>
      ))}
    </div>
  );
}

function Banner({ state }: { state: State }) {
  const [address, write] = useState("");
  const isFirst = state.link === "connecting" && !state.welcome && !state.message;
  const text: Partial<Record<State["link"], string>> = {
    connecting: isFirst ? "kikashi is starting …" : "Connecting …",
    lost: "The connection to kikashi is lost. Nothing can be done here until it is back; it is tried again.",
    full: state.message,
    denied: "This page needs the address that kikashi has printed in its terminal.",
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (takeToken(address) || takeToken(`#${address.trim()}`)) connect();
  };
  return (
    <div role="alert" class="banner">
      {text[state.link] && <p class={isFirst ? "late" : undefined}>{text[state.link]}</p>}
      {state.link === "denied" && (
        <form onSubmit={submit}>
          <label>
            <span>Address or token</span>
            <input value={address} autocomplete="off" onInput={(event) => write(event.currentTarget.value)} />
          </label>
          <button type="submit" class="strong">Open</button>
        </form>
      )}
    </div>
  );
}

/** The shading of stones and the grain of the wood, once for the whole page. */
function Drawings() {
  return (
    <svg class="defs" width="0" height="0" aria-hidden="true">
      <defs>
        <radialGradient id="stone-black" fx="37%" fy="30%">
          <stop offset="0" stop-color="#787c83" />
          <stop offset="0.35" stop-color="#33363a" />
          <stop offset="0.885" stop-color="#08090a" />
          <stop offset="0.9" stop-color="#000" stop-opacity="0.38" />
          <stop offset="1" stop-color="#000" stop-opacity="0" />
        </radialGradient>
        <radialGradient id="stone-white" fx="37%" fy="30%">
          <stop offset="0" stop-color="#ffffff" />
          <stop offset="0.55" stop-color="#f4f1ea" />
          <stop offset="0.87" stop-color="#cfc9bb" />
          <stop offset="0.895" stop-color="#8d877a" />
          <stop offset="0.91" stop-color="#000" stop-opacity="0.32" />
          <stop offset="1" stop-color="#000" stop-opacity="0" />
        </radialGradient>
        <pattern id="grain" width="330" height="190" patternUnits="userSpaceOnUse">
          {[9, 27, 33, 52, 71, 78, 97, 118, 123, 141, 160, 166, 183].map((y, number) => (
            <path key={y} class="vein" d={`M0 ${y}C70 ${y - 7 + (number % 3) * 4} 120 ${y + 8 - (number % 4) * 3} 190 ${y - 1}S290 ${y + (number % 5) - 4} 330 ${y}`} stroke-width={0.3 + (number % 4) * 0.3} />
          ))}
        </pattern>
      </defs>
    </svg>
  );
}

interface ModalProps {
  title: string;
  children: ComponentChildren;
  class?: string;
  isDone?: { current: boolean };
}

/** A modal dialog of the browser's: the focus stays inside, Escape closes it. Then the focus is where it was, or on the board. */
export function Modal({ title, children, class: name, isDone }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    const shown = dialog.current;
    shown?.showModal();
    return () => {
      shown?.close(); // nothing else can have the focus before
      const isThere = !isDone?.current && before instanceof HTMLElement && before !== document.body && before.isConnected;
      (isThere ? before : document.querySelector<HTMLElement>(".stage"))?.focus();
    };
  }, []);
  const close = (): void => dialog.current?.close();
  return (
    <dialog ref={dialog} class={`modal ${name ?? ""}`} aria-label={title} onClose={() => change({ dialog: "" })} onClick={(event) => event.target === dialog.current && close()}>
      <div>
        <h2>{title}</h2>
        {children}
        <button type="button" onClick={close}>Close</button>
      </div>
    </dialog>
  );
}

function Resign() {
  return (
    <Modal title="Resign the game?">
      <p>Your opponent wins. You can take it back with Undo.</p>
      <button type="button" class="stop" onClick={() => { change({ dialog: "" }); ask({ type: "resign" }); }}>Resign</button>
    </Modal>
  );
}

function SettingsDialog({ settings }: { settings: Settings }) {
  const box = (name: "coordinates" | "numbers" | "sound" | "shortcuts", label: string) => (
    <label class="check">
      <input type="checkbox" checked={settings[name]} onChange={(event) => set({ [name]: event.currentTarget.checked })} /> {label}
    </label>
  );
  return (
    <Modal title="Settings">
      <div class="form">
        <label>
          <span>Theme</span>
          <select value={settings.theme} onChange={(event) => set({ theme: event.currentTarget.value as Settings["theme"] })}>
            <option value="auto">As the system</option>
            <option value="light">Light</option>
            <option value="dark">Dark</option>
          </select>
        </label>
        <label>
          <span>Colours</span>
          <select value={settings.scheme} onChange={(event) => set({ scheme: event.currentTarget.value as Settings["scheme"] })}>
            <option value="usual">Usual colours</option>
            <option value="blind">For the colour-blind</option>
          </select>
        </label>
        {box("coordinates", "Coordinates")}
        {box("numbers", "Numbers of moves")}
        {box("sound", "Sound of stones")}
        {box("shortcuts", "Keys of one letter")}
      </div>
    </Modal>
  );
}

function Help({ settings }: { settings: Settings }) {
  return (
    <Modal title="Keyboard" class="help">
      <dl>
        {KEYS.filter((key) => key.shown).map((key) => (
          <div key={key.shown}>
            <dt>
              <kbd>{key.shown}</kbd>
            </dt>
            <dd>{key.does}</dd>
          </div>
        ))}
      </dl>
      <p>Tab leads to the points of the board: then arrows move over them, Enter plays, and Escape leaves them.</p>
      <label class="check">
        <input type="checkbox" checked={settings.shortcuts} onChange={(event) => set({ shortcuts: event.currentTarget.checked })} /> Keys of one letter or digit
      </label>
    </Modal>
  );
}
