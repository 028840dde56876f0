"""A kind of rules of one's own, with what it keeps for nodes, in this one file: no other knows of it.

The kind `toy_surprise` is called for each node of a path; its rules keep the lowest and the highest score seen there.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.searching import check_consistent, config, grown, nested, run_traced, search_of
from kikashi.board.position import new_board
from kikashi.engine.catalogue import as_markdown
from kikashi.engine.preset import load_preset
from kikashi.parts.binding import bind
from kikashi.parts.blocks import atomic_add, records
from kikashi.parts.registry import KINDS, Kind
from kikashi.playout import PartError, heuristic, load_plugin, make_policy, mark, new_root, sample
from kikashi.search.config import Prior
from kikashi.search.kinds import MOMENTS, expansion, preset_keys, selection, statistic
from kikashi.search.tree import COLUMNS, GROWN, nodes_of
from kikashi.search.tree_search import TreeSearch

SIZE = 5
EXTREMES = np.dtype([("low", "i4"), ("high", "i4"), ("times", "i4"), ("move", "u2")], align=True)
AN_EXTREME = np.zeros(1, EXTREMES)[0]

surprise = Kind(
    "toy_surprise",
    "Toy surprises",
    [MOMENTS["passed"]],
    options={"row": ...},
    contract="it keeps to its own row",
)


@surprise(row=EXTREMES, source="this file", unit=1)
def toy_extremes(sim, tree, node, my):
    """The lowest and the highest score of the simulations through a node, in units, and how many there were."""
    row = records(my.toy_extremes, AN_EXTREME)[node]
    score = sim.score * my.unit
    row.low = score if row.times == 0 else min(row.low, score)
    row.high = score if row.times == 0 else max(row.high, score)
    row.move = nodes_of(tree)[node].move
    atomic_add(row, "times", 1)


def searched(tmp_path: Path, rule: str = '{ rule = "toy_extremes", unit = 2 }', **how: Any) -> TreeSearch:
    """A search by a preset file that names the rule."""
    file = tmp_path / "surprised.toml"
    file.write_text(f'base = "mogo-2006"\ntoy_surprise = {rule}\n')
    return search_of(load_preset(str(file)).config, **how)


# --- a kind in one file -----------------------------------------------------------------------------------------------


def test_its_numbers_are_those_of_every_simulation(tmp_path: Path) -> None:
    search = searched(tmp_path)
    scores: dict[int, list[int]] = {}
    for _ in range(300):
        trace = run_traced(search)
        for node in trace.path:
            scores.setdefault(node, []).append(2 * trace.score)
    column = search.tree.columns["toy_extremes"]
    found = {node: column[node].tolist()[:3] for node in scores}
    assert found == {node: (min(seen), max(seen), len(seen)) for node, seen in scores.items()}
    assert column["times"][: search.tree.used].sum() == sum(map(len, scores.values()))
    assert len(set(found.values())) > 10


def test_the_kind_is_a_key_of_presets_and_a_section_of_the_catalogue() -> None:
    assert KINDS["toy_surprise"] is preset_keys()["toy_surprise"] is surprise
    page = as_markdown()
    section = page[page.index("## Toy surprises") :]
    assert "- `passed(sim, tree, node, my)`: for each node of the path, the deepest first" in section
    assert "- it keeps to its own row" in section
    assert "| `toy_extremes` | The lowest and the highest score" in section
    assert "| `unit` = 1 | this file |" in section


def test_without_it_nothing_is_kept() -> None:
    assert set(load_preset("mogo-2006").config.columns) == {"squares"}


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ('"toy_extreme"', "no toy_surprise is called 'toy_extreme'; did you mean toy_extremes? there are"),
        ('{ rule = "toy_extremes", units = 2 }', "toy_surprise 'toy_extremes' has no parameter 'units'; it has unit"),
        ('{ rule = "toy_extremes", unit = "two" }', "unit must be a whole number, not 'two'"),
        ("{ unit = 2 }", "a part needs a name"),
        ("3", "toy_surprise is the name of a part or a table"),
    ],
)
def test_what_is_wrong_about_it_is_one_line(tmp_path: Path, rule: str, message: str) -> None:
    with pytest.raises(ValueError, match=r"^preset .*surprised\.toml: [^\n]+$") as caught:
        searched(tmp_path, rule)
    assert message in str(caught.value)


def test_a_setting_changes_it_as_any_other(tmp_path: Path) -> None:
    changed = load_preset("mogo-2006", ["toy_surprise=toy_extremes"])
    assert str(changed.config.rules["toy_surprise"]) == "toy_extremes"
    assert str(load_preset(changed, ["toy_surprise={ rule='toy_extremes', unit=3 }"]).config.rules["toy_surprise"]) == (
        "toy_extremes(unit=3)"
    )


def test_threads_may_use_it_too(tmp_path: Path) -> None:
    search = searched(tmp_path, threads=3)
    search.run(2000)
    used = search.tree.used
    assert (search.tree.columns["toy_extremes"]["times"][:used] == search.tree.nodes["visits"][:used]).all()


# --- rows stay with their nodes ---------------------------------------------------------------------------------------


def check_rows(search: TreeSearch, root_move: bool = True) -> None:
    """Every row is its node's: visits and move say so."""
    nodes, rows = search.tree.nodes[: search.tree.used], search.tree.columns["toy_extremes"][: search.tree.used]
    assert (rows["times"] == nodes["visits"]).all()
    moved = nodes["visits"] > 0
    moved[0] = root_move
    assert (rows["move"] == nodes["move"])[moved].all()
    assert set(rows[nodes["visits"] == 0].tolist()) <= {(0, 0, 0, 0)}, "and zeros where nobody was"


def test_rows_go_with_their_nodes_when_a_move_is_kept(tmp_path: Path) -> None:
    search = searched(tmp_path)
    search.run(1500)
    check_rows(search)
    for _ in range(2):
        children = search.tree.children()
        best = int(children["visits"].argmax())
        before = nested(search.tree, int(search.tree.nodes[0]["first"]) + best)
        assert search.tree.keep(int(children[best]["move"]))
        assert nested(search.tree, 0) == before
        check_consistent(search.tree)
        check_rows(search, root_move=False)


@pytest.mark.parametrize("threads", [1, 3])
def test_rows_go_with_their_nodes_when_the_tree_is_pruned(tmp_path: Path, threads: int) -> None:
    search = searched(tmp_path, threads=threads, nodes=3000)
    search.run(900)
    before = {tuple(row) for row in search.tree.columns["toy_extremes"][: search.tree.used].tolist()}
    search.tree.prune()
    check_rows(search)
    assert {tuple(row) for row in search.tree.columns["toy_extremes"][: search.tree.used].tolist()} <= before
    assert search.run(2000) == 2000
    assert search.tree.prunings > 1
    check_rows(search)


# --- moments ----------------------------------------------------------------------------------------------------------

COUNTS = np.dtype([("calls", "i8"), ("wrong", "i8")])
A_COUNT = np.zeros(1, COUNTS)[0]

at_the_end = Kind("toy_end", "Toy ends", [MOMENTS["over"]], options={"row": ...})
at_growth = Kind("toy_growth", "Toy growths", [MOMENTS["grown"], MOMENTS["over"]], options={"row": ...})


@at_the_end(row=COUNTS)
def toy_ends(sim, tree, my):
    """Counts simulations at the root, and those that were in the tree before the call."""
    row = records(my.toy_ends, A_COUNT)[0]
    row.wrong += nodes_of(tree)[0].visits != row.calls
    row.calls += 1


@at_growth(row=COUNTS)
def toy_growths(sim, tree, node, my):
    """Counts births at the node, and those where the children are not there or open to all already."""
    row, here = records(my.toy_growths, A_COUNT)[node], nodes_of(tree)[node]
    row.calls += 1
    row.wrong += here.count < 1 or here.first <= node or here.state == GROWN


def test_parts_are_called_once_at_the_end_of_a_simulation_and_before_it_counts() -> None:
    search = search_of(load_preset("mogo-2006", ["toy_end=toy_ends"]).config)
    search.run(300)
    assert search.tree.columns["toy_ends"][0].tolist() == (300, 0)


def test_parts_are_called_once_when_a_node_grows_and_before_others_see_it() -> None:
    search = search_of(load_preset("mogo-2006", ["toy_growth=toy_growths"]).config, threads=3)
    search.run(900)
    rows = search.tree.columns["toy_growths"][: search.tree.used]
    assert rows["calls"].max() == 1
    assert set(np.flatnonzero(rows["calls"]).tolist()) == {node for node, _ in grown(search.tree)}
    assert not rows["wrong"].any()


def test_a_part_may_have_functions_for_several_moments() -> None:
    @at_growth(row=COUNTS)
    def toy_both(sim, tree, node, my):
        """Counts births at the root."""
        records(my.toy_both, A_COUNT)[0].calls += 1

    @toy_both.over
    def count_simulations(sim, tree, my):
        records(my.toy_both, A_COUNT)[0].wrong += 1

    search = search_of(load_preset("mogo-2006", ["toy_growth=toy_both"]).config)
    search.run(300)
    assert search.tree.columns["toy_both"][0].tolist() == (len(list(grown(search.tree))), 300)


def test_a_part_that_does_not_fit_its_moment_is_refused() -> None:
    @at_the_end(row=COUNTS)
    def toy_misplaced(sim, tree, node, my):
        """Expects a node."""

    with pytest.raises(PartError, match=r"it is called with 3 arguments, but takes \(sim, tree, node, my\)$"):
        search_of(load_preset("mogo-2006", ["toy_end=toy_misplaced"]).config)


def test_two_parts_may_not_keep_rows_under_one_name() -> None:
    other = Kind("toy_other", "Toy others", [MOMENTS["over"]], options={"row": ...})
    try:

        @other(row=COUNTS)
        def toy_extremes(sim, tree, my):
            """Has the name of another."""

        both = load_preset("mogo-2006", ["toy_surprise=toy_extremes", "toy_other=toy_extremes"]).config
        with pytest.raises(PartError, match="keep something for nodes under one name"):
            search_of(both)
    finally:
        del KINDS["toy_other"]


def test_a_kind_that_needs_a_row_says_so() -> None:
    with pytest.raises(TypeError, match="@toy_surprise needs row="):
        surprise()


# --- statistics -------------------------------------------------------------------------------------------------------


@statistic(row=COUNTS)
def toy_times(sim, tree, my):
    """For each node of the path: the simulations through it."""
    rows = records(my.toy_times, A_COUNT)
    for depth in range(sim.depth + 1):
        rows[sim.nodes[depth]].calls += 1


@statistic(row=COUNTS, statistics=["toy_times"])
def toy_twice(sim, tree, my):
    """At the root: twice what the other statistic has counted there."""
    records(my.toy_twice, A_COUNT)[0].calls = 2 * records(my.toy_times, A_COUNT)[0].calls


@selection(statistics=["toy_times"])
def toy_least(sim, tree, node, my):
    """The child that the statistic has counted least often, the first of these."""
    first, rows = nodes_of(tree)[node].first, records(my.toy_times, A_COUNT)
    chosen = first
    for i in range(first, first + nodes_of(tree)[node].count):
        if rows[i].calls < rows[chosen].calls:
            chosen = i
    return chosen


@heuristic(statistics=["toy_times"])
def toy_knows_nodes(sim, moves, my):
    """As a prior: marks the first empty point of a node that the statistic has counted."""
    if records(my.toy_times, A_COUNT)[sim.nodes[sim.depth]].calls > 0:
        mark(moves, sim.board.empty[0])


def test_a_rule_reads_a_statistic_that_it_names() -> None:
    search = search_of(config(select="toy_least"))
    search.run(26 * 7 + 1)
    visits = sorted(search.tree.children()["visits"].tolist())
    assert visits == [7] * 25 + [8]
    used = search.tree.used
    assert (search.tree.columns["toy_times"]["calls"][:used] == search.tree.nodes["visits"][:used]).all()


def test_a_prior_reads_a_statistic_that_it_names() -> None:
    search = search_of(config(priors=(Prior(bind(heuristic, "toy_knows_nodes"), 3.0),)))
    search.run(300)
    given = [float(search.tree.children(node)["prior_visits"].sum()) for node, _ in grown(search.tree)]
    assert given[0] == 0, "nothing was counted when the root grew"
    assert set(given[1:]) <= {3.0, 0.0}
    assert given[1:].count(3.0) > 30


def test_a_statistic_may_read_another() -> None:
    @selection(statistics=["toy_twice"])
    def toy_first_child(sim, tree, node, my):
        """The first child, always."""
        return nodes_of(tree)[node].first

    search = search_of(config(select="toy_first_child"))
    assert list(search.config.statistics) == ["toy_twice", "toy_times"]
    search.run(40)
    assert search.tree.columns["toy_twice"]["calls"][0] in (80, 78), "in either order"


def test_a_statistic_is_no_part_of_playouts_alone() -> None:
    with pytest.raises(PartError, match=r"^the statistic 'toy_times' is there only in a search$"):
        sample(make_policy("toy_knows_nodes"), new_root(new_board(SIZE)), playouts=1)


def test_an_unknown_statistic_is_one_line() -> None:
    @selection(statistics=["toy_tims"])
    def toy_misspelt(sim, tree, node, my):
        """Reads what is not there."""
        return nodes_of(tree)[node].first

    with pytest.raises(PartError, match=r"^no statistic is called 'toy_tims'; did you mean toy_times\?"):
        search_of(config(select="toy_misspelt"))


# --- too many, too few, twice -----------------------------------------------------------------------------------------


def test_more_rows_for_nodes_than_there_is_room_for_is_one_line() -> None:
    for number in range(COLUMNS + 1):

        def toy_many(sim, tree, my):
            """Keeps a row and does nothing."""

        toy_many.__name__ = f"toy_many_{number}"
        statistic(row=COUNTS)(toy_many)

    @expansion(statistics=[f"toy_many_{number}" for number in range(COLUMNS + 1)])
    def toy_collector(sim, tree, node, my):
        """Reads them all."""
        return True

    with pytest.raises(PartError, match=r"^at most 16 parts can keep something for nodes, not 17$"):
        search_of(config(expand="toy_collector"))


@pytest.mark.parametrize("nodes", [0, 1, 26])
def test_a_tree_without_room_for_the_moves_of_its_root_is_refused(nodes: int) -> None:
    with pytest.raises(ValueError, match=f"^a tree for 5x5 needs 27 nodes or more, not {nodes}$"):
        search_of(config(), nodes=nodes)


def test_the_smallest_tree_searches() -> None:
    search = search_of(config(), nodes=27)
    assert search.run(300) == 300
    assert search.tree.children()["visits"].sum() == 300


A_KIND = (
    "from kikashi.playout import Kind\nfrom kikashi.search import MOMENTS\n\nKind('NAME', 'Toys', [MOMENTS['over']])\n"
)


@pytest.mark.parametrize("name", ["selection", "toy_surprise"])
def test_a_kind_does_not_take_the_place_of_another(tmp_path: Path, name: str) -> None:
    file, before = tmp_path / "toy_kinds.py", KINDS[name]
    file.write_text(A_KIND.replace("NAME", name))
    with pytest.raises(
        PartError, match=rf"^plugin .*toy_kinds\.py, line 4: kind '{name}': the name is taken by "
    ) as caught:
        load_plugin(file)
    assert before.title in str(caught.value)
    assert KINDS[name] is before


def test_copies_of_a_file_may_define_the_same_kind(tmp_path: Path) -> None:
    text = A_KIND.replace("NAME", "toy_twice")
    try:
        for copy in ("one.py", "other.py"):
            (tmp_path / copy).write_text(text)
            load_plugin(tmp_path / copy)
        before = KINDS["toy_twice"]
        (tmp_path / "one.py").write_text(text.replace("over", "grown") + "nothing\n")
        with pytest.raises(PartError, match=r"one\.py, line 5: NameError"):
            load_plugin(tmp_path / "one.py")
        assert KINDS["toy_twice"] is before
        (tmp_path / "one.py").write_text(text.replace("over", "grown"))
        load_plugin(tmp_path / "one.py")
        assert str(KINDS["toy_twice"].entries[0]) == "grown(sim, tree, node, my)", "a file may change its own"
    finally:
        KINDS.pop("toy_twice", None)
