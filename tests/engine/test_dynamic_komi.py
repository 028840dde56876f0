"""Dynamic komi (Baier 2010, §7.4): the four rules, for whom and how long they count, and honest displays and passes."""

from dataclasses import replace

import pytest

from helpers.gtp_text import new_session, ok
from helpers.searching import SETTLED
from kikashi import Game, Limit, Player
from kikashi.board.points import BLACK, PASS, WHITE, opponent
from kikashi.engine.move_choice import Decision, Remembered
from kikashi.engine.preset import Komi, load_preset
from kikashi.game import RESIGN
from kikashi.search.analysis import from_side

DYNAMIC = load_preset("lgrf2-dk").komi


def extra_komi(one: Player, game: Game, color: int) -> float:
    return from_side(color, one._shift(game, color))


def player(simulations: int = 100, preset: str = "lgrf2-dk", **more) -> Player:
    one = Player(preset, limit=Limit(simulations), **{"megabytes": 8, **more})
    one.early_stop = False
    return one


def komi_of(one: Player) -> float:
    """That of the simulations."""
    return float(one._kept.search.root["komi"])


def decide_at(one: Player, game: Game, winrate: float, move: str) -> None:
    """Have a player decide on a move after a search that won at this rate, and play it."""
    *_, found = one.think(game)
    decision = Decision(game.push(move).point, replace(found, winrate=winrate))
    one.remember(before(game), decision)


def before(game: Game) -> Game:
    earlier = game.copy()
    earlier.pop()
    return earlier


# --- the rules --------------------------------------------------------------------------------------------------------

TABLE = [
    # points on top of the game's komi, win rate of the search, points then
    (0, 0.50, 0),
    (0, 0.55, 0),
    (0, 0.551, 1),
    (0, 0.60, 1),
    (0, 0.601, 2),
    (0, 1.00, 2),
    (3, 0.56, 4),
    (3, 0.90, 5),
    (3, 0.55, 3),
    (3, 0.45, 3),
    (3, 0.449, 2),
    (3, 0.40, 2),
    (3, 0.399, 1),
    (3, 0.00, 1),
    (1, 0.30, 0),
    (0, 0.44, 0),
    (0, 0.10, 0),
]


@pytest.mark.parametrize(("extra", "winrate", "then"), TABLE)
def test_the_four_rules(extra: float, winrate: float, then: float) -> None:
    assert DYNAMIC.extra_after(extra, winrate) == then == transcribed(extra, winrate)
    assert Komi().extra_after(extra, winrate) == 0
    assert Komi(rule="dynamic", stone=0.5).extra_after(extra / 2, winrate) == then / 2


def transcribed(extra: float, winrate: float) -> float:
    """The thesis's four sentences, one after the other."""
    if winrate > 0.60:
        return extra + 2
    if winrate > 0.55:
        return extra + 1
    if winrate < 0.40:
        return max(0, extra - 2)
    if winrate < 0.45:
        return max(0, extra - 1)
    return extra


@pytest.mark.parametrize("color", [BLACK, WHITE])
@pytest.mark.parametrize(("extra", "winrate", "then"), [row for row in TABLE if row[0] == 0])
def test_the_komi_of_the_next_search(extra: float, winrate: float, then: float, color: int) -> None:
    """Black's rises, White's falls."""
    game, one = Game(5, 7.5).turned_to(color), player(100)
    decide_at(one, game, winrate, "C3")
    game.push("C4")
    assert extra_komi(one, game, color) == then
    assert extra_komi(one, game, opponent(color)) == 0
    decision = one.choose(game)
    expected = 7.5 + then if color == BLACK else 7.5 - then
    assert komi_of(one) == expected
    assert decision.analysis.internal_komi == (expected if then else None)


def test_the_example_of_the_thesis() -> None:
    """From 7.5 to 11.5: four stones, by two searches that won more than 60 %."""
    game, one = Game(5, 7.5), player(4)
    for move, answer in (("C3", "C4"), ("D3", "D4")):
        decide_at(one, game, 0.95, move)
        game.push(answer)
    one.choose(game)
    assert komi_of(one) == 11.5


# --- a player ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("komi", [-12.5, 12.5, 0.5])
def test_a_game_follows_the_rules_for_both_colours(komi: float) -> None:
    game, one, extra, seen = Game(5, komi), player(200), {BLACK: 0.0, WHITE: 0.0}, set()
    while not game.is_over() and game.move_count < 24:
        color, after_pass = game.turn, bool(game.moves) and game.moves[-1].point == PASS
        assert extra_komi(one, game, color) == (0 if after_pass else extra[color])
        decision = one.choose(game)
        found = decision.analysis
        internal = komi if found.internal_komi is None else found.internal_komi
        used = internal - komi if color == BLACK else komi - internal
        assert used in {0, extra[color]}
        extra[color] = transcribed(used, found.winrate)
        seen.add((color, used > 0))
        game.push(decision.move)
    assert {(BLACK, True), (WHITE, True)} & seen, "somebody was ahead"
    assert komi == 0.5 or not {(BLACK, True), (WHITE, True)} <= seen, "the other never was"


def ahead(simulations: int = 100) -> tuple[Player, Game]:
    """A player of Black that has two points on top of the komi of 7.5, at its turn."""
    game, one = Game(5, 7.5), player(simulations)
    decide_at(one, game, 0.9, "C3")
    game.push("C4")
    assert extra_komi(one, game, BLACK) == 2
    return one, game


def test_what_is_not_played_changes_nothing() -> None:
    """As by ``reg_genmove`` or an analysis."""
    one, game = ahead()
    *_, found = one.think(game)
    one.decide(game, replace(found, winrate=0.99))
    one.analyse(game)
    assert extra_komi(one, game, BLACK) == 2
    one.remember(game, Decision(game.copy().push("D4").point, replace(found, winrate=0.99)))
    assert extra_komi(one, game, BLACK) == 2, "decided, but not played yet"
    other = game.copy()
    other.push("D2")
    other.push("D3")
    assert extra_komi(one, other, BLACK) == 2, "another move was played"
    game.push("D4")
    game.push("D3")
    assert extra_komi(one, game, BLACK) == 4


def test_undo_another_komi_and_a_new_game() -> None:
    one, game = ahead()
    again = game.copy()
    again.pop()
    assert extra_komi(one, again, BLACK) == 2, "only the answer is taken back"
    again.pop()
    assert extra_komi(one, again, BLACK) == 0
    other = game.copy()
    other.komi = 6.5
    assert extra_komi(one, other, BLACK) == 0
    assert extra_komi(one, Game(5, 7.5), BLACK) == 0
    one.new_game()
    assert extra_komi(one, game, BLACK) == 0
    assert extra_komi(player(), game, BLACK) == 0, "nothing is shared by players"


def test_by_gtp() -> None:
    session = new_session(5, 50, preset="lgrf2-dk", komi=-12.5)
    ok(session, "reg_genmove b")
    assert extra_komi(session.player, session.game, BLACK) == 0
    ok(session, "genmove b")
    assert extra_komi(session.player, session.game, BLACK) == 2
    ok(session, "play w A1")
    ok(session, "genmove b")
    assert ", by a komi of -10.5, " in ok(session, "kikashi-explain")
    assert '"internal_komi": -10.5' in ok(session, "kikashi-analysis")
    ok(session, "gg-undo 3")
    assert extra_komi(session.player, session.game, BLACK) == 0
    ok(session, "clear_board")
    ok(session, "genmove b")
    assert ", by a komi" not in ok(session, "kikashi-explain")


def test_a_tree_of_another_komi_is_not_kept() -> None:
    game, one = Game(5, 7.5), player(400)
    for winrate, is_kept in ((0.5, True), (0.9, False), (0.5, True)):
        *_, found = one.think(game)
        best = found.moves[0]
        one.remember(game, Decision(best.move, replace(found, winrate=winrate)))
        game.push(best.move)
        game.push(best.variation[1])
        *_, found = one.think(game)
        assert (found.visits > found.simulations) == is_kept


def test_pondering_is_by_the_komi_of_the_next_move() -> None:
    one, game = ahead()
    game.push(one.choose(game).move)
    extra = extra_komi(one, game, BLACK)
    with one.pondering(game):
        assert komi_of(one) == 7.5 + extra


# --- honesty ----------------------------------------------------------------------------------------------------------


def test_scores_are_by_the_komi_of_the_game() -> None:
    one, game = ahead(300)
    *_, found = one.think(game)
    root = one._kept.search.tree.nodes[0]
    assert found.internal_komi == 9.5
    assert found.score == pytest.approx(float(root["score"]) / int(root["visits"]) - 7.5)
    assert found.winrate == pytest.approx(float(root["mean"]))
    assert found.komi_note == ", by a komi of 9.5"
    assert found.as_json()["internal_komi"] == 9.5
    found = one.analyse(game)
    assert (found.internal_komi, komi_of(one)) == (None, 7.5), "an analysis decides nothing: the game's komi"


@pytest.mark.parametrize("color", [BLACK, WHITE])
def test_a_game_that_is_won_by_the_real_komi_is_not_played_on(color: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the internal komi all is lost: half of the budget says so, and the other half is by the real one."""
    game = Game.from_diagram(SETTLED, turn=color, komi=0.5 if color == BLACK else 1.5)
    one = player(400)
    monkeypatch.setattr(one._decisions, "last", lambda game, color: Remembered(extra_komi=4.0))
    *_, found = one.think(game)
    assert found.internal_komi is None
    assert found.simulations == 200, "the other half"
    assert one.decide(game, found).move == PASS
    one.remember(game, Decision(PASS, found))


@pytest.mark.parametrize("color", [BLACK, WHITE])
def test_after_a_pass_the_komi_is_the_games(color: int, monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game.from_diagram(SETTLED, turn=opponent(color), komi=0.5 if color == BLACK else 1.5)
    game.push("pass")
    one = player(400)
    monkeypatch.setattr(one._decisions, "last", lambda game, color: Remembered(extra_komi=4.0))
    assert extra_komi(one, game, color) == 0
    assert one.choose(game).move == PASS


def test_a_search_by_an_internal_komi_never_resigns(monkeypatch: pytest.MonkeyPatch) -> None:
    game, one = Game(5, 7.5), player(50, overrides=["choice.resign=0.3"])
    for name in ("C3", "B2", "D3", "B3", "C2", "B4", "D2", "A1"):
        game.push(name)
    monkeypatch.setattr(one._decisions, "hopeless_in_a_row", lambda game: 5)
    *_, found = one.think(game)
    lost = replace(found, moves=tuple(replace(move, winrate=0.0) for move in found.moves))
    monkeypatch.setattr("kikashi.engine.move_choice.is_count_won", lambda game: False)
    assert one.decide(game, lost).move == RESIGN
    assert one.decide(game, replace(lost, internal_komi=30.5)).move != RESIGN


# --- presets ----------------------------------------------------------------------------------------------------------


def test_thresholds_and_stone_are_settings() -> None:
    changed = load_preset("lgrf2-dk", ["komi.stone=2", "komi.raise_above=[0.7]"]).komi
    assert (changed.stone, changed.raise_above, changed.lower_below) == (2.0, (0.7,), (0.45, 0.40))
    assert load_preset("lgrf2").komi == Komi()
    assert load_preset("lgrf2-dk").config == load_preset("lgrf2").config


@pytest.mark.parametrize(
    "wrong", ["komi.rule=odd", "komi.stone=0", "komi.raise_above=[1.5]", "komi.step=1", "komi=7.5"]
)
def test_what_is_wrong_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"^preset lgrf2-dk: [^\n]+$"):
        load_preset("lgrf2-dk", [wrong])
