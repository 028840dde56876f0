"""The stand-in for Indigo: a tree of depth 3 and width 7 whose moves are given up by their statistics."""

import numpy as np

from helpers.searching import search_of
from kikashi import Game
from kikashi.engine.preset import load_preset
from kikashi.search.tree import SCALE, Tree

GAMES = 20


def searched(*overrides: str, simulations: int = 6000) -> Tree:
    config = load_preset("indigo-2005", overrides).config
    search = search_of(config, Game(5), nodes=400_000)
    assert search.run(simulations) == simulations
    return search.tree


def test_no_line_is_longer_than_three_moves() -> None:
    assert searched("expansion.visits=30").depth() == 3
    assert searched("expansion.visits=30", "expansion.depth=2").depth() == 2


def test_every_move_has_some_games_and_seven_have_the_rest() -> None:
    """Coulom 2006, §5: "a search at depth 3, with a width of 7"."""
    children = searched("expansion.visits=100000").children()
    assert children["visits"].min() >= GAMES
    assert children["visits"].sum() == 6000
    assert 1 <= (children["visits"] > 3 * GAMES).sum() <= 9  # one or two fall out of the seven on the way


def test_what_is_surely_worse_is_given_up() -> None:
    """Progressive pruning (§3.1): a move far behind the best by the central limit theorem gets no more games."""
    tree = searched("expansion.visits=100000", "selection.width=400", simulations=12_000)
    children = tree.children()
    first = int(tree.nodes[0]["first"])
    squares = tree.columns["squares"]["square"][first : first + len(children)] / SCALE
    visits, means = children["visits"], children["value"] / SCALE / children["visits"]
    errors = np.sqrt((squares - visits * means**2) / (visits - 1) / visits)
    best = int(means.argmax())
    worse = means + errors < means[best] - errors[best]
    assert 3 <= worse.sum() < len(children)
    assert visits[worse].max() < visits[~worse].max()


def test_the_value_of_a_move_is_that_of_the_best_reply() -> None:
    """A maximum is backed up where replies are known: at the root, after enough simulations."""
    tree = searched("expansion.visits=100000", simulations=4000)
    assert tree.nodes[0]["mean"] == tree.children()["mean"].max()  # Black is to play
