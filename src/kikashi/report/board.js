// A board on a canvas, which the viewers of games and reviews share.
const drawBoard = (canvas, size, stones, last = null, marks = []) => {
  // stones: 0 empty, 1 Black, 2 White, row by row from A1; marks: [point, text], over a stone or a faint disc
  const letters = "ABCDEFGHJKLMNOPQRSTUVWXYZ", side = 800, cell = side / (size + 1), pen = canvas.getContext("2d");
  const place = (p) => [(p % size + 1) * cell, side - (Math.floor(p / size) + 1) * cell];
  const disc = (x, y, r) => { pen.beginPath(); pen.arc(x, y, r, 0, 7); };
  canvas.width = canvas.height = side;
  pen.fillStyle = "#dfb878"; pen.fillRect(0, 0, side, side);
  pen.strokeStyle = "#6b4d22"; pen.fillStyle = "#4a3414"; pen.lineWidth = 1.5;
  pen.font = `${0.36 * cell}px system-ui, sans-serif`; pen.textAlign = "center"; pen.textBaseline = "middle";
  for (let k = 1; k <= size; k++) {
    pen.beginPath();
    pen.moveTo(k * cell, cell); pen.lineTo(k * cell, size * cell);
    pen.moveTo(cell, k * cell); pen.lineTo(size * cell, k * cell);
    pen.stroke();
    pen.fillText(letters[k - 1], k * cell, side - 0.3 * cell);
    pen.fillText(String(k), 0.3 * cell, side - k * cell);
  }
  stones.forEach((color, p) => {
    if (!color) return;
    const [x, y] = place(p);
    disc(x, y, 0.47 * cell);
    pen.fillStyle = color === 1 ? "#1c1c1e" : "#fcfbf7"; pen.fill(); pen.stroke();
    if (p !== last) return;
    disc(x, y, 0.2 * cell);
    pen.strokeStyle = color === 1 ? "#fff" : "#1c1c1e"; pen.lineWidth = 3; pen.stroke();
    pen.strokeStyle = "#6b4d22"; pen.lineWidth = 1.5;
  });
  pen.font = `600 ${0.45 * cell}px system-ui, sans-serif`;
  for (const [p, text] of marks) {
    const [x, y] = place(p);
    if (!stones[p]) { disc(x, y, 0.4 * cell); pen.fillStyle = "#35a065"; pen.fill(); }
    pen.fillStyle = stones[p] === 2 ? "#1c1c1e" : "#fff"; pen.fillText(text, x, y);
  }
};
