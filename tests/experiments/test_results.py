"""Matches and experiments from Python: what they return, how it shows itself, and what is refused."""

from pathlib import Path
from typing import Any

import pytest

import kikashi.experiments
import kikashi.match
from helpers.match_tools import ONE, check_page, check_refused, record, settings, without_times
from kikashi.experiments import Experiment, experiment
from kikashi.experiments.design_files import load_design
from kikashi.experiments.kinds.local import LocalRecord
from kikashi.experiments.kinds.positions import PositionRecord
from kikashi.experiments.kinds.quality import QualityRecord, RowRecord
from kikashi.match import Match
from kikashi.match.runner import free_folder
from kikashi.match.statistics import lines

PLAYERS = ("lgrf2", "mogo-2006")
TINY: dict[str, Any] = {"size": 5, "simulations": 10, "games": 2}


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Games are played here, and what has no folder goes into one of the test's."""
    monkeypatch.setattr(experiment, "make_workers", lambda _name, _count: ONE)
    monkeypatch.chdir(tmp_path)


# --- matches ----------------------------------------------------------------------------------------------------------


def test_a_match_is_played_read_and_gone_on_with() -> None:
    match = Match.play(*PLAYERS, **TINY)
    assert match.folder == Path("matches/lgrf2-vs-mogo-2006-1")
    assert [each.number for each in match.records] == [0, 1]
    assert (match.folder / "report.html").exists()
    assert Match.read(match.folder) == match
    assert Match.play(*PLAYERS, folder=match.folder, **TINY).records == match.records, "nothing is played again"
    longer = Match.play(*PLAYERS, folder=str(match.folder), **(TINY | {"games": 4}))
    assert longer.records[:2] == match.records
    assert len(longer.records) == 4
    again = Match.play(*PLAYERS, openings=[], **TINY)
    assert again.folder == Path("matches/lgrf2-vs-mogo-2006-2")
    assert without_times(again.records) == without_times(match.records)


@pytest.mark.parametrize(
    ("players", "folder"),
    [
        (("kikashi --simulations 150", "gnugo --mode gtp"), "kikashi-150-vs-gnugo-1"),
        (("lgrf2 --seconds 0.5", "mogo-2006 --set 'selection.p=1.2'"), "lgrf2-0.5s-vs-mogo-2006-1"),
        (("name='My program' /usr/bin/prog -x", "own/mine.toml --playouts 7", "lgr1"), "My-program-vs-mine-7-and-1-1"),
    ],
)
def test_the_folder_of_a_match_has_a_short_name(players: tuple[str, ...], folder: str) -> None:
    assert free_folder(settings(*players)) == Path("matches", folder)


def test_where_no_match_is_that_is_told() -> None:
    with pytest.raises(ValueError, match=r"^there is no folder nowhere$"):
        Match.read("nowhere")
    Path("empty").mkdir()
    with pytest.raises(ValueError, match=r"^there is no match in empty: it has no journal\.jsonl$"):
        Match.read("empty")


def test_a_match_tells_of_its_games() -> None:
    a, b = PLAYERS
    match = Match(settings(), (record(0, a, b, "B+R"), record(1, b, a, "W+2.5", moves=("C3", "B2"))), Path("here"))
    assert repr(match) == "<Match lgrf2 – mogo-2006, 2 games, here>"
    assert str(match) == "\n".join(lines(match.summary))
    game = match.game(1)
    assert [move.name for move in game.moves] == ["C3", "B2"]
    assert (game.headers["PB"], game.headers["RE"]) == (b, "W+2.5")
    check_refused(lambda: match.game(2), "here has no game 2")
    frame = match.as_frame()
    assert frame["winner"].tolist() == [a, a]
    assert frame["moves"].tolist() == [3, 2]


def test_a_match_shows_its_score_and_its_course() -> None:
    names = ("name=<b>&", "mogo-2006", "lgr1")
    games = [record(0, "<b>&", "mogo-2006", "B+R"), record(1, "mogo-2006", "<b>&", "W+F", reason="black: it <i>died")]
    found = check_page(Match(settings(*names), tuple(games), Path("here"))._repr_html_())
    assert found.seen["svg"] == 2, "ratings, and the course of those who met"
    assert "100.0%" in found.text
    assert "forfeit in game 1: black: it <i>died" in found.text
    assert not {"i", "b", "html", "body", "style"} & set(found.seen)
    check_page(Match(settings(*names), (), Path("here"))._repr_html_())


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"game": 2}, "there is no setting 'game'; did you mean games?"),
        ({"size": 25}, "boards are from 2 to 19, not 25"),
        ({"size": "5"}, "size must be a whole number, not a text"),
        ({"openings": ["nowhere.sgf"]}, "nowhere.sgf"),
    ],
)
def test_a_match_that_cannot_be_played_is_refused_in_a_line(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises((ValueError, OSError), match=r"^[^\n]+$") as error:
        Match.play(*PLAYERS, **wrong)
    assert said in str(error.value)
    assert not Path("matches").exists()


def test_another_match_is_not_gone_on_with() -> None:
    Match.play(*PLAYERS, folder="here", **TINY)
    check_refused(
        lambda: Match.play(*PLAYERS, folder="here", **(TINY | {"size": 7})), "here was begun with size 5, not 7"
    )


# --- experiments ------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_an_experiment_is_run_and_shows_itself() -> None:
    small = ["size=5", "games=2", "simulations=[16, 32]", "referee=playouts"]
    found = Experiment.run("yoshizoe2006-figure3", overrides=small)
    assert found.folder == Path("experiments/yoshizoe2006-figure3-1")
    assert found.report.document.markdown() == (found.folder / "report.md").read_text()
    assert str(found) == found.report.document.text()
    page = check_page(found._repr_html_())
    assert page.seen["svg"] == 2
    assert repr(found).startswith("<Experiment Four times as many samples (Yoshizoe et al. 2006, figure 3), scale 1, ")
    frame = found.as_frame()
    assert frame["player"].tolist() == ["BASIC", "BASIC", "ATARI", "ATARI", "ATARIPP", "ATARIPP"]
    assert frame["simulations"].tolist() == [16, 32] * 3
    assert frame["games"].tolist() == [2] * 6
    again = Experiment.run("yoshizoe2006-figure3", overrides=small)
    assert again.records == found.records, "it goes on where it was left"


def test_the_numbers_of_a_study_of_positions() -> None:
    design = load_design("coulom2006-table1")
    values = {"128": (1.0, 2.0, 3.0, 4.0), "256": (0.0, 0.0, 0.0, 2.0)}
    (row,) = list(design.at(1.0).numbers([PositionRecord(number=0, moves=(), values=values)]))
    assert (row["simulations"], row["mean error"], row["mean error published"]) == (128, 1.0, 6.44)
    assert (row["mean bias"], row["mean bias published"]) == (-1.0, -3.32)
    assert (row["mix error"], row["mix bias published"]) == (2.0, -1.43)


def test_the_numbers_of_questions_about_one_place() -> None:
    design = load_design("baier2010-local-play")
    rows = list(design.at(1.0).numbers([LocalRecord(number=0, player=0, counts=((10, 40, 2), (8, 2, 0)))]))
    owner, reply = rows[:2]
    assert (owner["question"], owner["player"]) == ("the dead group", "MCTS")
    assert (owner["share"], owner["together"]) == (0.5, 0.2)
    assert (reply["question"], reply["times"], reply["share"], reply["share error"]) == ("b16", 8.0, 0.25, 0.0)


def test_the_numbers_of_the_quality_of_moves() -> None:
    design = load_design("yoshizoe2006-figure6")
    samples = [f"with {count}" for count in design.simulations]
    chosen = tuple(-float(number) for number in range(len(samples)))
    judged = RowRecord(9, 0.5, -2.0, chosen)
    (row,) = list(design.at(1.0).numbers([QualityRecord(number=0, game=3, move=5, legal=20, rows=(judged,))]))
    assert (row["game"], row["moves before"], row["legal moves"], row["random"]) == (3, 5, 20, -2.0)
    assert tuple(row[name] for name in samples) == chosen


def test_the_laboratory_exports_what_python_needs() -> None:
    assert "Experiment" in kikashi.experiments.__all__
    assert kikashi.match.Match is Match
    with pytest.raises(AttributeError, match="attribute Mtach"):
        _ = kikashi.match.Mtach
