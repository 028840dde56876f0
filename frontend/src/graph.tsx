// Curves: uPlot with the colours of the page.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

export interface Curve {
  label: string;
  values: (number | null)[];
  color: string; // the name of a colour of the style sheet
  scale?: "y" | "score";
  width?: number;
  dash?: number[];
  fill?: string;
}

interface Props {
  label: string;
  xs: number[];
  curves: Curve[];
  at?: number; // where a line stands
  range?: [number, number];
  format?: (value: number) => string;
  formatScore?: (value: number) => string;
  height?: number;
  titles?: { x: string; y: string };
  isLogarithmic?: boolean; // of x
  theme: string;
  onPick?: (x: number) => void;
}

const WHOLE = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000]; // there is no half of a move

const cssColor = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim() || "#888";

const decades = (_: uPlot, __: number, low: number, high: number): number[] =>
  Array.from({ length: 12 }, (_, power) => 10 ** power).filter((at) => at >= low && at <= high);

const named = (title: string | undefined) => (title ? { label: title, labelSize: 18, labelFont: "12px system-ui", labelGap: 0 } : {});

export function Graph(props: Props) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const shape = `${props.curves.map((curve) => `${curve.label}${curve.color}${curve.scale}`).join()} ${props.theme} ${props.range}`;
  useEffect(() => {
    const box = place.current;
    if (!box) return undefined;
    const { curves, range, format, formatScore, height = 170, titles, isLogarithmic } = latest.current;
    const axis = { stroke: cssColor("soft"), grid: { stroke: cssColor("rule"), width: 1 }, ticks: { show: false }, font: "11px system-ui" };
    const hasScore = curves.some((curve) => curve.scale === "score");
    const made = new uPlot(
      {
        width: Math.max(200, box.clientWidth),
        height,
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, points: { size: 7 } },
        scales: {
          x: { time: false, ...(isLogarithmic ? { distr: 3 as const } : {}) },
          y: range ? { range } : {},
          score: { range: (_, low, high) => { const most = Math.max(5, Math.abs(low), Math.abs(high)); return [-most, most]; } },
        },
        axes: [
          { ...axis, size: 26, ...(isLogarithmic ? { splits: decades } : { incrs: WHOLE }), ...named(titles?.x) },
          { ...axis, size: 44, ...named(titles?.y), values: (_, ticks) => ticks.map((tick) => (format ? format(tick) : String(tick))) },
          ...(hasScore
            ? [{ ...axis, scale: "score", side: 1 as const, size: 40, grid: { show: false }, values: (_: uPlot, ticks: number[]) => ticks.map((tick) => (formatScore ? formatScore(tick) : String(tick))) }]
            : []),
        ],
        series: [
          {},
          ...curves.map((curve) => ({
            label: curve.label,
            scale: curve.scale ?? "y",
            stroke: cssColor(curve.color),
            width: curve.width ?? 2,
            ...(curve.dash ? { dash: curve.dash } : {}),
            ...(curve.fill ? { fill: cssColor(curve.fill) } : {}),
            spanGaps: true,
            points: { size: 5 },
          })),
        ],
        hooks: {
          draw: [
            (u) => {
              const at = latest.current.at;
              if (at === undefined) return;
              const left = u.valToPos(at, "x", true);
              u.ctx.save();
              u.ctx.strokeStyle = cssColor("accent");
              u.ctx.lineWidth = 2 * devicePixelRatio;
              u.ctx.beginPath();
              u.ctx.moveTo(left, u.bbox.top);
              u.ctx.lineTo(left, u.bbox.top + u.bbox.height);
              u.ctx.stroke();
              u.ctx.restore();
            },
          ],
        },
      },
      [props.xs, ...props.curves.map((curve) => curve.values)],
      box,
    );
    plot.current = made;
    const pick = (event: MouseEvent): void => {
      const found = made.posToVal(event.clientX - made.over.getBoundingClientRect().left, "x");
      latest.current.onPick?.(Math.round(found));
    };
    made.over.addEventListener("click", pick);
    const observer = new ResizeObserver(() => made.setSize({ width: Math.max(200, box.clientWidth), height }));
    observer.observe(box);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [shape]);
  useEffect(() => {
    plot.current?.setData([props.xs, ...props.curves.map((curve) => curve.values)]);
  }, [props.xs, props.curves, props.at]);
  return <div ref={place} class="graph" role="img" aria-label={props.label} />;
}
