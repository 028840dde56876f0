"""A game that is studied: its tree, a live search, and a review of all its positions."""

from __future__ import annotations

from kikashi import review
from kikashi.board.points import parse_vertex
from kikashi.game import Game
from kikashi.judging import last_passes
from kikashi.player import Player
from kikashi.search.analysis import Analysis
from kikashi.search.budget import Budget
from kikashi.web import requests
from kikashi.web.desk import Desk
from kikashi.web.document import Document, color_name
from kikashi.web.events import Evaluation, Mistake, Mistakes, Opinion
from kikashi.web.inside import Inside
from kikashi.web.jobs import Job, Question, prepare
from kikashi.web.limits import TOLD_MOVES, UPDATES
from kikashi.web.opinions import opinion_of

SHOWN_MISTAKES = 12


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

    def open_sgf(self, request: requests.OpenSgf) -> None:
        """Raises ValueError if the text is not a game that we can show."""
        self.open(Document.from_sgf("study", request.text))

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
        self._pause()
        self.document.delete(request.node)
        self._tell(whole=True)

    def make_main(self, request: requests.MakeMain) -> None:
        self.document.make_main(request.node)
        self._tell(whole=True)

    def comment(self, request: requests.SetComment) -> None:
        self.document.comment(request.node, request.text)
        self.post(self.document.tree())

    def _pause(self) -> None:
        """End what runs, if it is about this position; a live search goes on at the next."""
        asked = self._asked
        self.stop()
        self._asked = asked

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
            steps = player.watch(game.copy(), UPDATES, job.is_stopped, most=TOLD_MOVES)
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

    def _keep(self, document: Document, found: Opinion, grade: str = "") -> None:
        """Keep it in the record and tell the graph."""
        with self.lock:
            document.keep(found)
        told = Evaluation("study", found.node, found.winrate, found.score, found.visits, grade)
        self.post(told)

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
            budget=Budget(simulations=request.simulations),
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
        last = document.game(line[-1])
        agreed = last_passes(last) if last.is_over() else 0
        nodes = line[: len(line) - agreed] if agreed else line
        before: tuple[int, review.Evaluation, Opinion] | None = None
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
            asked = requests.StartSearch(player.preset.name)
            found = self._told(analysis, asked, node, running=False)
            evaluation = review.Evaluation(found.winrate, found.score, found.visits)
            grade = ""
            if before is not None and (mistake := self._mistake(game, before, evaluation, node)) is not None:
                mistakes.append(mistake)
                grade = document.grades[node] = mistake.grade
            before = node, evaluation, found
            self._keep(document, found, grade)
        biggest = sorted(mistakes, key=lambda mistake: -mistake.loss)[:SHOWN_MISTAKES]
        self.post(Mistakes(biggest))

    def _mistake(
        self, game: Game, before: tuple[int, review.Evaluation, Opinion], after: review.Evaluation, node: int
    ) -> Mistake | None:
        """What the last move of a game lost, if it was a mistake by `kikashi.review`."""
        if not game.moves:
            return None
        move, opinion = game.moves[-1], before[2]
        best = opinion.moves[0] if opinion.moves else None
        if best is None:
            return None
        judged = review.MoveReview(
            game.move_count, move.color, move.name, before[1], after, best.move, tuple(best.line[: review.LONGEST_LINE])
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
