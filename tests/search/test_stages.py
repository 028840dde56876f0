"""Searches in stages of blocks: what is found depends neither on order, threads, pauses nor on who runs which block."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from helpers.searching import children_of, run_traced, start
from helpers.simulations import Random32
from kikashi import Game
from kikashi.board.rng import stream
from kikashi.engine.preset import load_preset
from kikashi.search.staged import Block, StagedSearch, root_sums
from kikashi.search.tree import PRUNED
from kikashi.search.tree_search import TreeSearch

SMALL = "stages={ blocks = 8, games = 25 }"
STAGE = 8 * 25
PRUNING = "pruning={ rule = 'progressive', r_d = 2.0, sigma_e = 0.01, samples = 200 }"
FLAT = ["one-ply-2003", "amaf-2003", "yoshizoe-2006-basic", "yoshizoe-2006-atari"]


def staged(
    preset: str, *settings: str, kind: Callable[..., StagedSearch] = StagedSearch, seed: int = 1, **how: Any
) -> StagedSearch:
    search = kind(load_preset(preset, [SMALL, *settings]).config, size=5, seed=seed, nodes=1000, **how)
    start(search, Game(5, komi=0.5))
    return search


class Backwards(StagedSearch):
    """Runs the blocks of a stage in the opposite order."""

    def _plan(self, games: int) -> Iterator[tuple[Block, int]]:
        yield from reversed(list(super()._plan(games)))


class OneOfSeveral(StagedSearch):
    """Waits at the end of a stage for the sums of all."""

    def finish_stage(self, sums: np.ndarray | None = None) -> None:
        if sums is not None:
            super().finish_stage(sums)


def pruned(search: TreeSearch) -> set[int]:
    children = search.tree.children()
    return {int(child["move"]) for child in children if child["flags"] & PRUNED}


@pytest.mark.parametrize("preset", FLAT)
@pytest.mark.parametrize("simulations", [3, 25, 137, 2 * STAGE + 60])
def test_sums_are_the_same_in_any_order_and_in_threads(preset: str, simulations: int) -> None:
    alone = staged(preset)
    assert alone.run(simulations) == simulations == alone.tree.nodes[0]["visits"]
    for other in (staged(preset, kind=Backwards), staged(preset, threads=2), staged(preset, threads=3)):
        assert other.run(simulations) == simulations
        assert (root_sums(other.tree) == root_sums(alone.tree)).all()
        assert other.tree.children()["mean"].tolist() == alone.tree.children()["mean"].tolist()
        assert (other.ownership() == alone.ownership()).all()
    another = staged(preset, seed=2)
    another.run(simulations)
    assert (root_sums(another.tree) != root_sums(alone.tree)).any(), "another seed, other games"


@pytest.mark.parametrize("processes", [2, 3, 5, 11])
@pytest.mark.parametrize("preset", FLAT)
def test_sums_are_the_same_however_many_share_the_blocks(preset: str, processes: int) -> None:
    """A fixed total, the last block of which is cut short; of eleven, three have nothing to do."""
    total = STAGE + 110
    alone = staged(preset)
    alone.run(total)
    several = [staged(preset, share=(number, processes)) for number in range(processes)]
    ran = [each.run(total) for each in several]
    assert sum(ran) == total
    assert ran == [each.tree.nodes[0]["visits"] for each in several], "a root's visits are its own simulations"
    assert (sum(root_sums(each.tree) for each in several) == root_sums(alone.tree)).all()


@pytest.mark.parametrize("processes", [1, 2, 3, 5])
def test_the_same_moves_are_pruned_however_many_share_the_blocks(processes: int) -> None:
    alone = staged("yoshizoe-2006-ataripp", PRUNING)
    several = [
        staged("yoshizoe-2006-ataripp", PRUNING, kind=OneOfSeveral, share=(number, processes))
        for number in range(processes)
    ]
    history = []
    for _ in range(4):
        alone.run(STAGE)
        for each in several:
            each.run(STAGE)
        total = sum(root_sums(each.tree) for each in several)
        assert (total == root_sums(alone.tree)).all()
        for each in several:
            own = root_sums(each.tree)
            each.finish_stage(total)
            assert (root_sums(each.tree) == own).all(), "its own counts stay what they are"
            assert pruned(each) == pruned(alone)
            assert each.is_decided == alone.is_decided
        history.append(pruned(alone))
    assert 0 < len(history[0]) < len(history[-1]), "something is pruned, more and more"


def test_a_block_has_random_numbers_of_its_own() -> None:
    """With one game to a block, the first number of each is the draw of the first move."""
    search = staged("yoshizoe-2006-basic", "stages={ blocks = 3, games = 1 }", seed=5)
    moves = [child.move for child in children_of(search.tree)]
    for stage in range(3):
        for block in range(3):
            drawn = Random32(int(stream(5, stage, block))).below(len(moves))
            assert run_traced(search).moves[0] == moves[drawn]


def test_pauses_change_nothing() -> None:
    alone, paused = staged("yoshizoe-2006-ataripp", PRUNING), staged("yoshizoe-2006-ataripp", PRUNING)
    alone.run(2 * STAGE + 33)
    for pause in (1, 7, 24, 25, 100, 2 * STAGE + 33 - 157):
        assert paused.run(pause) == pause
    assert (root_sums(alone.tree) == root_sums(paused.tree)).all()
    assert pruned(alone) == pruned(paused) != set()


@pytest.mark.parametrize("threads", [1, 2])
def test_a_clock_ends_a_search_where_a_block_ends(threads: int) -> None:
    search = staged("yoshizoe-2006-basic", threads=threads)
    for _ in range(20):
        assert search.run(10_000, until=0.0) % 25 == 0
    done = search.done
    assert done >= 20 * 25
    alone = staged("yoshizoe-2006-basic")
    alone.run(done)
    assert (root_sums(search.tree) == root_sums(alone.tree)).all()


def test_a_check_ends_a_search_and_so_does_a_halt() -> None:
    search = staged("yoshizoe-2006-basic")
    assert search.run(10_000, check=lambda: search.done >= 75) == 75
    search.stop()
    assert search.run(10_000) == 0


def test_every_position_starts_anew() -> None:
    search, game = staged("yoshizoe-2006-ataripp", PRUNING), Game(5, komi=0.5)
    search.run(3 * STAGE)
    assert pruned(search)
    before = root_sums(search.tree)
    search.advance([int(search.tree.children()["move"][0])])
    start(search, game)
    assert not pruned(search)
    assert search.done == 0
    search.run(3 * STAGE)
    assert (root_sums(search.tree) == before).all()
