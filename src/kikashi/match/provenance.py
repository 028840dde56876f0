"""What was played: the players, their files and versions, the machine and the day, as the first line of a journal."""

from __future__ import annotations

import os
import platform
import shlex
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec

from kikashi import __version__
from kikashi.engine import machine
from kikashi.match.game_players import memory_of
from kikashi.match.player_files import Files
from kikashi.match.player_spec import Contestant, copies_of
from kikashi.match.preflight import Started
from kikashi.match.settings import MatchSettings, with_todays_names
from kikashi.wording import convert, plural

UNKNOWN = "–"


def header(
    settings: MatchSettings,
    players: Sequence[Contestant],
    folder: Path = Path(),
    files: Files | None = None,
    started: Sequence[Started] = (),
) -> dict[str, Any]:
    """The first line of a match's journal; `folder` is that of the match."""
    versions = {one.name: one.version for one in started}
    copies: dict[str, str] = {}
    for player, text in zip(players, settings.players, strict=True):
        copies |= copies_of(player, text)
    return {
        "kind": "match",
        "settings": msgspec.to_builtins(settings),
        "players": [_described(player, settings.size, versions.get(player.name, "")) for player in players],
        "directory": (files.directory if files else "") or os.getcwd(),
        "copies": {said: str(Path(copy).relative_to(folder.absolute())) for said, copy in copies.items()},
        "versions": {
            "kikashi": __version__,
            "python": platform.python_version(),
            "numba": metadata.version("numba"),
            "numpy": metadata.version("numpy"),
        },
        "machine": _machine(),
        "begun": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _described(player: Contestant, size: int, version: str) -> dict[str, Any]:
    """A player with everything that decides how it plays; what does not apply is left out."""
    told: dict[str, Any] = {
        "name": player.name,
        "preset": player.preset,
        "command": shlex.join(player.command),
        "version": version,
        "simulations": player.simulations,
        "seconds": player.seconds,
        "clock": player.clock,
        "overrides": list(player.overrides),
        "plugins": {plugin.file: plugin.digest for plugin in player.plugins},
        "weights": {weights.file: weights.digest for weights in player.weights},
    }
    if player.preset:
        told |= {"threads": player.threads, "megabytes": round(memory_of(player, size), 1)}
    return {key: value for key, value in told.items() if value not in (None, "", [], {})}


def _machine() -> dict[str, Any]:
    return {
        "processor": _processor(),
        "cores": machine.cores(),
        "gigabytes": round(machine.megabytes() / 2**10, 1),
        "system": f"{platform.system()} {platform.release()}",
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


def settings_of(header: Mapping[str, Any]) -> MatchSettings:
    """The settings in a journal's first line, also in one of an older version. Raises ValueError."""
    if header.get("kind") != "match":
        raise ValueError(f"this is the journal of a {header.get('kind')}, not of a match")
    table = header.get("settings")
    return convert(with_todays_names(table) if isinstance(table, dict) else table, MatchSettings, "settings")


def with_todays_settings(header: dict[str, Any]) -> dict[str, Any]:
    """A first line with all settings of today, those that it does not name as usual. Raises ValueError."""
    return header | {"settings": msgspec.to_builtins(settings_of(header))}


def files_of(header: Mapping[str, Any], folder: Path) -> Files:
    """Where the files are that the players of a match name."""
    copies = {said: str(folder.absolute() / copy) for said, copy in dict(header.get("copies", {})).items()}
    directory = str(header.get("directory", ""))
    return Files(directory if Path(directory).is_dir() else "", copies)


# --- for people -------------------------------------------------------------------------------------------------------


def budget_told(player: Mapping[str, Any]) -> str:
    """``1,000 simulations``, ``2 s a move``, ``clock 300+5``, or several of them."""
    told = []
    if "simulations" in player:
        told.append(plural(player["simulations"], "simulation"))
    if "seconds" in player:
        told.append(f"{player['seconds']:g} s a move")
    if "clock" in player:
        told.append(f"clock {player['clock']}")
    return ", ".join(told) or UNKNOWN


def player_rows(header: Mapping[str, Any]) -> list[list[str]]:
    """A row for each player: name, who it is, budget, what was changed, files with hashes, and threads and memory."""
    rows = []
    for player in header.get("players", []):
        who = player.get("preset") or player.get("command") or UNKNOWN
        version = player.get("version") or f"kikashi {header.get('versions', {}).get('kikashi', '')}".strip()
        size = f"{player['threads']} / {player['megabytes']:g} MB" if "threads" in player else UNKNOWN
        named = player.get("plugins", {}) | player.get("weights", {})
        files = ", ".join(f"{file} ({digest})" for file, digest in named.items())
        changed = " ".join(player.get("overrides", []))
        rows.append([player["name"], who, version, budget_told(player), changed or UNKNOWN, files or UNKNOWN, size])
    return rows


PLAYER_HEAD = [
    "player",
    "preset or command",
    "version",
    "budget",
    "changed",
    "plugins and weights (hash)",
    "threads / memory",
]


def where_and_when(header: Mapping[str, Any]) -> str:
    """One line: the day, the machine and the versions."""
    machine, versions = header.get("machine", {}), header.get("versions", {})
    told = [str(header.get("begun", ""))]
    if machine:
        told.append(
            f"{machine.get('processor')}, {machine.get('cores')} cores, {machine.get('gigabytes')} GB, "
            f"{machine.get('system')}"
        )
    told.append(", ".join(f"{name} {version}" for name, version in versions.items()))
    return "; ".join(filter(None, told))
