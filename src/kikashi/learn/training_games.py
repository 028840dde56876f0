"""Games to learn from: SGF files, folders of them, journals of matches, of tunings and of self-play."""

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
from kikashi.match.summary import latest
from kikashi.tune.trials import KIND as TUNING, TrialGame
from kikashi.wording import plural

LABELLING = "labelling"
"""The kind of journals that have positions, and no games."""
Target = Mapping[int, float]
"""Probability of each move: 1 for the move played, or the shares of the search's visits."""


@dataclass(frozen=True)
class TrainingGame:
    """A game to learn from."""

    source: str
    """Its folder or file."""
    size: int
    start: Board
    """The position before the first move."""
    moves: Sequence[Move]
    opening: int = 0
    """Number of the first moves, which no player chose."""
    visit_targets: Sequence[Target] | None = None
    """Targets of the moves after the opening, from visits; None if only the moves are known."""
    colors: frozenset[int] = frozenset({BLACK, WHITE})
    """The colours whose moves are learned from."""
    result: str = ""
    """``"B+3.5"``, ``"W+R"``; empty if it is unknown."""

    def value_for(self, color: int) -> float:
        """Return 1 if a colour has won, 0 if it has lost, a half for a draw or an unknown result."""
        winner = {"B": BLACK, "W": WHITE}.get(self.result[:1])
        return 0.5 if winner is None else float(winner == color)

    def target(self, number: int) -> Target:
        """Return the target of a move; empty if there is nothing to learn from it."""
        move = self.moves[number]
        if number < self.opening or move.color not in self.colors or move.point in (PASS, RESIGN):
            return {}
        if self.visit_targets is None:
            return {move.point: 1.0}
        known = self.visit_targets[number - self.opening :]
        return known[0] if known else {}


def read_training_games(
    paths: Sequence[Path],
    *,
    player: str = "",
    size: int | None = None,
    all_sizes: bool = False,
    tell: Callable[[str], None] = lambda _line: None,
) -> Iterator[TrainingGame]:
    """Read the games of files and folders, of one size (by default that of the first game) or of all sizes.

    With `player` only moves of the player with this name are learned from. `tell` gets a line about files of a folder
    that cannot be read, and about games of other sizes. Raises ValueError and OSError if a named file cannot be read.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "game.sgf").write_text("(;SZ[9]PB[a]PW[b];B[ee];W[cg])")
    ...     [game] = read_training_games([Path(folder)], player="b")
    >>> [bool(game.target(number)) for number in range(2)]
    [False, True]
    """
    left_out: dict[int, list[str]] = {}
    for path in paths:
        for game in _games_in(path, player, tell):
            if size is None:
                size = game.size
            if game.size != size and not all_sizes:
                left_out.setdefault(game.size, []).append(game.source)
            elif game.colors:
                yield game
    for other, sources in left_out.items():
        tell(f"left out: {plural(len(sources), 'game')} on {other}x{other}, such as one in {sources[0]}")


def _games_in(path: Path, player: str, tell: Callable[[str], None]) -> Iterator[TrainingGame]:
    if path.name == FILE:
        path = path.parent
    if not path.is_dir():
        yield from _games_of_file(path, player)
        return
    journals = [file for file in sorted(path.rglob(FILE)) if read_header(file.parent).get("kind") != LABELLING]
    for journal in journals:
        yield from _games_of_journal(journal.parent, player)
    inside = [journal.parent for journal in journals]
    found = [file for file in sorted(path.rglob("*.sgf")) if not any(folder in file.parents for folder in inside)]
    if not found and not journals:
        raise ValueError(f"{path} has no games: neither SGF files nor a {FILE}")
    broken = []
    for file in found:
        try:
            yield from _games_of_file(file, player)
        except ValueError as error:
            broken.append(f"{file}: {error}")
    if broken:
        tell(f"left out: {plural(len(broken), 'file')} of {path}, such as {broken[0]}")


def _games_of_file(path: Path, player: str) -> Iterator[TrainingGame]:
    for root in sgf.load(path):
        game = sgf.read_game(root)
        colors = _colors_of(player, game.headers.get("PB", ""), game.headers.get("PW", ""))
        result = game.recorded_result() or ""
        yield TrainingGame(str(path.parent), game.size, game.root().board, game.moves, colors=colors, result=result)


def _colors_of(player: str, black: str, white: str) -> frozenset[int]:
    return frozenset(color for color, name in ((BLACK, black), (WHITE, white)) if player in ("", name))


def _games_of_journal(folder: Path, player: str) -> Iterator[TrainingGame]:
    header = read_header(folder)
    kind, source = header.get("kind"), str(folder)
    if kind == KIND:
        yield from (_self_play_game(record, source) for record in read_records(folder, SelfPlayGame))
    elif kind == "match":
        records = latest(read_records(folder, GameRecord))
        yield from _games_of_records(records, settings_of(header).size, source, player)
    elif kind == TUNING:
        games = (trial.game for trial in read_records(folder, TrialGame))
        yield from _games_of_records(games, header["settings"]["size"], source, player)
    else:
        raise JournalError(f"{folder} holds neither a match nor a tuning nor self-play")


def _games_of_records(records: Iterable[GameRecord], size: int, source: str, player: str) -> Iterator[TrainingGame]:
    for record in records:
        if not record.is_void:
            moves, colors = _moves(record.moves, size), _colors_of(player, record.black, record.white)
            opening, result = len(record.opening), record.result
            yield TrainingGame(source, size, new_board(size), moves, opening, colors=colors, result=result)


def _self_play_game(record: SelfPlayGame, source: str) -> TrainingGame:
    size = record.size
    targets = []
    for visits in record.visits:
        total = sum(visits.values())
        targets.append({parse_vertex(name, size): count / total for name, count in visits.items() if total})
    moves, opening = _moves(record.moves, size), len(record.opening)
    return TrainingGame(source, size, new_board(size), moves, opening, targets, result=record.result)


def _moves(names: Sequence[str], size: int) -> list[Move]:
    """Return the moves of a game of alternating players, without a resignation."""
    played = [name for name in names if name != "resign"]
    return [Move(BLACK if number % 2 == 0 else WHITE, parse_vertex(name, size)) for number, name in enumerate(played)]
