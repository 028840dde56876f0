"""Runs that are kept, the verdicts that follow from them, and the queue that makes more."""

import json
import os
import re
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from helpers.match_tools import record
from kikashi import Game
from kikashi.cli import main
from kikashi.experiments.experiment import experiment_report
from kikashi.experiments.queue import ExperimentEntry
from kikashi.experiments.reproduction import is_decided, read_queue
from kikashi.experiments.results import (
    Run,
    RunName,
    keep,
    merged,
    read_run,
    read_runs,
    read_signatures,
    restore,
    run_file,
)
from kikashi.experiments.verdicts import OTHER_PLAY, PAGE, judge_claims, verdict_row, verdicts_document
from kikashi.match.game_players import join_game
from kikashi.match.journal import FILE, JournalError
from kikashi.match.summary import is_over
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
    assert run.design.done(run.headers[-1], run.records) == (4, 4, True)


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


def test_equal_games_of_two_runs_count_once_and_others_together() -> None:
    name = RunName(experiment="baier2010-figure5.5", overrides=("direct=true", "size=9", "simulations=20", "games=2"))
    longer = RunName(experiment=name.experiment, overrides=(*name.overrides[:-1], "games=4"))
    other = RunName(experiment=name.experiment, overrides=("direct=true", "size=9", "simulations=30", "games=2"))
    label, base = "MCTS against BMR", "BMR"
    sides = [(label, base), (base, label)] * 2
    played = [record(n, *pair, f"{'BW'[n % 2]}+R", seeds=(n // 2, 0)) for n, pair in enumerate(sides)]
    runs = [
        Run(each, each.design(), [header(each, signature)], games)
        for each, signature, games in (
            (name, "1", played[:2]),
            (longer, "1", played),
            (longer, "2", played),
            (other, "1", played[:2]),
        )
    ]
    first, *others = merged(runs)
    assert [len(run.records) for run in (first, *others)] == [4, 4, 2]
    assert first.design.effects(first.records)[0].observations == 4


def test_a_run_of_some_rows_counts_with_one_of_all() -> None:
    shared = ("direct=true", "size=9", "simulations=20", "games=2")
    whole = RunName(experiment="baier2010-figure6.2", overrides=shared)
    part = RunName(experiment="baier2010-figure6.2", overrides=('only=["LGRF-1", "LGR-2"]', "seed=2", *shared))
    pair = ("LGRF-1 against LGR-2", "LGR-2")
    assert [row["row"] for row in part.design().rows()] == [pair[0]]
    runs = [
        Run(name, name.design().whole(), [header(name, "1")], [record(0, *pair, "B+R", seeds=(seed, 0))])
        for seed, name in enumerate((part, whole))
    ]
    (run,) = merged(runs)
    assert [effect and effect.observations for effect in run.design.effects(run.records)] == [2, None, None]
    assert set(run.signatures.values()) == {"1"}
    with pytest.raises(ValueError, match="there is no row 'LGRF-3'; did you mean LGRF-1"):
        RunName(experiment="baier2010-figure6.2", overrides=('only=["LGRF-3"]',)).design()


def header(name: RunName, signature: str) -> dict[str, Any]:
    """Return the header of a run whose players have one signature."""
    settings = name.design().match()
    players = [{"name": each, "signature": signature} for each in settings.names]
    return {"kind": "match", "settings": settings.as_table(), "players": players}


def test_a_run_of_other_play_is_marked() -> None:
    name = RunName(experiment="baier2010-figure5.5", overrides=("direct=true", "size=9", "simulations=20", "games=2"))
    played = [record(0, "MCTS against BMR", "BMR", "B+R")]
    run = Run(name, name.design(), [header(name, "1")], played)
    today = dict.fromkeys(run.signatures, "1")
    assert set(today) == {f"{player} --set choice.resign=0.05 on 9x9" for player in ("orego-2010", "bmr")}
    assert run.is_of_version(today)
    assert not run.is_of_version(today | {"bmr --set choice.resign=0.05 on 9x9": "2"})
    assert not Run(name, name.design(), [header(name, "1"), header(name, "")], played).is_of_version(today)
    one = next(one for one in judge_claims([run]) if one.run is not None)
    assert OTHER_PLAY in "".join(verdict_row(one, is_current=False))
    assert OTHER_PLAY not in "".join(verdict_row(one, is_current=True))


def test_a_report_has_the_claims_of_its_experiment_and_says_that_a_pair_was_decided() -> None:
    name = RunName(experiment="baier2010-figure5.5", overrides=("direct=true", "size=9", "simulations=20", "games=60"))
    sides = [("MCTS against BMR", "BMR"), ("BMR", "MCTS against BMR")] * 10
    played = [record(n, *pair, f"{'BW'[n % 2]}+R", seeds=(n // 2, 0)) for n, pair in enumerate(sides)]
    assert is_over(name.design().match().pairings[0], played)
    assert not is_over(name.design().match().pairings[0], played[:10])
    report = experiment_report(name.design(), played)
    assert [(claim["section"], claim["verdict"]) for claim in report.data["claims"]] == [("§5.3.2", "reproduced")]
    assert "decided, p < 0.0005" in report.document.text()


def test_a_loss_of_a_smaller_search_is_no_evidence() -> None:
    name = RunName(experiment="coulom2006-table2", overrides=("simulations_per_second=10", "games=40"))
    played = [record(number, "16 minutes a game", "opponent", "W+R") for number in range(40)]
    run = Run(name, name.design(), [], played)
    judged = {one.claim.text: one.verdict for one in judge_claims([run])}
    assert judged["Crazy Stone with 16 minutes a game is weaker than GNU Go"] == "same direction, not decided"


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
        assert ("; 1 run left, " in done.output) == state.startswith("next")
        assert "94 claims: " in done.output
    data = json.loads(CliRunner().invoke(main, ["experiment", "verdicts", "--json"]).stdout)
    assert sum(one["run"] is not None for one in data) == 6


def test_the_queue_loses_nothing_when_it_is_killed(
    small_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SIGKILL leaves a journal whose last line may be torn, and nothing among the results."""
    monkeypatch.chdir(tmp_path)
    folder, queue = Path("experiments", SMALL.label), Path("results/queue.toml")
    queue.parent.mkdir()
    queue.write_text(f'[[run]]\nexperiment = "{SMALL.experiment}"\nset = ["positions=4", "simulations=512"]\n')
    lines = (small_run / FILE).read_bytes().splitlines(keepends=True)
    folder.mkdir(parents=True)
    (folder / FILE).write_bytes(b"".join(lines[:3]) + lines[3][:40])
    done = CliRunner().invoke(main, ["experiment", "reproduce", "--concurrency", "1"])
    assert done.exit_code == 0, done.output
    assert (folder / FILE).read_bytes().startswith(b"".join(lines[:3]))
    (run,) = read_runs(Path("results"))
    assert run.records == read_run(keep(SMALL, small_run, tmp_path)).records


def test_a_run_is_not_needed_once_its_claims_are_decided(tmp_path: Path) -> None:
    name = RunName(experiment="baier2010-figure5.5", overrides=("direct=true", "size=9", "simulations=20", "games=60"))
    longer = RunName(experiment=name.experiment, overrides=(*name.overrides, "seed=2"))
    more = ExperimentEntry(str(tmp_path / "more"), longer, str(tmp_path))
    for losses, decided in ((25, False), (60, True)):
        sides = [("MCTS against BMR", "BMR"), ("BMR", "MCTS against BMR")] * 30
        played = [
            record(n, *pair, f"{'BW'[n % 2] if n < losses else 'WB'[n % 2]}+R", seeds=(n // 2, 0))
            for n, pair in enumerate(sides)
        ]
        lines = [json.dumps(header(name, "1")).encode(), *map(msgspec.json.encode, played)]
        (tmp_path / FILE).write_bytes(b"".join(line + b"\n" for line in lines))
        run_file(name, tmp_path).unlink(missing_ok=True)
        keep(name, tmp_path, tmp_path)
        assert is_decided(more) == decided


def test_an_experiment_of_our_own_has_its_figures_on_the_page(tmp_path: Path) -> None:
    name = RunName(experiment="cost-of-strength", overrides=("simulations=[10, 20]", "games=2"))
    rows, other = ("MoGo 2006, 10", "MoGo 2006, 20"), "Plain MCTS, 1,000"
    played = [
        record(n, row, other, f"{'BW'[n % 2]}+R", seeds=(n, 0), processor=(0.002 * (n // 2 + 1), 0.1))
        for n, row in enumerate(row for row in rows for _ in range(2))
    ]
    lines = [json.dumps(header(name, "1")).encode(), *map(msgspec.json.encode, played)]
    (tmp_path / FILE).write_bytes(b"".join(line + b"\n" for line in lines))
    keep(name, tmp_path, tmp_path)
    pictures: dict[str, str] = {}
    page = verdicts_document(tmp_path).markdown(pictures)
    assert "## The cost of strength" in page
    assert "cost-of-strength-cost-of-strength.svg" in pictures
    assert "Elo against Plain MCTS, 1,000 by processor time" in pictures["cost-of-strength-cost-of-strength.svg"]


def test_the_page_is_made_from_the_kept_runs() -> None:
    pictures: dict[str, str] = {}
    page = verdicts_document(RESULTS).markdown(pictures)
    assert (ROOT / "docs" / PAGE).read_text("utf-8") == page, "run make results"
    for name, content in pictures.items():
        assert (ROOT / "docs" / name).read_text("utf-8") == content


def test_the_paper_has_the_numbers_of_the_results() -> None:
    text = " ".join((ROOT / "paper" / "paper.md").read_text("utf-8").split())
    counts = Counter(one.verdict for one in judge_claims(read_runs(RESULTS)))
    wording = r"the papers' (\d+) claims (\d+) are reproduced, (\d+) (?:is|are) contradicted and (\d+) not run"
    numbers = re.search(wording, text)
    assert numbers is not None
    wanted = [counts.total(), counts["reproduced"], counts["contradicted"], counts["not run"]]
    assert list(map(int, numbers.groups())) == wanted


def test_kept_runs_are_of_the_queue_and_their_games_are_legal() -> None:
    queued = {entry.name.label for entry in read_queue(RESULTS)}
    for run in read_runs(RESULTS):
        assert run.name.label in queued
        for played in run.records if run.design.kind == "match" else ():
            game = Game(run.design.size, run.design.komi)
            for move in played.moves:
                game.push(move)
            assert played.is_void or game.is_over() or played.ended != "passes"


THINKING = 10_000_000 if os.environ.get("KIKASHI_SOAK") else 6_000
"""Simulations that replay a game: all of it in `make soak`, else its first moves."""


@pytest.mark.slow
def test_our_moves_are_found_again() -> None:
    """Replay the shortest game of each run of today's play: moves by fixed simulations and one thread."""
    runs = read_runs(RESULTS)
    today = {text: found for run in runs for text, found in run.design.signatures_now().items()}
    assert read_signatures(RESULTS) == dict(sorted(today.items())), "run kikashi experiment verdicts --signatures"
    matches = [run for run in runs if run.design.kind == "match" and run.records and run.is_of_version(today)]
    for run in matches:
        shortest = min(run.records, key=lambda played: len(played.moves))
        players = {player.name: player for player in run.design.match().match_players()}
        for side, name in enumerate((shortest.black, shortest.white)):
            simulations = players[name].simulations
            if not players[name].preset or simulations is None or players[name].threads != 1:
                continue
            replayed = len(shortest.opening) + max(4, THINKING // simulations)
            game = Game(run.design.size, run.design.komi)
            with closing(join_game(players[name], game, shortest.seeds[side], 60.0)) as player:
                for number, move in enumerate(shortest.moves[:replayed]):
                    if number % 2 == side and number >= len(shortest.opening):
                        assert player.genmove(game) == move, (
                            f"{run.name.label}, game {shortest.number}, move {number + 1}"
                        )
                    player.observe(game.push(move))
    assert matches
