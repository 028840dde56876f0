// A small board viewer: a click on the first cell of a game's row opens the game. Arrow keys step through its moves.
(() => {
  "use strict";
  const section = document.currentScript.parentElement;
  const games = JSON.parse(section.querySelector('script[type="application/json"]').textContent);
  const letters = "ABCDEFGHJKLMNOPQRSTUVWXYZ";
  let game, at, panel, canvas, slider, caption;

  const point = (name) => {
    const column = letters.indexOf(name[0].toUpperCase()), row = Number(name.slice(1));
    return column >= 0 && row >= 1 ? [column, row - 1] : null; // null for a pass or a resignation
  };

  const neighbours = (size, p) => {
    const x = p % size, y = (p - x) / size;
    return [x > 0 && p - 1, x < size - 1 && p + 1, y > 0 && p - size, y < size - 1 && p + size].filter((n) => n !== false);
  };

  const take = (size, stones, p) => { // removes the chain at p if it has no liberty
    const color = stones[p], chain = [p];
    for (let i = 0; i < chain.length; i++) {
      for (const n of neighbours(size, chain[i])) {
        if (!stones[n]) return;
        if (stones[n] === color && !chain.includes(n)) chain.push(n);
      }
    }
    for (const q of chain) stones[q] = 0;
  };

  const position = () => {
    const { size, handicap, moves } = game, stones = new Array(size * size).fill(0);
    let last = null;
    for (const [x, y] of handicap) stones[y * size + x] = 1;
    moves.slice(0, at).forEach((move, k) => {
      const color = (k + (handicap.length ? 1 : 0)) % 2 ? 2 : 1;
      last = move && move[1] * size + move[0];
      if (last === null) return;
      stones[last] = color;
      for (const n of neighbours(size, last)) if (stones[n] === 3 - color) take(size, stones, n);
      take(size, stones, last);
    });
    return [stones, last];
  };

  const draw = () => {
    const { size, moves, words, names } = game, [stones, last] = position();
    drawBoard(canvas, size, stones, last);
    slider.max = moves.length; slider.value = at;
    caption.textContent = `${words} – move ${at} of ${moves.length}${at ? ": " + names[at - 1] : ""}`;
  };

  const go = (to) => { at = Math.max(0, Math.min(game.moves.length, to)); draw(); };
  const close = () => { panel.remove(); game = null; };

  const build = () => {
    panel = document.createElement("div"); panel.className = "viewer"; panel.setAttribute("role", "dialog");
    panel.setAttribute("aria-label", "Game");
    canvas = document.createElement("canvas");
    slider = document.createElement("input"); slider.type = "range"; slider.min = 0;
    slider.setAttribute("aria-label", "Move");
    slider.addEventListener("input", () => go(Number(slider.value)));
    caption = document.createElement("p");
    panel.append(caption, canvas, slider);
    const steps = [["«", "First", () => go(0)], ["‹", "Back", () => go(at - 1)], ["›", "Forward", () => go(at + 1)],
      ["»", "Last", () => go(Infinity)], ["×", "Close", close]];
    for (const [sign, label, act] of steps) {
      const button = document.createElement("button");
      button.textContent = sign; button.title = label; button.setAttribute("aria-label", label);
      button.addEventListener("click", act);
      panel.append(button, " ");
    }
  };

  const open = (number) => {
    const [words, size, handicap, moves] = games[number], names = moves.split(" ").filter(Boolean);
    game = { words, size, names, moves: names.map(point), handicap: handicap.split(" ").filter(Boolean).map(point) };
    if (!panel) build();
    document.body.append(panel);
    go(Infinity);
  };

  section.querySelectorAll("tbody tr").forEach((row, number) => {
    const button = document.createElement("a"), cell = row.firstElementChild;
    button.href = "#"; button.textContent = "▶"; button.title = "Show the game";
    button.setAttribute("aria-label", `Show game ${cell.textContent}`);
    button.addEventListener("click", (event) => { event.preventDefault(); open(number); });
    cell.append(" ", button);
  });

  document.addEventListener("keydown", (event) => {
    if (!game || event.target === slider) return;
    const act = { ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), Home: () => go(0), End: () => go(Infinity),
      Escape: close }[event.key];
    if (act) { event.preventDefault(); act(); }
  });
})();
