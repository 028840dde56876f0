"""``kikashi analyze``: games reviewed, in the terminal and as files."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kikashi.cli.completing import complete_preset
from kikashi.cli.options import INTERRUPTED, PlayerOptions, player_options

if TYPE_CHECKING:
    from kikashi.engine.player import Player
    from kikashi.game import Game
    from kikashi.review.review import Review
    from kikashi.sgf import Node

STANDARD_INPUT = Path("-")


@click.command()
@click.argument("game", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path))
@click.option(
    "--preset", default="kikashi", shell_complete=complete_preset, help="Who reviews the game; see kikashi presets."
)
@click.option("--output", type=click.Path(path_type=Path), help="The annotated game; else GAME.analysed.sgf beside it.")
@click.option("--svg", type=click.Path(path_type=Path), help="The graph; else GAME.analysed.svg beside the game.")
@click.option("--mistakes", type=click.IntRange(min=0), default=5, help="How many mistakes to show.")
@click.option("--game", "number", type=click.IntRange(min=1), help="Only this game of a collection.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, a line a game; write only the files that are named.")
@player_options
def analyze(
    game: Path,
    preset: str,
    output: Path | None,
    svg: Path | None,
    mistakes: int,
    number: int | None,
    as_json: bool,
    options: PlayerOptions,
) -> None:
    """Review a game: win rate and score after every move, the mistakes and what was better.

    GAME is an SGF file, or - for standard input; all games of a collection are reviewed, one after the other, into one
    file; the graph of the second is GAME.analysed-2.svg. Each position gets 1000 simulations if neither simulations nor
    seconds are given. A game with an illegal move is reviewed up to it. Ctrl-C ends the review early; what was reviewed
    until then is shown and written.
    """
    from kikashi.engine.limits import Limit
    from kikashi.review import review

    records = list(_records(game, number))
    if not as_json and game != STANDARD_INPUT:
        output, svg = output or game.with_suffix(".analysed.sgf"), svg or game.with_suffix(".analysed.svg")
    graphs = [record.numbered(svg, of=len(records)) for record in records if svg is not None]
    review.check_outputs(game, [file for file in (output, *graphs) if file is not None])
    player = options.player(preset, Limit(simulations=1000))
    done: list[_Reviewed] = []
    for record in records:
        reviewed = record.reviewed_by(player)
        if reviewed is None:
            break
        done.append(reviewed)
        if as_json:
            click.echo(json.dumps(reviewed.as_json(len(records)) | {"seed": options.seed, "threads": options.threads}))
        else:
            reviewed.show(mistakes, of=len(records))
        if not reviewed.is_whole:
            break
    written = _write(done, output, graphs, mistakes) if done else []
    if written and not as_json:
        click.echo(f"\nwritten: {', '.join(map(str, written))}")
    if not done or not done[-1].is_whole:
        sys.exit(INTERRUPTED)


@dataclass(frozen=True)
class _Record:
    """A game of a file that can be reviewed."""

    number: int
    root: Node
    game: Game
    played: int | None = None
    """The moves up to one that cannot be played; None if all can."""

    def numbered(self, file: Path, of: int) -> Path:
        """The name of a file of its own, beside those of other games."""
        return file if of == 1 or self.number == 1 else file.with_stem(f"{file.stem}-{self.number}")

    def reviewed_by(self, player: Player) -> _Reviewed | None:
        """Its review, of the first moves only after Ctrl-C; None if there is nothing yet."""
        from rich.console import Console
        from rich.progress import track

        from kikashi.review import review

        total = len(review.played_moves(self.game))
        moves: list[review.MoveReview] = []
        steps = review.walk(player, self.game)
        try:
            # One by one: what is there at Ctrl-C stays.
            moves.extend(track(steps, "reviewing", total, console=Console(stderr=True), transient=True))
        except KeyboardInterrupt:
            if not moves:
                return None
        return _Reviewed(self, review.summarise(player, self.game, moves))


@dataclass(frozen=True)
class _Reviewed:
    record: _Record
    review: Review

    @property
    def is_whole(self) -> bool:
        return len(self.review.moves) == self.review.total

    def as_json(self, of: int) -> dict[str, Any]:
        scoring = {"scoring": self.record.game.rules.scoring}
        return self.review.as_json() | scoring | ({"game": self.record.number} if of > 1 else {})

    def annotated(self, mistakes: int) -> Node:
        from kikashi.review.annotation import annotated

        return annotated(self.review, self.record.root, mistakes, played=self.record.played)

    def show(self, mistakes: int, of: int) -> None:
        from rich.console import Console

        from kikashi.review import graph, review

        console = Console()
        if of > 1:
            click.echo(f"game {self.record.number}")
        console.print(graph.as_text(self.review, console.width, mistakes=mistakes))
        click.echo(f"by {self.record.game.rules.in_words}")
        click.echo(f"\n{review.mistake_lines(self.review, mistakes)}" + ("\n" if of > 1 else ""))


def _records(file: Path, number: int | None) -> Iterator[_Record]:
    """The games of a file, or one of them. Says which are left out, and where rules are not ours.

    Raises SGFError, OSError, and ValueError if nothing is left.
    """
    from kikashi import sgf
    from kikashi.review import review
    from kikashi.wording import plural

    roots = sgf.parse(sys.stdin.buffer.read()) if file == STANDARD_INPUT else sgf.load(file)
    if number is not None and number > len(roots):
        raise ValueError(f"{file} has {plural(len(roots), 'game')}, so there is no game {number}")
    wanted = [(i, root) for i, root in enumerate(roots, start=1) if number is None or number == i]
    found = False
    for i, root in wanted:
        say = _sayer(f"game {i}: " if len(roots) > 1 else "")
        try:
            game, played = _readable(root, say)
            review.played_moves(game)
        except ValueError as error:
            if len(wanted) == 1:
                raise
            say(f"left out: {error}")
            continue
        found = True
        yield _Record(i, root, game, played)
    if not found:
        raise ValueError(f"no game of {file} can be reviewed")


def _readable(root: Node, say: Callable[[str], None]) -> tuple[Game, int | None]:
    """The game of a tree. If a move cannot be played, the game before it, and how many moves these are; it is told.

    Raises SGFError, also if that is the first move.
    """
    from kikashi import sgf

    try:
        return sgf.read_game(root, doubt=say), None
    except sgf.RecordedMoveError as error:
        if not error.played:
            raise
        say(f"{error}; reviewed up to there")
        return sgf.read_game(root, moves=error.played, doubt=say), error.played


def _sayer(prefix: str) -> Callable[[str], None]:
    return lambda line: click.echo(f"{prefix}{line}", err=True)


def _write(done: Iterable[_Reviewed], output: Path | None, graphs: Iterable[Path], mistakes: int) -> list[Path]:
    """Write the files; returns those that could be. What was found is on the screen already: a full disk loses only
    files. Raises OSError for the last that could not be written, when all were tried."""
    from kikashi import sgf
    from kikashi.files import write_whole
    from kikashi.review import graph

    done = list(done)
    texts = [(file, graph.as_svg(each.review, mistakes) + "\n") for file, each in zip(graphs, done, strict=False)]
    if output is not None:
        texts.insert(0, (output, sgf.dump([each.annotated(mistakes) for each in done])))
    written, failed = [], None
    for file, text in texts:
        try:
            write_whole(file, text, make_folders=False)
            written.append(file)
        except OSError as error:
            failed = OSError(error.errno, error.strerror, str(file))
    if failed is not None:
        raise failed
    return written
