"""Games to learn from: SGF files, folders of them, journals of matches, of tunings and of self-play."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kikashi import sgf
from kikashi.board.points import BLACK, PASS, WHITE, parse_vertex
from kikashi.board.position import Board, new_board
from kikashi.game import RESIGN, Move
from kikashi.learn.self_play import KIND, SelfPlayGame
from kikashi.match.journal import FILE, JournalError, read_header, read_records
from kikashi.match.one_game import GameRecord
from kikashi.match.provenance import settings_of
from kikashi.match.sprt import latest
from kikashi.tune.trials import KIND as TUNING, TrialGame
from kikashi.wording import plural

Tell = Callable[[str], None]
LABELLING = "labelling"
"""The kind of journals that have positions, and no games."""
Wish = Mapping[int, float]
"""By move: how much it was wished for in a position; what was played has 1, or the search's visits are shares."""


@dataclass(frozen=True)
class Lesson:
    """A game to learn from."""

    source: str
    """The folder or file that it is from."""
    size: int
    start: Board
    """The position before the first move."""
    moves: Sequence[Move]
    skipped: int = 0
    """Moves at the beginning that nobody chose."""
    wishes: Sequence[Wish] | None = None
    """For each move after these what the search wished for; None where only the moves are known."""
    movers: frozenset[int] = frozenset({BLACK, WHITE})
    """The colours whose moves are learned from."""

    def wish(self, number: int) -> Wish:
        """What was wished for instead of the move with this number; nothing if that teaches nothing."""
        move = self.moves[number]
        if number < self.skipped or move.color not in self.movers or move.point in (PASS, RESIGN):
            return {}
        if self.wishes is None:
            return {move.point: 1.0}
        return self.wishes[number - self.skipped] if number - self.skipped < len(self.wishes) else {}


def read_lessons(
    paths: Sequence[Path],
    *,
    player: str = "",
    size: int | None = None,
    all_sizes: bool = False,
    tell: Tell = lambda _line: None,
) -> Iterator[Lesson]:
    """The games of files and folders, those of one size, that of the first if nothing is said; or of all sizes.

    With `player` only moves of a player of this name are learned from. Files of a folder that cannot be read are left
    out; that is told in one line. Raises ValueError and OSError if one that is named cannot be.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "game.sgf").write_text("(;SZ[9]PB[a]PW[b];B[ee];W[cg])")
    ...     [lesson] = read_lessons([Path(folder)], player="b")
    >>> [bool(lesson.wish(number)) for number in range(2)]
    [False, True]
    """
    left_out: dict[int, list[str]] = {}
    for path in paths:
        for lesson in _lessons_in(path, player, tell):
            if size is None:
                size = lesson.size
            if lesson.size != size and not all_sizes:
                left_out.setdefault(lesson.size, []).append(lesson.source)
            elif lesson.movers:
                yield lesson
    for other, sources in left_out.items():
        tell(f"left out: {plural(len(sources), 'game')} on {other}x{other}, such as one in {sources[0]}")


def _lessons_in(path: Path, player: str, tell: Tell) -> Iterator[Lesson]:
    if path.name == FILE:
        path = path.parent
    if not path.is_dir():
        yield from _of_file(path, str(path.parent), player)
        return
    journals = [file for file in sorted(path.rglob(FILE)) if read_header(file.parent).get("kind") != LABELLING]
    for journal in journals:
        yield from _of_journal(journal.parent, player)
    inside = [journal.parent for journal in journals]
    found = [file for file in sorted(path.rglob("*.sgf")) if not any(folder in file.parents for folder in inside)]
    if not found and not journals:
        raise ValueError(f"{path} has no games: neither SGF files nor a {FILE}")
    broken = []
    for file in found:
        try:
            yield from _of_file(file, str(file.parent), player)
        except ValueError as error:
            broken.append(f"{file}: {error}")
    if broken:
        tell(f"left out: {plural(len(broken), 'file')} of {path}, such as {broken[0]}")


# --- SGF --------------------------------------------------------------------------------------------------------------


def _of_file(path: Path, source: str, player: str) -> Iterator[Lesson]:
    for root in sgf.load(path):
        game = sgf.read_game(root)
        movers = _movers(game.headers.get("PB", ""), game.headers.get("PW", ""), player)
        yield Lesson(source, game.size, game.root().board, game.moves, movers=movers)


def _movers(black: str, white: str, player: str) -> frozenset[int]:
    return frozenset(color for color, name in ((BLACK, black), (WHITE, white)) if player in ("", name))


# --- journals ---------------------------------------------------------------------------------------------------------


def _of_journal(folder: Path, player: str) -> Iterator[Lesson]:
    header = read_header(folder)
    if header.get("kind") == KIND:
        yield from (_of_self_play(game, str(folder)) for game in read_records(folder, SelfPlayGame))
    elif header.get("kind") == "match":
        size = settings_of(header).size
        yield from _of_records(latest(read_records(folder, GameRecord)), size, str(folder), player)
    elif header.get("kind") == TUNING:
        size, games = header["settings"]["size"], (trial.game for trial in read_records(folder, TrialGame))
        yield from _of_records(games, size, str(folder), player)
    else:
        raise JournalError(f"{folder} holds neither a match nor a tuning nor self-play")


def _of_records(records: Iterable[GameRecord], size: int, source: str, player: str) -> Iterator[Lesson]:
    for record in records:
        if not record.is_void:
            movers = _movers(record.black, record.white, player)
            moves = _named(record.moves, size)
            yield Lesson(source, size, new_board(size), moves, len(record.opening), movers=movers)


def _of_self_play(record: SelfPlayGame, source: str) -> Lesson:
    wishes = [_shares(visits, record.size) for visits in record.visits]
    moves = _named(record.moves, record.size)
    return Lesson(source, record.size, new_board(record.size), moves, len(record.opening), wishes)


def _shares(visits: Mapping[str, int], size: int) -> Wish:
    total = sum(visits.values())
    return {parse_vertex(name, size): count / total for name, count in visits.items()} if total else {}


def _named(names: Sequence[str], size: int) -> list[Move]:
    """The moves of a game in which the players took turns, up to a resignation."""
    played = [name for name in names if name != "resign"]
    return [Move(BLACK if number % 2 == 0 else WHITE, parse_vertex(name, size)) for number, name in enumerate(played)]
