// Visits and means of the root's moves over the simulations of a search.
import { useMemo } from "preact/hooks";
import { Graph, type Curve } from "./graph";
import type { SearchNode, TreeStep } from "./messages";
import { percent, plural, short } from "./numbers";
import type { State } from "./store";

const SHOWN = 6;

const rootMoves = (nodes: SearchNode[]): SearchNode[] => nodes.filter((node) => node.path.length === 1).sort((one, other) => other.visits - one.visits);

export function RootCharts({ state, place }: { state: State; place: number | null }) {
  const { timeline, searchTree, settings } = state;
  const live = searchTree?.nodes;
  const steps = useMemo((): TreeStep[] => {
    const now = live?.[0]?.visits ?? 0;
    const last = timeline[timeline.length - 1]?.simulations ?? 0;
    return live && now > last ? [...timeline, { simulations: now, nodes: live }] : timeline;
  }, [timeline, live]);
  const { names, xs, visits, means } = useMemo(() => curvesOf(steps), [steps]);
  if (steps.length < 2) return null;
  const theme = `${settings.theme}${settings.scheme}`;
  const xTitle = "Simulations";
  const at = place === null ? undefined : timeline[place]?.simulations;
  const span = `from ${short(xs[0]!)} to ${plural(xs[xs.length - 1]!, "simulation")}`;
  return (
    <section class="rootcharts" aria-label="The root's moves over the simulations">
      <figure>
        <figcaption>Visits of the root's moves</figcaption>
        <Graph label={`Visits of ${names.join(", ")}, ${span}`} xs={xs} curves={visits} titles={{ x: xTitle, y: "Visits" }} isLogarithmic format={short} theme={theme} height={190} {...(at ? { at } : {})} />
      </figure>
      <figure>
        <figcaption>Means of the root's moves</figcaption>
        <Graph label={`Means of ${names.join(", ")}, ${span}`} xs={xs} curves={means} titles={{ x: xTitle, y: "Win rate of the mover" }} isLogarithmic range={[0, 1]} format={(value) => percent(value, 0)} theme={theme} height={190} {...(at ? { at } : {})} />
      </figure>
      <ul class="curvekeys">
        {names.map((name, number) => <li key={name}><i class={`curve c${number}`} /> {name}</li>)}
      </ul>
    </section>
  );
}

/** A curve for each of the moves that are most visited in the end. */
function curvesOf(steps: TreeStep[]): { names: string[]; xs: number[]; visits: Curve[]; means: Curve[] } {
  const names = rootMoves(steps[steps.length - 1]?.nodes ?? []).slice(0, SHOWN).map((node) => node.move);
  const rows = steps.map((step) => new Map(rootMoves(step.nodes).map((node) => [node.move, node])));
  const curve = (value: (node: SearchNode | undefined) => number | null) =>
    names.map((name, number): Curve => ({ label: name, color: `c${number}`, values: rows.map((row) => value(row.get(name))) }));
  return {
    names,
    xs: steps.map((step) => step.simulations),
    visits: curve((node) => node?.visits ?? 0),
    means: curve((node) => node?.mean ?? null),
  };
}
