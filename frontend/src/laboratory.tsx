// Laboratory: matches and experiments of a folder, live; they are started, stopped and resumed here.
import { useMemo } from "preact/hooks";
import { Board } from "./board";
import { Duel } from "./duel";
import { Graph, type Curve } from "./graph";
import type { RunInfo, StudyState, Test } from "./messages";
import { percent } from "./numbers";
import { Choices, Panel, crosses } from "./parts";
import { Report, ReportTable } from "./report";
import { ExperimentForm, MatchForm } from "./runs";
import { ask, change, openTab, type State } from "./store";

type RunState = RunInfo["state"];

const STATES: Record<RunState, string> = {
  waiting: "waiting",
  running: "running",
  stopping: "stopping …",
  stopped: "stopped",
  failed: "failed",
  finished: "finished",
  decided: "decided by SPRT",
};
const CAN: Record<RunInfo["can"], string> = { "": "", start: "Start", resume: "Resume", stop: "Stop" };

export function LaboratoryView({ state }: { state: State }) {
  const { started } = state;
  return (
    <>
      <div class="stage" tabIndex={-1}>
        {started === "game" ? <DuelBoard state={state} /> : state.study ? <Study state={state} study={state.study} /> : <Panel title="Results"><p class="hint">Start a match or an experiment, or choose one of the list.</p></Panel>}
      </div>
      <div class="side">
        <Panel title="Start">
          <Choices label="What" value={started} all={[["match", "A match"], ["experiment", "An experiment"], ["game", "A live game"]]} choose={(chosen) => change({ started: chosen })} />
          {started === "match" && <MatchForm state={state} />}
          {started === "experiment" && <ExperimentForm state={state} />}
          {started === "game" && <Duel state={state} />}
        </Panel>
        <Queue state={state} title={state.welcome?.folder ? `Runs in ${state.welcome.folder}/` : "Runs"} rows={state.runs.filter((run) => !run.is_papers)} />
        <Queue state={state} title="Queue of the papers" rows={state.runs.filter((run) => run.is_papers)} />
      </div>
    </>
  );
}

function DuelBoard({ state }: { state: State }) {
  const position = state.positions.duel;
  return position ? (
    <Board label="Duel" size={position.size} stones={position.stones} turn={position.turn} last={position.last} dead={position.dead} signs={crosses(position.dead)} hasCoordinates={state.settings.coordinates} />
  ) : (
    <Board label="Empty board" size={9} stones={".".repeat(81)} turn="black" hasCoordinates={state.settings.coordinates} />
  );
}

/** What a person may do with an entry of the queue: start, resume or stop it. */
function RunButton({ run }: { run: RunInfo }) {
  if (!run.can) return null;
  const request = { type: run.can === "stop" ? ("stop_run" as const) : ("start_run" as const), study: run.id };
  return <button type="button" class={run.can === "stop" ? "stop" : "strong"} aria-label={`${CAN[run.can]} ${run.title}`} onClick={() => ask(request)}>{CAN[run.can]}</button>;
}

function Queue({ state, title, rows }: { state: State; title: string; rows: RunInfo[] }) {
  const watch = (row: RunInfo): void => {
    change({ started: state.started === "game" ? "match" : state.started });
    ask({ type: "watch_study", study: row.id });
  };
  const isPapers = rows[0]?.is_papers;
  const totals = Object.keys(STATES).map((each) => ({ each, count: rows.filter((row) => row.state === each).length }));
  if (!rows.length && title.startsWith("Queue")) return null;
  return (
    <Panel title={title} class={isPapers ? "papers" : ""}>
      {isPapers && <p class="hint">What <code>make reproduce</code> works through: {totals.filter(({ count }) => count).map(({ each, count }) => `${count} ${each}`).join(", ")}.</p>}
      {rows.length ? (
        <ul class="studies">
          {rows.map((row) => (
            <li key={row.id}>
              <button type="button" class="item" aria-pressed={state.study?.study === row.id} onClick={() => watch(row)}>
                <b>{row.title}</b> {isPapers && <span>{row.id.split("+").join(", ")}</span>} <span class={`state ${row.state}`}>{STATES[row.state]}</span> <span>{row.detail}</span>
                {row.of ? <progress value={row.done} max={row.of} aria-label={row.detail} /> : null}
              </button>
              {row.can === "stop" && <RunButton run={row} />}
            </li>
          ))}
        </ul>
      ) : (
        <p class="hint">There are none yet. <code>kikashi match</code> plays some, too; <code>--folder</code> says where they are.</p>
      )}
    </Panel>
  );
}

function Study({ state, study }: { state: State; study: StudyState }) {
  const theme = `${state.settings.theme}${state.settings.scheme}`;
  const run = state.runs.find((each) => each.id === study.study);
  return (
    <Panel title={study.title} class="study">
      <p class="status" data-testid="study">
        {study.settings}{run && <>: <b class={`state ${run.state}`}>{STATES[run.state]}</b>, {run.detail}</>}.
      </p>
      {study.verdict && <p class="verdict">{study.verdict}</p>}
      <div class="buttons">
        {run && <RunButton run={run} />}
        <button type="button" disabled={!study.done} onClick={() => ask({ type: "export_study", study: study.study, form: "csv" })}>CSV</button>
        <button type="button" disabled={!study.done || (!study.report.length && study.kind !== "match")} onClick={() => ask({ type: "export_study", study: study.study, form: "html" })}>Report</button>
      </div>
      {study.test && <SprtBar test={study.test} />}
      {study.tables.map((table, number) => <ReportTable key={number} rows={table} />)}
      {study.shares.length > 1 && <ScorePlot study={study} theme={theme} />}
      {study.ratios.length > 1 && study.test && <RatioPlot study={study} test={study.test} theme={theme} />}
      <Report parts={study.report} />
      {study.notes.length > 0 && <ul class="notes">{study.notes.map((note) => <li key={note}>{note}</li>)}</ul>}
      {study.games.length > 0 && <GameTable study={study} />}
    </Panel>
  );
}

function GameTable({ study }: { study: StudyState }) {
  return (
    <div class="scroll games" tabIndex={0} role="group" aria-label="Games">
      <table>
        <thead><tr><th scope="col">Game</th><th scope="col">Black</th><th scope="col">White</th><th scope="col">Result</th><th scope="col">Moves</th></tr></thead>
        <tbody>
          {[...study.games].reverse().map((game) => (
            <tr key={game.number}>
              <td>
                <button type="button" onClick={() => { ask({ type: "open_game", study: study.study, number: game.number }); openTab("analyse"); }}>{game.number}</button>
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
  );
}

function SprtBar({ test }: { test: Test }) {
  const place = (value: number): number => Math.max(0, Math.min(100, (100 * (value - test.lower)) / (test.upper - test.lower)));
  const decision = { H0: `H0: ${test.elo0} Elo`, H1: `H1: ${test.elo1} Elo`, continue: "not decided" }[test.decision] ?? test.decision;
  const middle = place(0);
  return (
    <div class="sprt">
      <span>H0 {test.elo0}</span>
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={`SPRT: log-likelihood ratio ${test.llr.toFixed(2)} between ${test.lower.toFixed(2)} and ${test.upper.toFixed(2)}, ${decision}`}>
        <rect width="100" height="10" class="rail" />
        <rect x={Math.min(middle, place(test.llr))} width={Math.abs(place(test.llr) - middle)} height="10" class={test.llr < 0 ? "below" : "above"} />
      </svg>
      <span>H1 {test.elo1}</span>
      <em>LLR {test.llr.toFixed(2)}, {decision}</em>
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
  const title = "Share of points of the first player, with its 95 % interval";
  return <figure class="plotted"><figcaption>{title}</figcaption><Graph label={title} xs={study.counts} curves={curves} range={[0, 1]} format={(value) => percent(value, 0)} theme={theme} height={180} titles={{ x: "games", y: "share" }} /></figure>;
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
  const title = "Sequential test: the log-likelihood ratio between its bounds";
  return <figure class="plotted"><figcaption>{title}</figcaption><Graph label={title} xs={xs} curves={curves} theme={theme} height={180} titles={{ x: "pairs of games", y: "ratio" }} /></figure>;
}
