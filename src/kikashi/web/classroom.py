"""The classroom of a page: lessons, and simulations one at a time, from an empty tree and a seed."""

from __future__ import annotations

from threading import RLock

from kikashi.board.points import parse_vertex
from kikashi.engine.player import Player
from kikashi.engine.preset import Preset
from kikashi.engine.trace import Trace
from kikashi.game import Game
from kikashi.web.lessons import lesson_game, lesson_infos, lesson_preset, lesson_tree, load_lesson
from kikashi.web.messages import (
    Lessons,
    LongName,
    Name,
    Parts,
    Playouts,
    SearchNode,
    Seed,
    Traced,
    TracedCount,
    handles,
)
from kikashi.web.presets import describe_parts
from kikashi.web.search_viewer import find_owners, run_playout, shown_nodes
from kikashi.web.study import StudyTask
from kikashi.web.tasks import Job, Post, ServerState, Task
from kikashi.wording import plural

MEGABYTES = 64.0
"""Memory of a tree that is filled one simulation at a time, at most."""
TRACED_NODES = 40
"""Nodes of the tree around a traced simulation, the most visited."""


class ClassroomTask(Task):
    """Lessons, and a search of the study or of a lesson's position that runs one simulation at a time."""

    name = "class"

    def __init__(self, state: ServerState, post: Post, lock: RLock, study: StudyTask) -> None:
        super().__init__(state, post, lock)
        self._study = study
        self._player: Player | None = None
        self._key: tuple[object, ...] = ()
        """Place, preset and seed of the player's search."""

    @handles("list_lessons")
    def list_lessons(self) -> None:
        self.post(Lessons(lesson_infos()))

    @handles("open_lesson")
    def open_lesson(self, name: Name) -> None:
        """Send a chapter. Raises ValueError if there is none."""
        self.post(load_lesson(name))

    @handles("study_lesson")
    def study(self, place: LongName) -> None:
        """Study the position of a lesson. Raises ValueError if there is none."""
        self._study.open(lesson_tree(place))

    @handles("trace_simulations")
    def trace(
        self,
        preset: Name,
        place: LongName = "",
        without: Parts = (),
        seed: Seed = 1,
        simulations: TracedCount = 1,
        fresh: bool = False,
    ) -> None:
        """Run simulations of the study's position or of a lesson's, and send a record of the last one.

        The first of them, or a `fresh` one, begins with an empty tree. Raises ValueError for an unknown name.
        """
        game, used = self._place(place, preset, without)
        where = place or f"{id(self._study.tree)} {self._study.tree.current}"

        def run(job: Job) -> None:
            self.show_progress("a simulation" if simulations == 1 else plural(simulations, "simulation"))
            if not self.compile(job, used) or not self.compile(job, used, work=lambda: _warm(used, game), name="trace"):
                return
            with self.state.search_lock.hold(job.is_stopped) as is_held:
                if not is_held:
                    return
                key = (where, preset, without, seed)
                if self._player is None or fresh or key != self._key:
                    room = min(MEGABYTES, self.state.limits.megabytes)
                    self._player, self._key = Player(used, seed=seed, megabytes=room), key
                self.post(_traced(self._player, game, place, without, seed, simulations))

        self.start(run)

    @handles("try_playouts")
    def try_playouts(
        self, preset: Name, place: LongName = "", without: Parts = (), seed: Seed = 1, playouts: Playouts = 200
    ) -> None:
        """Run playouts from a lesson's position; send their results, and one of them move by move."""
        game, used = self._place(place, preset, without)

        def run(job: Job) -> None:
            self.show_progress("playouts")
            at = used.at(game.size)
            if self.compile(job, used):
                self.post(find_owners(at, game, seed, None, (), playouts, place=place))
                self.post(run_playout(at, game, 0, seed, None, place=place))

        self.start(run)

    def _place(self, place: str, preset: str, without: Parts) -> tuple[Game, Preset]:
        if not place:
            return self._study.tree.game().copy(), self.state.presets.get(preset, without)
        return lesson_game(place), lesson_preset(place, preset, self.state.presets)


def _warm(preset: Preset, game: Game) -> None:
    Player(preset, megabytes=16.0).trace(game)


def _traced(player: Player, game: Game, place: str, without: Parts, seed: int, simulations: int) -> Traced:
    """Run simulations and return the record of the last one. Raises ValueError if the search is decided before."""
    player.trace(game, 0, after=simulations - 1)
    before = _nodes(player, game)
    found = player.trace(game, 1)
    if not found:
        raise ValueError("the search is decided: a pruning rule has left one move")
    (trace,) = found
    return Traced(
        place=place,
        preset=player.preset.name,
        without=list(without),
        seed=seed,
        trace=trace,
        before=before[trace.tree],
        after=_nodes(player, game, trace)[trace.tree],
        abouts=describe_parts(player.preset.at(game.size)),
    )


def _nodes(player: Player, game: Game, trace: Trace | None = None) -> list[list[SearchNode]]:
    """Return the most visited nodes of each tree of a search, and those on the path of a simulation."""
    line = [] if trace is None else [parse_vertex(node.move, game.size) for node in trace.path[1:]]
    return [shown_nodes(search, TRACED_NODES, (), [[]], line) for search in player.search_for(game.size).trees]
