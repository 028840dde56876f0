// The playout theatre: a playout step by step, each move with the heuristic that made it and what it chose from.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Playout } from "./messages";
import { inWords, percent } from "./numbers";
import { ask, change, now, type State } from "./store";

const HUES = ["h0", "h1", "h2", "h3", "h4", "h5", "h6", "h7"];

/** Show a playout from the position of the study, or from a node of the search tree. */
export function stage(state: State, seed: number, path: string[] = []): void {
  ask({ type: "stage_playout", preset: state.settings.preset, without: state.without, seed, path });
}

export function stepBy(count: number): void {
  const { playout, step } = now();
  if (playout) change({ step: Math.max(0, Math.min(playout.steps.length, step + count)) });
}

export function Theatre({ state }: { state: State }) {
  const { playout, step } = state;
  const [isPlaying, setPlaying] = useState(false);
  useEffect(() => {
    if (!isPlaying) return undefined;
    const timer = setInterval(() => stepBy(1), 350);
    return () => clearInterval(timer);
  }, [isPlaying]);
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const shown = list.current?.children[step - 1] as HTMLElement | undefined;
    if (shown && list.current) list.current.scrollTop = shown.offsetTop - list.current.clientHeight / 2;
  }, [step]);
  const seed = (playout?.seed ?? 0) + 1;
  if (!playout)
    return (
      <>
        <p class="hint">A simulation ends in a playout: moves drawn by a list of heuristics until both must pass. See one, move by move.</p>
        <button type="button" class="strong" onClick={() => stage(state, seed)}>Show a playout</button>
      </>
    );
  const names = Object.keys(playout.shares);
  const hue = (name: string): string => HUES[names.indexOf(name) % HUES.length] ?? "h0";
  const made = step > 0 ? playout.steps[step - 1] : undefined;
  return (
    <>
      <div class="buttons">
        <button type="button" class="strong" onClick={() => stage(state, seed, playout.path)}>Another playout</button>
        <button type="button" aria-label="Back" onClick={() => stepBy(-1)}>◀</button>
        <button type="button" aria-label="On" onClick={() => stepBy(1)}>▶</button>
        <button type="button" aria-pressed={isPlaying} onClick={() => setPlaying(!isPlaying)}>{isPlaying ? "Pause" : "Play"}</button>
        <button type="button" onClick={() => change({ playout: null, step: 0 })}>Close</button>
      </div>
      <input
        type="range"
        min={0}
        max={playout.steps.length}
        value={step}
        aria-label={`Move ${step} of ${playout.steps.length}`}
        onInput={(event) => change({ step: Number(event.currentTarget.value) })}
      />
      <p class="made" data-testid="made">
        {made ? (
          <>
            <b>{step}. {made.color === "black" ? "Black" : "White"} {made.move}</b> by <mark class={hue(made.by)}>{made.by}</mark>
            {made.candidates.length > 1 ? `, ${made.way} (${made.candidates.length} points)` : made.candidates.length ? ", the only point it proposed" : ""}.{" "}
            <span class="about">{playout.abouts[made.by] ?? ""}</span>
          </>
        ) : (
          `${playout.path.length ? `After ${playout.path.join(" ")}: ` : ""}${playout.steps.length} moves; ${playout.learned ? `memories have learned from ${playout.learned} simulations` : "memories are empty: start a search, and they learn"}.`
        )}
      </p>
      <Shares playout={playout} hue={hue} />
      <p class="status">
        The end: {playout.winner ? `${playout.winner === "black" ? "Black" : "White"} wins` : "a draw"}, {inWords(playout.score)}. Seed {playout.seed}.
      </p>
      <ol class="steps" ref={list} tabIndex={0} aria-label="Moves of the playout">
        {playout.steps.map((each, number) => (
          <li key={number} class={number === step - 1 ? "here" : ""} onClick={() => change({ step: number + 1 })}>
            <i class={`dot-${each.color}`} /> {each.move} <mark class={hue(each.by)}>{each.by}</mark>
          </li>
        ))}
      </ol>
    </>
  );
}

function Shares({ playout, hue }: { playout: Playout; hue: (name: string) => string }) {
  const total = playout.steps.length || 1;
  return (
    <ul class="shares" aria-label="Moves by heuristic">
      {Object.entries(playout.shares).map(([name, count]) => (
        <li key={name}>
          <span>{name}</span>
          <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
            <rect width={(100 * count) / total} height="8" class={`bar ${hue(name)}`} />
          </svg>
          <span>{percent(count / total, 0)}</span>
        </li>
      ))}
    </ul>
  );
}
