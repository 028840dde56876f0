// Small pieces that several views have.
import type { ComponentChildren } from "preact";
import type { PositionAnalysis, Position, PresetInfo } from "./messages";
import { percent, scoreFrom, seenFrom, short, signed, colorOf } from "./numbers";
import type { Mark } from "./board";
import type { Settings } from "./settings";

export function Panel({ title, children, class: name }: { title: string; children: ComponentChildren; class?: string }) {
  return (
    <section class={`panel ${name ?? ""}`} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

export function PresetChoice(props: { label: string; presets: PresetInfo[]; value: string; onChange: (name: string) => void }) {
  const chosen = props.presets.find((preset) => preset.name === props.value);
  return (
    <label>
      <span>{props.label}</span>
      <select value={props.value} title={chosen ? `${chosen.summary}. ${chosen.source}` : ""} onChange={(event) => props.onChange(event.currentTarget.value)}>
        {props.presets.map((preset) => (
          <option key={preset.name} value={preset.name}>
            {preset.name}
          </option>
        ))}
      </select>
    </label>
  );
}

const ALWAYS_SHOWN = 4; // candidates, also where one has nearly all visits

/** How the candidates of an analysis look on the board: by their visits, and their win rates beside the best. */
export function marksOf(analysis: PositionAnalysis | undefined, settings: Settings): Mark[] {
  if (!analysis?.moves.length) return [];
  const most = Math.max(...analysis.moves.map((move) => move.visits));
  const best = Math.max(...analysis.moves.filter((move) => move.visits > most / 20).map((move) => move.winrate));
  return analysis.moves
    .filter((move, number) => move.move !== "pass" && move.visits >= (number < ALWAYS_SHOWN ? 1 : Math.max(1, most / 60)))
    .slice(0, 20)
    .map((move, number) => {
      const rate = seenFrom(settings.side, analysis, move.winrate);
      const score = scoreFrom(settings.side, analysis, move.score);
      return {
        at: move.move,
        fill: colorOf(settings.scheme, number === 0 ? 1 : 0.9 - 6 * Math.max(0, best - move.winrate)),
        lines: [(100 * rate).toFixed(0), short(move.visits), signed(score)],
        isBest: number === 0,
        title: `${move.move}: ${percent(rate)}, ${move.visits} visits, ${signed(score)} points`,
      };
    });
}

export function Players({ position }: { position: Position }) {
  return (
    <dl class="players">
      <div class={position.turn === "black" && !position.over ? "to-move" : ""}>
        <dt>
          <i class="dot-black" /> {position.black || "Black"}
        </dt>
        <dd>{position.prisoners[0]} prisoners</dd>
      </div>
      <div class={position.turn === "white" && !position.over ? "to-move" : ""}>
        <dt>
          <i class="dot-white" /> {position.white || "White"}
        </dt>
        <dd>{position.prisoners[1]} prisoners</dd>
      </div>
    </dl>
  );
}

/** How dead stones are marked. */
export const crosses = (dead: string[]): Record<string, string> => Object.fromEntries(dead.map((point) => [point, "cross"]));

/** What the players agreed on. */
export const terms = (position: Position): string =>
  `${position.rules}, komi ${position.komi}${position.handicap ? `, handicap ${position.handicap}` : ""}`;

export function Toggle(props: { isOn: boolean; onChange: (isOn: boolean) => void; children: ComponentChildren; title?: string }) {
  return (
    <button type="button" class="toggle" aria-pressed={props.isOn} title={props.title} onClick={() => props.onChange(!props.isOn)}>
      {props.children}
    </button>
  );
}

export function WinBar({ winrate }: { winrate: number }) {
  return (
    <div class="winbar" role="img" aria-label={`Black wins ${percent(winrate)}`}>
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect width="100" height="6" class="of-white" />
        <rect width={100 * winrate} height="6" class="of-black" />
      </svg>
      <span>{percent(winrate)}</span>
      <span>{percent(1 - winrate)}</span>
    </div>
  );
}
