"""Experiments tell the truth: the readings of MoGo's tables, deviations that hold, published values that compare."""

import math
from pathlib import Path

import msgspec
import pytest

from helpers import match_tools
from kikashi.engine.preset import load_preset
from kikashi.experiments.design_files import experiment_names, load_design
from kikashi.experiments.experiment import describe, experiment_report
from kikashi.experiments.kinds.local import LocalRecord
from kikashi.experiments.kinds.match import MatchDesign, cells, published_for
from kikashi.experiments.kinds.positions import PositionRecord
from kikashi.experiments.paper import deviations
from kikashi.match.player_spec import PlayerSpec

GELLY = [f"gelly2006-table{number}" for number in range(3, 8)]


def match_of(name: str, *overrides: str) -> MatchDesign:
    return load_design(name, overrides)


# --- MoGo's tables ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GELLY)
def test_mogo_plays_by_the_papers_defaults_where_a_table_states_nothing_else(name: str) -> None:
    """§3.4: first-play urgency is infinite by default; §4.2: p is 1 by default. Tables 6 and 7 are about these."""
    for row in match_of(name).player:
        player = PlayerSpec.parse(row.player)
        values = load_preset(player.preset, player.overrides).config.rules["selection"].values
        stated = float(row.name.partition(" = ")[2] or "nan")
        assert values["first_play_urgency"] == (stated if name == "gelly2006-table7" else math.inf)
        assert values["p"] == (stated if name == "gelly2006-table6" else 1.0)


@pytest.mark.parametrize("name", GELLY)
def test_what_the_paper_states_is_no_deviation(name: str) -> None:
    lines = deviations(load_design(name).at(1.0))
    assert not [line for line in lines if line.startswith(("FPU", "p is"))]
    assert "the order of unvisited moves is not stated: by the grandfather's values" in lines


BY_COLOR = {
    "gelly2006-table3": [(46, 36), (77, 82)],
    "gelly2006-table4": [(53.2, 51.8), (24.2, 30), (67.5, 61.2), (51.9, 60)],
    "gelly2006-table5": [(26, 26), (41, 42), (53, 50)],
    "gelly2006-table6": [(2, 4), (30, 36), (33, 39), (40, 38), (39, 41), (40, 44), (30, 26), (36, 24), (22, 18)],
    "gelly2006-table7": [(37, 38), (46, 36), (45, 41), (49, 42), (47, 32), (40, 32)],
}
"""Winning rates with Black and with White, as printed, in percent."""


@pytest.mark.parametrize("name", GELLY)
def test_rows_have_the_published_shares_of_both_colours(name: str) -> None:
    rows = [row for row in match_of(name).player if row.published is not None]
    found = [(100 * (row.published_black or 0), 100 * (row.published_white or 0)) for row in rows]
    assert [pytest.approx(pair) for pair in found] == BY_COLOR[name]


# --- what else the papers ask -----------------------------------------------------------------------------------------


def selection_of(text: str) -> tuple[str, dict]:
    player = PlayerSpec.parse(text)
    bound = load_preset(player.preset, player.overrides).config.rules["selection"]
    return bound.part.name, dict(bound.values)


def test_bandits_differ_by_one_thing_each() -> None:
    """Gelly et al. 2006, §2.2, remark 2 and §3.4."""
    rows = {row.name: row.player for row in match_of("gelly2006-bandits").player}
    rules = {name: selection_of(text) for name, text in rows.items()}
    assert {values["first_play_urgency"] for _, values in rules.values()} == {math.inf}
    assert [rule for rule, _ in rules.values()] == ["ucb1_tuned", "ucb1", "ucb1_tuned", "ucb1", "ucb1_tuned"]
    assert [values["grandfather"] for _, values in rules.values()] == [True] * 4 + [False]
    assert [values["p"] for _, values in rules.values()] == [1.0, 1.0, 162.0, 162.0, 1.0]
    scores = [load_preset("mogo-2006", PlayerSpec.parse(text).overrides).config.win_weight for text in rows.values()]
    assert scores == [1.0, 1.0, 0.0, 0.0, 1.0]


def test_threads_are_compared_at_equal_simulations_and_at_equal_time() -> None:
    """Gelly et al. 2006, §3.5."""
    found = cells(match_of("gelly2006-threads").at(1.0))
    assert [cell.player.threads for cell in found] == [1, 2, 4] * 2
    assert [cell.limit for cell in found] == ["70,000 simulations"] * 3 + ["5 seconds"] * 3


def test_patterns_are_looked_for_beside_the_last_move_or_anywhere() -> None:
    """Gelly et al. 2006, §3.2: the rest of the list is the same; the first row is the second of table 3."""
    beside, anywhere = match_of("gelly2006-patterns").player
    lists = [
        [
            str(bound)
            for bound in load_preset("mogo-2006", PlayerSpec.parse(row.player).overrides).config.policy.heuristics
        ]
        for row in (beside, anywhere)
    ]
    assert [[name.replace("any_pattern3", "pattern3") for name in names] for names in lists] == [lists[0]] * 2
    assert "any_pattern3" in lists[1]
    published = match_of("gelly2006-table3").player[1]
    assert (beside.player, beside.published, beside.margin) == (published.player, published.published, published.margin)


def test_credit_and_sharing_have_equal_samples() -> None:
    """Yoshizoe et al. 2006: the paper's credit against all moves as first; samples by legal moves, or by the move."""
    credit = match_of("yoshizoe2006-credit").at(1.0).match()
    players = dict(zip(credit.names, credit.match_players(), strict=True))
    for pairing in credit.pairings:
        first, second = players[pairing.first], players[pairing.second]
        assert (first.preset, second.preset) == ("yoshizoe-2006-basic", "amaf-2003")
        assert first.simulations == second.simulations
    sharing = match_of("yoshizoe2006-sharing").at(1.0).match()
    players = dict(zip(sharing.names, sharing.match_players(), strict=True))
    rules = set()
    for pairing in sharing.pairings:
        first, second = players[pairing.first], players[pairing.second]
        assert (first.preset, first.simulations, second.overrides) == (second.preset, second.simulations, ())
        rules.add(load_preset(first.preset, first.overrides).simulation_schedule.rule)
    assert rules == {"legal_moves", "move_number"}


def test_dynamic_komi_is_tried_in_games_with_a_handicap() -> None:
    """Baier 2010, §4.1.1 and §7.4."""
    design = match_of("baier2010-dynamic-komi-handicap")
    match = design.at(1.0).match()
    assert (match.size, match.handicap, match.komi) == (19, 4, 0.5)
    assert [row.player for row in design.player] == ["lgrf2", "lgrf2-dk"]
    lines = deviations(load_design("baier2010-dynamic-komi-handicap", ["handicap=2"]).at(1.0))
    assert "the thesis has no games with a handicap: 2 stones and 500 games a row are ours" in lines


# --- deviations -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", experiment_names())
def test_an_experiment_as_it_is_has_the_deviations_of_its_file(name: str) -> None:
    design = load_design(name)
    lines = deviations(design.at(1.0))
    assert len(lines) == len(design.deviations)
    assert not any("{" in line for line in lines)
    assert msgspec.structs.replace(load_design(name, ["seed=2"]), seed=1, paper=None) == design
    assert deviations(load_design(name, ["seed=2"]).at(1.0)) == lines, "a seed is no deviation"


CHANGES = [
    ("gelly2006-table3", 0.1, [], ["7,000 simulations a move for 70,000", "50 and 80 games for 500 and 800"]),
    ("gelly2006-table3", 1.0, ["simulations=64"], ["64 simulations a move for 70,000"]),
    ("baier2010-figure6.2", 1.0, ["size=9", "openings=own"], ["9×9 for 19×19", "openings of our own"]),
    ("baier2010-figure6.2", 1.0, ["games=80"], ["80 games for 1,196, 636, 790 and 756"]),
    ("coulom2006-table1", 1.0, ["game_simulations=64"], []),
    ("coulom2006-table1", 1.0, ["positions=50", "size=7"], ["7×7 for 9×9", "50 positions for 1,500"]),
    (
        "coulom2006-table1",
        1.0,
        ["simulations=1024", 'overrides=["even_games=0.5"]'],
        ["overrides: even_games=0.5 for none", "1,024 simulations a search for 524,288"],
    ),
    ("gelly2006-table5", 0.5, ["games=2"], ["2.5, 10 and 30 seconds a move for 5, 20 and 60"]),
    ("yoshizoe2006-figure5", 1.0, ["oracle=1000"], ["1,000 samples of an oracle for 64,000,000"]),
    ("baier2010-local-play", 1.0, ["repeats=3"], ["3 searches by each player for 100"]),
    ("baier2010-family", 1.0, ["simulations=64"], []),
]


@pytest.mark.parametrize(("name", "scale", "overrides", "told"), CHANGES)
def test_what_is_changed_is_told(name: str, scale: float, overrides: list[str], told: list[str]) -> None:
    design = load_design(name, overrides)
    lines = deviations(design.at(scale))
    assert [line for line in told if line not in lines] == []
    file = deviations(load_design(name).at(1.0))
    assert len([line for line in lines if line not in file]) >= len(told)


def test_a_line_says_the_setting_that_is_run() -> None:
    lines = deviations(load_design("coulom2006-table1", ["game_simulations=64"]).at(1.0))
    assert "the length of thought in self-play is not stated: 64 simulations a move" in lines
    assert not [line for line in lines if "256" in line], "it is not told twice"
    lines = deviations(load_design("baier2010-family", ["simulations=64", "size=7"]).at(1.0))
    assert any(line.startswith("64 simulations a move for the thesis's 25,000") for line in lines)
    assert not [line for line in lines if "2,000 simulations" in line or "9×9" in line]
    (line,) = (line for line in deviations(load_design("baier2010-shares").at(0.01)) if "simulations" in line)
    assert line.endswith("here 250 and 200")


def test_a_line_that_does_not_hold_is_left_out() -> None:
    said = ["opponent=mogo-2006-pure --simulations 16", "referee=playouts", "simulations=64"]
    lines = deviations(load_design("coulom2006-table2", said).at(1.0))
    assert not [line for line in lines if line.startswith(("GNU Go", "times for", "seconds are", "who counted"))]
    assert "64 simulations a move for none" in lines
    assert "no seconds a move for 6, 12 and 24" in lines
    assert any(line.startswith("opponent: mogo-2006-pure --simulations 16 for gnugo ") for line in lines)


def test_a_line_that_names_no_setting_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^a deviation names 'weather', which is no setting; there are size, "):
        deviations(load_design("gelly2006-table3", ["deviations+={ text = 'x', where = { weather = true } }"]).at(1.0))
    with pytest.raises(ValueError, match=r"^a deviation names 'weather', "):
        deviations(load_design("gelly2006-table3", ["deviations+=in {weather}"]).at(1.0))


def test_simulations_of_the_command_line_stand_in_for_seconds_and_the_other_way_round() -> None:
    found = cells(match_of("gelly2006-table5", "simulations=64").at(1.0))
    assert [cell.limit for cell in found] == ["64 simulations"] * 3
    found = cells(match_of("gelly2006-table3", "seconds=0.5").at(1.0))
    assert [cell.limit for cell in found] == ["0.5 seconds"] * 2


# --- as said ----------------------------------------------------------------------------------------------------------


def test_only_the_scale_raises_a_number_to_the_least() -> None:
    match = match_of("gelly2006-table3", "simulations=4", "games=2")
    for scale in (1.0, 0.5):
        assert match.at(scale).match().specs[0].simulations == 4
    assert match_of("gelly2006-table3").at(0.00001).match().specs[0].simulations == 16
    study = load_design("coulom2006-table1", ["positions=1", "game_simulations=2"])
    assert (study.at(1.0).positions, study.at(1.0).game_simulations) == (1, 2)
    local = load_design("baier2010-local-play", ["simulations=5", "repeats=1"]).at(1.0)
    assert (local.simulations, local.repeats) == (5, 1)
    quality = load_design("yoshizoe2006-figure6", ["oracle=9", "simulations=[3]", "positions=1"]).at(1.0)
    assert (quality.oracle, quality.simulations, quality.positions) == (9, [3], 1)


@pytest.mark.parametrize("name", sorted(set(experiment_names()) - {"cost-of-strength"}))
def test_opponents_that_are_presets_scale_with_the_players(name: str) -> None:
    """All but one: the cost of strength is measured against the same opponent at every budget."""
    design = load_design(name)
    if isinstance(design, MatchDesign):
        opponents = {PlayerSpec.parse(row.opponent or design.opponent or "") for row in design.player}
        assert not [spec for spec in opponents if spec.preset and spec.has_limit]


def test_a_study_of_fewer_simulations_than_two_checkpoints_is_refused() -> None:
    with pytest.raises(ValueError, match="two checkpoints"):
        load_design("coulom2006-table1", ["simulations=200"]).at(1.0)
    assert load_design("coulom2006-table1").at(0.00001).simulations == 256


# --- published values -------------------------------------------------------------------------------------------------


def games_of(design: MatchDesign, scale: float) -> list:
    """A game with each colour, won by Black, for every row."""
    labels = [(cell.label, cell.opponent.name) for cell in cells(design.at(scale))]
    return [
        match_tools.record(2 * n + side, *((label, other) if side == 0 else (other, label)), "B+1", pairing=n, pair=0)
        for n, (label, other) in enumerate(labels)
        for side in range(2)
    ]


def test_published_shares_stand_beside_ours_of_both_colours() -> None:
    design = match_of("gelly2006-table3")
    report = experiment_report(design.at(1.0), games_of(design, 1.0))
    first = report.data["rows"][0]
    assert (first["won"], first["as Black"], first["as White"]) == ("50.0%", "100.0%", "0.0%")
    assert first["published"] == "41.2% ± 4.4%"
    assert (first["published as Black"], first["published as White"]) == ("46.0%", "36.0%")
    assert report.document.fragment().count('height="10" fill="none"') == 2, "a square for each"
    assert "at scale 1." in report.document.markdown()
    (row, _) = list(design.at(1.0).numbers(games_of(design, 1.0)))
    assert (row["as Black"], row["as White"], row["published"]) == (1.0, 0.0, 0.412)


ELSEWHERE = [
    (["simulations=64"], 1.0, "41.2% ± 4.4% at 70,000 simulations"),
    ([], 0.1, "41.2% ± 4.4% at 70,000 simulations"),
    (["size=7"], 1.0, "41.2% ± 4.4% on 9×9"),
    (["opponent=lgr1 --simulations 16"], 1.0, "41.2% ± 4.4% against gnugo --mode gtp --level 10 --chinese-rules "),
    (["handicap=2"], 1.0, "41.2% ± 4.4% with no handicap stones"),
    (["options=--set even_games=0.5"], 1.0, "41.2% ± 4.4% with no options"),
    (["games=2", "openings=own"], 1.0, "41.2% ± 4.4%"),
]


@pytest.mark.parametrize(("overrides", "scale", "told"), ELSEWHERE)
def test_values_of_other_settings_are_marked_and_not_drawn(overrides: list[str], scale: float, told: str) -> None:
    design = match_of("gelly2006-table3", *overrides)
    games = games_of(design, scale)
    report = experiment_report(design.at(scale), games)
    assert report.data["rows"][0]["published"].startswith(told)
    compares = told.endswith("4.4%")
    assert ("(squares: the paper)" in report.document.fragment()) == compares
    assert "at scale 1." not in report.document.markdown()
    assert [row["published"] for row in list(design.at(scale).numbers(games))] == (
        [0.412, 0.8] if compares else [None] * 2
    )


def test_a_row_of_the_command_line_has_its_own_published_value() -> None:
    said = "player=[{ name = 'mine', player = 'lgr1', games = 2, published = 0.5 }]"
    design = match_of("gelly2006-table3", said)
    (cell,) = cells(design.at(1.0))
    assert (paper := published_for(design, cell)) is not None
    assert not paper.elsewhere
    (cell,) = cells(design.at(0.5))
    assert (paper := published_for(design, cell)) is not None
    assert paper.elsewhere == "at 70,000 simulations"


INCOMPLETE = {
    "opponent": """
kind = "match"
games = 2
simulations = 64
player = [{ name = "mine", player = "lgr1", published = 0.5 }]
""",
    "sgf": """
kind = "local"
simulations = 64
repeats = 1
sgf = "missing.sgf"
owner = [{ name = "corner", color = "white", points = ["a1"] }]
player = [{ name = "mine", player = "lgr1", published = { corner = [50.0, 1.0] } }]
""",
    "board": """
kind = "local"
simulations = 64
repeats = 1
owner = [{ name = "corner", color = "white", points = ["a1"] }]
player = [{ name = "mine", player = "lgr1", published = { corner = [50.0, 1.0] } }]
""",
}


@pytest.mark.parametrize(("key", "value"), [("opponent", "lgrf1"), ("sgf", "here.sgf"), ("board", "..\n..")])
def test_a_file_may_leave_to_the_command_line_what_it_cannot_be_run_without(
    key: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("here.sgf").write_text("(;SZ[5]KM[7.5];B[cc];W[bb])")
    Path("mine.toml").write_text(f"title = 'mine'\nsource = 'ours, 2026'\n{INCOMPLETE[key]}")
    design = load_design("mine.toml", [f"{key}={value}"])
    (row,) = describe(design.at(1.0)).data["rows"]
    assert row["published"] in ("50.0%", "corner: 50, 1")
    (row,) = describe(design.at(0.5)).data["rows"]
    assert row["published"].endswith(" at 64 simulations")


def test_a_study_on_another_board_has_no_dashed_curves() -> None:
    values = {"128": (1.0, 2.0, 3.0, 4.0), "256": (0.0, 0.0, 0.0, 2.0)}
    records = [PositionRecord(number=0, moves=(), values=values)]
    same = experiment_report(load_design("coulom2006-table1", ["positions=4"]).at(1.0), records)
    other = experiment_report(load_design("coulom2006-table1", ["size=7"]).at(1.0), records)
    assert "(dashed: the paper)" in same.document.fragment()
    assert "(dashed: the paper)" not in other.document.fragment()
    assert "| paper, on 9×9 |" in other.document.markdown()
    (row,) = list(load_design("coulom2006-table1", ["size=7"]).at(1.0).numbers(records))
    assert row["mean error published"] is None


def test_questions_at_fewer_simulations_are_marked() -> None:
    records = [LocalRecord(number=0, player=0, counts=((10, 40, 2), (8, 2, 0)))]
    design = load_design("baier2010-local-play")
    whole, small = experiment_report(design.at(1.0), records), experiment_report(design.at(0.1), records)
    assert "(squares: the paper)" in whole.document.fragment()
    assert "(squares: the paper)" not in small.document.fragment()
    assert "published, at 25,000 simulations" in small.document.markdown()
    assert "published, at" not in whole.document.markdown()
