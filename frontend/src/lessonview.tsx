// Lessons: chapters with questions, positions and controls; large type for a projector.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Bandit } from "./bandit";
import { Board } from "./board";
import { stonesAfter } from "./geometry";
import { markdown, type Control } from "./markdown";
import type { Lesson, Owners, Playout } from "./messages";
import { colorName, inWords, percent, plural } from "./numbers";
import { Toggle } from "./parts";
import { StepView, PlaceBoard, type Place } from "./stepview";
import { ask, change, openLesson, openTab, set, tracedKey, type InsideView, type State, type Tab } from "./store";
import "./stage.css";

export function LessonView({ state }: { state: State }) {
  const { lesson, lessons } = state;
  const [isLarge, enlarge] = useState(false);
  useEffect(() => {
    if (!lessons.length) ask({ type: "list_lessons" });
  }, [state.link]);
  useEffect(() => {
    document.documentElement.classList.toggle("presenting", isLarge);
    return () => document.documentElement.classList.remove("presenting");
  }, [isLarge]);
  const place = lessons.findIndex((each) => each.name === lesson?.name);
  const beside = (step: number) => {
    const other = place >= 0 ? lessons[place + step] : undefined;
    return other && <button type="button" onClick={() => openLesson(other.name)}>{step < 0 ? "← " : ""}{other.title}{step > 0 ? " →" : ""}</button>;
  };
  return (
    <div class={`wholeview lessonview${lesson ? "" : " index"}`}>
      <nav class="panel chapters" aria-label="Chapters">
        {!lesson && <><h2>Lessons</h2><p>Short chapters, from a random game to a search. Each has a question to answer before looking.</p></>}
        <ol>
          {lessons.map((each) => (
            <li key={each.name}>
              <a href={`#lesson/${each.name}`} aria-current={each.name === lesson?.name ? "page" : undefined}>{each.title}</a>
              {!lesson && <p class="about">{each.summary}</p>}
            </li>
          ))}
        </ol>
      </nav>
      {lesson && (
        <article class="panel lesson" key={lesson.name} aria-labelledby="lesson-title">
          <div class="lessonhead">
            <h2 id="lesson-title">{lesson.title}</h2>
            <Toggle isOn={isLarge} onChange={enlarge} title="For a projector">Large type</Toggle>
          </div>
          <Text state={state} lesson={lesson} />
          <footer class="source">
            <p>Read on: <cite>{lesson.paper}, {lesson.section}</cite></p>
            {lesson.experiment && <><p>For a terminal:</p><pre tabIndex={0}>{lesson.experiment}</pre></>}
            <div class="buttons">{beside(-1)}<button type="button" onClick={() => (location.hash = "lesson")}>All lessons</button>{beside(1)}</div>
          </footer>
        </article>
      )}
    </div>
  );
}

function Text({ state, lesson }: { state: State; lesson: Lesson }) {
  // The text is read once; its controls are drawn anew with every change of the page.
  const parts = useMemo(() => markdown(lesson.text, (control) => control as unknown as ComponentChildren, (question, answer) => ({ question, answer }) as unknown as ComponentChildren), [lesson]);
  return <>{parts.map((part, number) => <Part key={number} state={state} lesson={lesson} part={part} />)}</>;
}

function Part({ state, lesson, part }: { state: State; lesson: Lesson; part: ComponentChildren }) {
  if (part && typeof part === "object" && "options" in part) return <Widget state={state} lesson={lesson} control={part as unknown as Control} />;
  if (part && typeof part === "object" && "question" in part) {
    const { question, answer } = part as unknown as Record<"question" | "answer", ComponentChildren[]>;
    const shown = (parts: ComponentChildren[]) => parts.map((each, number) => <Part key={number} state={state} lesson={lesson} part={each} />);
    return (
      <div class="question">
        {shown(question)}
        <details>
          <summary>The answer</summary>
          {shown(answer)}
        </details>
      </div>
    );
  }
  return <>{part}</>;
}

function Widget({ state, lesson, control: { name, options } }: { state: State; lesson: Lesson; control: Control }) {
  const position = options.position ?? Object.keys(lesson.positions)[0] ?? "";
  const preset = options.preset ?? lesson.preset;
  const shown = lesson.positions[position];
  const arms = useMemo(() => (options.arms ?? "0.35,0.5,0.55").split(",").map(Number), [options.arms]);
  if (name === "bandit") return <Bandit arms={arms} firstConstant={Number(options.constant ?? 1.4)} />;
  if (!shown) return null;
  const place = { ...shown, name: `${lesson.name}/${position}` };
  const changes = preset === lesson.preset && lesson.overrides.length > 0 ? ` with ${lesson.overrides.join(", ")}` : "";
  if (name === "board")
    return (
      <figure class="widget lessonboard">
        <PlaceBoard state={state} place={place} />
        <figcaption>{colorName(shown.turn)} to play, komi {shown.komi}.</figcaption>
      </figure>
    );
  if (name === "simulate")
    return (
      <figure class="widget">
        <figcaption>Simulations by <code>{preset}</code>{changes}.</figcaption>
        <StepView state={state} place={place} preset={preset} firstSeed={Number(options.seed ?? 1)} />
      </figure>
    );
  if (name === "playouts") return <Playouts state={state} place={place} preset={preset} changes={changes} count={Number(options.count ?? 200)} firstSeed={Number(options.seed ?? 1)} />;
  if (name === "open") return <Opener view={options.view ?? "tree"} place={place.name} preset={preset} />;
  return null;
}

const VIEWS: Record<string, string> = { analyse: "Analyse", laboratory: "the Laboratory", tree: "the tree", steps: "Step by step", table: "the table of moves", theatre: "the playouts", replies: "the replies", parts: "the parts" };

/** Open the position of a lesson in another view. */
function Opener({ view, place, preset }: { view: string; place: string; preset: string }) {
  const isTab = view === "analyse" || view === "laboratory";
  const open = (): void => {
    set({ preset });
    if (view !== "laboratory") ask({ type: "study_lesson", place });
    if (!isTab) change({ inside: view as InsideView });
    openTab((isTab ? view : "inside") as Tab);
  };
  return <p><button type="button" onClick={open}>{view === "laboratory" ? "Open" : "Open this position in"} {VIEWS[view]}</button></p>;
}

interface PlayoutsProps {
  state: State;
  place: Place;
  preset: string;
  changes: string;
  count: number;
  firstSeed: number;
}

function Playouts({ state, place, preset, changes, count, firstSeed }: PlayoutsProps) {
  const tried = state.tried[tracedKey(place.name, preset)];
  const [seed, sow] = useState(firstSeed);
  const [step, goTo] = useState(0);
  const run = (next: number): void => {
    sow(next);
    goTo(0);
    ask({ type: "try_playouts", place: place.name, preset, seed: next, playouts: count });
  };
  const { owners, playout } = tried ?? {};
  return (
    <figure class="widget playouts">
      <figcaption>Playouts by <code>{preset}</code>{changes}.</figcaption>
      <div class="buttons">
        <button type="button" class="strong" onClick={() => run(owners ? seed + 1 : seed)}>{owners ? `Another ${plural(count, "playout")}` : plural(count, "playout")}</button>
      </div>
      {owners && (
        <div class="tried">
          <div>
            <Board label="Owners of points at the end of the playouts" size={place.size} stones={place.stones} turn={place.turn} ownership={owners.ownership} hasCoordinates={state.settings.coordinates} />
            <p class="status" data-testid="tried">Black wins {percent(owners.winrate)} of {plural(owners.playouts, "playout")}. Seed {seed}.</p>
          </div>
          <Scores owners={owners} />
          {playout && <OnePlayout state={state} playout={playout} step={step} goTo={goTo} />}
        </div>
      )}
    </figure>
  );
}

const BINS = 31;

/** The scores of playouts as bars: White's wins at the left, Black's at the right. */
function Scores({ owners }: { owners: Owners }) {
  const scores = owners.scores.map(([score, count]): [number, number] => [score - owners.komi, count]);
  const most = Math.max(10, ...scores.map(([score]) => Math.abs(score)));
  const bins = Array.from({ length: BINS }, () => 0);
  for (const [score, count] of scores) bins[Math.min(BINS - 1, Math.floor(((score + most) / (2 * most)) * BINS))]! += count;
  const tallest = Math.max(...bins, 1);
  const label = `Scores of ${plural(owners.playouts, "playout")}, komi counted, from W+${most.toFixed(0)} to B+${most.toFixed(0)}`;
  return (
    <div class="scores">
      <p class="headline">How the playouts end</p>
      <svg viewBox="0 0 310 130" role="img" aria-label={label}>
        {bins.map((count, i) => (
          <rect key={i} x={i * 10 + 0.5} y={100 - (96 * count) / tallest} width={9} height={(96 * count) / tallest} class={i * 2 + 1 < BINS ? "of-white" : i * 2 + 1 === BINS ? "of-nobody" : "of-black"} />
        ))}
        <path d="M0 100H310M155 0V104" class="axis" />
        <text x={2} y={114}>W+{most.toFixed(0)}</text>
        <text x={155} y={114} text-anchor="middle">even</text>
        <text x={308} y={114} text-anchor="end">B+{most.toFixed(0)}</text>
        <text x={155} y={128} text-anchor="middle">Score, komi counted</text>
      </svg>
    </div>
  );
}

function OnePlayout({ state, playout, step, goTo }: { state: State; playout: Playout; step: number; goTo: (step: number) => void }) {
  const made = step ? playout.steps[step - 1] : undefined;
  return (
    <div class="oneplayout">
      <p class="headline">One of them</p>
      <Board
        label={`Playout, move ${step} of ${playout.steps.length}`}
        size={playout.size}
        stones={stonesAfter(playout.stones, playout.size, playout.steps, step)}
        turn={made?.color === "black" ? "white" : "black"}
        {...(made && made.move !== "pass" ? { last: made.move } : {})}
        hasCoordinates={state.settings.coordinates}
      />
      <input type="range" min={0} max={playout.steps.length} value={step} aria-label={`Move ${step} of ${playout.steps.length}`} onInput={(event) => goTo(Number(event.currentTarget.value))} />
      <p class="made">{made ? <><b>{step}. {colorName(made.color)} {made.move}</b> by <code>{made.by}</code>.</> : `${plural(playout.steps.length, "move")}, ${inWords(playout.score)}: drag the slider.`}</p>
    </div>
  );
}
