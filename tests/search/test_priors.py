"""What priors give: virtual games, won or lost by who is to play, in shares of the largest weight of the list."""

from typing import NamedTuple

import pytest

from helpers.searching import children_of, has_grown, search_of, visited
from kikashi import Game
from kikashi.board.points import BLACK, WHITE, opponent, parse_vertex, vertex
from kikashi.engine.preset import load_preset
from kikashi.playout import PartError, add, bar, heuristic
from kikashi.search.tree_search import TreeSearch

SIZE = 5
DIAGRAM = """
    . . . . .
    . . X . .
    . X . O .
    . . O . .
    . . . . .
"""
TURNS = pytest.mark.parametrize("turn", [BLACK, WHITE], ids=["black", "white"])


@heuristic(a=0, a_weight=1.0, b=0, b_weight=1.0, c=0, c_weight=1.0, base=0.0)
def toy_points(sim, moves, my):
    """Proposes up to three points, 0 being none."""
    moves.base = my.base
    if my.a > 0:
        add(moves, my.a, my.a_weight)
    if my.b > 0:
        add(moves, my.b, my.b_weight)
    if my.c > 0:
        add(moves, my.c, my.c_weight)


@heuristic(point=0)
def toy_bars_all_but(sim, moves, my):
    """Bars every point but one, for the uniform choice too."""
    for i in range(sim.board.empty_count):
        if sim.board.empty[i] != my.point:
            bar(moves, sim.board.empty[i], True)


class Prior(NamedTuple):
    """A list of points with weights, and the games it is worth."""

    games: float
    weights: dict[str, float]
    base: float = 0.0

    def as_toml(self) -> str:
        chosen = [
            f"{name} = {parse_vertex(point, SIZE)}, {name}_weight = {weight:.17g}"
            for name, (point, weight) in zip("abc", self.weights.items(), strict=False)
        ]
        settings = ", ".join([f"games = {self.games}", f"base = {self.base}", *chosen])
        return f'{{ part = "toy_points", {settings} }}'


def searched(priors: str, turn: int, *, even: float = 0.0, settings: tuple[str, ...] = ()) -> TreeSearch:
    """A search by `kikashi` with other priors, its root grown."""
    rules = load_preset("kikashi-handmade", [f"prior=[{priors}]", f"even_games={even}", *settings]).config
    return search_of(rules, Game.from_diagram(DIAGRAM, turn=turn, komi=0.5))


def given(search: TreeSearch, node: int = 0) -> dict[str, tuple[float, float]]:
    """Prior visits and prior value by move, of all children that have virtual games."""
    return {
        vertex(child.move): (child.prior_visits, child.prior_value)
        for child in children_of(search.tree, node)
        if child.prior_visits
    }


def about(expected: dict[str, tuple[float, float]]) -> dict[str, object]:
    """Equal but for the rounding of single precision."""
    return {move: pytest.approx(pair, rel=1e-6, abs=1e-6) for move, pair in expected.items()}


# --- numbers worked out by hand ---------------------------------------------------------------------------------------

A1_ONLY = Prior(10, {"A1": 3})
THREE = Prior(12, {"A1": 1, "B1": 4, "C1": 2})
AGAINST = Prior(-6, {"B1": 2, "C1": 1, "E5": 2})

WORKED_OUT: dict[str, tuple[list[Prior], dict[str, tuple[float, float]]]] = {
    # priors; by move: virtual games, and the share that Black won of them if Black is to play
    "one move has all the games whatever its weight": ([A1_ONLY], {"A1": (10, 1.0)}),
    "others have their share of the largest weight": ([THREE], {"A1": (3, 1.0), "B1": (12, 1.0), "C1": (6, 1.0)}),
    "negative games are lost": ([AGAINST], {"B1": (6, 0.0), "C1": (3, 0.0), "E5": (6, 0.0)}),
    "several priors add up": (
        [A1_ONLY, THREE, AGAINST],
        {"A1": (13, 1.0), "B1": (18, 12 / 18), "C1": (9, 6 / 9), "E5": (6, 0.0)},
    ),
    "the same prior twice": ([AGAINST, AGAINST], {"B1": (12, 0.0), "C1": (6, 0.0), "E5": (12, 0.0)}),
    "weights far apart": ([Prior(8, {"A1": 1e-3, "B1": 1e3})], {"A1": (8e-6, 1.0), "B1": (8, 1.0)}),
    "no games": ([Prior(0, {"A1": 1})], {}),
    "nothing proposed": ([Prior(5, {})], {}),
    "weights of nothing": ([Prior(5, {"A1": 0, "B1": 0})], {}),
    "stones on the points": ([Prior(5, {"C4": 1, "D3": 1, "A1": 1})], {"A1": (5, 1.0)}),
    "a heavier weight on a stone": ([Prior(5, {"C4": 2, "A1": 1})], {"A1": (2.5, 1.0)}),
    "a weight for all others gives them nothing": ([Prior(5, {"A1": 1}, base=7)], {"A1": (5, 1.0)}),
}


@TURNS
@pytest.mark.parametrize("case", WORKED_OUT)
def test_virtual_games_are_won_by_who_is_to_play(case: str, turn: int) -> None:
    priors, expected = WORKED_OUT[case]
    found = given(searched(",".join(prior.as_toml() for prior in priors), turn))
    side = {move: (games, won if turn == BLACK else 1 - won) for move, (games, won) in expected.items()}
    assert found == about(side)


@TURNS
def test_even_games_come_first_and_are_half_won(turn: int) -> None:
    """Every move, the pass too, starts with 4 games of value 1/2; what priors give is added to them."""
    search = searched(",".join([THREE.as_toml(), AGAINST.as_toml()]), turn, even=4)
    expected = {vertex(child.move): (4, 0.5) for child in children_of(search.tree)}
    assert len(expected) == SIZE * SIZE - 4 + 1
    black_wins = {"A1": (7, 5 / 7), "B1": (22, 14 / 22), "C1": (13, 8 / 13), "E5": (10, 2 / 10)}
    expected |= {move: (games, won if turn == BLACK else 1 - won) for move, (games, won) in black_wins.items()}
    assert given(search) == about(expected)


@pytest.mark.parametrize("even", [0, 4])
def test_without_priors_a_move_is_worth_one_half(even: float) -> None:
    search = searched("", BLACK, even=even)
    assert {(child.prior_visits, child.prior_value) for child in children_of(search.tree)} == {(even, 0.5)}


@TURNS
def test_points_for_a_win_do_not_count_in_virtual_games(turn: int) -> None:
    plain, with_points = (
        given(searched(THREE.as_toml(), turn, even=2, settings=(f"backup.score_weight={weight}",)))
        for weight in (0.0, 0.01)
    )
    assert plain == with_points


@TURNS
def test_where_scores_are_backed_up_virtual_games_are_won_by_points(turn: int) -> None:
    """As many as the board has lines, so that a prior can discourage: B1 has 12 games won by 5 and 6 lost by 5."""
    priors = ",".join([THREE.as_toml(), AGAINST.as_toml()])
    found = given(searched(priors, turn, settings=("backup.value=score",)))
    expected = {"A1": (3, 5.0), "B1": (18, 30 / 18), "C1": (9, 15 / 9), "E5": (6, -5.0)}
    assert found == about({move: (games, by if turn == BLACK else -by) for move, (games, by) in expected.items()})


@TURNS
def test_where_scores_are_backed_up_a_prior_discourages(turn: int) -> None:
    """With 1,000 virtual games against it a move is tried less often than others, with as many for it more often."""

    def visits(games: int) -> dict[str, int]:
        search = searched(Prior(games, {"A1": 1}).as_toml(), turn, even=1, settings=("backup.value=score",))
        search.run(200)
        return {vertex(child.move): child.visits for child in children_of(search.tree)}

    assert visits(1000)["A1"] > 100 > 1 >= visits(-1000)["A1"]


# --- below the root ---------------------------------------------------------------------------------------------------


def worth(
    move: str, mover: int, priors: list[Prior], even: float, win: float, loss: float = 0.0
) -> tuple[float, float]:
    """Virtual games of a move and their mean value for Black, from the definition."""
    games, value = even, even * (win + loss) / 2
    for prior in priors:
        more = abs(prior.games) * prior.weights.get(move, 0.0) / max(prior.weights.values())
        winner = mover if prior.games > 0 else opponent(mover)
        games += more
        value += more * (win if winner == BLACK else loss)
    return games, value / games if games else (win + loss) / 2


@TURNS
@pytest.mark.parametrize(("even", "value"), [(0.0, "win"), (3.0, "win"), (3.0, "score")])
def test_every_node_has_its_priors(turn: int, even: float, value: str) -> None:
    priors = [THREE, AGAINST, Prior(2.5, {"E1": 0.3, "D1": 0.7, "A5": 0.5})]
    text = ",".join(prior.as_toml() for prior in priors)
    search = searched(text, turn, even=even, settings=(f"backup.value={value}", "expansion.visits=1"))
    search.run(150)
    movers = []
    for path, node in visited(search.tree):
        if has_grown(search.tree, node.number):
            mover = turn if len(path) % 2 == 0 else opponent(turn)
            movers.append(mover)
            for child in children_of(search.tree, node.number):
                win, loss = (1.0, 0.0) if value == "win" else (SIZE, -SIZE)
                expected = worth(vertex(child.move), mover, priors, even, win, loss)
                found = (child.prior_visits, child.prior_value)
                assert found == pytest.approx(expected, rel=1e-5, abs=1e-6), (path, vertex(child.move))
    assert min(movers.count(BLACK), movers.count(WHITE)) >= 10


@TURNS
def test_weights_of_a_point_named_twice_add_up(turn: int) -> None:
    """As they do in a playout's draw: A1 weighs 2, so B1 has half of its games."""
    a1, b1 = parse_vertex("A1", SIZE), parse_vertex("B1", SIZE)
    found = given(searched(f'{{ part = "toy_points", games = 10, a = {a1}, b = {a1}, c = {b1} }}', turn))
    won = 1.0 if turn == BLACK else 0.0
    assert found == about({"A1": (10, won), "B1": (5, won)})


def test_what_a_prior_bars_is_forgotten() -> None:
    """A bar lasts until a move is chosen, and a prior chooses none: a list that only bars changes nothing."""
    trees = []
    for priors in ("", f'{{ part = "toy_bars_all_but", point = {parse_vertex("A1", SIZE)}, games = 10 }}'):
        search = searched(priors, BLACK, even=1)
        search.run(100)
        trees.append([(path, node.visits, node.score) for path, node in visited(search.tree)])
    assert trees[0] == trees[1]


# --- lists that no prior can be made of -------------------------------------------------------------------------------


@heuristic(count=513)
def toy_long_list(sim, moves, my):
    """Names A1 this often."""
    for _ in range(my.count):
        add(moves, 21, 1.0)


def broken(*priors: str, playout: str = "toy_points") -> TreeSearch:
    settings = [f"prior=[{', '.join(priors)}]", f"playout=['{playout}']", "even_games=10"]
    return search_of(load_preset("kikashi", settings).config, Game(SIZE))


@pytest.mark.parametrize("point", [-1, 0, 5, 10**6])
def test_a_point_off_the_board_names_the_prior(point: int) -> None:
    """In place of a write outside the record."""
    fine = Prior(5, {"A1": 1}).as_toml()
    with pytest.raises(PartError, match=r"heuristic 'toy_one' in .*: it named a point that is not on the board"):
        broken(fine, f'{{ part = "toy_one", point = {point} }}', fine)


@heuristic(point=21, weight=1.0)
def toy_one(sim, moves, my):
    """One point with a weight."""
    add(moves, my.point, my.weight)


@pytest.mark.parametrize("weight", ["-1.0", "inf"])
def test_a_weight_that_is_none_names_the_prior(weight: str) -> None:
    with pytest.raises(PartError, match=r"heuristic 'toy_one' in .*: it gave a weight that is negative, infinite or"):
        broken(Prior(5, {"A1": 1}).as_toml(), f'{{ part = "toy_one", weight = {weight} }}')


def test_a_list_that_is_too_long_names_the_prior_and_no_other_part() -> None:
    fine = Prior(5, {"A1": 1}).as_toml()
    with pytest.raises(PartError, match=r"heuristic 'toy_long_list' in .*: it named more points than the list holds"):
        broken(fine, '{ part = "toy_long_list", games = 3 }', fine)
    full = broken(fine, '{ part = "toy_long_list", games = 3, count = 512 }')
    assert given(full) == about(
        {"A1": (5 + 3 + 10, (5 + 3 + 5) / 18)} | {v: (10, 0.5) for v in given(full) if v != "A1"}
    )
    assert full.run(50) == 50


def test_a_list_of_a_prior_leaves_nothing_to_playouts() -> None:
    """512 points of a prior, and after it a heuristic that names nothing: its list is empty."""
    search = broken('{ part = "toy_long_list", count = 512 }')
    search.run(100)
    assert search.moves_by()["toy_points"] == 0


def test_more_priors_than_there_is_room_for_is_one_line() -> None:
    one = Prior(1, {"A1": 1}).as_toml()
    assert broken(*[one] * 16).run(10) == 10
    with pytest.raises(ValueError, match=r"^preset kikashi: a search has at most 16 priors, not 17$"):
        broken(*[one] * 17)
