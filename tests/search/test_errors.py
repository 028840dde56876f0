"""Errors of parts of a search: one line that names the part."""

from collections.abc import Callable

import pytest

from helpers.searching import config, search_of
from kikashi.board.points import parse_vertex
from kikashi.parts.binding import bind
from kikashi.playout import PartError, cells, feasibility, heuristic, memory
from kikashi.search.config import Prior, SearchConfig
from kikashi.search.kinds import backup, expansion, selection
from kikashi.search.tree import nodes_of

CORNER = parse_vertex("A5", 5)


@selection()
def toy_selects_badly(sim, tree, node, my):
    """Fails when the root has some visits."""
    if nodes_of(tree)[0].visits >= 10:
        raise ValueError("no choice")
    return nodes_of(tree)[node].first


@expansion()
def toy_expands_badly(sim, tree, node, my):
    """Fails."""
    raise ValueError("no growth")


@backup()
def toy_backs_up_badly(sim, tree, node, my):
    """Fails."""
    raise ValueError("no mean")


@feasibility()
def toy_refuses_badly(sim, point, my):
    """Fails inside the tree, below the root."""
    if sim.length > 5:
        raise ValueError("no idea")
    return True


@heuristic()
def toy_proposes_badly(sim, moves, my):
    """Fails."""
    raise ValueError("no move")


@memory(cells=1)
def toy_learns_badly(sim, my):
    """Fails."""
    raise ValueError("no lesson")


@heuristic(memories=["toy_learns_badly"])
def toy_forgets(sim, moves, my):
    """Proposes nothing, but has a memory."""
    if cells(my.toy_learns_badly)[0] > 1:
        moves.base = 1.0


@heuristic()
def toy_paints(sim, moves, my):
    """Puts a stone on the board without playing it."""
    sim.board.color[CORNER] = 1


@selection()
def toy_does_not_compile(sim, tree, node, my):
    """Names what is not there."""
    return my.nothing


def prior(name: str) -> Prior:
    return Prior(bind(heuristic, name), 10.0)


BROKEN = {
    "toy_selects_badly": lambda: config(select="toy_selects_badly"),
    "toy_expands_badly": lambda: config(expand="toy_expands_badly"),
    "toy_backs_up_badly": lambda: config(back_up="toy_backs_up_badly"),
    "toy_refuses_badly": lambda: config(feasible="toy_refuses_badly"),
    "toy_proposes_badly": lambda: config(playout="toy_proposes_badly"),
    "toy_learns_badly": lambda: config(playout="toy_forgets"),
    "toy_does_not_compile": lambda: config(select="toy_does_not_compile"),
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("threads", [1, 2])
def test_the_error_of_a_part_names_it(name: str, threads: int) -> None:
    with pytest.raises(PartError, match=name) as caught:
        search_of(BROKEN[name](), threads=threads).run(500)
    assert "\n" not in str(caught.value)


def test_the_error_of_a_prior_names_it() -> None:
    with pytest.raises(PartError, match=r"heuristic 'toy_proposes_badly'.*no move"):
        search_of(config(priors=(prior("toy_proposes_badly"),)))


@pytest.mark.parametrize(
    "painting",
    [lambda: config(playout="toy_paints"), lambda: config(playout="capture", priors=(prior("toy_paints"),))],
    ids=["in playouts", "in a prior"],
)
def test_a_heuristic_that_writes_to_the_board_ends_a_search_with_its_name(painting: Callable[[], SearchConfig]) -> None:
    with pytest.raises(PartError, match=r"^heuristic 'toy_paints' in .*: it changes the board"):
        search_of(painting()).run(500)
