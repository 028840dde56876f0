"""Results that are kept: compressed journals of experiments.

A file of a results folder is one run: a line that names the experiment and its changed settings, then the journal.
Runs of the same players at the same limits, with other numbers of games or other seeds, count together.
"""

from __future__ import annotations

import lzma
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from kikashi.experiments.design_files import load_design
from kikashi.experiments.kind import Design
from kikashi.files import write_whole
from kikashi.match.journal import FILE, parse_journal
from kikashi.wording import counted

FOLDER = "results"
SUFFIX = ".jsonl.xz"
SIGNATURES = "signatures.json"
"""How this version plays: a signature for every player of the kept runs."""


class RunName(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An experiment with changed settings."""

    experiment: str
    overrides: tuple[str, ...] = msgspec.field(default=(), name="set")
    scale: float = 1.0

    def design(self) -> Design:
        """Load the experiment. Raises ValueError and OSError."""
        return load_design(self.experiment, self.overrides).at(self.scale)

    @property
    def label(self) -> str:
        """Name of its folder and file: the experiment, and what tells its runs apart."""
        words = [change.replace(" ", "").replace("=", "-") for change in self.overrides]
        scale = [] if self.scale == 1 else [f"scale-{self.scale:g}"]
        return "+".join([self.experiment, *words, *scale]).translate(str.maketrans("/[],\"'", "_-----"))


@dataclass(frozen=True)
class Run:
    """A run of an experiment, read from a results folder, or several that count together."""

    name: RunName
    """Of the first of them."""
    design: Design
    headers: Sequence[Mapping[str, Any]]
    """All of its journals."""
    records: Sequence[Any]

    @property
    def scope(self) -> str:
        """The size of the run: board, simulations, opponent and records."""
        values = self.design.values()
        words = [f"{size}×{size}" for size in values.get("size", [])]
        words += [f"{count:,} {unit}" for unit in ("simulations", "oracle") for count in largest(values.get(unit))]
        words += [f"{seconds:g} s a move" for seconds in values.get("seconds", [])]
        return ", ".join([*words, counted(len(self.records), self.design.unit)])

    @property
    def signatures(self) -> dict[str, str]:
        """The signatures of its players, by their texts without limits and their board; empty where unknown."""
        return self.design.signatures(self.headers)

    def is_of_version(self, signatures: Mapping[str, str]) -> bool:
        """Return whether its players are known to play as those with these signatures do."""
        own = self.signatures
        return all(own.values()) and all(signatures.get(player, "") == found for player, found in own.items())

    def has_papers(self, *settings: str) -> bool:
        ours, paper = self.design.values(), load_design(self.name.experiment).at(1.0).values()
        return all(ours.get(name) == paper.get(name) for name in settings)


def largest(values: Sequence[Any] | None) -> list[int]:
    """Return the largest number of a setting, also of one with several for each row; none if it has none."""
    numbers = [n for value in values or () for n in (value if isinstance(value, tuple | list) else [value])]
    return [max(numbers)] if numbers else []


# --- files ------------------------------------------------------------------------------------------------------------


def run_file(name: RunName, results: Path) -> Path:
    return results / f"{name.label}{SUFFIX}"


def keep(name: RunName, folder: Path, results: Path) -> Path | None:
    """Write the journal of a run's folder to the results; return its file, or None if there is no journal yet."""
    journal = folder / FILE
    if not journal.exists():
        return None
    whole = b"".join(journal.read_bytes().rpartition(b"\n")[:2])
    file = run_file(name, results)
    kept = _kept_journal(file)
    if not whole.startswith(kept) and not kept.startswith(whole):
        raise ValueError(f"{journal} and {file} are different runs: move one of them away")
    if len(whole) > len(kept):
        write_whole(file, lzma.compress(msgspec.json.encode(name) + b"\n" + whole, preset=9))
    return file


def _kept_journal(file: Path) -> bytes:
    return lzma.decompress(file.read_bytes()).partition(b"\n")[2] if file.exists() else b""


def restore(name: RunName, folder: Path, results: Path) -> None:
    """Make the journal of a run from its file in the results, if that has more of it. Raises OSError."""
    journal, whole = folder / FILE, whole_journal(name, folder, results)
    if whole and not (journal.exists() and journal.read_bytes() == whole):
        write_whole(journal, whole)


def whole_journal(name: RunName, folder: Path, results: Path) -> bytes:
    """Return the journal of a run: that of its folder, or of its file in the results if that has more of it."""
    journal, kept = folder / FILE, _kept_journal(run_file(name, results))
    there = journal.read_bytes() if journal.exists() else b""
    return kept if len(kept) > len(there) and kept.startswith(there) else there


def read_run(file: Path) -> Run:
    """Read a run. Raises ValueError for a damaged file, OSError."""
    try:
        first, _, journal = lzma.decompress(file.read_bytes()).partition(b"\n")
        name = msgspec.json.decode(first, type=RunName)
    except (lzma.LZMAError, msgspec.MsgspecError) as error:
        raise ValueError(f"{file} is not a kept run: {error}") from None
    design = name.design()
    headers, records = parse_journal(file, journal, design.record_type)
    latest = {record.number: record for record in records}  # a void game may have been played again
    counted = design.complete([latest[number] for number in sorted(latest)])
    return Run(name, design.whole(), headers, counted)


def read_runs(results: Path) -> list[Run]:
    """Read all runs of a folder. Raises ValueError and OSError."""
    return [read_run(file) for file in sorted(results.glob(f"*{SUFFIX}"))]


def merged(runs: Iterable[Run]) -> list[Run]:
    """Merge runs that differ only in their numbers of games and seeds; the same game counts once."""
    found: list[Run] = []
    for run in runs:
        place = next((place for place, before in enumerate(found) if _count_together(before, run)), None)
        if place is None:
            found.append(run)
            continue
        before = found[place]
        known = {before.design.identity(record) for record in before.records}
        more = [record for record in run.records if run.design.identity(record) not in known]
        found[place] = replace(before, headers=[*before.headers, *run.headers], records=[*before.records, *more])
    return found


def _count_together(one: Run, other: Run) -> bool:
    """Return whether two runs are of the same players at the same limits, which play alike."""
    key = one.design.same_as()
    if key is None or one.name.experiment != other.name.experiment or key != other.design.same_as():
        return False
    first, second = one.signatures, other.signatures
    return all(first[player] == second[player] for player in first.keys() & second.keys())


def read_signatures(results: Path) -> dict[str, str]:
    """Return how this version plays, as `write_signatures` has found it; empty if nobody has. Raises OSError."""
    file = results / SIGNATURES
    return msgspec.json.decode(file.read_bytes(), type=dict[str, str]) if file.exists() else {}


def write_signatures(results: Path) -> None:
    """Find how this version plays, by a small search of each player of the kept runs. Raises ValueError and OSError."""
    runs = read_runs(results)
    found = {text: signature for run in runs for text, signature in run.design.signatures_now().items()}
    data = msgspec.json.format(msgspec.json.encode(dict(sorted(found.items()))), indent=2)
    write_whole(results / SIGNATURES, data + b"\n")
