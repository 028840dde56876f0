"""A hashed store of bounded size in the cells of a memory, for keys too numerous for a table: contexts, patterns.

A store has a head and buckets of `WAYS` entries; an entry is a key of 64 bits and a payload of `width` integers. A new
entry takes the next free place of its bucket; a full bucket evicts its oldest entry, and the head counts evictions.
Zeros are an empty store, so every search begins with one. A key never finds the entry of another. Threads that make
entries in one bucket at the same time may lose or share one, or lose a count, but never write outside the cells.

    @memory(cells=lambda parameters: cells_for(parameters["entries"], width=1), entries=100_000)
    def replies_to_three(sim, my):
        at = make_entry(cells(my.cells), 1, hash_of(last_move(sim, 1), last_move(sim, 2), last_move(sim, 3)))
        cells(my.cells)[at] += 1

`cells_within` sizes a store for a search. A store for twice as many entries as are made evicts less than 1 % of them.
A store may have more cells than a search needs: it uses and clears only some of them (`clear_store`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kikashi.jit import inlined, kernel

WAYS = 8
"""Entries of a bucket: a half-full store has then lost less than 1 % of its entries."""
KEY_CELLS = 2
IN_USE, MADE, EVICTED, HEAD = 0, 1, 2, 3
"""The head: the number of cells in use, 0 for all; the numbers of entries made and evicted; the first bucket."""
MAX_CELLS = 1 << 27
"""The most cells of a store that is sized for a search: 512 megabytes."""
MAX_COUNT = 2**31 - 1
MIN_SIMULATIONS = 250
"""The fewest simulations that a store is sized for, since few simulations deviate more from the mean."""

_LOW_32, _U29, _U32 = np.uint64(0xFFFFFFFF), np.uint64(29), np.uint64(32)
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_FACTORS = np.uint64(0xD1342543DE82EF95), np.uint64(0xAF251AF3B0F025B5), np.uint64(0x9FB21C651E98DF25)
_FIRST_FACTOR, _SECOND_FACTOR, _THIRD_FACTOR = _FACTORS


class Room(NamedTuple):
    """The size of a search that a memory must have room for."""

    size: int = 19
    """Lines of the board."""
    simulations: int = 1_000


USUAL_ROOM = Room()


class Entries(NamedTuple):
    """Numbers of entries of stores."""

    made: int = 0
    evicted: int = 0

    def plus(self, more: Entries) -> Entries:
        """Return the sums."""
        return Entries(self.made + more.made, self.evicted + more.evicted)


NO_ENTRIES = Entries()


class StoreCells(int):
    """The number of cells of a hashed store, which is cleared in part and counts its evictions."""


def cells_for(entries: int, width: int) -> StoreCells:
    """Return the cells of a store for at least this many entries with `width` integers each. Raises ValueError."""
    if entries < 1 or width < 0:
        raise ValueError(f"a store has 1 entry or more, of 0 integers or more, not {entries} of {width}")
    return StoreCells(HEAD - (-entries // WAYS) * _bucket_cells(width))


def cells_within(room: Room, width: int, *, entries: int, per_point: float) -> StoreCells:
    """Return the cells of a store for this many entries or, if that is 0, for the entries of a search: `per_point` for
    each simulation and point of the board, up to MAX_CELLS."""
    if entries:
        return cells_for(entries, width)
    wanted = int(per_point * max(MIN_SIMULATIONS, room.simulations) * room.size**2)
    most = (MAX_CELLS - HEAD) // _bucket_cells(width) * WAYS
    return cells_for(min(wanted, most), width)


def clear_store(table: np.ndarray, in_use: int) -> None:
    """Empty a store and let it use this many of its cells, or all if there are fewer."""
    before = int(table[IN_USE])
    table[: before if 0 < before < table.size else table.size] = 0
    table[IN_USE] = min(in_use, table.size)


def entries_of(table: np.ndarray) -> Entries:
    """Return the numbers of entries made and evicted since the store was cleared."""
    return Entries(int(table[MADE]), int(table[EVICTED]))


@inlined
def _bucket_cells(width: int) -> int:
    """Return the cells of a bucket: one for its number of entries made, then its entries."""
    return 1 + WAYS * (KEY_CELLS + width)


@inlined
def hash_of(a: int, b: int = 0, c: int = 0) -> int:
    """Return a key of 64 bits for up to three integers; no two ordered triples of points share one."""
    x = _SPREAD + np.uint64(a) * _FIRST_FACTOR + np.uint64(b) * _SECOND_FACTOR + np.uint64(c) * _THIRD_FACTOR
    x = (x ^ (x >> _U32)) * _SPREAD
    x = (x ^ (x >> _U29)) * _FIRST_FACTOR
    return x ^ (x >> _U32)


@kernel
def find_entry(table: np.ndarray, width: int, key: int) -> int:
    """Return the first cell of the payload of a key, or -1 if the store does not have it. Any 64-bit key is allowed."""
    size = _bucket_cells(width)
    if table.size < HEAD + size:
        return -1
    low, high = _halves(key)
    bucket = _bucket_of(table, size, key)
    made = table[np.uintp(bucket)]
    for way in range(WAYS):
        if way >= made:
            break
        at = bucket + 1 + way * (KEY_CELLS + width)
        if table[np.uintp(at)] == low and table[np.uintp(at + 1)] == high:
            return at + KEY_CELLS
    return -1


@kernel
def make_entry(table: np.ndarray, width: int, key: int) -> int:
    """Return the first cell of the payload of a key, making an entry of zeros if the store does not have one.

    Raises IndexError if the cells are too few for one bucket.
    """
    found = find_entry(table, width, key)
    if found >= 0:
        return found
    size = _bucket_cells(width)
    if table.size < HEAD + size:
        raise IndexError("a store that has no room for one bucket")
    bucket = _bucket_of(table, size, key)
    made = np.int64(table[np.uintp(bucket)]) & (2 * WAYS - 1)  # in range, whatever another thread writes
    if table[MADE] < MAX_COUNT:
        table[MADE] += 1
        table[EVICTED] += made >= WAYS
    at = bucket + 1 + (made % WAYS) * (KEY_CELLS + width)
    table[np.uintp(at)], table[np.uintp(at + 1)] = _halves(key)
    for i in range(width):
        table[np.uintp(at + KEY_CELLS + i)] = 0
    table[np.uintp(bucket)] = made + 1 if made + 1 < 2 * WAYS else WAYS  # full buckets go round
    return at + KEY_CELLS


@inlined
def _bucket_of(table: np.ndarray, size: int, key: int) -> int:
    """Return the first cell of the bucket of a key; keys that are close in either half are spread."""
    in_use = np.int64(table[IN_USE])
    if in_use < HEAD + size or in_use > table.size:
        in_use = table.size
    spread = (np.uint64(key) ^ (np.uint64(key) >> _U32)) * _SPREAD
    return HEAD + np.int64(((spread >> _U32) * np.uint64((in_use - HEAD) // size)) >> _U32) * size


@inlined
def _halves(key: int) -> tuple[int, int]:
    return np.int32(np.uint64(key) & _LOW_32), np.int32(np.uint64(key) >> _U32)
