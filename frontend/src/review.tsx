// Review: the whole game looked over, a summary, its mistakes, and another try at each of them.
import { isSearching, startReview } from "./actions";
import { colorName, errorOf, percent, plural, signed } from "./numbers";
import { ask, change, set, type State } from "./store";
import { goTo } from "./tree";
import type { Mistake } from "./messages";

const DEPTHS: [number, string][] = [[100, "quick"], [400, "usual"], [2000, "deep"], [10000, "very deep"]];

export function ReviewControls({ state }: { state: State }) {
  return (
    <div class="row">
      <label>
        <span>Depth</span>
        <select value={state.settings.depth} onChange={(event) => set({ depth: Number(event.currentTarget.value) })}>
          {DEPTHS.map(([simulations, name]) => (
            <option key={simulations} value={simulations}>{name}: {simulations.toLocaleString("en")} a position, ± {percent(errorOf(simulations))}</option>
          ))}
        </select>
      </label>
      <button type="button" disabled={isSearching(state)} onClick={() => startReview(state)}>Whole game <kbd>A</kbd></button>
    </div>
  );
}

export function ReviewView({ state }: { state: State }) {
  const { review } = state;
  if (!review) return null;
  const phases = [...new Set(review.summary.map((row) => row.phase))];
  return (
    <>
      <p class="hint" data-testid="sureness">
        {plural(review.simulations, "simulation")} a position: a win rate is sure to about ± {percent(errorOf(review.simulations))}. A mistake is listed if it is beyond chance.
      </p>
      <table class="summary">
        <caption>Lost by a move, on average</caption>
        <thead>
          <tr><th scope="col">Phase</th><th scope="col">Player</th><th scope="col">Moves</th><th scope="col">Win rate</th><th scope="col">Points</th><th scope="col">Mistakes</th></tr>
        </thead>
        <tbody>
          {phases.flatMap((phase) =>
            review.summary.filter((row) => row.phase === phase).map((row) => (
              <tr key={`${phase} ${row.color}`} class={phase === "all" ? "whole" : ""}>
                <th scope="row">{phase === "all" ? "whole game" : phase}</th>
                <td><i class={`dot-${row.color}`} /> {colorName(row.color)}</td>
                <td>{row.moves}</td>
                <td>{percent(row.loss)}</td>
                <td>{row.points.toFixed(1)}</td>
                <td>{row.mistakes}</td>
              </tr>
            )),
          )}
        </tbody>
      </table>
      {review.found.length ? (
        <ol class="mistakes" aria-label="Biggest mistakes">
          {review.found.map((mistake) => (
            <li key={mistake.node}>
              <button type="button" onClick={() => goTo(mistake.node)}>
                <i class={`dot-${mistake.color}`} /> {mistake.number} <b>{mistake.move}</b> lost {percent(mistake.loss, 0)}, {signed(mistake.points).replace("+", "")} points: {mistake.grade}
                <span class="better">Better <b>{mistake.better[0]}</b>{mistake.better.length > 1 && <>, then <span class="moves">{mistake.better.slice(1, 5).join(" ")}</span></>}</span>
              </button>
              <button type="button" onClick={() => tryAgain(state, mistake)}>Try again</button>
            </li>
          ))}
        </ol>
      ) : (
        <p>No mistake that the search is sure of.</p>
      )}
    </>
  );
}

function tryAgain(state: State, mistake: Mistake): void {
  const before = state.tree?.byId.get(mistake.node)?.parent?.id;
  if (before === undefined) return;
  change({ trial: { mistake, before, judged: null } });
  goTo(before);
}

/** The question of a trial, and the judgement of the last answer. */
export function TrialView({ state }: { state: State }) {
  const { trial } = state;
  if (!trial) return null;
  const { mistake, judged } = trial;
  return (
    <section class="panel trial" aria-label="Try again">
      <h2>Move {mistake.number}: find a better move for {colorName(mistake.color)}</h2>
      <p>{mistake.move} was played and lost {percent(mistake.loss, 0)}. Click the board where you would play.</p>
      <p data-testid="judged" role="status">
        {judged && (
          <>
            <b>{judged.move}</b> {judged.best ? "is good" : judged.loss < mistake.loss / 2 ? "is better than the game" : "is no better"}: it loses {percent(Math.max(0, judged.loss), 0)}, {Math.max(0, judged.points).toFixed(1)} points.
            {judged.best ? "" : " Try another."}
          </>
        )}
        {!judged && state.working.aside?.detail ? `${state.working.aside.detail} …` : ""}
      </p>
      <div class="buttons">
        <button type="button" onClick={() => change({ trial: null })}>Show the answer</button>
        <button type="button" onClick={() => { change({ trial: null }); goTo(mistake.node); }}>Back to the game</button>
      </div>
    </section>
  );
}

/** Judge a move that is tried. */
export function answerTrial(state: State, move: string): void {
  if (!state.trial) return;
  change({ trial: { ...state.trial, judged: null } });
  ask({ type: "try_move", node: state.trial.before, move, preset: state.settings.preset, simulations: Math.max(state.settings.depth, state.review?.simulations ?? 0) });
}
