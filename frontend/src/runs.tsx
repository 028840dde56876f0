// What is started in the laboratory: matches of presets, and the papers' experiments.
import { useEffect, useState } from "preact/hooks";
import { faultOf } from "./numbers";
import { PresetChoice } from "./parts";
import { ask, type State } from "./store";

const SIZES = Array.from({ length: 18 }, (_, i) => i + 2);
const SCALES = [1, 0.1, 0.01, 0.001];
const MOST_PLAYERS = 6;

interface Entries {
  players: string[];
  games: string;
  size: number;
  komi: string;
  way: "simulations" | "seconds";
  limit: string;
  isTest: boolean;
  elo0: string;
  elo1: string;
}

export function MatchForm({ state }: { state: State }) {
  const [entries, enter] = useState<Entries>({ players: ["lgrf2", "mogo-2006"], games: "100", size: 9, komi: "7.5", way: "simulations", limit: "1000", isTest: false, elo0: "0", elo1: "50" });
  const set = (part: Partial<Entries>): void => enter({ ...entries, ...part });
  const { players, way } = entries;
  const isTest = entries.isTest && players.length === 2;
  const faults: Partial<Record<keyof Entries, string>> = {
    games: faultOf(entries.games, 2, 10_000, true, "a whole number"),
    komi: faultOf(entries.komi, -400, 400, false, "a number"),
    limit: way === "simulations" ? faultOf(entries.limit, 1, 10_000_000, true, "a whole number") : faultOf(entries.limit, 0.01, 3600, false, "a number"),
    ...(isTest ? { elo0: faultOf(entries.elo0, -1000, 1000, false, "a number"), elo1: faultOf(entries.elo1, -1000, 1000, false, "a number") || (Number(entries.elo1) > Number(entries.elo0) ? "" : "above H0") } : {}),
  };
  const isTwice = new Set(players).size < players.length;
  const begin = (event: Event): void => {
    event.preventDefault();
    const sprt: [number, number] | null = isTest ? [Number(entries.elo0), Number(entries.elo1)] : null;
    ask({ type: "start_match", players, games: Number(entries.games), size: entries.size, komi: Number(entries.komi), thought: { [way]: Number(entries.limit) }, sprt });
  };
  const field = (name: "games" | "komi" | "limit" | "elo0" | "elo1", label: string) => (
    <label>
      <span>{label}</span>
      <input name={name} inputMode="decimal" autocomplete="off" value={entries[name]} aria-invalid={!!faults[name]} onInput={(event) => set({ [name]: event.currentTarget.value })} />
      {faults[name] && <em class="fault">{faults[name]}</em>}
    </label>
  );
  return (
    <form class="form" noValidate onSubmit={begin}>
      {players.map((player, number) => (
        <PresetChoice key={number} label={`Player ${number + 1}`} presets={state.welcome?.presets ?? []} value={player} onChange={(name) => set({ players: players.map((each, at) => (at === number ? name : each)) })} />
      ))}
      {isTwice && <p class="fault">Each player is another preset.</p>}
      <div class="row wide">
        <button type="button" disabled={players.length >= MOST_PLAYERS} onClick={() => set({ players: [...players, state.welcome?.presets.find((preset) => !players.includes(preset.name))?.name ?? "kikashi"] })}>Add a player</button>
        <button type="button" disabled={players.length <= 2} onClick={() => set({ players: players.slice(0, -1) })}>Remove the last</button>
      </div>
      {field("games", "Games of each two")}
      <label>
        <span>Board</span>
        <select value={entries.size} onChange={(event) => set({ size: Number(event.currentTarget.value) })}>
          {SIZES.map((size) => <option key={size} value={size}>{size} × {size}</option>)}
        </select>
      </label>
      {field("komi", "Komi")}
      <label>
        <span>Thinks by</span>
        <select value={way} onChange={(event) => set({ way: event.currentTarget.value as Entries["way"], limit: event.currentTarget.value === "seconds" ? "1" : "1000" })}>
          <option value="simulations">simulations a move</option>
          <option value="seconds">seconds a move</option>
        </select>
      </label>
      {field("limit", way === "seconds" ? "Seconds" : "Simulations")}
      {players.length === 2 && (
        <label class="check">
          <input type="checkbox" checked={entries.isTest} onChange={(event) => set({ isTest: event.currentTarget.checked })} /> Stop by a sequential test (SPRT)
        </label>
      )}
      {isTest && field("elo0", "H0: Elo of the first")}
      {isTest && field("elo1", "H1: Elo of the first")}
      <button type="submit" class="strong" disabled={isTwice || Object.values(faults).some(Boolean)}>Start the match</button>
    </form>
  );
}

export function ExperimentForm({ state }: { state: State }) {
  const [scale, setScale] = useState(0.01);
  const [name, choose] = useState("gelly2006-table3");
  useEffect(() => ask({ type: "list_experiments", scale }), [scale]);
  const known = state.experiments?.scale === scale ? state.experiments.found : [];
  const chosen = known.find((each) => each.name === name) ?? known[0];
  return (
    <form class="form" onSubmit={(event) => { event.preventDefault(); if (chosen) ask({ type: "start_experiment", name: chosen.name, scale }); }}>
      <label class="wide">
        <span>Experiment</span>
        <select value={chosen?.name} disabled={!chosen} onChange={(event) => choose(event.currentTarget.value)}>
          {known.map((each) => <option key={each.name} value={each.name}>{each.name}: {each.title}</option>)}
        </select>
      </label>
      <label>
        <span>Scale</span>
        <select value={scale} onChange={(event) => setScale(Number(event.currentTarget.value))}>
          {SCALES.map((each) => <option key={each} value={each}>{each === 1 ? "1: the paper's size" : each}</option>)}
        </select>
      </label>
      {chosen ? (
        <p class="about wide"><b>{chosen.title}</b>. <cite>{chosen.source}</cite>. {chosen.size}, {chosen.time} by nominal speeds. {chosen.about}</p>
      ) : (
        <p class="hint wide"><i class="spinner" /> reading the experiments …</p>
      )}
      <button type="submit" class="strong" disabled={!chosen}>Run it</button>
    </form>
  );
}
