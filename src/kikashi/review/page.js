// A reviewed game: a board to step through, the comment on each move, the graph and the better lines.
(() => {
  "use strict";
  const section = document.currentScript.parentElement, find = (name) => section.querySelector(name);
  const { size, positions, comments, lines } = JSON.parse(find('script[type="application/json"]').textContent);
  const canvas = find("canvas"), slider = find("input"), caption = find(".caption"), comment = find(".comment");
  const shown = find(".line"), strips = () => [...document.querySelectorAll(".review-graph .hover")]; // they come later
  let at = 0, step = 0; // the move of the game, and the move of its better line; 0 is the game itself

  const draw = () => {
    const line = lines[at], [stones, last] = step ? line.positions[step] : positions[at];
    const marks = line && step ? line.points.slice(0, step).map((p, k) => [p, String(k + 1)]) : [];
    drawBoard(canvas, size, [...stones].map(Number), step ? null : last, marks.filter(([p]) => p !== null));
    slider.value = at;
    caption.textContent = at ? `Move ${at} of ${positions.length - 1}: ${comments[at][0]}` : "The position before the first move";
    comment.textContent = step ? `Better line, move ${step} of ${line.points.length}` : comments[at][1];
    shown.hidden = !line;
    strips().forEach((strip, k) => strip.classList.toggle("now", k + 1 === at));
    section.querySelectorAll("[data-move]").forEach((row) => row.classList.toggle("now", Number(row.dataset.move) === at));
  };
  const go = (to) => { at = Math.max(0, Math.min(positions.length - 1, to)); step = 0; draw(); };
  const along = (by) => { step = Math.max(0, Math.min(lines[at].points.length, step + by)); draw(); };

  const acts = { first: () => go(0), back: () => (step ? along(-1) : go(at - 1)), last: () => go(Infinity),
    forward: () => (step ? along(1) : go(at + 1)), line: () => along(1), game: () => go(at) };
  for (const button of section.querySelectorAll("button[data-act]")) button.addEventListener("click", acts[button.dataset.act]);
  for (const row of section.querySelectorAll("[data-move]")) row.addEventListener("click", () => go(Number(row.dataset.move)));
  document.addEventListener("click", (event) => {
    const strip = event.target.closest(".review-graph .hover");
    if (strip) go(strips().indexOf(strip) + 1);
  });
  slider.max = positions.length - 1;
  slider.addEventListener("input", () => go(Number(slider.value)));
  canvas.addEventListener("click", (event) => (event.offsetX < canvas.clientWidth / 2 ? acts.back() : acts.forward()));
  document.addEventListener("keydown", (event) => {
    if (event.target === slider || event.altKey || event.ctrlKey || event.metaKey) return;
    const act = { ArrowLeft: acts.back, ArrowRight: acts.forward, Home: acts.first, End: acts.last,
      ArrowDown: () => lines[at] && along(1), ArrowUp: () => step && along(-1) }[event.key];
    if (act) { event.preventDefault(); act(); }
  });
  go(Number(section.dataset.start));
  document.addEventListener("DOMContentLoaded", draw);
})();
