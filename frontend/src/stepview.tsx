// One simulation, step by step: the path down the tree, the new node, the playout, the result on its way back, what was learned.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Board } from "./board";
import { stonesAfter, stonesAlong } from "./geometry";
import type { SearchNode, Trace, TracedChild, TracedNode, TracedSelection, Traced } from "./messages";
import { colorName, inWords, percent, plural } from "./numbers";
import { inline } from "./markdown";
import { SearchTreePicture } from "./searchtree";
import { ask, tracedKey, type State } from "./store";
import { keyOf, pictureOf } from "./treelayout";
import "./stage.css";

const SHOWN_CHILDREN = 10;
const SHOWN_CHANGES = 12;
const SLOW_MS = 1500;
const MOVE_MS = 60;
const COUNTS = [1, 10, 100, 1000];

type Phase = "Select" | "Expand" | "Evaluate" | "Back up" | "Learn";
const PHASES: Phase[] = ["Select", "Expand", "Evaluate", "Back up", "Learn"];

/** A step of a simulation: what lights up, and at which node of the path. */
interface Stage {
  phase: Phase;
  at: number;
}

let walked: object | null = null; // the simulations that the arrow keys walk through: those that ran last

export interface Place {
  name: string; // of a lesson's position; empty for the study
  size: number;
  stones: string;
  turn: "black" | "white";
  last: string;
}

function stagesOf(trace: Trace): Stage[] {
  const stages: Stage[] = [];
  const leaf = trace.path.length - 1;
  trace.path.forEach((node, at) => {
    if (node.expansion || at === leaf) stages.push({ phase: "Expand", at });
    if (node.selection && (node.selection.chosen || at < leaf)) stages.push({ phase: "Select", at });
  });
  stages.push({ phase: "Evaluate", at: leaf });
  for (let at = leaf; at >= 0; at--) stages.push({ phase: "Back up", at });
  return [...stages, { phase: "Learn", at: 0 }];
}

const lineTo = (trace: Trace, at: number): string[] => trace.path.slice(1, at + 1).map((node) => node.move);
const number = (value: number | null | undefined, digits = 3): string => (value === null || value === undefined ? "–" : value.toFixed(digits).replace("-", "−"));

export function StepView({ state, place, preset, without = [], firstSeed = 1 }: { state: State; place: Place; preset: string; without?: string[]; firstSeed?: number }) {
  const traced = state.traced[tracedKey(place.name, preset)];
  const [seed, sow] = useState(firstSeed);
  const [isSlow, slow] = useState(false);
  const [stage, goTo] = useState(0);
  const [shownMove, showMove] = useState(0);
  const trace = traced?.trace;
  const stages = useMemo(() => (trace ? stagesOf(trace) : []), [trace]);
  useEffect(() => {
    goTo(0);
    showMove(0);
  }, [trace]);
  const self = useRef({});
  const run = (simulations: number, fresh = false): void => {
    walked = self.current;
    ask({ type: "trace_simulations", place: place.name, preset, without, seed, simulations, fresh: fresh || (traced !== undefined && traced.seed !== seed) });
  };
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const step = event.key === "ArrowRight" || event.key === "PageDown" ? 1 : event.key === "ArrowLeft" || event.key === "PageUp" ? -1 : 0;
      const isTyping = event.target instanceof Element && event.target.matches("input, select, textarea, [role=tab], [role=grid]");
      if (!step || walked !== self.current || isTyping || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation(); // it is not the game that is walked
      goTo(Math.max(0, Math.min(stages.length - 1, stage + step)));
    };
    addEventListener("keydown", press, true);
    return () => removeEventListener("keydown", press, true);
  }, [stage, stages]);
  useEffect(() => {
    if (!isSlow || !trace) return undefined;
    const isPlayed = stages[stage]?.phase === "Evaluate" && shownMove < trace.playout.length;
    const go = (): void => (isPlayed ? showMove(shownMove + 1) : stage + 1 < stages.length ? goTo(stage + 1) : run(1));
    const timer = setTimeout(go, isPlayed ? MOVE_MS : SLOW_MS);
    return () => clearTimeout(timer);
  }, [isSlow, stage, stages, shownMove]);
  const now = stages[Math.min(stage, stages.length - 1)];
  return (
    <div class="stepview" data-stage={now ? `${now.phase} ${now.at}` : ""}>
      <div class="row stepbar" role="group" aria-label="Simulations">
        {COUNTS.map((count) => (
          <button key={count} type="button" class={count === 1 ? "strong" : ""} onClick={() => run(count)}>
            {count === 1 ? "One simulation" : `${count.toLocaleString("en")} more`}
          </button>
        ))}
        <button
          type="button"
          aria-pressed={isSlow}
          onClick={() => {
            slow(!isSlow);
            if (!isSlow && !trace) run(1);
          }}
        >
          Slow
        </button>
        <button type="button" onClick={() => run(1, true)}>Empty tree</button>
        <label class="seed">
          <span>Seed</span>
          <input type="number" min={0} max={1_000_000} value={seed} onInput={(event) => sow(Math.max(0, Math.min(1_000_000, Math.round(Number(event.currentTarget.value)) || 0)))} />
        </label>
      </div>
      {!traced || !now ? (
        <div class="firstboard"><PlaceBoard state={state} place={place} /><p class="hint">The tree is empty. One seed gives everybody the same simulations.</p></div>
      ) : (
        <Steps state={state} place={place} traced={traced} stages={stages} stage={stage} now={now} goTo={goTo} shownMove={shownMove} showMove={showMove} />
      )}
    </div>
  );
}

export function PlaceBoard({ state, place }: { state: State; place: Place & { marks?: Record<string, string> } }) {
  return (
    <Board
      label={`Position, ${place.turn} to play`}
      size={place.size}
      stones={place.stones}
      turn={place.turn}
      {...(place.last ? { last: place.last } : {})}
      {...(place.marks ? { signs: place.marks } : {})}
      hasCoordinates={state.settings.coordinates}
    />
  );
}

interface StepsProps {
  state: State;
  place: Place;
  traced: Traced;
  stages: Stage[];
  stage: number;
  now: Stage;
  goTo: (stage: number) => void;
  shownMove: number;
  showMove: (move: number) => void;
}

function Steps({ state, place, traced, stages, stage, now, goTo, shownMove, showMove }: StepsProps) {
  const { trace } = traced;
  const [hovered, hover] = useState<string | null>(null);
  const shown = useMemo(() => nodesAt(traced, now), [traced, now]);
  const picture = useMemo(() => pictureOf(shown, []), [shown]);
  const lit = trace.path.slice(0, now.phase === "Select" || now.phase === "Expand" ? now.at + 1 : trace.path.length).map((_, at) => keyOf(lineTo(trace, at)));
  const isBack = now.phase === "Back up";
  return (
    <>
      <ol class="phases">
        {PHASES.map((phase) => (
          <li key={phase}>
            <button type="button" aria-current={now.phase === phase ? "step" : undefined} onClick={() => goTo(stages.findIndex((each) => each.phase === phase))}>{phase}</button>
          </li>
        ))}
        <li class="walk">
          <button type="button" aria-label="Step back" disabled={stage === 0} onClick={() => goTo(stage - 1)}>◀</button>
          <span class="status" data-testid="step">
            Simulation {trace.number.toLocaleString("en")}, step {stage + 1} of {stages.length}
          </span>
          <button type="button" aria-label="Step on" disabled={stage + 1 >= stages.length} onClick={() => goTo(stage + 1)}>▶</button>
        </li>
      </ol>
      <div class="stepgrid">
        {picture && (
          <SearchTreePicture
            picture={picture}
            scheme={state.settings.scheme}
            chosen={hovered ?? ""}
            lit={new Set()}
            path={isBack ? lit.slice(now.at) : lit}
            end={lit[isBack ? now.at : lit.length - 1] ?? ""}
            folded={new Set()}
            label="Tree of the simulation"
            onHover={hover}
            onChoose={hover}
          />
        )}
        <div class="stepboard">
          <StepBoard state={state} place={place} trace={trace} now={now} hovered={hovered} shownMove={shownMove} />
        </div>
        <section class="detail" aria-label={now.phase} aria-live="polite">
          {now.phase === "Select" && <Selection trace={trace} at={now.at} abouts={traced.abouts} />}
          {now.phase === "Expand" && <Expansion trace={trace} at={now.at} abouts={traced.abouts} />}
          {now.phase === "Evaluate" && <Evaluation trace={trace} abouts={traced.abouts} shownMove={shownMove} showMove={showMove} />}
          {isBack && <Backup trace={trace} at={now.at} />}
          {now.phase === "Learn" && <Learned trace={trace} abouts={traced.abouts} />}
        </section>
      </div>
    </>
  );
}

/** The nodes of the tree as they are in a step: those that the result has not reached have their old numbers. */
function nodesAt({ trace, before, after }: Traced, now: Stage): SearchNode[] {
  const reached = now.phase === "Learn" ? 0 : now.phase === "Back up" ? now.at : trace.path.length;
  const last = now.phase === "Select" || now.phase === "Expand" ? now.at : trace.path.length - 1;
  const old = new Map(before.map((node) => [keyOf(node.path), node]));
  const keys = new Map(trace.path.map((_, at) => [keyOf(lineTo(trace, at)), at]));
  return after.flatMap((node) => {
    const at = keys.get(keyOf(node.path));
    if (at === undefined) return [old.get(keyOf(node.path)) ?? node];
    if (at >= reached) return [node];
    const known = trace.path[at]!;
    if (known.is_new && at > last) return [];
    return [old.get(keyOf(node.path)) ?? { ...node, visits: known.before.visits, mean: known.before.visits ? node.mean : null }];
  });
}

function StepBoard({ state, place, trace, now, hovered, shownMove }: { state: State; place: Place; trace: Trace; now: Stage; hovered: string | null; shownMove: number }) {
  const hasCoordinates = state.settings.coordinates;
  if (now.phase === "Evaluate" && hovered === null) {
    const made = trace.playout[shownMove - 1];
    return (
      <Board
        label={`Playout, move ${shownMove} of ${trace.playout.length}`}
        size={trace.size}
        stones={shownMove ? stonesAfter(trace.leaf, trace.size, trace.playout, shownMove) : trace.leaf}
        turn={made?.color === "black" ? "white" : "black"}
        {...(made && made.move !== "pass" ? { last: made.move } : {})}
        {...(shownMove === trace.playout.length ? { ownership: [...trace.result.owners].map((owner) => (owner === "X" ? 100 : owner === "O" ? -100 : 0)) } : {})}
        hasCoordinates={hasCoordinates}
      />
    );
  }
  const path = hovered === null ? lineTo(trace, now.phase === "Learn" ? trace.path.length - 1 : now.at) : hovered ? hovered.split(" ") : [];
  const node = hovered === null ? trace.path[now.at] : undefined;
  const selection = now.phase === "Select" ? node?.selection : undefined;
  const numbers: Record<string, number> = {};
  path.forEach((move, at) => move !== "pass" && (numbers[move] = at + 1));
  const best = selection ? ranked(selection).slice(0, SHOWN_CHILDREN) : [];
  const top = Math.max(...best.map(rank), 1e-9);
  return (
    <Board
      label={path.length ? `Board after ${path.join(" ")}` : "Board of the root"}
      size={trace.size}
      stones={stonesAlong(trace.stones, trace.size, place.turn, path)}
      turn={node?.to_play ?? place.turn}
      {...(path.length ? { numbers } : place.last ? { last: place.last } : {})}
      dots={best.filter((child) => child.move !== "pass").map((child) => ({ at: child.move, strength: Math.max(0.1, (0.8 * rank(child)) / top) }))}
      {...(selection?.chosen ? { signs: { [selection.chosen]: "square" } } : {})}
      hasCoordinates={hasCoordinates}
    />
  );
}

// --- the phases ------------------------------------------------------------------------------------------------------

const rank = (child: TracedChild): number => child.probability ?? child.total ?? child.visits;

const ranked = (selection: TracedSelection): TracedChild[] =>
  [...selection.children].sort((one, other) => Number(other.move === selection.chosen) - Number(one.move === selection.chosen) || Number(one.banned) - Number(other.banned) || rank(other) - rank(one) || other.visits - one.visits);

const WAYS: Record<TracedSelection["way"], string> = {
  largest: "takes the child with the largest total",
  drawn: "draws a child by its probability",
  playout: "lets the playout's heuristics make the move",
  chosen: "chose the child; it does not say by which terms",
};

const where = (trace: Trace, at: number): string => (at ? `after ${lineTo(trace, at).join(" ")}` : "at the root");

function About({ name, abouts }: { name: string; abouts: Record<string, string> }) {
  return abouts[name] ? <p class="about">{inline(abouts[name])}</p> : null;
}

function Selection({ trace, at, abouts }: { trace: Trace; at: number; abouts: Record<string, string> }) {
  const [isWhole, whole] = useState(false);
  const node = trace.path[at]!;
  const selection = node.selection!;
  const children = ranked(selection);
  const hasPriors = children.some((child) => child.prior_games > 0);
  const hasTotal = children.some((child) => child.total !== null);
  const hasChance = children.some((child) => child.probability !== null);
  const terms = selection.terms.map((term, place) => ({ term, place })).filter(({ place }) => children.some((child) => child.terms[place] !== null));
  const hasShare = children.some((child) => child.share > 0) && !selection.terms.includes("share");
  return (
    <>
      <h3>
        Select {where(trace, at)}: {colorName(node.to_play)} {selection.chosen || "stops"}
      </h3>
      <p>
        <code>{selection.by}</code> {WAYS[selection.way]}.
        {selection.refused.length > 0 && ` Refused before it, since they would repeat a position: ${selection.refused.join(", ")}.`}
      </p>
      <About name={selection.by} abouts={abouts} />
      <div class="scroll" tabIndex={0} role="group" aria-label="Children and their terms">
        <table class="terms">
          <thead>
            <tr>
              <th scope="col">Move</th>
              <th scope="col">Visits</th>
              <th scope="col">Mean</th>
              {hasPriors && <th scope="col">Prior</th>}
              {hasShare && <th scope="col">Share</th>}
              {terms.map(({ term }) => <th key={term} scope="col" class="term">{term}</th>)}
              {hasTotal && <th scope="col">Total</th>}
              {hasChance && <th scope="col">Probability</th>}
            </tr>
          </thead>
          <tbody>
            {children.slice(0, isWhole ? undefined : SHOWN_CHILDREN).map((child) => (
              <tr key={child.move} data-move={child.move} class={child.move === selection.chosen ? "taken" : child.banned ? "banned" : ""}>
                <th scope="row">{child.move}{child.banned ? " (banned)" : ""}</th>
                <td>{child.visits}</td>
                <td>{number(child.mean)}</td>
                {hasPriors && <td>{child.prior_games ? `${number(child.prior_value)} of ${number(child.prior_games, 1)}` : "–"}</td>}
                {hasShare && <td>{percent(child.share)}</td>}
                {terms.map(({ term, place }) => <td key={term} class="term">{number(child.terms[place])}</td>)}
                {hasTotal && <td class="total">{number(child.total)}</td>}
                {hasChance && <td>{child.probability === null ? "–" : percent(child.probability, 2)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {children.length > SHOWN_CHILDREN && (
        <button type="button" onClick={() => whole(!isWhole)}>{isWhole ? "Only the first" : `All ${children.length} children`}</button>
      )}
    </>
  );
}

function Expansion({ trace, at, abouts }: { trace: Trace; at: number; abouts: Record<string, string> }) {
  const node = trace.path[at]!;
  const { expansion } = node;
  const isLeaf = at === trace.path.length - 1;
  return (
    <>
      <h3>
        Expand {where(trace, at)}
      </h3>
      <p>
        {at === 0 ? "The root" : node.is_new ? `${node.move} is new: no simulation has been here before.` : `${node.move} has been visited ${plural(node.before.visits, "time")} before.`}
        {expansion
          ? ` It gets ${plural(expansion.moves.length, "child").replace(/childs$/, "children")}${expansion.is_shared ? ", those of the same position on another path" : ""}.`
          : isLeaf ? (at === 0 ? " has its children." : " It gets no children in this simulation: the playout begins here.") : ""}
        {expansion && expansion.even_games > 0 && ` Each begins with ${number(expansion.even_games, 1)} virtual games, half of them won.`}
      </p>
      {expansion?.priors.map((prior) => <PriorGames key={prior.prior} name={prior.prior} value={prior.value} games={prior.games} abouts={abouts} />)}
      {expansion && !expansion.priors.length && <p class="hint">No prior proposed a move.</p>}
    </>
  );
}

function PriorGames({ name, value, games, abouts }: { name: string; value: number; games: Record<string, number>; abouts: Record<string, string> }) {
  const given = Object.entries(games).sort(([, one], [, other]) => other - one);
  return (
    <>
      <p>
        The prior <code>{name}</code> gave games of value {number(value, 2)} to {given.slice(0, 12).map(([move, count]) => `${move} (${number(count, 1)})`).join(", ")}
        {given.length > 12 ? ` and ${given.length - 12} more` : ""}.
      </p>
      <About name={name} abouts={abouts} />
    </>
  );
}

function Evaluation({ trace, abouts, shownMove, showMove }: { trace: Trace; abouts: Record<string, string>; shownMove: number; showMove: (move: number) => void }) {
  const { result, playout } = trace;
  const made = playout[shownMove - 1];
  const net = result.score - result.komi;
  const [isPlaying, play] = useState(false);
  useEffect(() => {
    if (!isPlaying) return undefined;
    if (shownMove >= playout.length) return play(false) as undefined;
    const timer = setTimeout(() => showMove(shownMove + 1), 180);
    return () => clearTimeout(timer);
  }, [isPlaying, shownMove]);
  return (
    <>
      <h3>Evaluate by {result.evaluation}</h3>
      <p data-testid="result">
        {result.winner ? `${colorName(result.winner)} wins` : "Nobody wins"}, {inWords(net)}: {number(result.score, 0)} points on the board, komi {result.komi}. The value for Black is {number(result.value, 2)}
        {result.backed_up !== result.value ? `; ${number(result.backed_up, 4)} is backed up` : ""}.
      </p>
      {playout.length > 0 && (
        <>
          <div class="row">
            <button type="button" aria-label="Playout back" onClick={() => showMove(Math.max(0, shownMove - 1))}>◀</button>
            <button type="button" aria-pressed={isPlaying} onClick={() => { if (shownMove >= playout.length) showMove(0); play(!isPlaying); }}>{isPlaying ? "Pause" : "Play it"}</button>
            <button type="button" aria-label="Playout on" onClick={() => showMove(Math.min(playout.length, shownMove + 1))}>▶</button>
            <button type="button" onClick={() => showMove(playout.length)}>To its end</button>
          </div>
          <input type="range" min={0} max={playout.length} value={shownMove} aria-label={`Move ${shownMove} of ${playout.length}`} onInput={(event) => showMove(Number(event.currentTarget.value))} />
          <p class="made" data-testid="playout">
            {made ? <><b>{shownMove}. {colorName(made.color)} {made.move}</b> by <code>{made.by}</code>. <span class="about">{inline(abouts[made.by] ?? "")}</span></> : `${plural(playout.length, "move")}: ${counted(playout.map((move) => move.by))}.`}
          </p>
        </>
      )}
    </>
  );
}

const counted = (names: string[]): string => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one).map(([name, count]) => `${count} by ${name}`).join(", ");
};

function Backup({ trace, at }: { trace: Trace; at: number }) {
  const row = (node: TracedNode, place: number): ComponentChildren => {
    const isDone = place >= at;
    const now = isDone ? node.after : node.before;
    return (
      <tr key={place} data-node={place} class={place === at ? "taken" : ""}>
        <th scope="row">{node.move || "root"}</th>
        <td>{node.before.visits} → {isDone ? node.after.visits : "…"}</td>
        <td>{number(node.before.value, 2)} → {isDone ? number(node.after.value, 2) : "…"}</td>
        <td>{node.before.visits ? number(node.before.mean) : "–"} → {isDone ? number(now.mean) : "…"}</td>
      </tr>
    );
  };
  return (
    <>
      <h3>Back up: {trace.path[at]!.move || "the root"}</h3>
      <p>{number(trace.result.backed_up, trace.result.backed_up === Math.round(trace.result.backed_up) ? 0 : 4)} for Black goes back along the path. Sums and means are Black's.</p>
      <table class="terms">
        <thead>
          <tr><th scope="col">Node</th><th scope="col">Visits</th><th scope="col">Sum of values</th><th scope="col">Mean</th></tr>
        </thead>
        <tbody>{trace.path.map((node, at) => row(node, at)).reverse()}</tbody>
      </table>
    </>
  );
}

const numbers = (values: number[]): string => values.map((value) => number(value, Number.isInteger(value) ? 0 : 3)).join(", ");

function Learned({ trace, abouts }: { trace: Trace; abouts: Record<string, string> }) {
  const learned = trace.learned.filter((memory) => memory.changes.length);
  return (
    <>
      <h3>Learn</h3>
      {!learned.length && <p>Nothing else changed: this preset has no memories and no statistics beside the tree, or they had nothing to learn.</p>}
      {learned.map((memory) => (
        <div key={memory.part} data-memory={memory.part}>
          <p>
            <code>{memory.part}</code>, a {memory.kind}: {plural(memory.changes.length, "change")}.
          </p>
          <About name={memory.part} abouts={abouts} />
          <ul class="changes">
            {memory.changes.slice(0, SHOWN_CHANGES).map((change) => (
              <li key={change.place}><b>{change.place}</b>: {change.words || `${numbers(change.before)} → ${numbers(change.after)}`}</li>
            ))}
            {memory.changes.length > SHOWN_CHANGES && <li>… and {memory.changes.length - SHOWN_CHANGES} more</li>}
          </ul>
        </div>
      ))}
    </>
  );
}
