"""Replies to events (Baier 2010, §8.2.2): repeat the action that last won when the same group had as few liberties.

The trigger is not a move at a fixed point but "a certain group having a low number of liberties"; the reply is not a
move either but an action, such as "an attack on a certain group, or a connection between two friendly groups". The
points that perform each action are found when the event occurs. So a reply is learned as an action, and the stored
action is proposed at all points that perform it then.
"""

from typing import Any

import numpy as np

from kikashi.board.points import EMPTY, PASS, POINTS
from kikashi.board.position import Board, atari_liberty, enemy_of, in_atari, neighbours
from kikashi.board.queries import find_liberties, find_liberties_after, is_self_atari
from kikashi.board.two_liberties import liberty_pair, may_have_two_liberties
from kikashi.jit import inlined, kernel
from kikashi.parts.blocks import cells
from kikashi.playout.candidates import Candidates, mark
from kikashi.playout.kinds import heuristic, memory
from kikashi.playout.replies.contexts import first_reply, learn_reply
from kikashi.playout.simulation import MAX_MOVES, Simulation, color_row, last_move, mover

CAPTURE, CONNECT, ATTACK, EXTEND = 1, 2, 3, 4
"""Actions. A move that performs several counts as the first of them; 0 is none, as PASS is no reply."""
MAX_LIBERTIES = 8
_ACTIONS = 8

_LENGTH, _CONTEXT, _COUNT, _LIST = 0, 1, 2, 3
"""Cells of `group_events`: the length of the simulation at the event, its context, the number of points that perform
actions, and these."""
_AGES = _LIST + POINTS
_REPLIES = _AGES + POINTS


@memory(
    cells=_REPLIES + MAX_MOVES,
    scope="playout",
    learns=False,
    source="Baier 2010, §8.2.2",
    limits={"liberties": (1, MAX_LIBERTIES)},
    liberties=2,
)
def group_events(sim: Simulation, my: Any) -> None:
    """The event of the last move: the opponent's chain beside it with the fewest liberties, at most `liberties`, and
    the points that capture, connect, attack or extend. For each move: the event before it and its action."""


@group_events.observe
def _observe(sim: Simulation, my: Any) -> None:
    table, p = cells(my.cells), last_move(sim, 1)
    if p != PASS:
        action = _listed_action(table, p) if table[_LENGTH] == sim.length - 1 else 0
        if action != 0:
            table[np.uintp(_REPLIES + sim.length - 1)] = table[_CONTEXT] * _ACTIONS + action
        table[np.uintp(_AGES + p)] = sim.length
    _find_event(sim, table, my.liberties)


@inlined
def _listed_action(table: np.ndarray, p: int) -> int:
    """Return the action of a move at `p`; 0 if it has none."""
    for i in range(table[_COUNT]):
        listed = np.int64(table[np.uintp(_LIST + i)])
        if listed // _ACTIONS == p:
            return listed % _ACTIONS
    return np.int64(0)


@kernel
def _find_event(sim: Simulation, table: np.ndarray, most: int) -> None:
    """Write the event of the last move, if there is one, and the points that perform actions."""
    table[_LENGTH], table[_COUNT] = sim.length, 0
    last = last_move(sim, 1)
    if last == PASS:
        return
    board = sim.board
    group, fewest = np.int64(PASS), np.int64(most + 1)
    for q in neighbours(last):
        if board.color[q] != board.to_play:
            continue
        count = find_liberties(board, q, sim.found, most + 1)
        larger = board.stones[board.chain[q]] > board.stones[board.chain[np.uintp(group)]]
        if count < fewest or (count == fewest <= most and larger):
            group, fewest = np.int64(q), count
    if group != PASS:
        name = color_row(board.to_play) + _oldest_stone(board, table, group)
        table[_CONTEXT] = name * most + fewest - 1
        _list_actions(sim, table, group, fewest)


@kernel
def _oldest_stone(board: Board, table: np.ndarray, group: int) -> int:
    """Return the name of a group, which it keeps when it grows: its oldest stone, of those of the root the lowest."""
    oldest = p = np.int64(group)
    while True:
        age, least = table[np.uintp(_AGES + p)], table[np.uintp(_AGES + oldest)]
        if age < least or (age == least and p < oldest):
            oldest = p
        p = np.int64(board.next[np.uintp(p)])
        if p == group:
            return oldest


@kernel
def _list_actions(sim: Simulation, table: np.ndarray, group: int, liberties: int) -> None:
    """List the points at which the group's owner, who is to play, can act, each with its action."""
    board = sim.board
    own = np.int64(board.to_play)
    p = group
    while True:
        for q in neighbours(p):
            here = board.color[q]
            if here == EMPTY:
                if not is_self_atari(board, q, own, sim.found):
                    if _joins(board, q, group):
                        _list(table, q, CONNECT)
                    elif find_liberties_after(board, q, own, sim.found, liberties + 1) > liberties:
                        _list(table, q, EXTEND)
            elif here == enemy_of(own):
                if in_atari(board, q):
                    _list(table, atari_liberty(board, q), CAPTURE)
                elif may_have_two_liberties(board, q):
                    for liberty in liberty_pair(board, q):
                        if liberty != PASS and not is_self_atari(board, liberty, own, sim.found):
                            _list(table, liberty, ATTACK)
        p = np.int64(board.next[np.uintp(p)])
        if p == group:
            return


@inlined
def _joins(board: Board, liberty: int, group: int) -> bool:
    """Return whether another chain of the same colour is beside a liberty of the group."""
    color, chain = board.color[np.uintp(group)], board.chain[np.uintp(group)]
    for q in neighbours(liberty):
        if board.color[q] == color and board.chain[q] != chain:
            return True
    return False


@kernel
def _list(table: np.ndarray, p: int, action: int) -> None:
    """List a point with its action; a point that is listed already keeps the first of both actions."""
    entry, count = np.int64(p) * _ACTIONS + action, np.int64(table[_COUNT])
    for i in range(count):
        listed = np.int64(table[np.uintp(_LIST + i)])
        if listed // _ACTIONS == np.int64(p):
            table[np.uintp(_LIST + i)] = min(listed, entry)
            return
    table[np.uintp(_LIST + count)] = entry
    table[_COUNT] = count + 1


@memory(
    cells=lambda parameters: 2 * POINTS * int(parameters["liberties"]),
    memories=["group_events"],
    source="Baier 2010, §8.2.2, eq. 6.1, 6.3",
    forgetting=True,
)
def event_replies(sim: Simulation, my: Any) -> None:
    """For each player, group and number of its liberties the action that last won; with forgetting, a loss deletes
    it."""
    if sim.winner == EMPTY:
        return
    table, events = cells(my.cells), cells(my.group_events)
    for i in range(first_reply(1, 1), sim.length):
        reply = np.int64(events[np.uintp(_REPLIES + i)])
        if reply != 0:
            learn_reply(table, reply // _ACTIONS, reply % _ACTIONS, mover(sim, i) == sim.winner, my.forgetting)


@heuristic(memories=["event_replies", "group_events"], source="Baier 2010, §8.2.2")
def event_reply(sim: Simulation, moves: Candidates, my: Any) -> None:
    """If the last move left a group short of liberties, repeat the action that last won: capture a chain beside it,
    connect it, attack a chain beside it or extend it, at any point that does so now."""
    events = cells(my.group_events)
    if events[_LENGTH] != sim.length:  # the root: its last move was not observed
        _find_event(sim, events, my.liberties)
    if events[_COUNT] == 0:
        return
    action = cells(my.event_replies)[np.uintp(events[_CONTEXT])]
    for i in range(events[_COUNT]):
        listed = np.int64(events[np.uintp(_LIST + i)])
        if listed % _ACTIONS == action:
            mark(moves, listed // _ACTIONS)
