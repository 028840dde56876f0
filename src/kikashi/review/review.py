"""Reviews of games: the win rate and score after every move, and the better line for each mistake.

`walk` searches one position after another, `Review` has the results, `review_game` does both. Win rates and scores are
Black's; the loss of a move is its player's. The value of a position is the mean of all simulations from there. The
most visited move alone would favour the player to move, because of equally good moves the luckiest is visited most: in
a game reviewed at 300 simulations it varied more than twice as much.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from math import hypot, sqrt
from pathlib import Path
from typing import Any

from kikashi.board.points import color_name
from kikashi.engine.player import Player
from kikashi.engine.scoring import last_passes
from kikashi.files import check_writable
from kikashi.game import RESIGN, Game, Move
from kikashi.game.moves import format_score
from kikashi.search.analysis import from_side

GRADES = (("very bad", 0.20), ("bad", 0.10), ("doubtful", 0.05))
"""Names of mistakes, and the least win rate that each loses."""
GRADE_PROPERTIES = {"very bad": ("BM", "2"), "bad": ("BM", "1"), "doubtful": ("DO", "")}
"""SGF properties of these mistakes."""
JUDGEMENTS = ("BM", "DO", "IT", "TE")
"""All judgements of a move in SGF; a node has one of them."""
SURE_ERRORS = 2.0
"""A loss is a mistake only if it is more than this many standard errors above 0."""
LONGEST_LINE = 8
"""Length of a better line: a search knows little about later moves."""
MISTAKES = 5
"""Default number of mistakes to show."""


# --- the data --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Evaluation:
    """A search's evaluation of a position, from Black's side."""

    winrate: float
    score: float
    visits: int
    """Simulations behind the two numbers."""

    @property
    def error(self) -> float:
        """The standard error of the win rate, as if one win and one loss had been added."""
        share = (self.winrate * self.visits + 1) / (self.visits + 2)
        return sqrt(share * (1 - share) / (self.visits + 2))

    def __str__(self) -> str:
        score = round(self.score, 1)
        return f"Black {self.winrate:.0%}, {format_score(score) if score else 'even'}"


@dataclass(frozen=True)
class MoveReview:
    """A move of the game, the evaluations before and after it, and the search's own move."""

    number: int
    """1 for the first."""
    color: int
    move: str
    before: Evaluation
    after: Evaluation
    best: str
    """The most visited move of the position before; it may be the move that was played."""
    line: tuple[str, ...]
    """The better line, `best` first; every move is legal."""

    @property
    def loss(self) -> float:
        """The win rate that the mover lost; below 0 if the position after the move is better for it."""
        return from_side(self.color, self.before.winrate - self.after.winrate)

    @property
    def grade(self) -> str | None:
        """``"doubtful"``, ``"bad"`` or ``"very bad"`` for a mistake: another move was better by more than chance."""
        if self.best == self.move or self.loss < SURE_ERRORS * hypot(self.before.error, self.after.error):
            return None
        return next((grade for grade, least in GRADES if self.loss >= least), None)


@dataclass(frozen=True)
class Review:
    """A game and the reviews of its moves; only of the first moves if the review was stopped."""

    black: str
    white: str
    result: str
    """As SGF writes it; empty if it is not known."""
    size: int
    komi: float
    rules: str
    handicap: int
    by: str
    """The reviewer: preset and budget."""
    total: int
    """Number of moves of the game, without a resignation."""
    moves: tuple[MoveReview, ...]

    @property
    def title(self) -> str:
        """``"Shusaku – Genan, B+2"``."""
        return f"{self.black} – {self.white}" + (f", {self.result}" if self.result else "")

    @property
    def evaluations(self) -> tuple[Evaluation, ...]:
        """Evaluations before the first move and after each move."""
        return (self.moves[0].before, *(move.after for move in self.moves))

    def mistakes(self, most: int = MISTAKES) -> tuple[MoveReview, ...]:
        """Return the greatest losses, the greatest first."""
        made = [move for move in self.moves if move.grade]
        return tuple(sorted(made, key=lambda move: -move.loss)[:most])

    def as_json(self) -> dict[str, Any]:
        """Return numbers, texts, lists and dictionaries, the numbers rounded."""

        def rounded(found: Evaluation) -> dict[str, Any]:
            return asdict(found) | {"winrate": round(found.winrate, 4), "score": round(found.score, 2)}

        moves = [
            asdict(move)
            | {"color": color_name(move.color), "before": rounded(move.before), "after": rounded(move.after)}
            | {"loss": round(move.loss, 4), "grade": move.grade}
            for move in self.moves
        ]
        return asdict(self) | {"moves": moves}


# --- the walk --------------------------------------------------------------------------------------------------------


def played_moves(game: Game) -> tuple[Move, ...]:
    """Return the moves to review: all but a resignation. Raises ValueError if the game has none."""
    moves = tuple(move for move in game.moves if move.point != RESIGN)
    if not moves:
        raise ValueError("there is no move to review in this game")
    return moves


def walk(player: Player, game: Game) -> Iterator[MoveReview]:
    """Yield the review of each move when the position after it is searched. The game is not changed.

    The player to move is the one who moves next in the game, even twice in a row. The passes that end a game are not
    searched, and the position keeps its value: they are an agreement on dead stones, which our rules would count as
    alive. Raises ValueError if there is no move to review.
    """
    agreed = last_passes(game) if game.is_over() else 0
    return _walk(player, game.root(), played_moves(game), agreed)


def review_game(player: Player, game: Game) -> Review:
    """Review a whole game.

    >>> from kikashi import Limit, Game, Player, review_game
    >>> game = Game(5, komi=0.5)
    >>> for name in ("C3", "A1"):
    ...     _ = game.push(name)
    >>> found = review_game(Player("mogo-2006", limit=Limit(simulations=200), seed=1), game)
    >>> [move.move for move in found.moves], found.moves[1].loss > found.moves[0].loss
    (['C3', 'A1'], True)
    """
    return summarise(player, game, walk(player, game))


def summarise(player: Player, game: Game, moves: Iterable[MoveReview]) -> Review:
    """Make the review of a game from those of its moves. Raises ValueError if no move was reviewed."""
    reviews = tuple(moves)
    if not reviews:
        raise ValueError("no move was reviewed")
    headers = {name: _printable(text) for name, text in game.headers.items()}
    return Review(
        black=headers.get("PB") or "Black",
        white=headers.get("PW") or "White",
        result=headers.get("RE") or game.result() or "",
        size=game.size,
        komi=game.komi,
        rules=str(game.rules),
        handicap=game.handicap,
        by=f"{player.preset.name}, {player.limit} a position",
        total=len(played_moves(game)),
        moves=reviews,
    )


Found = tuple[Evaluation, str, tuple[str, ...]]
"""The evaluation of a position, the best move, and its variation."""


def _walk(player: Player, line: Game, moves: tuple[Move, ...], agreed: int) -> Iterator[MoveReview]:
    before = _search(player, line.turned_to(moves[0].color))
    turns = [move.color for move in moves[1:]]
    for number, move in enumerate(moves, start=1):
        line.push(move.point, move.color)
        if number > len(moves) - agreed:
            after: Found = before[0], "pass", ()
        else:
            after = _search(player, line.turned_to(turns[number - 1]) if number < len(moves) else line)
        yield MoveReview(number, move.color, move.name, before[0], after[0], *before[1:])
        before = after


def _search(player: Player, game: Game) -> Found:
    analysis = player.analyse(game)
    best = analysis.moves[0]  # there always is one: to pass is legal
    evaluation = Evaluation(analysis.black_winrate, analysis.black_score, analysis.visits)
    return evaluation, best.name, tuple(_legal_line(game, best.variation))


def _legal_line(game: Game, points: Sequence[int]) -> Iterator[str]:
    """Yield the names of the moves up to the first illegal one: the tree does not know the whole history."""
    line = game.copy()
    for p in points[:LONGEST_LINE]:
        if line.is_over() or not line.is_legal(p):
            return
        yield line.push(p).name


def _printable(text: str) -> str:
    return "".join(character for character in text if character.isprintable()).strip()


# --- for people ------------------------------------------------------------------------------------------------------


def describe(move: MoveReview) -> str:
    if move.grade is None:
        return str(move.after)
    return f"{move.after}: {move.grade}, {_name(move.color)} lost {move.loss:.0%}\nbetter: {better(move)}"


def better(move: MoveReview) -> str:
    return f"{' '.join(move.line)} ({move.before})"


def mistake_lines(review: Review, most: int = MISTAKES) -> str:
    """Return a line for each of the greatest mistakes, in the order of the game."""
    mistakes = sorted(review.mistakes(most), key=lambda move: move.number)
    if not mistakes:
        return "no mistake that the search is sure of"
    return "\n".join(
        f"{move.number:3} {_name(move.color)} {move.move:4} lost {move.loss:4.0%}   better {better(move)}"
        for move in mistakes
    )


def _name(color: int) -> str:
    return color_name(color).capitalize()


# --- files -----------------------------------------------------------------------------------------------------------


def check_outputs(game: Path, outputs: Sequence[Path]) -> None:
    """Raise OSError if a file cannot be written, ValueError if it is the game itself or two are the same."""
    for output in outputs:
        check_writable(output)
        if output.resolve() == game.resolve():
            raise ValueError(f"{output} is the game itself: choose another name for the review")
    if len({output.resolve() for output in outputs}) < len(outputs):
        raise ValueError(f"{outputs[0]} cannot be two files at once")
