// A bandit: arms that pay with a chance nobody knows, played by UCB1, with its constant as a slider.
import { useMemo, useState } from "preact/hooks";
import { percent, plural } from "./numbers";

const MOST = 1000;

/** Numbers from a seed, the same in every browser (a linear congruential generator of 32 bits). */
function random(seed: number): () => number {
  let state = (seed * 2654435761 + 12345) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Arm {
  pulls: number;
  wins: number;
}

export const boundOf = (arm: Arm, all: number, constant: number): number => (arm.pulls ? arm.wins / arm.pulls + constant * Math.sqrt(Math.log(all) / arm.pulls) : Infinity);

function play(arms: number[], constant: number, pulls: number, seed: number): Arm[] {
  const draw = random(seed);
  const found: Arm[] = arms.map(() => ({ pulls: 0, wins: 0 }));
  for (let all = 0; all < pulls; all++) {
    let best = 0;
    found.forEach((arm, i) => {
      if (boundOf(arm, all, constant) > boundOf(found[best]!, all, constant)) best = i;
    });
    found[best]!.pulls++;
    if (draw() < arms[best]!) found[best]!.wins++;
  }
  return found;
}

export function Bandit({ arms, firstConstant }: { arms: number[]; firstConstant: number }) {
  const [constant, setConstant] = useState(firstConstant);
  const [pulls, setPulls] = useState(0);
  const [seed, sow] = useState(1);
  const [isOpen, open] = useState(false);
  const found = useMemo(() => play(arms, constant, pulls, seed), [arms, constant, pulls, seed]);
  const best = Math.max(...arms);
  const wins = found.reduce((sum, arm) => sum + arm.wins, 0);
  const regret = found.reduce((sum, arm, i) => sum + arm.pulls * (best - arms[i]!), 0);
  return (
    <figure class="widget bandit" aria-label="A bandit">
      <div class="row">
        <label>
          <span>Constant C: {constant.toFixed(2)}</span>
          <input type="range" min={0} max={3} step={0.05} value={constant} onInput={(event) => setConstant(Number(event.currentTarget.value))} />
        </label>
        <label>
          <span>{plural(pulls, "pull")}</span>
          <input type="range" min={0} max={MOST} value={pulls} onInput={(event) => setPulls(Number(event.currentTarget.value))} />
        </label>
      </div>
      <div class="buttons">
        <button type="button" class="strong" onClick={() => setPulls(Math.min(MOST, pulls + 1))}>One pull</button>
        <button type="button" onClick={() => setPulls(Math.min(MOST, pulls + 100))}>100 more</button>
        <button type="button" onClick={() => { sow(seed + 1); setPulls(0); }}>Other luck</button>
        <button type="button" aria-pressed={isOpen} onClick={() => open(!isOpen)}>Show the true chances</button>
      </div>
      <table>
        <thead><tr><th scope="col">Arm</th><th scope="col">Pulls</th><th scope="col">Mean</th><th scope="col">Bound</th>{isOpen && <th scope="col">True</th>}</tr></thead>
        <tbody>
          {found.map((arm, i) => {
            const bound = boundOf(arm, pulls, constant);
            return (
              <tr key={i}>
                <th scope="row">{String.fromCharCode(65 + i)}</th>
                <td>
                  {arm.pulls}{" "}
                  <svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect width={pulls ? (100 * arm.pulls) / pulls : 0} height="8" class={`bar h${i % 8}`} /></svg>
                </td>
                <td>{arm.pulls ? percent(arm.wins / arm.pulls, 0) : "–"}</td>
                <td>{Number.isFinite(bound) ? bound.toFixed(3) : "∞"}</td>
                {isOpen && <td>{percent(arms[i]!, 0)}</td>}
              </tr>
            );
          })}
        </tbody>
      </table>
      <p class="status">{plural(wins, "win")} in {plural(pulls, "pull")}; always the best arm would have won {regret.toFixed(1)} more on average.</p>
    </figure>
  );
}
