"""A hashed store of bounded size in the cells of a memory, for keys that are too many for a table: contexts, patterns.

A store has a head and buckets of `WAYS` entries; an entry is its key of 64 bits and a payload of `width` integers. A
new entry takes the next free place of its bucket; where there is none, it evicts the entry which was made first,
however useful that was, and the head counts that. Cells that are all 0 are an empty store, so every search begins with
one. A key never finds the entry of another. Threads that make entries of one bucket at the same time may lose one or
share one for a while, or a count; what they write stays within the cells.

    @memory(cells=lambda parameters: cells_for(parameters["entries"], width=1), entries=100_000)
    def replies_to_three(sim, my):
        at = make_entry(cells(my.cells), 1, hash_of(last_move(sim, 1), last_move(sim, 2), last_move(sim, 3)))
        cells(my.cells)[at] += 1

`cells_within` sizes a store by the search it is for. A store of twice as many entries as are made evicts less than 1 %
of them. A store may have more cells than a search needs: it uses, and clears, some of them only (`clear_store`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kikashi.jit import inlined, kernel

WAYS = 8
"""Entries of a bucket: a store that is half full has then lost less than 1 % of what was made."""
KEY_CELLS = 2
IN_USE, MADE, EVICTED, HEAD = 0, 1, 2, 3
"""The head: how many cells are used, 0 for all of them; how many entries were made and how many evicted; and where the
buckets begin."""
MOST_CELLS = 1 << 27
"""The most cells of a store that is sized by a search: 512 megabytes."""
MOST_COUNTED = 2**31 - 1
FEWEST_SIMULATIONS = 250
"""A store that is sized by a search has room for this many: few simulations differ more from the mean."""

_LOW_32, _U29, _U32 = np.uint64(0xFFFFFFFF), np.uint64(29), np.uint64(32)
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_FACTORS = np.uint64(0xD1342543DE82EF95), np.uint64(0xAF251AF3B0F025B5), np.uint64(0x9FB21C651E98DF25)
_FIRST_FACTOR, _SECOND_FACTOR, _THIRD_FACTOR = _FACTORS


class Room(NamedTuple):
    """A search that a memory must have room for."""

    size: int = 19
    """Of the board."""
    simulations: int = 1_000


USUAL_ROOM = Room()
"""That of memories that are not for a certain search."""


class Entries(NamedTuple):
    """Entries of stores."""

    made: int = 0
    evicted: int = 0

    def and_those(self, more: Entries) -> Entries:
        """The entries of both."""
        return Entries(self.made + more.made, self.evicted + more.evicted)


NO_ENTRIES = Entries()


class StoreCells(int):
    """A number of cells that are a hashed store, which is cleared in part and counts its evictions."""


def cells_for(entries: int, width: int) -> StoreCells:
    """How many cells a store needs for at least this many entries with `width` integers each. Raises ValueError."""
    if entries < 1 or width < 0:
        raise ValueError(f"a store has 1 entry or more, of 0 integers or more, not {entries} of {width}")
    return StoreCells(HEAD - (-entries // WAYS) * _bucket_cells(width))


def cells_within(room: Room, width: int, *, entries: int, per_point: float) -> StoreCells:
    """How many cells a store needs for this many entries; or, if that is 0, for those that a search makes: `per_point`
    for each simulation and each point of the board. That is never more than MOST_CELLS."""
    if entries:
        return cells_for(entries, width)
    wanted = int(per_point * max(FEWEST_SIMULATIONS, room.simulations) * room.size**2)
    most = (MOST_CELLS - HEAD) // _bucket_cells(width) * WAYS
    return cells_for(min(wanted, most), width)


def clear_store(table: np.ndarray, in_use: int) -> None:
    """Empty a store, and have it use this many of its cells from now on, or all if there are fewer."""
    before = int(table[IN_USE])
    table[: before if 0 < before < table.size else table.size] = 0
    table[IN_USE] = min(in_use, table.size)


def entries_of(table: np.ndarray) -> Entries:
    """How many entries were made in a store since it was cleared, and how many gave their place to others."""
    return Entries(int(table[MADE]), int(table[EVICTED]))


@inlined
def _bucket_cells(width: int) -> int:
    """The cells of a bucket: how many entries were made in it, then its entries."""
    return 1 + WAYS * (KEY_CELLS + width)


@inlined
def hash_of(a: int, b: int = 0, c: int = 0) -> int:
    """A key of 64 bits from up to three integers; three points, in their order, never share one with three others."""
    x = _SPREAD + np.uint64(a) * _FIRST_FACTOR + np.uint64(b) * _SECOND_FACTOR + np.uint64(c) * _THIRD_FACTOR
    x = (x ^ (x >> _U32)) * _SPREAD
    x = (x ^ (x >> _U29)) * _FIRST_FACTOR
    return x ^ (x >> _U32)


@kernel
def find_entry(table: np.ndarray, width: int, key: int) -> int:
    """Where the payload of a key begins, or -1 if the store does not have it. All 64-bit keys are allowed."""
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
    """Where the payload of a key begins; an entry is made for it, with zeros, if the store does not have it.

    Raises IndexError if the cells are too few for one bucket.
    """
    found = find_entry(table, width, key)
    if found >= 0:
        return found
    size = _bucket_cells(width)
    if table.size < HEAD + size:
        raise IndexError("a store that has no room for one bucket")
    bucket = _bucket_of(table, size, key)
    made = np.int64(table[np.uintp(bucket)]) & (2 * WAYS - 1)  # whatever another thread writes, it stays in range
    if table[MADE] < MOST_COUNTED:
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
    """Where the bucket of a key begins: keys that are near to each other, in either half, are spread."""
    in_use = np.int64(table[IN_USE])
    if in_use < HEAD + size or in_use > table.size:
        in_use = table.size
    spread = (np.uint64(key) ^ (np.uint64(key) >> _U32)) * _SPREAD
    return HEAD + np.int64(((spread >> _U32) * np.uint64((in_use - HEAD) // size)) >> _U32) * size


@inlined
def _halves(key: int) -> tuple[int, int]:
    return np.int32(np.uint64(key) & _LOW_32), np.int32(np.uint64(key) >> _U32)
