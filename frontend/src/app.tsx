// The page: its head, its four views, and what is said to everybody.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { AnalyseView } from "./analyse";
import { InsideView } from "./inside";
import { KEYS } from "./keys";
import { LaboratoryView } from "./laboratory";
import { PlayView } from "./play";
import type { Settings } from "./settings";
import { TABS, change, openTab, set, useStore, type Tab } from "./store";

const TITLES: Record<Tab, string> = { play: "Play", analyse: "Analyse", inside: "Look inside", laboratory: "Laboratory" };

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
  return (
    <>
      <Stones />
      <header>
        <h1>kikashi</h1>
        <nav aria-label="Views">
          {TABS.map((tab) => (
            <button key={tab} type="button" aria-current={state.tab === tab ? "page" : undefined} onClick={() => openTab(tab)}>
              {TITLES[tab]}
            </button>
          ))}
        </nav>
        <Look settings={state.settings} />
      </header>
      <div class="message" role="alert">
        {state.message && (
          <p>
            {state.message}{" "}
            <button type="button" aria-label="Close this message" onClick={() => change({ message: "" })}>
              ✕
            </button>
          </p>
        )}
      </div>
      <main class={`view ${state.tab}`}>
        {state.tab === "play" && <PlayView state={state} />}
        {state.tab === "analyse" && <AnalyseView state={state} />}
        {state.tab === "inside" && <InsideView state={state} />}
        {state.tab === "laboratory" && <LaboratoryView state={state} />}
        {!state.welcome && <p class="hint">Connecting …</p>}
      </main>
      <footer>
        <span>kikashi {state.welcome?.version}</span>
        <a href="/licences.txt">Licences of what this page is made of</a>
      </footer>
      <p class="announced" role="status" aria-live="polite">
        {state.announced}
      </p>
      {state.isHelpOpen && <Help />}
    </>
  );
}

/** The shading of all stones, once for the whole page. */
function Stones() {
  return (
    <svg class="defs" width="0" height="0" aria-hidden="true">
      <defs>
        <radialGradient id="stone-black" cx="35%" cy="30%" r="75%">
          <stop offset="0" stop-color="#6a6e75" />
          <stop offset="0.45" stop-color="#26282b" />
          <stop offset="1" stop-color="#08090a" />
        </radialGradient>
        <radialGradient id="stone-white" cx="35%" cy="30%" r="80%">
          <stop offset="0" stop-color="#ffffff" />
          <stop offset="0.6" stop-color="#f3f0e9" />
          <stop offset="1" stop-color="#c4beb0" />
        </radialGradient>
      </defs>
    </svg>
  );
}

function Look({ settings }: { settings: Settings }) {
  return (
    <div class="look" role="group" aria-label="How it looks">
      <label>
        <span class="unseen">Theme</span>
        <select value={settings.theme} onChange={(event) => set({ theme: event.currentTarget.value as Settings["theme"] })}>
          <option value="auto">As the system</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </label>
      <label>
        <span class="unseen">Colours</span>
        <select value={settings.scheme} onChange={(event) => set({ scheme: event.currentTarget.value as Settings["scheme"] })}>
          <option value="usual">Usual colours</option>
          <option value="blind">For the colour-blind</option>
        </select>
      </label>
      <button type="button" aria-label="A1: coordinates" aria-pressed={settings.coordinates} onClick={() => set({ coordinates: !settings.coordinates })}>
        A1
      </button>
      <button type="button" aria-label="Keyboard help" onClick={() => change({ isHelpOpen: true })}>
        ?
      </button>
    </div>
  );
}

/** A modal dialog of the browser's: the focus stays inside, Escape closes it, and then the focus is where it was. */
function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const close = (): void => dialog.current?.close();
  return (
    <dialog ref={dialog} class="help" aria-label="Keyboard" onClose={() => change({ isHelpOpen: false })} onClick={(event) => event.target === dialog.current && close()}>
      <div>
        <h2>Keyboard</h2>
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
        <p>With the focus on the board, arrows move over its points and Enter plays.</p>
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </dialog>
  );
}
