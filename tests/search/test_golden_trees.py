"""Golden trees: the same position, preset and seed give the very tree that is kept in `tests/data`.

When a change of the search or of a preset is meant to change them, `KIKASHI_WRITE_GOLDEN=1` writes the trees of today:

    KIKASHI_WRITE_GOLDEN=1 python -m pytest tests/search/test_golden_trees.py
"""

from typing import NamedTuple

import pytest

from helpers.golden import Sections, check_golden, differences
from helpers.searching import children_of, search_of, visited
from kikashi import Game
from kikashi.board.points import vertex
from kikashi.engine.preset import load_preset
from kikashi.search.tree import Tree


class Golden(NamedTuple):
    """What a tree was made by."""

    size: int
    moves: str
    seed: int
    simulations: int


TREES = {
    "mogo-2006": Golden(3, "", 2006, 60),
    # White to play can capture at E4 and has a stone in atari at C3.
    "kikashi-handmade": Golden(9, "E5 C3 F4 G4 C4 F3 B3 F5 E6 G6 D3", 2026, 200),
    "kikashi": Golden(9, "E5 C3 F4 G4 C4 F3 B3 F5 E6 G6 D3", 2026, 200),
}


def golden_tree(preset: str) -> Tree:
    golden = TREES[preset]
    game = Game(golden.size)
    for move in golden.moves.split():
        game.push(move)
    search = search_of(load_preset(preset).at(golden.size).config, game, seed=golden.seed)
    search.run(golden.simulations)
    return search.tree


def sections_of(tree: Tree) -> Sections:
    """By path: visits, sum of values (in units of 2^-20), sum of scores. Of the root's children: what priors gave them,
    and the visits and the sum of values of all simulations with their move."""
    return {
        "visits, value, score": {
            " ".join(path) or "root": [node.visits, node.value, node.score] for path, node in visited(tree)
        },
        "prior visits, prior value": {
            vertex(child.move): [round(child.prior_visits, 4), round(child.prior_value, 4)]
            for child in children_of(tree)
        },
        "rave visits, rave value": {
            vertex(child.move): [child.rave_visits, child.rave_value] for child in children_of(tree)
        },
    }


@pytest.mark.parametrize("preset", TREES)
def test_the_tree_is_the_golden_one(preset: str) -> None:
    """Every visited node, and what the root's children have from priors and RAVE. The head of this file says how to
    keep another tree on purpose."""
    check_golden(f"tree_{preset}.json", sections_of(golden_tree(preset)))


def test_a_difference_is_reported() -> None:
    kept = {"visits": {"root": [3], "A1": [1], "B1": [2]}, "priors": {"A1": [1.5]}}
    found = {"visits": {"root": [3], "B1": [1], "C1": [1]}, "priors": {"A1": [1.5]}}
    assert list(differences(kept, kept)) == []
    assert list(differences(kept, found)) == [
        "visits: A1: is gone, was [1]",
        "visits: B1: was [2], is [1]",
        "visits: C1: is new, [1]",
    ]
    turned = {"visits": {"root": [3], "B1": [2], "A1": [1]}, "priors": {"A1": [1.5]}}
    assert list(differences(kept, turned)) == ["visits: the order changed: where 'A1' was there is 'B1'"]
