"""A look into the search of a study: its tree, and playouts, owners and replies at any node of it."""

from __future__ import annotations

from collections.abc import Callable

from kikashi.board.points import parse_vertex
from kikashi.engine.preset import Preset
from kikashi.game import Game
from kikashi.web.messages import MoveName, Name, Parts, Paths, Playouts, Seed, ShownNodes, TreePath, handles
from kikashi.web.search_viewer import find_owners, run_playout
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
        study, moves, viewer = self._study, self._points(path), self._study.viewer
        game, node = study.tree.game().copy(), study.tree.current
        shown = study.state.presets.get(preset, without)
        self._aside("a playout", shown, game, lambda: study.post(viewer.playout(shown, game, node, seed, moves)))

    @handles("estimate_owners")
    def show_owners(
        self,
        preset: Name,
        without: Parts = (),
        seed: Seed = 1,
        path: TreePath = (),
        playouts: Playouts = 400,
    ) -> None:
        """Show who owns what after playouts from a node. Raises ValueError for an unknown preset or part."""
        study, moves, viewer = self._study, self._points(path), self._study.viewer
        game = study.tree.game().copy()
        shown = study.state.presets.get(preset, without)
        self._aside(
            f"{playouts} playouts", shown, game, lambda: study.post(viewer.owners(shown, game, seed, moves, playouts))
        )

    @handles("ask_replies")
    def show_replies(self, move: MoveName) -> None:
        """Show the learned replies to a move."""
        study, viewer = self._study, self._study.viewer
        game = study.tree.game().copy()
        point = parse_vertex(move, game.size)
        preset = viewer.searched_preset(game)
        self._aside("replies", preset, game, lambda: study.post(viewer.replies(game, point)))

    def _points(self, path: TreePath) -> list[int]:
        size = self._study.tree.game().size
        return [parse_vertex(name, size) for name in path]

    def _aside(self, detail: str, preset: Preset, game: Game, question: Callable[[], None]) -> None:
        """Compile the kernels that only playouts on the board need, then answer a question."""
        aside, at_size = self._study.aside, preset.at(game.size)

        def warm() -> None:
            run_playout(at_size, game, 0, 1, None)
            find_owners(at_size, game, 1, None, (), 1)

        def work(job: Job) -> None:
            aside.show_progress(detail)
            if aside.compile(job, preset) and aside.compile(job, at_size, work=warm, name="playout"):
                self._ask(question)

        aside.start(work)

    def _ask(self, question: Question) -> None:
        """Answer a question while no simulation runs."""
        if self._study.job is None or not self._study.job.ask(question):
            question()
