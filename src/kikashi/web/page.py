"""One page: its tasks, and the table of requests that they handle."""

from __future__ import annotations

import re
from collections.abc import Callable
from threading import RLock
from typing import Any, Union

import msgspec

from kikashi import __version__
from kikashi.engine.levels import MOST, level_of
from kikashi.game.rules import RULE_SETS
from kikashi.web.classroom import ClassroomTask
from kikashi.web.compare import CompareTask
from kikashi.web.duel import DuelTask
from kikashi.web.game_tree import GameTree
from kikashi.web.inside import InsideTask
from kikashi.web.laboratory import LaboratoryTask
from kikashi.web.messages import (
    Board,
    ChildPath,
    Hello,
    ItemId,
    LevelInfo,
    LongName,
    MoveName,
    NodeId,
    Request,
    Saved,
    Shelf,
    TaskName,
    Welcome,
    handles,
    request_type,
)
from kikashi.web.play import PlayTask
from kikashi.web.study import StudyTask
from kikashi.web.tasks import Post, ServerState, post_failure
from kikashi.wording import explain, reason


class Tab:
    """A browser tab as the holder of items: a page that is loaded again is equal to the one before."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Tab) and self._name != "" and self._name == other._name)

    __hash__ = None  # type: ignore[assignment]


class Page:
    """The tasks of one page. `handle` is called by one thread at a time."""

    def __init__(self, state: ServerState, post: Post, hello: Hello | None = None) -> None:
        """`hello` names the game and the study that the browser tab had open before."""
        self._post = post
        self._shelf = state.shelf
        self._lock = RLock()
        self._tab = Tab(hello.tab if hello is not None else "")
        self.play = PlayTask(state, post, self._lock, self._tab)
        self.study = StudyTask(state, post, self._lock, self._tab)
        self.inside = InsideTask(self.study)
        self.classroom = ClassroomTask(state, post, self._lock, self.study)
        self.compare = CompareTask(state, post, self._lock, self.study)
        self.duel, self.laboratory = DuelTask(state, post, self._lock), LaboratoryTask(state, post, self._lock)
        self._stops: dict[str, Callable[[], None]] = {
            "play": self.play.interrupt,
            "study": self.study.stop_search,
            "aside": self.study.aside.stop,
            "reader": self.study.reader.cancel,
            "duel": self.duel.stop,
            "class": self.classroom.stop,
            "compare": self.compare.stop,
            "laboratory": self.laboratory.stop_runs,
        }
        post(
            Welcome(
                version=__version__,
                presets=state.presets.infos,
                levels=[LevelInfo(*level_of(number)) for number in range(1, MOST + 1)],
                rules=list(RULE_SETS),
                folder=state.folder.name if state.folder is not None else "",
            )
        )
        with self._lock:
            self._reopen(hello or Hello(""))
            if state.runner.entries:
                self.laboratory.follow()

    def _reopen(self, hello: Hello) -> None:
        """Open the game and the study that the tab had, or the latest that no other tab has."""
        for kind, known in (("game", hello.game), ("study", hello.study)):
            try:
                self._open_item(known or self._shelf.latest(kind), hello.path)
            except (ValueError, OSError) as error:
                post_failure(self._post, reason(error))
        if not self.study.key:
            self.study.show(whole=True)

    def handle(self, message: bytes | str) -> None:
        """Handle a request; a failure is an event of one line."""
        try:
            request = _DECODER.decode(message)
        except msgspec.ValidationError as error:
            post_failure(self._post, re.sub(r"\b[\w.\[\]]*\.(\w+)", r"\1", explain(error, AnyRequest)))
            return
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            post_failure(self._post, "this is not a message that the server knows")
            return
        try:
            with self._lock:
                task, method = _HANDLERS[type(request)]
                method(getattr(self, task) if task else self, **msgspec.structs.asdict(request))
        except (ValueError, OSError, MemoryError) as error:
            post_failure(self._post, reason(error))

    def close(self) -> None:
        """Stop all jobs of the page and let go of its items."""
        with self._lock:
            self.play.close()
            study, others = self.study, (self.classroom, self.compare, self.duel, self.laboratory)
            for task in (study, study.aside, study.reader, *others):
                task.stop()
            self._shelf.release(self._tab)

    @handles("list_items")
    def list_items(self) -> None:
        """List the recent games and studies."""
        self._post(Shelf(self._shelf.infos()))

    @handles("open_item")
    def open_item(self, item: ItemId) -> None:
        """Open a game or a study of the shelf."""
        self._open_item(item, [])

    def _open_item(self, key: str, path: ChildPath) -> None:
        """Open an item, a study at the end of a path. Raises ValueError if its record is wrong."""
        if (taken := self._shelf.take(key, self._tab)) is None:
            return
        key, kept = taken
        if kept.kind == "game":
            self.play.resume(key, kept)
        else:
            self.study.open_item(key, kept, path)

    @handles("delete_item")
    def delete_item(self, item: ItemId) -> None:
        """Remove a game or a study from the shelf."""
        self._shelf.delete(item)
        self.list_items()

    @handles("play_move")
    def play_move(self, board: Board, move: MoveName) -> None:
        """Make a move or pass, in the game or in the study."""
        if board == "duel":
            raise ValueError("only the presets move in a duel")
        (self.play if board == "play" else self.study).play(move)

    @handles("go_to")
    def go_to(self, board: Board, node: NodeId) -> None:
        """Move to a node of the study."""
        if board != "study":
            raise ValueError("only in a study one can go back and forth: open the game there")
        self.study.go_to(node)

    @handles("study_game")
    def study_game(self, board: Board) -> None:
        """Study the game of another board."""
        self.study.open(GameTree.from_sgf("study", self._tree(board).as_sgf()))

    @handles("open_game")
    def open_game(self, study: LongName, number: NodeId) -> None:
        """Study a game of a match."""
        self.study.open(self.laboratory.game(study, number))

    @handles("save_sgf")
    def save_sgf(self, board: Board) -> None:
        """Send the record of a board, with its stored analyses."""
        self._post(Saved(f"kikashi-{board}.sgf", self._tree(board).as_sgf()))

    @handles("stop_work")
    def stop_work(self, task: TaskName = "study") -> None:
        """Stop a task; a preset that thinks about its move plays the best one so far."""
        self._stops[task]()

    def _tree(self, board: str) -> GameTree:
        if board == "study":
            return self.study.tree
        return (self.play if board == "play" else self.duel).game_tree()


_TASKS = {
    "play": PlayTask,
    "study": StudyTask,
    "inside": InsideTask,
    "classroom": ClassroomTask,
    "compare": CompareTask,
    "duel": DuelTask,
    "laboratory": LaboratoryTask,
    "": Page,
}
_HANDLERS: dict[type[Request], tuple[str, Callable[..., None]]] = {
    request_type(method): (task, method)
    for task, kind in _TASKS.items()
    for method in vars(kind).values()
    if hasattr(method, "tag")
}
AnyRequest: Any = Union[tuple(_HANDLERS)]  # noqa: UP007 (made of a tuple)
"""All requests but the first, `Hello`."""
_DECODER = msgspec.json.Decoder(AnyRequest)
