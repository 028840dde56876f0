"""The laboratory: the queue of matches and experiments, live from their journals, started and stopped by pages."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec

from kikashi.experiments import experiment_names, load_design
from kikashi.experiments.experiment import experiment_folder, seconds_of
from kikashi.experiments.queue import Entry, ExperimentEntry, MatchEntry, find_entries
from kikashi.experiments.results import RunName
from kikashi.match.one_game import GameRecord, as_sgf
from kikashi.match.progress import duration
from kikashi.match.provenance import settings_of
from kikashi.match.runner import free_folder, new_settings
from kikashi.web.game_tree import GameTree
from kikashi.web.messages import (
    Elo,
    ExperimentInfo,
    Experiments,
    Games,
    Komi,
    LongName,
    Name,
    Names,
    RunInfo,
    Runs,
    Saved,
    Scale,
    Seed,
    Size,
    Thought,
    handles,
)
from kikashi.web.studies import as_csv, as_report, study_state
from kikashi.web.tasks import Job, Task
from kikashi.wording import counted, nearest

PAUSE = 0.5
"""Seconds between two looks at the queue."""
PATIENCE = 10
"""Pause after an update as a multiple of its time."""
READING = 0.5
"""Seconds after which a list is shown that is not read to its end."""
DEFAULT_SIMULATIONS = 1000


class LaboratoryTask(Task):
    """The queue, and the live state of one of its entries."""

    name = "laboratory"
    _watched = ""

    @handles("list_runs")
    def list(self) -> None:
        """List the queue, and follow it."""
        self.follow()

    @handles("watch_study")
    def watch(self, study: LongName) -> None:
        """Follow a study; an empty name ends this. Raises ValueError if there is none of this name."""
        if study:
            self._entry(study)
        self._watched = study
        self.follow()

    def follow(self) -> None:
        """Follow the queue and the watched study."""
        study = self._watched

        def look(job: Job) -> None:
            seen, shown = None, None
            while not job.is_stopped():
                started = time.monotonic()
                entries = self._entries()
                if (entry := entries.get(study)) is not None and entry.version() != seen:
                    seen = entry.version()
                    self.post(study_state(study, entry), only_newest="study state")
                found: list[RunInfo] = []
                for name, each in entries.items():
                    if time.monotonic() - started > READING or job.is_stopped():
                        break
                    found.append(self._info(name, each))
                if found != shown:
                    self.post(Runs(found), only_newest="runs")
                    shown = found
                if len(found) < len(entries):
                    self.show_progress("reading the queue", len(found), len(entries))
                    continue
                active = next((one for one in found if one.state == "running" and one.can == "stop"), None)
                self.show_progress("" if active is None else f"{active.title}: {active.detail}")
                job.wait(max(PAUSE, PATIENCE * (time.monotonic() - started)))

        self.start(look)

    def _info(self, name: str, entry: Entry) -> RunInfo:
        status, here = entry.status(), self.state.runner.state(entry)
        done, of, state = status.done, status.of, here or status.state
        extent = f"{done:,} of {of:,} {entry.unit}" if of else counted(done, entry.unit)
        match state:
            case "running":
                detail = status.line or extent if here else f"in another process, {status.line or extent}"
            case "failed":
                detail = status.line
            case "stopped" | "waiting" if status.seconds is not None:
                detail = f"{extent}, {duration(status.seconds)} left on one core"
            case _:
                detail = extent
        can: Literal["", "start", "resume", "stop"] = ""
        if here in ("waiting", "running"):
            can = "stop"
        elif state in ("waiting", "stopped", "failed") and self._may_run(entry):
            can = "resume" if done else "start"
        return RunInfo(name, entry.title[:200], state, detail, done, of, can, name in self._papers)

    # --- runs ---------------------------------------------------------------------------------------------------------

    @handles("start_match")
    def start_match(
        self,
        players: Names,
        games: Games = 100,
        size: Size = 9,
        komi: Komi = 7.5,
        thought: Thought = Thought(simulations=DEFAULT_SIMULATIONS),  # noqa: B008 (frozen)
        sprt: tuple[Elo, Elo] | None = None,
        seed: Seed = 1,
    ) -> None:
        """Start a match of presets in a new folder. Raises ValueError for settings that cannot be."""
        specs = [self.state.presets.player(name, self.state.plugins) for name in players]
        given: dict[str, Any] = {
            "players": tuple(map(str, specs)),
            "games": games,
            "size": size,
            "komi": komi,
            "seed": seed,
        }
        limits = {key: value for key, value in msgspec.to_builtins(thought).items() if value is not None}
        given |= limits | ({} if sprt is None else {"sprt": sprt})
        settings = new_settings(given)
        settings.match_players()
        with self.state.lock:  # no other page takes the same folder
            entry = MatchEntry(str(free_folder(settings, self._place())), settings)
            self.state.runner.start(entry)
        self._watch(entry)

    @handles("start_experiment")
    def start_experiment(self, name: Name, scale: Scale = 0.01) -> None:
        """Start or resume an experiment of the papers. Raises ValueError."""
        if name not in experiment_names():
            raise ValueError(f"no experiment is called {name[:40]!r}; {nearest(name[:40], experiment_names())}")
        place = self._place() / experiment_folder(name, scale).name
        self._start(ExperimentEntry(str(place), RunName(experiment=name, scale=scale)))

    @handles("start_run")
    def start_run(self, study: LongName) -> None:
        """Start or resume a match of presets, or an experiment. Raises ValueError."""
        entry = self._entry(study)
        if not self._may_run(entry):
            raise ValueError(f"{study} has players that are no presets: kikashi match --resume goes on with it")
        self._start(entry)

    @handles("stop_run")
    def stop_run(self, study: LongName) -> None:
        """Stop a run, which may be resumed. Raises ValueError if it is not running here."""
        self.state.runner.stop(self._entry(study))

    def stop_runs(self) -> None:
        """Stop the run at work; the next one begins."""
        for entry in self.state.runner.entries[:1]:
            self.state.runner.stop(entry)

    @handles("list_experiments")
    def list_experiments(self, scale: Scale = 0.01) -> None:
        """List the papers' experiments at a scale."""
        self.post(Experiments(scale, list(_experiments(scale, self.state.limits.threads))))

    def _start(self, entry: Entry) -> None:
        if not entry.recorded().is_over:
            self.state.runner.start(entry)
        self._watch(entry)

    def _watch(self, entry: Entry) -> None:
        self.watch(next(name for name, each in self._entries().items() if each.place == entry.place))

    def _may_run(self, entry: Entry) -> bool:
        """Whether an entry has no players but presets of this server, so that a page may run it."""
        if isinstance(entry, MatchEntry):
            return all(spec.unnamed_text in self._allowed for spec in entry.settings.specs)
        return isinstance(entry, ExperimentEntry)

    @cached_property
    def _allowed(self) -> set[str]:
        presets = self.state.presets
        return {presets.player(name, self.state.plugins).unnamed_text for name in presets.names}

    # --- files --------------------------------------------------------------------------------------------------------

    @handles("export_study")
    def export(self, study: LongName, form: Literal["csv", "html"]) -> None:
        """Send a study's numbers as CSV, or its report. Raises ValueError."""
        write: dict[str, Callable[[Entry], str]] = {"csv": as_csv, "html": as_report}
        entry = self._entry(study)
        self.post(Saved(f"{entry.folder.name}.{form}", write[form](entry)))

    def game(self, name: str, number: int) -> GameTree:
        """Return a game of a match. Raises ValueError if there is none."""
        headers, records = self._entry(name).read()
        games = (each for each in records if isinstance(each, GameRecord))
        found = next((each for each in games if each.number == number), None)
        if found is None:
            raise ValueError(f"{name} has no game {number}")
        return GameTree.from_sgf("study", as_sgf(found, settings_of(headers[-1])))

    @cached_property
    def _papers(self) -> dict[str, Entry]:
        return {entry.name.label: entry for entry in self.state.papers}

    def _entries(self) -> dict[str, Entry]:
        """Return the queue by names: what reproduces the papers, and the runs of the folder, the latest first."""
        if self.state.folder is None:
            return self._papers
        known = {entry.folder.absolute() for entry in self._papers.values()}
        own = [each for each in find_entries(self.state.folder).items() if each[1].folder.absolute() not in known]
        return self._papers | dict(sorted(own, key=lambda each: -each[1].changed))

    def _entry(self, name: str) -> Entry:
        entries = self._entries()
        if name not in entries:
            raise ValueError(f"there is no match or experiment {name[:60]!r} in the folder")
        return entries[name]

    def _place(self) -> Path:
        if self.state.folder is None:
            raise ValueError("there is no folder for matches: kikashi web --folder names one")
        return self.state.folder


@cache
def _experiments(scale: float, cores: int) -> tuple[ExperimentInfo, ...]:
    found = []
    for name in experiment_names():
        design = load_design(name).at(scale)
        about = " ".join(design.about.split())
        size, time_needed = counted(design.steps, design.unit), duration(seconds_of(design, cores))
        found.append(ExperimentInfo(name, design.title, design.source, about, size, time_needed))
    return tuple(found)
