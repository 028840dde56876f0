"""Our own tactical problems: they are sound, the rest of the board is settled, and their answers are proved."""

from collections import Counter

import pytest

from helpers.df_pn import winning_moves
from helpers.naive_groups import least_shape, naive_twin
from kikashi.board.points import EMPTY
from kikashi.experiments.problems import Problem, load_problems, parse_problems, script_of
from kikashi.protocols.gtp.protocol import Command

THEMES = ["semeai", "seki", "ko", "nakade", "life", "death", "connection"]
PROBLEMS = {problem.name: problem for problem in load_problems()}
EVERY_PROBLEM = pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)


def test_there_are_enough_problems_of_every_theme() -> None:
    themes = Counter(problem.theme for problem in load_problems())
    assert list(themes) == THEMES, "themes come one after another"
    assert sum(themes.values()) >= 60
    assert min(themes.values()) >= 5
    colors = Counter(problem.to_play for problem in load_problems())
    assert max(colors.values()) < 2 * min(colors.values()), "both colours are asked"


def test_no_problem_is_there_twice() -> None:
    assert len({_shape(problem) for problem in load_problems()}) == len(load_problems())


def _shape(problem: Problem) -> str:
    """The fight, without the rest of the board."""
    region, size, game = _region(problem), problem.game().size, problem.game()
    signs = {p: ".XO"[game.color_at(p)] for p in region}
    rows = [[signs.get(20 * row + column, " ") for column in range(1, size + 1)] for row in range(1, size + 1)]
    return least_shape(rows, "XO"[problem.to_play - 1])


def _region(problem: Problem) -> set[int]:
    """The marked points, and the chains that have no other liberties."""
    position = naive_twin(problem.game().board)
    chains = [chain for chain in position.chains() if position.liberties(min(chain)) <= problem.marked]
    return set(problem.marked).union(*chains)


@EVERY_PROBLEM
def test_a_problem_has_few_answers_and_enough_that_are_wrong(problem: Problem) -> None:
    game = problem.game()
    legal = {p for p in problem.marked if game.is_legal(p)}
    assert game.size in (7, 9)
    assert 1 <= len(problem.answers) <= 3
    assert len(legal - problem.answers) >= 3
    assert problem.why.endswith(".")
    assert len(problem.name) <= 24


@EVERY_PROBLEM
def test_the_rest_of_the_board_is_settled(problem: Problem) -> None:
    """Every chain outside of the fight has two eyes of its own, and nobody can live in any of them: all of their points
    are beside the chain (Benson 1976)."""
    position, region = naive_twin(problem.game().board), _region(problem)
    eyes: Counter[frozenset[int]] = Counter()
    for area in position.regions():
        if position.color_at(min(area)) != EMPTY or area <= region:
            continue
        (chain,) = {position.chain(p) for p in position.border(area)}
        assert area <= position.liberties(min(chain)), "a place to live"
        eyes[chain] += 1
    assert all(eyes[chain] >= 2 for chain in position.chains() if not chain <= region)


SMALL = ["semeai-13", "seki-7", "ko-1", "nakade-3", "death-2", "connection-5"]


@pytest.mark.thorough
@pytest.mark.parametrize("name", SMALL)
def test_the_answers_are_proved(name: str) -> None:
    problem = PROBLEMS[name]
    assert winning_moves(problem.game(), problem.marked) == problem.answers
    if problem.theme == "ko":
        assert not winning_moves(problem.game(), problem.marked, threats=1)


@pytest.mark.soak
@EVERY_PROBLEM
def test_all_answers_are_proved_with_and_without_moves_elsewhere(problem: Problem) -> None:
    for free_moves in (0, 1):
        assert winning_moves(problem.game(), problem.marked, free_moves=free_moves) == problem.answers
    if problem.theme == "ko":
        assert not winning_moves(problem.game(), problem.marked, threats=1)


def test_a_problem_becomes_commands() -> None:
    (problem,) = parse_problems(
        """[corner]
        theme = "life"
        to_play = "white"
        komi = -0.5
        answers = ["A3"]
        why = "."
        board = \"\"\"
        * O .
        X X O
        . X .\"\"\"
        """
    )
    script = script_of(problem)
    stones = ["black", "B1", "black", "A2", "black", "B2", "white", "C2", "white", "B3"]
    assert [step.command for step in script.steps] == [
        Command("", "boardsize", ("3",)),
        Command("", "komi", ("-0.5",)),
        Command("", "set_position", tuple(stones)),
        Command("", "gogui-setup_player", ("white",)),
        Command("", "reg_genmove", ("white",)),
    ]
    assert script.steps[-1].expected is not None
    assert script.steps[-1].expected.fits("A3")
    with pytest.raises(ValueError, match="corner: an answer must be a marked point or pass"):
        parse_problems(
            '[corner]\ntheme = ""\nto_play = "white"\nkomi = 0.5\nanswers = ["B2"]\nwhy = ""\nboard = "../.*"'
        )
