"""A look into the search of a study: its tree, and playouts, owners and replies at any node of it."""

from __future__ import annotations

from collections.abc import Callable

from kikashi.board.points import parse_vertex
from kikashi.engine.preset import Preset
from kikashi.game import Game
from kikashi.search.tree_search import TreeSearch
from kikashi.web.messages import Event, MoveName, Name, Parts, Paths, Playouts, Seed, ShownNodes, TreePath, handles
from kikashi.web.search_viewer import find_owners, find_replies, run_playout
from kikashi.web.study import StudyTask
from kikashi.web.tasks import Job, Question


class InsideTask:
    """Requests about the search of a study, answered while no simulation runs; playouts compile beside it."""

    def __init__(self, study: StudyTask) -> None:
        self._study = study

    @handles("look_at")
    def open_nodes(self, paths: Paths, folded: Paths = (), nodes: ShownNodes = 0) -> None:
        """Show these nodes of the search tree with their children, and the most visited ones that are not folded."""
        opened, closed = ([self._points(path) for path in each] for each in (paths, folded))
        viewer, post = self._study.viewer, self._study.post

        def show() -> None:
            viewer.look_at(opened, closed, nodes)
            viewer.show(post)

        self._ask(show)

    @handles("stage_playout")
    def show_playout(self, preset: Name, without: Parts = (), seed: Seed = 1, path: TreePath = ()) -> None:
        """Show one playout from a node of the search tree. Raises ValueError for an unknown preset or part."""
        node, moves = self._study.tree.current, self._points(path)

        def run(shown: Preset, game: Game, search: TreeSearch | None) -> Event:
            return run_playout(shown, game, node, seed, search, moves)

        self._aside("a playout", self._study.state.presets.get(preset, without), run)

    @handles("estimate_owners")
    def show_owners(
        self, preset: Name, without: Parts = (), seed: Seed = 1, path: TreePath = (), playouts: Playouts = 400
    ) -> None:
        """Show who owns what after playouts from a node. Raises ValueError for an unknown preset or part."""
        moves = self._points(path)

        def run(shown: Preset, game: Game, search: TreeSearch | None) -> Event:
            return find_owners(shown, game, seed, search, moves, playouts)

        self._aside(f"{playouts} playouts", self._study.state.presets.get(preset, without), run)

    @handles("ask_replies")
    def show_replies(self, move: MoveName) -> None:
        """Show the learned replies to a move. Raises ValueError if no search has learned any."""
        preset, point = self._study.viewer.searched_preset(self._study.tree.game()), self._points((move,))[0]

        def run(shown: Preset, game: Game, search: TreeSearch | None) -> Event:
            return find_replies(shown, game, point, search)

        self._aside("replies", preset, run)

    def _points(self, path: TreePath) -> list[int]:
        size = self._study.tree.game().size
        return [parse_vertex(name, size) for name in path]

    def _aside(self, detail: str, preset: Preset, run: Callable[[Preset, Game, TreeSearch | None], Event]) -> None:
        """Compile the kernels that only playouts on the board need, then post what `run` returns.

        A search by the same preset lends its memories.
        """
        study, aside, viewer = self._study, self._study.aside, self._study.viewer
        game = study.tree.game().copy()
        at_size = preset.at(game.size)

        def warm() -> None:
            run_playout(at_size, game, 0, 1, None)
            find_owners(at_size, game, 1, None, (), 1)

        def work(job: Job) -> None:
            aside.show_progress(detail)
            if aside.compile(job, preset) and aside.compile(job, at_size, work=warm, name="playout"):
                self._ask(lambda: study.post(run(at_size, game, viewer.lent(preset, game))))

        aside.start(work)

    def _ask(self, question: Question) -> None:
        """Answer a question while no simulation runs."""
        if self._study.job is None or not self._study.job.ask(question):
            question()
