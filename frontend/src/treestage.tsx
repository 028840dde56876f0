// The search tree as the stage: the tree in full width, the board of a node beside it, and how it grew.
import { useEffect, useMemo, useState } from "preact/hooks";
import { Board } from "./board";
import { stonesAlong } from "./geometry";
import type { Position, SearchNode } from "./messages";
import { percent, plural, short, signed } from "./numbers";
import { Toggle } from "./parts";
import { SearchTreePicture } from "./searchtree";
import { ask, change, type State } from "./store";
import { RootCharts } from "./treecharts";
import { FORMATS, saveTree, type Format } from "./treefiles";
import { isBelow, keyOf, pathOf, pictureOf } from "./treelayout";
import { stage } from "./theatre";
import "./stage.css";

const NODES = [20, 60, 150, 400];
const STEP_MS = 600;

export function TreeStage({ state }: { state: State }) {
  const [opened, open] = useState<string[][]>([]);
  const [folded, fold] = useState<string[][]>([]);
  const [chosen, choose] = useState("");
  const [hovered, hover] = useState<string | null>(null);
  const [most, show] = useState(60);
  const [wanted, search] = useState("");
  const [step, goTo] = useState<number | null>(null); // null: as it is now
  const [isWide, widen] = useState(false);
  const nodeId = state.positions.study?.node;
  useEffect(() => {
    open([]);
    fold([]);
    choose("");
    goTo(null);
  }, [nodeId]);
  useEffect(() => ask({ type: "look_at", paths: opened, folded, nodes: most }), [opened, folded, most, nodeId]);
  useEffect(() => () => ask({ type: "look_at", paths: [] }), []);
  const { timeline } = state;
  const place = step === null || step >= timeline.length ? null : step;
  const nodes = place === null ? state.searchTree?.nodes : timeline[place]!.nodes.slice(0, Math.max(most, 60));
  const picture = useMemo(() => (nodes ? pictureOf(nodes, folded) : null), [nodes, folded]);
  const position = state.positions.study;
  if (!picture || !position) return <p class="hint">Start a search to see its tree grow: Space does that. “From an empty tree” begins at the first simulation.</p>;
  const byKey = new Map(picture.nodes.map((at) => [at.key, at]));
  const found = foundNodes(picture.nodes.map((at) => at.data.node), wanted);
  const shown = byKey.get(hovered ?? chosen)?.data.node ?? byKey.get(chosen)?.data.node ?? byKey.get("")!.data.node;
  const turn = (key: string): void => {
    const path = pathOf(key);
    const isFolded = folded.some((each) => keyOf(each) === key);
    if (isFolded) fold(folded.filter((each) => keyOf(each) !== key));
    else if (byKey.get(key)?.data.children.length) fold([...folded, path]);
    else if (place === null) open([...opened.filter((each) => keyOf(each) !== key), path]);
  };
  const seek = (text: string): void => {
    search(text);
    const line = text.trim().split(/\s+/).map(asMove);
    if (line.length > 1) open([...opened, ...line.map((_, number) => line.slice(0, number + 1))].slice(-100));
  };
  return (
    <div class={`treestage${isWide ? " wide" : ""}`}>
      <div class="treetools" role="group" aria-label="The tree">
        <label>
          <span>Nodes</span>
          <select value={most} onChange={(event) => show(Number(event.currentTarget.value))}>
            {NODES.map((count) => <option key={count} value={count}>{count}</option>)}
          </select>
        </label>
        <label>
          <span>Find a move or a line</span>
          <input value={wanted} placeholder="D4, or D4 C3" autocomplete="off" onInput={(event) => seek(event.currentTarget.value)} />
        </label>
        <span class="status found" aria-live="polite">{wanted ? plural(found.size, "node") : ""}</span>
        <label>
          <span>Save the tree</span>
          <select
            value=""
            onChange={(event) => {
              saveTree(picture, state.searchTree?.preset ?? "", state.settings.scheme, event.currentTarget.value as Format);
              event.currentTarget.value = "";
            }}
          >
            <option value="">as …</option>
            {FORMATS.map((format) => <option key={format}>{format}</option>)}
          </select>
        </label>
        <Toggle isOn={!isWide} onChange={(isOn) => widen(!isOn)}>Board</Toggle>
      </div>
      <div class="treemain">
        <SearchTreePicture
          picture={picture}
          scheme={state.settings.scheme}
          chosen={chosen}
          lit={found}
          folded={new Set(folded.map(keyOf))}
          label="Search tree"
          onHover={hover}
          onChoose={(key) => (key === chosen ? turn(key) : choose(key))}
        />
        <Timeline state={state} place={place} goTo={goTo} />
        <RootCharts state={state} place={place} />
      </div>
      {!isWide && <NodePanel state={state} position={position} node={shown} isFolded={folded.some((each) => keyOf(each) === keyOf(shown.path))} hasChildren={!!byKey.get(keyOf(shown.path))?.data.children.length} onTurn={() => turn(keyOf(shown.path))} isOld={place !== null} />}
    </div>
  );
}

const asMove = (text: string): string => (/^pass$/i.test(text) ? "pass" : text.toUpperCase());

/** The nodes of a move, or of a line and what is below it. */
function foundNodes(nodes: SearchNode[], text: string): Set<string> {
  const line = text.trim() ? text.trim().split(/\s+/).map(asMove) : [];
  const fits = (node: SearchNode): boolean =>
    line.length > 1 ? keyOf(node.path) === keyOf(line) || isBelow(node.path, line) : node.move === line[0];
  return new Set(line.length ? nodes.filter((node) => node.path.length && fits(node)).map((node) => keyOf(node.path)) : []);
}

/** How the tree grew, from its first simulation on. */
function Timeline({ state, place, goTo }: { state: State; place: number | null; goTo: (step: number | null) => void }) {
  const { timeline } = state;
  const [isPlaying, play] = useState(false);
  const last = timeline.length;
  useEffect(() => {
    if (!isPlaying) return undefined;
    const timer = setTimeout(() => {
      const next = (place ?? last) + 1;
      goTo(next >= last ? null : next);
      if (next >= last) play(false);
    }, STEP_MS);
    return () => clearTimeout(timer);
  }, [isPlaying, place, last]);
  const count = place === null ? (state.searchTree?.nodes[0]?.visits ?? 0) : timeline[place]!.simulations;
  const text = `${place === null ? "Now: " : ""}${plural(count, "simulation")}`;
  return (
    <div class="timeline">
      <button
        type="button"
        disabled={!last}
        onClick={() => {
          if (!isPlaying && place === null) goTo(0);
          play(!isPlaying);
        }}
      >
        {isPlaying ? "Pause" : "Replay"}
      </button>
      <input
        type="range"
        min={0}
        max={last}
        value={place ?? last}
        disabled={!last}
        aria-label="How the tree grew"
        aria-valuetext={text}
        onInput={(event) => {
          const next = Number(event.currentTarget.value);
          goTo(next >= last ? null : next);
        }}
      />
      <output data-testid="simulations">{text}</output>
    </div>
  );
}

interface NodePanelProps {
  state: State;
  position: Position;
  node: SearchNode;
  isFolded: boolean;
  hasChildren: boolean;
  onTurn: () => void;
  isOld: boolean;
}

type Layer = "" | "ownership" | "criticality";

/** The board of a node, its numbers, and what can be tried from there. */
function NodePanel({ state, position, node, isFolded, hasChildren, onTurn, isOld }: NodePanelProps) {
  const [layer, lay] = useState<Layer>("");
  const key = keyOf(node.path);
  const owners = state.owners && keyOf(state.owners.path) === key ? state.owners : null;
  useEffect(() => {
    if (!layer || owners) return undefined;
    const timer = setTimeout(() => ask({ type: "estimate_owners", preset: state.settings.preset, without: state.without, path: node.path }), 150);
    return () => clearTimeout(timer); // of a node that was only passed by
  }, [layer, key, owners]);
  const critical = Math.max(1, ...(owners?.criticality ?? []).map(Math.abs));
  const mover = node.path.length % 2 === 0 ? position.turn : position.turn === "black" ? "white" : "black";
  return (
    <section class="nodepanel" aria-label={`Node ${key || "root"}`}>
      <NodeBoard
        state={state}
        position={position}
        path={node.path}
        turn={mover}
        {...(layer === "ownership" && owners ? { ownership: owners.ownership } : {})}
        {...(layer === "criticality" && owners ? { values: owners.criticality.map((value) => value / critical) } : {})}
      />
      <Numbers node={node} />
      <div class="buttons">
        <button type="button" disabled={isOld && !hasChildren && !isFolded} onClick={onTurn}>{isFolded ? "Unfold" : hasChildren ? "Fold" : "More moves"}</button>
        <button
          type="button"
          onClick={() => {
            change({ inside: "theatre" });
            stage(state, 1, node.path);
          }}
        >
          Playout from here
        </button>
      </div>
      <div class="toggles" role="group" aria-label="On the board">
        <Toggle isOn={layer === "ownership"} onChange={(isOn) => lay(isOn ? "ownership" : "")}>Ownership</Toggle>
        <Toggle isOn={layer === "criticality"} onChange={(isOn) => lay(isOn ? "criticality" : "")} title="How much owning a point and winning go together (Coulom 2009)">Criticality</Toggle>
      </div>
      {layer && (
        <p class="status" data-testid="owners">
          {owners
            ? `${plural(owners.playouts, "playout")} from here: Black wins ${percent(owners.winrate)}${layer === "criticality" ? `; the largest covariance is ${(critical / 100).toFixed(2)}` : ""}.`
            : "Playouts are run …"}
        </p>
      )}
    </section>
  );
}

/** The position of a study after a path of the tree, its moves numbered. */
export function NodeBoard(props: { state: State; position: Position; path: string[]; turn: "black" | "white"; ownership?: number[]; values?: number[] }) {
  const { state, position, path } = props;
  const numbers: Record<string, number> = {};
  path.forEach((move, number) => (numbers[move] = number + 1));
  delete numbers.pass;
  const last = path[path.length - 1] ?? position.last;
  return (
    <Board
      label={path.length ? `Board after ${path.join(" ")}` : "Board of the root"}
      size={position.size}
      stones={stonesAlong(position.stones, position.size, position.turn, path)}
      turn={props.turn}
      {...(last && !path.length ? { last } : {})}
      {...(path.length ? { numbers } : {})}
      {...(props.ownership ? { ownership: props.ownership } : {})}
      {...(props.values ? { values: props.values } : {})}
      hasCoordinates={state.settings.coordinates}
    />
  );
}

function Numbers({ node }: { node: SearchNode }) {
  const shown = (value: number | null, text: (value: number) => string): string => (value === null ? "–" : text(value));
  return (
    <dl class="nodenumbers" aria-label={`Numbers of ${node.move || "the root"}`}>
      <div><dt>Line</dt><dd>{node.path.join(" ") || "root"}</dd></div>
      <div><dt>Visits</dt><dd>{node.visits}</dd></div>
      <div><dt>Mean of {node.color === "black" ? "Black" : "White"}</dt><dd>{shown(node.mean, percent)}</dd></div>
      <div><dt>RAVE</dt><dd>{shown(node.rave, percent)}{node.rave_visits ? ` of ${short(node.rave_visits)}` : ""}</dd></div>
      <div><dt>Prior</dt><dd>{shown(node.prior, percent)}{node.prior_games ? ` of ${node.prior_games.toFixed(0)} games` : ""}</dd></div>
      <div><dt>Variance</dt><dd>{shown(node.variance, (value) => value.toFixed(3))}</dd></div>
      <div><dt>Score</dt><dd>{shown(node.score, signed)}</dd></div>
      <div><dt>Moves</dt><dd>{node.children}</dd></div>
    </dl>
  );
}
