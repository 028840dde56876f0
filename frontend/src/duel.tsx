// A live game of two presets, with both players' estimates.
import { useMemo, useState } from "preact/hooks";
import { Graph, type Curve } from "./graph";
import type { DuelMove } from "./messages";
import { faultOf, inWords, percent, resultInWords, short } from "./numbers";
import { Players, PresetChoice } from "./parts";
import { ask, openTab, type State } from "./store";

export function Duel({ state }: { state: State }) {
  const [black, setBlack] = useState("lgrf2");
  const [white, setWhite] = useState("mogo-2006");
  const [size, setSize] = useState(9);
  const [written, setWritten] = useState("1000");
  const fault = faultOf(written, 1, 10_000_000, true, "a whole number");
  const presets = state.welcome?.presets ?? [];
  const position = state.positions.duel;
  const isRunning = !!state.working.duel?.detail;
  return (
    <>
      <div class="row">
        <PresetChoice label="Black" presets={presets} value={black} onChange={setBlack} />
        <PresetChoice label="White" presets={presets} value={white} onChange={setWhite} />
        <label>
          <span>Board</span>
          <select value={size} onChange={(event) => setSize(Number(event.currentTarget.value))}>
            {Array.from({ length: 18 }, (_, i) => i + 2).map((each) => <option key={each} value={each}>{each} × {each}</option>)}
          </select>
        </label>
        <label>
          <span>Simulations</span>
          <input inputMode="numeric" value={written} aria-invalid={!!fault} onInput={(event) => setWritten(event.currentTarget.value)} />
          {fault && <em class="fault">{fault}</em>}
        </label>
        {isRunning ? (
          <button type="button" class="stop" onClick={() => ask({ type: "stop_work", task: "duel" })}>Stop</button>
        ) : (
          <button type="button" class="strong" disabled={!!fault} onClick={() => ask({ type: "start_duel", black, white, size, thought: { simulations: Number(written) } })}>Let them play</button>
        )}
      </div>
      {position && <Players position={position} />}
      {position && <p class="status">{position.result ? `The game is over: ${resultInWords(position.result)}.` : (state.working.duel?.detail ?? "")}</p>}
      {state.duel.length > 0 && <Estimates moves={state.duel} theme={`${state.settings.theme}${state.settings.scheme}`} />}
      {position && !isRunning && (
        <button type="button" onClick={() => { ask({ type: "study_game", board: "duel" }); openTab("analyse"); }}>Analyse it</button>
      )}
    </>
  );
}

function Estimates({ moves, theme }: { moves: DuelMove[]; theme: string }) {
  const xs = useMemo(() => moves.map((move) => move.number), [moves]);
  const curves = useMemo((): Curve[] => {
    const of = (color: string): (number | null)[] => moves.map((move) => (move.color === color ? move.winrate : null));
    return [
      { label: "Black's estimate", values: of("black"), color: "winrate", width: 2.5 },
      { label: "White's estimate", values: of("white"), color: "score", width: 2.5, dash: [5, 4] },
    ];
  }, [moves]);
  const latest = (color: string): DuelMove | undefined => [...moves].reverse().find((move) => move.color === color);
  return (
    <>
      <Graph label="Black's win rate, as Black and as White see it" xs={xs} curves={curves} range={[0, 1]} format={(value) => percent(value, 0)} theme={theme} height={160} titles={{ x: "moves", y: "Black wins" }} />
      <dl class="analyses">
        {["black", "white"].map((color) => {
          const move = latest(color);
          return (
            move && (
              <div key={color}>
                <dt><i class={`dot-${color}`} /> {color === "black" ? "Black" : "White"} thinks</dt>
                <dd>Black {percent(move.winrate)}, {inWords(move.score)}, {short(move.visits)} visits: {move.line.slice(0, 6).join(" ")}</dd>
              </div>
            )
          );
        })}
      </dl>
    </>
  );
}
