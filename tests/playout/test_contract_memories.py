"""The contract about memories: reading each other, names of one's own, threads, and the moves before."""

from pathlib import Path

import numpy as np
import pytest

from helpers.searching import search_of
from helpers.toy_policy import A1, C3, E5, SIZE, run, worker_for
from kikashi import Game
from kikashi.board.points import PASS, parse_vertex
from kikashi.board.position import new_board
from kikashi.engine.preset import load_preset
from kikashi.engine.tree_reuse import root_of
from kikashi.parts import registry as parts
from kikashi.parts.binding import bind
from kikashi.playout import (
    HISTORY,
    PartError,
    add_to_cell,
    cells,
    heuristic,
    last_move,
    make_policy,
    mark,
    memory,
    new_root,
    sample,
)
from kikashi.playout.worker import Worker


def block_of(worker: Worker, name: str) -> np.ndarray:
    (block,) = blocks_of(worker, name)
    return block


def blocks_of(worker: Worker, name: str) -> list[np.ndarray]:
    return [block for (memory, _), block in worker.memory_blocks.items() if memory == name]


# --- memories that read memories --------------------------------------------------------------------------------------


@memory(cells=1, step=1)
def toy_lengths(sim, my):
    """The length of the last simulation, times the step."""
    cells(my.cells)[0] = my.step * (sim.length - HISTORY)


@memory(cells=3, memories=["toy_lengths"])
def toy_longest(sim, my):
    """The longest simulation of which the other memory knows, and how many it has seen; counts where it is early."""
    kept, read = cells(my.cells), cells(my.toy_lengths)
    kept[0] = max(kept[0], read[0])
    kept[1] += 1
    kept[2] += read[0] != my.step * (sim.length - HISTORY)


@heuristic(memories=["toy_longest"])
def toy_reads_longest(sim, moves, my):
    """Proposes nothing."""


def test_a_memory_reads_another_and_learns_after_it() -> None:
    worker = worker_for("toy_reads_longest")
    lengths = [run(worker) for _ in range(30)]
    longest, seen, early = block_of(worker, "toy_longest")
    assert (longest, seen, early) == (max(lengths), 30, 0)
    assert block_of(worker, "toy_lengths")[0] == lengths[-1]


def test_a_reader_that_is_named_first_still_learns_after_what_it_reads() -> None:
    policy = make_policy("toy_reads_longest", memories=["toy_longest", "toy_lengths"])
    worker = worker_for(policy)
    run(worker, 30)
    assert worker.record["learners"] == 2, "each of them once"
    assert block_of(worker, "toy_longest")[2] == 0


def test_parameters_of_a_memory_that_a_memory_reads_are_set_at_the_top() -> None:
    assert bind(heuristic, "toy_reads_longest").values == {"step": 1, "skip": 0.0}
    worker = worker_for("toy_reads_longest(step=3)")
    moves = run(worker)
    assert block_of(worker, "toy_longest")[0] == 3 * moves


# --- one memory under two names ---------------------------------------------------------------------------------------


@memory(cells=2, context=1, step=1)
def toy_context(sim, my):
    """Its context times the step, for each simulation."""
    cells(my.cells)[0] += my.context * my.step


@heuristic(memories={"short": "toy_context(context=1)", "long": "toy_context(context=2)"})
def toy_short_and_long(sim, moves, my):
    """A1 in the first simulation; then C3 if the long one counts twice as much as the short one, else E5."""
    if sim.length == HISTORY:
        short, long = cells(my.short)[0], cells(my.long)[0]
        mark(moves, A1 if short == 0 else C3 if long == 2 * short else E5)


def test_a_heuristic_reads_one_memory_twice_with_fixed_parameters() -> None:
    worker = worker_for("toy_short_and_long(step=5)")
    assert bind(heuristic, "toy_short_and_long").values == {"step": 1, "skip": 0.0}, "what is fixed is no parameter"
    first = []
    for _ in range(3):
        run(worker)
        first.append(int(worker.sim["moves"][HISTORY]))
    assert first == [A1, C3, C3]
    assert sorted(int(block[0]) for block in blocks_of(worker, "toy_context")) == [15, 30]


def test_fixed_parameters_cannot_be_set() -> None:
    with pytest.raises(PartError, match="'toy_short_and_long' has no parameter 'context'; it has step"):
        make_policy("toy_short_and_long(context=3)")


def test_the_same_fixed_parameters_mean_the_same_memory() -> None:
    worker = worker_for(make_policy("toy_short_and_long", memories=["toy_context", "toy_context(context=2)"]))
    run(worker, 2)
    assert sorted(int(block[0]) for block in blocks_of(worker, "toy_context")) == [2, 4]


# --- circles ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def circles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memories that read each other, which no other test gets to see."""
    monkeypatch.setattr(parts, "_REGISTRY", dict(parts._REGISTRY))

    @memory(cells=1, memories=["toy_hen"])
    def toy_egg(sim, my):
        """Reads the hen."""

    @memory(cells=1, memories=["toy_egg"])
    def toy_hen(sim, my):
        """Reads the egg."""

    @memory(cells=1, memories=["toy_ouroboros"])
    def toy_ouroboros(sim, my):
        """Reads itself."""

    @heuristic(memories=["toy_egg"])
    def toy_farmer(sim, moves, my):
        """Reads what never ends."""


@pytest.mark.usefixtures("circles")
@pytest.mark.parametrize("name", ["toy_egg", "toy_hen", "toy_ouroboros"])
def test_memories_that_read_each_other_are_refused_in_one_line(name: str) -> None:
    with pytest.raises(PartError, match=rf"^memory '{name}' reads itself[^\n]*$"):
        make_policy("uniform", memories=[name])


@pytest.mark.usefixtures("circles")
def test_a_heuristic_above_such_a_circle_is_refused_too() -> None:
    with pytest.raises(PartError, match="memory 'toy_egg' reads itself by way of memory 'toy_hen'"):
        make_policy("toy_farmer")


# --- memories that no heuristic names ---------------------------------------------------------------------------------


@memory(cells=2, start=0)
def toy_watcher(sim, my):
    """How many simulations there were, and whether Black won the last."""
    add_to_cell(my.cells, 0, 1)
    cells(my.cells)[1] = my.start + sim.winner


def test_a_memory_of_a_policy_alone_learns() -> None:
    worker = worker_for(make_policy("uniform", memories=["toy_watcher(start=7)"]))
    run(worker, 9)
    assert block_of(worker, "toy_watcher").tolist() == [9, 7 + worker.sim["winner"]]


@pytest.mark.parametrize(
    "setting",
    [
        "memories=['toy_watcher(start=2)']",
        "memories+=toy_watcher(start=2)",
        "memories+={ part='toy_watcher', start=2 }",
    ],
)
def test_a_preset_switches_a_memory_on(setting: str) -> None:
    search = search_of(load_preset("mogo-2006", [setting]).config)
    search.run(300)
    (block,) = search.memories.named("toy_watcher")
    assert block.tolist() == [300, 2 + search.workers[0].sim["winner"]]
    assert search.memories.named("toy_lengths") == []


def test_a_preset_file_switches_memories_on(tmp_path: Path) -> None:
    file = tmp_path / "watched.toml"
    file.write_text('base = "mogo-2006"\nmemories = ["toy_watcher", { part = "toy_watcher", start = 5 }]\n')
    search = search_of(load_preset(str(file)).config)
    search.run(100)
    assert [int(block[0]) for block in search.memories.named("toy_watcher")] == [100, 100]
    assert "toy_watcher(start=5)" in map(str, load_preset(str(file)).config.policy.memories)


def test_an_unknown_memory_of_a_preset_is_one_line() -> None:
    with pytest.raises(ValueError, match=r"^preset mogo-2006: no memory is called 'toy_watchr'; did you mean toy_wat"):
        load_preset("mogo-2006", ["memories+=toy_watchr"])


@pytest.mark.parametrize("threads", [2, 3])
def test_additions_of_several_threads_are_all_there(threads: int) -> None:
    """Every thread adds to one cell at every move: the sum is the number of moves, to the last one."""

    @memory(cells=1, learns=False)
    def toy_busy(sim, my):
        """One cell that every move is added to."""

    @toy_busy.observe
    def _(sim, my):
        add_to_cell(my.cells, 0, 1)

    search = search_of(load_preset("mogo-2006", ["memories+=toy_busy", "playout=uniform"]).config, threads=threads)
    search.run(3000)
    (block,) = search.memories.named("toy_busy")
    in_the_tree = int(search.tree.nodes["visits"][1 : search.tree.used].sum())
    assert block[0] == in_the_tree + sum(search.moves_by().values())


@pytest.mark.parametrize("index", [-1, 1, 10**9])
def test_a_cell_that_is_not_there_is_told(index: int) -> None:
    @memory(cells=1, index=0)
    def toy_astray(sim, my):
        add_to_cell(my.cells, my.index, 1)

    with pytest.raises(PartError, match=r"memory 'toy_astray' in .*: IndexError: a cell that the memory does not have"):
        sample(make_policy("uniform", memories=[f"toy_astray(index={index})"]), new_root(new_board(SIZE)), playouts=1)


# --- the moves before the root ----------------------------------------------------------------------------------------


def test_eight_moves_before_the_root_are_remembered() -> None:
    assert HISTORY >= 8

    @heuristic(back=1, point=0)
    def toy_recalls(sim, moves, my):
        """Plays E5 if the move this long ago was that point."""
        if sim.length == HISTORY and last_move(sim, my.back) == my.point:
            mark(moves, E5)

    names = ["A1", "B1", "C1", "D1", "pass", "A2", "B2", "C2", "D2"]
    game = Game(SIZE)
    for name in names:
        game.push(name)
    for back in range(1, 9):
        point = parse_vertex(names[-back], SIZE)
        worker = worker_for(f"toy_recalls(back={back},point={point})")
        run(worker, 1, root_of(game))
        assert worker.sim["moves"][HISTORY] == E5, back
    short = new_root(new_board(SIZE), history=(A1,))
    assert short["history"].tolist() == [PASS] * (HISTORY - 1) + [A1]
