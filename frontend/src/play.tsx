// Play: a person against a preset.
import { useEffect, useState } from "preact/hooks";
import { Board } from "./board";
import type { GameState, Setup } from "./messages";
import { clockText, percent, signed } from "./numbers";
import { Panel, Players, PresetChoice, crosses, marksOf, terms } from "./parts";
import { ask, openTab, type State } from "./store";

const SIZES = Array.from({ length: 18 }, (_, i) => i + 2);

export function PlayView({ state }: { state: State }) {
  const position = state.positions.play;
  const [isAsking, setAsking] = useState(false);
  const game = state.game;
  if (!state.welcome) return null;
  const isMine = !!position && !!game && !game.thinking && !position.over && !position.result && position.turn === game.setup.color;
  const play = (name: string): void => {
    if (game?.counting) ask({ type: "mark_dead", point: name });
    else if (isMine) ask({ type: "play_move", board: "play", move: name });
  };
  return (
    <>
      <div class="stage">
        {position ? (
          <Board
            label={`Board, ${position.size} by ${position.size}`}
            size={position.size}
            stones={position.stones}
            turn={position.turn}
            last={position.last}
            {...(game?.counting ? {} : { legal: isMine ? position.legal : "" })}
            dead={position.dead}
            signs={crosses(position.dead)}
            marks={marksOf(state.analyses.play, { ...state.settings, side: "mover" })}
            hasCoordinates={state.settings.coordinates}
            onPoint={play}
          />
        ) : (
          <Board label="Empty board" size={9} stones={".".repeat(81)} turn="black" hasCoordinates={state.settings.coordinates} />
        )}
      </div>
      <div class="side">
        {position && game && (
          <Panel title="Game">
            <Players position={position} />
            <p class="hint">{terms(position)}</p>
            <Clocks game={game} at={state.gameAt} />
            <p class="status" data-testid="status">
              {position.result
                ? `The game is over: ${position.result}`
                : game.thinking
                  ? `${game.setup.preset} is thinking …`
                  : isMine
                    ? "Your move."
                    : ""}
            </p>
            {game.note && <p class="note">{game.note}</p>}
            {game.counting && <p class="hint">Stones marked with a cross are dead. Click a stone if that is wrong.</p>}
            <div class="buttons">
              <button type="button" disabled={!isMine} onClick={() => ask({ type: "play_move", board: "play", move: "pass" })}>
                Pass <kbd>P</kbd>
              </button>
              <button type="button" onClick={() => ask({ type: "undo" })}>
                Undo <kbd>U</kbd>
              </button>
              <button type="button" disabled={!isMine} onClick={() => ask({ type: "hint" })}>
                Hint <kbd>H</kbd>
              </button>
              <button type="button" disabled={position.over || !!position.result} onClick={() => ask({ type: "resign" })}>
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
        {position && game && !isAsking ? (
          <button type="button" class="wide" onClick={() => setAsking(true)}>
            New game …
          </button>
        ) : (
          <NewGame state={state} onBegin={() => setAsking(false)} />
        )}
      </div>
    </>
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

function Clocks({ game, at }: { game: GameState; at: number }) {
  const [, tick] = useState(0);
  useEffect(() => {
    if (!game.clocks.some((clock) => clock.running)) return undefined;
    const timer = setInterval(() => tick((count) => count + 1), 250);
    return () => clearInterval(timer);
  }, [game]);
  if (!game.clocks.length) return null;
  const since = (performance.now() - at) / 1000;
  return (
    <p class="clocks">
      {game.clocks.map((clock, number) => (
        <span key={number} class={clock.running ? "running" : ""}>
          {number === 0 ? "Black" : "White"} {clockText(clock.main - (clock.running ? since : 0))} {clock.more}
        </span>
      ))}
    </p>
  );
}

function NewGame({ state, onBegin }: { state: State; onBegin: () => void }) {
  const kept = state.game?.setup;
  const [setup, change] = useState<Setup>(
    kept ?? { preset: "kikashi", size: 9, komi: 7.5, rules: "positional", handicap: 0, color: "black", thought: { seconds: 2 } },
  );
  const thought = setup.thought ?? {};
  const way = thought.clock ? "clock" : thought.simulations ? "simulations" : "seconds";
  const [clock, setClock] = useState(thought.clock ?? "300+5");
  const set = (part: Partial<Setup>): void => change({ ...setup, ...part });
  const presets = state.welcome?.presets ?? [];
  const about = presets.find((preset) => preset.name === setup.preset);
  return (
    <Panel title="New game">
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          ask({ type: "new_game", setup });
          onBegin();
        }}
      >
        <PresetChoice label="Against" presets={presets} value={setup.preset} onChange={(preset) => set({ preset })} />
        {about && (
          <p class="about">
            {about.summary}. <cite>{about.source}</cite>
          </p>
        )}
        <label>
          <span>Board</span>
          <select value={setup.size} onChange={(event) => set({ size: Number(event.currentTarget.value) })}>
            {SIZES.map((size) => (
              <option key={size} value={size}>
                {size} × {size}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>You play</span>
          <select value={setup.color} onChange={(event) => set({ color: event.currentTarget.value as "black" | "white" })}>
            <option value="black">Black</option>
            <option value="white">White</option>
          </select>
        </label>
        <label>
          <span>Komi</span>
          <input type="number" step="0.5" min="-400" max="400" value={setup.komi} onInput={(event) => set({ komi: Number(event.currentTarget.value) })} />
        </label>
        <label>
          <span>Handicap</span>
          <input
            type="number"
            min="0"
            max="30"
            value={setup.handicap}
            onInput={(event) => {
              const handicap = Number(event.currentTarget.value);
              set({ handicap, komi: handicap ? 0.5 : 7.5 });
            }}
          />
        </label>
        <label>
          <span>Rules</span>
          <select value={setup.rules} onChange={(event) => set({ rules: event.currentTarget.value })}>
            {state.welcome?.rules.map((rules) => (
              <option key={rules} value={rules}>
                {rules}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>Thinks by</span>
          <select
            value={way}
            onChange={(event) => {
              const chosen = event.currentTarget.value;
              set({ thought: chosen === "clock" ? { clock } : chosen === "simulations" ? { simulations: 2000 } : { seconds: 2 } });
            }}
          >
            <option value="seconds">seconds a move</option>
            <option value="simulations">simulations a move</option>
            <option value="clock">clock for both</option>
          </select>
        </label>
        {way === "clock" ? (
          <label>
            <span>Clock</span>
            <input
              value={clock}
              title="300, 300+5, 300+3x30 or 300+25/600"
              onInput={(event) => {
                setClock(event.currentTarget.value);
                set({ thought: { clock: event.currentTarget.value } });
              }}
            />
          </label>
        ) : (
          <label>
            <span>{way === "seconds" ? "Seconds" : "Simulations"}</span>
            <input
              type="number"
              min={way === "seconds" ? 0.1 : 1}
              step={way === "seconds" ? 0.1 : 1}
              value={way === "seconds" ? (thought.seconds ?? 2) : (thought.simulations ?? 2000)}
              onInput={(event) => set({ thought: { [way]: Number(event.currentTarget.value) } })}
            />
          </label>
        )}
        <button type="submit" class="strong wide">
          Begin
        </button>
      </form>
    </Panel>
  );
}
