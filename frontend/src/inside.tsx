// Look inside: the tree of the running search, its root moves, its playouts and its memories.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { choosePreset, isSearching, startOrStop } from "./actions";
import { StudyBoard } from "./analyse";
import { Board } from "./board";
import { stonesAfter } from "./geometry";
import type { Candidate, PositionAnalysis } from "./messages";
import { percent, short, signed } from "./numbers";
import { Panel, PresetChoice } from "./parts";
import { ask, change, type InsideView as View, type State } from "./store";
import { StepView } from "./stepview";
import { Theatre } from "./theatre";
import { TreeStage } from "./treestage";

const EXPLAINED: Record<View, [string, string, string]> = {
  tree: [
    "Tree",
    "Each simulation walks down from the root, at every node to the move that looks best or is least known, adds a node at the end, and its result is counted on the way back. Lines are as wide as their visits, in the colour of their value, which is of who moved to a node. Click a node for its board, again to fold or open it.",
    "Coulom 2006, §3–4; Gelly et al. 2006, §2.2",
  ],
  steps: [
    "Step by step",
    "One simulation at a time, from an empty tree: select a path, expand a node, evaluate it, back the result up, learn. The same seed gives the same simulations.",
    "Chaslot et al. 2008, figure 1; Coulom 2006, §3",
  ],
  table: [
    "Root moves",
    "What the root knows of its moves. RAVE counts a move as played wherever in a simulation it came: many games early, but of other positions. Priors are games that were never played, given by heuristics.",
    "Baier 2010, §3.3; Gelly and Silver 2007",
  ],
  theatre: [
    "Playout",
    "Below the tree, heuristics are asked in turn; the first that proposes something draws a move from its list. Dots are what it chose from.",
    "Gelly et al. 2006, §3.2; Coulom 2006, appendix A",
  ],
  replies: [
    "Replies",
    "A reply that won is remembered and played again after the same moves; with forgetting, one that loses is deleted. Click a point to see what would answer a move there.",
    "Drake 2010; Baier 2010, §6.1–6.2",
  ],
  parts: [
    "Parts",
    "Switch heuristics of the playouts and priors off: the search starts anew without them, and the table shows both.",
    "Baier 2010, §3.4, compares such lists",
  ],
};

export function InsideView({ state }: { state: State }) {
  const view = state.inside;
  const position = state.positions.study;
  if (!state.welcome || !position) return <div class="stage"><StudyBoard state={state} /></div>;
  if (view === "tree" || view === "steps") {
    return (
      <div class="wholeview">
        <Panel title="Search" class="searchbar">
          <SearchControls state={state} />
        </Panel>
        <InsidePanel view={view}>
          {view === "tree" ? <TreeStage state={state} /> : <StepView state={state} place={{ ...position, name: "" }} preset={state.settings.preset} without={state.without} />}
        </InsidePanel>
      </div>
    );
  }
  return (
    <>
      <div class="stage" tabIndex={-1}>{view === "theatre" && state.playout ? <TheatreBoard state={state} /> : view === "replies" ? <RepliesBoard state={state} /> : <StudyBoard state={state} />}</div>
      <div class="side">
        <Panel title="Search">
          <SearchControls state={state} />
        </Panel>
        <InsidePanel view={view}>
          {view === "table" && <RootTable state={state} />}
          {view === "theatre" && <Theatre state={state} />}
          {view === "replies" && <RepliesView state={state} />}
          {view === "parts" && <PartsView state={state} />}
        </InsidePanel>
      </div>
    </>
  );
}

function SearchControls({ state }: { state: State }) {
  const isRunning = isSearching(state);
  return (
    <>
      <div class="row">
        <PresetChoice
          label="Preset"
          presets={state.welcome!.presets}
          value={state.settings.preset}
          onChange={(preset) => choosePreset(state, preset)}
        />
        <button type="button" class={isRunning ? "stop" : "strong"} onClick={() => startOrStop(state)}>
          {isRunning ? "Stop" : "Search"} <kbd>space</kbd>
        </button>
        {state.inside === "tree" && (
          <button type="button" onClick={() => ask({ type: "start_search", preset: state.settings.preset, without: state.without, fresh: true })}>From an empty tree</button>
        )}
      </div>
      <div class="tabs" role="tablist" aria-label="Views of the search">
        {(Object.keys(EXPLAINED) as View[]).map((each) => (
          <button key={each} type="button" role="tab" id={`tab-${each}`} aria-controls="view" aria-selected={state.inside === each} onClick={() => change({ inside: each })}>
            {EXPLAINED[each][0]}
          </button>
        ))}
      </div>
    </>
  );
}

function InsidePanel({ view, children }: { view: View; children: ComponentChildren }) {
  const [title, text, source] = EXPLAINED[view];
  return (
    <section class="panel" id="view" role="tabpanel" aria-labelledby={`tab-${view}`}>
      <h2>{title}</h2>
      <p class="explanation">
        {text} <cite>{source}</cite>
      </p>
      {children}
    </section>
  );
}

function TheatreBoard({ state }: { state: State }) {
  const { playout, step } = state;
  if (!playout) return null;
  const made = step > 0 ? playout.steps[step - 1] : undefined;
  const most = made ? Math.max(...made.weights, 0) : 0;
  return (
    <Board
      label={`Playout, move ${step} of ${playout.steps.length}`}
      size={playout.size}
      stones={stonesAfter(playout.stones, playout.size, playout.steps, step)}
      turn={made?.color === "black" ? "white" : "black"}
      {...(made ? { last: made.move } : {})}
      dots={(made?.candidates ?? [])
        .filter((name) => name !== made?.move)
        .map((at) => ({ at, strength: made?.weights.length ? (made.weights[made.candidates.indexOf(at)] ?? 0) / (most || 1) : 0.6 }))}
      hasCoordinates={state.settings.coordinates}
    />
  );
}

// --- root moves ------------------------------------------------------------------------------------------------------

type Key = "move" | "visits" | "winrate" | "score" | "prior" | "rave";
const HEADS: [Key, string][] = [
  ["move", "Move"],
  ["visits", "Visits"],
  ["winrate", "Win rate"],
  ["score", "Score"],
  ["prior", "Prior"],
  ["rave", "RAVE"],
];

function RootTable({ state }: { state: State }) {
  const [key, sort] = useState<Key>("visits");
  const [isDown, turn] = useState(true);
  const analysis = state.analyses.study;
  if (!analysis) return <p class="hint">Start a search to see its moves.</p>;
  const value = (move: Candidate): number | string => move[key] ?? -1;
  const moves = [...analysis.moves].sort((one, other) => {
    const [a, b] = [value(one), value(other)];
    return (a < b ? -1 : a > b ? 1 : 0) * (isDown ? -1 : 1);
  });
  const before = new Map((state.before?.moves ?? []).map((move) => [move.move, move]));
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Root moves">
      <table>
        <thead>
          <tr>
            {HEADS.map(([each, title]) => (
              <th key={each} scope="col" aria-sort={each === key ? (isDown ? "descending" : "ascending") : "none"}>
                <button type="button" onClick={() => (each === key ? turn(!isDown) : (sort(each), turn(each !== "move")))}>
                  {title}
                  {each === key ? (isDown ? " ▾" : " ▴") : ""}
                </button>
              </th>
            ))}
            {state.before && <th scope="col">Before</th>}
          </tr>
        </thead>
        <tbody>
          {moves.map((move) => (
            <tr key={move.move}>
              <th scope="row">{move.move}</th>
              <td>{move.visits}</td>
              <td>{percent(move.winrate)}</td>
              <td>{signed(move.score)}</td>
              <td>{move.prior === null ? "–" : percent(move.prior)}</td>
              <td>{move.rave === null ? "–" : percent(move.rave)}</td>
              {state.before && <td>{was(before.get(move.move), state.before)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const was = (move: Candidate | undefined, of: PositionAnalysis): string =>
  move ? `${percent(move.winrate)}, ${percent(move.visits / Math.max(1, of.visits), 0)} of visits` : "–";

// --- replies ---------------------------------------------------------------------------------------------------------

function RepliesBoard({ state }: { state: State }) {
  const position = state.positions.study!;
  const { replies } = state;
  const answers = replies?.replies.flatMap((reply) => reply.replies) ?? [];
  return (
    <Board
      label="What answers a move: choose a point"
      size={position.size}
      stones={position.stones}
      turn={position.turn}
      legal={position.legal}
      hasCoordinates={state.settings.coordinates}
      signs={replies && replies.move !== "pass" ? { [replies.move]: "square" } : {}}
      dots={answers.map((at) => ({ at, strength: 1 }))}
      arrows={replies ? (replies.move !== "pass" ? answers.map((to) => ({ from: replies.move, to })) : Object.entries(replies.every).map(([from, to]) => ({ from, to }))) : []}
      onPoint={(move) => ask({ type: "ask_replies", move })}
    />
  );
}

function RepliesView({ state }: { state: State }) {
  const { replies } = state;
  const count = Object.keys(replies?.every ?? {}).length;
  return (
    <>
      <div class="buttons">
        <button type="button" onClick={() => ask({ type: "ask_replies", move: "pass" })}>All of them</button>
      </div>
      {replies && (
        <>
          <p class="status" data-testid="replies">
            After {short(replies.learned)} simulations {count} of {state.positions.study?.legal.split("1").length! - 1} moves have an answer.
          </p>
          {replies.move !== "pass" && (
            <table>
              <caption>Answers to {replies.color} {replies.move}</caption>
              <thead><tr><th scope="col">Heuristic</th><th scope="col">Answers</th></tr></thead>
              <tbody>
                {replies.replies.map((reply) => (
                  <tr key={reply.heuristic}>
                    <th scope="row">{reply.heuristic}</th>
                    <td>{reply.replies.map((move, i) => (reply.weights.length ? `${move} (${reply.weights[i]?.toFixed(2)})` : move)).join(", ") || "nothing"}</td>
                  </tr>
                ))}
                {!replies.replies.length && <tr><td colSpan={2}>This preset has no memories that answer: try lgrf2 or kikashi.</td></tr>}
              </tbody>
            </table>
          )}
        </>
      )}
    </>
  );
}

// --- parts -----------------------------------------------------------------------------------------------------------

function PartsView({ state }: { state: State }) {
  const preset = state.welcome?.presets.find((each) => each.name === state.settings.preset);
  if (!preset?.parts.length) return <p class="hint">This preset has no parts that can be switched.</p>;
  const flip = (name: string): void => {
    const without = state.without.includes(name) ? state.without.filter((each) => each !== name) : [...state.without, name];
    change({ without, before: state.before ?? state.analyses.study ?? null, playout: null, replies: null });
    if (state.working.study?.live) ask({ type: "start_search", preset: preset.name, without });
  };
  const shares = state.analyses.study?.shares ?? {};
  const earlier = state.before?.shares ?? {};
  return (
    <>
      <ul class="partlist">
        {preset.parts.map((part) => {
          const name = part.name.replace(/^playout: /, "");
          return (
            <li key={part.name}>
              <label title={`${part.about} (${part.source})`}>
                <input type="checkbox" checked={!state.without.includes(part.name)} onChange={() => flip(part.name)} />
                <span>{part.name}</span>
                <em>
                  {name in shares ? percent(shares[name] ?? 0) : ""}
                  {state.before && name in earlier ? ` (before ${percent(earlier[name] ?? 0)})` : ""}
                </em>
              </label>
            </li>
          );
        })}
      </ul>
      {state.before && (
        <>
          <Compared before={state.before} after={state.analyses.study} />
          <button type="button" onClick={() => change({ before: null })}>Forget what was before</button>
        </>
      )}
    </>
  );
}

function Compared({ before, after }: { before: PositionAnalysis; after: PositionAnalysis | undefined }) {
  const row = (title: string, text: (analysis: PositionAnalysis) => string) => (
    <tr>
      <th scope="row">{title}</th>
      <td>{text(before)}</td>
      <td>{after ? text(after) : "–"}</td>
    </tr>
  );
  return (
    <table>
      <thead><tr><th scope="col">What changes</th><th scope="col">Before</th><th scope="col">Now</th></tr></thead>
      <tbody>
        {row("Black wins", (analysis) => percent(analysis.winrate))}
        {row("Best move", (analysis) => analysis.moves[0]?.move ?? "–")}
        {row("Its share", (analysis) => percent((analysis.moves[0]?.visits ?? 0) / Math.max(1, analysis.visits), 0))}
        {row("Simulations a second", (analysis) => short(Math.round(analysis.per_second)))}
        {row("Spread of playout scores", (analysis) => analysis.deviation.toFixed(1))}
      </tbody>
    </table>
  );
}
