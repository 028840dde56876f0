"""One page: its tasks, and the table of requests that they handle."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any

import msgspec

from kikashi import __version__
from kikashi.game import Game
from kikashi.game.rules import RULE_SETS
from kikashi.web import requests
from kikashi.web.duel import DuelTask
from kikashi.web.events import Saved, Welcome
from kikashi.web.game_tree import GameTree
from kikashi.web.laboratory import LaboratoryTask
from kikashi.web.play import PlayTask
from kikashi.web.study import StudyTask
from kikashi.web.tasks import Post, ServerState, post_failure
from kikashi.wording import explain, reason

EMPTY_SIZE = 19


class Page:
    """The tasks of one page. `handle` is called by one thread at a time."""

    def __init__(self, state: ServerState, post: Post) -> None:
        self._post = post
        self._lock = RLock()
        self.play, self.study = PlayTask(state, post, self._lock), StudyTask(state, post, self._lock)
        self.duel, self.laboratory = DuelTask(state, post, self._lock), LaboratoryTask(state, post, self._lock)
        self._handlers: dict[type[requests.Request], Callable[[Any], None]] = {
            requests.NewGame: self.play.begin,
            requests.ResumeGame: self.play.resume,
            requests.PlayMove: self._play_move,
            requests.Resign: lambda _: self.play.resign(),
            requests.Undo: lambda _: self.play.undo(),
            requests.Hint: lambda _: self.play.hint(),
            requests.MarkDead: lambda request: self.play.mark_dead(request.point),
            requests.OpenSgf: self.study.open_sgf,
            requests.OpenFile: self.study.open_file,
            requests.OpenEmpty: self.study.open_empty,
            requests.StudyGame: lambda request: self.study.open(
                GameTree.from_sgf("study", self._tree(request.board).as_sgf())
            ),
            requests.SaveSgf: self._save,
            requests.GoTo: self._go_to,
            requests.DeleteNode: self.study.delete,
            requests.MakeMain: self.study.make_main,
            requests.SetComment: self.study.comment,
            requests.StartSearch: self.study.search,
            requests.StopWork: self._stop,
            requests.ReviewGame: self.study.review,
            requests.LookAt: self.study.open_nodes,
            requests.StagePlayout: self.study.show_playout,
            requests.AskReplies: self.study.show_replies,
            requests.ListStudies: lambda _: self.laboratory.list(),
            requests.WatchStudy: lambda request: self.laboratory.watch(request.study),
            requests.OpenGame: lambda request: self.study.open(self.laboratory.game(request.study, request.number)),
            requests.StartDuel: self.duel.begin,
        }
        post(
            Welcome(
                version=__version__,
                presets=state.presets.infos,
                rules=list(RULE_SETS),
                threads=state.limits.threads,
                folder=state.folder.name if state.folder is not None else "",
            )
        )
        with self._lock:
            self.study.open(GameTree.from_game("study", Game(EMPTY_SIZE)))

    def handle(self, message: bytes | str) -> None:
        """Handle a request; a failure is an event of one line."""
        try:
            request = requests.decoder.decode(message)
        except msgspec.ValidationError as error:
            post_failure(self._post, explain(error, requests.AnyRequest))
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
        """Stop all jobs of the page."""
        with self._lock:
            for task in (self.play, self.study, self.duel, self.laboratory):
                task.stop()

    def _play_move(self, request: requests.PlayMove) -> None:
        if request.board == "duel":
            raise ValueError("only the presets move in a duel")
        (self.play if request.board == "play" else self.study).play(request.move)

    def _go_to(self, request: requests.GoTo) -> None:
        if request.board != "study":
            raise ValueError("only in a study one can go back and forth: open the game there")
        self.study.go_to(request.node)

    def _tree(self, board: str) -> GameTree:
        if board == "study":
            return self.study.tree
        return (self.play if board == "play" else self.duel).game_tree()

    def _save(self, request: requests.SaveSgf) -> None:
        text = self._tree(request.board).as_sgf()
        self._post(Saved(request.board, f"kikashi-{request.board}.sgf", text, request.keep))

    def _stop(self, request: requests.StopWork) -> None:
        if request.board == "play":
            raise ValueError("a running game ends by its moves or by resigning")
        if request.board == "study":
            self.study.stop_search()
        else:
            self.duel.stop()
