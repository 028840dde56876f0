"""Experiments: every file of the package runs, resumes and reports; the study of positions is Coulom's table 1."""

import math
import tomllib
from importlib import resources
from pathlib import Path

import msgspec
import numpy as np
import pytest

from helpers import match_tools
from helpers.match_tools import ONE
from helpers.searching import search_of
from kikashi import Game
from kikashi.board.points import BLACK, WHITE
from kikashi.engine.preset import load_preset, preset_names
from kikashi.experiments.design_files import experiment_names, load_design
from kikashi.experiments.experiment import experiment_report, write_experiment_report
from kikashi.experiments.kinds.local import LocalDesign
from kikashi.experiments.kinds.match import MatchDesign, cells, published_for
from kikashi.experiments.kinds.positions import (
    OPERATORS,
    PositionRecord,
    error_table,
    root_values,
    uncertainty_table,
)
from kikashi.experiments.kinds.quality import QualityDesign
from kikashi.experiments.paper import deviations
from kikashi.match.settings import Pairing, own_openings
from kikashi.report import markdown_text
from kikashi.search.tree import SCALE

SCALE_OF_TESTS = 0.001
SELF = "opponent=mogo-2006-pure --playouts 16"


def run(name: str, folder: Path, *overrides: str, scale: float = SCALE_OF_TESTS) -> tuple[object, list, dict]:
    design = load_design(name, overrides)
    records = design.at(scale).run(folder, ONE)
    return design, records, write_experiment_report(folder, design.at(scale), records).data


INDIGO = "coulom2006-table2-indigo"
FAMILY = [
    "baier2010-family",
    "baier2010-family-13x13",
    "adaptive-playouts",
    "adaptive-playouts-13x13",
    "cost-of-strength",
]
"""Experiments of our own about the thesis's players."""
AMONG_PRESETS = ["coulom2006-root", "gelly2006-graph"]
"""Experiments that the papers suggest, whose players meet presets."""
SELF_PLAY = ["yoshizoe2006-figure3", "yoshizoe2006-figure4", "yoshizoe2006-credit", "yoshizoe2006-sharing"]
"""Those whose players meet presets in the paper, without komi."""
CLASSICS = """
amaf-2003 crazystone-2006 gobble-1993 indigo-2005 kikashi kikashi-handmade kikashi-learned lgr1 lgr2 lgrf1 lgrf2
mogo-2006 mogo-2006-group mogo-2006-pure mogo-2006-zone one-ply-2003 orego-2010 yoshizoe-2006-atari
yoshizoe-2006-ataripp yoshizoe-2006-basic
"""
"""The presets that are no variant of the thesis."""


@pytest.mark.parametrize("name", experiment_names())
def test_every_player_of_an_experiment_is_known(name: str) -> None:
    design = load_design(name)
    if isinstance(design, MatchDesign | LocalDesign | QualityDesign):
        assert {row.player.split()[0] for row in design.player} <= set(preset_names())


def test_every_variant_of_the_thesis_meets_its_base() -> None:
    design = load_design("baier2010-family")
    found = cells(design.at(1.0))
    assert {cell.row.player for cell in found} == set(preset_names()) - set(CLASSICS.split())
    assert {cell.opponent.name for cell in found} == {"orego-2010", "lgrf1", "lgrf2"}
    bases = {cell.row.player: cell.opponent.name for cell in found}
    players = ["bmr", "history2", "lgrs1-5", "lbr1", "lbr2", "mlgr-a-a", "mlgr-u-a"]
    assert [bases[name] for name in players] == [
        "orego-2010",
        "orego-2010",
        "lgrf1",
        "lgrf1",
        "lgrf2",
        "lgrf2",
        "lgrf1",
    ]
    assert {(cell.games, cell.row.sprt, cell.simulations) for cell in found} == {(200, (-80.0, 0.0), 2000)}
    match = design.at(1.0).match()
    assert (match.size, match.simulations) == (9, 2000)
    assert {player.overrides for player in match.match_players()} == {("choice.resign=0.05",)}, "opponents too"
    assert all(len(pairing.openings) > 1 for pairing in match.pairings)


def test_every_experiment_says_what_it_is() -> None:
    assert len(experiment_names()) >= 8
    for name in experiment_names():
        design = load_design(name)
        assert design.title
        assert "20" in design.source
        assert design.deviations, "nobody has the machines and the opponents of then"
        if isinstance(design, MatchDesign):
            match = design.at(1.0).match()
            met = {(spec.preset or spec.command[0]) for spec in match.specs[len(cells(design.at(1.0))) :]}
            among_presets = name in [*FAMILY, *AMONG_PRESETS, *SELF_PLAY]
            assert met == (
                {"gnugo", "indigo-2005"} if name == INDIGO else met - {"gnugo"} if among_presets else {"gnugo"}
            )
            assert match.komi == (0 if name in SELF_PLAY else 0.5 if match.handicap else 6.5 if name == INDIGO else 7.5)
            design = load_design(name, [SELF])
        assert design.at(1.0).steps >= 100, "scale 1 is the paper's size"
        assert design.at(0.01).steps < design.at(1.0).steps / 20


PRINTED = {
    "gelly2006-table3": [500, 800],
    "gelly2006-table4": [432, 600, 160, 320],
    "gelly2006-table5": [100, 500, 400],
    "gelly2006-table6": [100, 100, 150, 300, 300, 300, 100, 100, 100],
    "gelly2006-table7": [500, 200, 200, 500, 600, 300, 100],
    "coulom2006-table2": [100, 100, 100],
    "coulom2006-table2-indigo": [100, 100],
    "yoshizoe2006-figure3": [200] * 15,
    "yoshizoe2006-figure4": [200] * 12,
    "baier2010-figure6.2": [1196, 636, 790, 756],
    "baier2010-figure5.5": [1302, 94],
    "baier2010-figure5.6": [1302, 128],
    "baier2010-figure5.7": [1302, 186],
    "baier2010-figure5.8": [1302, 728],
    "baier2010-figure6.1": [1302, 1196, 636],
    "baier2010-figure6.3": [826, 374, 444, 1248, 608, 708, 554, 448, 454, 714, 1256, 316],
    "baier2010-figure6.4": [448, 476],
    "baier2010-figure6.5": [448, 894],
    "baier2010-figure6.6": [448, 362],
    "baier2010-figure6.7": [448, 540, 282],
    "baier2010-figure6.8": [1256, 666, 606, 450, 348],
    "baier2010-figure6.9": [448, 472, 478],
    "baier2010-figure6.10": [1256, 302, 340],
    "baier2010-figure6.11": [1256, 500],
    "baier2010-figure6.12": [1256, 236],
    "baier2010-figure6.13": [1256, 482],
    "baier2010-figure6.14": [1256, 438],
    "baier2010-figure6.15": [746, 296, 394],
    "baier2010-figure6.17": [746, 228, 888],
    "baier2010-figure6.18": [746, 618, 1184],
    "baier2010-figure6.19": [448, 306, 790, 648, 522],
    "baier2010-figure6.21": [316, 452, 370],
    "baier2010-figure7.1": [1256, 364],
    "baier2010-figure7.3": [1256, 1066, 360],
    "baier2010-figure7.4": [398, 916],
    "baier2010-figure7.5": [1256, 920],
}
"""The numbers of games in the papers, row by row, both colours together."""


@pytest.mark.parametrize("name", PRINTED)
def test_rows_have_the_games_of_the_paper_and_no_openings(name: str) -> None:
    design = load_design(name)
    assert [cell.games for cell in cells(design.at(1.0)) if "(ours)" not in cell.row.name] == PRINTED[name]
    assert {pairing.openings for pairing in design.at(1.0).match().pairings} == {((),)}


def test_what_table_6_does_not_state_is_said() -> None:
    lines = deviations(load_design("gelly2006-table6").at(1.0))
    assert any(line.startswith("the number of simulations is not stated") for line in lines)


@pytest.mark.parametrize("name", experiment_names())
def test_the_page_on_the_papers_has_every_deviation(name: str) -> None:
    page = (Path(__file__).parents[2] / "docs" / "papers.md").read_text("utf-8")
    (row,) = (line for line in page.splitlines() if f"| `{name}` |" in line)
    table = tomllib.loads((resources.files("kikashi.experiments") / "papers" / f"{name}.toml").read_text("utf-8"))
    assert ("base" in table) == ("| as `" in row)
    if "base" in table:
        assert f"| as `{table['base']}`" in row, "whose row says the rest"
    own = deviations(load_design(name).at(1.0))[-len(table.get("deviations", [])) :] if "deviations" in table else []
    if "[below](#" in row:
        listed = page.partition(f"\n#### {name}\n")[2].partition("\n#")[0].strip()
        row = "; ".join(" ".join(line.split()).removesuffix(".") for line in f"\n{listed}".split("\n- ")[1:])
    for line in [*own, *table.get("remarks", [])]:
        assert line.casefold() in row.casefold()


BAIER = [name for name in experiment_names() if name.startswith("baier2010-figure")]
FIGURES = """
5.5 5.6 5.7 5.8 6.1 6.2 6.3 6.4 6.5 6.6 6.7 6.8 6.9 6.10 6.11 6.12 6.13 6.14 6.15 6.17 6.18 6.19 6.21 7.1 7.3 7.4 7.5
"""
SIMULATIONS = {
    "6.3": [10_000, 25_000, 50_000] * 4,
    "6.15": [45_700] * 3,
    "6.17": [45_700] * 3,
    "6.18": [45_700] * 3,
    "6.21": [50_000, 20_000, 20_000],
    "7.4": [50_000] * 2,
}
"""Where they are not 25,000."""


def test_every_figure_of_the_thesis_is_an_experiment_in_its_order() -> None:
    assert [f"baier2010-figure{number}" for number in FIGURES.split()] == BAIER


@pytest.mark.parametrize("name", BAIER)
def test_figures_are_played_as_in_the_thesis(name: str) -> None:
    """Against GNU Go on 19x19, with its simulations; what is known of the fault of Orego stands in the later ones."""
    design, number = load_design(name), name.removeprefix("baier2010-figure")
    assert design.source == f"Baier 2010, figure {number}"
    assert (design.size, design.openings) == (19, "none")
    (opponent,) = design.at(1.0).match().specs[len(design.player) :]
    assert opponent.command[:5] == ("gnugo", "--mode", "gtp", "--level", "10")
    found = [cell.simulations for cell in cells(design.at(1.0))]
    assert found == SIMULATIONS.get(number, [25_000] * len(found))
    is_faulty = any("faulty Orego" in line for line in design.remarks)
    assert is_faulty == (FIGURES.split().index(number) >= FIGURES.split().index("6.3"))
    assert "p < " in design.about or "No significant difference" in " ".join(design.about.split())
    others = [load_design(other) for other in BAIER if other != name]
    assert design.about not in {other.about for other in others}
    assert [row.player for row in design.player] not in [
        [row.player for row in other.player] for other in others if isinstance(other, MatchDesign)
    ]


def test_a_misprint_is_named() -> None:
    design = load_design("baier2010-figure6.15")
    assert any("caption" in line and "misprint" in line for line in design.remarks)


def test_what_is_said_about_a_base_holds_for_what_is_made_of_it(tmp_path: Path) -> None:
    (tmp_path / "first.toml").write_text(HEAD + 'deviations = ["a", "b"]\n' + OWN)
    (tmp_path / "mine.toml").write_text('base = "first.toml"\ndeviations = ["c"]\nremarks = ["d"]\n')
    design = load_design(str(tmp_path / "mine.toml"))
    assert (design.deviations, design.remarks) == (["a", "b", "c"], ["d"])
    assert deviations(design.at(1.0)) == ["a", "b", "c"]


LARGE = ("adaptive-playouts", "baier2010-family", "yoshizoe2006-figure3")
"""Of the first two there is the same on 13x13 among the others; figure 3 is run in the tests of results."""
ONE_OF_ITS_KIND = {
    "baier2010-figure6.3",
    "baier2010-figure6.21",
    "baier2010-family-13x13",
    "baier2010-dynamic-komi-handicap",
    "yoshizoe2006-sharing",
}
"""Of the figures of the thesis those whose rows have settings of their own, one with presets as opponents and the one
with a handicap; of those of self-play the one with settings of its own."""


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(name, marks=pytest.mark.soak) for name in LARGE),
        *(
            name
            for name in experiment_names()
            if isinstance(load_design(name), MatchDesign)
            and name not in LARGE
            and (not name.startswith(("baier", "yoshizoe")) or name in ONE_OF_ITS_KIND)
        ),
    ],
)
def test_matches_run_at_a_tiny_scale(name: str, tmp_path: Path) -> None:
    """On a small board, against a preset: what GNU Go does is tested elsewhere."""
    design = load_design(name, ["size=5", SELF, "referee=playouts"])
    records = design.at(0.0005).run(tmp_path, ONE)
    found = write_experiment_report(tmp_path, design.at(0.0005), records).data
    names = [cell.label for cell in cells(design.at(0.0005))]
    assert len(records) == 2 * len(names)
    assert [row["player"] for row in found["rows"]] == names
    text = (tmp_path / "report.md").read_text()
    assert all(label in text for label in names)
    lines = deviations(design.at(0.0005))
    assert all(f"- {markdown_text(line)}\n" in text + "\n" for line in [*lines, *design.remarks])
    assert found["deviations"] == lines
    page = (tmp_path / "report.html").read_text()
    assert page.count('height="10" fill="none"') == 0, "no value of the paper is one of these games"
    assert "(squares: the paper)" not in page
    again = design.at(0.0005).run(tmp_path, ONE)
    assert again == records, "nothing is played twice"


def test_the_scale_shrinks_games_and_simulations() -> None:
    design = load_design("gelly2006-table3")
    whole, tenth = (design.at(scale).match() for scale in (1, 0.1))
    assert [pairing.games for pairing in whole.pairings] == [500, 800]
    assert [pairing.games for pairing in tenth.pairings] == [50, 80]
    assert [whole.specs[0].simulations, tenth.specs[0].simulations] == [70000, 7000]
    papers = [published_for(design.at(1), cell) for cell in cells(design.at(1))]
    assert [paper and paper.share for paper in papers] == [0.412, 0.80]
    times = load_design("gelly2006-table5")
    assert [times.at(scale).match().specs[2].seconds for scale in (1, 0.1)] == [60, 6]


HEAD = 'kind = "match"\ntitle = "Two"\nsource = "ours, 2026"\n'
TIMES = (
    'opponent = "mogo-2006"\ngames = 4\nsimulations = [1000, 2000]\n'
    '[[player]]\nname = "A"\nplayer = "lgr1"\npublished = { 1000 = 0.25, 2000 = 0.5 }\n'
    '[[player]]\nname = "B"\nplayer = "lgr2"\n'
)
OWN = (
    'opponent = "mogo-2006"\ngames = 4\nsimulations = 1000\n'
    '[[player]]\nname = "A"\nplayer = "lgr1"\n'
    '[[player]]\nname = "B"\nplayer = "lgr2"\ngames = 20\nsimulations = [500, 600]\nopenings = "own"\n'
    '[[player]]\nname = "C"\nplayer = "lgrf2"\nopponent = "name=\'the pure\' mogo-2006-pure"\nmegabytes = 300\n'
)


def written(folder: Path, text: str, *overrides: str) -> MatchDesign:
    """An experiment of a file."""
    (folder / "mine.toml").write_text(HEAD + text)
    return load_design(str(folder / "mine.toml"), overrides)


def test_players_times_simulations(tmp_path: Path) -> None:
    whole = written(tmp_path, TIMES).at(1.0)
    design = written(tmp_path, TIMES).at(0.1)
    found = cells(design)
    assert [cell.label for cell in found] == ["A, 1,000", "A, 2,000", "B, 1,000", "B, 2,000"]
    published = [published_for(design, cell) for cell in found]
    assert [paper and paper.share for paper in published] == [0.25, 0.5, None, None]
    assert [paper and paper.elsewhere for paper in published[:2]] == ["at 1,000 simulations", "at 2,000 simulations"]
    assert all(not paper.elsewhere for cell in cells(whole) if (paper := published_for(whole, cell)))
    assert found[1].player.simulations == 200


def test_a_row_may_have_settings_of_its_own(tmp_path: Path) -> None:
    match = written(tmp_path, OWN).at(1.0).match()
    assert tuple(map(str, match.specs)) == (
        "name=A lgr1 --simulations 1000",
        "'name=B, 500' lgr2 --simulations 500",
        "'name=B, 600' lgr2 --simulations 600",
        "name=C lgrf2 --simulations 1000 --megabytes 300",
        "name=opponent mogo-2006",
        "'name=the pure' mogo-2006-pure",
    )
    own = tuple(own_openings(9))
    assert match.pairings == (
        Pairing("A", "opponent", 4, ((),)),
        Pairing("B, 500", "opponent", 20, own),
        Pairing("B, 600", "opponent", 20, own),
        Pairing("C", "the pure", 4, ((),)),
    )
    assert [player.megabytes for player in match.match_players()] == [None, None, None, 300, None, None]


def test_what_is_said_on_the_command_line_holds_for_all_rows(tmp_path: Path) -> None:
    said = ["games=6", "simulations=[70]", "opponent=lgr1", "openings=none", "megabytes=200"]
    match = written(tmp_path, OWN, *said).at(1.0).match()
    assert tuple(map(str, match.specs)) == (
        "name=A lgr1 --simulations 70 --megabytes 200",
        "name=B lgr2 --simulations 70 --megabytes 200",
        "name=C lgrf2 --simulations 70 --megabytes 200",
        "name=opponent lgr1",
    )
    assert match.pairings == tuple(Pairing(name, "opponent", 6, ((),)) for name in "ABC")


SEQUENTIAL = (
    'opponent = "lgr1"\ngames = 40\nsimulations = 16\nsize = 5\nreferee = "playouts"\nsprt = [-80, 0]\n'
    '[[player]]\nname = "A"\nplayer = "lgr1"\n'
    '[[player]]\nname = "B"\nplayer = "lgr2"\nopponent = "name=other lgrf2 --simulations 30"\nsprt = [0, 50]\n'
)


def test_rows_stop_by_tests_of_their_own(tmp_path: Path) -> None:
    pairings = written(tmp_path, SEQUENTIAL).at(1.0).match().pairings
    assert [pairing.sprt for pairing in pairings] == [(-80.0, 0.0), (0.0, 50.0)]
    pairings = written(tmp_path, SEQUENTIAL, "sprt=[0, 10]").at(1.0).match().pairings
    assert [pairing.sprt for pairing in pairings] == [(0.0, 10.0)] * 2
    assert all(pairing.sprt is None for pairing in written(tmp_path, OWN).at(1.0).match().pairings)


def test_an_opponent_has_the_simulations_of_the_design_unless_it_says_otherwise(tmp_path: Path) -> None:
    match = written(tmp_path, SEQUENTIAL, "simulations=4000").at(0.5).match()
    assert [player.simulations for player in match.match_players()] == [2000, 2000, 2000, 30]
    engines = load_design("gelly2006-table3")
    assert engines.at(1.0).match().simulations is None, "older journals of such experiments go on"


def test_an_opponent_may_have_a_share_of_the_simulations(tmp_path: Path) -> None:
    """Scaled as the player's are; one that is an engine or names a budget has its own. Each is a player of its own."""
    text = (
        "games = 4\nsimulations = [1000, 4000]\nopponent_share = 0.25\n"
        '[[player]]\nname = "A"\nplayer = "lgr1"\nopponent = "name=A lgr1 --megabytes 64"\n'
        '[[player]]\nname = "B"\nplayer = "lgr2"\nopponent = "lgr1"\nopponent_share = 2\nsimulations = 1000\n'
        '[[player]]\nname = "C"\nplayer = "lgr2"\nopponent = "lgr1 --simulations 30"\nsimulations = 1000\n'
    )
    match = written(tmp_path, text).at(0.1).match()
    assert tuple(map(str, match.specs[4:])) == (
        "'name=A with 250' lgr1 --simulations 25 --megabytes 64",
        "'name=A with 1,000' lgr1 --simulations 100 --megabytes 64",
        "'name=opponent 2 with 2,000' lgr1 --simulations 200",
        "'name=opponent 3' lgr1 --simulations 30",
    )
    assert [(pairing.first, pairing.second) for pairing in match.pairings] == [
        ("A, 1,000", "A with 250"),
        ("A, 4,000", "A with 1,000"),
        ("B", "opponent 2 with 2,000"),
        ("C", "opponent 3"),
    ]
    assert {player.simulations for player in match.match_players()} == {25, 30, 100, 200, 400}
    equal = written(tmp_path, text, "opponent_share=1").at(1.0).match()
    assert equal.specs[4].simulations == 1000, "what is said on the command line holds for all"


def test_figures_of_self_play_are_those_of_the_paper() -> None:
    """N against 4N, and the same N with more enhancements; GNU Go counts, nobody has komi or openings."""
    for name, share, programs in (("3", 4, ["BASIC", "ATARI", "ATARIPP"]), ("4", 1, ["ATARI", "ATARIPP"])):
        design = load_design(f"yoshizoe2006-figure{name}")
        match = design.at(1.0).match()
        assert (match.komi, match.referee, match.size) == (0, "gnugo", 9)
        players = dict(zip(match.names, match.match_players(), strict=True))
        for pairing in match.pairings:
            first, second = players[pairing.first], players[pairing.second]
            assert first.simulations == share * (second.simulations or 0)
            assert (first.preset == second.preset) == (name == "3")
        assert [row.name for row in design.player] == programs
        assert max(player.simulations or 0 for player in players.values()) == 2_560_000


def test_curves_are_drawn_where_players_have_several_numbers_of_simulations(tmp_path: Path) -> None:
    design = written(tmp_path, TIMES)
    labels = ["A, 1,000", "A, 2,000", "B, 1,000"]
    games = [match_tools.record(n, label, "opponent", "B+1", pairing=n, pair=0) for n, label in enumerate(labels)]
    pages = {}
    for count in (3, 1):
        write_experiment_report(tmp_path, design.at(0.1), games[:count])
        pages[count] = (tmp_path / "report.html").read_text()
        match_tools.check_page(pages[count])
    assert [page.count("simulations of the player</text>") for page in pages.values()] == [1, 0]
    picture = pages[3][pages[3].index("simulations of the player</text>") :]
    assert picture.count("<circle") == 3


def test_rows_say_why_they_ended(tmp_path: Path) -> None:
    """A is decided, B was cut off, C has all its games, D was never begun."""
    text = SEQUENTIAL + '[[player]]\nname = "C"\nplayer = "lgr1"\ngames = 4\n[[player]]\nname = "D"\nplayer = "lgr1"\n'
    design = written(tmp_path, text)
    names = [("A", "opponent", 30), ("B", "other", 3), ("C", "opponent", 4)]
    games = [
        match_tools.record(
            n, *((first, second, "W+1") if n % 2 == 0 else (second, first, "B+1")), pairing=k, pair=n // 2
        )
        for k, (first, second, count) in enumerate(names)
        for n in range(count)
    ]
    games = [msgspec.structs.replace(game, number=number) for number, game in enumerate(games)]
    found = write_experiment_report(tmp_path, design.at(1.0), games).data
    assert [row["ended by"] for row in found["rows"]] == [
        "SPRT: H0, -80 Elo",
        "unfinished, of 40 games",
        "all games played",
        "unfinished, of 40 games",
    ]
    assert [row["games"] for row in found["rows"]] == ["30", "3", "4", "0"]
    assert not found["summary"]["comparisons"], "numbers of games that are not given are not compared"
    assert "z-tests" not in (tmp_path / "report.md").read_text()


def test_only_rows_with_one_opponent_are_compared(tmp_path: Path) -> None:
    """A and B met one, C another."""
    design = written(tmp_path, OWN, "games=2", "simulations=16", "openings=none", "size=5", "referee=playouts")
    records = design.at(1.0).run(tmp_path / "out", ONE)
    found = write_experiment_report(tmp_path / "out", design.at(1.0), records).data
    assert [row["player"] for row in found["rows"]] == ["A", "B", "C"]
    tests = found["summary"]["comparisons"]
    assert [(test["first"], test["second"], test["opponent"]) for test in tests] == [("A", "B", "opponent")]


def test_the_example_of_the_page_is_an_experiment(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "lab.md").read_text("utf-8")
    file = tmp_path / "example.toml"
    file.write_text(page.partition("```toml\n")[2].partition("```")[0])
    design, ours = load_design(str(file)), load_design("gelly2006-table3")
    assert msgspec.structs.replace(design, deviations=ours.deviations, claim=ours.claim) == ours
    assert all(line in ours.deviations for line in design.deviations)


def test_an_experiment_takes_what_it_does_not_say_from_its_base(tmp_path: Path) -> None:
    """Also through several files; rows are taken as a whole."""
    (tmp_path / "first.toml").write_text(HEAD + "size = 7\n" + OWN)
    (tmp_path / "second.toml").write_text('base = "first.toml"\nsource = "ours, 2027"\nsimulations = 50\n')
    (tmp_path / "third.toml").write_text('base = "second.toml"\n[[player]]\nname = "D"\nplayer = "lgr1"\n')
    first, second, third = (load_design(str(tmp_path / f"{name}.toml")) for name in ("first", "second", "third"))
    assert second == msgspec.structs.replace(first, source="ours, 2027", simulations=50)
    assert msgspec.structs.replace(third, player=[]) == msgspec.structs.replace(second, player=[])
    assert [row.name for row in third.player] == ["D"]
    games = load_design(str(tmp_path / "third.toml"), ["games=10"])
    assert games.games == 10


WRONG_BASES = {
    "a number": ("base = 3\n", "mine.toml: base is the name or path of another experiment, not 3"),
    "nothing there": ('base = "figure0"\n', "no experiment is called 'figure0'"),
    "itself": ('base = "mine.toml"\n', "mine.toml: its bases form a circle"),
    "a base that is no TOML": ('base = "broken.toml"\n', "broken.toml: "),
}


@pytest.mark.parametrize("case", WRONG_BASES)
def test_wrong_bases_are_told_in_one_line(case: str, tmp_path: Path) -> None:
    text, said = WRONG_BASES[case]
    (tmp_path / "broken.toml").write_text("kind = \n")
    with pytest.raises(ValueError, match=r"^[^\n]+$") as caught:
        written(tmp_path, text)
    assert said in str(caught.value)


MISSING = {
    "no games": (OWN.replace("games = 4\n", ""), "Two: A has no number of games"),
    "no opponent": (OWN.replace('opponent = "mogo-2006"\n', ""), "Two: A has no opponent"),
    "no simulations": (OWN.replace("simulations = 1000\n", ""), "Two: A has neither simulations nor seconds"),
}


@pytest.mark.parametrize("case", MISSING)
def test_what_a_row_lacks_is_told_in_one_line(case: str, tmp_path: Path) -> None:
    text, said = MISSING[case]
    with pytest.raises(ValueError, match=f"^{said}$"):
        written(tmp_path, text).at(1.0)


WRONG = {
    "no such experiment": ("gelly2007", [], "gelly2006-table3"),
    "a key that is not there": ("gelly2006-table3", ["gaems=3"], "gaems"),
    "a text for a number": ("gelly2006-table3", ["games=many"], "games"),
    "no value": ("gelly2006-table3", ["games"], "'games' is not key=value, as in size=9"),
    "rows that are none": ("gelly2006-table3", ["player=3", "games=2"], "player"),
    "a row that is none": ("gelly2006-table3", ["player=[3]", "games=2"], "player"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_experiments_are_told_in_one_line(case: str) -> None:
    name, overrides, said = WRONG[case]
    with pytest.raises(ValueError, match=said) as caught:
        load_design(name, overrides)
    assert "\n" not in str(caught.value)


# --- positions --------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_table_1_of_coulom_at_a_tiny_scale(tmp_path: Path) -> None:
    design, records, found = run(
        "coulom2006-table1", tmp_path, "positions=6", "simulations=1024", "first=64", "size=5", scale=1.0
    )
    assert len(records) == 6
    assert [row["simulations"] for row in found["rows"]] == [64, 128, 256, 512]
    for record in records:
        assert list(record.values) == ["64", "128", "256", "512", "1024"]
        for _, highest, robust, _, of_two in record.values.values():
            assert highest >= max(robust, of_two), "no move is above the best"
    assert "paper" in (tmp_path / "report.md").read_text()
    assert design.at(1.0).run(tmp_path, ONE) == records


def test_positions_are_of_different_games_and_stages() -> None:
    design = load_design("coulom2006-table1", ["size=5", "game_simulations=16"])
    settings = design.at(1.0)
    games = [settings.sampled(seed) for seed in range(12)]
    assert len({str(game) for game in games}) > 8
    assert len({game.move_count for game in games}) > 4
    assert not any(game.is_over() for game in games)
    assert str(settings.sampled(3)) == str(games[3])


@pytest.mark.parametrize("color", [BLACK, WHITE])
def test_the_operators_at_the_root(color: int) -> None:
    """Three moves worth 5, 9 and 2 to Black with 10, 4 and 20 visits; the others were never tried. The root's own value
    stays as it is."""
    search = search_of(load_preset("crazystone-2006").config, Game(5).turned_to(color))
    tree = search.tree
    tree.nodes[0]["visits"], tree.nodes[0]["value"], tree.nodes[0]["mean"] = 34, 34 * 3 * SCALE, 4.5
    for child, (visits, value) in zip(tree.children(), [(10, 5.0), (4, 9.0), (20, 2.0)], strict=False):
        child["visits"], child["mean"] = visits, value
    # Figure 1: Black's most visited move is no better than the mean; for White it is the best, and the mean weighs 50.
    # Of Black's two best, 9 and 5, the one with more games is worth 5; of White's, -2 and -5, it is -2.
    expected = (3.0, 9.0, 2.0, 3.0, 5.0) if color == BLACK else (-3.0, -2.0, -2.0, -(20 * 2 + 50 * 3) / 70, -2.0)
    assert root_values(search, color) == pytest.approx(expected)
    assert tree.nodes[0]["mean"] == 4.5


def test_errors_are_taken_against_mix_after_twice_as_many() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(7, 3, 4)).round(3)
    records = [
        PositionRecord(number=k, moves=(), values={str(64 << s): tuple(values[k, s]) for s in range(3)})
        for k in range(7)
    ]
    table = error_table(records)
    assert [row.simulations for row in table] == [64, 128]
    for s, row in enumerate(table):
        for operator, (square, mean) in enumerate(row.errors):
            gaps = [values[k, s, operator] - values[k, s + 1, list(OPERATORS).index("mix")] for k in range(7)]
            assert square == pytest.approx(math.sqrt(sum(gap * gap for gap in gaps) / 7))
            assert mean == pytest.approx(sum(gaps) / 7)


def test_uncertainty_is_the_squared_step_of_mix_beside_the_backed_up_variance() -> None:
    """Coulom 2006, §4.2, by hand: σ² is 400 and 600, so 500 in the mean; mix moves by 2 and 4, then by 1 and 3."""
    steps_of_mix = {0: (10.0, 12.0, 11.0), 1: (-5.0, -1.0, 2.0)}
    variances = {0: 400.0, 1: 600.0}
    counts = (256, 512, 1024)
    records = [
        PositionRecord(
            number=k,
            moves=(),
            values={str(count): (0.0, 0.0, 0.0, value) for count, value in zip(counts, values, strict=True)},
            variances={str(count): variances[k] for count in counts},
        )
        for k, values in steps_of_mix.items()
    ]
    first, second = uncertainty_table(records)
    assert (first.simulations, first.difference) == (256, (2**2 + 4**2) / 2)
    assert (first.by_all, first.by_most) == (500 / 256, 500 / 256)
    assert (second.simulations, second.difference) == (512, (1**2 + 3**2) / 2)
    assert (second.by_all, second.by_most) == (500 / 512, 500 / 500)
    report = experiment_report(load_design("coulom2006-table1").at(1.0), records)
    assert "| 512 | 5.000 | 0.977 | 1.000 |" in report.document.markdown()
    assert report.data["uncertainty"][1]["by_most"] == 1.0
    match_tools.check_page(report.document.fragment())


def test_records_without_variances_are_read_and_reported() -> None:
    """Journals of version 0.2 have none."""
    old = msgspec.json.decode(
        b'{"number": 0, "moves": [], "values": {"128": [0, 0, 0, 1], "256": [0, 0, 0, 3]}}', type=PositionRecord
    )
    (row,) = uncertainty_table([old])
    assert (row.difference, row.by_all, row.by_most) == (4.0, None, None)
    report = experiment_report(load_design("coulom2006-table1").at(1.0), [old])
    assert "| 128 | 4.000 | – | – |" in report.document.markdown()


def test_a_study_takes_other_readings_of_its_preset(tmp_path: Path) -> None:
    said = ["positions=4", "simulations=64", "first=32", "size=5", "game_simulations=8"]
    _, usual, found = run("coulom2006-table1", tmp_path / "usual", *said, scale=1.0)
    assert all(set(record.variances) == set(record.values) for record in usual)
    assert any(variance > 0 for record in usual for variance in record.variances.values())
    changed = [*said, 'overrides=["selection.sharpness=1.0"]']
    design, other, found = run("coulom2006-table1", tmp_path / "other", *changed, scale=1.0)
    assert design.at(1.0).overrides == ["selection.sharpness=1.0"]
    assert "overrides: selection.sharpness=1.0 for none" in found["deviations"]
    assert [record.values for record in other] != [record.values for record in usual]
