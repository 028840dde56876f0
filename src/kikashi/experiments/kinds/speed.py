"""Speed: playouts per second of processor time, from the empty board."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, ClassVar

import msgspec

from kikashi.board.position import new_board
from kikashi.experiments.claims import Observations
from kikashi.experiments.kind import NOTHING, AtLeastOne, Design, Findings, Numbers, experiment_kind
from kikashi.match.runner import derived
from kikashi.playout import make_policy, new_root, sample
from kikashi.report import Table
from kikashi.wording import counted


class SpeedRow(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    name: str
    playout: str
    """Heuristics, as in ``kikashi bench playouts``."""
    published: float | None = None
    """Playouts per second."""


class SpeedRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A round of a policy."""

    number: int
    policy: int
    """Its number among the policies."""
    playouts: int
    seconds: float
    """Processor time."""


@experiment_kind("speed", unit="rounds")
class SpeedDesign(Design, frozen=True, kw_only=True):
    record_type: ClassVar[type] = SpeedRecord
    least: ClassVar[Mapping[str, int]] = {"rounds": 2}

    policy: list[SpeedRow]
    rounds: AtLeastOne
    seconds: float = 1.0
    """Of each round."""
    size: int = 9

    def settings(self) -> dict[str, Any]:
        names = ("rounds", "seconds", "size", "seed")
        return {"policies": [row.playout for row in self.policy], **{name: getattr(self, name) for name in names}}

    @property
    def steps(self) -> int:
        return len(self.policy) * self.rounds

    def check(self) -> None:
        for row in self.policy:
            make_policy(row.playout)

    def work(self, number: int) -> SpeedRecord:
        repeat, policy = divmod(number, len(self.policy))
        root, seed = new_root(new_board(self.size)), derived(self.seed, "speed", repeat)
        totals = sample(make_policy(self.policy[policy].playout), root, seconds=self.seconds, seed=seed)
        cpu = round(totals.cpu_seconds, 6)
        return SpeedRecord(number=number, policy=policy, playouts=totals.playouts, seconds=cpu)

    def rows(self) -> Iterator[dict[str, str]]:
        for row in self.policy:
            published = NOTHING if row.published is None else f"{row.published:,.0f}"
            yield {"row": row.name, "playout": row.playout, "rounds": f"{self.rounds}", "published": published}

    def core_seconds(self) -> float:
        return self.steps * self.seconds

    def numbers(self, records: Sequence[SpeedRecord]) -> Iterator[Numbers]:
        for row, speeds in zip(self.policy, self.observations(records).values(), strict=True):
            if speeds:
                yield {"policy": row.name, "playouts per second": fmean(speeds), "published": row.published}

    def observations(self, records: Sequence[SpeedRecord]) -> Observations:
        """Return the playouts per second of each policy's rounds."""
        return {
            row.name: [record.playouts / record.seconds for record in records if record.policy == index]
            for index, row in enumerate(self.policy)
        }

    def published_means(self) -> dict[str, float]:
        return {row.name: row.published for row in self.policy if row.published is not None}

    def findings(self, records: Sequence[SpeedRecord]) -> Findings:
        numbers = list(self.numbers(records))
        cells = [[row["policy"], f"{row['playouts per second']:,.0f}", _number(row["published"])] for row in numbers]
        return Findings(
            verdict="; ".join(f"{name}: {speed} playouts a second" for name, speed, _ in cells),
            scope=f"{counted(len(records), 'rounds')} of {self.seconds:g} s on {self.size}×{self.size}, one thread.",
            elements=[Table(["policy", "playouts a second", "published"], cells)],
            data={"rows": numbers},
        )


def _number(value: float | None) -> str:
    return NOTHING if value is None else f"{value:,.0f}"
