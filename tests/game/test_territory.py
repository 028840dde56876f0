"""Territory and prisoners: counts by hand, the identity that ties them to area, seki, handicaps, and who keeps it."""

import random
from dataclasses import replace

import pytest

from kikashi import Game, Limit, Player
from kikashi.board.points import BLACK, PASS, WHITE, parse_vertex
from kikashi.engine.move_choice import gain_of_pass, keep_territory
from kikashi.game.rules import RULE_SETS, Rules
from kikashi.search.analysis import Analysis, MoveStatistics

SETTLED = """
    ...XO....
    ..XXO....
    ..XOO..O.
    ..XO.....
    ..XXOOO..
    .X.XXXO..
    .....XOO.
    ..X.XXXO.
    ......XO.
"""


def test_a_count_by_hand() -> None:
    """Black has two columns of 5x5 with a dead stone in them, White has one with another, and took a stone before."""
    game = Game(5, komi=0.5, rules="japanese")
    for move in [*(f"{column}{row}" for row in range(5, 0, -1) for column in "CD"), "E5", "E4", "E2", "B3"]:
        game.push(move)
    for _ in range(2):
        game.push("pass")
    assert game.prisoners(WHITE) == 1
    assert game.score(dead=["B3", "E2"]) == (10 + 1) - (4 + 1 + 1) - 0.5
    assert game.score(dead=["E2"]) == 0 - (4 + 1 + 1) - 0.5, "a stone that lives makes the left nobody's"
    assert game.result() == "W+2.5", "as the board stands"
    game.rules = Rules.named("chinese")
    assert game.score(dead=["B3", "E2"]) == 15 - 10 - 0.5


@pytest.mark.parametrize("seed", range(20))
def test_area_and_territory_differ_by_the_stones_put_down(seed: int) -> None:
    """Whatever is taken for dead: each stone that was put down is on the board or a prisoner."""
    dice = random.Random(seed)
    game = Game(5, komi=0.5, rules=Rules("simple", suicide=bool(seed % 2), scoring="territory"))
    game.setup(["A1"], ["E5", "D5"], dice.choice(["black", "white"]))
    for _ in range(dice.randrange(60)):
        game.push(dice.choice(list(game.legal_moves)), dice.choice([None, "black", "white"]) and game.turn)
    dead = [p for p in (*game.stones(BLACK), *game.stones(WHITE)) if dice.random() < 0.2]
    made = 1 - 2 + sum((move.point != PASS) * (1 if move.color == BLACK else -1) for move in game.moves)
    territory = game.score(dead)
    assert game.surplus == made + (0.5 if game.turn == BLACK else -0.5)
    assert game.compensation == 0.5 + game.surplus
    game.rules = Rules("simple")
    assert (game.score(dead) - territory, game.compensation) == (made, 0.5)


def test_the_surplus_changes_with_passes_alone() -> None:
    game = Game(9, rules="japanese")
    seen = []
    for move in ("E5", "C3", "pass", "G7", "D7", "pass"):
        seen.append(game.surplus)
        game.push(move)
    assert [*seen, game.surplus] == [0.5, 0.5, 0.5, -0.5, -0.5, -0.5, 0.5]


def test_eyes_in_a_seki_are_no_territory() -> None:
    """Black's eye at A5 counts, unless its stones are said to be in seki."""
    game = Game.from_diagram(".XO../XXO../OOO../...../.....", rules="japanese", komi=0)
    assert game.score() == 1 - 16
    assert game.score(seki=["B5"]) == game.score() - 1


@pytest.mark.parametrize(
    ("rules", "bonus"),
    [("positional", 0), ("tromp-taylor", 0), ("chinese", 3), ("aga", 2), ("new-zealand", 0), ("japanese", 0)],
)
def test_the_cost_of_a_handicap_of_three(rules: str, bonus: int) -> None:
    game = Game(9, komi=0.5, rules=rules)
    game.place_fixed_handicap(3)
    counted = 81 - 3 if RULE_SETS[rules].counts_territory else 81
    assert (game.bonus, game.score()) == (bonus, counted - 0.5 - bonus)
    game.handicap = 1
    assert game.bonus == 0, "to begin is no handicap"


@pytest.mark.thorough
@pytest.mark.parametrize("preset", ["kikashi", "kikashi-learned"])
@pytest.mark.parametrize("turn", ["black", "white"])
@pytest.mark.parametrize("seed", [3, 5, 7])
def test_nobody_fills_territory(turn: str, preset: str, seed: int) -> None:
    """By area any move is as good as a pass here; where territory counts the game ends at once, for both."""
    game = Game.from_diagram(SETTLED, turn, komi=-20.5, rules="japanese")
    player = Player(preset, limit=Limit(simulations=600), seed=seed)
    before = game.score()
    assert game.push(player.choose(game).move).point == PASS
    assert game.push(player.choose(game).move).point == PASS
    assert (game.is_over(), game.score()) == (True, before)


@pytest.mark.parametrize(
    ("points", "winrate", "plays"),
    [(1.0, 0.5, False), (-0.4, 0.5, False), (-0.6, 0.5, True), (1.0, 0.4, True), (-0.4, 0.49, False)],
)
def test_a_stone_is_played_if_it_gains_or_wins_more_often(points: float, winrate: float, *, plays: bool) -> None:
    """A pass with so many points more than a stone that wins half of the games, and with this win rate."""
    stone = MoveStatistics(parse_vertex("E5", 9), 100, 0.5, 3.0, 0.0, None, (), ())
    passing = replace(stone, move=PASS, winrate=winrate, score=stone.score + points)
    gain = gain_of_pass(passing, stone)
    analysis = Analysis(BLACK, 200, 0.5, 0.0, 1.0, (stone, passing), (), 200, 1.0, 1, 4, {}, pass_gain=gain)
    assert keep_territory(analysis, stone) == (stone.move if plays else PASS)


@pytest.mark.thorough
def test_a_move_that_gains_is_played() -> None:
    """The wall has a hole at F3, and who moves there wins."""
    hole = SETTLED.replace(".....XOO.", "......OO.")
    for turn in ("black", "white"):
        game = Game.from_diagram(hole, turn, komi=3.5, rules="japanese")
        assert Player(limit=Limit(simulations=600), seed=3).choose(game).name == "F3"
