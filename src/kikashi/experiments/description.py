"""An experiment before it is run: its rows with their settings, what was published, where it deviates, how long it
takes; and which experiments were begun in the working directory."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from kikashi.experiments.design import Design, LocalDesign, MatchDesign, PositionDesign, QualityDesign, ShareDesign
from kikashi.experiments.estimate import seconds_of
from kikashi.experiments.experiment import FOLDER, cells, match_settings, position_settings, steps
from kikashi.experiments.local_play import local_settings
from kikashi.experiments.move_quality import quality_settings
from kikashi.experiments.paper import deviations, opponent_of, published_elsewhere, published_for
from kikashi.experiments.shares import share_settings
from kikashi.match.journal import is_begun, read_header, read_records
from kikashi.match.one_game import GameRecord
from kikashi.match.progress import duration
from kikashi.match.provenance import settings_of
from kikashi.match.sprt import latest, pairing_decision
from kikashi.wording import counted

NOTHING = "–"
STEPS = {"match": "games", "positions": "positions", "local": "searches", "quality": "positions", "shares": "searches"}
"""What experiments of a kind are made of."""


class Description(msgspec.Struct, frozen=True):
    """An experiment at a scale, before it is run."""

    title: str
    source: str
    kind: str
    steps: int
    """Games, positions or searches, as STEPS calls them."""
    seconds: float
    """About how long it takes on all cores of this machine, by nominal speeds."""
    about: str
    rows: list[dict[str, str]]
    """What is run, each row by the names of its columns."""
    deviations: list[str]
    remarks: list[str]

    @property
    def size(self) -> str:
        """``1,300 games, about 3 days``."""
        return f"{counted(self.steps, STEPS[self.kind])}, {duration(self.seconds)}"


def describe(design: Design, scale: float) -> Description:
    """Describe an experiment at a scale. Raises ValueError and OSError if it cannot be run."""
    return Description(
        title=design.title,
        source=design.source,
        kind=kind_of(design),
        steps=steps(design, scale),
        seconds=seconds_of(design, scale),
        about=" ".join(design.about.split()),
        rows=list(_rows(design, scale)),
        deviations=deviations(design, scale),
        remarks=list(design.remarks) if isinstance(design, MatchDesign) else [],
    )


def kind_of(design: Design) -> str:
    """The kind of a design, as its file says it."""
    return str(type(design).__struct_config__.tag)


def _rows(design: Design, scale: float) -> Iterator[dict[str, str]]:
    if isinstance(design, MatchDesign):
        return _of_match(design, scale)
    if isinstance(design, LocalDesign):
        return _of_local(design, scale)
    if isinstance(design, ShareDesign):
        return _of_shares(design, scale)
    return _of_quality(design, scale) if isinstance(design, QualityDesign) else _of_positions(design, scale)


def _of_match(design: MatchDesign, scale: float) -> Iterator[dict[str, str]]:
    default = match_settings(design, scale).simulations
    for cell in cells(design, scale):
        paper = published_for(design, cell)
        said = opponent_of(design, cell.row)
        share = cell.row.opponent_share or design.opponent_share
        yield {
            "row": cell.label,
            "player": cell.text,
            "opponent": shlex.join(shlex.split(cell.opponent_text)[1:]) if share else said,
            "games": f"{cell.games:,}",
            "published": NOTHING if paper is None else str(paper),
        } | ({"opponent's simulations": f"{default:,}"} if default is not None and not share else {})


def _of_positions(design: PositionDesign, scale: float) -> Iterator[dict[str, str]]:
    settings, elsewhere = position_settings(design, scale), published_elsewhere(design, scale)
    printed = [count for count in settings.checkpoints[:-1] if str(count) in design.published]
    yield {
        "preset": " ".join([settings.preset, *(f"--set {change}" for change in settings.overrides)]),
        "positions": f"{settings.positions:,}",
        "simulations a search": f"{settings.simulations:,}",
        "checkpoints": ", ".join(f"{count:,}" for count in settings.checkpoints),
        "published": f"after {len(printed)} of these {elsewhere}".strip() if printed else NOTHING,
    }


def _of_local(design: LocalDesign, scale: float) -> Iterator[dict[str, str]]:
    settings, elsewhere = local_settings(design, scale), published_elsewhere(design, scale)
    for row in design.player:
        told = "; ".join(f"{name}: {', '.join(f'{n:g}' for n in numbers)}" for name, numbers in row.published.items())
        yield {
            "row": row.name,
            "player": row.player,
            "searches": f"{settings.repeats:,}",
            "simulations a search": f"{settings.simulations:,}",
            "published": f"{told} {elsewhere}".strip() or NOTHING,
        }


def _of_quality(design: QualityDesign, scale: float) -> Iterator[dict[str, str]]:
    settings = quality_settings(design, scale)
    for row, judged in zip(design.player, settings.rows, strict=True):
        yield {
            "row": row.name,
            "player": judged.player,
            "samples": ", ".join(f"{count:,}" for count in settings.samples) or NOTHING,
            "oracle": f"{judged.oracle}, {settings.oracle:,} samples",
            "positions": f"{settings.positions:,}",
            "published": NOTHING,
        }


def _of_shares(design: ShareDesign, scale: float) -> Iterator[dict[str, str]]:
    settings, elsewhere = share_settings(design, scale), published_elsewhere(design, scale)
    for row, simulations in zip(design.player, settings.simulations, strict=True):
        yield {
            "row": row.name,
            "player": row.player,
            "searches": f"{settings.repeats:,}",
            "simulations a search": f"{simulations:,}",
            "published": NOTHING if row.published is None else f"{row.published:.0%} {elsewhere}".strip(),
        }


# --- begun ------------------------------------------------------------------------------------------------------------


class Begun(msgspec.Struct, frozen=True):
    """An experiment that was begun."""

    scale: str
    done: int
    total: int
    finished: bool

    def __str__(self) -> str:
        return f"scale {self.scale}: " + ("finished" if self.finished else f"{self.done:,} of {self.total:,}")


def begun(name: str, place: Path = Path(FOLDER)) -> list[Begun]:
    """The runs of an experiment that are in a folder, by scale; what cannot be read is left out."""
    found = []
    for folder in sorted(place.glob(f"{name}-*")):
        scale = folder.name.removeprefix(f"{name}-")
        if _is_number(scale) and is_begun(folder):
            try:
                found.append(_begun(folder, scale))
            except (ValueError, KeyError, TypeError, OSError):  # of another version, or damaged: running it will say so
                continue
    return found


def _is_number(text: str) -> bool:
    try:
        return float(text) > 0
    except ValueError:
        return False


def _begun(folder: Path, scale: str) -> Begun:
    header = read_header(folder)
    if header.get("kind") == "match":
        return _begun_match(header, folder, scale)
    settings = header["settings"]
    total = settings["positions"] if "positions" in settings else len(settings["players"]) * settings["repeats"]
    done = len({record["number"] for record in read_records(folder, dict)})
    return Begun(scale, done, total, done >= total)


def _begun_match(header: Mapping[str, Any], folder: Path, scale: str) -> Begun:
    settings = settings_of(header)
    games = [record for record in latest(read_records(folder, GameRecord)) if not record.is_void]
    finished = True
    for number, pairing in enumerate(settings.meetings()):
        played = [record for record in games if record.pairing == number]
        if len(played) < 2 * pairing.pairs:
            is_decided = pairing.sprt is not None and pairing_decision(pairing, played).decision != "continue"
            finished = finished and is_decided
    return Begun(scale, len(games), settings.total_games, finished)
