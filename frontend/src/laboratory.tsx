// Laboratory: the matches and experiments of a folder, live, and two presets against each other.
import { useMemo, useState } from "preact/hooks";
import { Board } from "./board";
import { Graph, type Curve } from "./graph";
import type { DuelMove, StudyState, Test } from "./messages";
import { inWords, percent, resultInWords, short } from "./numbers";
import { Panel, Players, PresetChoice, crosses } from "./parts";
import { ask, openTab, type State } from "./store";

export function LaboratoryView({ state }: { state: State }) {
  const position = state.positions.duel;
  return (
    <>
      <div class="stage" tabIndex={-1}>
        {position ? (
          <Board
            label="Duel"
            size={position.size}
            stones={position.stones}
            turn={position.turn}
            last={position.last}
            dead={position.dead}
            signs={crosses(position.dead)}
            hasCoordinates={state.settings.coordinates}
          />
        ) : (
          <Board label="Empty board" size={9} stones={".".repeat(81)} turn="black" hasCoordinates={state.settings.coordinates} />
        )}
      </div>
      <div class="side">
        <Duel state={state} />
        <Panel title={state.welcome?.folder ? `Matches of ${state.welcome.folder}` : "Matches"}>
          {state.studies.length ? (
            <ul class="studies">
              {state.studies.map((study) => (
                <li key={study.id}>
                  <button type="button" aria-pressed={state.study?.study === study.id} onClick={() => ask({ type: "watch_study", study: study.id })}>
                    <b>{study.title}</b> <span>{study.of ? `${study.games} of ${study.of} games` : `${study.kind}, ${study.games} results`}</span>
                    {study.of ? <progress value={study.games} max={study.of} aria-label={`${study.games} of ${study.of} games`} /> : null}
                  </button>
                </li>
              ))}
            </ul>
          ) : (
            <p class="hint">There are none. <code>kikashi match</code> plays some; <code>--folder</code> says where they are.</p>
          )}
          <button type="button" onClick={() => ask({ type: "list_studies" })}>Look again</button>
        </Panel>
        {state.study && <Study study={state.study} theme={`${state.settings.theme}${state.settings.scheme}`} />}
      </div>
    </>
  );
}

function Study({ study, theme }: { study: StudyState; theme: string }) {
  return (
    <Panel title={study.title} class="study">
      <p class="status" data-testid="study">
        {study.settings}. {study.of ? `${study.done} of ${study.of} games` : `${study.done} results`}.
      </p>
      {study.test && <SprtBar test={study.test} />}
      {study.tables.map((table, number) => (
        <div class="scroll" key={number} tabIndex={0} role="group" aria-label="Results">
          <table>
            <thead><tr>{table[0]?.map((head) => <th key={head} scope="col">{head}</th>)}</tr></thead>
            <tbody>{table.slice(1).map((row, i) => <tr key={i}>{row.map((cell, j) => <td key={j}>{cell}</td>)}</tr>)}</tbody>
          </table>
        </div>
      ))}
      {study.shares.length > 1 && <ScorePlot study={study} theme={theme} />}
      {study.ratios.length > 1 && study.test && <RatioPlot study={study} test={study.test} theme={theme} />}
      {study.notes.length > 0 && <ul class="notes">{study.notes.map((note) => <li key={note}>{note}</li>)}</ul>}
      {study.games.length > 0 && (
        <div class="scroll games" tabIndex={0} role="group" aria-label="Games">
          <table>
            <thead><tr><th scope="col">Game</th><th scope="col">Black</th><th scope="col">White</th><th scope="col">Result</th><th scope="col">Moves</th></tr></thead>
            <tbody>
              {[...study.games].reverse().map((game) => (
                <tr key={game.number}>
                  <td>
                    <button
                      type="button"
                      onClick={() => {
                        ask({ type: "open_game", study: study.study, number: game.number });
                        openTab("analyse");
                      }}
                    >
                      {game.number}
                    </button>
                  </td>
                  <td>{game.black}</td>
                  <td>{game.white}</td>
                  <td>{game.result}</td>
                  <td>{game.moves}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

function SprtBar({ test }: { test: Test }) {
  const place = (value: number): number => Math.max(0, Math.min(100, (100 * (value - test.lower)) / (test.upper - test.lower)));
  const said = { H0: `H0: ${test.elo0} Elo`, H1: `H1: ${test.elo1} Elo`, continue: "not decided" }[test.decision] ?? test.decision;
  const middle = place(0);
  return (
    <div class="sprt">
      <span>H0 {test.elo0}</span>
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={`SPRT: log-likelihood ratio ${test.llr.toFixed(2)} between ${test.lower.toFixed(2)} and ${test.upper.toFixed(2)}, ${said}`}>
        <rect width="100" height="10" class="rail" />
        <rect x={Math.min(middle, place(test.llr))} width={Math.abs(place(test.llr) - middle)} height="10" class={test.llr < 0 ? "below" : "above"} />
      </svg>
      <span>H1 {test.elo1}</span>
      <em>LLR {test.llr.toFixed(2)}, {said}</em>
    </div>
  );
}

function ScorePlot({ study, theme }: { study: StudyState; theme: string }) {
  const curves = useMemo(
    (): Curve[] => [
      { label: "low", values: study.lows, color: "soft", width: 1, dash: [3, 3] },
      { label: "high", values: study.highs, color: "soft", width: 1, dash: [3, 3] },
      { label: "share", values: study.shares, color: "winrate", width: 2 },
    ],
    [study],
  );
  return <Graph label="Share of points of the first player, with its interval" xs={study.counts} curves={curves} range={[0, 1]} format={(value) => percent(value, 0)} theme={theme} height={140} />;
}

function RatioPlot({ study, test, theme }: { study: StudyState; test: Test; theme: string }) {
  const xs = useMemo(() => study.ratios.map((_, number) => number), [study]);
  const curves = useMemo(
    (): Curve[] => [
      { label: "lower", values: study.ratios.map(() => test.lower), color: "score", width: 1, dash: [5, 4] },
      { label: "upper", values: study.ratios.map(() => test.upper), color: "score", width: 1, dash: [5, 4] },
      { label: "LLR", values: study.ratios, color: "winrate", width: 2 },
    ],
    [study],
  );
  return <Graph label="Log-likelihood ratio of the sequential test" xs={xs} curves={curves} theme={theme} height={120} />;
}

// --- duels -----------------------------------------------------------------------------------------------------------

function Duel({ state }: { state: State }) {
  const [black, setBlack] = useState("lgrf2");
  const [white, setWhite] = useState("mogo-2006");
  const [size, setSize] = useState(9);
  const [written, setWritten] = useState("1000");
  const simulations = Number(written.trim() || NaN);
  const isWrong = !(Number.isInteger(simulations) && simulations >= 1 && simulations <= 10_000_000);
  const presets = state.welcome?.presets ?? [];
  const position = state.positions.duel;
  const isRunning = !!state.working.duel?.detail;
  return (
    <Panel title="Two presets against each other">
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
          <input inputMode="numeric" value={written} aria-invalid={isWrong} onInput={(event) => setWritten(event.currentTarget.value)} />
          {isWrong && <em class="fault">a whole number from 1 to 10,000,000</em>}
        </label>
        {isRunning ? (
          <button type="button" class="stop" onClick={() => ask({ type: "stop_work", task: "duel" })}>Stop</button>
        ) : (
          <button type="button" class="strong" disabled={isWrong} onClick={() => ask({ type: "start_duel", black, white, size, thought: { simulations } })}>Let them play</button>
        )}
      </div>
      {position && <Players position={position} />}
      {position && <p class="status">{position.result ? `The game is over: ${resultInWords(position.result)}.` : (state.working.duel?.detail ?? "")}</p>}
      {state.duel.length > 0 && <Estimates moves={state.duel} theme={`${state.settings.theme}${state.settings.scheme}`} />}
      {position && !isRunning && (
        <button type="button" onClick={() => { ask({ type: "study_game", board: "duel" }); openTab("analyse"); }}>Analyse it</button>
      )}
    </Panel>
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
      <Graph label="Black's win rate, as Black and as White see it" xs={xs} curves={curves} range={[0, 1]} format={(value) => percent(value, 0)} theme={theme} height={140} />
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
