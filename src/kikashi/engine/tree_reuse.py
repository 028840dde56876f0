"""The search of a player, whose tree is kept from move to move of one game."""

from __future__ import annotations

from collections.abc import Callable, Collection
from weakref import WeakMethod

from kikashi.board.points import BLACK, opponent
from kikashi.engine.decisions import start_of
from kikashi.engine.roots import is_pass_in_doubt, situation_of
from kikashi.game import Game, Move
from kikashi.search.interface import AnySearch
from kikashi.search.zones import Tuning


class KeptSearch:
    """A search, and which position it has been started from."""

    def __init__(self, make: Callable[[int], AnySearch]) -> None:
        """`make`, a method of who has this, gives a new search for boards of a size."""
        # Else the two would keep each other, and a tree of gigabytes, until the garbage collector comes by.
        self._make = WeakMethod(make)
        self.search: AnySearch | None = None
        """None before the first position, and after `drop`."""
        self.komi = 0.0
        """That of the game; the search may have another."""
        self._start: tuple[object, ...] = ()
        self._moves: tuple[Move, ...] = ()
        self._turn = BLACK

    def prepare(
        self,
        game: Game,
        moves: Collection[int] | None = None,
        *,
        everywhere: bool = False,
        judging: bool = False,
        shift: float = 0.0,
        tuning: Tuning | None = None,
        simulations: int | None = None,
    ) -> AnySearch:
        """A search of the position of a game. Its tree keeps what was found before, if the game has gone on from there.

        With `moves` only these and passing are looked at; with `everywhere` the whole board, whatever the preset says;
        with `judging` as if nobody had passed. `shift` is added to komi; what was found by another komi is forgotten.
        Only with `tuning` it keeps to a zone, if the preset has them. Its memories have room for the `simulations`, or
        for as many as the tree.
        """
        search = self.for_size(game.size)
        start, known = (*start_of(game), shift), len(self._moves)
        went_on = start == self._start and game.moves[:known] == self._moves and _took_turns(game, known, self._turn)
        # In a tree from before the opponent's pass another one ends the game; now it may not (see `root_of`).
        went_on = went_on and (known == game.move_count or not is_pass_in_doubt(game))
        usual = moves is None and not everywhere and not judging
        if usual and went_on:
            search.go_on(move.point for move in game.moves[known:])
        else:
            search.forget()
        # A tree of other moves than usual is of no use to another search.
        self._start, self._moves, self._turn = start if usual else (), game.moves, game.turn
        self.komi = game.compensation
        how = {"everywhere": everywhere, "judging": judging}
        search.start(situation_of(game, moves, **how, shift=shift, tuning=tuning, simulations=simulations))
        return search

    def for_size(self, size: int) -> AnySearch:
        """The search for boards of a size, a new one if there was none."""
        if self.search is None or self.search.size != size:
            make = self._make()
            assert make is not None
            self.search, self._start = make(size), ()
        return self.search

    def forget(self) -> None:
        """The next position has nothing to do with the last one."""
        self._start, self._moves = (), ()

    def drop(self) -> None:
        """Give up the search: the next position has a new one."""
        self.search, self._start = None, ()


def _took_turns(game: Game, since: int, turn: int) -> bool:
    """Whether the players took turns from move `since` on, `turn` first, and it is now the turn of who should move."""
    movers = [*(move.color for move in game.moves[since:]), game.turn]
    return all(mover == (turn if number % 2 == 0 else opponent(turn)) for number, mover in enumerate(movers))
