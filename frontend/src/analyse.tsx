// Analyse: a game record, its variations, a live search, and a review of the whole game.
import { useEffect, useMemo, useState } from "preact/hooks";
import { Board } from "./board";
import { Graph, type Curve } from "./graph";
import type { PositionAnalysis, TreeNode } from "./messages";
import { inWords, percent, scoreFrom, seenFrom, short, signed } from "./numbers";
import { Panel, Players, PresetChoice, Toggle, WinBar, marksOf, terms } from "./parts";
import { ask, say, set, type State } from "./store";
import { Variations } from "./variations";
import { goTo, lineOf, walk } from "./walking";

const LARGEST_FILE = 2 * 1024 * 1024;

export const isSearching = (state: State): boolean => !!state.working.study?.detail;

export function startOrStop(state: State): void {
  if (isSearching(state)) ask({ type: "stop_work" });
  else ask({ type: "start_search", preset: state.settings.preset, without: state.without });
}

export function openText(text: string): void {
  if (text.length > LARGEST_FILE) say("This is too long for a game record.");
  else ask({ type: "open_sgf", text });
}

/** Open a file as it is: the server knows its encoding. */
export function openFile(file: File | undefined): void {
  if (!file) return;
  if (file.size > LARGEST_FILE) {
    say("This file is too large for a game record.");
    return;
  }
  const reader = new FileReader();
  reader.onload = () => ask({ type: "open_file", data: String(reader.result).split(",")[1] ?? "" });
  reader.onerror = () => say("This file cannot be read.");
  reader.readAsDataURL(file);
}

export function StudyBoard({ state, onHover }: { state: State; onHover?: (name: string) => void }) {
  const position = state.positions.study;
  const analysis = state.analyses.study;
  const [hovered, hover] = useState("");
  if (!position) return <div class="board" />;
  const { settings } = state;
  const candidate = settings.candidates && position.stones.length ? analysis?.moves.find((move) => move.move === hovered) : undefined;
  return (
    <Board
      label={`Board, ${position.size} by ${position.size}`}
      size={position.size}
      stones={position.stones}
      turn={position.turn}
      last={position.last}
      legal={position.legal}
      signs={position.marks}
      marks={settings.candidates ? marksOf(analysis, settings) : []}
      {...(candidate && candidate.visits > 1 ? { line: candidate.line } : {})}
      {...(settings.ownership && analysis?.ownership.length ? { ownership: analysis.ownership } : {})}
      hasCoordinates={settings.coordinates}
      onPoint={(name) => ask({ type: "play_move", board: "study", move: name })}
      onHover={(name) => {
        hover(name);
        onHover?.(name);
      }}
    />
  );
}

export function AnalyseView({ state }: { state: State }) {
  const position = state.positions.study;
  const analysis = state.analyses.study;
  const { settings, tree } = state;
  const task = state.working.study;
  if (!state.welcome || !position) return null;
  const rate = analysis ? (settings.side === "mover" && analysis.turn === "white" ? 1 - analysis.winrate : analysis.winrate) : 0.5;
  return (
    <>
      <div class="stage">
        <StudyBoard state={state} />
        <div class="buttons under" role="group" aria-label="Moves">
          <button type="button" aria-label="To the start" onClick={() => walk("start")}>|◀</button>
          <button type="button" aria-label="Back" onClick={() => walk("back")}>◀</button>
          <span class="count">
            {position.number ? `Move ${position.number}` : "Start"}
          </span>
          <button type="button" aria-label="On" onClick={() => walk("on")}>▶</button>
          <button type="button" aria-label="To the end" onClick={() => walk("end")}>▶|</button>
        </div>
      </div>
      <div class="side">
        <Panel title="Search" class="search">
          <div class="row">
            <PresetChoice
              label="Preset"
              presets={state.welcome.presets}
              value={settings.preset}
              onChange={(preset) => {
                set({ preset });
                if (isSearching(state)) ask({ type: "start_search", preset });
              }}
            />
            <button type="button" class={isSearching(state) ? "stop" : "strong"} onClick={() => startOrStop(state)}>
              {isSearching(state) ? "Stop" : "Search"} <kbd>space</kbd>
            </button>
            <button type="button" onClick={() => ask({ type: "review_game", preset: settings.preset })} disabled={isSearching(state)}>
              Whole game <kbd>A</kbd>
            </button>
          </div>
          {task?.of ? <progress value={task.done} max={task.of} aria-label={task.detail} /> : null}
          {analysis && <WinBar winrate={analysis.winrate} />}
          <p class="numbers" data-testid="analysis">
            {analysis ? (
              <>
                <b>{percent(rate)}</b> {settings.side === "mover" ? position.turn : "Black"} · {inWords(analysis.score)}
                {analysis.deviation ? ` ± ${analysis.deviation.toFixed(1)}` : ""} · {short(analysis.visits)} visits
                {analysis.per_second ? ` · ${short(Math.round(analysis.per_second))}/s` : ""}
              </>
            ) : (
              "Nothing is searched yet. Space starts a search, and stops it."
            )}
          </p>
          <div class="toggles" role="group" aria-label="What is shown">
            <Toggle isOn={settings.candidates} onChange={(candidates) => set({ candidates })} title="C">Candidates</Toggle>
            <Toggle isOn={settings.ownership} onChange={(ownership) => set({ ownership })} title="O">Ownership</Toggle>
            <Toggle isOn={settings.side === "mover"} onChange={(isOn) => set({ side: isOn ? "mover" : "black" })} title="V">Mover's view</Toggle>
          </div>
          {settings.candidates && analysis && <Candidates analysis={analysis} state={state} />}
        </Panel>
        <Panel title="Course of the game">
          {tree && <Course state={state} />}
          {state.mistakes && <MistakeList state={state} />}
        </Panel>
        <Panel title={tree?.title || "Game"}>
          <Players position={position} />
          <p class="status">
            {terms(position)}
            {position.result ? `, ${position.result}` : ""}
          </p>
          {tree && <Variations tree={tree} current={position.node} />}
          <Comment node={position.node} text={position.comment} />
          <div class="buttons">
            <button type="button" onClick={() => ask({ type: "play_move", board: "study", move: "pass" })}>Pass <kbd>P</kbd></button>
            <button type="button" onClick={() => ask({ type: "make_main", node: position.node })}>Make main <kbd>M</kbd></button>
            <button type="button" onClick={() => ask({ type: "delete_node", node: position.node })}>Delete <kbd>Del</kbd></button>
            <button type="button" onClick={() => ask({ type: "save_sgf", board: "study" })}>Save <kbd>S</kbd></button>
          </div>
        </Panel>
        <Opening />
      </div>
    </>
  );
}

function Candidates({ analysis, state }: { analysis: PositionAnalysis; state: State }) {
  const { side } = state.settings;
  return (
    <table class="candidates">
      <thead>
        <tr>
          <th scope="col">Move</th>
          <th scope="col">Win rate</th>
          <th scope="col">Score</th>
          <th scope="col">Visits</th>
          <th scope="col">Line</th>
        </tr>
      </thead>
      <tbody>
        {analysis.moves.slice(0, 6).map((move) => (
          <tr key={move.move}>
            <th scope="row">{move.move}</th>
            <td>{percent(seenFrom(side, analysis, move.winrate))}</td>
            <td>{signed(scoreFrom(side, analysis, move.score))}</td>
            <td>{short(move.visits)}</td>
            <td class="moves">{move.line.slice(1, 6).join(" ")}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Course({ state }: { state: State }) {
  const { tree, positions, settings } = state;
  const node = positions.study?.node ?? 0;
  const line = useMemo(() => (tree ? lineOf(tree, node) : []), [tree, node]);
  const xs = useMemo(() => line.map((_, number) => number), [line]);
  const analysis = state.analyses.study;
  const curves = useMemo((): Curve[] => {
    const isMover = settings.side === "mover";
    // From the mover's side: of who moves next, as in the numbers beside the board.
    const isTurned = (place: number): boolean => isMover && (line[place + 1]?.[2] === "w" || (!line[place + 1] && line[place]?.[2] === "b"));
    const value = (entry: TreeNode): [number | null, number | null] =>
      analysis && entry[0] === analysis.node && analysis.visits >= entry[7] ? [analysis.winrate, analysis.score] : [entry[5], entry[6]];
    const rates = line.map((entry, place) => {
      const rate = value(entry)[0];
      return rate === null ? null : isTurned(place) ? 1 - rate : rate;
    });
    const scores = line.map((entry, place) => {
      const score = value(entry)[1];
      return score === null ? null : isTurned(place) ? -score : score;
    });
    return [
      { label: "score", values: scores, color: "score", scale: "score", width: 1.5, dash: [5, 4] },
      { label: "win rate", values: rates, color: "winrate", width: 2.5, fill: "winfill" },
    ];
  }, [line, analysis, settings.side]);
  const at = line.findIndex((entry) => entry[0] === node);
  const known = line.filter((entry) => entry[5] !== null).length;
  return (
    <>
      <Graph
        label={`Win rate and score after each move, ${known} of ${line.length} positions known`}
        xs={xs}
        curves={curves}
        at={at}
        range={[0, 1]}
        format={(value) => percent(value, 0)}
        formatScore={(value) => signed(value).replace(".0", "")}
        theme={`${state.settings.theme}${state.settings.scheme}`}
        onPick={(number) => {
          const entry = line[Math.max(0, Math.min(line.length - 1, number))];
          if (entry) goTo(entry[0]);
        }}
      />
      <p class="legend">
        <span class="key winrate" /> win rate <span class="key score" /> score, {settings.side === "mover" ? "of who moves next" : "Black's"}
      </p>
    </>
  );
}

function MistakeList({ state }: { state: State }) {
  if (!state.mistakes?.length) return <p>No mistake that the search is sure of.</p>;
  return (
    <ol class="mistakes" aria-label="Biggest mistakes">
      {state.mistakes.map((mistake) => (
        <li key={mistake.node}>
          <button type="button" onClick={() => goTo(mistake.node)}>
            <i class={`dot-${mistake.color}`} /> {mistake.number} <b>{mistake.move}</b> −{percent(mistake.loss, 0)}, {mistake.grade}; better{" "}
            {mistake.better.slice(0, 4).join(" ")}
          </button>
        </li>
      ))}
    </ol>
  );
}

function Comment({ node, text }: { node: number; text: string }) {
  const [written, write] = useState(text);
  useEffect(() => write(text), [node, text]);
  return (
    <label class="comment">
      <span>Comment</span>
      <textarea
        rows={2}
        value={written}
        onInput={(event) => write(event.currentTarget.value)}
        onBlur={() => written !== text && ask({ type: "set_comment", node, text: written })}
      />
    </label>
  );
}

function Opening() {
  const [pasted, paste] = useState("");
  const [size, setSize] = useState(19);
  return (
    <Panel title="Open">
      <div class="form">
        <label>
          <span>SGF file</span>
          <input
            type="file"
            accept=".sgf,application/x-go-sgf"
            onChange={(event) => {
              openFile(event.currentTarget.files?.[0]);
              event.currentTarget.value = ""; // the same file may be opened again
            }}
          />
        </label>
        <label>
          <span>Or paste</span>
          <textarea rows={2} value={pasted} placeholder="(;GM[1]SZ[19] …" onInput={(event) => paste(event.currentTarget.value)} />
        </label>
        <div class="row">
          <button type="button" disabled={!pasted.trim()} onClick={() => { openText(pasted); paste(""); }}>Open what was pasted</button>
          <label>
            <span>Empty board</span>
            <select value={size} onChange={(event) => setSize(Number(event.currentTarget.value))}>
              {Array.from({ length: 18 }, (_, i) => i + 2).map((each) => <option key={each} value={each}>{each} × {each}</option>)}
            </select>
          </label>
          <button type="button" onClick={() => ask({ type: "open_empty", size })}>Open it</button>
        </div>
        <p class="hint">A file may also be dropped anywhere on the page.</p>
      </div>
    </Panel>
  );
}
