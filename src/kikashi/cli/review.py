"""``kikashi review``: games reviewed, in the terminal and as files."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kikashi.cli import options as shared
from kikashi.cli.streams import INTERRUPTED, tell

if TYPE_CHECKING:
    from kikashi.engine.player import Player
    from kikashi.game import Game
    from kikashi.review.review import Review
    from kikashi.sgf import Node

STANDARD_INPUT = Path("-")


@click.command()
@click.argument("game", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path))
@shared.preset_option("The reviewer; see kikashi presets.")
@click.option("--output", type=shared.PATH, help="The annotated game; else GAME.analysed.sgf beside it.")
@click.option("--svg", type=shared.PATH, help="The graph; else GAME.analysed.svg beside the game.")
@click.option("--html", "page", type=shared.PATH, help="A page with a board to click through, in one file.")
@click.option("--mistakes", type=shared.NATURAL, default=5, help="Mistakes to show, at most.")
@click.option("--game", "number", type=shared.COUNT, help="Only this game of a collection.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, a line a game; write only the files that are named.")
@shared.player_options
def review(
    game: Path,
    preset: str,
    output: Path | None,
    svg: Path | None,
    page: Path | None,
    mistakes: int,
    number: int | None,
    as_json: bool,
    options: shared.PlayerOptions,
) -> None:
    """Review a game: win rate and score after every move, the mistakes and better lines.

    GAME is an SGF file, or - for standard input. All games of a collection are reviewed, one after the other, into one
    file; the graph of the second is GAME.analysed-2.svg, and pages of HTML are numbered likewise. Each position gets
    1000 simulations if neither simulations nor seconds are given. A game with an illegal move is reviewed up to it.
    Ctrl-C ends the review early; the moves reviewed before are shown and written.
    """
    from kikashi.engine.limits import Limit
    from kikashi.review.review import check_outputs

    records = list(_records(game, number))
    if not as_json and game != STANDARD_INPUT:
        output, svg = output or game.with_suffix(".analysed.sgf"), svg or game.with_suffix(".analysed.svg")
    graphs, pages = _numbered(svg, records), _numbered(page, records)
    check_outputs(game, [file for file in (output, *graphs, *pages) if file is not None])
    player = options.player(preset, Limit(simulations=1000))
    done: list[tuple[_Record, Review]] = []
    is_whole = True
    for record in records:
        found = _review(player, record.game)
        is_whole = found is not None and len(found.moves) == found.total
        if found is None:
            break
        done.append((record, found))
        label = {"game": record.number} if len(records) > 1 else {}
        if as_json:
            settings = {"scoring": record.game.rules.scoring, **label, "seed": options.seed, "threads": options.threads}
            click.echo(json.dumps(found.as_json() | settings))
        else:
            _show(record, found, mistakes, is_labelled=bool(label))
        if not is_whole:
            break
    if done:
        written = _write(done, output, graphs, pages, mistakes)
        if written and not as_json:
            click.echo(f"\nwritten: {', '.join(map(str, written))}")
    if not is_whole:
        sys.exit(INTERRUPTED)


@dataclass(frozen=True)
class _Record:
    number: int
    root: Node
    game: Game
    legal: int | None = None
    """Number of moves before an illegal one; None if all are legal."""


def _numbered(file: Path | None, records: Sequence[_Record]) -> list[Path]:
    """Return a name for each record; the first game, or the only one, has the name itself. None without a file."""
    if file is None or len(records) == 1:
        return [] if file is None else [file]
    return [file if one.number == 1 else file.with_stem(f"{file.stem}-{one.number}") for one in records]


def _records(file: Path, number: int | None) -> Iterator[_Record]:
    """Yield the games of a file, or one of them; warn of games left out and of rules that are not ours.

    Raises SGFError, OSError, and ValueError if nothing is left.
    """
    from kikashi import sgf
    from kikashi.review.review import played_moves
    from kikashi.wording import plural

    roots = sgf.parse(sys.stdin.buffer.read()) if file == STANDARD_INPUT else sgf.load(file)
    if number is not None and number > len(roots):
        raise ValueError(f"{file} has {plural(len(roots), 'game')}, so there is no game {number}")
    chosen = [(i, root) for i, root in enumerate(roots, start=1) if number is None or number == i]
    found = False
    for i, root in chosen:
        prefix = f"game {i}: " if len(roots) > 1 else ""
        try:
            record = _read(i, root, prefix)
            played_moves(record.game)
        except ValueError as error:
            if len(chosen) == 1:
                raise
            tell(f"{prefix}left out: {error}")
            continue
        found = True
        yield record
    if not found:
        raise ValueError(f"no game of {file} can be reviewed")


def _read(number: int, root: Node, prefix: str) -> _Record:
    """Read the game of a tree, up to an illegal move if it has one. Raises SGFError, also if that is the first move."""
    from kikashi import sgf

    def warn(line: str) -> None:
        tell(f"{prefix}{line}")

    try:
        return _Record(number, root, sgf.read_game(root, doubt=warn))
    except sgf.RecordedMoveError as error:
        if not error.played:
            raise
        warn(f"{error}; reviewed up to there")
        return _Record(number, root, sgf.read_game(root, moves=error.played, doubt=warn), error.played)


def _review(player: Player, game: Game) -> Review | None:
    """Review a game, or its first moves if Ctrl-C ends it; None if there is no move yet."""
    from rich.console import Console
    from rich.progress import track

    from kikashi.review.review import MoveReview, played_moves, summarise, walk

    total = len(played_moves(game))
    moves: list[MoveReview] = []
    try:  # extend takes them one by one: those reviewed before Ctrl-C stay
        moves.extend(track(walk(player, game), "reviewing", total, console=Console(stderr=True), transient=True))
    except KeyboardInterrupt:
        if not moves:
            return None
    return summarise(player, game, moves)


def _show(record: _Record, found: Review, mistakes: int, *, is_labelled: bool) -> None:
    from rich.console import Console

    from kikashi.review import graph
    from kikashi.review.review import mistake_lines

    console = Console()
    if is_labelled:
        click.echo(f"game {record.number}")
    console.print(graph.as_text(found, console.width, mistakes=mistakes))
    click.echo(f"by {record.game.rules.in_words}")
    click.echo(f"\n{mistake_lines(found, mistakes)}" + ("\n" if is_labelled else ""))


def _write(
    done: Sequence[tuple[_Record, Review]],
    output: Path | None,
    graphs: Sequence[Path],
    pages: Sequence[Path],
    mistakes: int,
) -> list[Path]:
    """Try to write all files, and return those that were written. Raises OSError for the last that was not."""
    from kikashi import sgf
    from kikashi.files import write_whole
    from kikashi.review import graph
    from kikashi.review.annotation import annotated
    from kikashi.review.page import as_html

    texts = [(file, graph.as_svg(found, mistakes) + "\n") for file, (_, found) in zip(graphs, done, strict=False)]
    texts += [(file, as_html(found, record.game, mistakes)) for file, (record, found) in zip(pages, done, strict=False)]
    if output is not None:
        trees = [annotated(found, record.root, mistakes, played=record.legal) for record, found in done]
        texts.insert(0, (output, sgf.dump(trees)))
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
