// A search tree as files: SVG, PNG, JSON and Graphviz.
import { colorOf, percent, short } from "./numbers";
import { save } from "./store";
import { ROW, curveOf, widthOf, type Picture, type Placed } from "./treelayout";

const INK = "#23211d";
const SOFT = "#655f54";
const FONT = "system-ui, sans-serif";

export const FORMATS = ["SVG", "PNG", "JSON", "Graphviz"] as const;
export type Format = (typeof FORMATS)[number];

interface Shapes {
  path: (d: string, width: number, color: string) => void;
  circle: (at: Placed, radius: number, fill: string, stroke: string, width: number) => void;
  text: (x: number, y: number, text: string, size: number, color: string) => void;
}

/** Draw a tree with the shapes of a format. */
function draw(picture: Picture, scheme: "usual" | "blind", shapes: Shapes): void {
  const all = picture.nodes.find((node) => !node.key)?.data.node.visits ?? 1;
  for (const link of picture.links) {
    const { visits, mean } = link.target.data.node;
    shapes.path(curveOf(link), widthOf(visits, all), mean === null ? SOFT : colorOf(scheme, mean));
  }
  for (const at of picture.nodes) {
    const { node } = at.data;
    shapes.circle(at, 10, node.color === "black" ? "#1b1c1e" : "#fdfbf5", node.mean === null ? SOFT : colorOf(scheme, node.mean), 4);
    shapes.text(at.x + (at.key ? 16 : -12), at.y - (at.key ? 12 : 20), node.move || "root", 12, INK);
    shapes.text(at.x + (at.key ? 16 : 22), at.y + (at.key ? 13 : -20), labelOf(at), 10, SOFT);
  }
}

export const labelOf = ({ data: { node } }: Placed): string => `${short(node.visits)}${node.mean === null ? "" : ` · ${percent(node.mean, 0)}`}`;

function asSvg(picture: Picture, scheme: "usual" | "blind"): string {
  const parts: string[] = [];
  draw(picture, scheme, {
    path: (d, width, color) => parts.push(`<path d="${d}" fill="none" stroke="${color}" stroke-opacity="0.55" stroke-width="${width.toFixed(2)}"/>`),
    circle: (at, radius, fill, stroke, width) => parts.push(`<circle cx="${at.x}" cy="${at.y}" r="${radius}" fill="${fill}" stroke="${stroke}" stroke-width="${width}"/>`),
    text: (x, y, text, size, color) => parts.push(`<text x="${x}" y="${y}" font-size="${size}" fill="${color}" dominant-baseline="middle">${text}</text>`),
  });
  const box = `${-ROW} ${-ROW} ${picture.width + 2 * ROW} ${picture.height + ROW}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}" font-family="${FONT}"><title>Search tree</title>\n${parts.join("\n")}\n</svg>\n`;
}

function asPng(picture: Picture, scheme: "usual" | "blind", done: (image: Blob) => void): void {
  const canvas = document.createElement("canvas");
  const scale = Math.min(2, 8000 / (picture.width + 2 * ROW), 8000 / (picture.height + ROW));
  canvas.width = scale * (picture.width + 2 * ROW);
  canvas.height = scale * (picture.height + ROW);
  const context = canvas.getContext("2d")!;
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.setTransform(scale, 0, 0, scale, scale * ROW, scale * ROW);
  context.textBaseline = "middle";
  draw(picture, scheme, {
    path: (d, width, color) => {
      context.globalAlpha = 0.55;
      context.strokeStyle = color;
      context.lineWidth = width;
      context.stroke(new Path2D(d));
      context.globalAlpha = 1;
    },
    circle: (at, radius, fill, stroke, width) => {
      context.beginPath();
      context.arc(at.x, at.y, radius, 0, 7);
      context.fillStyle = fill;
      context.fill();
      context.strokeStyle = stroke;
      context.lineWidth = width;
      context.stroke();
    },
    text: (x, y, text, size, color) => {
      context.font = `${size}px ${FONT}`;
      context.fillStyle = color;
      context.fillText(text, x, y);
    },
  });
  canvas.toBlob((image) => image && done(image), "image/png");
}

function asDot(picture: Picture): string {
  const name = (at: Placed): string => `"${at.key || "root"}"`;
  const all = picture.nodes.find((node) => !node.key)?.data.node.visits ?? 1;
  const nodes = picture.nodes.map((at) => {
    const isBlack = at.data.node.color === "black";
    return `  ${name(at)} [label="${at.data.node.move || "root"}\\n${labelOf(at)}", style=filled, fillcolor=${isBlack ? "black, fontcolor=white" : "white"}];`;
  });
  const links = picture.links.map(({ source, target }) => `  ${name(source)} -> ${name(target)} [penwidth=${widthOf(target.data.node.visits, all).toFixed(2)}];`);
  return ["digraph tree {", "  rankdir=LR;", "  node [shape=circle];", ...nodes, ...links, "}", ""].join("\n");
}

/** Save the tree that is shown; its nodes have their lines, so that JSON needs no nesting. */
export function saveTree(picture: Picture, preset: string, scheme: "usual" | "blind", format: Format): void {
  const name = `tree-${preset}`;
  if (format === "SVG") save(`${name}.svg`, new Blob([asSvg(picture, scheme)], { type: "image/svg+xml" }));
  else if (format === "PNG") asPng(picture, scheme, (image) => save(`${name}.png`, image));
  else if (format === "Graphviz") save(`${name}.dot`, new Blob([asDot(picture)], { type: "text/vnd.graphviz" }));
  else save(`${name}.json`, new Blob([JSON.stringify({ preset, nodes: picture.nodes.map((at) => at.data.node) }, null, 1)], { type: "application/json" }));
}

