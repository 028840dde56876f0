"""The compiled feasibility rules beside the naive ones, on every empty point of positions out of playouts."""

import os
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from helpers.heuristic_cases import Case, cases, check_proposals
from helpers.naive import Position
from helpers.naive_rules import FEASIBILITY, wary_draw
from kikashi.board.points import BLACK, EMPTY, WHITE, color_name, points_of, vertex
from kikashi.board.position import is_legal, new_board
from kikashi.engine.preset import load_preset
from kikashi.experiments.kinds.bias import load_positions
from kikashi.game import Game
from kikashi.jit import kernel
from kikashi.parts.registry import all_parts, find
from kikashi.playout import make_policy, new_root, play_out
from kikashi.playout.kinds import feasibility
from kikashi.playout.loop import may_draw
from kikashi.playout.sampling import estimate_ownership
from kikashi.playout.simulation import SIMULATION
from kikashi.playout.worker import Memories, Worker

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
    assert answers["orego_b"] == answers["wary"] == answers["eyelike"]
    assert len(set(answers.values())) == len(FEASIBILITY) - 2


def drawn_and_wanted(worker: Worker, board: Any) -> Iterator[tuple[bool, bool, bool]]:
    """For each legal empty point, for both colours: whether it may be drawn, by the naive twin, and by `careful`."""
    _, naive = with_naive_twin(board)
    worker.sim["board"] = board
    for color in (BLACK, WHITE):
        worker.sim["board"]["to_play"] = color
        for p in naive.points():
            if p not in naive.stones and is_legal(worker.sim["board"], p):
                drawn, wanted = bool(may_draw(worker.sim, worker.record, p)), wary_draw(naive, p, color)
                assert drawn == wanted, f"{vertex(p)} for {color_name(color)}\n{naive}"
                yield drawn, FEASIBILITY["careful"](naive, p, color), FEASIBILITY["eyelike"](naive, p, color)


@pytest.mark.parametrize("size", SIZES)
def test_uniform_draws_by_the_wary_rule_refuse_bad_self_ataris(size: int) -> None:
    worker = Worker(make_policy("uniform", feasibility="wary"), Memories(), size=size, seed=1)
    answers = {answer for sim, _ in positions(size) for answer in drawn_and_wanted(worker, sim["board"])}
    assert {(False, False, True), (False, False, False), (True, True, True)} <= answers


def test_uniform_draws_by_the_wary_rule_know_when_a_nakade_is_due() -> None:
    """In decided fights, and in what playouts make of them."""
    answers = set()
    for position in (each for each in load_positions() if each.theme in ("seki", "nakade", "bent-four", "dead")):
        worker = Worker(make_policy("uniform", feasibility="wary"), Memories(), size=position.size, seed=1)
        root = new_root(Game.from_diagram(position.diagram).board)
        boards = [root["board"].copy(), *(board.copy() for _, board in play_out(make_policy(), root, seed=1))]
        answers |= {answer for board in boards[:20] for answer in drawn_and_wanted(worker, board)}
    assert (False, True, True) in answers, "too early"
    assert (True, False, True) in answers, "bent in the corner, or in an eye of two points"


TRIPLE_KO = """
. . . . . O . . O O O . O
. . . X O . O O X O . O .
O X X . X O O X . X O X O
. O . X X X O X X X X X X
O X X X X . X X O X O X O
. O . . . . X O O O O O .
O X X X X X O O . . . O O
. O O X O O X . . . . . .
. . X X X O . . . . . . .
. X . X X . . . . . . . .
. . . . . X . . . X . . .
. . . . . . . . X . . . .
. . . . . . . . . . . . .
"""
"""Of a game: J11 and J12, L11 and L12, N11 and N12."""


def test_playouts_leave_a_seki_alone() -> None:
    """Each of its chains lives in nearly all playouts, whoever begins."""
    policy = make_policy("kikashi")
    for position in (each for each in load_positions() if each.theme == "seki"):
        for color in (BLACK, WHITE):
            root = new_root(Game.from_diagram(position.diagram).turned_to(color).board)
            ownership = estimate_ownership(policy, root, playouts=200)
            assert all(abs(ownership[p] - owner) < 0.05 for p, owner in position.truth.items()), position.name


def test_a_triple_ko_does_not_keep_playouts_from_their_end() -> None:
    """By MoGo's list each taking of a ko is answered by another one, up to the limit of moves."""
    root = new_root(Game.from_diagram(TRIPLE_KO).board)
    lengths = {
        name: [sum(1 for _ in play_out(make_policy(name), root, seed=seed)) for seed in range(30)]
        for name in ("mogo", "kikashi")
    }
    limit = 3 * 13 * 13
    assert sum(length >= limit for length in lengths["mogo"]) > 10
    assert sum(length >= limit for length in lengths["kikashi"]) == 0
