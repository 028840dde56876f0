"""Presets that pages may choose: those of the package and those named on the command line, with their parts."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable
from threading import Lock

from kikashi.engine.named_files import LISTED_BY, preset_names
from kikashi.engine.overrides import Table, overridden, sections
from kikashi.engine.preset import Preset, load_preset, load_preset_table
from kikashi.match.player_spec import PlayerSpec
from kikashi.parts.binding import BoundPart
from kikashi.playout.policy import UNIFORM
from kikashi.search.config import SearchConfig
from kikashi.web.messages import PresetInfo, PresetPart
from kikashi.wording import nearest

PLAYOUT, PRIOR = "playout: ", "prior: "


class Presets:
    """Presets by name. A page names one of them, never a file."""

    def __init__(self, files: Iterable[str] = ()) -> None:
        """`files` are the user's own presets. Raises ValueError and OSError if one is wrong."""
        loaded = {str(file): load_preset(file) for file in files}
        self._own = {preset.name: preset for preset in loaded.values()}
        self._files = {preset.name: file for file, preset in loaded.items()}
        self._infos: list[PresetInfo] = []
        self._lock = Lock()

    @property
    def names(self) -> list[str]:
        return [*self._own, *(name for name in preset_names() if name not in self._own)]

    def player(self, name: str, plugins: Iterable[str] = ()) -> PlayerSpec:
        """Return a preset as a player of matches. Raises ValueError if there is no such preset."""
        self._check(name)
        if name not in self._own:
            return PlayerSpec(preset=name)
        return PlayerSpec(name=name, preset=self._files[name], plugins=tuple(plugins))

    def _check(self, name: str) -> None:
        if name not in self.names:
            raise ValueError(f"no preset is called {name[:40]!r}; {nearest(name[:40], self.names, LISTED_BY)}")

    def get(self, name: str, without: Collection[str] = (), overrides: Collection[str] = ()) -> Preset:
        """Return a preset with other settings, without some of its parts. Raises ValueError for what it has not."""
        self._check(name)
        preset = self._own[name] if name in self._own else load_preset(name)
        if overrides:
            preset = load_preset_table(name, overridden(preset.table, overrides))
        if not without:
            return preset
        known = [part.name for part in parts_of(preset)]
        if unknown := [part for part in without if part not in known]:
            raise ValueError(f"{name} has no part {unknown[0][:60]!r}; {nearest(unknown[0][:60], known)}")
        return load_preset_table(name, _table_without(preset, without))

    @property
    def infos(self) -> list[PresetInfo]:
        """All presets, for a page; they are read once."""
        with self._lock:
            if not self._infos:
                presets = [self.get(name) for name in self.names]
                self._infos = [PresetInfo(each.name, each.summary, each.source, parts_of(each)) for each in presets]
            return self._infos


def parts_of(preset: Preset) -> list[PresetPart]:
    """Return the heuristics of a preset's playouts and priors, on boards of all sizes."""
    configs = [variant.config for variant in preset.variants]
    playout = [_part(PLAYOUT, used) for config in configs for used in config.policy.heuristics]
    priors = [_part(PRIOR, prior.used) for config in configs for prior in config.priors]
    return list({part.name: part for part in playout + priors}.values())


def describe_heuristics(preset: Preset) -> dict[str, str]:
    """Return descriptions of the playouts' heuristics with their sources, by name."""
    parts = [_part("", used) for used in preset.config.policy.heuristics]
    return {part.name: part.about + (f" ({part.source})" if part.source else "") for part in parts}


def describe_parts(preset: Preset) -> dict[str, str]:
    """Return descriptions of the tree's rules, priors and heuristics with their sources, by name."""
    config = preset.config
    parts = [_part("", used) for used in (*config.rules.values(), *(prior.used for prior in config.priors))]
    return describe_heuristics(preset) | {
        part.name: part.about + (f" ({part.source})" if part.source else "") for part in parts
    }


def _part(group: str, used: BoundPart) -> PresetPart:
    return PresetPart(f"{group}{used}", " ".join((used.part.function.__doc__ or "").split()), used.part.source)


def _table_without(preset: Preset, without: Collection[str]) -> Table:
    table = copy.deepcopy(preset.table)
    _remove_parts(table, preset.config, without)
    for size, section in sections(table).items():
        _remove_parts(section, preset.at(size).config, without)
    return table


def _remove_parts(table: Table, config: SearchConfig, without: Collection[str]) -> None:
    """Remove parts from the table of a preset, or of a section for larger boards."""
    policy = config.policy
    if "playout" in table:
        table["playout"] = [str(used) for used in policy.heuristics if f"{PLAYOUT}{used}" not in without] or UNIFORM
        table.setdefault("feasibility", str(policy.feasibility))  # a named list may have brought it
    if "prior" in table:
        priors = zip(table["prior"], config.priors, strict=True)
        table["prior"] = [entry for entry, prior in priors if f"{PRIOR}{prior.used}" not in without]
