// The picture of a search tree, which zooms and moves: lines as wide as their visits, in the colour of their value.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { colorOf } from "./numbers";
import { ROW, curveOf, widthOf, type Picture, type Placed } from "./treelayout";
import { labelOf } from "./treefiles";

const SMALLEST = 0.15;
const LARGEST = 4;
const FIRST_SMALLEST = 0.9; // a tree is not made smaller than this by itself
const EDGE = ROW;

interface Place {
  x: number;
  y: number;
  k: number;
}

interface Props {
  picture: Picture;
  scheme: "usual" | "blind";
  chosen: string;
  lit: Set<string>; // nodes that stand out
  path?: string[]; // keys of the nodes on a simulation's path
  end?: string; // the node that must be in sight
  folded: Set<string>;
  label: string;
  onHover: (key: string | null) => void;
  onChoose: (key: string) => void;
}

/** Where the picture stands: moved by dragging, made larger by the wheel, two fingers or buttons. */
function useView(box: { current: HTMLDivElement | null }, picture: Picture) {
  const [view, setView] = useState<Place | null>(null); // null: as it fits by itself
  const fingers = useRef(new Map<number, { x: number; y: number }>());
  const dragged = useRef(0);
  const fitted = (smallest: number): Place => {
    const [width, height] = [box.current?.clientWidth ?? 800, box.current?.clientHeight ?? 400];
    const large = parseFloat(getComputedStyle(document.documentElement).fontSize) / 15; // for a projector
    const k = Math.max(smallest * large, Math.min(1.25 * large, width / (picture.width + 2 * EDGE), height / (picture.height + 2 * EDGE)));
    return { x: EDGE * k, y: EDGE * k, k };
  };
  const shown = view ?? fitted(innerWidth < 700 ? 0.7 : FIRST_SMALLEST);
  const zoom = (factor: number, x = (box.current?.clientWidth ?? 0) / 2, y = (box.current?.clientHeight ?? 0) / 2): void => {
    const k = Math.max(SMALLEST, Math.min(LARGEST, shown.k * factor));
    setView({ k, x: x - ((x - shown.x) * k) / shown.k, y: y - ((y - shown.y) * k) / shown.k });
  };
  const move = (dx: number, dy: number): void => setView({ ...shown, x: shown.x + dx, y: shown.y + dy });
  const latest = useRef({ zoom });
  latest.current = { zoom };
  useEffect(() => {
    const element = box.current;
    const turn = (event: WheelEvent): void => {
      event.preventDefault();
      const place = element!.getBoundingClientRect();
      latest.current.zoom(Math.exp(-event.deltaY / 400), event.clientX - place.left, event.clientY - place.top);
    };
    element?.addEventListener("wheel", turn, { passive: false });
    return () => element?.removeEventListener("wheel", turn);
  }, []);
  const point = (event: PointerEvent) => ({ x: event.clientX, y: event.clientY });
  return {
    shown,
    zoom,
    fit: () => setView(fitted(SMALLEST)), // all of it
    /** Bring a node into sight. */
    reveal: (at: Placed): void => {
      const [width, height] = [box.current?.clientWidth ?? 800, box.current?.clientHeight ?? 400];
      const [x, y] = [shown.x + at.x * shown.k, shown.y + at.y * shown.k];
      const dx = x < EDGE ? EDGE - x : Math.min(0, width - 90 - x);
      const dy = y < EDGE ? EDGE - y : Math.min(0, height - EDGE - y);
      if (dx || dy) move(dx, dy);
    },
    wasDragged: () => dragged.current > 5,
    onPointerDown: (event: PointerEvent) => {
      fingers.current.set(event.pointerId, point(event));
      dragged.current = 0;
    },
    onPointerMove: (event: PointerEvent) => {
      const before = fingers.current.get(event.pointerId);
      if (!before) return;
      const now = point(event);
      const other = [...fingers.current.entries()].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const place = box.current!.getBoundingClientRect();
        const far = (a: { x: number; y: number }) => Math.hypot(a.x - other.x, a.y - other.y) || 1;
        zoom(far(now) / far(before), (now.x + other.x) / 2 - place.left, (now.y + other.y) / 2 - place.top);
      } else move(now.x - before.x, now.y - before.y);
      dragged.current += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
      if (dragged.current > 5) box.current?.setPointerCapture?.(event.pointerId);
      fingers.current.set(event.pointerId, now);
    },
    onPointerUp: (event: PointerEvent) => void fingers.current.delete(event.pointerId),
  };
}

export function SearchTreePicture(props: Props) {
  const { picture, scheme, chosen } = props;
  const box = useRef<HTMLDivElement>(null);
  const view = useView(box, picture);
  const [, measured] = useState(0);
  useLayoutEffect(() => measured(1), []); // the box has its size now
  const all = picture.nodes.find((at) => !at.key)?.data.node.visits ?? 1;
  const onPath = new Set(props.path ?? []);
  const choose = (key: string): void => {
    if (!view.wasDragged()) props.onChoose(key);
  };
  const { end } = props;
  useEffect(() => {
    const at = end === undefined ? undefined : picture.nodes.find((node) => node.key === end);
    if (at) view.reveal(at);
  }, [end]);
  return (
    <div class="treebox">
      <div
        ref={box}
        class="searchtree"
        role="group"
        aria-label={props.label}
        onPointerDown={view.onPointerDown}
        onPointerMove={view.onPointerMove}
        onPointerUp={view.onPointerUp}
        onPointerCancel={view.onPointerUp}
        onPointerLeave={() => props.onHover(null)}
      >
        <svg width="100%" height="100%">
          <g transform={`translate(${view.shown.x} ${view.shown.y}) scale(${view.shown.k})`}>
            {picture.links.map((link) => {
              const { visits, mean } = link.target.data.node;
              return (
                <path
                  key={link.target.key}
                  class={`branch${onPath.has(link.target.key) ? " lit" : ""}`}
                  style={{ stroke: mean === null ? "" : colorOf(scheme, mean) }}
                  stroke-width={widthOf(visits, all)}
                  d={curveOf(link)}
                />
              );
            })}
            {picture.nodes.map((at) => (
              <Node
                key={at.key}
                at={at}
                scheme={scheme}
                kind={`${at.key === chosen ? " here" : ""}${props.lit.has(at.key) ? " found" : ""}${onPath.has(at.key) ? " lit" : ""}`}
                isFolded={props.folded.has(at.key)}
                onHover={props.onHover}
                onChoose={choose}
                onFocus={() => view.reveal(at)}
              />
            ))}
          </g>
        </svg>
      </div>
      <div class="zoom" role="group" aria-label="Size of the tree">
        <button type="button" aria-label="Larger" onClick={() => view.zoom(1.3)}>+</button>
        <button type="button" aria-label="Smaller" onClick={() => view.zoom(1 / 1.3)}>−</button>
        <button type="button" onClick={view.fit}>Fit</button>
      </div>
    </div>
  );
}

interface NodeProps {
  at: Placed;
  scheme: "usual" | "blind";
  kind: string;
  isFolded: boolean;
  onHover: (key: string | null) => void;
  onChoose: (key: string) => void;
  onFocus: () => void;
}

function Node({ at, scheme, kind, isFolded, onHover, onChoose, onFocus }: NodeProps) {
  const { node, children } = at.data;
  return (
    <g
      role="button"
      tabindex={0}
      class={`branching${kind}`}
      data-path={at.key || "root"}
      aria-expanded={children.length > 0}
      data-visits={node.visits}
      onPointerEnter={(event) => event.pointerType !== "touch" && onHover(at.key)}
      onClick={() => onChoose(at.key)}
      onFocus={(event) => {
        if (!(event.currentTarget as Element).matches(":focus-visible")) return;
        onFocus();
        onHover(at.key);
      }}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        event.stopPropagation(); // it is for this node, not for the page
        onChoose(at.key);
      }}
      transform={`translate(${at.x} ${at.y})`}
    >
      <circle r={10} class={`stone ${node.color}`} />
      <circle r={12} class="value" style={{ stroke: node.mean === null ? "" : colorOf(scheme, node.mean) }} />
      {isFolded && <text x={0} y={0} class={`plus on-${node.color}`}>+</text>}
      <text x={at.key ? 16 : -12} y={at.key ? -12 : -20} class="move">{`${node.move || "root"} `}</text>
      <text x={at.key ? 16 : 22} y={at.key ? 13 : -20} class="few">{labelOf(at)}</text>
    </g>
  );
}
