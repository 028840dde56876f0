// Points of a board: their names, and where they are. Indices begin at the upper left and go row by row.
const LETTERS = "ABCDEFGHJKLMNOPQRST";

export const columnName = (column: number): string => LETTERS[column] ?? "?";
export const nameOf = (index: number, size: number): string => `${columnName(index % size)}${size - Math.floor(index / size)}`;

export function indexOf(name: string, size: number): number {
  const column = LETTERS.indexOf(name[0] ?? "");
  const row = size - Number(name.slice(1));
  return column < 0 || column >= size || !(row >= 0 && row < size) ? -1 : row * size + column;
}

export function stars(size: number): number[] {
  if (size < 7) return [];
  const low = size < 13 ? 2 : 3;
  const corners = [low, size - 1 - low];
  const middle = (size - 1) / 2;
  const lines = size % 2 && size >= 15 ? [...corners, middle] : corners;
  const found = lines.flatMap((row) => lines.map((column) => row * size + column));
  if (size % 2 && size < 15) found.push(middle * size + middle);
  return found;
}

/** The stones after the first moves of a playout. */
export function stonesAfter(stones: string, size: number, steps: { color: string; move: string; captured: string[] }[], count: number): string {
  const after = [...stones];
  for (const step of steps.slice(0, count)) {
    const index = indexOf(step.move, size);
    if (index >= 0) after[index] = step.color === "black" ? "X" : "O";
    for (const name of step.captured) after[indexOf(name, size)] = ".";
  }
  return after.join("");
}

/** The stones after moves from a position, the players in turn; what is taken is taken off. */
export function stonesAlong(stones: string, size: number, turn: "black" | "white", moves: string[]): string {
  const after = [...stones];
  moves.forEach((move, number) => {
    const index = indexOf(move, size);
    if (index < 0) return;
    const own = (turn === "black") === (number % 2 === 0) ? "X" : "O";
    after[index] = own;
    for (const next of around(index, size)) if (after[next] !== own) takeOff(after, size, next);
    takeOff(after, size, index);
  });
  return after.join("");
}

function around(index: number, size: number): number[] {
  const column = index % size;
  const found = [index - size, index + size].filter((next) => next >= 0 && next < size * size);
  if (column > 0) found.push(index - 1);
  if (column < size - 1) found.push(index + 1);
  return found;
}

/** Take a chain off if it has no liberty. */
function takeOff(stones: string[], size: number, start: number): void {
  const color = stones[start];
  if (color === ".") return;
  const chain = new Set([start]);
  for (const index of chain)
    for (const next of around(index, size)) {
      if (stones[next] === ".") return;
      if (stones[next] === color) chain.add(next);
    }
  for (const index of chain) stones[index] = ".";
}
