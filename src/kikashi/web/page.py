"""One page: what it asks for is done by its desks, one request after the other."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any

import msgspec

from kikashi import __version__
from kikashi.game import Game
from kikashi.game.rules import RULE_SETS
from kikashi.web import requests
from kikashi.web.desk import House, Post
from kikashi.web.duel import DuelDesk
from kikashi.web.events import Failed, Saved, Welcome
from kikashi.web.game_tree import Document
from kikashi.web.laboratory import LaboratoryDesk
from kikashi.web.play import PlayDesk
from kikashi.web.study import StudyDesk
from kikashi.wording import explain, reason

EMPTY_SIZE = 19


class Page:
    """The desks of one page. `handle` is called by one thread at a time."""

    def __init__(self, house: House, post: Post) -> None:
        self._post = post
        self._lock = RLock()
        self.play, self.study = PlayDesk(house, post, self._lock), StudyDesk(house, post, self._lock)
        self.duel, self.laboratory = DuelDesk(house, post, self._lock), LaboratoryDesk(house, post, self._lock)
        self._desks = (self.play, self.study, self.duel, self.laboratory)
        self._handlers: dict[type[requests.Request], Callable[[Any], None]] = {
            requests.NewGame: self.play.begin,
            requests.ResumeGame: self.play.resume,
            requests.PlayMove: self._play_move,
            requests.Resign: lambda _: self.play.resign(),
            requests.Undo: lambda _: self.play.undo(),
            requests.Hint: lambda _: self.play.hint(),
            requests.MarkDead: lambda asked: self.play.mark_dead(asked.point),
            requests.OpenSgf: self.study.open_sgf,
            requests.OpenFile: self.study.open_file,
            requests.OpenEmpty: self.study.open_empty,
            requests.StudyGame: lambda asked: self.study.open(self._copied(self._document(asked.board))),
            requests.SaveSgf: self._save,
            requests.GoTo: self._go_to,
            requests.DeleteNode: self.study.delete,
            requests.MakeMain: self.study.make_main,
            requests.SetComment: self.study.comment,
            requests.StartSearch: self.study.search,
            requests.StopWork: self._stop,
            requests.ReviewGame: self.study.look_over,
            requests.LookAt: self.study.look,
            requests.StagePlayout: self.study.stage,
            requests.AskReplies: self.study.replies,
            requests.ListStudies: lambda _: self.laboratory.list(),
            requests.WatchStudy: lambda asked: self.laboratory.watch(asked.study),
            requests.OpenGame: lambda asked: self.study.open(self.laboratory.game(asked.study, asked.number)),
            requests.StartDuel: self.duel.begin,
        }
        post(
            Welcome(
                version=__version__,
                presets=house.presets.told,
                rules=list(RULE_SETS),
                threads=house.limits.threads,
                folder=house.folder.name if house.folder is not None else "",
            )
        )
        with self._lock:
            self.study.open(Document.from_game("study", Game(EMPTY_SIZE)))

    def handle(self, message: bytes | str) -> None:
        """Do what a message asks for; what cannot be done is told in one line."""
        try:
            asked = requests.decoder.decode(message)
        except msgspec.ValidationError as error:
            self._fail(explain(error, requests.AnyRequest))
            return
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            self._fail("this is not a message that the server knows")
            return
        try:
            with self._lock:
                self._handlers[type(asked)](asked)
        except (ValueError, OSError, MemoryError) as error:
            self._fail(reason(error))

    def close(self) -> None:
        """End all that runs for the page."""
        with self._lock:
            for desk in self._desks:
                desk.close()

    def _fail(self, message: str) -> None:
        self._post(Failed(" ".join(message.split())[:500]))

    def _play_move(self, asked: requests.PlayMove) -> None:
        if asked.board == "duel":
            raise ValueError("only the presets move in a duel")
        (self.play if asked.board == "play" else self.study).play(asked.move)

    def _go_to(self, asked: requests.GoTo) -> None:
        if asked.board != "study":
            raise ValueError("only in a study one can go back and forth: open the game there")
        self.study.go_to(asked.node)

    def _document(self, board: str) -> Document:
        if board == "study":
            return self.study.document
        return self.play.document() if board == "play" else self.duel.document()

    @staticmethod
    def _copied(document: Document) -> Document:
        return Document.from_sgf("study", document.text())

    def _save(self, asked: requests.SaveSgf) -> None:
        text = self._document(asked.board).text()
        self._post(Saved(asked.board, f"kikashi-{asked.board}.sgf", text, asked.keep))

    def _stop(self, asked: requests.StopWork) -> None:
        if asked.board == "play":
            raise ValueError("a game is ended by its moves, or given up")
        if asked.board == "study":
            self.study.stop_search()
        else:
            self.duel.stop()
