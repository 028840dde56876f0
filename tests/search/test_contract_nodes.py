"""Contract of memories with slots for nodes: one call for each node, and the right slots."""

from typing import NamedTuple

import numpy as np
import pytest

from helpers.searching import check_consistent, config, run_traced, search_of, start
from helpers.toy_policy import run, worker_for
from kikashi import Game
from kikashi.board.rng import random_unit
from kikashi.engine.preset import load_preset
from kikashi.playout import PartError, add_to_cell, cells, feasibility, heuristic, last_move, make_policy, memory
from kikashi.search.kinds import expansion
from kikashi.search.tree import GROWN, NODE, SLOTS_COLUMN, nodes_of
from kikashi.search.tree_search import TreeSearch

SIZE = 5
MOST = 20_000
HEAD, ROW = 4, 4
"""Of a ledger's cells: calls, roots, its `my.slot` and 0; then for each slot its parent, depth, move and lessons."""


@memory(cells=HEAD + ROW * MOST, room=MOST, tag=0)
def toy_ledger(sim, my):
    """Counts simulations by the slot of the last node of their path."""
    table = cells(my.cells)
    slot = sim.path[sim.depth, my.slot]
    if slot >= 0:
        add_to_cell(my.cells, HEAD + ROW * slot + 3, 1)
    table[2] = my.slot


@toy_ledger.inherit
def _(sim, parent, my):
    """The next slot, in which it is written down for whom; none if there is no room."""
    table = cells(my.cells)
    slot = add_to_cell(my.cells, 0, 1)
    if parent == -1 and sim.depth == 0:
        add_to_cell(my.cells, 1, 1)
    if slot >= my.room:
        return -1
    row = HEAD + ROW * slot
    table[row], table[row + 1], table[row + 2] = parent, sim.depth, last_move(sim, 1)
    return slot


@memory(cells=HEAD, memories=["toy_ledger"])
def toy_reader(sim, my):
    """A memory with slots of its own that reads one with slots; its slot of a node is 1000 more than its calls."""
    cells(my.cells)[2] = my.slot


@toy_reader.inherit
def _(sim, parent, my):
    return 1000 + add_to_cell(my.cells, 0, 1)


@heuristic(memories=["toy_ledger"])
def toy_with_ledger(sim, moves, my):
    """Proposes nothing."""


class Ledger(NamedTuple):
    """What a ledger has noted."""

    calls: int
    roots: int
    column: int
    """Which of the tree's slots are its own."""
    rows: np.ndarray


def ledgers(search: TreeSearch) -> list[Ledger]:
    blocks = search.memories.named("toy_ledger")
    return [Ledger(*map(int, block[:3]), block[HEAD:].reshape(-1, ROW)) for block in blocks]


def ledger_of(search: TreeSearch) -> Ledger:
    (ledger,) = ledgers(search)
    return ledger


def searched(*settings: str, threads: int = 1, game: Game | None = None, nodes: int = 60_000) -> TreeSearch:
    return search_of(load_preset("mogo-2006", settings).config, game, threads=threads, nodes=nodes)


def grown_nodes(search: TreeSearch) -> list[int]:
    tree = search.tree
    return [int(node) for node in np.flatnonzero(tree.nodes[: tree.used]["state"] == GROWN)]


def parents(search: TreeSearch) -> dict[int, int]:
    """By node: its parent."""
    nodes = search.tree.nodes
    return {
        child: node
        for node in grown_nodes(search)
        for child in range(int(nodes[node]["first"]), int(nodes[node]["first"]) + int(nodes[node]["count"]))
    }


def slots(search: TreeSearch, column: int) -> dict[int, int]:
    """By grown node: its slot of a memory."""
    return {node: int(search.tree.columns[SLOTS_COLUMN][node]["slot"][column]) for node in grown_nodes(search)}


def check_ledger(search: TreeSearch, ledger: Ledger) -> None:
    """Each grown node has a slot of its own, in which its parent's slot, its depth and its move are written."""
    kept, above = slots(search, ledger.column), parents(search)
    assert len(kept) == len(set(kept.values()))
    for node, slot in kept.items():
        parent, _, move, _ = ledger.rows[slot].tolist()
        assert parent == (-1 if node == 0 else kept[above[node]])
        assert node == 0 or move == search.tree.nodes[node]["move"]


# --- how often, and with whom -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "visits", "batch"), [(5, 0, 20), (5, 1, 150), (5, 2, 150), (9, 1, 150), (9, 3, 400)])
def test_inherit_is_called_once_for_each_node_that_gets_children(size: int, visits: int, batch: int) -> None:
    search = searched("memories+=toy_ledger", f"expansion.visits={visits}", game=Game(size), nodes=200_000)
    assert ledger_of(search).calls == ledger_of(search).roots == 1, "the root is there before the first simulation"
    for number in range(1, 5):
        search.run(batch)
        assert not search.tree.full
        ledger = ledger_of(search)
        assert ledger.calls == len(grown_nodes(search)) > 20 * number
        assert ledger.roots == 1
        assert sorted(slots(search, ledger.column).values()) == list(range(ledger.calls))
        check_ledger(search, ledger)


def test_lessons_are_counted_at_the_slot_of_the_path() -> None:
    search = searched("memories+=toy_ledger")
    search.run(600)
    ledger = ledger_of(search)
    assert ledger.rows[: ledger.calls, 3].sum() == 600
    depths = {slot: int(ledger.rows[slot, 1]) for slot in range(ledger.calls)}
    assert depths[0] == 0
    assert all(depths[slot] == depths[int(ledger.rows[slot, 0])] + 1 for slot in range(1, ledger.calls))


@pytest.mark.parametrize("visits", [0, 1, 2])
def test_the_path_has_the_slots_of_grown_nodes_and_below_them_the_nearest_ones(visits: int) -> None:
    search = searched("memories+=toy_ledger", f"expansion.visits={visits}")
    below = 0
    for _ in range(400):
        path = run_traced(search).path
        kept, slots_of_path = slots(search, ledger_of(search).column), search.workers[0].sim["path"]
        nearest = -1
        for depth, node in enumerate(path):
            below += node not in kept
            nearest = kept.get(node, nearest)
            assert slots_of_path[depth, ledger_of(search).column] == nearest
    assert below > 100 or visits == 0


@pytest.mark.parametrize("room", [0, 1, 7])
def test_where_there_is_no_room_a_node_has_the_slot_of_its_parent(room: int) -> None:
    search = searched(f"memories+=toy_ledger(room={room})")
    search.run(300)
    ledger, above = ledger_of(search), parents(search)
    kept = slots(search, ledger.column)
    assert ledger.calls == len(kept) > 50, "one call for every node"
    own = {node for node, slot in kept.items() if node == 0 or slot != kept[above[node]]}
    assert len(own - {0} if room == 0 else own) == room
    assert set(kept.values()) == (set(range(room)) or {-1})


# --- several at once --------------------------------------------------------------------------------------------------


def test_several_memories_have_slots_of_their_own() -> None:
    search = searched("memories=['toy_ledger(tag=1)', 'toy_ledger(tag=2,room=3)']", "playout=toy_with_ledger,mogo")
    search.run(300)
    found = ledgers(search)
    assert sorted(ledger.column for ledger in found) == [0, 1, 2]
    assert {ledger.calls for ledger in found} == {len(grown_nodes(search))}
    for ledger in found:
        if len(set(slots(search, ledger.column).values())) > 3:
            check_ledger(search, ledger)
    assert [len(set(slots(search, ledger.column).values())) for ledger in found].count(3) == 1


@pytest.mark.parametrize("order", ["['toy_reader']", "['toy_ledger', 'toy_reader']", "['toy_reader', 'toy_ledger']"])
def test_a_memory_with_slots_may_read_one_with_slots(order: str) -> None:
    search = searched(f"memories={order}")
    search.run(300)
    ledger = ledger_of(search)
    (reader,) = search.memories.named("toy_reader")
    assert (ledger.column, int(reader[2])) == (0, 1)
    check_ledger(search, ledger)
    assert sorted(slots(search, 1).values()) == [1000 + i for i in range(ledger.calls)]


def test_a_feasibility_rule_may_read_a_memory_with_slots() -> None:
    @feasibility(memories=["toy_ledger"], surrounded_only=False)
    def toy_slotted_rule(sim, point, my):
        """Everything that is legal and no eye of one point is wanted: here, everything but A1."""
        return point != 21 and cells(my.toy_ledger)[0] >= 0

    search = search_of(config(feasible="toy_slotted_rule"))
    search.run(200)
    assert ledger_of(search).calls == len(grown_nodes(search)) > 20


def test_more_memories_with_slots_than_there_are_is_one_line() -> None:
    listed = ", ".join(f"'toy_ledger(tag={tag})'" for tag in range(5))
    with pytest.raises(PartError, match=r"^at most 4 memories that keep something for the nodes of the tree can"):
        searched(f"memories=[{listed}]")


# --- threads, new searches, pruning -----------------------------------------------------------------------------------


def test_threads_hand_out_each_slot_once() -> None:
    search = searched("memories=['toy_ledger', 'toy_reader']", threads=3)
    assert search.run(3000) == 3000
    ledger = ledger_of(search)
    assert ledger.calls == len(grown_nodes(search)) > 500
    assert sorted(slots(search, ledger.column).values()) == list(range(ledger.calls))
    assert ledger.rows[: ledger.calls, 3].sum() == 3000
    check_ledger(search, ledger)


@expansion()
def toy_late(sim, tree, node, my):
    """After a visit, but often not before another thread has done it, for a while."""
    if nodes_of(tree)[node].visits < 1:
        return False
    patience = 20_000 if random_unit(sim) < 0.5 else 0
    while patience > 0 and nodes_of(tree)[node].state != GROWN:
        patience -= 1 if random_unit(sim) < 1.0 else 0
    return True


def test_a_thread_goes_on_from_the_slots_of_a_node_that_another_one_has_expanded() -> None:
    """It has entered the node before, when that had its parent's slots."""
    search = searched("memories=['toy_ledger', 'toy_reader']", "expansion=toy_late", threads=3)
    assert search.run(15_000) == 15_000
    check_ledger(search, ledger_of(search))


def test_a_new_search_begins_with_a_new_tree_and_an_empty_store() -> None:
    game = Game(SIZE)
    search = searched("memories+=toy_ledger", game=game)
    search.run(300)
    best = search.tree.children()
    move = int(best[int(best["visits"].argmax())]["move"])
    assert search.tree.keep(move)
    game.push(move)
    start(search, game)
    assert ledger_of(search).calls == 1
    assert search.tree.nodes[0]["visits"] == 0
    search.run(300)
    assert ledger_of(search).calls == len(grown_nodes(search))
    check_ledger(search, ledger_of(search))


def test_slots_stay_with_their_nodes_when_the_tree_is_pruned() -> None:
    search = searched("memories+=toy_ledger", nodes=3000)
    search.run(900)
    before = {slot: search.tree.nodes[node]["move"] for node, slot in slots(search, 0).items()}
    visits = {slot: int(search.tree.nodes[node]["visits"]) for node, slot in slots(search, 0).items()}
    search.tree.prune()
    check_consistent(search.tree)
    kept = slots(search, 0)
    assert 1 < len(kept) < len(before)
    for node, slot in kept.items():
        assert (search.tree.nodes[node]["move"], search.tree.nodes[node]["visits"]) == (before[slot], visits[slot])
    check_ledger(search, ledger_of(search))
    calls = ledger_of(search).calls
    search.run(100)
    assert ledger_of(search).calls > calls, "a node that gets children again has another call"


# --- where they are kept ----------------------------------------------------------------------------------------------


def test_what_memories_keep_for_nodes_is_no_part_of_a_node() -> None:
    assert NODE.itemsize <= 64
    assert "slots" not in (NODE.names or ())
    assert SLOTS_COLUMN not in searched().tree.columns, "without such a memory there is nothing to pay for"
    assert SLOTS_COLUMN in searched("memories+=toy_ledger").tree.columns


def test_what_a_descent_reads_of_every_child_stands_together() -> None:
    offsets = {name: NODE.fields[name][1] for name in NODE.names or ()} if NODE.fields else {}
    of_every_child = {"visits", "losses", "mean", "prior_value", "prior_visits", "move", "flags"}
    assert list(offsets)[: len(of_every_child)] == sorted(of_every_child, key=offsets.__getitem__)
    others = [offset for name, offset in offsets.items() if name not in of_every_child]
    assert max(offsets[name] for name in of_every_child) < min(min(others), 32)
    assert min(offsets["value"], offsets["score"]) > max(offsets["first"], offsets["count"], offsets["state"])


def test_playouts_alone_have_no_nodes() -> None:
    """A memory with slots learns there too, at a path that is the root alone."""
    worker = worker_for(make_policy("uniform", memories=["toy_ledger"]))
    run(worker, 5)
    (block,) = worker.memory_blocks.values()
    assert block[0] == 0
