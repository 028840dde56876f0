// The board: plain SVG, drawn anew only where something changed. Screen readers see a grid with a name for each point.
import { memo } from "preact/compat";
import { useEffect, useRef, useState } from "preact/hooks";
import { columnName, indexOf, nameOf, stars } from "./geometry";
import { cameByTab } from "./keys";

const UNIT = 32; // between two lines

export interface Mark {
  at: string;
  fill: string;
  lines: string[];
  isBest: boolean;
  opacity: number;
  title: string;
}

interface Props {
  label: string;
  size: number;
  stones: string;
  turn: "black" | "white";
  last?: string;
  legal?: string; // "1" where a stone may be put; nothing may be if it is missing
  dead?: string[];
  signs?: Record<string, string>;
  numbers?: Record<string, number>; // of moves, by point
  dimmed?: string[];
  ko?: string;
  next?: string; // the move that the game goes on with
  territory?: string; // "X" and "O" where a point counts for one
  drawn?: { from: string; to: string; hasHead: boolean }[]; // lines and arrows of the record
  marks?: Mark[];
  dots?: { at: string; strength: number }[]; // candidates of a heuristic
  arrows?: { from: string; to: string }[];
  line?: string[]; // moves to come, as numbered stones
  ownership?: number[];
  values?: number[]; // of points, from -1 to 1
  hasCoordinates: boolean;
  onPoint?: (name: string) => void;
  onHover?: (name: string) => void;
}

const x = (index: number, size: number): number => UNIT * ((index % size) + 0.5);
const y = (index: number, size: number): number => UNIT * (Math.floor(index / size) + 0.5);

/** Of coordinates: a small board is shown larger. */
const fontOf = (size: number): number => 4 + 0.36 * size;
const STONE = UNIT * 0.53; // with its shadow

const Grid = memo(({ size, hasCoordinates }: { size: number; hasCoordinates: boolean }) => {
  const low = UNIT / 2;
  const high = UNIT * (size - 0.5);
  let path = "";
  for (let i = 0; i < size; i++) {
    const at = UNIT * (i + 0.5);
    path += `M${low} ${at}H${high}M${at} ${low}V${high}`;
  }
  const names = [];
  const font = fontOf(size);
  const place = 0.75 * font;
  for (let i = 0; hasCoordinates && i < size; i++) {
    const at = UNIT * (i + 0.5);
    for (const side of [-place, UNIT * size + place]) {
      names.push(<text x={at} y={side} class="coordinate" font-size={font}>{columnName(i)}</text>);
      names.push(<text x={side} y={at} class="coordinate" font-size={font}>{size - i}</text>);
    }
  }
  return (
    <g aria-hidden="true">
      <path d={path} class="lines" />
      {stars(size).map((star) => (
        <circle cx={x(star, size)} cy={y(star, size)} r={UNIT * 0.11} class="star" />
      ))}
      {names}
    </g>
  );
});

const WORDS: Record<string, string> = { X: "black stone", O: "white stone", ".": "empty" };

const Cell = memo(({ index, size, stone, id }: { index: number; size: number; stone: string; id: string }) => (
  <rect
    id={id}
    role="gridcell"
    aria-label={`${nameOf(index, size)} ${WORDS[stone] ?? ""}`}
    x={x(index, size) - UNIT / 2}
    y={y(index, size) - UNIT / 2}
    width={UNIT}
    height={UNIT}
    class="cell"
  />
));

const Stone = memo(({ index, size, stone, isDead }: { index: number; size: number; stone: string; isDead: boolean }) => (
  <circle
    cx={x(index, size)}
    cy={y(index, size)}
    r={STONE}
    class={`stone ${stone === "X" ? "black" : "white"}${isDead ? " dead" : ""}`}
  />
));

const Owner = memo(({ index, size, owner }: { index: number; size: number; owner: number }) => (
  <rect
    x={x(index, size) - UNIT / 2}
    y={y(index, size) - UNIT / 2}
    width={UNIT}
    height={UNIT}
    class={owner > 0 ? "owner black" : "owner white"}
    opacity={Math.min(0.72, (Math.abs(owner) / 100) * 0.8)}
  />
));

const Cells = memo(({ size, stones, name }: { size: number; stones: string; name: string }) => (
  <>
    {Array.from({ length: size }, (_, row) => (
      <g role="row" key={row}>
        {Array.from({ length: size }, (_, column) => {
          const index = row * size + column;
          return <Cell key={index} index={index} size={size} stone={stones[index] ?? "."} id={`${name}-${index}`} />;
        })}
      </g>
    ))}
  </>
));

const Stones = memo(({ size, stones, dead }: { size: number; stones: string; dead: string }) => {
  const isDead = new Set(dead.split(" "));
  return (
    <g aria-hidden="true">
      {[...stones].map((stone, index) =>
        stone === "." ? null : <Stone key={index} index={index} size={size} stone={stone} isDead={isDead.has(nameOf(index, size))} />,
      )}
    </g>
  );
});

function Sign({ index, size, sign, stone }: { index: number; size: number; sign: string; stone: string }) {
  const cx = x(index, size);
  const cy = y(index, size);
  const r = UNIT * 0.24;
  const kind = `sign on-${stone === "X" ? "black" : stone === "O" ? "white" : "wood"}`;
  if (sign === "triangle") return <path d={`M${cx} ${cy - r}l${r * 0.95} ${r * 1.6}h${-r * 1.9}z`} class={kind} />;
  if (sign === "square") return <rect x={cx - r * 0.8} y={cy - r * 0.8} width={r * 1.6} height={r * 1.6} class={kind} />;
  if (sign === "circle") return <circle cx={cx} cy={cy} r={r} class={kind} />;
  if (sign === "cross") return <path d={`M${cx - r} ${cy - r}l${2 * r} ${2 * r}M${cx + r} ${cy - r}l${-2 * r} ${2 * r}`} class={kind} />;
  return <Label x={cx} y={cy} text={sign} class={kind} />;
}

/** A text on a point, in as small letters as it needs. */
function Label({ x, y, text, class: kind }: { x: number; y: number; text: string; class: string }) {
  const length = [...text].length;
  return (
    <text x={x} y={y} class={`${kind} letter`} font-size={length < 3 ? 17 : Math.max(5, Math.min(12, 58 / length))}>
      {text}
    </text>
  );
}

function Candidate({ mark, size }: { mark: Mark; size: number }) {
  const index = indexOf(mark.at, size);
  if (index < 0) return null;
  const [first, second, third] = mark.lines;
  return (
    <g class={mark.isBest ? "candidate best" : "candidate"}>
      <title>{mark.title}</title>
      <circle cx={x(index, size)} cy={y(index, size)} r={UNIT * 0.48} class="below" />
      <circle cx={x(index, size)} cy={y(index, size)} r={UNIT * 0.485} class="mark" fill={mark.fill} opacity={mark.opacity} />
      <g opacity={0.4 + 0.6 * mark.opacity}>
        <text x={x(index, size)} y={y(index, size) - UNIT * 0.2} class="rate">{first}</text>
        <text x={x(index, size)} y={y(index, size) + UNIT * 0.07} class="small">{second}</text>
        <text x={x(index, size)} y={y(index, size) + UNIT * 0.27} class="small">{third}</text>
      </g>
    </g>
  );
}

function Line({ line, size, turn }: { line: string[]; size: number; turn: "black" | "white" }) {
  return (
    <g class="line" aria-hidden="true">
      {line.map((name, number) => {
        const index = indexOf(name, size);
        const isBlack = (turn === "black") === (number % 2 === 0);
        if (index < 0 || line.indexOf(name) < number) return null;
        return (
          <g key={number}>
            <circle cx={x(index, size)} cy={y(index, size)} r={STONE} class={`stone ${isBlack ? "black" : "white"}`} />
            <text x={x(index, size)} y={y(index, size)} class={`number on-${isBlack ? "black" : "white"}`}>{number + 1}</text>
          </g>
        );
      })}
    </g>
  );
}

function Drawn({ lines, size }: { lines: { from: string; to: string; hasHead: boolean }[]; size: number }) {
  return (
    <g class="drawn">
      {lines.map(({ from, to, hasHead }, number) => {
        const [a, b] = [indexOf(from, size), indexOf(to, size)];
        if (a < 0 || b < 0) return null;
        const [x1, y1, x2, y2] = [x(a, size), y(a, size), x(b, size), y(b, size)];
        const angle = Math.atan2(y2 - y1, x2 - x1);
        const head = (turn: number): string => `L${x2 - 10 * Math.cos(angle + turn)} ${y2 - 10 * Math.sin(angle + turn)}M${x2} ${y2}`;
        return <path key={number} class={hasHead ? "arrow-of-record" : "line-of-record"} d={`M${x1} ${y1}L${x2} ${y2}${hasHead ? head(0.5) + head(-0.5) : ""}`} />;
      })}
    </g>
  );
}

/** A small picture of a position. */
export const Miniature = memo(({ size, stones }: { size: number; stones: string }) => (
  <svg class="miniature" viewBox={`0 0 ${size} ${size}`} aria-hidden="true">
    <rect width={size} height={size} class="wood" />
    {[...stones].map((stone, index) =>
      stone === "." ? null : <circle key={index} cx={(index % size) + 0.5} cy={Math.floor(index / size) + 0.5} r={0.48} class={stone === "X" ? "small-black" : "small-white"} />,
    )}
  </svg>
));

let boards = 0;

export function Board(props: Props) {
  const { size, stones, turn, onPoint } = props;
  const [name] = useState(() => `board${boards++}`);
  const [cursor, setCursor] = useState(-1);
  const [hovered, setHovered] = useState(-1);
  const [touched, setTouched] = useState(-1);
  const svg = useRef<SVGSVGElement>(null);
  const at = cursor < size * size ? cursor : -1;
  useEffect(() => setTouched(-1), [stones]);

  const pointAt = (event: PointerEvent | MouseEvent): number => {
    const matrix = svg.current?.getScreenCTM();
    if (!matrix) return -1;
    const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const column = Math.floor(place.x / UNIT);
    const row = Math.floor(place.y / UNIT);
    return column >= 0 && column < size && row >= 0 && row < size ? row * size + column : -1;
  };
  const isAllowed = (index: number): boolean => index >= 0 && (props.legal === undefined || props.legal[index] === "1");
  const hover = (index: number): void => {
    if (index === hovered) return;
    setHovered(index);
    props.onHover?.(index < 0 ? "" : nameOf(index, size));
  };
  const take = (index: number): void => {
    setTouched(-1);
    if (isAllowed(index)) onPoint?.(nameOf(index, size));
  };
  const isTouch = useRef(false);
  const click = (event: MouseEvent): void => {
    const index = pointAt(event);
    // A finger is wider than a point: its first tap shows where the stone would be, the second one puts it there.
    if (isTouch.current && index !== touched && props.legal !== undefined) setTouched(isAllowed(index) ? index : -1);
    else take(index);
    hover(index);
  };
  const press = (event: KeyboardEvent): void => {
    const steps: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const step = steps[event.key];
    if (at < 0 || !onPoint) return; // the keys are the game's
    if (step) {
      const column = Math.max(0, Math.min(size - 1, (at % size) + step[0]));
      const row = Math.max(0, Math.min(size - 1, Math.floor(at / size) + step[1]));
      setCursor(row * size + column);
      props.onHover?.(nameOf(row * size + column, size));
    } else if (event.key === "Enter" || event.key === " ") take(at);
    else if (event.key === "Escape") setCursor(-1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const edge = props.hasCoordinates ? 1.75 * fontOf(size) : UNIT * 0.2;
  const ghost = touched >= 0 ? touched : hovered;
  return (
    <div class="board">
      <svg
        ref={svg}
        viewBox={`${-edge} ${-edge} ${UNIT * size + 2 * edge} ${UNIT * size + 2 * edge}`}
        role="grid"
        tabindex={0}
        aria-label={props.label}
        aria-activedescendant={at >= 0 ? `${name}-${at}` : undefined}
        onKeyDown={press}
        onPointerDown={(event) => (isTouch.current = event.pointerType === "touch")}
        onPointerMove={(event) => event.pointerType !== "touch" && hover(pointAt(event))}
        onPointerLeave={() => hover(-1)}
        onFocus={() => cameByTab() && onPoint && setCursor(Math.floor((size * size) / 2))}
        onBlur={() => setCursor(-1)}
        onClick={click}
      >
        <rect x={-edge} y={-edge} width={UNIT * size + 2 * edge} height={UNIT * size + 2 * edge} rx={UNIT * 0.12} class="wood" aria-hidden="true" />
        <rect x={-edge} y={-edge} width={UNIT * size + 2 * edge} height={UNIT * size + 2 * edge} rx={UNIT * 0.12} fill="url(#grain)" aria-hidden="true" />
        <Grid size={size} hasCoordinates={props.hasCoordinates} />
        <g aria-hidden="true">
          {props.ownership?.map((owner, index) => (Math.abs(owner) > 8 ? <Owner key={index} index={index} size={size} owner={owner} /> : null))}
        </g>
        <Stones size={size} stones={stones} dead={(props.dead ?? []).join(" ")} />
        <g aria-hidden="true">
          {props.ownership?.map((owner, index) =>
            stones[index] !== "." && Math.abs(owner) > 20 && owner > 0 !== (stones[index] === "X") ? (
              <rect
                key={index}
                x={x(index, size) - UNIT * 0.17}
                y={y(index, size) - UNIT * 0.17}
                width={UNIT * 0.34}
                height={UNIT * 0.34}
                class={owner > 0 ? "taken black" : "taken white"}
              />
            ) : null,
          )}
          {props.values?.map((value, index) =>
            Math.abs(value) > 0.05 ? (
              <rect key={index} x={x(index, size) - UNIT * 0.5 * Math.abs(value)} y={y(index, size) - UNIT * 0.5 * Math.abs(value)} width={UNIT * Math.abs(value)} height={UNIT * Math.abs(value)} opacity={0.75} class={value < 0 ? "weight negative" : "weight"} />
            ) : null,
          )}
          {props.dots?.map((dot) => {
            const index = indexOf(dot.at, size);
            return <circle key={dot.at} cx={x(index, size)} cy={y(index, size)} r={UNIT * (0.1 + 0.16 * dot.strength)} class="dot" />;
          })}
          {props.arrows?.map(({ from, to }) => {
            const [a, b] = [indexOf(from, size), indexOf(to, size)];
            if (a < 0 || b < 0) return null;
            return (
              <g key={from} class={props.arrows!.length > 20 ? "arrow thin" : "arrow"}>
                <path d={`M${x(a, size)} ${y(a, size)}L${x(b, size)} ${y(b, size)}`} />
                <circle cx={x(b, size)} cy={y(b, size)} r={UNIT * 0.13} />
              </g>
            );
          })}
          {[...(props.territory ?? "")].map((owner, index) =>
            owner !== "." && (stones[index] === "." || props.dead?.includes(nameOf(index, size))) ? (
              <rect key={index} x={x(index, size) - UNIT * 0.16} y={y(index, size) - UNIT * 0.16} width={UNIT * 0.32} height={UNIT * 0.32} class={`territory ${owner === "X" ? "black" : "white"}`} />
            ) : null,
          )}
          {props.dimmed?.map((name) => (
            <rect key={name} x={x(indexOf(name, size), size) - UNIT / 2} y={y(indexOf(name, size), size) - UNIT / 2} width={UNIT} height={UNIT} class="dimmed" />
          ))}
          {props.ko && <rect x={x(indexOf(props.ko, size), size) - UNIT * 0.2} y={y(indexOf(props.ko, size), size) - UNIT * 0.2} width={UNIT * 0.4} height={UNIT * 0.4} class="ko" />}
          {Object.entries(props.line?.length ? {} : (props.numbers ?? {})).map(([name, number]) => {
            const index = indexOf(name, size);
            return <Label key={name} x={x(index, size)} y={y(index, size)} text={String(number)} class={`number on-${stones[index] === "X" ? "black" : "white"}${name === props.last ? " latest" : ""}`} />;
          })}
          {props.last && indexOf(props.last, size) >= 0 && !props.line?.length && !props.numbers && (
            <circle
              cx={x(indexOf(props.last, size), size)}
              cy={y(indexOf(props.last, size), size)}
              r={UNIT * 0.2}
              class={`last on-${stones[indexOf(props.last, size)] === "X" ? "black" : "white"}`}
            />
          )}
          <Drawn lines={props.drawn ?? []} size={size} />
          {Object.entries(props.signs ?? {}).map(([at, sign]) => (
            <Sign key={at} index={indexOf(at, size)} size={size} sign={sign} stone={stones[indexOf(at, size)] ?? "."} />
          ))}
        </g>
        {!props.line?.length && props.marks?.map((mark) => <Candidate key={mark.at} mark={mark} size={size} />)}
        {props.next && indexOf(props.next, size) >= 0 && !props.line?.length && (
          <circle cx={x(indexOf(props.next, size), size)} cy={y(indexOf(props.next, size), size)} r={UNIT * 0.5} class="next">
            <title>The game goes on with {props.next}</title>
          </circle>
        )}
        {props.line?.length ? <Line line={props.line} size={size} turn={turn} /> : null}
        {ghost >= 0 && onPoint && props.legal?.[ghost] === "1" && !props.line?.length && (
          <circle aria-hidden="true" cx={x(ghost, size)} cy={y(ghost, size)} r={UNIT * 0.475} class={`ghost ${turn}`} />
        )}
        <Cells size={size} stones={stones} name={name} />
        {at >= 0 && (
          <rect aria-hidden="true" x={x(at, size) - UNIT / 2} y={y(at, size) - UNIT / 2} width={UNIT} height={UNIT} rx={4} class="cursor" />
        )}
      </svg>
      {touched >= 0 && (
        <div class="confirm">
          <button type="button" class="strong" onClick={() => take(touched)}>
            Play {nameOf(touched, size)}
          </button>
          <button type="button" onClick={() => setTouched(-1)}>
            Not there
          </button>
        </div>
      )}
    </div>
  );
}
