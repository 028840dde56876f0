"""A game that is studied: its tree, a live search, and a review of all its positions."""

from __future__ import annotations

from itertools import pairwise

from kikashi.board.points import parse_vertex
from kikashi.engine.limits import UNLIMITED, Limit
from kikashi.engine.player import Player
from kikashi.engine.scoring import last_passes
from kikashi.game import Game
from kikashi.review import review
from kikashi.web import requests
from kikashi.web.analyses import SHOWN_MOVES, color_name, make_analysis
from kikashi.web.events import Evaluation, Mistake, Mistakes, PositionAnalysis
from kikashi.web.game_tree import GameTree
from kikashi.web.search_viewer import SearchViewer
from kikashi.web.tasks import Job, Question, Task, compile_preset

UPDATES = 0.1
"""Seconds between two updates of a live search."""
SHOWN_MISTAKES = 12


class StudyTask(Task):
    """A game tree and a player that searches its positions."""

    name = "study"

    def open(self, tree: GameTree) -> None:
        """Study another game."""
        self.stop()
        self.tree = tree
        self.viewer = SearchViewer(self.state)
        self._live: requests.StartSearch | None = None
        self._show(whole=True)
        if (mistakes := stored_mistakes(tree)) is not None:
            self.post(Mistakes(mistakes))

    def open_sgf(self, request: requests.OpenSgf) -> None:
        """Study a record. Raises ValueError if it cannot be shown."""
        self.open(GameTree.from_sgf("study", request.text))

    def open_file(self, request: requests.OpenFile) -> None:
        """Study the bytes of a file. Raises ValueError if they cannot be shown."""
        self.open(GameTree.from_sgf("study", request.data))

    def open_empty(self, request: requests.OpenEmpty) -> None:
        self.open(GameTree.from_game("study", Game(request.size, request.komi, request.rules)))

    # --- the tree -----------------------------------------------------------------------------------------------------

    def play(self, move: str) -> None:
        self._pause()
        self._show(whole=self.tree.play(move))

    def go_to(self, node: int) -> None:
        self._pause()
        self.tree.go_to(node)
        self._show()

    def delete(self, request: requests.DeleteNode) -> None:
        self.stop()  # a review too: it may search these nodes
        self.tree.delete(request.node)
        self._show(whole=True)

    def make_main(self, request: requests.MakeMain) -> None:
        self.tree.make_main(request.node)
        self._show(whole=True)

    def comment(self, request: requests.SetComment) -> None:
        self.tree.comment(request.node, request.text)
        self.post(self.tree.update())
        self.post(self.tree.position(), only_newest="position study")

    def _pause(self) -> None:
        """Stop a live search, which `_show` starts again at the next node. A review runs on."""
        if self._live is not None:
            self.stop()

    def _show(self, *, whole: bool = False) -> None:
        """Show the current node, with `whole` the tree too; resume a live search there."""
        if whole:
            self.post(self.tree.update())
        self.post(self.tree.position(), only_newest="position study")
        if (stored := self.tree.stored(self.tree.current)) is not None:
            self.post(stored, only_newest="analysis study")
        if self._live is not None:
            self.search(self._live)

    # --- searching ----------------------------------------------------------------------------------------------------

    def search(self, request: requests.StartSearch) -> None:
        """Search the current position until stopped. Raises ValueError for an unknown preset."""
        preset = self.state.presets.get(request.preset, request.without)
        self._pause()
        self._live = request
        self.viewer.set_preset(preset, request.without)
        tree, node = self.tree, self.tree.current
        game = tree.game(node)

        def run(job: Job) -> None:
            self.show_progress(f"{preset.name} searches")
            compile_preset(preset)
            player = self.viewer.player
            found: PositionAnalysis | None = None
            steps = player.search(game.copy(), UNLIMITED, every=UPDATES, interrupted=job.is_stopped, most=SHOWN_MOVES)
            for analysis in job.iterate(steps):
                found = make_analysis(
                    analysis,
                    board="study",
                    node=node,
                    preset=request.preset,
                    running=not job.is_stopped(),
                    without=request.without,
                )
                self.post(found, only_newest="analysis study")
                self._show_search_tree()
            if found is not None:
                self._store(tree, found)

        self.start(run)

    def _store(self, tree: GameTree, found: PositionAnalysis, before: int | None = None) -> Mistake | None:
        """Store an analysis and update the graph. Grade the move after `before`; return it if it was a mistake."""
        with self.lock:
            tree.store(found)
            mistake = None if before is None else mistake_at(tree, before, found.node)
            if mistake is not None:
                tree.grade(found.node, mistake.grade)
            known = tree.evaluation(found.node)
        if known is not None:
            self.post(Evaluation("study", found.node, *known, "" if mistake is None else mistake.grade))
        return mistake

    def stop_search(self) -> None:
        """Stop, also at the next node."""
        self._live = None
        self.stop()

    # --- review -------------------------------------------------------------------------------------------------------

    def review(self, request: requests.ReviewGame) -> None:
        """Review the current line. Raises ValueError if it has no moves."""
        preset = self.state.presets.get(request.preset)
        self.stop_search()
        tree, line = self.tree, self.tree.line(self.tree.current)
        player = self.state.new_player(preset, limit=Limit(simulations=request.simulations))
        review.played_moves(tree.game(line[-1]))

        def run(job: Job) -> None:
            compile_preset(preset)
            self._review(job, player, tree, line)

        self.start(run)

    def _review(self, job: Job, player: Player, tree: GameTree, line: list[int]) -> None:
        """Search every position, store the analyses, and list the mistakes."""
        with self.lock:
            nodes = reviewed_nodes(tree, line)
            tree.remove_grades(line)
        mistakes: list[Mistake] = []
        for done, node in enumerate(nodes):
            self.show_progress("looking over the game", done, len(nodes))
            with self.lock:
                game = tree.game(node).copy()
            if game.is_over():
                break
            with self.state.search_lock.hold(job.is_stopped) as is_held:
                if not is_held:
                    return
                analysis = player.analyse(game, interrupted=job.is_stopped)
            if job.is_stopped():
                return
            found = make_analysis(analysis, board="study", node=node, preset=player.preset.name, running=False)
            self.post(found, only_newest="analysis study")
            if (mistake := self._store(tree, found, nodes[done - 1] if done else None)) is not None:
                mistakes.append(mistake)
            job.answer()
        self.post(Mistakes(_biggest(mistakes)))

    # --- inside the search --------------------------------------------------------------------------------------------

    def open_nodes(self, request: requests.LookAt) -> None:
        """Show other nodes of the search tree."""
        size = self.tree.game().size
        paths = [[parse_vertex(name, size) for name in path] for path in request.paths]

        def show() -> None:
            self.viewer.paths = paths
            self._show_search_tree()

        self._ask(show)

    def _show_search_tree(self) -> None:
        if (tree := self.viewer.tree()) is not None:
            self.post(tree, only_newest="search tree")

    def show_playout(self, request: requests.StagePlayout) -> None:
        """Show one playout. Raises ValueError for an unknown preset or part."""
        preset = self.state.presets.get(request.preset, request.without)
        game, node = self.tree.game().copy(), self.tree.current

        def show() -> None:
            compile_preset(preset)
            self.post(self.viewer.playout(preset, game, node, request.seed))

        self._ask(show)

    def show_replies(self, request: requests.AskReplies) -> None:
        """Show the learned replies to a move."""
        game = self.tree.game().copy()
        move = parse_vertex(request.move, game.size)
        self._ask(lambda: self.post(self.viewer.replies(game, move)))

    def _ask(self, question: Question) -> None:
        """Answer a question while no simulation runs."""
        if self.job is None or not self.job.ask(question):
            question()


# --- mistakes ---------------------------------------------------------------------------------------------------------


def reviewed_nodes(tree: GameTree, line: list[int]) -> list[int]:
    """Return the nodes of a line that a review searches: those before the passes that end a game."""
    last = tree.game(line[-1])
    return line[: len(line) - last_passes(last)] if last.is_over() else line


def mistake_at(tree: GameTree, before: int, node: int) -> Mistake | None:
    """Return the move of a node as a mistake by `kikashi.review`; None if it was none, or too little is stored."""
    game = tree.game(node)
    known, now = tree.stored(before), tree.stored(node)
    if not game.moves or known is None or now is None or not known.moves:
        return None
    move, best = game.moves[-1], known.moves[0]
    judged = review.MoveReview(
        number=game.move_count,
        color=move.color,
        move=move.name,
        before=review.Evaluation(known.winrate, known.score, known.visits),
        after=review.Evaluation(now.winrate, now.score, now.visits),
        best=best.move,
        line=tuple(best.line[: review.LONGEST_LINE]),
    )
    if judged.grade is None:
        return None
    return Mistake(
        node=node,
        number=judged.number,
        color=color_name(move.color),
        move=judged.move,
        loss=judged.loss,
        grade=judged.grade,
        better=list(judged.line),
    )


def stored_mistakes(tree: GameTree) -> list[Mistake] | None:
    """Return the biggest mistakes of the main line; None unless the record has a whole review."""
    if tree.evaluation(0) is None:
        return None
    nodes = reviewed_nodes(tree, tree.line(0))
    if len(nodes) < 2 or not all(tree.evaluation(node) for node in nodes):
        return None
    found = (mistake_at(tree, before, node) for before, node in pairwise(nodes))
    return _biggest([mistake for mistake in found if mistake is not None])


def _biggest(mistakes: list[Mistake]) -> list[Mistake]:
    return sorted(mistakes, key=lambda mistake: -mistake.loss)[:SHOWN_MISTAKES]
