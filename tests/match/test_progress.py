"""Progress: moves of running games, the time that is left, and what a person sees of it."""

import dataclasses
import io
import os
import threading
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from helpers.match_tools import PATIENCE, record, settings, tasks_of
from kikashi.cli.progress import ProgressView
from kikashi.match.journal import Journal
from kikashi.match.one_game import GameRecord, play_game
from kikashi.match.progress import Progress, expected_moves, moves_made
from kikashi.match.provenance import header
from kikashi.match.results import Match, rate_together
from kikashi.match.summary import scored_games
from kikashi.workers import watchdog
from kikashi.workers.watchdog import note_path


class Hands:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def write_note(folder: Path, number: int, moves: int) -> None:
    """What a worker notes before a preset thinks."""
    note = note_path(folder, number)
    note.parent.mkdir(parents=True, exist_ok=True)
    game = msgspec.structs.replace(record(number, "a", "b", "W+F"), moves=("pass",) * moves)
    note.write_bytes(msgspec.json.encode(game))


def test_the_moves_of_running_games_are_read_from_the_notes_of_their_workers(tmp_path: Path) -> None:
    assert moves_made(tmp_path) == []
    write_note(tmp_path, 3, 12)
    write_note(tmp_path, 7, 0)
    note_path(tmp_path, 8).write_bytes(b'{"moves": ["a')  # is just being written
    assert moves_made(tmp_path) == [12, 0]


def test_a_worker_notes_the_moves_of_its_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read is what is written, while the game is being played."""
    monkeypatch.setattr(watchdog, "_is_worker", True)
    seen: list[list[int]] = []
    keep_alive = watchdog.Watchdog.keep_alive
    monkeypatch.setattr(
        watchdog.Watchdog, "keep_alive", lambda watch: seen.append(moves_made(tmp_path)) or keep_alive(watch)
    )
    (task, *_) = tasks_of(settings(timeout=3000.0))
    game = play_game(dataclasses.replace(task, folder=str(tmp_path)))
    counts = [made for (made,) in (moves for moves in seen if moves)]
    assert counts == sorted(counts)
    assert counts[-1] >= len(game.moves) - 2
    assert moves_made(tmp_path) == [], "nothing is left of a game that has ended"


def test_there_is_a_time_left_before_the_first_game_has_ended(tmp_path: Path) -> None:
    clock = Hands()
    progress = Progress(10, size=9, folder=tmp_path, estimate=7200.0, clock=clock)
    assert str(progress) == "0 of 10 games, about 2 h left", "by the estimate"
    clock.now += 1000  # compiling
    write_note(tmp_path, 0, 1)
    progress.look()
    clock.now += 60
    write_note(tmp_path, 0, round(expected_moves(9) / 2))
    progress.look()
    assert progress.completed == pytest.approx(0.5, abs=0.01)
    assert progress.left == pytest.approx(60 * 9.5 / 0.5, rel=0.02), "by the moves of the running game"
    assert str(progress) == "0 of 10 games, 1 running (49 moves), about 19 min left"


def test_games_that_have_ended_say_how_long_games_are(tmp_path: Path) -> None:
    clock = Hands()
    progress = Progress(4, size=9, folder=tmp_path, clock=clock)
    assert str(progress) == "0 of 4 games", "nothing is known"
    write_note(tmp_path, 1, 10)
    progress.look()
    clock.now += 30
    progress.note(moves=20)
    assert progress.completed == 1.5
    assert progress.left == pytest.approx(30 * 2.5 / 1.5)
    write_note(tmp_path, 1, 1000)
    progress.look()
    assert progress.completed < 2, "a game that has not ended is none that has"


def test_results_that_were_there_before_say_nothing_about_the_speed() -> None:
    clock = Hands()
    progress = Progress(100, "positions", estimate=1000.0, before=50, clock=clock)
    assert str(progress) == "50 of 100 positions, about 8 min left"
    for _ in range(50):
        progress.note()
    assert progress.left == 500.0
    progress.note()
    clock.now += 10
    assert progress.left == pytest.approx(490.0)
    progress.note()
    clock.now += 10
    assert str(progress).startswith("52 of 100 positions, about 8 min")


def test_games_of_a_run_that_was_interrupted_are_not_running(tmp_path: Path) -> None:
    """Ctrl-C leaves their notes; one is written again when its game is."""
    for number in range(2):
        write_note(tmp_path, number, 10)
        os.utime(note_path(tmp_path, number), (1e9, 1e9))
    clock = Hands()
    progress = Progress(10, size=9, folder=tmp_path, estimate=7200.0, clock=clock)
    progress.look()
    clock.now += 5
    progress.look()
    assert str(progress) == "0 of 10 games, about 2 h left"
    write_note(tmp_path, 1, 1)
    progress.look()
    assert progress.running == [1]


# Points of a in the games that have ended so far, short ones first, and those that count: pairs in the order of the
# schedule, each with two games. The number of a game is its place in the schedule.
SO_FAR = [
    ({3: 1.0}, None),
    ({3: 1.0, 2: 1.0}, None),
    ({3: 1.0, 2: 1.0, 5: 1.0, 0: 0.0}, None),
    ({3: 1.0, 2: 1.0, 5: 1.0, 0: 0.0, 1: 0.0}, "2/4"),
    ({3: 1.0, 2: 1.0, 5: 1.0, 0: 0.0, 1: 0.0, 4: 0.5}, "3.5/6"),
    ({3: 1.0, 2: 1.0, 5: 1.0, 0: None, 1: 0.0}, "2/3"),
]


@pytest.mark.parametrize(("points", "shown"), SO_FAR)
def test_the_score_so_far_is_over_complete_pairs_in_the_order_of_the_schedule(
    points: dict[int, float | None], shown: str | None
) -> None:
    """Games that end sooner are not like the others."""
    watcher = ProgressView("playing", Progress(6), player="a", console=Console(file=io.StringIO()))
    games = [_game(number, share) for number, share in points.items()]
    for game in games:
        watcher.add(game)
    assert watcher.records == games
    description = watcher._bar.tasks[0].description
    assert description.partition(" = ")[0] == ("playing" if shown is None else f"a {shown}")
    scored = [
        game for game in scored_games(settings("name=a lgrf2", "name=b lgrf2", games=6), games) if not game.is_void
    ]
    assert len(scored) == (0 if shown is None else int(shown.partition("/")[2]))
    assert [game.number for game in scored] == sorted(game.number for game in scored)


def _game(number: int, points: float | None) -> GameRecord:
    """A game of a and b with these points of a; None if it could not begin."""
    names = ("a", "b") if number % 2 == 0 else ("b", "a")
    if points is None:
        return record(number, *names, "Void", ended="not begun")
    winner = 0 if (points == 1.0) == (names[0] == "a") else 1
    return record(number, *names, "0" if points == 0.5 else ("B+R", "W+R")[winner])


def test_a_match_in_progress_is_scored_and_rated_by_its_complete_pairs(tmp_path: Path) -> None:
    match = settings("name=a lgrf2", "name=b lgrf2", games=6)
    games = [_game(number, points) for number, points in ((0, 1.0), (1, 0.0), (2, 1.0), (4, 1.0), (5, 1.0))]
    with Journal(tmp_path, header(match, match.match_players()), GameRecord, resume=False) as journal:
        for game in games:
            journal.append(game)
    found = Match.read(tmp_path)
    assert len(found.records) == 5
    assert [(pairing.wins, pairing.losses) for pairing in found.summary.pairings] == [(1, 1)]
    assert {one.name: (one.points, one.games) for one in rate_together([tmp_path]).players} == {
        "a": (1, 2),
        "b": (1, 2),
    }


def test_other_players_games_do_not_hold_a_score_up() -> None:
    match = settings("name=a lgrf2", "name=b lgrf2", "name=c lgrf2", games=2)
    games = [
        record(0, "a", "b", "B+R", pairing=0, pair=0),
        record(2, "a", "c", "B+R", pairing=1, pair=0),
        record(3, "c", "a", "B+R", pairing=1, pair=0),
    ]
    assert [game.number for game in scored_games(match, games)] == [2, 3]


def test_all_games_count_once_a_sequential_test_has_decided() -> None:
    """Those that were under way then are games of the match like any."""
    match = settings("name=a lgrf2", "name=b lgrf2", games=400, sprt=(0, 400))
    games = [_game(number, 1.0) for number in range(60)]
    assert scored_games(match, [*games, _game(63, 1.0)])[-1].number == 63
    assert scored_games(settings(*match.players, games=400), [*games, _game(63, 1.0)])[-1].number == 59


class Screen(io.StringIO):
    """A stream that says when something was written to it."""

    def __init__(self, wanted: str) -> None:
        super().__init__()
        self.wanted, self.came = wanted, threading.Event()

    def write(self, text: str) -> int:
        written = super().write(text)
        if self.wanted in self.getvalue():
            self.came.set()
        return written


def test_a_person_sees_movement_before_the_first_result(tmp_path: Path) -> None:
    screen = Screen("2 running (46 moves)")
    progress = Progress(1300, size=9, folder=tmp_path, estimate=3e5)
    write_note(tmp_path, 0, 40)
    write_note(tmp_path, 1, 6)
    watcher = ProgressView("playing", progress, console=Console(file=screen, force_terminal=True, width=150))
    watcher.refresh_seconds = 0.01
    with watcher:
        assert screen.came.wait(PATIENCE), screen.getvalue()


def test_a_file_has_a_line_when_a_result_comes_in_and_no_other() -> None:
    looks, screen = threading.Semaphore(0), io.StringIO()
    progress = Progress(1300)
    progress.look = looks.release  # type: ignore[method-assign]
    watcher = ProgressView("playing", progress, console=Console(file=screen, width=40))
    watcher.refresh_seconds = watcher.line_seconds = 0.001
    with watcher:
        for _ in range(20):
            assert looks.acquire(timeout=PATIENCE)
        assert screen.getvalue() == ""
        watcher.add(_game(0, 1.0))
    watcher.line_seconds = PATIENCE
    watcher.add(_game(1, 1.0))
    assert [line.partition(" games")[0] for line in screen.getvalue().splitlines()] == ["1 of 1,300"]


@pytest.mark.parametrize("width", [40, 80])
def test_the_bar_leaves_room_for_the_state(width: int) -> None:
    screen = Screen("getting ready")
    console = Console(file=screen, force_terminal=True, width=width, _environ={"TERM": "xterm"})
    watcher = ProgressView("playing", Progress(4), console=console)
    watcher.refresh_seconds = 0.01
    with watcher:
        assert screen.came.wait(PATIENCE), screen.getvalue()
