"""Quality of moves that players choose with few samples, by an oracle with many (Yoshizoe et al. 2006, figures 5, 6).

Positions come from moves 10 to 50 of games: games of self-play, or files. In each of them an oracle, by default the
player itself with many samples, gives every move an expected score. The quality of a move is its score less that of the
oracle's best: 0 for that one, below 0 for all others. The random player's is the mean over all moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from math import gcd, sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, ClassVar

import msgspec

from kikashi import sgf
from kikashi.board.points import MAX_SIZE, MIN_SIZE, PASS
from kikashi.engine.limits import Limit, megabytes_for
from kikashi.engine.move_choice import best_move
from kikashi.engine.player import Player
from kikashi.engine.preset import load_preset
from kikashi.experiments.claims import Observations
from kikashi.experiments.estimate import search_seconds
from kikashi.experiments.kind import (
    FEWEST_SIMULATIONS,
    NOTHING,
    AtLeastOne,
    Design,
    Findings,
    Numbers,
    PlayerRow,
    at_scale,
    experiment_kind,
    preset_player,
)
from kikashi.game import Game
from kikashi.match.match_player import MatchPlayer
from kikashi.match.runner import derived
from kikashi.report import Figure, Table, plots
from kikashi.search.analysis import Analysis
from kikashi.wording import plural

FEWEST_POSITIONS = 2
GOLDEN = 0.618
"""Steps of this share of a range fill it evenly, however many there are."""
EACH, RANGE = 8, 5
"""The report has each number of moves if there are this many positions for every one, else ranges of numbers."""


class RowRecord(msgspec.Struct, frozen=True):
    """An oracle's judgement of the moves of a position, and of those that its player chose."""

    moves: int
    """Those with a score of the oracle, a pass included."""
    error: float
    """The standard error of these scores, if all have the same number of samples."""
    random: float
    """The quality of a move that is chosen at random from these."""
    chosen: tuple[float | None, ...]
    """The quality of the player's move, by its number of samples; None if the oracle never sampled it."""


class QualityRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A position whose moves were judged; one that its game never came to has no rows."""

    number: int
    game: int
    move: int
    """The number of moves before it."""
    legal: int = 0
    """The number of legal moves, a pass included."""
    rows: tuple[RowRecord, ...] = ()


class QualityRow(PlayerRow, frozen=True, kw_only=True):
    oracle: str | None = None
    """The judge; by default the player itself, with many samples."""


@experiment_kind("quality", unit="positions")
class QualityDesign(Design, frozen=True, kw_only=True):
    record_type: ClassVar[type] = QualityRecord
    decided_by = ("oracle", "positions", "first", "last", "games", "records", "preset", "game_simulations", "size")
    least: ClassVar[Mapping[str, int]] = {"oracle": FEWEST_SIMULATIONS, "simulations": FEWEST_SIMULATIONS}
    sentences: ClassVar[Mapping[str, str]] = {
        "oracle": "{now} samples of an oracle for {before}",
        "samples": "{now} samples of the players for {before}",
        "games": "{now} games for {before}",
        "records": "games from files",
        "rows": "other players",
    }

    player: list[QualityRow]
    oracle: AtLeastOne
    """Samples of an oracle for each position."""
    simulations: list[AtLeastOne] = []
    """Samples of the players; none where only moves at random are judged."""
    games: AtLeastOne = 58
    first: int = 10
    last: int = 50
    """The least and the most moves before a position."""
    positions: AtLeastOne | None = None
    """Their number, spread over games and moves; by default all."""
    sgf: str = ""
    """A folder with games, or one file; by default games of self-play."""
    preset: str = "kikashi"
    """The player of self-play."""
    game_simulations: AtLeastOne = 400
    size: int = 9
    records: list[str] = []
    """The texts of the files, at a scale."""

    def scaled(self, scale: float) -> dict[str, Any]:
        records = list(self._records()) if self.sgf else []
        games = len(records) or self.games
        every = games * max(0, self.last - self.first + 1)
        positions = min(every, at_scale(self.positions or every, scale, FEWEST_POSITIONS))
        return super().scaled(scale) | {"records": records, "games": games, "positions": positions}

    def _records(self) -> Iterator[str]:
        """Yield the texts of the games in a file or a folder, by name. Raises ValueError and OSError."""
        where = Path(self.sgf)
        files = sorted(where.glob("**/*.sgf")) if where.is_dir() else [where]
        if not files:
            raise ValueError(f"{where} has no file whose name ends with .sgf")
        for file in files[: self.games]:
            game = sgf.read_game(file)
            if game.size != self.size:
                raise ValueError(f"{file} is a game on {game.size}x{game.size}, not {self.size}x{self.size}")
            yield sgf.write_game(game)

    def check(self) -> None:
        if not MIN_SIZE <= self.size <= MAX_SIZE:
            raise ValueError(f"boards are from {MIN_SIZE} to {MAX_SIZE}, not {self.size}")
        if not 0 <= self.first <= self.last:
            raise ValueError(f"positions are from move {self.first} to move {self.last}: that is none")
        if not self.player:
            raise ValueError("there is no player to ask about")
        for text in self.players:
            self.match_player(text, 1)

    @property
    def judges(self) -> list[str]:
        return [row.oracle or row.player for row in self.player]

    @property
    def players(self) -> list[str]:
        return list(dict.fromkeys([self.preset, *super().players, *self.judges]))

    def match_player(self, text: str, simulations: int) -> MatchPlayer:
        """Return a player with a number of samples. Raises ValueError if it is no preset or has a limit of its own."""
        player = preset_player(text, simulations, "it has no scores of all moves")
        if player.simulations != simulations or player.seconds is not None or player.clock:
            raise ValueError(f"player {text!r} has a budget, but samples are those of the experiment")
        return player

    def settings(self) -> dict[str, Any]:
        rows = [{"player": row.player, "oracle": judge} for row, judge in zip(self.player, self.judges, strict=True)]
        return {"rows": rows, "samples": self.simulations, **super().settings()}

    @property
    def stages(self) -> int:
        """Positions of a game that may be taken."""
        return self.last - self.first + 1

    @property
    def steps(self) -> int:
        return self.positions or 0

    def place(self, number: int) -> tuple[int, int]:
        """Return the game of a position, and the number of moves before it.

        All games take turns; in each, positions are far from the last one, and none comes twice. So any number of them
        is spread over the games, and over the moves.
        """
        turn, game = divmod(number, self.games)
        step = next(k for k in count(max(1, round(GOLDEN * self.stages))) if gcd(k, self.stages) == 1)
        return game, self.first + (turn + game) * step % self.stages

    def work(self, number: int) -> QualityRecord:
        """Find the position, judge all its moves by the oracles, and let the players choose."""
        place, move = self.place(number)
        game = self.position(place, move)
        if game is None:
            return QualityRecord(number=number, game=place, move=move)
        oracles = {text: self._search(text, self.oracle, game, number)[0] for text in dict.fromkeys(self.judges)}
        rows = tuple(
            self._judged(row.player, oracles[judge], game, number)
            for row, judge in zip(self.player, self.judges, strict=True)
        )
        return QualityRecord(number=number, game=place, move=move, legal=len(game.legal_moves), rows=rows)

    def position(self, number: int, moves: int) -> Game | None:
        """Return a game after some moves; None if it ended before."""
        if self.records:
            game = sgf.read_game(self.records[number], moves=moves)
        else:
            game = Game(self.size)
            seed = derived(self.seed, "game", number)
            with self._playing(self.preset, self.game_simulations, seed, "choice.resign=0") as player:
                while game.move_count < moves and not game.is_over():
                    game.push(player.choose(game).move)
        return game if game.move_count == moves and not game.is_over() else None

    def _judged(self, text: str, oracle: Analysis, game: Game, number: int) -> RowRecord:
        scores = {move.move: move.score for move in oracle.moves if move.visits}
        best = max(scores.values())
        chosen = [self._search(text, samples, game, number)[1] for samples in self.simulations]
        return RowRecord(
            moves=len(scores),
            error=oracle.score_deviation / sqrt(oracle.visits / len(scores)),
            random=fmean(scores.values()) - best,
            chosen=tuple(scores[move] - best if move in scores else None for move in chosen),
        )

    def _search(self, text: str, samples: int, game: Game, number: int) -> tuple[Analysis, int]:
        """Return a player's analysis of a position, and its move. Each number of samples has its own random numbers."""
        with self._playing(text, samples, derived(self.seed, text, samples, number)) as player:
            found = player.analyse(game)
            best = best_move(found, player.preset.at(game.size).choice.rule)
        return found, PASS if best is None else best.move

    @contextmanager
    def _playing(self, text: str, samples: int, seed: int, *changes: str) -> Iterator[Player]:
        spec = self.match_player(text, samples)
        with spec.parts():
            yield Player(
                load_preset(spec.preset, spec.overrides),  # of all sizes; the changes hold on every board
                limit=Limit(simulations=samples),
                threads=spec.threads,
                seed=seed,
                megabytes=spec.megabytes or megabytes_for(self.size, samples),
                overrides=changes,
            )

    def rows(self) -> Iterator[dict[str, str]]:
        for row, judge in zip(self.player, self.judges, strict=True):
            yield {
                "row": row.name,
                "player": row.player,
                "samples": ", ".join(f"{count:,}" for count in self.simulations) or NOTHING,
                "oracle": f"{judge}, {self.oracle:,} samples",
                "positions": f"{self.steps:,}",
                "published": NOTHING,
            }

    def core_seconds(self) -> float:
        moves = 0 if self.records else (self.first + self.last) / 2
        searches = [(self.preset, moves * self.game_simulations)]
        searches += [(judge, self.oracle) for judge in dict.fromkeys(self.judges)]
        searches += [(row.player, sum(self.simulations)) for row in self.player]
        return self.steps * sum(search_seconds(text, count, self.size) for text, count in searches)

    def numbers(self, records: Sequence[QualityRecord]) -> Iterator[Numbers]:
        for record in records:
            for player, row in zip(self.player, record.rows, strict=False):
                chosen = dict(zip((f"with {count}" for count in self.simulations), row.chosen, strict=True))
                place = {"game": record.game, "moves before": record.move, "legal moves": record.legal}
                yield {"player": player.name, **place, "random": row.random, **chosen}

    def observations(self, records: Sequence[QualityRecord]) -> Observations:
        """Return qualities: of players by number of samples, and of random moves by number of moves before them."""
        found: dict[str, list[float]] = {}
        for record in records:
            for row, judged in zip(self.player, record.rows, strict=False):
                found.setdefault(f"{row.name} random, {max(1, record.move)}", []).append(judged.random)
                for samples, quality in zip(self.simulations, judged.chosen, strict=False):
                    if quality is not None:
                        found.setdefault(f"{row.name}, {samples:,}", []).append(quality)
        return found

    def findings(self, records: Sequence[QualityRecord]) -> Findings:
        """Return the results; positions that their games never came to are only counted."""
        judged = [record for record in records if record.rows]
        width = 1 if len(judged) >= EACH * self.stages else RANGE
        starts = range(self.first, self.last + 1, width)
        spans = [range(start, min(start + width, self.last + 1)) for start in starts]
        parts = [(span, [record for record in judged if record.move in span]) for span in spans]
        means = self._means(judged)
        head = ["moves before", "positions", "legal moves", *means]
        rows = [self._cells(_span(span), part) for span, part in parts if part]
        rows.append(self._cells("all", judged))
        return Findings(
            verdict="; ".join(f"{name} {mean} points" for name, mean in means.items()) if judged else "",
            scope=self._scope(records, judged),
            elements=[
                *(each for row in range(len(self.player)) for each in self._figures(row, parts)),
                Table(head, rows),
            ],
            data={
                "positions": len(records),
                "of": self.positions,
                "rows": [dict(zip(head, row, strict=True)) for row in rows],
            },
        )

    def _scope(self, records: Sequence[QualityRecord], judged: Sequence[QualityRecord]) -> str:
        games = min(self.games, self.steps)
        source = "from files" if self.records else f"of self-play by {self.preset}"
        errors = [row.error for record in judged for row in record.rows]
        missing = len(records) - len(judged)
        short = f"{missing} of these games ended before the position."
        return " ".join(
            [
                f"{plural(len(records), 'position')} of {self.positions} from {plural(games, 'game')} {source},",
                f"oracles of {self.oracle:,} samples, whose scores of moves have a standard error of",
                f"{fmean(errors):.2f} points." if errors else "unknown size.",
                "Qualities are in points, ± being the standard error of the mean over positions.",
                *([short] if missing else []),
            ]
        )

    def _qualities(self, part: Sequence[QualityRecord], row: int) -> dict[str, list[float]]:
        """Return the qualities of the random player, and of a player by number of samples."""
        found = {"random": [record.rows[row].random for record in part]}
        for place, samples in enumerate(self.simulations):
            chosen = (record.rows[row].chosen[place] for record in part)
            found[f"{samples:,}"] = [quality for quality in chosen if quality is not None]
        return found

    def _means(self, part: Sequence[QualityRecord]) -> dict[str, str]:
        return {
            f"{player.name}: {label}": _mean(values)
            for row, player in enumerate(self.player)
            for label, values in self._qualities(part, row).items()
        }

    def _cells(self, name: str, part: Sequence[QualityRecord]) -> list[str]:
        legal = f"{fmean(record.legal for record in part):.1f}" if part else NOTHING
        return [name, str(len(part)), legal, *self._means(part).values()]

    def _figures(self, row: int, parts: Sequence[tuple[range, Sequence[QualityRecord]]]) -> Iterator[Figure]:
        """Yield figure 5, legal moves and the random player, and figure 6, quality by number of samples, if there are.

        The parts are positions by the number of moves before them.
        """
        lines: dict[str, list[tuple[float, float]]] = {}
        for span, part in parts:
            found = {"legal": [float(record.legal) for record in part]} | self._qualities(part, row)
            for name, values in found.items():
                curve = lines.setdefault(name, [])
                if values:
                    curve.append((fmean((span[0], span[-1])), fmean(values)))
        player, label = self.player[row], "moves before the position"
        title = f"{player.name}, judged by {player.oracle or player.player}"
        sides = ("legal moves", lines.pop("legal")), ("quality of the random player, points", lines.pop("random"))
        yield Figure(plots.two_scales(*sides, title=f"{title}: legal moves and the random player", x_label=label))
        if lines:
            title = f"{title}: quality by number of samples"
            yield Figure(plots.trends(lines, title=title, x_label=label, y_label="quality, points", middle=0.0))


def _span(span: range) -> str:
    return f"{span[0]}" if len(span) == 1 else f"{span[0]}–{span[-1]}"


def _mean(values: Sequence[float]) -> str:
    if not values:
        return NOTHING
    error = f" ± {stdev(values) / len(values) ** 0.5:.2f}" if len(values) > 1 else ""
    return f"{fmean(values):.2f}{error}"
