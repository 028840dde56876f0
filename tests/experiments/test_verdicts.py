"""Runs that are kept, the verdicts that follow from them, and the queue that makes more."""

import json
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from kikashi import Game
from kikashi.cli import main
from kikashi.experiments.reproduction import read_queue
from kikashi.experiments.results import (
    PAGE,
    RunName,
    judge_claims,
    keep,
    read_run,
    read_runs,
    restore,
    verdicts_document,
)
from kikashi.match.game_players import join_game
from kikashi.match.journal import FILE, JournalError
from kikashi.workers.executors import make_workers

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results"
SMALL = RunName(experiment="coulom2006-table1", overrides=("positions=4", "simulations=512"))


@pytest.fixture(scope="module")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a short run."""
    folder = tmp_path_factory.mktemp("run")
    SMALL.design().run(folder, make_workers("processes", 1))
    return folder


def test_a_kept_run_has_the_records_of_its_journal_and_can_be_resumed(small_run: Path, tmp_path: Path) -> None:
    file = keep(SMALL, small_run, tmp_path)
    assert file is not None
    run = read_run(file)
    assert run.name == SMALL
    assert [record.number for record in run.records] == [0, 1, 2, 3]
    restore(SMALL, tmp_path / "again", tmp_path)
    assert (tmp_path / "again" / FILE).read_bytes() == (small_run / FILE).read_bytes()
    assert run.design.done(tmp_path / "again", run.header) == (4, 4, True)


def test_a_run_that_has_not_begun_is_not_kept(tmp_path: Path) -> None:
    assert keep(SMALL, tmp_path / "nothing", tmp_path) is None
    assert read_runs(tmp_path) == []


@pytest.mark.parametrize("cut", [20, 200])
def test_a_damaged_file_is_refused_in_one_line(small_run: Path, tmp_path: Path, cut: int) -> None:
    file = keep(SMALL, small_run, tmp_path)
    assert file is not None
    file.write_bytes(file.read_bytes()[:cut])
    with pytest.raises((ValueError, JournalError), match="is not a kept run"):
        read_run(file)


def test_claims_are_judged_by_the_run_that_is_nearest_to_the_paper(small_run: Path, tmp_path: Path) -> None:
    keep(SMALL, small_run, tmp_path)
    judged = {one.claim.text: one for one in judge_claims(read_runs(tmp_path))}
    one = judged["Mix is more accurate than the mean"]
    assert one.run is not None
    assert one.run.name == SMALL
    assert one.run.scope == "9×9, 512 simulations, 4 positions"
    assert judged["Sequence-like playouts are stronger than pure random ones"].verdict == "not run"


def test_a_shorter_journal_does_not_take_the_place_of_a_kept_one(small_run: Path, tmp_path: Path) -> None:
    results, folder = tmp_path / "results", tmp_path / "run"
    file = keep(SMALL, small_run, results)
    assert file is not None
    whole, lines = file.read_bytes(), (small_run / FILE).read_bytes().splitlines(keepends=True)
    folder.mkdir()
    (folder / FILE).write_bytes(b"".join(lines[:2]))
    keep(SMALL, folder, results)
    assert file.read_bytes() == whole
    restore(SMALL, folder, results)
    assert (folder / FILE).read_bytes() == b"".join(lines)
    (folder / FILE).write_bytes(b"".join([lines[0], lines[2]]))
    with pytest.raises(ValueError, match="are different runs: move one of them away"):
        keep(SMALL, folder, results)


def test_the_queue_keeps_what_was_run_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("results").mkdir()
    Path("results/queue.toml").write_text(
        '[[run]]\nexperiment = "coulom2006-table1"\nset = ["positions=2", "simulations=256"]\n'
    )
    for state in ("next, ", "finished, 9×9, 256 simulations, 2 positions"):
        done = CliRunner().invoke(main, ["experiment", "reproduce", "--concurrency", "1"])
        assert done.exit_code == 0, done.output
        assert f"coulom2006-table1+positions-2+simulations-256: {state}" in done.output
    data = json.loads(CliRunner().invoke(main, ["experiment", "verdicts", "--json"]).stdout)
    assert sum(one["run"] is not None for one in data) == 6


def test_the_page_is_made_from_the_kept_runs() -> None:
    pictures: dict[str, str] = {}
    page = verdicts_document(RESULTS).markdown(pictures)
    assert (ROOT / "docs" / PAGE).read_text("utf-8") == page, "run make results"
    for name, content in pictures.items():
        assert (ROOT / "docs" / name).read_text("utf-8") == content


def test_kept_runs_are_of_the_queue_and_their_games_are_legal() -> None:
    queued = {entry.name.label for entry in read_queue(RESULTS)}
    for run in read_runs(RESULTS):
        assert run.name.label in queued
        for record in run.records if run.design.kind == "match" else ():
            game = Game(run.design.size, run.design.komi)
            for move in record.moves:
                game.push(move)
            assert record.is_void or game.is_over() or record.ended != "passes"


@pytest.mark.slow
def test_our_moves_are_found_again() -> None:
    """Replay the moves of presets with fixed simulations and one thread, in the shortest game of each run."""
    matches = [run for run in read_runs(RESULTS) if run.design.kind == "match" and run.records]
    for run in matches:
        record = min(run.records, key=lambda record: len(record.moves))
        players = {player.name: player for player in run.design.match().match_players()}
        for side, name in enumerate((record.black, record.white)):
            if not players[name].preset or players[name].simulations is None or players[name].threads != 1:
                continue
            game = Game(run.design.size, run.design.komi)
            with closing(join_game(players[name], game, record.seeds[side], 60.0)) as player:
                for number, move in enumerate(record.moves):
                    if number % 2 == side and number >= len(record.opening):
                        assert player.genmove(game) == move, (
                            f"{run.name.label}, game {record.number}, move {number + 1}"
                        )
                    player.observe(game.push(move))
    assert matches
