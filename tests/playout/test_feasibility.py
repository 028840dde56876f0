"""The compiled feasibility rules beside the naive ones, on every empty point of positions out of playouts."""

import os
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from helpers.heuristic_cases import Case, cases, check_proposals
from helpers.naive import Position
from helpers.naive_rules import FEASIBILITY
from kikashi.board.points import BLACK, EMPTY, WHITE, color_name, points_of, vertex
from kikashi.board.position import new_board
from kikashi.engine.preset import load_preset
from kikashi.jit import kernel
from kikashi.parts.registry import all_parts, find
from kikashi.playout import make_policy, new_root, play_out
from kikashi.playout.kinds import feasibility
from kikashi.playout.simulation import SIMULATION

SIZES = range(5, 20) if os.environ.get("KIKASHI_SOAK") else (5, 6, 7, 9, 11, 13, 19)
POSITIONS = 6
"""From each game, spread over its length."""


@cache
def positions(size: int) -> list[tuple[Any, Position]]:
    """Simulations with a position of a playout on their boards, and the naive twins of these positions."""
    game = [board.copy() for _, board in play_out(make_policy(), new_root(new_board(size)), seed=size)]
    return [with_naive_twin(board) for board in game[:: max(1, len(game) // POSITIONS)]]


def with_naive_twin(board: Any) -> tuple[Any, Position]:
    sim = np.zeros(1, SIMULATION)[0]
    sim["board"] = board
    size = int(board["size"])
    stones = {p: int(board["color"][p]) for p in points_of(size) if board["color"][p] != EMPTY}
    return sim, Position(size, stones)


@cache
def compiled(name: str) -> Callable[[Any, int], bool]:
    """The rule as a function of a simulation and a point, for the side to play."""
    part = find(feasibility, name)
    rule, my = kernel(part.function), np.zeros(1, part.own_dtype())[0]
    for parameter, value in part.parameters.items():
        my[parameter] = value
    return lambda sim, p: rule(sim, p, my)


def questions(size: int) -> Iterator[tuple[Any, Position, int, int]]:
    """Every empty point of the positions, for both colours: simulation, naive twin, point, colour to play."""
    for sim, naive in positions(size):
        for color in (BLACK, WHITE):
            sim["board"]["to_play"] = color
            yield from ((sim, naive, p, color) for p in naive.points() if p not in naive.stones)


def test_every_rule_has_a_naive_twin():
    ours = [part.name for part in all_parts(feasibility) if part.function.__module__.startswith("kikashi.")]
    assert ours == sorted([*FEASIBILITY, "legal"]), "legal has nothing to get wrong"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", FEASIBILITY)
def test_compiled_and_naive_rule_agree(name, size):
    answers = set()
    for sim, naive, p, color in questions(size):
        answer = compiled(name)(sim, p)
        assert answer == FEASIBILITY[name](naive, p, color), f"{vertex(p)} for {color_name(color)}\n{naive}"
        answers.add(answer)
    assert answers == {True, False}, "the positions ask for only one answer"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", FEASIBILITY)
def test_rules_with_surrounded_only_refuse_no_other_points(name, size):
    """A promise wrongly given goes wrong in playouts, one wrongly withheld costs time."""
    refused = [(naive, p, color) for sim, naive, p, color in questions(size) if not compiled(name)(sim, p)]
    all_surrounded = all(naive.surrounded_by(p, color) for naive, p, color in refused)
    assert find(feasibility, name).options["surrounded_only"] == all_surrounded


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", FEASIBILITY)
def test_rules_with_crowded_only_refuse_no_other_points(name, size):
    refused = [(naive, p) for sim, naive, p, _ in questions(size) if not compiled(name)(sim, p)]
    is_open = any(len(naive.neighbours(p) - naive.stones.keys()) > 1 for naive, p in refused)
    assert not (is_open and find(feasibility, name).options["crowded_only"])


@pytest.mark.parametrize("case", cases("same_block"), ids=lambda case: case.id)
def test_eyes_of_one_block(case: Case) -> None:
    check_proposals(case, feasibility="same_block")


FLAT = ("one-ply-2003", "amaf-2003", "yoshizoe-2006-basic", "yoshizoe-2006-atari", "yoshizoe-2006-ataripp")


@pytest.mark.parametrize("preset", FLAT)
def test_players_of_that_paper_know_its_eyes_alone(preset: str) -> None:
    """In the tree, too: a move there is kept from eyes by the rule of the playouts."""
    config = load_preset(preset).config
    assert str(config.policy.feasibility) == "same_block"
    assert "tree_feasibility" not in config.rules


@pytest.mark.parametrize("playout", ["uniform", "atari50"])
def test_random_games_end_by_passes_if_only_such_eyes_are_kept(playout: str) -> None:
    policy, root = make_policy(playout, feasibility="same_block"), new_root(new_board(9))
    lengths = [sum(1 for _ in play_out(policy, root, seed=seed)) for seed in range(200)]
    assert max(lengths) < 3 * 81, "the limit"
    assert 100 < sum(lengths) / len(lengths) < 130


@pytest.mark.thorough
def test_the_positions_distinguish_the_rules():
    """No rule could stand for another unseen, but `orego_b`, which is `eyelike`."""
    asked = [(naive, p, color) for size in SIZES for _, naive, p, color in questions(size)]
    answers = {name: tuple(rule(*question) for question in asked) for name, rule in FEASIBILITY.items()}
    assert answers["orego_b"] == answers["eyelike"]
    assert len(set(answers.values())) == len(FEASIBILITY) - 1
