"""The demonstration: one playout, live, and how many of them a second gives."""

from __future__ import annotations

import time

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from kikashi.board.points import BLACK, PASS, WHITE, color_name, vertex
from kikashi.board.position import new_board
from kikashi.board.scoring import playout_score
from kikashi.game.diagram import format_diagram
from kikashi.playout import make_policy, new_root, play_out, sample
from kikashi.playout.policy import Policy
from kikashi.terminal import draw

SIZE = 9
KOMI = 7.5


def run(console: Console, *, seed: int, delay: float = 0.06, seconds: float = 3.0) -> None:
    """Show a playout on the empty board, then a benchmark. Plain lines where there is no terminal."""
    policy = make_policy("uniform")
    score = _watch(console, policy, seed, delay) if console.is_terminal else _list(console, policy, seed)
    winner = "Black" if score > KOMI else "White"
    console.print(f"That was one playout: {winner} wins by {abs(score - KOMI)} with komi {KOMI} (seed {seed}).")
    totals = sample(policy, new_root(new_board(SIZE)), seconds=seconds, seed=seed)
    console.print(
        f"{totals.playouts:,} more in {totals.seconds:.1f} s on one thread: "
        f"{totals.playouts / totals.seconds:,.0f} playouts/s, {totals.moves / totals.seconds:,.0f} moves/s; "
        f"Black wins {totals.black_wins(KOMI):.1%} of them.",
        soft_wrap=True,
    )


def _watch(console: Console, policy: Policy, seed: int, delay: float) -> int:
    """Draw the board after every move; returns the score."""
    score = 0
    with Live(console=console, auto_refresh=False) as live:
        for number, (move, board) in enumerate(play_out(policy, new_root(new_board(SIZE)), seed=seed), 1):
            mover = color_name(BLACK if number % 2 else WHITE)
            line = Text(f"move {number:3}  {mover} {vertex(move):5} {board['captured']} captured", style="bold")
            live.update(Group(draw(board, move), line), refresh=True)
            time.sleep(4 * delay if move == PASS else delay)
            score = int(playout_score(board))
    return score


def _list(console: Console, policy: Policy, seed: int) -> int:
    """Print the moves and the last position as text; returns the score."""
    game = list(play_out(policy, new_root(new_board(SIZE)), seed=seed))
    _, final = game[-1]
    console.print(" ".join(vertex(move) for move, _ in game), soft_wrap=True)
    console.print(format_diagram(SIZE, lambda p: int(final["color"][p])), soft_wrap=True)
    return int(playout_score(final))
