// Analyse: a game record, its variations, and a live search.
import { useEffect, useMemo, useState } from "preact/hooks";
import { choosePreset, isSearching, startOrStop } from "./actions";
import { Board } from "./board";
import { Graph, type Curve } from "./graph";
import type { PositionAnalysis } from "./messages";
import { inWords, percent, resultInWords, scoreFrom, seenFrom, short, signed } from "./numbers";
import { Histogram, Panel, Players, PresetChoice, Toggle, WinBar, marksOf, terms } from "./parts";
import { ReviewControls, ReviewView, TrialView, answerTrial } from "./review";
import { ask, openDialog, set, type State } from "./store";
import { goTo, lineOf, walk, type Branch } from "./tree";
import { Variations } from "./variations";

export function StudyBoard({ state, onHover }: { state: State; onHover?: (name: string) => void }) {
  const position = state.positions.study;
  const analysis = state.analyses.study;
  const [hovered, hover] = useState("");
  const { settings, trial } = state;
  if (!position) return <Board label="Empty board" size={19} stones={".".repeat(361)} turn="black" hasCoordinates={settings.coordinates} />;
  const isShown = settings.candidates && !trial;
  const next = state.tree?.byId.get(position.node)?.children[0]?.move;
  const candidate = isShown && position.stones.length ? analysis?.moves.find((move) => move.move === hovered) : undefined;
  return (
    <Board
      label={`Board, ${position.size} by ${position.size}`}
      size={position.size}
      stones={position.stones}
      turn={position.turn}
      last={position.last}
      legal={position.legal}
      ko={position.ko}
      signs={position.marks}
      dimmed={position.dimmed}
      drawn={[...position.lines.map(([from, to]) => ({ from, to, hasHead: false })), ...position.arrows.map(([from, to]) => ({ from, to, hasHead: true }))]}
      {...(settings.numbers ? { numbers: position.numbers } : {})}
      {...(next && isShown && analysis ? { next } : {})}
      marks={isShown ? marksOf(analysis, settings) : []}
      {...(candidate && candidate.visits > 1 ? { line: candidate.line } : {})}
      {...(settings.ownership && !trial && analysis?.ownership.length ? { ownership: analysis.ownership } : {})}
      hasCoordinates={settings.coordinates}
      onPoint={(name) => (trial ? answerTrial(state, name) : ask({ type: "play_move", board: "study", move: name }))}
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
  if (!state.welcome || !position) return <div class="stage"><StudyBoard state={state} /></div>;
  const rate = analysis ? (settings.side === "mover" && analysis.turn === "white" ? 1 - analysis.winrate : analysis.winrate) : 0.5;
  return (
    <>
      <div class="stage" tabIndex={-1}>
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
        <FileBar state={state} />
        <TrialView state={state} />
        <Panel title="Search" class="search">
          <div class="row">
            <PresetChoice
              label="Preset"
              presets={state.welcome.presets}
              value={settings.preset}
              onChange={(preset) => choosePreset(state, preset)}
            />
            <button type="button" class={isSearching(state) ? "stop" : "strong"} onClick={() => startOrStop(state)}>
              {isSearching(state) ? "Stop" : "Search"} <kbd>space</kbd>
            </button>
          </div>
          {analysis && <WinBar winrate={analysis.winrate} />}
          <p class="numbers" data-testid="analysis">
            {analysis ? (
              <>
                <b>{percent(rate)}</b> {settings.side === "mover" ? position.turn : "Black"} · {inWords(analysis.score)}
                {" · "}{short(analysis.visits)} visits
                {analysis.per_second ? ` · ${short(Math.round(analysis.per_second))}/s` : ""}
                {analysis.deviation ? <span class="spread" title="The standard deviation of the scores of single playouts: not the error of the mean"> · playout scores spread by {analysis.deviation.toFixed(0)} points</span> : null}
                {analysis.full && <em> · the tree is full: rare lines are dropped</em>}
              </>
            ) : (
              "Nothing is searched yet. Space starts a search, and stops it."
            )}
          </p>
          {analysis?.histogram && <Histogram histogram={analysis.histogram} />}
          <div class="toggles" role="group" aria-label="What is shown">
            <Toggle isOn={settings.candidates} onChange={(candidates) => set({ candidates })} title="C">Candidates</Toggle>
            <Toggle isOn={settings.ownership} onChange={(ownership) => set({ ownership })} title="O">Ownership</Toggle>
            <Toggle isOn={settings.numbers} onChange={(numbers) => set({ numbers })} title="N">Numbers</Toggle>
            <Toggle isOn={settings.side === "mover"} onChange={(isOn) => set({ side: isOn ? "mover" : "black" })} title="V">Mover's view</Toggle>
          </div>
          {settings.candidates && !state.trial && analysis && <Candidates analysis={analysis} state={state} />}
        </Panel>
        <Panel title="Course of the game">
          {tree && <Course state={state} />}
          <ReviewControls state={state} />
          <ReviewView state={state} />
        </Panel>
        <Panel title={tree?.title || "Game"}>
          <Players position={position} />
          <p class="status">
            {terms(position)}
            {position.result ? `. ${resultInWords(position.result)}.` : ""}
          </p>
          {tree && <Variations tree={tree} current={position.node} />}
          <Comment node={position.node} text={position.comment} />
          <div class="buttons">
            <button type="button" onClick={() => ask({ type: "play_move", board: "study", move: "pass" })}>Pass <kbd>P</kbd></button>
            <button type="button" onClick={() => ask({ type: "make_main", node: position.node })}>Make main <kbd>M</kbd></button>
            <button type="button" disabled={!position.node} onClick={() => ask({ type: "delete_node", node: position.node })}>Delete <kbd>Del</kbd></button>
          </div>
        </Panel>
      </div>
    </>
  );
}

/** What is studied, where it comes from, and what was done to it. */
function FileBar({ state }: { state: State }) {
  const { opened, history } = state;
  return (
    <div class="filebar" role="group" aria-label="File">
      <button type="button" class="strong" onClick={() => openDialog("open")}>Open … <kbd>F</kbd></button>
      <button type="button" onClick={() => ask({ type: "save_sgf", board: "study" })}>Save <kbd>S</kbd></button>
      <button type="button" disabled={!history.undo} title={history.undo && `Undo ${history.undo}`} onClick={() => ask({ type: "undo_edit" })}>Undo</button>
      <button type="button" disabled={!history.redo} title={history.redo && `Redo ${history.redo}`} onClick={() => ask({ type: "redo_edit" })}>Redo</button>
      {opened.name && <span class="filename">{opened.name}</span>}
      {opened.games.length > 0 && (
        <label class="wide">
          <span class="unseen">Game of the collection</span>
          <select value={opened.number} onChange={(event) => ask({ type: "open_other", number: Number(event.currentTarget.value) })}>
            {opened.games.map((title, number) => <option key={number} value={number}>{title}</option>)}
          </select>
        </label>
      )}
    </div>
  );
}

function Candidates({ analysis, state }: { analysis: PositionAnalysis; state: State }) {
  const { side } = state.settings;
  const next = state.tree?.byId.get(analysis.node)?.children[0]?.move;
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
            <th scope="row">{move.move}{move.move === next && <em class="played"> played</em>}</th>
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
    const isTurned = (place: number): boolean => isMover && (line[place + 1]?.color === "w" || (!line[place + 1] && line[place]?.color === "b"));
    const value = (entry: Branch): [number | null, number | null] =>
      analysis && entry.id === analysis.node && analysis.visits >= entry.visits ? [analysis.winrate, analysis.score] : [entry.winrate, entry.score];
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
  const at = line.findIndex((entry) => entry.id === node);
  const known = line.filter((entry) => entry.winrate !== null).length;
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
          if (entry) goTo(entry.id);
        }}
      />
      <p class="legend">
        <span class="key winrate" /> win rate <span class="key score" /> score, {settings.side === "mover" ? "of who moves next" : "Black's"}
      </p>
    </>
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
