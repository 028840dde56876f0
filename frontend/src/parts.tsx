// Small pieces that several views have.
import type { ComponentChildren } from "preact";
import type { PositionAnalysis, Position, PresetInfo } from "./messages";
import { colorOf, inWords, percent, plural, rulesName, scoreFrom, seenFrom, short, signed, tiny } from "./numbers";
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

export function Choices<T extends string | number>(props: { label: string; value: T; all: [T, string][]; choose: (value: T) => void }) {
  return (
    <fieldset class="choices">
      <legend>{props.label}</legend>
      {props.all.map(([each, text]) => (
        <button key={each} type="button" aria-pressed={props.value === each} onClick={() => props.choose(each)}>{text}</button>
      ))}
    </fieldset>
  );
}

export function PresetChoice(props: { label: string; presets: PresetInfo[]; value: string; onChange: (name: string) => void }) {
  const chosen = props.presets.find((preset) => preset.name === props.value);
  return (
    <label>
      <span>{props.label}</span>
      <select value={props.value} title={chosen ? `${chosen.summary}. ${chosen.source}` : ""} onChange={(event) => props.onChange(event.currentTarget.value)}>
        <PresetOptions presets={props.presets} />
      </select>
    </label>
  );
}

/** Presets by their source, each with its sentence if there is room. */
export function PresetOptions({ presets, isLong = false }: { presets: PresetInfo[]; isLong?: boolean }) {
  const groups = new Map<string, PresetInfo[]>();
  for (const preset of presets) {
    const source = preset.name.startsWith("kikashi") ? "kikashi" : preset.source.replace(/[,;:(].*$/, "").trim() || "Others";
    groups.set(source, [...(groups.get(source) ?? []), preset]);
  }
  const order = [...groups.keys()].sort((one, other) => Number(other === "kikashi") - Number(one === "kikashi") || one.localeCompare(other));
  return (
    <>
      {order.map((source) => (
        <optgroup key={source} label={source}>
          {groups.get(source)!.map((preset) => (
            <option key={preset.name} value={preset.name} title={preset.summary}>
              {isLong ? `${preset.name}: ${preset.summary}` : preset.name}
            </option>
          ))}
        </optgroup>
      ))}
    </>
  );
}

const ALWAYS_SHOWN = 4; // candidates, also where one has nearly all visits

/** How the candidates of an analysis look on the board: by their visits, and their win rates beside the best. */
export function marksOf(analysis: PositionAnalysis | undefined, settings: Settings): Mark[] {
  if (!analysis?.moves.length) return [];
  const most = Math.max(...analysis.moves.map((move) => move.visits));
  const best = analysis.moves[0]!.winrate;
  return analysis.moves
    .filter((move, number) => move.move !== "pass" && move.visits >= (number < ALWAYS_SHOWN ? 1 : Math.max(1, most / 60)))
    .slice(0, 20)
    .map((move, number) => {
      const rate = seenFrom(settings.side, analysis, move.winrate);
      const score = scoreFrom(settings.side, analysis, move.score);
      const trust = number === 0 ? 1 : Math.min(1, (2 * move.visits) / most); // a value of few visits says little
      const quality = 0.85 - 6 * Math.max(0, best - move.winrate);
      return {
        at: move.move,
        fill: colorOf(settings.scheme, number === 0 ? 1 : 0.3 + (Math.max(0, quality) - 0.3) * trust),
        opacity: 0.4 + 0.6 * Math.sqrt(trust),
        lines: [(100 * rate).toFixed(0), short(move.visits), tiny(score)],
        isBest: number === 0,
        title: `${move.move}: ${percent(rate)}, ${move.visits} visits, ${signed(score)} points`,
      };
    });
}

export function Players({ position, clocks }: { position: Position; clocks?: ComponentChildren[] }) {
  return (
    <dl class="players">
      {(["black", "white"] as const).map((color, number) => {
        const isToMove = position.turn === color && !position.over && !position.result;
        return (
          <div key={color} class={isToMove ? "to-move" : ""}>
            <dt>
              <i class={`dot-${color}`} /> {position[color] || (color === "black" ? "Black" : "White")}
            </dt>
            <dd>
              {plural(position.prisoners[number] ?? 0, "prisoner")}
              {isToMove && <b class="turn">to move</b>}
            </dd>
            {clocks?.[number] && <dd>{clocks[number]}</dd>}
          </div>
        );
      })}
    </dl>
  );
}

/** How dead stones are marked. */
export const crosses = (dead: string[]): Record<string, string> => Object.fromEntries(dead.map((point) => [point, "cross"]));

/** What the players agreed on. */
export const terms = (position: Position): string =>
  `${rulesName(position.rules)}, komi ${position.komi}${position.handicap ? `, handicap ${position.handicap}` : ""}`;

export function Toggle(props: { isOn: boolean; onChange: (isOn: boolean) => void; children: ComponentChildren; title?: string }) {
  return (
    <button type="button" class="toggle" aria-pressed={props.isOn} title={props.title} onClick={() => props.onChange(!props.isOn)}>
      {props.children}
    </button>
  );
}

/** How often the simulations ended with which score: below 0 White has won. */
export function Histogram({ histogram }: { histogram: PositionAnalysis["histogram"] }) {
  const { low, width, counts } = histogram;
  if (!counts.length) return null;
  const most = Math.max(...counts);
  const high = low + width * counts.length;
  const ends = [low, high].map((end) => inWords(end).replace(".0", ""));
  const likely = low + width * (counts.indexOf(most) + 0.5);
  return (
    <figure class="histogram">
      <svg viewBox={`0 0 ${counts.length} 1`} preserveAspectRatio="none" role="img" aria-label={`Scores of single playouts: from ${ends[0]} to ${ends[1]}, most often about ${inWords(likely)}`}>
        {counts.map((count, at) => <rect key={at} x={at + 0.08} y={1 - count / most} width={0.84} height={count / most} class={low + width * at < 0 ? "of-white" : "of-black"} />)}
      </svg>
      <figcaption><span>{ends[0]}</span><span>scores of single playouts</span><span>{ends[1]}</span></figcaption>
    </figure>
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
