"""Matches: who meets whom with which seeds, what is refused, how games are played, counted and written down."""

import math
from collections import Counter
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from helpers.match_tools import ONE, engine, record, settings, tasks_of, winning, without_times
from helpers.tools import tool
from kikashi import sgf
from kikashi.match import referee as ending, runner as match_module
from kikashi.match.journal import JournalError, read_records
from kikashi.match.one_game import GameRecord, GameTask, play_game
from kikashi.match.runner import derived, run_match
from kikashi.match.settings import MatchSettings, Pairing
from kikashi.match.statistics import lines
from kikashi.match.summary import pairing_decision, summarize
from kikashi.stats.sequential import Sprt, always_valid_p
from kikashi.workers.executors import Workers, run_all

PLAYERS = ("lgrf2", "mogo-2006", "lgr1")

# --- the schedule -----------------------------------------------------------------------------------------------------


def test_games_come_in_pairs_with_colours_swapped() -> None:
    match = settings(games=20, openings=((), ("C3",), ("B2", "D4")))
    tasks = tasks_of(match)
    assert [task.number for task in tasks] == list(range(20))
    assert [task.pair for task in tasks] == [number // 2 for number in range(20)]
    for first, second in zip(tasks[::2], tasks[1::2], strict=True):
        assert (first.black, first.white) == (second.white, second.black)
        assert first.black.name == "lgrf2"
        assert first.opening == second.opening
        assert first.seeds == second.seeds[::-1], "a player has one seed in both games of a pair"
        assert first.seeds[0] != first.seeds[1]
    assert {task.opening for task in tasks} == set(match.openings)
    assert len({task.seeds for task in tasks}) == 20, "every pair has seeds of its own"


def test_everybody_meets_everybody_in_every_round() -> None:
    tasks = tasks_of(settings(*PLAYERS, games=4))
    met = [(task.black.name, task.white.name) for task in tasks]
    one_round = [(a, b) for a, b in [PLAYERS[:2], PLAYERS[::2], PLAYERS[1:]] for a, b in ((a, b), (b, a))]
    assert met == one_round * 2
    assert [task.pairing for task in tasks] == [0, 0, 1, 1, 2, 2] * 2
    assert [task.pair for task in tasks] == [0] * 6 + [1] * 6
    assert len({task.opening for task in tasks[:6]}) == 1, "a round has one opening"


def test_everybody_may_meet_only_one() -> None:
    tasks = tasks_of(settings(*PLAYERS, games=2, only_with="lgr1"))
    assert [(task.black.name, task.white.name) for task in tasks] == [
        ("lgrf2", "lgr1"),
        ("lgr1", "lgrf2"),
        ("mogo-2006", "lgr1"),
        ("lgr1", "mogo-2006"),
    ]
    with pytest.raises(ValueError, match="no player is called 'lgr2'; there are lgrf2, mogo-2006, lgr1"):
        tasks_of(settings(*PLAYERS, only_with="lgr2"))


def test_two_players_may_have_games_and_openings_of_their_own() -> None:
    """Rounds go on for those who have games left; colours, seeds and pairs are as ever."""
    pairings = (Pairing("lgrf2", "lgr1", 6, ((),)), Pairing("mogo-2006", "lgr1", 3, (("C3",), ("B2",))))
    match = settings(*PLAYERS, pairings=pairings)
    tasks = tasks_of(match)
    assert match.total_games == len(tasks) == 10
    assert [(task.number, task.pairing, task.pair) for task in tasks] == [
        *((n, n // 2 % 2, n // 4) for n in range(8)),
        *((n, 0, 2) for n in (8, 9)),
    ]
    assert {task.opening for task in tasks if task.pairing == 0} == {()}
    assert {task.opening for task in tasks if task.pairing == 1} <= {("C3",), ("B2",)}
    assert {task.black.name for task in tasks if task.pairing == 1} == {"mogo-2006", "lgr1"}
    with pytest.raises(ValueError, match="no player is called 'lgr2'; there are lgrf2, mogo-2006, lgr1"):
        tasks_of(settings(*PLAYERS, pairings=(Pairing("lgrf2", "lgr2", 2, ((),)),)))


@pytest.mark.parametrize(("more", "games"), [({}, 18), ({"only_with": "lgr1"}, 12)])
def test_the_number_of_games_is_known_beforehand(more: dict[str, Any], games: int) -> None:
    """An odd number becomes whole pairs."""
    match = settings(*PLAYERS, games=5, **more)
    assert match.total_games == len(tasks_of(match)) == games


def test_seeds_depend_on_seed_pair_and_player_and_on_nothing_else() -> None:
    assert derived(1, 0, "lgrf2") == 2085501922, "for ever: else old matches could not be gone on with"
    values = [derived(seed, pair, name) for seed in (1, 2) for pair in range(500) for name in PLAYERS]
    assert len(set(values)) == len(values)
    assert all(0 <= value < 2**31 for value in values)
    seeds = {
        (task.pair, player.name): seed
        for task in tasks_of(settings(*PLAYERS, games=4))
        for player, seed in ((task.black, task.seeds[0]), (task.white, task.seeds[1]))
    }
    for task in tasks_of(settings("mogo-2006", "lgrf2", games=4, komi=0.5)):
        assert seeds[task.pair, task.black.name] == task.seeds[0], "who else plays does not matter"


# --- settings ---------------------------------------------------------------------------------------------------------

WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "one player": ({"players": ("lgrf2",)}, "two players at least"),
    "no games": ({"games": 0}, "games are from 1 to 1,000,000, not 0"),
    "too many games": ({"games": 10**7}, "games are from 1"),
    "a board too small": ({"size": 1}, "boards are from 2 to 19, not 1"),
    "a board too large": ({"size": 20}, "boards are from 2 to 19, not 20"),
    "an impossible komi": ({"komi": 0.3}, "komi 0.3"),
    "a komi that is no number": ({"komi": math.nan}, "komi nan"),
    "rules that are none": ({"rules": "japanese"}, "japanese"),
    "a referee that is none": ({"referee": "katago"}, "playouts or gnugo, not 'katago'"),
    "SPRT for three": ({"players": PLAYERS, "sprt": (0.0, 50.0)}, "SPRT is for two players, not 3"),
    "SPRT the wrong way": ({"sprt": (50.0, 0.0)}, "elo0 below elo1"),
    "SPRT of nothing": ({"sprt": (5.0, 5.0)}, "elo0 below elo1"),
    "SPRT of no number": ({"sprt": (math.nan, 5.0)}, "elo0 below elo1"),
    "SPRT without an end": ({"sprt": (0.0, math.inf)}, "elo0 below elo1"),
    "SPRT of a pairing": ({"pairings": (Pairing("lgrf2", "mogo-2006", 4, ((),), (5.0, -5.0)),)}, "elo0 below elo1"),
    "SPRT beyond all Elo": ({"sprt": (-9999.0, 0.0)}, "elo0 below elo1"),
    "no simulations": ({"simulations": 0}, "simulations must be at least 1"),
    "no time": ({"simulations": None, "seconds": 0.0}, "seconds must be above 0"),
    "a time that is no number": ({"seconds": math.nan}, "seconds must be above 0"),
    "a time-out of nothing": ({"timeout": 0.0}, "time-out is above 0"),
    "a time-out that is no number": ({"timeout": math.nan}, "time-out is above 0"),
    "a time-out without an end": ({"timeout": math.inf}, "time-out is above 0"),
    "a clock that is none": ({"clock": "5 minutes"}, "a clock is written as in 300, 300"),
    "no forfeits": ({"forfeits": 0}, "after one forfeit or more, not after 0"),
    "no opening": ({"openings": ()}, "one opening at least"),
    "a pairing without games": ({"pairings": (Pairing("lgrf2", "mogo-2006", 0, ((),)),)}, "games are from 1"),
    "a pairing without an opening": ({"pairings": (Pairing("lgrf2", "mogo-2006", 2, ()),)}, "one opening at least"),
    "pairings and one for all": (
        {"pairings": (Pairing("lgrf2", "mogo-2006", 2, ((),)),), "only_with": "lgrf2"},
        "pairings or one player that everybody meets, not both",
    ),
    "an opening off the board": ({"openings": ((), ("F6",))}, "F6"),
    "an illegal opening": ({"openings": (("C3", "C3"),)}, "C3 is illegal"),
}


@pytest.mark.parametrize("case", WRONG)
def test_impossible_settings_are_refused_in_one_line(case: str) -> None:
    table, message = WRONG[case]
    with pytest.raises(ValueError, match=message) as caught:
        settings(**table) if "players" not in table else MatchSettings(**table)
    assert "\n" not in str(caught.value)


def test_two_players_need_two_names() -> None:
    with pytest.raises(ValueError, match="two players are called 'lgrf2'"):
        settings("lgrf2", "lgrf2").match_players()
    names = [player.name for player in settings("lgrf2", "name=other lgrf2").match_players()]
    assert names == ["lgrf2", "other"]


def test_a_referee_that_is_not_installed_is_refused_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(match_module, "find_program", lambda name: None)
    with pytest.raises(ValueError, match="GNU Go is to count, but is not installed"):
        run_match(settings(referee="gnugo"), tmp_path / "match", ONE)
    assert not (tmp_path / "match").exists()


def test_an_engine_needs_time_to_answer() -> None:
    match = settings(engine("passes"), "lgrf2", simulations=None, seconds=10.0, timeout=10.0)
    with pytest.raises(ValueError, match="passes may think for 10 s, but times out at 10 s"):
        tasks_of(match)
    assert tasks_of(settings(simulations=None, seconds=10.0, timeout=10.0)), "a preset does not, while it simulates"


# --- playing ----------------------------------------------------------------------------------------------------------


def test_a_match_is_played_and_written_down(tmp_path: Path) -> None:
    match, heard = settings(openings=(("C3", "C2"),)), []
    records = run_match(match, tmp_path, ONE, listener=heard.append)
    assert heard == records
    assert [game.number for game in records] == [0, 1, 2, 3]
    for game, task in zip(records, tasks_of(match), strict=True):
        assert (game.black, game.white, game.seeds) == (task.black.name, task.white.name, task.seeds)
        assert game.moves[:2] == game.opening == ("C3", "C2")
        assert sum(game.thought) == len(game.moves) - 2
        assert game.ended in ("passes", "move limit")
        assert game.result == game.counts["playouts"]
        file = sgf.read_game(tmp_path / "games" / f"{game.number:06}.sgf")
        assert tuple(move.name for move in file.moves) == game.moves
        assert {key: file.headers[key] for key in ("PB", "PW", "RE", "RO")} == {
            "PB": game.black,
            "PW": game.white,
            "RE": game.result,
            "RO": str(game.number),
        }
        assert str(game.seeds[0]) in file.headers["GC"]


def test_the_same_seed_plays_the_same_match(tmp_path: Path) -> None:
    def played(folder: str, seed: int, threads: int = 1) -> list[GameRecord]:
        workers = Workers(lambda: ThreadPoolExecutor(threads), threads)
        return without_times(run_match(settings(seed=seed), tmp_path / folder, workers))

    first = played("a", 1)
    assert played("b", 1, threads=3) == first
    assert [game.moves for game in played("c", 2)] != [game.moves for game in first]


def test_a_match_that_is_done_is_not_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = run_match(settings(games=2), tmp_path, ONE)
    monkeypatch.setattr(match_module, "play_game", lambda task: pytest.fail("played again"))
    heard: list[GameRecord] = []
    assert run_match(settings(games=2), tmp_path, ONE, resume=True, listener=heard.append) == before == heard
    with pytest.raises(JournalError, match="was begun already"):
        run_match(settings(games=2), tmp_path, ONE)
    with pytest.raises(JournalError, match=r"komi 7\.5, not 6\.5"):
        run_match(settings(games=2, komi=6.5), tmp_path, ONE, resume=True)


def test_only_missing_games_are_played(tmp_path: Path) -> None:
    whole = run_match(settings(), tmp_path, ONE)
    journal = tmp_path / "journal.jsonl"
    first, *games = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(first + games[3] + games[1])
    file = tmp_path / "games" / "000001.sgf"
    text = file.read_text()
    file.unlink()
    heard: list[GameRecord] = []
    again = run_match(settings(), tmp_path, ONE, resume=True, listener=heard.append)
    assert without_times(again) == without_times(whole)
    assert file.read_text() == text, "the file of a game in the journal is written again"
    assert [record.number for record in heard] == [1, 3, 0, 2]


def test_a_game_ends_at_its_limit(tmp_path: Path) -> None:
    assert settings().most_moves == 75
    games = run_match(settings(games=2, move_limit=6), tmp_path, ONE)
    assert [(game.ended, len(game.moves)) for game in games] == [("move limit", 6)] * 2
    assert all(game.result == game.counts["playouts"] for game in games)


def test_an_unexpected_error_ends_the_match_and_keeps_its_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def play(task: GameTask) -> GameRecord:
        if task.number == 2:
            raise ZeroDivisionError("ours")
        return play_game(task)

    monkeypatch.setattr(match_module, "play_game", play)
    with pytest.raises(ZeroDivisionError):
        run_match(settings(), tmp_path, ONE)
    monkeypatch.undo()
    heard: list[GameRecord] = []
    assert len(run_match(settings(), tmp_path, ONE, resume=True, listener=heard.append)) == 4
    assert [record.number for record in heard[:2]] == [0, 1]


SQUARE = ("B1", "D1", "B2", "D2", "B3", "D3", "B4", "D4", "B5", "D5", "C1", "C2", "C3", "C4", "C5")
"""Black has 13 points and White 12."""


def test_a_whole_komi_allows_a_draw(tmp_path: Path) -> None:
    players = engine("passes", name="a"), engine("passes", name="b")
    games = run_match(settings(*players, games=2, komi=1, openings=(SQUARE,)), tmp_path, ONE)
    assert [(game.result, game.winner, game.points("a")) for game in games] == [("0", None, 0.5)] * 2
    assert [game.counts for game in games] == [{"board": "0", "playouts": "0"}] * 2
    found = summarize(settings(*players), games)
    assert (found.pairings[0].wins, found.pairings[0].draws, found.pairings[0].losses) == (0, 2, 0)
    assert lines(found)[0].startswith("a – b: 0–0 (2 draws), 50.0%")
    assert "the same moves: games 0, 1" in lines(found)
    assert sgf.read_game(tmp_path / "games" / "000000.sgf").headers["RE"] == "0"


DEAD = (*SQUARE, "A3")
"""A white stone in Black's area that nobody would capture; on the board as it stands it takes Black's points."""


def test_ways_of_counting_that_disagree_are_reported(tmp_path: Path) -> None:
    players = engine("passes", name="a"), engine("passes", name="b")
    match = settings(*players, games=2, komi=0.5, openings=(DEAD,))
    games = run_match(match, tmp_path, ONE)
    assert [game.counts["board"] for game in games] == ["W+5.5", "W+5.5"]
    assert [game.result for game in games] == ["B+0.5", "B+0.5"]
    assert all(game.disputed for game in games)
    found = summarize(match, games)
    assert "counted differently: games 0, 1" in lines(found)
    assert "RE[B+0.5]" in (tmp_path / "games" / "000000.sgf").read_text(), "the referee's word, not the board's"


@pytest.mark.slow
def test_gnu_go_may_count(tmp_path: Path) -> None:
    tool("gnugo")
    players = engine("passes", name="a"), engine("passes", name="b")
    match = settings(*players, games=2, komi=0.5, openings=(DEAD,), referee="gnugo")
    games = run_match(match, tmp_path, ONE)
    assert [game.result for game in games] == [game.counts["gnugo"] for game in games]
    assert not any("not counted" in line for line in lines(summarize(match, games)))


def test_a_referee_that_fails_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ending, "GNUGO", engine("crash").partition(" ")[2])
    monkeypatch.setattr(match_module, "find_program", lambda name: name)
    match = settings(games=2, referee="gnugo")
    games = run_match(match, tmp_path, ONE)
    assert all(set(game.counts) == {"board", "playouts"} for game in games)
    found = summarize(match, games)
    assert "not counted by the referee: games 0, 1" in lines(found)


# --- workers ----------------------------------------------------------------------------------------------------------


class Breaking(Executor):
    """Runs the first tasks it gets, then breaks down."""

    def __init__(self, good: int) -> None:
        self.left = good

    def submit(self, function: Any, /, *arguments: Any, **more: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if self.left < 0:
            raise BrokenExecutor("broken")
        if self.left:
            future.set_result(function(*arguments))
        else:
            future.set_exception(BrokenExecutor("broken"))
        self.left -= 1
        return future


@pytest.mark.parametrize("count", [1, 2, 3, 20])
def test_results_that_come_together_are_noted_in_order(count: int) -> None:
    """Game 10 after game 9, also after a breakdown."""
    pools, noted = [Breaking(9), Breaking(99)], []
    run_all([f"{n}" for n in range(25)], lambda task: task, Workers(lambda: pools.pop(0), count), noted.append)
    assert noted == [f"{n}" for n in range(25)]


@pytest.mark.parametrize("count", [1, 3])
def test_workers_that_break_down_are_replaced(count: int) -> None:
    pools, noted = [Breaking(3), Breaking(0), ThreadPoolExecutor(count)], []
    run_all(range(10), lambda task: task, Workers(lambda: pools.pop(0), count), noted.append)
    assert sorted(noted) == list(range(10)), "each once"
    assert not pools


def test_workers_that_break_down_again_and_again_are_given_up() -> None:
    noted: list[int] = []
    with pytest.raises(OSError, match=r"broke down 3 times; what was done is kept"):
        run_all(range(10), lambda task: task, Workers(lambda: Breaking(2), 1), noted.append)
    assert sorted(noted) == list(range(6))


def test_workers_are_stopped_when_noting_fails() -> None:
    class Stoppable(ThreadPoolExecutor):
        is_killed = False

        def kill(self) -> None:
            self.is_killed = True
            self.shutdown()

    def note(result: int) -> None:
        raise OSError("No space left on device")

    pool = Stoppable(1)
    with pytest.raises(OSError, match="No space left"):
        run_all(range(10), lambda task: task, Workers(lambda: pool, 1), note)
    assert pool.is_killed


# --- SPRT -------------------------------------------------------------------------------------------------------------


def _decision(match: MatchSettings, records: list[GameRecord]) -> Sprt:
    return pairing_decision(match.all_pairings()[0], records)


@pytest.mark.parametrize(("winner", "decision"), [("lgrf2", "H1"), ("mogo-2006", "H0")])
def test_sprt_ends_a_match_that_is_decided(
    winner: str, decision: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_module, "play_game", winning(winner))
    match = settings(games=1000, sprt=(0.0, 100.0))
    records = run_match(match, tmp_path, ONE)
    found = _decision(match, records)
    assert found.decision == decision
    assert 2 < len(records) < 60
    assert _decision(match, records[:-4]).decision == "continue", "not much later than it could"
    assert f"SPRT: {decision}, LLR " in "\n".join(lines(summarize(match, records)))
    monkeypatch.setattr(match_module, "play_game", lambda task: pytest.fail("played on"))
    assert run_match(match, tmp_path, ONE, resume=True) == records


def test_pairings_stop_when_a_test_that_is_valid_at_any_time_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first pairing differs after 14 games of one winner; in the second Black wins every game, so it is alike.

    When that is known one more game may be under way.
    """
    plain = ((),)
    match = settings(
        "lgrf2",
        "mogo-2006",
        "lgr1",
        pairings=(
            Pairing("lgrf2", "mogo-2006", 1000, plain, decided_at=0.001),
            Pairing("lgrf2", "lgr1", 1000, plain, decided_at=0.2),
            Pairing("mogo-2006", "lgr1", 10, plain),
        ),
    )
    monkeypatch.setattr(
        match_module, "play_game", lambda task: winning("lgrf2" if task.pairing == 0 else task.black.name)(task)
    )
    records = run_match(match, tmp_path, ONE)
    games = Counter(record.pairing for record in records)
    assert always_valid_p(12, 12) > 0.001 > always_valid_p(14, 14)
    assert games[0] in (14, 15)
    needed = next(n for n in range(2, 1000, 2) if always_valid_p(n / 2, n, 0.6) < 0.2)
    assert games[1] in (needed, needed + 1)
    assert games[2] == 10
    assert run_match(match, tmp_path, ONE, resume=True) == records, "nothing is played again"


def test_pairings_stop_by_sprt_on_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`lgr1` wins all, `lgrf2` loses all, and the third two have no test."""
    meet = [("lgr1", "mogo-2006"), ("lgrf2", "lgr1"), ("mogo-2006", "lgrf2")]
    bounds = [(-80.0, 0.0), (-80.0, 0.0), None]
    pairings = tuple(
        Pairing(first, second, 100, ((),), test) for (first, second), test in zip(meet, bounds, strict=True)
    )
    match = settings(*PLAYERS, pairings=pairings)

    def play(task: GameTask) -> GameRecord:
        return winning("lgr1" if task.pairing < 2 else task.black.name)(task)

    monkeypatch.setattr(match_module, "play_game", play)
    records = run_match(match, tmp_path, ONE)
    games = [[record.number for record in records if record.pairing == number] for number in range(3)]
    assert [2 < len(played) < 60 for played in games] == [True, True, False]
    assert len(games[2]) == 100
    found = {(score.first, score.second): score.sprt for score in summarize(match, records).pairings}
    assert {two: test and test.decision for two, test in found.items()} == {
        ("mogo-2006", "lgr1"): "H1",
        ("lgrf2", "lgr1"): "H0",
        ("lgrf2", "mogo-2006"): None,
    }
    for pairing in pairings[:2]:
        assert pairing_decision(pairing, records[:-4]).decision != "continue"
    monkeypatch.setattr(match_module, "play_game", lambda task: pytest.fail("played on"))
    assert run_match(match, tmp_path, ONE, resume=True) == records


def test_all_pairings_of_an_interrupted_match_are_equally_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairings = tuple(Pairing(name, "lgr1", 50, ((),), (-10.0, 10.0)) for name in PLAYERS[:2])
    match = settings(*PLAYERS, pairings=pairings)

    def listen(record: GameRecord) -> None:
        if record.number == 10:
            raise KeyboardInterrupt

    monkeypatch.setattr(match_module, "play_game", lambda task: winning(task.black.name)(task))
    with pytest.raises(KeyboardInterrupt):
        run_match(match, tmp_path, ONE, listener=listen)
    played = read_records(tmp_path, GameRecord)
    assert abs(sum(1 - 2 * record.pairing for record in played)) <= 2
    whole = run_match(match, tmp_path, ONE, resume=True)
    assert len(whole) == 100
    assert whole[: len(played)] == played


def test_tasks_that_are_not_needed_any_more_are_dropped() -> None:
    """After 3 no odd number is needed; those before it had been done."""
    noted: list[int] = []
    run_all(range(10), lambda task: task, ONE, noted.append, lambda task: 3 not in noted or task % 2 == 0)
    assert [task for task in noted if task % 2 == 0] == [0, 2, 4, 6, 8]
    assert [task for task in noted if task % 2] in ([1, 3], [1, 3, 5]), "one may be under way"


def test_sprt_goes_by_the_schedule_and_does_not_change_its_mind() -> None:
    """Games that end later, or were still under way, change nothing."""
    match = settings(games=1000, sprt=(0.0, 100.0))
    names = "lgrf2", "mogo-2006"

    def game(number: int, won: bool) -> GameRecord:
        black, white = names if number % 2 == 0 else names[::-1]
        return record(number, black, white, "B+1" if won == (black == "lgrf2") else "W+1")

    won, lost = [game(n, True) for n in range(40)], [game(n, False) for n in range(40, 400)]
    decided = _decision(match, won)
    assert decided.decision == "H1"
    assert _decision(match, won + lost) == decided
    assert _decision(match, (won + lost)[::-1]) == decided
    missing = _decision(match, won[1:])
    assert (missing.decision, missing.llr) == ("continue", 0.0), "the first pair is not complete"
    assert _decision(match, []).decision == "continue"
