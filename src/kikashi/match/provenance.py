"""Provenance of a match: players, files, versions, machine and day, as the first line of a journal."""

import os
import platform
import shlex
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from kikashi import __version__
from kikashi.engine import machine
from kikashi.match.game_players import memory_of
from kikashi.match.match_player import Files, MatchPlayer, copies_of
from kikashi.match.preflight import Started
from kikashi.match.settings import MatchSettings
from kikashi.wording import convert, plural

UNKNOWN = "–"


def header(
    settings: MatchSettings,
    players: Sequence[MatchPlayer],
    folder: Path = Path(),
    files: Files | None = None,
    started: Sequence[Started] = (),
) -> dict[str, Any]:
    """Return the first line of a match's journal; `folder` is that of the match."""
    known = {one.name: one for one in started}
    copies: dict[str, str] = {}
    for player, spec in zip(players, settings.specs, strict=True):
        copies |= copies_of(player, spec)
    return {
        "kind": "match",
        "settings": settings.as_table(),
        "players": [_described(player, settings.size, known.get(player.name)) for player in players],
        "directory": (files.directory if files else "") or (os.getcwd() if _names_files(players) else ""),
        "copies": {name: str(Path(copy).relative_to(folder.absolute())) for name, copy in copies.items()},
        "versions": versions(),
        "machine": {
            "processor": _processor(),
            "cores": machine.cores(),
            "gigabytes": round(machine.megabytes() / 2**10, 1),
            "system": f"{platform.system()} {platform.release()}",
        },
        "begun": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def versions() -> dict[str, str]:
    """Return the versions of the package and of what decides its numbers."""
    libraries = {name: metadata.version(name) for name in ("numba", "numpy")}
    return {"kikashi": __version__, "python": platform.python_version(), **libraries}


def _names_files(players: Sequence[MatchPlayer]) -> bool:
    """Return whether a player names a file, in whatever directory the match was begun."""
    return any(player.files or player.preset_file or any("/" in word for word in player.command) for player in players)


def _described(player: MatchPlayer, size: int, started: Started | None) -> dict[str, Any]:
    """Return a player with everything that decides how it plays; what does not apply is left out."""
    found: dict[str, Any] = {
        "name": player.name,
        "preset": player.preset,
        "command": shlex.join(player.command),
        "version": started and started.version,
        "signature": started and started.signature,
        "simulations": player.simulations,
        "seconds": player.seconds,
        "clock": player.clock,
        "overrides": list(player.overrides),
        "plugins": {plugin.file: plugin.digest for plugin in player.plugin_files},
        "weights": {weights.file: weights.digest for weights in player.weights},
        "identity": player.identity,
    }
    if player.preset:
        found |= {"threads": player.threads, "megabytes": round(memory_of(player, size), 1)}
    return {key: value for key, value in found.items() if value not in (None, "", [], {})}


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


def settings_of(header: Mapping[str, Any]) -> MatchSettings:
    """Return the settings in a journal's first line, also in one of an older version. Raises ValueError."""
    if header.get("kind") != "match":
        raise ValueError(f"this is the journal of a {header.get('kind')}, not of a match")
    return convert(header.get("settings"), MatchSettings, "settings")


def with_current_settings(header: dict[str, Any]) -> dict[str, Any]:
    """Return a first line with all settings of this version, defaults included. Raises ValueError."""
    return header | {"settings": settings_of(header).as_table()}


def files_of(header: Mapping[str, Any], folder: Path) -> Files:
    """Return the places of the files that the players of a match name."""
    copies = {name: str(folder.absolute() / copy) for name, copy in dict(header.get("copies", {})).items()}
    directory = str(header.get("directory", ""))
    return Files(directory if Path(directory).is_dir() else "", copies)


# --- for people -------------------------------------------------------------------------------------------------------


def limit_text(player: Mapping[str, Any]) -> str:
    """Return ``1,000 simulations``, ``2 s a move``, ``clock 300+5``, or several of them."""
    limits = [plural(player["simulations"], "simulation")] if "simulations" in player else []
    limits += [f"{player['seconds']:g} s a move"] if "seconds" in player else []
    limits += [f"clock {player['clock']}"] if "clock" in player else []
    return ", ".join(limits) or UNKNOWN


def player_rows(header: Mapping[str, Any]) -> list[list[str]]:
    rows = []
    for player in header.get("players", []):
        program = player.get("preset") or player.get("command") or UNKNOWN
        version = player.get("version") or f"kikashi {header.get('versions', {}).get('kikashi', '')}".strip()
        size = f"{player['threads']} / {player['megabytes']:g} MB" if "threads" in player else UNKNOWN
        named = player.get("plugins", {}) | player.get("weights", {})
        files = ", ".join(f"{file} ({digest})" for file, digest in named.items())
        changed = " ".join(player.get("overrides", []))
        rows.append([player["name"], program, version, limit_text(player), changed or UNKNOWN, files or UNKNOWN, size])
    return rows


PLAYER_HEAD = ["player", "preset or command", "version", "limit", "changed", "plugins and weights (hash)"]
PLAYER_HEAD += ["threads / memory"]


def where_and_when(header: Mapping[str, Any]) -> str:
    """Return one line: the day, the machine and the versions."""
    found, versions = header.get("machine", {}), header.get("versions", {})
    parts = [str(header.get("begun", ""))]
    if found:
        parts.append("{processor}, {cores} cores, {gigabytes} GB, {system}".format_map(defaultdict(str, found)))
    parts.append(", ".join(f"{name} {version}" for name, version in versions.items()))
    return "; ".join(filter(None, parts))
