"""Traces: each record is compared with an independent replay, and a traced search with an untraced one."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from helpers.naive import NaiveBoard
from helpers.pages import blocks
from kikashi import Game, Limit, Player
from kikashi.board.points import BLACK, EMPTY, WHITE, opponent, parse_vertex, vertex
from kikashi.engine.plugin_check.trials import Problem, try_out
from kikashi.engine.preset import preset_names
from kikashi.engine.trace import NodeNumbers, Trace, TracedNode, TracedSelection
from kikashi.parts.plugins import load_plugin
from kikashi.parts.registry import PartError, find
from kikashi.playout import memory
from kikashi.search.interface import Search
from kikashi.search.kinds import selection
from kikashi.search.tree import SCALE, Tree

SIZE, SIMULATIONS, SEED = 5, 48, 7
OPENING = ("C3", "C4", "D4")
CROWD = ("D3", "B4", "B3", "D2", "C2", "E3", "D5", "E4", "C5", "A2", "E1")
QUICK = ("mogo-2006", "crazystone-2006", "lgrf2", "kikashi")
"""A preset of each selection rule with a tree, whose traces the fast tests look at."""
LIMIT = Limit(simulations=SIMULATIONS)


def position(*more: str) -> Game:
    game = Game(SIZE, komi=0.5)
    for move in (*OPENING, *more):
        game.push(move)
    return game


def player_of(preset: str, **how: Any) -> Player:
    return Player(preset, limit=LIMIT, seed=SEED, megabytes=16, **how)


def board_of(game: Game) -> NaiveBoard:
    stones = {p: game.color_at(p) for p in NaiveBoard(game.size).points() if game.color_at(p) != EMPTY}
    return NaiveBoard(game.size, stones, game.turn)


def text_of(board: NaiveBoard) -> str:
    return board.diagram().replace("\n", "")


# --- the record and a replay ------------------------------------------------------------------------------------------


def check_moves(trace: Trace, game: Game, *, by_playout: bool) -> None:
    """Play the moves of the descent and the playout on a board of the rules alone."""
    board = board_of(game)
    assert trace.stones == text_of(board)
    for node in trace.path[1:]:
        board.play(parse_vertex(node.move, game.size))
    assert trace.leaf == text_of(board)
    for step in trace.playout:
        assert step.color == ("black" if board.to_play == BLACK else "white")
        removed = board.play(parse_vertex(step.move, game.size))
        assert sorted(step.captured) == sorted(map(vertex, removed))
    assert trace.result.stones == text_of(board)
    assert trace.result.owners.count("X") - trace.result.owners.count("O") == board.area_score()
    if by_playout:
        assert trace.result.score == board.area_score()
        margin = board.area_score() - trace.result.komi
        assert trace.result.value == (1.0 if margin > 0 else 0.0 if margin < 0 else 0.5)


def check_backup(trace: Trace, search: Search) -> None:
    """Numbers after are numbers before and the result."""
    tree, result = search.trees[trace.tree].tree.record, trace.result
    worth = float(tree["win_weight"]) * result.value + float(tree["score_weight"]) * (result.score - result.komi)
    assert result.backed_up == pytest.approx(worth, abs=2 / SCALE)
    for node in trace.path:
        assert node.after.visits == node.before.visits + 1
        assert node.after.value == pytest.approx(node.before.value + worth, abs=2 / SCALE)
        assert node.after.score == node.before.score + result.score
        assert node.is_new == (node.before.visits == 0)


def check_selection(trace: Trace) -> None:
    """The chosen child is the next node; it has the largest total, or a probability."""
    for node, after in pairwise(trace.path):
        found = node.selection
        assert found is not None
        assert found.chosen == after.move
        (child,) = (child for child in found.children if child.move == found.chosen)
        assert child.visits == after.before.visits
        assert not child.banned
        assert len({child.move for child in found.children}) == len(found.children)
        totals = [child.total for child in found.children if child.total is not None]
        if found.way == "largest":
            assert child.total == max(totals)
        elif found.way == "drawn":
            odds = [child.probability for child in found.children if child.probability is not None]
            assert sum(odds) == pytest.approx(1.0)
            assert child.probability is not None
            assert child.probability > 0.0
        else:
            assert found.way == "playout", "every rule of ours gives its reasons"
            assert not totals
    end = trace.path[-1].selection
    assert end is None or not end.chosen


def check_expansion(trace: Trace, node: TracedNode) -> None:
    """The children's virtual games are those that the priors gave."""
    if node.expansion is None or node.selection is None or node.expansion.is_shared:
        return
    assert sorted(node.expansion.moves) == sorted(child.move for child in node.selection.children)
    for child in node.selection.children:
        given = [(prior.games[child.move], prior.value) for prior in node.expansion.priors if child.move in prior.games]
        total = node.expansion.even_games + sum(games for games, _ in given)
        assert child.prior_games == pytest.approx(total, rel=1e-4, abs=1e-3)
        assert not child.visits, "a new child has no visits"


def check_chain(traces: list[Trace]) -> None:
    """Each node begins where an earlier simulation left it."""
    known: dict[tuple[int, tuple[str, ...]], NodeNumbers] = {}
    for trace in traces:
        for depth, node in enumerate(trace.path):
            path = trace.tree, tuple(each.move for each in trace.path[1 : depth + 1])
            assert node.before == known.get(path, NodeNumbers(0, 0.0, 0, 0.0))
            known[path] = node.after


def memories_of(search: Search) -> dict[tuple[int, str], np.ndarray]:
    """The integers of all memories that learn during a search, by the number of the tree and the part."""
    return {
        (number, str(used)): one.memories.in_use(used).copy()
        for number, one in enumerate(search.trees)
        for used in one.config.bound_parts
        if used.part.kind is memory and used.part.options["scope"] == "search"
    }


def check_learned(traces: list[Trace], before: dict[tuple[int, str], np.ndarray], search: Search) -> None:
    """The changes of all simulations, applied to the memories before them, give the memories of the search."""
    for trace in traces:
        for learned in trace.learned:
            if learned.kind == "memory":
                block = before[trace.tree, learned.part]
                for change in learned.changes:
                    cell = int(change.place.removeprefix("cell "))
                    assert change.before == [block[cell]]
                    (block[cell],) = change.after
    after = memories_of(search)
    assert all(np.array_equal(block, after[key]) for key, block in before.items())


def check_same(one: Tree, other: Tree) -> None:
    """Two trees are the same, node by node, with all that statistics keep for them."""
    assert one.used == other.used > 1
    for mine, theirs in [(one.nodes, other.nodes), *zip(one.columns.values(), other.columns.values(), strict=True)]:
        for field in mine.dtype.names or ():
            assert np.array_equal(mine[: one.used][field], theirs[: other.used][field])


@pytest.mark.parametrize(
    "preset", [pytest.param(name, marks=() if name in QUICK else pytest.mark.thorough) for name in preset_names()]
)
def test_a_trace_is_what_a_replay_finds_and_the_tree_that_of_an_untraced_search(preset: str) -> None:
    """With few points left even few simulations go deep."""
    game, plain, traced = position(*CROWD), player_of(preset), player_of(preset)
    simulations = SIMULATIONS if preset in QUICK else SIMULATIONS // 2
    plain.analyse(game, Limit(simulations=simulations))
    untraced = plain.search_for(SIZE)
    assert traced.trace(game, 0) == ()
    search = traced.search_for(SIZE)
    memories = memories_of(search)
    tuned = sum(tree.zone.tuning.simulations for tree in search.trees if tree.zone is not None)
    found = [*traced.trace(game), *traced.trace(game, simulations - tuned - 1)]
    assert len(found) == simulations - tuned
    assert search.done == untraced.done
    for mine, theirs in zip(search.trees, untraced.trees, strict=True):
        check_same(mine.tree, theirs.tree)
    by_playout = str(search.trees[0].config.all_rules["evaluation"]) == "playout" and not tuned
    for trace in found:
        check_moves(trace, game, by_playout=by_playout)
        check_backup(trace, search)
        check_selection(trace)
        for node in trace.path:
            check_expansion(trace, node)
    if not tuned:
        check_chain(found)
        check_learned(found, memories, search)
    assert msgspec.json.decode(msgspec.json.encode(found), type=list[Trace]) == found


# --- rules of a plugin ------------------------------------------------------------------------------------------------

PLUGIN = '''
import numpy as np
from kikashi.board.rng import random_unit
from kikashi.jit import inlined
from kikashi.search import BANNED, games, nodes_of, selection, set_term, set_total, value_for


@inlined
def hope(tree, child, color, my):
    return value_for(tree, child, color) if games(child) > 0 else my.first


@selection(first=2.0)
def trace_silent(sim, tree, node, my):
    """The best move by its mean."""
    nodes = nodes_of(tree)
    best, chosen = -np.inf, nodes[node].first
    for i in range(nodes[node].first, nodes[node].first + nodes[node].count):
        value = hope(tree, nodes[i], sim.board.to_play, my)
        if not nodes[i].flags & BANNED and value > best:
            best, chosen = value, i
    return chosen


@selection(terms=("hope", "noise"), first=2.0)
def trace_noisy(sim, tree, node, my):
    """The best move by its mean and some noise."""
    nodes = nodes_of(tree)
    best, chosen = -np.inf, nodes[node].first
    for i in range(nodes[node].first, nodes[node].first + nodes[node].count):
        value = hope(tree, nodes[i], sim.board.to_play, my) + random_unit(sim)
        if not nodes[i].flags & BANNED and value > best:
            best, chosen = value, i
    return chosen


@trace_noisy.explain
def noisy_terms(sim, tree, node, terms, my):
    nodes = nodes_of(tree)
    for i in range(nodes[node].first, nodes[node].first + nodes[node].count):
        value, noise = hope(tree, nodes[i], sim.board.to_play, my), random_unit(sim)
        if not nodes[i].flags & BANNED:
            set_term(terms, i, 0, value)
            set_term(terms, i, 1, noise)
            set_total(terms, i, value + noise)


@selection(terms=("hope",))
def trace_promise(sim, tree, node, my):
    """Names a term that nothing fills in."""
    return nodes_of(tree)[node].first


@selection(terms=("hope",))
def trace_wrong(sim, tree, node, my):
    """Fills in a term that it does not name."""
    return nodes_of(tree)[node].first


@trace_wrong.explain
def wrong_terms(sim, tree, node, terms, my):
    set_term(terms, nodes_of(tree)[node].first, 1, 0.0)
'''


@pytest.fixture(scope="module", autouse=True)
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("trace") / "trace_rules.py"
    file.write_text(PLUGIN)
    load_plugin(str(file))
    return file


def by_rule(name: str, **how: Any) -> Player:
    overrides = (f"selection={{ rule = '{name}' }}",)
    return Player("mogo-2006-pure", seed=SEED, megabytes=16, overrides=overrides, **how)


def test_a_rule_without_terms_shows_what_it_has_chosen() -> None:
    first, second = by_rule("trace_silent").trace(position(), 2)
    for trace in (first, second):
        check_selection_of_silent(trace.path[0].selection)
    assert "is chosen by trace_silent, which gives no reasons" in str(first)
    assert second.path[0].before == first.path[0].after


def check_selection_of_silent(found: TracedSelection | None) -> None:
    assert found is not None
    assert (found.way, found.terms, found.by) == ("chosen", [], "trace_silent")
    assert found.chosen in {child.move for child in found.children}
    assert all(child.total is None and child.terms == [] for child in found.children)


def test_terms_with_random_numbers_are_those_that_the_rule_drew() -> None:
    for trace in by_rule("trace_noisy").trace(position(), 30):
        check_selection(trace)
        found = trace.path[0].selection
        assert found is not None
        assert (found.way, found.terms) == ("largest", ["hope", "noise"])
        for child in found.children:
            hope, noise = child.terms
            assert hope is not None
            assert noise is not None
            assert child.total == hope + noise


@pytest.mark.parametrize("name", ["trace_silent", "trace_noisy"])
def test_a_traced_tree_of_a_plugins_rule_is_the_untraced_one(name: str) -> None:
    game, plain, traced = position(), by_rule(name), by_rule(name)
    plain.analyse(game, LIMIT)
    traced.trace(game, 20, after=SIMULATIONS - 20)
    one, other = (player.search_for(SIZE).trees[0].tree for player in (plain, traced))
    check_same(one, other)


def test_terms_that_do_not_fit_are_errors_of_one_line() -> None:
    with pytest.raises(
        PartError, match=r"^selection 'trace_promise' names terms, but has no function to explain them$"
    ):
        by_rule("trace_promise").trace(position())
    with pytest.raises(
        PartError, match=r"^selection 'trace_wrong' in .*: IndexError: a term that the rule does not name"
    ):
        by_rule("trace_wrong").trace(position())


def test_the_page_about_traces_runs(tmp_path: Path) -> None:
    code, rule, _ = blocks("docs/trace.md", "python")
    seen: dict[str, Any] = {}
    exec(code, seen)
    check_selection(seen["trace"])
    (tmp_path / "polynomials.py").write_text(rule)
    load_plugin(str(tmp_path / "polynomials.py"))
    for trace in by_rule("polynomial").trace(position(), 20):
        check_selection(trace)


@pytest.mark.thorough
def test_the_seki_of_the_page_is_filled_by_the_uniform_choice() -> None:
    _, _, code = blocks("docs/trace.md", "python")
    seen: dict[str, Any] = {}
    exec(code, seen)
    counts, analysis = seen["counts"], seen["analysis"]
    assert counts.total() == 200
    assert sum(count for (fill, _), count in counts.items() if fill[1] == "uniform") > 150
    assert sum(count for (fill, winner), count in counts.items() if fill[0] == winner) < 20, "who fills it loses"
    assert analysis.winrate > 0.5
    counts, analysis = seen["fillers"]()
    assert sum(count for (fill, _), count in counts.items() if fill[1] == "uniform") < 40
    assert counts["nobody", "white"] > 40
    assert analysis.winrate < 0.25


CROSSED = """
from kikashi.search import nodes_of, selection, set_total


@selection()
def trace_crossed(sim, tree, node, my):
    return nodes_of(tree)[node].first


@trace_crossed.explain
def crossed_terms(sim, tree, node, terms, my):
    for i in range(terms.first, terms.first + terms.count):
        set_total(terms, i, i)
"""


@pytest.mark.thorough
def test_a_check_of_a_plugin_finds_terms_that_do_not_explain_its_rule(tmp_path: Path) -> None:
    (tmp_path / "crossed.py").write_text(CROSSED)
    load_plugin(str(tmp_path / "crossed.py"))
    with pytest.raises(Problem, match=r"the rule selects .*, but `explain` gives the largest total to "):
        try_out(find(selection, "trace_crossed"), lambda: None)
    try_out(find(selection, "trace_noisy"), lambda: None)


# --- terms ------------------------------------------------------------------------------------------------------------


def children_of(trace: Trace) -> Any:
    assert trace.path[0].selection is not None
    return trace.path[0].selection.children


def test_ucb1_adds_the_exploration_to_the_mean() -> None:
    (trace,) = Player("mogo-2006-pure", seed=SEED, megabytes=16, overrides=("selection={ rule = 'ucb1' }",)).trace(
        position(), after=200
    )
    visits = trace.path[0].before.visits
    for child in children_of(trace):
        value, exploration, first_play, _ = child.terms
        if not child.visits:
            assert (first_play, child.total, value) == (1.1, 1.1, None)
            continue
        assert value == pytest.approx(child.mean)
        assert exploration == pytest.approx(math.sqrt(2 * math.log(visits) / child.visits))
        assert child.total == pytest.approx(value + exploration)


def test_rave_mixes_the_means_by_its_weight() -> None:
    overrides = ("selection.exploration=0.3", "selection.x=0.01")
    (trace,) = Player("lgrf2", seed=SEED, megabytes=16, overrides=overrides).trace(position(), after=100)
    assert any(child.terms[2] > 0.0 for child in children_of(trace))
    for child in children_of(trace):
        value, rave, weight, _, exploration, _ = child.terms
        mixed = (1 - weight) * (value or 0.0) + weight * (rave or 0.0)
        assert child.total == pytest.approx(mixed + exploration)


def test_crazy_stone_leaves_new_nodes_to_the_playout_policy_and_draws_at_others() -> None:
    player = player_of("crazystone-2006")
    found = player.trace(position(), 60)
    ways = [trace.path[0].selection.way for trace in found if trace.path[0].selection is not None]
    assert ways == ["playout"] * SIZE**2 + ["drawn"] * (60 - SIZE**2)
    first = found[0].path[0].selection
    assert first is not None
    assert first.by in player.preset.config.policy.names
    for child in children_of(found[-1]):
        _, _, by_value, by_rank = child.terms
        assert child.total == by_value + by_rank


def test_chens_shares_choose_the_move_that_lacks_most() -> None:
    overrides = ("selection.root=chen", "selection.internal=10")
    player = Player("crazystone-2006", seed=SEED, megabytes=16, overrides=overrides)
    traces = player.trace(position(), 20, after=30)
    for trace in traces:
        check_selection(trace)
    assert {trace.path[0].selection.way for trace in traces if trace.path[0].selection is not None} == {"largest"}


def test_the_first_simulation_has_what_priors_gave_the_root() -> None:
    game = Game(SIZE)
    game.push("C3")
    first, second = player_of("kikashi-handmade").trace(game, 2)
    assert second.path[0].expansion is None
    assert first.path[0].expansion is not None
    games = {prior.prior: prior.games for prior in first.path[0].expansion.priors}
    assert [prior.split("(")[0] for prior in games][:2] == ["capture", "escape"]
    assert set(games["near_last_move"]) <= {child.move for child in children_of(first)}
    assert games["near_last_move"]
    (lost,) = [prior for prior in first.path[0].expansion.priors if prior.prior == "empty_edge"]
    assert (lost.value, max(lost.games.values())) == (0.0, 10.0)


# --- what was learned -------------------------------------------------------------------------------------------------


def test_last_good_replies_are_told_in_words() -> None:
    (trace,) = player_of("lgrf1").trace(position())
    (learned,) = [each for each in trace.learned if each.kind == "memory"]
    assert learned.part == "last_replies"
    moves = [*(node.move for node in trace.path[1:]), *(step.move for step in trace.playout)]
    winner, mover, stored = trace.result.winner, trace.path[0].to_play, {}
    for last, reply in pairwise(moves):
        mover = "white" if mover == "black" else "black"
        if mover == winner and "pass" not in (last, reply):
            stored[f"after {last} {mover.capitalize()}"] = reply
    assert {change.words for change in learned.changes} == {f"{key}: {reply} stored" for key, reply in stored.items()}


def test_rave_is_credited_to_moves_that_the_player_made_first() -> None:
    (trace,) = player_of("lgrf2").trace(position())
    (rave,) = [each for each in trace.learned if each.part == "rave"]
    moves = [*(node.move for node in trace.path[1:]), *(step.move for step in trace.playout)]
    first: dict[str, int] = {}
    color = BLACK if trace.path[0].to_play == "black" else WHITE
    player = color
    for move in moves:
        first.setdefault(move, color)
        color = opponent(color)
    own = {move for move, by in first.items() if by == player and move != "pass"}
    assert {change.place for change in rave.changes if " " not in change.place} == own & {
        child.move for child in children_of(trace)
    }


# --- a player's searches ----------------------------------------------------------------------------------------------


def test_a_trace_goes_on_from_the_search_of_its_position() -> None:
    game, player = position(), player_of("lgrf2")
    player.analyse(game, Limit(simulations=10))
    (trace,) = player.trace(game)
    assert (trace.number, trace.path[0].before.visits) == (11, 10)
    game.push("B2")
    (other,) = player.trace(game)
    assert other.number == 1
    player.new_game(reseed=True)
    (again,), (fresh,) = player.trace(game), player_of("lgrf2").trace(game)
    assert again == fresh


def test_a_player_with_threads_traces_the_same_simulations() -> None:
    game = position()
    assert player_of("mogo-2006", threads=2).trace(game, 20) == player_of("mogo-2006").trace(game, 20)


def test_children_of_a_transposition_are_taken_over() -> None:
    player = player_of("mogo-2006-pure", overrides=("transpositions=true",))
    plain = player_of("mogo-2006-pure", overrides=("transpositions=true",))
    game = Game(2)
    traces = player.trace(game, SIMULATIONS)
    plain.analyse(game, LIMIT)
    check_same(player.search_for(2).trees[0].tree, plain.search_for(2).trees[0].tree)
    taken = [node for trace in traces for node in trace.path if node.expansion is not None and node.expansion.is_shared]
    assert taken


def test_a_decided_search_has_no_further_simulations() -> None:
    overrides = ("pruning={ rule = 'progressive', samples = 0, sigma_e = 1e9 }", "stages.blocks=1", "stages.games=60")
    player = Player("one-ply-2003", seed=SEED, megabytes=16, overrides=overrides)
    assert [trace.number for trace in player.trace(position(), 70)] == list(range(1, 61))


def test_bad_numbers_and_games_are_refused() -> None:
    with pytest.raises(ValueError, match="simulations must be at least 0, not -1"):
        player_of("mogo-2006").trace(position(), -1)
    with pytest.raises(TypeError, match="a player thinks about a Game"):
        player_of("mogo-2006").trace("E5")  # type: ignore[arg-type]


def test_a_notebook_shows_boards_and_tables() -> None:
    traces = player_of("mogo-2006").trace(position(), 2)
    page = traces._repr_html_()
    assert page.count("<svg") == 4
    assert "first-play urgency" in page


@pytest.mark.parametrize("size", [5, 19])
def test_a_text_has_80_columns(size: int) -> None:
    text = str(Player("kikashi-handmade", seed=SEED, megabytes=64).trace(Game(size), 2, after=30))
    assert max(map(len, text.splitlines())) <= 80
