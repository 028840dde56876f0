"""Tree reuse: a player's search whose tree is kept from move to move of one game; requests of searches from games."""

from collections.abc import Callable, Collection
from typing import Any
from weakref import WeakMethod

from kikashi.board.points import BLACK, PASS, opponent
from kikashi.engine.move_choice import has_opponent_passed, is_count_won, start_of
from kikashi.game import RESIGN, Game, Move
from kikashi.playout.simulation import HISTORY, Root, new_root
from kikashi.search.interface import Search, SearchRequest
from kikashi.search.zones import Tuning


def root_of(game: Game, *, judging: bool = False, shift: float = 0.0) -> Root:
    """Make the root of simulations from a game: the board, the last moves, and komi with `shift` added to it.

    After a pass another one ends a simulation, unless that would win the count: then simulations must find out whether
    the player also wins without the dead stones. With `judging` no pass before the root counts.

    >>> game = Game(9, komi=6.5)
    >>> _ = game.push("E5")
    >>> float(root_of(game)["komi"])
    6.5
    """
    points = [move.point for move in game.moves if move.point != RESIGN]
    ends = points[-1:] == [PASS] and not judging and not is_pass_in_doubt(game)
    passes = int(ends)  # never 2: after two passes nothing would be simulated
    return new_root(game.board, history=tuple(points[-HISTORY:]), passes=passes, komi=game.compensation + shift)


def search_request(
    game: Game,
    moves: Collection[int] | None = None,
    *,
    everywhere: bool = False,
    judging: bool = False,
    shift: float = 0.0,
    tuning: Tuning | None = None,
    simulations: int | None = None,
) -> SearchRequest:
    """Make the request to search the position of a game, with `moves` only these.

    `judging` and `shift` are those of `root_of`, the other parameters those of `SearchRequest`.
    """
    return SearchRequest(
        root_of(game, judging=judging, shift=shift),
        [*game.legal_moves] if moves is None else [p for p in moves if game.is_legal(p)],
        [position for position, _ in game.positions()],
        everywhere=everywhere or moves is not None,
        keeps_tree=not everywhere and not judging and moves is None,
        tuning=tuning,
        simulations=simulations,
    )


def is_pass_in_doubt(game: Game) -> bool:
    """Return whether another pass ends the game with a count that is won, and perhaps lost without the dead stones."""
    return has_opponent_passed(game) and not game.rules.counts_territory and is_count_won(game)


class KeptSearch:
    """A search and the position it was started from. `make`, a method of the owner, makes one for a board size."""

    def __init__(self, make: Callable[[int], Search]) -> None:
        # A strong reference would be a cycle, which keeps a tree of gigabytes until the garbage collector runs.
        self._make = WeakMethod(make)
        self.search: Search | None = None
        self.komi = 0.0
        """Komi of the game; the search may have another."""
        self._start: tuple[object, ...] = ()
        self._moves: tuple[Move, ...] = ()
        self._turn = BLACK

    def prepare(self, game: Game, moves: Collection[int] | None = None, **how: Any) -> Search:
        """Start a search by `search_request`; keep the tree if nothing but moves has been added to the last game."""
        request = search_request(game, moves, **how)
        search = self.for_size(game.size)
        start, known = (*start_of(game), float(request.root["komi"])), len(self._moves)
        went_on = start == self._start and game.moves[:known] == self._moves and _took_turns(game, known, self._turn)
        # In a tree from before the opponent's pass another one ends the game; now it may not (see `root_of`).
        went_on = went_on and (known == game.move_count or not is_pass_in_doubt(game))
        if request.keeps_tree and went_on:
            search.advance(move.point for move in game.moves[known:])
        else:
            search.clear()
        self._start, self._moves, self._turn = start if request.keeps_tree else (), game.moves, game.turn
        self.komi = game.compensation
        search.start(request)
        return search

    def at(self, game: Game) -> Search | None:
        """Return the search if it was last started for just this position, and may run on there; else None."""
        start = (*start_of(game), float(root_of(game)["komi"]))
        if self.search is None or (start, game.moves, game.turn) != (self._start, self._moves, self._turn):
            return None
        return None if any(tree.is_stopped for tree in self.search.trees) else self.search

    def for_size(self, size: int) -> Search:
        """Return the search for boards of a size, a new one if there was none."""
        if self.search is None or self.search.size != size:
            make = self._make()
            assert make is not None
            self.search, self._start = make(size), ()
        return self.search

    def forget(self) -> None:
        """Forget the last position, so that the next one starts a new tree."""
        self._start, self._moves = (), ()

    def drop(self) -> None:
        """Give up the search: the next position has a new one."""
        self.search, self._start = None, ()


def _took_turns(game: Game, since: int, turn: int) -> bool:
    """Return whether the players took turns from move `since` on, `turn` first, the player to move included."""
    movers = [*(move.color for move in game.moves[since:]), game.turn]
    return all(mover == (turn if number % 2 == 0 else opponent(turn)) for number, mover in enumerate(movers))
