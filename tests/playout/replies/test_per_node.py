"""Replies of nodes beside dictionaries, one for each grown node of a running search (Baier 2010, eq. 6.4–6.5)."""

import numpy as np
import pytest

from helpers.heuristic_cases import propose
from helpers.searching import run_traced, search_of
from kikashi import Game
from kikashi.board.points import BLACK, EMPTY, PASS, opponent
from kikashi.engine.preset import load_preset
from kikashi.playout import HISTORY
from kikashi.playout.replies.variants import TABLE
from kikashi.search.tree import GROWN, SLOTS_COLUMN
from kikashi.search.tree_search import TreeSearch

Table = dict[tuple[int, int], int]
"""By colour and last move: the reply."""


def searched(nodes: int = 25_000, size: int = 5) -> TreeSearch:
    settings = [f'playout=["node_reply(nodes={nodes})", "mogo"]', "feasibility=eyelike"]
    return search_of(load_preset("pnlgr", settings).config, Game(size), nodes=200_000)


def learn(table: Table, moves: tuple[int, ...], first: int, winner: int) -> None:
    for t in range(1, len(moves)):
        color, (last, reply) = first if t % 2 == 0 else opponent(first), moves[t - 1 : t + 1]
        if PASS in (last, reply) or winner == EMPTY:
            continue
        if color == winner:
            table[color, last] = reply
        elif table.get((color, last)) == reply:
            del table[color, last]


def tables(search: TreeSearch) -> dict[int, Table]:
    """By grown node: the table that the memory has for it."""
    (cells,) = search.memories.named("node_replies")
    rows = cells[2 : 2 + (cells.size - 2) // TABLE * TABLE].reshape(-1, 2, TABLE // 2)
    column, tree = int(cells[1]), search.tree
    slots = {
        int(node): int(tree.columns[SLOTS_COLUMN][node]["slot"][column])
        for node in np.flatnonzero(tree.nodes[: tree.used]["state"] == GROWN)
    }
    return {
        node: {(int(c) + BLACK, int(p)): int(rows[slot, c, p]) for c, p in np.argwhere(rows[slot])}
        for node, slot in slots.items()
    }


@pytest.mark.parametrize("size", [3, 5])
def test_a_node_starts_with_its_parents_replies_and_learns_from_its_own_simulations(size: int) -> None:
    search = searched(size=size)
    model: dict[int, Table] = {0: {}}
    differing = 0
    for number in range(300):
        trace = run_traced(search)
        found = tables(search)
        for parent, node in zip(trace.path, trace.path[1:], strict=False):
            if node in found and node not in model:  # it got its children on the way down
                model[node] = dict(model[parent])
        for node in trace.path:
            if node in model:
                learn(model[node], trace.moves, trace.to_play, trace.winner)
        if number < 50 or number % 25 == 0:
            assert found == model
        differing = len({frozenset(table.items()) for table in model.values()})
    assert differing > 20


def test_the_reply_is_that_of_the_last_node_of_the_path() -> None:
    search = searched()
    proposed = 0
    for _ in range(100):
        trace = run_traced(search)
        worker, found = search.workers[0], tables(search)
        last_node = next(node for node in reversed(trace.path) if node in found)
        for t in range(1, len(trace.moves)):
            color = trace.to_play if t % 2 == 0 else opponent(trace.to_play)
            reply = found[last_node].get((color, trace.moves[t - 1]))
            worker.sim["length"] = HISTORY + t
            assert propose(worker).weights == ({} if reply is None else {reply: 1.0})
            proposed += reply is not None
    assert proposed > 1000


@pytest.mark.parametrize("nodes", [1, 3])
def test_nodes_for_which_no_table_is_left_share_their_parents(nodes: int) -> None:
    search = searched(nodes)
    assert search.run(400) == 400
    (cells,) = search.memories.named("node_replies")
    assert cells[0] == nodes
    assert cells.size == 2 + nodes * TABLE
    kept = tables(search)
    assert len({frozenset(table.items()) for table in kept.values()}) <= nodes < len(kept)
