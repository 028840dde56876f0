"""The laboratory: matches and experiments of one folder, live from their journals, started and stopped by pages."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from kikashi.experiments import experiment_names, load_design
from kikashi.experiments.experiment import experiment_folder, seconds_of
from kikashi.match.journal import FILE, is_begun, read_header, read_records
from kikashi.match.one_game import GameRecord, as_sgf
from kikashi.match.progress import duration
from kikashi.match.provenance import settings_of
from kikashi.match.runner import free_folder, new_settings
from kikashi.match.summary import latest
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
    Studies,
    Thought,
    handles,
)
from kikashi.web.run_job import Job as RunJob
from kikashi.web.runs import Run
from kikashi.web.studies import as_csv, as_report, design_of, find_studies, study_info, study_state
from kikashi.web.tasks import Job, Task
from kikashi.wording import counted, nearest

PAUSE = 0.5
"""Seconds between two checks of a journal and of the runs."""
PATIENCE = 10
"""Pause after an update as a multiple of its time."""
DEFAULT_SIMULATIONS = 1000


class LaboratoryTask(Task):
    """The list of the folder, the runs of the server, and the live state of one match or experiment."""

    name = "laboratory"
    _watched = ""

    @handles("list_studies")
    def list(self) -> None:
        """List all matches and experiments, the latest first, and follow the runs."""
        found = [info for name, folder in self._studies().items() if (info := study_info(name, folder)) is not None]
        self.post(Studies(sorted(found, key=lambda info: -info.changed)))
        if not self.is_busy:
            self.follow()

    @handles("watch_study")
    def watch(self, study: LongName) -> None:
        """Follow a study; an empty name ends this. Raises ValueError if there is none of this name."""
        if study and self.state.runs.find(study) is None:
            self._folder(study)
        self._watched = study
        self.follow()

    def follow(self) -> None:
        """Follow the runs of the server and the watched study."""
        study = self._watched

        def look(job: Job) -> None:
            seen, states = None, None
            while not job.is_stopped():
                started = time.monotonic()
                runs = self.state.runs.all()
                infos = [RunInfo(run.study, run.title, run.state, run.detail) for run in runs]
                if infos != states:
                    self.post(Runs(infos), only_newest="runs")
                    if states is not None and [run.state for run in infos] != [run.state for run in states]:
                        self.list()
                    states = infos
                    active = next((info for info in infos if info.state == "running"), None)
                    self.show_progress("" if active is None else f"{active.title}: {active.detail or 'getting ready'}")
                seen = self._show_study(study, seen)
                job.wait(max(PAUSE, PATIENCE * (time.monotonic() - started)))

        self.start(look)

    def _show_study(self, study: str, seen: object) -> object:
        """Post the state of a study if it has changed since it was seen; return what is seen now."""
        folder = self._studies().get(study) if study else None
        if folder is None or not is_begun(folder):
            return None
        status, run = os.stat(folder / FILE, follow_symlinks=False), self.state.runs.find(study)
        now = (status.st_size, status.st_mtime_ns, run and run.state)
        if now == seen:
            return seen
        found = study_state(study, folder)
        is_over = found.state in ("finished", "decided")
        if run is not None and (run.is_active or (run.state == "failed" and not is_over)):
            found = msgspec.structs.replace(found, state=run.state)
        can_resume = not is_over and not (run is not None and run.is_active) and self._can_resume(folder)
        self.post(msgspec.structs.replace(found, can_resume=can_resume), only_newest="study state")
        return now

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
        folder = free_folder(settings, self._place())
        taken = {run.study for run in self.state.runs.all()}
        while folder.name in taken:  # it waits, and has no folder yet
            name, _, number = folder.name.rpartition("-")
            folder = folder.with_name(f"{name}-{int(number) + 1}")
        self._run(folder, " – ".join(settings.names), match=given)

    @handles("start_experiment")
    def start_experiment(self, name: Name, scale: Scale = 0.01) -> None:
        """Start or resume an experiment of the papers. Raises ValueError."""
        if name not in experiment_names():
            raise ValueError(f"no experiment is called {name[:40]!r}; {nearest(name[:40], experiment_names())}")
        title = load_design(name).at(scale).title
        self._run(self._place() / experiment_folder(name, scale).name, title, experiment=name, scale=scale)

    @handles("resume_run")
    def resume(self, study: LongName) -> None:
        """Resume a match of presets, or an experiment. Raises ValueError."""
        folder = self._folder(study)
        if not self._can_resume(folder):
            raise ValueError(f"{study} has players that are no presets: kikashi match --resume goes on with it")
        if (design := design_of(folder)) is not None:
            self._run(folder, design[1].title, experiment=design[0], scale=design[1].scale)
        else:
            self._run(folder, " – ".join(settings_of(read_header(folder)).names))

    @handles("stop_run")
    def stop_run(self, study: LongName) -> None:
        """Stop a run, which may be resumed. Raises ValueError if there is none."""
        run = self.state.runs.find(study)
        if run is None or not run.is_active:
            raise ValueError(f"{study} is not running here")
        run.stop()

    def stop_runs(self) -> None:
        """Stop the run at work; the next one begins."""
        for run in self.state.runs.all():
            if run.state == "running":
                run.stop()

    @handles("list_experiments")
    def list_experiments(self, scale: Scale = 0.01) -> None:
        """List the papers' experiments at a scale."""
        self.post(Experiments(scale, list(_experiments(scale, self.state.limits.threads))))

    def _run(self, folder: Path, title: str, **job: object) -> None:
        study = str(folder.relative_to(self._place()))
        task = msgspec.convert({"folder": str(folder), "concurrency": self.state.limits.threads} | job, RunJob)
        self.state.runs.add(Run(study, title[:200], task))
        self.watch(study)

    def _can_resume(self, folder: Path) -> bool:
        """Whether a run has no players but presets of this server, so that a page may resume it."""
        if design_of(folder) is not None:
            return True
        header = read_header(folder)
        if header.get("kind") != "match":
            return False
        allowed = {
            self.state.presets.player(name, self.state.plugins).unnamed_text for name in self.state.presets.names
        }
        return all(spec.unnamed_text in allowed for spec in settings_of(header).specs)

    # --- files --------------------------------------------------------------------------------------------------------

    @handles("export_study")
    def export(self, study: LongName, form: Literal["csv", "html"]) -> None:
        """Send a study's numbers as CSV, or its report. Raises ValueError."""
        write: dict[str, Callable[[Path], str]] = {"csv": as_csv, "html": as_report}
        folder = self._folder(study)
        self.post(Saved(f"{folder.name}.{form}", write[form](folder)))

    def game(self, name: str, number: int) -> GameTree:
        """Return a game of a match. Raises ValueError if there is none."""
        folder = self._folder(name)
        settings = settings_of(read_header(folder))
        found = next((each for each in latest(read_records(folder, GameRecord)) if each.number == number), None)
        if found is None:
            raise ValueError(f"{name} has no game {number}")
        return GameTree.from_sgf("study", as_sgf(found, settings))

    def _studies(self) -> dict[str, Path]:
        return find_studies(self.state.folder)

    def _folder(self, name: str) -> Path:
        folders = self._studies()
        if name not in folders:
            raise ValueError(f"there is no match or experiment {name[:60]!r} in the folder")
        return folders[name]

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
