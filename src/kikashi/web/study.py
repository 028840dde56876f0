"""A game that is studied: its tree with the history of its edits, a live search, and a review of all its positions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from threading import RLock

from kikashi.board.points import BLACK, WHITE
from kikashi.engine.limits import UNLIMITED, Limit
from kikashi.engine.player import Player
from kikashi.engine.scoring import last_passes
from kikashi.game import Game
from kikashi.review import review
from kikashi.search.analysis import from_side
from kikashi.web.analyses import SHOWN_MOVES, color_name, make_analysis
from kikashi.web.game_tree import Edit, GameTree, titles_of
from kikashi.web.messages import (
    ChildPath,
    Comment,
    Data,
    Evaluation,
    History,
    Judged,
    Komi,
    LongName,
    Mistake,
    Mistakes,
    MoveName,
    Name,
    NodeId,
    Notice,
    Opened,
    Parts,
    PhaseSummary,
    PositionAnalysis,
    Simulations,
    Size,
    Text,
    handles,
)
from kikashi.web.search_viewer import MARKS, SearchViewer
from kikashi.web.shelf import Item
from kikashi.web.tasks import Job, Post, ServerState, Task

UPDATES = 0.1
"""Seconds between two updates of a live search."""
SHOWN_MISTAKES = 12
SHORT = 20_000
"""Characters of a record that is read at once."""
EDITS, OPENED = 300, 8
"""Edits that can be taken back, and games among them that were opened."""
OPENING = "opening of another game"
PHASES = ("opening", "middle game", "endgame")


class StudyTask(Task):
    """A game tree and a player that searches its positions."""

    name = "study"

    def __init__(self, state: ServerState, post: Post, lock: RLock, holder: object) -> None:
        super().__init__(state, post, lock, holder)
        self.aside = Task(state, post, lock)
        """Playouts, replies and tried moves, beside a search."""
        self.aside.name = "aside"
        self.reader = Task(state, post, lock)
        """Reading of a long record."""
        self.reader.name = "reader"
        self.tree = GameTree.from_game("study", Game())
        self.viewer = SearchViewer(state)
        self._live: tuple[str, Parts] | None = None
        """Preset and switched-off parts of a live search."""
        self._record: str | bytes = ""
        """The text of the collection that the game comes from."""
        self._done: list[Edit] = []
        self._undone: list[Edit] = []

    # --- opening ------------------------------------------------------------------------------------------------------

    def open(self, tree: GameTree, *, key: str = "", name: str = "", record: str | bytes = "", number: int = 0) -> None:
        """Study another game, which may be taken back. `record` is the text that has more games than this one."""
        self.reader.cancel()
        games = titles_of(record) if record else []
        before, after = self._now(), (tree, key, record, Opened(name, games if len(games) > 1 else [], number))
        self.stop_search()
        self._replace(after)
        if self._done or not before[0].is_empty:
            self._remember(Edit(OPENING, lambda: self._replace(before), lambda: self._replace(after)))
        if not before[0].is_empty:
            self.post(Notice(f"{before[0].title or 'The study'} was replaced.", "undo_edit"))
        self._show_history()
        if tree.doubt:
            self.post(Notice(tree.doubt))
        if not key:
            self.save()

    def _now(self) -> tuple[GameTree, str, str | bytes, Opened]:
        return self.tree, self.key, self._record, getattr(self, "_opened", Opened("", [], 0))

    def _replace(self, to: tuple[GameTree, str, str | bytes, Opened]) -> None:
        self.tree, key, self._record, self._opened = to
        self.release(key)
        if key:
            self.state.shelf.take(key, self.holder)
        self.viewer = SearchViewer(self.state)
        self.show(whole=True)
        self.post(self._opened)
        if (mistakes := stored_mistakes(self.tree)) is not None:
            self.post(mistakes)

    @handles("open_sgf")
    def open_sgf(self, text: Text) -> None:
        """Study a record. Raises ValueError if it cannot be shown."""
        self._read(text)

    @handles("open_file")
    def open_file(self, data: Data, name: LongName = "") -> None:
        """Study the bytes of a file, in any encoding; JSON has them as Base64. Raises ValueError."""
        self._read(data, name)

    @handles("open_other")
    def open_other(self, number: NodeId) -> None:
        """Study another game of the collection. Raises ValueError if there is none."""
        if not self._record:
            raise ValueError("the record has no other game")
        self._read(self._record, self._opened.name, number)

    def _read(self, record: str | bytes, name: str = "", number: int = 0) -> None:
        """Study a game of a record; a long one is read in a job, which can be cancelled. Raises ValueError."""

        def work(job: Job) -> None:
            tree = GameTree.from_sgf("study", record, number)
            with self.lock:
                if not job.is_stopped():
                    self.open(tree, record=record, name=name, number=number)

        self.reader.cancel()
        if len(record) <= SHORT:
            self.open(GameTree.from_sgf("study", record, number), record=record, name=name, number=number)
        else:
            self.reader.show_progress("reading the record")
            self.reader.start(work)

    @handles("open_empty")
    def open_empty(self, size: Size = 19, komi: Komi = 7.5, rules: Name = "positional") -> None:
        self.open(GameTree.from_game("study", Game(size, komi, rules), rules))

    def open_item(self, key: str, item: Item, path: ChildPath) -> None:
        """Study an item of the shelf, at the end of a path. Raises ValueError if it cannot be shown."""
        tree = GameTree.from_sgf("study", item.sgf)
        tree.go_to(tree.follow(path))
        self.open(tree, key=key)

    def save(self) -> None:
        """Keep the study on the shelf, unless it is empty."""
        if self.key or not self.tree.is_empty:
            self.keep(self.tree, "study")

    # --- edits --------------------------------------------------------------------------------------------------------

    def play(self, move: str) -> None:
        self._pause()
        edit = self.tree.play(move)
        if edit is not None:
            self.post(self.tree.node_added())
            self._edited(edit)
        self.show()

    @handles("delete_node")
    def delete(self, node: NodeId) -> None:
        self.stop()  # a review too: it may search these nodes
        edit = self.tree.delete(node)
        self._edited(edit)
        self.post(Notice(f"{edit.name.removeprefix('deletion of ').capitalize()} deleted.", "undo_edit"))
        self.show(whole=True)

    @handles("make_main")
    def make_main(self, node: NodeId) -> None:
        if (edit := self.tree.make_main(node)) is not None:
            self._edited(edit)
            self.show(whole=True)

    @handles("set_comment")
    def comment(self, node: NodeId, text: Comment) -> None:
        if (edit := self.tree.comment(node, text)) is not None:
            self._edited(edit)
            self.post(self.tree.update())
            self.post(self.tree.position(), only_newest="position study")

    @handles("undo_edit")
    def undo(self) -> None:
        """Take back the last edit. Raises ValueError if there is none."""
        if not self._done:
            raise ValueError("there is no edit to take back")
        self.stop()
        self._undone.append(self._done.pop())
        self._undone[-1].undo()
        self._after_undo()

    @handles("redo_edit")
    def redo(self) -> None:
        """Make the edit again that was taken back last. Raises ValueError if there is none."""
        if not self._undone:
            raise ValueError("there is no edit to make again")
        self.stop()
        self._done.append(self._undone.pop())
        self._done[-1].redo()
        self._after_undo()

    def _after_undo(self) -> None:
        self.show(whole=True)
        self._show_history()
        self.save()

    def _edited(self, edit: Edit) -> None:
        self._remember(edit)
        self._show_history()
        self.save()

    def _remember(self, edit: Edit) -> None:
        self._undone.clear()
        self._done.append(edit)
        opened = [number for number, each in enumerate(self._done) if each.name == OPENING]
        first = max(len(self._done) - EDITS, opened[-OPENED] if len(opened) > OPENED else 0)
        del self._done[:first]

    def _show_history(self) -> None:
        self.post(
            History(self._done[-1].name if self._done else "", self._undone[-1].name if self._undone else ""),
            only_newest="history",
        )

    # --- the current node ---------------------------------------------------------------------------------------------

    def go_to(self, node: int) -> None:
        self._pause()
        self.tree.go_to(node)
        self.show()

    def _pause(self) -> None:
        """Stop a live search, which `show` starts again at the next node. A review runs on."""
        if self._live is not None:
            self.stop()

    def show(self, *, whole: bool = False) -> None:
        """Show the current node, with `whole` the tree too; resume a live search there."""
        if whole:
            self.post(self.tree.update())
        self.post(self.tree.position(), only_newest="position study")
        if (stored := self.tree.stored(self.tree.current)) is not None:
            self.post(stored, only_newest="analysis study")
        if self._live is not None:
            self.search(*self._live)

    # --- searching ----------------------------------------------------------------------------------------------------

    @handles("start_search")
    def search(self, preset: Name, without: Parts = (), fresh: bool = False) -> None:
        """Search the current position, also after moves, until stopped. Raises ValueError for an unknown preset.

        A `fresh` search begins with an empty tree and the first random numbers.
        """
        searcher = self.state.presets.get(preset, without)
        self._pause()
        self._live = preset, without
        self.viewer.set_preset(searcher, without)
        if fresh:
            self.viewer.player.new_game(reseed=True)
        tree, node = self.tree, self.tree.current
        game = tree.game(node)

        def run(job: Job) -> None:
            if not self.compile(job, searcher):
                return
            self.show_progress(f"{preset} searches the study", live=True)
            viewer = self.viewer
            found: PositionAnalysis | None = None
            steps = viewer.player.search(
                game.copy(), UNLIMITED, every=UPDATES, interrupted=job.is_stopped, most=SHOWN_MOVES, marks=MARKS
            )
            viewer.begin_timeline(node)
            for analysis in job.iterate(steps):
                found = make_analysis(
                    analysis,
                    game,
                    board="study",
                    node=node,
                    preset=preset,
                    running=not job.is_stopped(),
                    without=without,
                )
                self.post(found, only_newest="analysis study")
                viewer.note()
                viewer.show(self.post)
            if found is not None:
                self._store(tree, found)

        self.start(run)

    def _store(self, tree: GameTree, found: PositionAnalysis, before: int | None = None) -> Mistake | None:
        """Store an analysis and update the graph. Grade the move after `before`; return it if it was a mistake."""
        with self.lock:
            tree.store(found)
            judged = None if before is None else judge_move(tree, before, found.node)
            mistake = None if judged is None else mistake_of(judged, found.node)
            if judged is not None and mistake is not None:
                tree.grade(found.node, mistake.grade, review.describe(judged))
            known = tree.evaluation(found.node)
            if tree is self.tree:
                self.save()
        if known is not None:
            self.post(Evaluation("study", found.node, *known, "" if mistake is None else mistake.grade))
        return mistake

    def stop_search(self) -> None:
        """Stop, also at the next node."""
        self._live = None
        self.stop()

    # --- review -------------------------------------------------------------------------------------------------------

    @handles("review_game")
    def review(self, preset: Name, simulations: Simulations = 400) -> None:
        """Review the current line. Raises ValueError if it has no moves."""
        player = self.state.new_player(self.state.presets.get(preset), limit=Limit(simulations=simulations))
        self.stop_search()
        tree, line = self.tree, self.tree.line(self.tree.current)
        review.played_moves(tree.game(line[-1]))

        def run(job: Job) -> None:
            if self.compile(job, player.preset):
                self._review(job, player, tree, line)

        self.start(run)

    def _review(self, job: Job, player: Player, tree: GameTree, line: list[int]) -> None:
        """Search every position, store the analyses, and list the mistakes."""
        with self.lock:
            nodes = reviewed_nodes(tree, line)
            tree.remove_grades(line)
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
            found = make_analysis(analysis, game, board="study", node=node, preset=player.preset.name, running=False)
            self.post(found, only_newest="analysis study")
            self._store(tree, found, nodes[done - 1] if done else None)
            job.answer()
        with self.lock:
            self.post(mistakes_of(tree, nodes))
            if tree is self.tree:  # the comments are new
                self.post(tree.update())
                self.post(tree.position(), only_newest="position study")

    @handles("try_move")
    def try_move(self, node: NodeId, move: MoveName, preset: Name, simulations: Simulations = 400) -> None:
        """Judge a move instead of the one that was played after a node. Raises ValueError if it is illegal."""
        player = self.state.new_player(self.state.presets.get(preset), limit=Limit(simulations=simulations))
        known = self.tree.stored(node)
        if known is None or not known.moves:
            raise ValueError("look over the game first: then a move can be judged")
        game = self.tree.game(node).copy()
        mover = game.turn
        tried = game.push(move).name

        def judge(job: Job) -> None:
            self.aside.show_progress(f"judging {tried}")
            if not self.aside.compile(job, player.preset):
                return
            analysis = job.last(player.think(game, player.limit, interrupted=job.is_stopped))
            if analysis is not None and not job.is_stopped():
                loss = from_side(mover, known.winrate, 1.0) - from_side(mover, analysis.black_winrate, 1.0)
                points = from_side(mover, known.score) - from_side(mover, analysis.black_score)
                is_best = tried == known.moves[0].move or loss < review.GRADES[-1][1]
                self.post(Judged(node, tried, loss, points, is_best))

        self.aside.start(judge)


# --- mistakes ---------------------------------------------------------------------------------------------------------


def reviewed_nodes(tree: GameTree, line: list[int]) -> list[int]:
    """Return the nodes of a line that a review searches: those before the passes that end a game."""
    last = tree.game(line[-1])
    return line[: len(line) - last_passes(last)] if last.is_over() else line


def judge_move(tree: GameTree, before: int, node: int) -> review.MoveReview | None:
    """Return the move of a node with the stored evaluations before and after it; None if one is missing."""
    game = tree.game(node)
    known, now = tree.stored(before), tree.stored(node)
    if not game.moves or known is None or now is None or not known.moves:
        return None
    move, best = game.moves[-1], known.moves[0]
    return review.MoveReview(
        number=game.move_count,
        color=move.color,
        move=move.name,
        before=review.Evaluation(known.winrate, known.score, known.visits),
        after=review.Evaluation(now.winrate, now.score, now.visits),
        best=best.move,
        line=tuple(best.line[: review.LONGEST_LINE]),
    )


def mistake_of(judged: review.MoveReview, node: int) -> Mistake | None:
    """Return a move as a mistake by `kikashi.review`; None if it was none."""
    if judged.grade is None:
        return None
    return Mistake(
        node=node,
        number=judged.number,
        color=color_name(judged.color),
        move=judged.move,
        loss=judged.loss,
        points=_points_lost(judged),
        grade=judged.grade,
        better=list(judged.line),
    )


def _points_lost(judged: review.MoveReview) -> float:
    return from_side(judged.color, judged.before.score - judged.after.score)


def mistakes_of(tree: GameTree, nodes: list[int]) -> Mistakes:
    """Return the biggest mistakes of a line, and a summary for each player and phase."""
    judged = [(node, found) for before, node in pairwise(nodes) if (found := judge_move(tree, before, node))]
    mistakes = [mistake for node, found in judged if (mistake := mistake_of(found, node)) is not None]
    return Mistakes(
        found=sorted(mistakes, key=lambda mistake: -mistake.loss)[:SHOWN_MISTAKES],
        summary=list(_summary([found for _, found in judged], tree.game().size)),
        simulations=min((min(found.before.visits, found.after.visits) for _, found in judged), default=0),
    )


def _summary(judged: list[review.MoveReview], size: int) -> Iterator[PhaseSummary]:
    """Yield each player's whole game, and its phases: up to a fifth, and to three fifths, of the board's points."""
    ends = (size * size // 5, 3 * size * size // 5)
    for color in (BLACK, WHITE):
        moves = [move for move in judged if move.color == color]
        phases = {"all": moves} | {
            phase: [move for move in moves if sum(move.number > end for end in ends) == number]
            for number, phase in enumerate(PHASES)
        }
        for phase, made in phases.items():
            if made:
                yield PhaseSummary(
                    color=color_name(color),
                    phase=phase,
                    moves=len(made),
                    mistakes=sum(1 for move in made if move.grade),
                    loss=sum(max(0.0, move.loss) for move in made) / len(made),
                    points=sum(max(0.0, _points_lost(move)) for move in made) / len(made),
                )


def stored_mistakes(tree: GameTree) -> Mistakes | None:
    """Return the mistakes of the main line; None unless the record has a whole review."""
    if tree.evaluation(0) is None or tree.doubt:
        return None
    nodes = reviewed_nodes(tree, tree.line(0))
    if len(nodes) < 2 or not all(tree.evaluation(node) for node in nodes):
        return None
    return mistakes_of(tree, nodes)
