"""The players that pages may choose: those of the package and those named on the command line, and their parts."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable
from threading import Lock

from kikashi.engine.overrides import Table, sections
from kikashi.engine.preset import Preset, load_preset, load_preset_table
from kikashi.engine.preset_files import LISTED_BY, preset_names
from kikashi.parts.binding import BoundPart
from kikashi.playout.policy import UNIFORM
from kikashi.search.config import SearchConfig
from kikashi.web.events import PresetInfo, PresetPart
from kikashi.wording import nearest

PLAYOUT, PRIOR = "playout: ", "prior: "


class Presets:
    """Presets by name. A page names one of them, never a file."""

    def __init__(self, files: Iterable[str] = ()) -> None:
        """`files` are presets of the user's own. Raises ValueError and OSError if one is not right."""
        self._own = {preset.name: preset for preset in map(load_preset, files)}
        self._told: list[PresetInfo] = []
        self._telling = Lock()

    @property
    def names(self) -> list[str]:
        return [*self._own, *(name for name in preset_names() if name not in self._own)]

    def get(self, name: str, without: Collection[str] = ()) -> Preset:
        """A preset, with some of its parts switched off. Raises ValueError if there is no such preset or part."""
        if name not in self.names:
            raise ValueError(f"no preset is called {name[:40]!r}; {nearest(name[:40], self.names, LISTED_BY)}")
        preset = self._own[name] if name in self._own else load_preset(name)
        if not without:
            return preset
        known = [part.name for part in parts_of(preset)]
        if unknown := [part for part in without if part not in known]:
            raise ValueError(f"{name} has no part {unknown[0][:60]!r}; {nearest(unknown[0][:60], known)}")
        return load_preset_table(name, _table_without(preset, without))

    @property
    def told(self) -> list[PresetInfo]:
        """All of them, for a page. They are read once, however many pages ask at the same time."""
        with self._telling:
            if not self._told:
                presets = [self.get(name) for name in self.names]
                self._told = [PresetInfo(each.name, each.summary, each.source, parts_of(each)) for each in presets]
            return self._told


def parts_of(preset: Preset) -> list[PresetPart]:
    """The heuristics of its playouts and of its priors, on boards of all sizes."""
    configs = [variant.config for variant in preset.variants]
    playout = [_told(PLAYOUT, used) for config in configs for used in config.policy.heuristics]
    priors = [_told(PRIOR, prior.used) for config in configs for prior in config.priors]
    return list({part.name: part for part in playout + priors}.values())


def about(preset: Preset) -> dict[str, str]:
    """By name: what the heuristics of the playouts do, with where that comes from."""
    found = {}
    for used in preset.config.policy.heuristics:
        part = _told("", used)
        found[part.name] = part.about + (f" ({part.source})" if part.source else "")
    return found


def _told(group: str, used: BoundPart) -> PresetPart:
    return PresetPart(f"{group}{used}", " ".join((used.part.function.__doc__ or "").split()), used.part.source)


def _table_without(preset: Preset, without: Collection[str]) -> Table:
    table = copy.deepcopy(preset.table)
    _leave_out(table, preset.config, without)
    for size, section in sections(table).items():
        _leave_out(section, preset.at(size).config, without)
    return table


def _leave_out(table: Table, config: SearchConfig, without: Collection[str]) -> None:
    """Leave parts out of what a table says: that of the preset, or of a section, which need not have them."""
    policy = config.policy
    if "playout" in table:
        table["playout"] = [str(used) for used in policy.heuristics if f"{PLAYOUT}{used}" not in without] or UNIFORM
        table.setdefault("feasibility", str(policy.feasibility))  # a named list may have brought it
    if "prior" in table:
        priors = zip(table["prior"], config.priors, strict=True)
        table["prior"] = [said for said, prior in priors if f"{PRIOR}{prior.used}" not in without]
