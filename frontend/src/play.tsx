// Play: a person against a preset.
import { useEffect, useState } from "preact/hooks";
import { Board } from "./board";
import type { ClockState, GameState, Setup, Thought } from "./messages";
import { LEVELS, clockText, faultOf, percent, resultInWords, rulesName, signed } from "./numbers";
import { Choices, Panel, Players, PresetOptions, crosses, marksOf, terms } from "./parts";
import { ask, change, openDialog, openTab, type State } from "./store";

const SIZES = Array.from({ length: 18 }, (_, i) => i + 2);
const LAST_SECONDS = 10;

export function PlayView({ state }: { state: State }) {
  const position = state.positions.play;
  const { game, settings } = state;
  const isMine = !!position && !!game && !game.thinking && !position.over && !position.result && position.turn === game.setup.color;
  const play = (name: string): void => {
    if (game?.counting) ask({ type: "mark_dead", point: name });
    else if (isMine) ask({ type: "play_move", board: "play", move: name });
  };
  const size = settings.setup?.size ?? 9;
  return (
    <>
      <div class="stage" tabIndex={-1}>
        {position ? (
          <Board
            label={`Board, ${position.size} by ${position.size}`}
            size={position.size}
            stones={position.stones}
            turn={position.turn}
            last={position.last}
            ko={position.ko}
            {...(settings.numbers ? { numbers: position.numbers } : {})}
            {...(game?.counting ? {} : { legal: isMine ? position.legal : "" })}
            dead={position.dead}
            signs={crosses(position.dead)}
            {...(game?.territory ? { territory: game.territory } : {})}
            marks={marksOf(state.analyses.play, { ...settings, side: "mover" })}
            hasCoordinates={settings.coordinates}
            onPoint={play}
          />
        ) : (
          <Board label="Empty board" size={size} stones={".".repeat(size * size)} turn="black" hasCoordinates={settings.coordinates} />
        )}
      </div>
      <div class="side">
        {position && game && (
          <Panel title="Game">
            <Players position={position} clocks={game.clocks.map((clock, number) => <ClockFace key={number} clock={clock} since={state.gameAt} />)} />
            <p class="hint">{terms(position)}</p>
            <p class="status" data-testid="status">{statusOf(state, isMine)}</p>
            {game.count.length > 0 && <Counted game={game} result={position.result} />}
            <div class="buttons">
              {game.counting && <button type="button" class="strong" onClick={() => ask({ type: "accept_count" })}>Accept</button>}
              {game.paused && <button type="button" class="strong" onClick={() => ask({ type: "continue_game" })}>Let it move</button>}
              <button type="button" disabled={!isMine} onClick={() => ask({ type: "play_move", board: "play", move: "pass" })}>
                Pass <kbd>P</kbd>
              </button>
              <button type="button" onClick={() => ask({ type: "undo" })}>
                Undo <kbd>U</kbd>
              </button>
              <button type="button" disabled={!isMine} onClick={() => ask({ type: "hint" })}>
                Hint <kbd>H</kbd>
              </button>
              <button type="button" disabled={position.over || !!position.result} onClick={() => openDialog("resign")}>
                Resign
              </button>
              <button
                type="button"
                onClick={() => {
                  ask({ type: "study_game", board: "play" });
                  openTab("analyse");
                }}
              >
                Analyse it
              </button>
              <button type="button" onClick={() => ask({ type: "save_sgf", board: "play" })}>
                Save <kbd>S</kbd>
              </button>
            </div>
            <Hints state={state} />
          </Panel>
        )}
        {!state.welcome ? null : game && state.form === "closed" ? (
          <div class="row">
            <button type="button" class="wide" onClick={() => change({ form: "open" })}>New game …</button>
            <button type="button" onClick={() => openDialog("open")}>Recent games <kbd>F</kbd></button>
          </div>
        ) : (
          <NewGame state={state} />
        )}
      </div>
    </>
  );
}

function statusOf({ game, positions }: State, isMine: boolean): string {
  const result = positions.play?.result ?? "";
  if (game?.thinking) return positions.play?.over ? "The dead stones are looked for …" : `${game.setup.preset} is thinking …`;
  if (game?.counting) return `Count: ${resultInWords(result)}. Stones with a cross are dead; click one if that is wrong.`;
  if (result) return `The game is over: ${resultInWords(result)}.`;
  if (game?.paused) return `${game.setup.preset} waits.`;
  return isMine ? "Your move." : "";
}

function Counted({ game, result }: { game: GameState; result: string }) {
  return (
    <table class="count">
      <caption>{resultInWords(result)} ({result})</caption>
      <thead>
        <tr><th scope="col">Count</th><th scope="col">Black</th><th scope="col">White</th></tr>
      </thead>
      <tbody>
        {game.count.map((row) => (
          <tr key={row.part}>
            <th scope="row">{row.part}</th>
            <td>{row.black}</td>
            <td>{row.white}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Hints({ state }: { state: State }) {
  const analysis = state.analyses.play;
  if (!analysis) return null;
  return (
    <ol class="hints" aria-label="Hints">
      {analysis.moves.slice(0, 4).map((move) => (
        <li key={move.move}>
          <b>{move.move}</b> {percent(move.winrate, 0)}, {signed(move.score)} points for you
        </li>
      ))}
    </ol>
  );
}

/** A clock after some seconds: the time that runs, and what is left besides. */
export function clockAfter(clock: ClockState, seconds: number): { left: number; more: string } {
  const spent = clock.running ? seconds : 0;
  const main = clock.main - spent;
  if (main > 0) {
    const more = clock.periods ? `${clock.periods} × ${clock.period} s` : clock.stones ? `${clock.stones} in ${Math.round(clock.period)} s` : clock.increment ? `+${clock.increment} s` : "";
    return { left: main, more };
  }
  const over = Math.max(0, spent - clock.main);
  if (clock.periods) {
    const lost = Math.floor(over / clock.period);
    return { left: lost >= clock.periods ? 0 : clock.period - (over % clock.period), more: `${Math.max(0, clock.periods - lost)} left` };
  }
  return clock.stones ? { left: clock.period - over, more: `for ${clock.stones}` } : { left: 0, more: "" };
}

function ClockFace({ clock, since }: { clock: ClockState; since: number }) {
  const [, tick] = useState(0);
  useEffect(() => {
    if (!clock.running) return undefined;
    const timer = setInterval(() => tick((count) => count + 1), 200);
    return () => clearInterval(timer);
  }, [clock]);
  const { left, more } = clockAfter(clock, (performance.now() - since) / 1000);
  const isLow = clock.running && left <= LAST_SECONDS;
  return (
    <span class={`clock${clock.running ? " running" : ""}${isLow ? " low" : ""}`}>
      {isLow ? left.toFixed(1) : clockText(left)} <small>{more}</small>
    </span>
  );
}

// --- a new game ------------------------------------------------------------------------------------------------------

type Way = "seconds" | "simulations" | "clock";

interface Entries {
  opponent: "level" | "preset";
  level: number;
  preset: string;
  size: number;
  color: "black" | "white";
  name: string;
  komi: string;
  handicap: string;
  rules: string;
  way: Way;
  seconds: string;
  simulations: string;
  clock: string;
  hasClock: boolean; // against a level
}

function entriesOf(setup: Setup | null): Entries {
  const thought = setup?.thought ?? {};
  return {
    opponent: setup && !setup.level ? "preset" : "level",
    level: setup?.level || 3,
    preset: setup?.preset ?? "kikashi",
    size: setup?.size ?? 9,
    color: setup?.color ?? "black",
    name: setup?.name ?? "",
    komi: String(setup?.komi ?? 7.5),
    handicap: String(setup?.handicap ?? 0),
    rules: setup?.rules ?? "chinese",
    way: thought.clock && !setup?.level ? "clock" : thought.simulations && !setup?.level ? "simulations" : "seconds",
    seconds: String(thought.seconds ?? 2),
    simulations: String((!setup?.level && thought.simulations) || 2000),
    clock: thought.clock ?? "300+3x30",
    hasClock: !!thought.clock,
  };
}

/** What is wrong with each entry that counts. */
function faultsOf(entries: Entries): Partial<Record<keyof Entries, string>> {
  const hasClock = entries.opponent === "level" ? entries.hasClock : entries.way === "clock";
  const faults: Partial<Record<keyof Entries, string>> = {
    komi: faultOf(entries.komi, -400, 400, false, "a number") || (Number.isInteger(2 * Number(entries.komi)) ? "" : "a multiple of 0.5"),
    handicap: faultOf(entries.handicap, 0, 30, true, "a whole number"),
    clock: !hasClock || /^\s*\d+(\.\d+)?(\+((\d+[x/])?\d+(\.\d+)?))?\s*$/.test(entries.clock) ? "" : "as in 300, 300+5, 300+3x30 or 300+25/600",
    seconds: entries.opponent === "preset" && entries.way === "seconds" ? faultOf(entries.seconds, 0.1, 3600, false, "a number") : "",
    simulations: entries.opponent === "preset" && entries.way === "simulations" ? faultOf(entries.simulations, 1, 10_000_000, true, "a whole number") : "",
  };
  return Object.fromEntries(Object.entries(faults).filter(([, fault]) => fault));
}

function setupOf(entries: Entries, state: State): Setup {
  const level = entries.opponent === "level" ? state.welcome?.levels[entries.level - 1] : undefined;
  let thought: Thought = { [entries.way]: entries.way === "clock" ? entries.clock.trim() : Number(entries[entries.way]) };
  if (level) thought = entries.hasClock ? { simulations: level.simulations, clock: entries.clock.trim() } : { simulations: level.simulations };
  return {
    preset: level?.preset ?? entries.preset,
    level: level?.number ?? 0,
    size: entries.size,
    color: entries.color,
    name: entries.name.trim(),
    komi: Number(entries.komi),
    handicap: Number(entries.handicap),
    rules: entries.rules,
    thought,
  };
}

function NewGame({ state }: { state: State }) {
  const [entries, enter] = useState<Entries>(() => entriesOf(state.game?.setup ?? state.settings.setup));
  const set = (part: Partial<Entries>): void => enter({ ...entries, ...part });
  const presets = state.welcome?.presets ?? [];
  const faults = faultsOf(entries);
  const about = presets.find((preset) => preset.name === entries.preset);
  const begin = (event: Event): void => {
    event.preventDefault();
    const first = Object.keys(faults)[0];
    if (first) (event.currentTarget as HTMLElement).querySelector<HTMLElement>(`[name=${first}]`)?.focus();
    else {
      change({ form: "sent" });
      ask({ type: "new_game", setup: setupOf(entries, state) });
    }
  };
  const field = (name: "komi" | "handicap" | "seconds" | "simulations" | "clock" | "name", label: string, mode: "decimal" | "numeric" | "text" = "decimal") => (
    <label>
      <span>{label}</span>
      <input
        name={name}
        value={entries[name]}
        inputMode={mode}
        autocomplete="off"
        maxLength={80}
        aria-invalid={!!faults[name as keyof Entries]}
        {...(faults[name as keyof Entries] ? { "aria-describedby": `fault-${name}` } : {})}
        onInput={(event) => set({ [name]: event.currentTarget.value })}
      />
      {faults[name as keyof Entries] && <em class="fault" id={`fault-${name}`}>{faults[name as keyof Entries]}</em>}
    </label>
  );
  return (
    <Panel title="New game">
      <form class="form" noValidate onSubmit={begin}>
        <Choices label="Opponent" value={entries.opponent} all={[["level", "A level"], ["preset", "A research preset"]]} choose={(opponent) => set({ opponent })} />
        {entries.opponent === "level" ? (
          <label class="wide">
            <span>Level</span>
            <select value={entries.level} onChange={(event) => set({ level: Number(event.currentTarget.value) })}>
              {(state.welcome?.levels ?? []).map((level) => (
                <option key={level.number} value={level.number}>
                  {level.number}, {LEVELS[level.number - 1]}: {level.simulations.toLocaleString("en")} simulations a move
                </option>
              ))}
            </select>
          </label>
        ) : (
          <label class="wide">
            <span>Preset</span>
            <select size={8} value={entries.preset} onChange={(event) => set({ preset: event.currentTarget.value })}>
              <PresetOptions presets={presets} isLong />
            </select>
            {about && <span class="about">{about.summary}. <cite>{about.source}</cite></span>}
          </label>
        )}
        <div class="row wide">
          <Choices label="Board" value={entries.size} all={[[9, "9 × 9"], [13, "13 × 13"], [19, "19 × 19"]]} choose={(size) => set({ size })} />
          <label>
            <span>Other board</span>
            <select value={entries.size} onChange={(event) => set({ size: Number(event.currentTarget.value) })}>
              {SIZES.map((size) => <option key={size} value={size}>{size} × {size}</option>)}
            </select>
          </label>
        </div>
        <Choices label="You play" value={entries.color} all={[["black", "Black"], ["white", "White"]]} choose={(color) => set({ color })} />
        {field("name", "Your name", "text")}
        {field("handicap", "Handicap", "numeric")}
        {field("komi", "Komi")}
        {Number(entries.handicap) > 0 && Number(entries.komi) > 0.5 && (
          <p class="hint">
            With a handicap komi is mostly 0.5. <button type="button" onClick={() => set({ komi: "0.5" })}>Take 0.5</button>
          </p>
        )}
        <label>
          <span>Rules</span>
          <select value={entries.rules} onChange={(event) => set({ rules: event.currentTarget.value })}>
            {state.welcome?.rules.map((rules) => <option key={rules} value={rules}>{rulesName(rules)}</option>)}
          </select>
        </label>
        {entries.opponent === "level" ? (
          <label>
            <span>Time</span>
            <select value={entries.hasClock ? "clock" : "none"} onChange={(event) => set({ hasClock: event.currentTarget.value === "clock" })}>
              <option value="none">no clock</option>
              <option value="clock">a clock</option>
            </select>
          </label>
        ) : (
          <label>
            <span>Thinks by</span>
            <select value={entries.way} onChange={(event) => set({ way: event.currentTarget.value as Way })}>
              <option value="seconds">seconds a move</option>
              <option value="simulations">simulations a move</option>
              <option value="clock">a clock</option>
            </select>
          </label>
        )}
        {entries.opponent === "preset" && entries.way === "seconds" && field("seconds", "Seconds")}
        {entries.opponent === "preset" && entries.way === "simulations" && field("simulations", "Simulations", "numeric")}
        {(entries.opponent === "level" ? entries.hasClock : entries.way === "clock") && field("clock", "Clock", "text")}
        <div class="row wide">
          <button type="submit" class="strong" disabled={state.form === "sent"}>Begin</button>
          {state.game && <button type="button" onClick={() => change({ form: "closed" })}>Cancel</button>}
        </div>
      </form>
    </Panel>
  );
}

