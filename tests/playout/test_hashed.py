"""Hashed stores beside a dictionary of Python: what is found, what is lost and how much of it, and no step outside."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import stats

from helpers.toy_policy import SIZE, run, worker_for
from kikashi.board.points import POINTS
from kikashi.board.position import new_board
from kikashi.jit import kernel
from kikashi.playout import (
    PartError,
    cells,
    cells_for,
    find_entry,
    hash_of,
    heuristic,
    last_move,
    make_entry,
    make_policy,
    memory,
    new_root,
    sample,
)
from kikashi.playout.hash_store import HEAD, KEY_CELLS, MAX_CELLS, WAYS, Room, cells_within, clear_store, entries_of

EDGES = [0, 1, 2, 2**31, 2**32 - 1, 2**32, 2**63, 2**64 - 1, 2**64 - 2**32]
"""Keys whose halves are 0 or have all bits set."""


def new_store(entries: int, width: int) -> np.ndarray:
    return np.zeros(cells_for(entries, width), np.int32)


def keys_like(kind: str, count: int) -> np.ndarray:
    """Different keys: as they come from `hash_of`, counted up, or alike in one half."""
    numbers = np.arange(count, dtype=np.uint64)
    return {
        "hashed": np.array([hash_of(int(n) % 361, int(n) // 361, 7) for n in numbers], np.uint64),
        "random": np.unique(np.random.default_rng(3).integers(0, 2**64, 2 * count, np.uint64))[:count],
        "counted": numbers,
        "high half": numbers << np.uint64(32),
        "every 1024th": numbers << np.uint64(10),
    }[kind]


@kernel
def note_all(table, width, keys):
    """Make an entry for each key, with its number and further integers; returns how many were there before."""
    known = 0
    for i in range(keys.size):
        known += find_entry(table, width, keys[i]) >= 0
        at = make_entry(table, width, keys[i])
        for j in range(width):
            table[at + j] = i + j
    return known


@kernel
def find_all(table, width, keys, found):
    for i in range(keys.size):
        found[i] = find_entry(table, width, keys[i])


def places(table: np.ndarray, width: int, keys: np.ndarray) -> np.ndarray:
    found = np.zeros(keys.size, np.int64)
    find_all(table, width, keys, found)
    return found


def largest_loss(entries: int, keys: int) -> float:
    """How many of these keys a store of `entries` may lose: the expected number over all buckets, and six deviations.

    Keys that are spread at random fall into a bucket as a binomial says, and what is above `WAYS` there is lost.
    """
    buckets = -(-entries // WAYS)
    inside = np.arange(WAYS + 1, WAYS + 60)
    odds = stats.binom.pmf(inside, keys, 1 / buckets)
    mean, square = ((inside - WAYS) @ odds, (inside - WAYS) ** 2 @ odds)
    return buckets * mean + 6 * (buckets * square) ** 0.5


@pytest.mark.parametrize("kind", ["hashed", "random", "counted", "high half", "every 1024th"])
@pytest.mark.parametrize("width", [0, 1, 3])
def test_below_half_of_its_entries_hardly_anything_is_lost(kind: str, width: int) -> None:
    entries, keys = 8192, keys_like(kind, 4096)
    table = new_store(entries, width)
    assert note_all(table, width, keys) == 0
    found = places(table, width, keys)
    assert len(set(keys.tolist())) == keys.size
    lost = int((found < 0).sum())
    assert lost == entries_of(table).evicted
    assert lost <= largest_loss(entries, keys.size) < 0.03 * keys.size
    for i in np.flatnonzero(found >= 0):
        assert table[found[i] : found[i] + width].tolist() == [i + j for j in range(width)]


@pytest.mark.parametrize("kind", ["hashed", "random", "counted", "high half"])
def test_a_key_never_finds_the_entry_of_another(kind: str) -> None:
    """Ten times as many keys as there is room for: whatever is still found is the key's own and latest."""
    keys = keys_like(kind, 5120)
    table = new_store(512, 1)
    note_all(table, 1, keys)
    found = places(table, 1, keys)
    kept = np.flatnonzero(found >= 0)
    assert table[found[kept]].tolist() == kept.tolist()
    assert len(set(found[kept].tolist())) == kept.size == 512
    assert entries_of(table).evicted == 5120 - 512, "none of these keys came twice"
    strangers = keys ^ np.uint64(1 << 63)
    assert (places(table, 1, strangers[~np.isin(strangers, keys)]) == -1).all()


def test_it_is_a_dictionary_that_forgets() -> None:
    """Random keys counted in a store with one bucket: it knows the last eight that were made, with their counts."""
    chances = np.random.default_rng(5)
    table = new_store(WAYS, 1)
    model: dict[int, int] = {}
    lost = 0
    for number in chances.integers(0, len(EDGES), 4000):
        key = EDGES[number]
        assert (find_entry(table, 1, np.uint64(key)) >= 0) == (key in model)
        if key not in model:
            if len(model) == WAYS:
                del model[next(iter(model))]
                lost += 1
            model[key] = 0
        at = make_entry(table, 1, np.uint64(key))
        assert table[at] == model[key], "a new entry is 0, an old one as it was left"
        table[at] += 1
        model[key] += 1
    assert entries_of(table).evicted == lost > 0


@pytest.mark.parametrize("key", EDGES)
@pytest.mark.parametrize("width", [0, 1, 5])
def test_every_key_of_64_bits_works(key: int, width: int) -> None:
    table = new_store(64, width)
    assert find_entry(table, width, np.uint64(key)) == -1
    at = make_entry(table, width, np.uint64(key))
    assert 0 < at <= table.size - width
    table[at : at + width] = -1
    assert make_entry(table, width, np.uint64(key)) == find_entry(table, width, np.uint64(key)) == at
    others = [other for other in EDGES if other != key]
    assert all(find_entry(table, width, np.uint64(other)) == -1 for other in others)
    assert find_entry(table, width, np.int64(np.uint64(key))) == at, "signed or not"


@pytest.mark.parametrize(("entries", "width"), [(1, 0), (4, 1), (5, 1), (1000, 2), (1001, 7)])
def test_a_store_has_room_for_its_number_of_entries(entries: int, width: int) -> None:
    size = cells_for(entries, width)
    buckets = (size - HEAD) // (1 + WAYS * (KEY_CELLS + width))
    assert size == HEAD + buckets * (1 + WAYS * (KEY_CELLS + width))
    assert entries <= buckets * WAYS < entries + WAYS


@pytest.mark.parametrize(("entries", "width"), [(0, 1), (-3, 1), (5, -1)])
def test_a_store_of_nothing_is_refused(entries: int, width: int) -> None:
    with pytest.raises(ValueError, match=f"not {entries} of {width}"):
        cells_for(entries, width)


def test_too_few_cells_for_a_bucket_are_an_error() -> None:
    table = np.zeros(cells_for(4, 2) - 1, np.int32)
    assert find_entry(table, 2, np.uint64(1)) == -1
    with pytest.raises(IndexError, match="no room for one bucket"):
        make_entry(table, 2, np.uint64(1))


def test_threads_that_race_stay_within_the_cells() -> None:
    """Four threads, a store of two buckets between guards, and counts that are garbage to begin with."""
    room = cells_for(8, 2)
    guarded = np.full(room + 128, -7, np.int32)
    table = guarded[64 : 64 + room]
    table[:] = np.random.default_rng(8).integers(-(2**31), 2**31, room, np.int32)
    keys = keys_like("random", 50_000)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: note_all(table, 2, np.roll(keys, 999 * number)), range(4)))
    assert (guarded[:64] == -7).all()
    assert (guarded[64 + room :] == -7).all()
    assert (places(table, 2, keys) < room - 1).all()


def test_clearing_empties_the_cells_in_use_and_changes_their_number() -> None:
    keys, table = keys_like("hashed", 3000), new_store(8192, 1)
    few = cells_for(64, 1)
    for in_use in (few, table.size, few, 10 * table.size):
        clear_store(table, in_use)
        assert entries_of(table) == (0, 0)
        assert not table[HEAD:].any()
        assert (places(table, 1, keys) == -1).all()
        note_all(table, 1, keys)
        kept = places(table, 1, keys)
        assert (kept < in_use).all()
        assert entries_of(table) == (keys.size, (kept < 0).sum())
    assert (kept >= 0).mean() > 0.99


def test_a_store_without_a_number_of_entries_is_sized_for_the_search() -> None:
    for_search = cells_within(Room(9, 1000), 1, entries=0, per_point=0.5)
    assert for_search == cells_for(40_500, 1)
    assert cells_within(Room(9, 2000), 1, entries=0, per_point=0.5) == cells_for(81_000, 1)
    assert cells_within(Room(9, 1), 1, entries=0, per_point=1.0) == cells_for(250 * 81, 1), "room for 250 simulations"
    assert cells_within(Room(9, 1000), 1, entries=77, per_point=0.5) == cells_for(77, 1)
    assert 0.99 * MAX_CELLS < cells_within(Room(19, 1 << 40), 1, entries=0, per_point=0.5) <= MAX_CELLS


# --- keys -------------------------------------------------------------------------------------------------------------


def test_three_points_have_a_key_of_their_own() -> None:
    """A proof for all triples of points: before the last steps, which can be undone, a key is a sum of three products.
    Two triples would share it only if the third difference made up for the other two, and it is never that small."""
    one, two, three = (int(hash_factor) for hash_factor in factors())
    assert one % 2 == two % 2 == three % 2 == 1
    differences = np.arange(-POINTS, POINTS + 1, dtype=np.int64).astype(np.uint64)
    first, second = np.meshgrid(differences, differences)
    inverse = np.uint64(pow(three, -1, 2**64))
    third = (first * np.uint64(one) + second * np.uint64(two)) * inverse  # what the third would have to be, negated
    small = (third <= POINTS) | (third >= np.uint64(2**64 - POINTS))
    assert small.sum() == 1, "no difference at all"


def factors() -> tuple[np.uint64, np.uint64, np.uint64]:
    from kikashi.playout.hash_store import _FACTORS

    return _FACTORS


def test_keys_are_spread_over_all_bits() -> None:
    keys = np.array([hash_of(a, b, c) for a in range(16) for b in range(16) for c in range(16)], np.uint64)
    assert len(set(keys.tolist())) == 4096
    for bit in range(64):
        ones = int(((keys >> np.uint64(bit)) & np.uint64(1)).sum())
        assert abs(ones - 2048) < 6 * 32, f"bit {bit}"
    assert hash_of(1) == hash_of(1, 0) == hash_of(1, 0, 0) != hash_of(0, 1) != hash_of(0, 0, 1)
    assert hash_of(-1, 2, 3) != hash_of(1, 2, 3)


# --- in a memory ------------------------------------------------------------------------------------------------------


@memory(cells=lambda parameters: cells_for(parameters["entries"], 2), entries=4096)
def toy_contexts(sim, my):
    """How often each pair of last moves came up at the end of a simulation, and in how many moves."""
    table = cells(my.cells)
    at = make_entry(table, 2, hash_of(last_move(sim, 1), last_move(sim, 2), last_move(sim, 3)))
    table[at] += 1
    table[at + 1] += sim.length


@heuristic(memories=["toy_contexts"])
def toy_reads_contexts(sim, moves, my):
    """Proposes nothing."""


def test_a_memory_counts_by_key() -> None:
    worker = worker_for("toy_reads_contexts")
    expected: dict[int, int] = {}
    for _ in range(300):
        run(worker)
        sim = worker.sim
        last = [int(sim["moves"][sim["length"] - back]) for back in (1, 2, 3)]
        expected[hash_of(*last)] = expected.get(hash_of(*last), 0) + 1
    (block,) = worker.memory_blocks.values()
    assert block.size == cells_for(4096, 2)
    kept = {key: int(block[find_entry(block, 2, np.uint64(key))]) for key in expected}
    assert kept == expected


@memory(cells=cells_for(8, 0))
def toy_few_contexts(sim, my):
    """Whether a pair of last moves came up, in a store whose size is a number."""
    make_entry(cells(my.cells), 0, hash_of(last_move(sim, 1), last_move(sim, 2), last_move(sim, 3)))


@heuristic(memories=["toy_few_contexts"])
def toy_reads_few_contexts(sim, moves, my):
    """Proposes nothing."""


def test_a_store_of_a_fixed_size_counts_its_evictions() -> None:
    worker = worker_for("toy_reads_few_contexts")
    run(worker, 100)
    made, evicted = worker.shared.entries()["toy_few_contexts"]
    assert made - 8 == evicted > 50


def test_a_memory_that_is_too_small_is_named() -> None:
    @memory(cells=3)
    def toy_cramped(sim, my):
        """Has no room for a bucket."""
        make_entry(cells(my.cells), 1, hash_of(1))

    with pytest.raises(PartError, match=r"memory 'toy_cramped' in .*: IndexError: a store that has no room"):
        sample(make_policy("uniform", memories=["toy_cramped"]), new_root(new_board(SIZE)), playouts=1)
