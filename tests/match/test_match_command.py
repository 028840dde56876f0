"""The command ``kikashi match``: its reports, how it goes on, and one clear line for every mistake."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from helpers.match_tools import ONE, check_page, engine, settings, winning
from kikashi.cli import main
from kikashi.match import runner as match_module
from kikashi.match.journal import read_records
from kikashi.match.one_game import GameRecord, GameTask, play_game
from kikashi.match.runner import run_match
from kikashi.match.settings import own_openings

# --- the command ------------------------------------------------------------------------------------------------------


def kikashi_match(*arguments: object) -> Any:
    """Run the command here, with games played here."""
    return CliRunner().invoke(main, ["match", *map(str, arguments)])


def kikashi_ratings(*arguments: str) -> Any:
    return CliRunner().invoke(main, ["ratings", *arguments])


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty folder to work in; games are played in this process."""
    monkeypatch.setattr("kikashi.workers.executors.make_workers", lambda name, count, **how: ONE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


TINY = ("lgrf2", "mogo-2006", "--size", 5, "--playouts", 10, "--games", 2)


def test_the_command_plays_and_reports(here: Path) -> None:
    done = kikashi_match(*TINY)
    message = [line for line in done.stderr.splitlines() if not line.startswith("kikashi: compiling")]
    assert (done.exit_code, message) == (0, [])
    folder = here / "matches" / "lgrf2-vs-mogo-2006-1"
    first, second = done.stdout.splitlines()[0], done.stdout.splitlines()[-1]
    assert first.startswith("lgrf2 – mogo-2006: ")
    assert second == f"games and reports: {folder.relative_to(here)}"
    files = {path.name for path in folder.iterdir() if path.suffix != ".svg"}
    assert files == {"games", "journal.jsonl", "report.md", "report.html"}
    check_page((folder / "report.html").read_text())
    again = kikashi_match("--resume", folder, "--json")
    table = json.loads(again.stdout)
    assert (table["finished"], table["pairings"][0]["games"]) == (True, 2)
    assert f"{table['pairings'][0]['wins']}–{table['pairings'][0]['losses']}" in first
    kikashi_match(*TINY)
    assert (here / "matches" / "lgrf2-vs-mogo-2006-2").is_dir()


def test_json_has_no_numbers_that_are_none(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An Elo without bound is null."""
    monkeypatch.setattr(match_module, "play_game", winning("lgrf2"))
    done = kikashi_match(*TINY, "--output", "m", "--json"), kikashi_ratings("m", "--json")
    table, ratings = (json.loads(one.stdout, parse_constant=lambda word: pytest.fail(word)) for one in done)
    assert table["pairings"][0]["elo"]["high"] is ratings["lgrf2"]["high"] is None
    assert ratings["lgrf2"]["low"] < ratings["lgrf2"]["elo"]


def test_a_match_is_resumed_as_it_was(here: Path) -> None:
    """Settings that are not named are those of the match; others are refused."""
    kikashi_match(*TINY, "--output", "m")
    before = (here / "m" / "journal.jsonl").read_bytes()
    assert kikashi_match("--resume", "m", "--games", 2, "--size", 5).exit_code == 0
    assert kikashi_match("lgrf2", "mogo-2006", "--resume", "m").exit_code == 0
    for options, message in REFUSED.items():
        refused = kikashi_match(*options.split(), "--resume", "m")
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert refused.stderr.startswith("Error: m was begun with "), refused.stderr
        assert message in refused.stderr
    assert (here / "m" / "journal.jsonl").read_bytes() == before


def test_a_match_can_be_extended(here: Path) -> None:
    """Its games go on where they were, also where it was resumed since; the journal says when."""
    kikashi_match(*TINY, "--output", "m")
    before = (here / "m" / "journal.jsonl").read_bytes()
    longer = json.loads(kikashi_match("--resume", "m", "--games", 6, "--json").stdout)
    assert (longer["finished"], longer["pairings"][0]["games"]) == (True, 6)
    assert longer["played"]["settings"]["games"] == 6
    assert (here / "m" / "journal.jsonl").read_bytes().startswith(before)
    again = json.loads(kikashi_match("--resume", "m", "--json").stdout)
    assert again["pairings"] == longer["pairings"]
    whole = json.loads(kikashi_match(*TINY[:-1], 6, "--output", "whole", "--json").stdout)
    assert whole["pairings"] == longer["pairings"], "as if it had had as many games at once"
    assert [game.number for game in read_records(here / "m", GameRecord)] == list(range(6))


def test_sprt_goes_on_over_all_games_of_an_extended_match(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_module, "play_game", winning("lgrf2"))
    first = json.loads(kikashi_match(*TINY, "--sprt", "0,100", "--output", "m", "--json").stdout)
    assert first["sprt"]["decision"] == "continue"
    then = json.loads(kikashi_match("--resume", "m", "--games", 400, "--json").stdout)
    assert (then["sprt"]["decision"], then["sprt"]["elo0"], then["sprt"]["elo1"]) == ("H1", 0, 100)
    assert then["sprt"]["llr"] > first["sprt"]["llr"]
    assert 2 < then["pairings"][0]["games"] < 60


def test_an_odd_number_of_games_is_rounded_with_a_message(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_module, "play_game", winning("lgrf2"))
    done = kikashi_match(*TINY[:-1], 7, "--json")
    assert done.stderr == "games come in pairs: 8 for each two players, not 7\n"
    assert json.loads(done.stdout)["pairings"][0]["games"] == 8


def test_a_player_that_cannot_play_is_reported_with_its_standard_error(here: Path) -> None:
    done = kikashi_match(engine("complains"), "lgrf2", *TINY[2:], "--output", "m")
    assert (done.exit_code, done.stdout) == (1, "")
    *_, first, second, third, last = done.stderr.splitlines()
    assert [first, second, third] == ["| loading the network", "| no licence", "| please buy one"]
    assert last.startswith("Error: complains cannot play: ")
    assert not (here / "m").exists()


def test_a_match_that_stops_names_the_reason_and_its_score(here: Path) -> None:
    """Nothing that was won by forfeits looks as if it had been won over the board."""
    bad = engine("off the board", name="bad")
    done = kikashi_match("lgrf2", bad, *TINY[2:-1], 20, "--output", "m", "--json")
    assert done.exit_code == 1
    assert done.stderr.splitlines()[-1].startswith("Error: bad forfeited 3 games in a row")
    table = json.loads(done.stdout)
    assert (table["finished"], table["pairings"][0]["games"], table["pairings"][0]["forfeits"]) == (False, 3, [0, 3])
    assert "bad forfeited 3 games" in table["stopped"]
    assert table["statistics"][0]["values"]["forfeits"]["value"] == 3
    assert "forfeit in game 0: " in (here / "m" / "report.md").read_text()
    on = kikashi_match("--resume", "m", "--forfeits", 100)
    assert on.exit_code == 0
    assert "forfeits 0–20" in on.stdout


WHAT_WAS_PLAYED = ("10 simulations", "7.7", "numba ", " cores", "H0: changed is 0 Elo stronger than other")


def test_a_report_has_players_versions_and_machine(here: Path) -> None:
    players = ("name=changed lgrf2 --set even_games=10", engine("first points", 2, name="other"))
    kikashi_match(*players, *TINY[2:-1], 4, "--sprt", "0,100", "--output", "m")
    for name in ("report.md", "report.html"):
        text = (here / "m" / name).read_text()
        for words in (*WHAT_WAS_PLAYED, "even_games=10", "scripted_engine.py"):
            assert words in text, (name, words)
        for number in range(4):
            assert f"games/00000{number}.sgf" in text
            assert (here / "m" / "games" / f"00000{number}.sgf").exists()
    page = check_page((here / "m" / "report.html").read_text())
    assert "log-likelihood ratio" in page.text


REFUSED = {
    "--games 1": "games 2, not 1: it can only get more",
    "--agree": "agree false, not true",
    "--clock 300+5": 'clock null, not "300+5"',
    "--size 9": "size 5, not 9",
    "--komi 6.5": "komi 7.5, not 6.5",
    "--seed 2": "seed 1, not 2",
    "--rules simple": 'rules "positional", not "simple"',
    "--sprt 0,50": "sprt null, not [0.0, 50.0]",
    "--against lgrf2": 'only_with null, not "lgrf2"',
    "lgrf2 lgr1": "players",
}

MISTAKES = {
    "": "name two players at least, or --resume FOLDER",
    "lgrf2": "a match needs two players at least",
    "lgrf2 orego": "did you mean orego-2010?",
    "lgrf2 lgrf2": "two players are called 'lgrf2'",
    "lgrf2 lgr1 --sprt 5": "--sprt is two numbers",
    "lgrf2 lgr1 --sprt nan,5": "elo0 below elo1",
    "lgrf2 lgr1 --against lgr2": "no player is called 'lgr2'",
    "lgrf2 lgr1 --komi nan": "komi nan",
    "lgrf2 lgr1 --timeout nan": "time-out",
    "lgrf2 lgr1 --openings none.sgf": "none.sgf",
    "lgrf2 lgr1 --openings .": "directory",
    "lgrf2 lgr1 --output file": "file",
    "lgrf2 lgr1 --resume file": "nothing to resume",
    "--resume nowhere": "nowhere has no journal.jsonl: there is nothing to resume",
    "--resume empty": "nothing was begun",
    "--resume foreign": "this is the journal of a positions, not of a match",
    "--resume bare": "settings must be a table, not nothing",
    "--resume m --output n": "leave --output out",
}


@pytest.mark.parametrize("arguments", MISTAKES)
def test_a_mistake_is_one_line_and_leaves_nothing(arguments: str, here: Path) -> None:
    Path("file").write_text("")
    journals = {"empty": "", "foreign": '{"kind":"positions","settings":{}}\n', "bare": '{"kind":"match"}\n'}
    for folder, text in journals.items():
        Path(folder).mkdir()
        (Path(folder) / "journal.jsonl").write_text(text)
    before = sorted(here.rglob("*"))
    done = kikashi_match(*arguments.split())
    assert (done.exit_code, done.stdout) in ((1, ""), (2, ""))
    error = done.stderr.splitlines()[-1]
    assert error.startswith("Error: ")
    assert MISTAKES[arguments] in error
    assert sorted(here.rglob("*")) == before


@pytest.mark.parametrize(
    ("trouble", "code", "message"),
    [
        (OSError(28, "No space left on device"), 1, "Error: [Errno 28] No space left on device; "),
        (KeyboardInterrupt(), 130, "interrupted after 1 game; "),
    ],
    ids=["a full disk", "Ctrl-C"],
)
def test_an_early_end_names_the_way_on(
    trouble: BaseException, code: int, message: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def play(task: GameTask) -> GameRecord:
        if task.number == 1:
            raise trouble
        return play_game(task)

    with monkeypatch.context() as patch:
        patch.setattr(match_module, "play_game", play)
        done = kikashi_match(*TINY, "--output", "a b")
    assert done.exit_code == code
    assert done.stderr.splitlines()[-1] == f"{message}go on with: kikashi match --resume 'a b'"
    assert (here / "a b" / "report.md").exists() == (code == 130)
    assert len(run_match(settings(games=2, openings=tuple(own_openings(5))), here / "a b", ONE, resume=True)) == 2


def interrupted_after(*numbers: int) -> Callable[[GameTask], GameRecord]:
    """How games with these numbers are played, which Black wins; in the others Ctrl-C comes."""

    def play(task: GameTask) -> GameRecord:
        if task.number not in numbers:
            raise KeyboardInterrupt
        return winning(task.black.name)(task)

    return play


@pytest.mark.parametrize(("played", "scored"), [((0, 1, 2), 2), ((0,), 0)])
def test_after_ctrl_c_complete_pairs_are_scored(
    played: tuple[int, ...], scored: int, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As while it runs: games that happen to end sooner bias the score."""
    monkeypatch.setattr(match_module, "play_game", interrupted_after(*played))
    done = kikashi_match(*TINY, "--games", "6", "--output", "m", "--json")
    assert done.exit_code == 130
    assert sum(pairing["games"] for pairing in json.loads(done.stdout)["pairings"]) == scored
    report = (here / "m" / "report.md").read_text()
    assert f"\n{scored} games. " in report
    assert f"The score is over {scored} games in complete pairs." in report
    assert [f"games/{number:06}.sgf" in report for number in range(4)] == [number in played for number in range(4)]


EXPERIMENT = """
kind = "match"
title = "Ended early"
source = "nobody"
size = 5
simulations = 16
games = 6
opponent = "mogo-2006"
player = [{ name = "first", player = "lgrf2" }]
"""


def test_after_ctrl_c_complete_pairs_of_an_experiment_are_scored(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "e.toml").write_text(EXPERIMENT)
    monkeypatch.setattr(match_module, "play_game", interrupted_after(0, 1, 2))
    done = CliRunner().invoke(main, ["experiment", "run", "e.toml", "--concurrency", "1"])
    assert done.exit_code == 130
    assert "interrupted after 3; " in done.stderr
    assert "2 games on 5×5" in done.stdout


# --- ratings over several matches -------------------------------------------------------------------------------------


@pytest.fixture
def two_matches(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``one``: lgrf2 beats lgr1; ``two``: "lgr1 --set even_games=1" beats mogo-2006."""
    for folder, first, second in (("one", "lgrf2", "lgr1"), ("two", "lgr1 --set even_games=1", "mogo-2006")):
        monkeypatch.setattr(match_module, "play_game", winning(first))
        assert kikashi_match(first, second, *TINY[2:], "--output", folder).exit_code == 0


@pytest.mark.usefixtures("here")
def test_ratings_of_a_folder_that_is_not_there_are_refused_in_a_line() -> None:
    done = kikashi_ratings("nowhere")
    assert done.exit_code != 0
    assert done.stdout == ""
    assert done.stderr.strip().endswith("there is no folder nowhere")
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.usefixtures("two_matches")
def test_a_player_with_two_names_is_rated_as_one() -> None:
    done = kikashi_ratings("one", "two", "--rename", "lgr1 --set even_games=1=lgr1")
    assert (done.exit_code, done.stderr) == (0, "")
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["lgrf2", "lgr1", "mogo-2006"]
    assert done.stdout.splitlines()[1].endswith("2 of 4 games")
    table = json.loads(kikashi_ratings("one", "two", "--json").stdout)
    assert set(table) == {"lgrf2", "lgr1", "lgr1 --set even_games=1", "mogo-2006"}


@pytest.mark.usefixtures("two_matches")
def test_players_that_no_games_connect_are_named() -> None:
    message = kikashi_ratings("one", "two").stderr
    assert message == (
        "no games connect these, so their ratings cannot be compared: lgrf2, lgr1; lgr1 --set even_games=1, mogo-2006\n"
    )


@pytest.mark.usefixtures("two_matches")
def test_a_folder_that_is_named_twice_counts_once() -> None:
    once, twice = kikashi_ratings("one"), kikashi_ratings("one", "./one", "--json")
    assert "2 of 2 games" in once.stdout
    assert twice.stderr == "one is named twice: its games count once\n"
    assert twice.stdout == kikashi_ratings("one", "--json").stdout


def test_one_name_with_different_settings_is_two_players(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_module, "play_game", winning("lgrf2"))
    for folder, simulations in (("few", 10), ("many", 20), ("few2", 10)):
        kikashi_match(
            "lgrf2", "name=other lgr1 --simulations 5", "--simulations", simulations, *TINY[2:4], "--output", folder
        )
    done = kikashi_ratings("few", "many", "few2")
    assert {line.rpartition("Elo")[0].strip() for line in done.stdout.splitlines()} == {
        "lgrf2 @ few",
        "lgrf2 @ many",
        "other",
    }
    assert done.stderr == (
        "'lgrf2' is not the same player everywhere, so it is rated as several: "
        "lgrf2 --simulations 10 in few; lgrf2 --simulations 20 in many\n"
    )
    joined = kikashi_ratings("few", "many", "--rename", "lgrf2 @ few=x", "--rename", "lgrf2 @ many=x", "--json")
    assert set(json.loads(joined.stdout)) == {"x", "other"}


def test_only_matches_have_ratings(here: Path) -> None:
    (here / "study").mkdir()
    (here / "study" / "journal.jsonl").write_text('{"kind":"study","settings":{}}\n{"number":0}\n')
    assert kikashi_ratings("nowhere").stderr == "Error: there is no folder nowhere\n"
    assert kikashi_ratings("study").stderr == "Error: this is the journal of a study, not of a match\n"


@pytest.mark.usefixtures("two_matches")
@pytest.mark.parametrize(
    ("text", "message"),
    {
        "lgr1": "--rename is OLD=NEW, not 'lgr1'",
        "=lgr1": "--rename is OLD=NEW",
        "lgr2=lgr1": "nobody to rename is called 'lgr2'; there are lgr1, ",
        "lgr1=lgrf2": "not lgrf2 and lgrf2",
    }.items(),
)
def test_a_wrong_new_name_is_refused_in_one_line(text: str, message: str) -> None:
    done = kikashi_ratings("one", "two", "--rename", text)
    assert (done.exit_code, done.stdout) == (1, "")
    assert message in done.stderr.splitlines()[-1]
