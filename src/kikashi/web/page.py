"""One page: its tasks, and the table of requests that they handle."""

from __future__ import annotations

import re
from collections.abc import Callable
from threading import RLock
from typing import Any

import msgspec

from kikashi import __version__
from kikashi.engine.levels import MOST, level_of
from kikashi.game.rules import RULE_SETS
from kikashi.web import messages
from kikashi.web.duel import DuelTask
from kikashi.web.game_tree import GameTree
from kikashi.web.laboratory import LaboratoryTask
from kikashi.web.messages import Hello, LevelInfo, Saved, Shelf, Welcome
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
        self.duel, self.laboratory = DuelTask(state, post, self._lock), LaboratoryTask(state, post, self._lock)
        self._stops: dict[str, Callable[[], None]] = {
            "play": self.play.interrupt,
            "study": self.study.stop_search,
            "aside": self.study.aside.stop,
            "duel": self.duel.stop,
        }
        self._handlers: dict[type[messages.Request], Callable[[Any], None]] = {
            messages.Hello: lambda _: None,  # the first is handled by the server
            messages.NewGame: self.play.begin,
            messages.ContinueGame: lambda _: self.play.go_on(),
            messages.AcceptCount: lambda _: self.play.accept(),
            messages.PlayMove: self._play_move,
            messages.Resign: lambda _: self.play.resign(),
            messages.Undo: lambda _: self.play.undo(),
            messages.Hint: lambda _: self.play.hint(),
            messages.MarkDead: lambda request: self.play.mark_dead(request.point),
            messages.OpenSgf: self.study.open_sgf,
            messages.OpenFile: self.study.open_file,
            messages.OpenOther: self.study.open_other,
            messages.OpenEmpty: self.study.open_empty,
            messages.ListItems: lambda _: post(Shelf(self._shelf.infos())),
            messages.OpenItem: lambda request: self._open_item(request.item),
            messages.DeleteItem: self._delete_item,
            messages.StudyGame: lambda request: self.study.open(
                GameTree.from_sgf("study", self._tree(request.board).as_sgf())
            ),
            messages.SaveSgf: lambda request: post(
                Saved(f"kikashi-{request.board}.sgf", self._tree(request.board).as_sgf())
            ),
            messages.GoTo: self._go_to,
            messages.DeleteNode: self.study.delete,
            messages.MakeMain: self.study.make_main,
            messages.SetComment: self.study.comment,
            messages.UndoEdit: lambda _: self.study.undo(),
            messages.RedoEdit: lambda _: self.study.redo(),
            messages.StartSearch: self.study.search,
            messages.StopWork: lambda request: self._stops[request.task](),
            messages.ReviewGame: self.study.review,
            messages.TryMove: self.study.try_move,
            messages.LookAt: self.study.open_nodes,
            messages.StagePlayout: self.study.show_playout,
            messages.AskReplies: self.study.show_replies,
            messages.ListStudies: lambda _: self.laboratory.list(),
            messages.WatchStudy: lambda request: self.laboratory.watch(request.study),
            messages.OpenGame: lambda request: self.study.open(self.laboratory.game(request.study, request.number)),
            messages.StartDuel: self.duel.begin,
        }
        post(
            Welcome(
                version=__version__,
                presets=state.presets.infos,
                levels=[LevelInfo(*level_of(number)) for number in range(1, MOST + 1)],
                rules=list(RULE_SETS),
                threads=state.limits.threads,
                folder=state.folder.name if state.folder is not None else "",
            )
        )
        with self._lock:
            self._reopen(hello or Hello(""))

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
            request = messages.decoder.decode(message)
        except msgspec.ValidationError as error:
            post_failure(self._post, re.sub(r"\b[\w.\[\]]*\.(\w+)", r"\1", explain(error, messages.AnyRequest)))
            return
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            post_failure(self._post, "this is not a message that the server knows")
            return
        try:
            with self._lock:
                self._handlers[type(request)](request)
        except (ValueError, OSError, MemoryError) as error:
            post_failure(self._post, reason(error))

    def close(self) -> None:
        """Stop all jobs of the page and let go of its items."""
        with self._lock:
            self.play.close()
            for task in (self.study, self.study.aside, self.duel, self.laboratory):
                task.stop()
            self._shelf.release(self._tab)

    def _open_item(self, key: str, path: messages.ChildPath | None = None) -> None:
        """Open a game or a study of the shelf. Raises ValueError if its record is wrong."""
        taken = self._shelf.take(key, self._tab)
        if taken is None:
            return
        key, item = taken
        if item.kind == "game":
            self.play.resume(key, item)
        else:
            self.study.open_item(key, item, path or [])

    def _delete_item(self, request: messages.DeleteItem) -> None:
        self._shelf.delete(request.item)
        self._post(Shelf(self._shelf.infos()))

    def _play_move(self, request: messages.PlayMove) -> None:
        if request.board == "duel":
            raise ValueError("only the presets move in a duel")
        (self.play if request.board == "play" else self.study).play(request.move)

    def _go_to(self, request: messages.GoTo) -> None:
        if request.board != "study":
            raise ValueError("only in a study one can go back and forth: open the game there")
        self.study.go_to(request.node)

    def _tree(self, board: str) -> GameTree:
        if board == "study":
            return self.study.tree
        return (self.play if board == "play" else self.duel).game_tree()
