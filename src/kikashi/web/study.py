"""A game that is studied: its tree, a live search, and a review of all its positions."""

from __future__ import annotations

from kikashi.board.points import parse_vertex
from kikashi.engine.limits import UNLIMITED, Limit
from kikashi.engine.player import Player
from kikashi.game import Game
from kikashi.review import review
from kikashi.search.analysis import Analysis
from kikashi.web import requests
from kikashi.web.desk import Desk
from kikashi.web.events import Evaluation, Mistake, Mistakes, Opinion
from kikashi.web.game_tree import Document
from kikashi.web.inside import Inside
from kikashi.web.jobs import Job, Question, prepare
from kikashi.web.limits import TOLD_MOVES, UPDATES
from kikashi.web.mistakes import biggest, kept_mistakes, mistake_at, reviewed_nodes
from kikashi.web.opinions import opinion_of


class StudyDesk(Desk):
    """A document and a player that looks at it."""

    task = "study"

    def open(self, document: Document) -> None:
        """Study another game."""
        self.stop()
        self.document = document
        self.inside = Inside(self.house)
        self._asked: requests.StartSearch | None = None
        self._tell(whole=True)
        if (mistakes := kept_mistakes(document)) is not None:
            self.post(Mistakes(mistakes))

    def open_sgf(self, request: requests.OpenSgf) -> None:
        """Raises ValueError if the text is not a game that we can show."""
        self.open(Document.from_sgf("study", request.text))

    def open_file(self, request: requests.OpenFile) -> None:
        """Raises ValueError if the file is not a game that we can show."""
        self.open(Document.from_sgf("study", request.data))

    def open_empty(self, request: requests.OpenEmpty) -> None:
        self.open(Document.from_game("study", Game(request.size, request.komi, request.rules)))

    # --- the tree -----------------------------------------------------------------------------------------------------

    def play(self, move: str) -> None:
        self._pause()
        is_new = self.document.play(move)
        self._tell(whole=is_new)

    def go_to(self, node: int) -> None:
        self._pause()
        self.document.go_to(node)
        self._tell()

    def delete(self, request: requests.DeleteNode) -> None:
        self.stop()  # a review too: its nodes may be those
        self.document.delete(request.node)
        self._tell(whole=True)

    def make_main(self, request: requests.MakeMain) -> None:
        self.document.make_main(request.node)
        self._tell(whole=True)

    def comment(self, request: requests.SetComment) -> None:
        self.document.comment(request.node, request.text)
        self.post(self.document.tree())
        self.post(self.document.position(), only_newest="position study")

    def _pause(self) -> None:
        """End a live search of this position: it goes on at the next. A review does not mind who looks where."""
        if self._asked is not None:
            self.stop()

    def _tell(self, *, whole: bool = False) -> None:
        """What is to be seen now; and a search that was started goes on there."""
        if whole:
            self.post(self.document.tree())
        self.post(self.document.position(), only_newest="position study")
        if (kept := self.document.kept(self.document.current)) is not None:
            self.post(kept, only_newest="opinion study")
        if self._asked is not None:
            self.search(self._asked)

    # --- searching ----------------------------------------------------------------------------------------------------

    def search(self, request: requests.StartSearch) -> None:
        """Search the position until told otherwise. Raises ValueError for an unknown preset."""
        preset = self.house.presets.get(request.preset, request.without)
        self._pause()
        self._asked = request
        self.inside.take(preset, request.without)
        document, node = self.document, self.document.current
        game = document.game(node)

        def run(job: Job) -> None:
            self.working(f"{preset.name} searches")
            prepare(preset)
            player = self.inside.player
            found: Opinion | None = None
            steps = player.search(game.copy(), UNLIMITED, every=UPDATES, interrupted=job.is_stopped, most=TOLD_MOVES)
            for analysis in job.stepping(steps):
                found = self._told(analysis, request, node, running=not job.is_stopped())
                self.post(found, only_newest="opinion study")
                if (tree := self.inside.tree()) is not None:
                    self.post(tree, only_newest="search tree")
            if found is not None:
                self._keep(document, found)

        self.work(run)

    def _told(self, analysis: Analysis, request: requests.StartSearch, node: int, *, running: bool) -> Opinion:
        return opinion_of(
            analysis, board="study", node=node, preset=request.preset, running=running, without=request.without
        )

    def _keep(self, document: Document, found: Opinion, before: int | None = None) -> Mistake | None:
        """Keep it in the record and tell the graph. The move after `before` is graded, and told if it was a mistake."""
        with self.lock:
            document.keep(found)
            mistake = None if before is None else mistake_at(document, before, found.node)
            if mistake is not None:
                document.grade(found.node, mistake.grade)
            known = document.evaluation(found.node)
        if known is not None:
            self.post(Evaluation("study", found.node, *known, "" if mistake is None else mistake.grade))
        return mistake

    def stop_search(self) -> None:
        """Stop for good."""
        self._asked = None
        self.stop()

    # --- all of a game ------------------------------------------------------------------------------------------------

    def look_over(self, request: requests.ReviewGame) -> None:
        """Look over the line that is looked at. Raises ValueError if it has no moves."""
        preset = self.house.presets.get(request.preset)
        self.stop_search()
        document, line = self.document, self.document.line(self.document.current)
        limits = self.house.limits
        player = Player(
            preset,
            limit=Limit(simulations=request.simulations),
            threads=limits.threads,
            megabytes=limits.megabytes,
        )
        review.played_moves(document.game(line[-1]))

        def run(job: Job) -> None:
            prepare(preset)
            self._review(job, player, document, line)

        self.work(run)

    def _review(self, job: Job, player: Player, document: Document, line: list[int]) -> None:
        """Search every position, keep what is found, and list the mistakes."""
        with self.lock:
            nodes = reviewed_nodes(document, line)
            document.forget_grades(line)
        mistakes: list[Mistake] = []
        for done, node in enumerate(nodes):
            self.working("looking over the game", done, len(nodes))
            with self.lock:
                game = document.game(node).copy()
            if game.is_over():
                break
            with self.house.turns.turn(job.is_stopped) as is_ours:
                if not is_ours:
                    return
                analysis = player.analyse(game, interrupted=job.is_stopped)
            if job.is_stopped():
                return
            found = self._told(analysis, requests.StartSearch(player.preset.name), node, running=False)
            self.post(found, only_newest="opinion study")
            if (mistake := self._keep(document, found, nodes[done - 1] if done else None)) is not None:
                mistakes.append(mistake)
            job.answer()
        self.post(Mistakes(biggest(mistakes)))

    # --- looking inside -----------------------------------------------------------------------------------------------

    def look(self, request: requests.LookAt) -> None:
        """Have other nodes of the search tree shown."""
        size = self.document.game().size
        paths = [[parse_vertex(name, size) for name in path] for path in request.paths]
        self._ask(lambda: self._look(paths))

    def _look(self, paths: list[list[int]]) -> None:
        self.inside.paths = paths
        if (tree := self.inside.tree()) is not None:
            self.post(tree, only_newest="search tree")

    def stage(self, request: requests.StagePlayout) -> None:
        """Show one playout. Raises ValueError for an unknown preset or part."""
        preset = self.house.presets.get(request.preset, request.without)
        game, node = self.document.game().copy(), self.document.current

        def show() -> None:
            prepare(preset)
            self.post(self.inside.playout(preset, game, node, request.seed))

        self._ask(show)

    def replies(self, request: requests.AskReplies) -> None:
        """Show what the memories hold about a move."""
        game = self.document.game().copy()
        move = parse_vertex(request.move, game.size)
        self._ask(lambda: self.post(self.inside.replies(game, move)))

    def _ask(self, question: Question) -> None:
        """Have it done while no simulation runs."""
        if self.job is None or not self.job.ask(question):
            question()
