// Compare: two presets, or one with other parts or settings, search the position of the study side by side.
import { useState } from "preact/hooks";
import { Board } from "./board";
import type { PositionAnalysis, Side } from "./messages";
import { faultOf, percent, scoreFrom, seenFrom, short, signed } from "./numbers";
import { Histogram, Panel, PresetChoice, Toggle, marksOf } from "./parts";
import { ask, change, set, type State } from "./store";

const SIDES = ["first", "second"] as const;
const NAMES = { first: "First", second: "Second" };
const SHOWN_MOVES = 12;
const SETTING = /^[a-z_0-9.]+ *= *(-?[0-9.]+(e-?[0-9]+)?|true|false)$/;
type Ownership = "none" | "each" | "difference";

export function CompareView({ state }: { state: State }) {
  const [ownership, setOwnership] = useState<Ownership>("none");
  const position = state.compared ?? state.positions.study;
  const [first, second] = SIDES.map((side) => state.analyses[side]);
  const difference = first?.ownership.map((owner, at) => Math.max(-100, Math.min(100, owner - (second?.ownership[at] ?? owner))));
  return (
    <>
      <CompareForm state={state} />
      {SIDES.map((side) => {
        const analysis = state.analyses[side];
        const owners = ownership === "difference" ? difference : ownership === "each" ? analysis?.ownership : undefined;
        return (
          <section key={side} class="compared" aria-label={NAMES[side]}>
            <h2>{NAMES[side]}: {analysis?.preset ?? state.sides[side].preset}</h2>
            {position && (
              <Board
                label={`${NAMES[side]} board`}
                size={position.size}
                stones={position.stones}
                turn={position.turn}
                last={position.last}
                ko={position.ko}
                marks={state.settings.candidates ? marksOf(analysis, state.settings) : []}
                {...(owners?.length ? { ownership: owners } : {})}
                hasCoordinates={state.settings.coordinates}
              />
            )}
            {analysis && <Histogram histogram={analysis.histogram} />}
          </section>
        );
      })}
      <div class="toggles" role="group" aria-label="What is shown">
        <Toggle isOn={state.settings.candidates} onChange={(candidates) => set({ candidates })} title="C">Candidates</Toggle>
        <Toggle isOn={ownership === "each"} onChange={(isOn) => setOwnership(isOn ? "each" : "none")}>Ownership of each</Toggle>
        <Toggle isOn={ownership === "difference"} onChange={(isOn) => setOwnership(isOn ? "difference" : "none")}>Difference of ownership</Toggle>
      </div>
      {first && second && (
        <>
          <Totals first={first} second={second} />
          <Moves first={first} second={second} />
          <Heuristics first={first} second={second} />
        </>
      )}
    </>
  );
}

function CompareForm({ state }: { state: State }) {
  const [way, setWay] = useState<"simulations" | "seconds">("simulations");
  const [limit, setLimit] = useState("2000");
  const isRunning = !!state.working.compare?.detail;
  const fault = way === "simulations" ? faultOf(limit, 1, 10_000_000, true, "a whole number") : faultOf(limit, 0.1, 3600, false, "a number");
  const settings = SIDES.map((side) => settingsOf(state.sides[side].setting));
  const isWrong = !!fault || settings.some((each) => !each.every((one) => SETTING.test(one)));
  const sideOf = (side: "first" | "second", overrides: string[]): Side => ({ preset: state.sides[side].preset, without: state.sides[side].without, overrides });
  const begin = (event: Event): void => {
    event.preventDefault();
    change({ compared: state.positions.study ?? null, analyses: { ...state.analyses, first: undefined, second: undefined } });
    ask({ type: "start_comparison", first: sideOf("first", settings[0]!), second: sideOf("second", settings[1]!), thought: { [way]: Number(limit) } });
  };
  return (
    <Panel title="Side by side" class="compare-form">
      <p class="hint">Two presets, or one with and without a part or with another setting, search the position that is open under Analyse, from an empty tree and with the same seed.</p>
      <form class="sides" noValidate onSubmit={begin}>
        {SIDES.map((side) => <SideForm key={side} state={state} side={side} />)}
        <div class="row">
          <label>
            <span>Equal</span>
            <select value={way} onChange={(event) => { setWay(event.currentTarget.value as typeof way); setLimit(event.currentTarget.value === "seconds" ? "5" : "2000"); }}>
              <option value="simulations">simulations</option>
              <option value="seconds">seconds</option>
            </select>
          </label>
          <label>
            <span>For each</span>
            <input name="limit" inputMode="decimal" autocomplete="off" value={limit} aria-invalid={!!fault} onInput={(event) => setLimit(event.currentTarget.value)} />
            {fault && <em class="fault">{fault}</em>}
          </label>
          {isRunning ? (
            <button type="button" class="stop" onClick={() => ask({ type: "stop_work", task: "compare" })}>Stop</button>
          ) : (
            <button type="submit" class="strong" disabled={isWrong || !state.positions.study}>Compare</button>
          )}
        </div>
      </form>
    </Panel>
  );
}

const settingsOf = (text: string): string[] => text.split(",").map((one) => one.trim()).filter(Boolean);

function SideForm({ state, side }: { state: State; side: "first" | "second" }) {
  const entries = state.sides[side];
  const enter = (part: Partial<typeof entries>): void => change({ sides: { ...state.sides, [side]: { ...entries, ...part } } });
  const parts = state.welcome?.presets.find((preset) => preset.name === entries.preset)?.parts ?? [];
  const isWrong = !settingsOf(entries.setting).every((one) => SETTING.test(one));
  return (
    <fieldset class="side-form">
      <legend>{NAMES[side]}</legend>
      <PresetChoice label="Preset" presets={state.welcome?.presets ?? []} value={entries.preset} onChange={(preset) => enter({ preset, without: [], setting: "" })} />
      <label>
        <span>Other settings</span>
        <input name={`setting-${side}`} value={entries.setting} placeholder="selection.x=0.1" autocomplete="off" maxLength={400} aria-invalid={isWrong} onInput={(event) => enter({ setting: event.currentTarget.value })} />
        {isWrong && <em class="fault">as in selection.x=0.1, with commas between several</em>}
      </label>
      {parts.length > 0 && (
        <details>
          <summary>{entries.without.length ? `Without ${entries.without.length} of ${parts.length} parts` : `All ${parts.length} parts`}</summary>
          {parts.map((part) => (
            <label key={part.name} class="check">
              <input
                type="checkbox"
                checked={!entries.without.includes(part.name)}
                onChange={(event) => enter({ without: event.currentTarget.checked ? entries.without.filter((name) => name !== part.name) : [...entries.without, part.name] })}
              />
              {part.name}
            </label>
          ))}
        </details>
      )}
    </fieldset>
  );
}

interface Both {
  first: PositionAnalysis;
  second: PositionAnalysis;
}

function Totals({ first, second }: Both) {
  const rows: [string, (analysis: PositionAnalysis) => number, (value: number) => string][] = [
    ["Black's win rate", (one) => one.winrate, percent],
    ["Black's score", (one) => one.score, signed],
    ["Spread of playout scores", (one) => one.deviation, (value) => value.toFixed(1)],
    ["Visits", (one) => one.visits, (value) => Math.round(value).toLocaleString("en")],
    ["Simulations a second", (one) => one.per_second, (value) => Math.round(value).toLocaleString("en")],
    ["Longest line", (one) => one.depth, String],
    ["Nodes", (one) => one.nodes, (value) => Math.round(value).toLocaleString("en")],
  ];
  return (
    <Panel title="Totals">
      <div class="scroll" tabIndex={0} role="group" aria-label="Totals">
        <table class="numeric" data-testid="totals">
          <thead><tr><th scope="col">Value</th><th scope="col">First</th><th scope="col">Second</th><th scope="col">Difference</th></tr></thead>
          <tbody>
            {rows.map(([name, value, text]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{text(value(first))}</td>
                <td>{text(value(second))}</td>
                <td>{withSign(value(first) - value(second), text)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

const withSign = (value: number, text: (value: number) => string): string => {
  const size = text(Math.abs(value)).replace("+", "");
  return /[1-9]/.test(size) ? `${value < 0 ? "−" : "+"}${size}` : "0";
};

/** Moves of both, those first that one of the two visits most. */
function Moves({ first, second }: Both) {
  const of = (analysis: PositionAnalysis, move: string) => analysis.moves.find((each) => each.move === move);
  const shareOf = (analysis: PositionAnalysis, move: string): number => (of(analysis, move)?.visits ?? 0) / Math.max(1, analysis.visits);
  const names = [...new Set([...first.moves, ...second.moves].map((each) => each.move))];
  const most = (move: string): number => Math.max(shareOf(first, move), shareOf(second, move));
  const shown = names.sort((one, other) => most(other) - most(one)).slice(0, SHOWN_MOVES);
  return (
    <Panel title="Moves: share of visits and value, for the player to move">
      <div class="scroll" tabIndex={0} role="group" aria-label="Moves">
        <table class="numeric" data-testid="moves">
          <thead>
            <tr>
              <th scope="col">Move</th><th scope="col">Visits, first</th><th scope="col">Second</th><th scope="col">Difference</th>
              <th scope="col">Win rate, first</th><th scope="col">Second</th><th scope="col">Difference</th>
              <th scope="col">Score, first</th><th scope="col">Second</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((name) => {
              const [one, other] = [of(first, name), of(second, name)];
              return (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>{percent(shareOf(first, name))}</td>
                  <td>{percent(shareOf(second, name))}</td>
                  <td>{withSign(shareOf(first, name) - shareOf(second, name), percent)}</td>
                  <td>{one ? percent(seenFrom("mover", first, one.winrate)) : "–"}</td>
                  <td>{other ? percent(seenFrom("mover", second, other.winrate)) : "–"}</td>
                  <td>{one && other ? withSign(one.winrate - other.winrate, percent) : "–"}</td>
                  <td>{one ? signed(scoreFrom("mover", first, one.score)) : "–"}</td>
                  <td>{other ? signed(scoreFrom("mover", second, other.score)) : "–"}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <p class="hint">Visits: {short(first.visits)} and {short(second.visits)}. A move with few visits has an unsure value.</p>
    </Panel>
  );
}

function Heuristics({ first, second }: Both) {
  const names = [...new Set([...Object.keys(first.shares), ...Object.keys(second.shares)])];
  const shares = names.map((name) => [name, first.shares[name] ?? 0, second.shares[name] ?? 0] as const).sort((a, b) => b[1] + b[2] - a[1] - a[2]);
  return (
    <Panel title="Moves of playouts, by the heuristic that made them">
      <div class="scroll" tabIndex={0} role="group" aria-label="Heuristics">
        <table class="numeric" data-testid="heuristics">
          <thead><tr><th scope="col">Heuristic</th><th scope="col">First</th><th scope="col">Second</th><th scope="col">Difference</th></tr></thead>
          <tbody>
            {shares.map(([name, one, other]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td><Share of={one} /></td>
                <td><Share of={other} /></td>
                <td>{withSign(one - other, percent)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

const Share = ({ of }: { of: number }) => (
  <span class="share">
    <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect width={100 * of} height="1" class="above" /></svg>
    {percent(of)}
  </span>
);
