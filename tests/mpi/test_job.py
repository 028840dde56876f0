"""The GTP engine on the ranks of an MPI job: one search, exact sums, and an end that leaves nothing behind."""

import json
import os
import re
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers.gtp_text import VERTEX, new_session, ok, parse_info
from helpers.match_tools import eventually
from helpers.mpi_jobs import MPIEXEC, Job
from helpers.processes import closed_afterwards
from helpers.tools import missing
from helpers.toy_weights import toy_weights
from kikashi.engine.player import Player
from kikashi.jit import cache_folder
from kikashi.mpi.job import join_job

pytestmark = pytest.mark.slow

if MPIEXEC is None:
    missing("mpiexec is not installed; the extra kikashi[mpi] has it")

MOGO = ("--preset", "mogo-2006")


@pytest.fixture
def start() -> Iterator[type[Job]]:
    """Starts jobs and ends them."""
    yield from closed_afterwards(Job, Job.close)


def check_sums(job: Job, simulations: int | None = None) -> list[dict[str, Any]]:
    """Check that rank 0 decides by the sums of all ranks, and return the work of each rank."""
    ranks, merged = job.ask_json("kikashi-ranks"), job.ask_json("kikashi-analysis")
    moves: Counter[str] = Counter()
    for rank in ranks:
        moves.update(rank["moves"])
    assert {move["move"]: move["visits"] for move in merged["moves"] if move["visits"]} == dict(moves)
    assert merged["visits"] == sum(rank["visits"] for rank in ranks)
    assert merged["simulations"] == sum(rank["simulations"] for rank in ranks)
    if simulations is not None:
        assert merged["simulations"] == simulations, "none lost, none too many"
    return ranks


# --- one search -------------------------------------------------------------------------------------------------------


def test_a_whole_session(start: type[Job]) -> None:
    """Moves, other boards and rules, moves taken back, another preset, other parameters, and a quiet end."""
    job = start(*MOGO, "--simulations", "100")
    assert job.ask("name") == "kikashi"
    for line in ("boardsize 5", "komi 0.5"):
        job.ask(line)
    for color in "bwbw":
        assert re.fullmatch(VERTEX, job.ask(f"genmove {color}"))
    check_sums(job)
    job.ask("undo")
    assert re.fullmatch(VERTEX, job.ask("genmove w"))
    check_sums(job)
    job.ask("boardsize 7")
    job.ask("kikashi-preset lgrf2 choice.resign=0")
    job.ask("kata-set-param simulations 77")
    job.ask("kata-set-param threads 2")
    job.ask("play b D4")
    assert re.fullmatch(VERTEX, job.ask("genmove w"))
    ranks = check_sums(job)
    assert [rank["rank"] for rank in ranks] == [0, 1]
    assert job.ask("final_status_list dead") == ""
    job.quit()
    assert eventually(lambda: not job.processes())


@pytest.mark.parametrize(("ranks", "simulations"), [(2, 301), pytest.param(3, 301, marks=pytest.mark.soak)])
def test_all_ranks_together_run_exactly_the_simulations(ranks: int, simulations: int, start: type[Job]) -> None:
    """With a choice by value no search ends early; a tree that is kept does not count."""
    job = start(*MOGO, "--set", "choice.rule=value", "--simulations", str(simulations), ranks=ranks, size=5)
    for color in "bw":
        job.ask(f"genmove {color}")
        work = check_sums(job, simulations)
        assert work[0]["moves"] != work[1]["moves"], "each rank has its own random numbers"
        shares = [rank["simulations"] for rank in work]
        assert shares == [simulations // ranks + (rank < simulations % ranks) for rank in range(ranks)]


@pytest.mark.soak
def test_a_limit_in_simulations_is_reproducible(start: type[Job]) -> None:
    found = []
    for _ in range(2):
        job = start(*MOGO, "--set", "choice.rule=value", "--simulations", "333")
        job.ask("boardsize 5")
        moves = [job.ask(f"genmove {color}") for color in "bwb"]
        found.append((moves, job.ask_json("kikashi-analysis")["moves"]))
    assert found[0] == found[1]


@pytest.mark.soak
@pytest.mark.parametrize("preset", ["kikashi", "crazystone-2006"])
def test_any_tree_preset(preset: str, start: type[Job]) -> None:
    job = start(
        "--preset", preset, "--set", "starts=2", "--set", "choice.rule=best_wins", "--simulations", "90", size=5
    )
    job.ask("genmove b")
    check_sums(job, 90)
    best = max(job.ask_json("kikashi-analysis")["moves"], key=lambda move: move["visits"])
    assert 0 < best["best_wins"] <= best["visits"]
    assert len(best["variation"]) == len(best["variation_visits"]) >= 1


def check_watching(job: Job, command: str) -> None:
    """Check that an analysis reports more and more visits until a line comes, which is answered then."""
    job.send(command)
    assert job.until("\n") == "=\n"
    visits = [int(parse_info(job.until("\n").strip()).root["visits"]) for _ in range(4)]
    assert visits == sorted(visits)
    job.send("name")
    while (line := job.until("\n")) != "\n":
        parse_info(line.strip())
    assert job.until("\n\n") == "= kikashi\n\n"


def test_analysis_goes_on_until_a_line_comes_and_counts_all_ranks(start: type[Job]) -> None:
    job = start(*MOGO, size=5)
    check_watching(job, "kata-analyze b 5 rootInfo true ownership true")
    job.send("lz-genmove_analyze b 5", "# interrupt")
    job.until("play ")
    assert re.fullmatch(VERTEX + r"\n\n", job.until("\n\n"))


@pytest.mark.soak
def test_seconds_are_wall_seconds_of_every_rank(start: type[Job]) -> None:
    job = start(*MOGO, "--seconds", "0.5", "--set", "choice.rule=value", size=5)
    job.ask("genmove b")
    ranks = check_sums(job)
    assert all(rank["simulations"] > 0 for rank in ranks)
    assert all(0 < rank["exchanging"] < rank["working"] for rank in ranks)
    assert all(rank["messages"] > 0 and rank["bytes"] > 0 for rank in ranks)


@pytest.mark.soak
def test_pondering_stays_out_of_the_way(start: type[Job]) -> None:
    job = start(*MOGO, "--simulations", "50", "--ponder", "--threads", "2", size=5)
    for color in "bwbw":
        assert re.fullmatch(VERTEX, job.ask(f"genmove {color}"))
        assert job.ask("name") == "kikashi"
        assert len(job.ask_json("kikashi-ranks")) == 2
    job.quit()


def test_one_rank_plays_as_without_ranks(start: type[Job]) -> None:
    job = start(*MOGO, "--simulations", "100", ranks=1)
    session = new_session(simulations=100, preset="mogo-2006")
    session.player = Player("mogo-2006", megabytes=16)
    job.ask("boardsize 5")
    for color in "bwbw":
        assert job.ask(f"genmove {color}") == ok(session, f"genmove {color}")
        here, there = job.ask_json("kikashi-analysis"), json.loads(ok(session, "kikashi-analysis"))
        assert here["moves"] == there["moves"]
    assert job.ask_json("kikashi-ranks") == json.loads(ok(session, "kikashi-ranks")) == []


def test_sums_come_up_through_other_ranks(start: type[Job], tmp_path: Path) -> None:
    """Also if ranks share the first plies, each rank counts its own simulations."""
    how = ("--set", "choice.rule=value", "--simulations", "203", "--plies", "2")
    job = start(*MOGO, *how, ranks=4, fan_out=2, size=5)
    for color in "bw":
        job.ask(f"genmove {color}")
        assert [rank["simulations"] for rank in check_sums(job, 203)] == [51, 51, 51, 50]
    job.ask("kikashi-preset amaf-2003")
    assert "samples in stages: there are no plies to share" in job.answer_to("genmove b")
    graph = tmp_path / "graph.toml"
    graph.write_text('base = "mogo-2006"\ntranspositions = true\n', "utf-8")
    job.ask(f"kikashi-preset {graph}")
    assert "shares transpositions: ranks cannot share plies" in job.answer_to("genmove b")
    job.quit()


# --- stages -----------------------------------------------------------------------------------------------------------

SMALL = ("--set", "stages={ blocks = 8, games = 25 }")
PRUNING = ("--set", "pruning={ rule = 'progressive', r_d = 1.0, sigma_e = 0.01, samples = 200 }")


def by_one_process(preset: str, simulations: int, *settings: str) -> list[Any]:
    player = Player(preset, megabytes=16, overrides=[text for text in settings if text != "--set"])
    session = new_session(simulations=simulations, preset="mogo-2006")
    session.player = player
    return played(lambda line: ok(session, line))


def played(ask: Callable[[str], str]) -> list[Any]:
    """Return the decisions of some moves with their analyses, without times and rank 0's own numbers."""
    found = []
    for color in "bwb":
        move, analysis = ask(f"genmove {color}"), json.loads(ask("kikashi-analysis"))
        for key in ("seconds", "simulations_per_second", "nodes", "depth"):
            del analysis[key]
        for each in analysis["moves"]:
            for key in ("variation_visits", "best_wins"):
                del each[key]
        found.append((move, analysis))
    return found


@pytest.mark.parametrize(
    ("preset", "settings", "simulations", "ranks"),
    [
        pytest.param("yoshizoe-2006-basic", SMALL, 333, 2, marks=pytest.mark.soak),
        ("yoshizoe-2006-ataripp", (*SMALL, *PRUNING), 1390, 4),
        pytest.param("yoshizoe-2006-ataripp", (*SMALL, *PRUNING), 1390, 2, marks=pytest.mark.soak),
        pytest.param("yoshizoe-2006-ataripp", (*SMALL, *PRUNING), 1390, 5, marks=pytest.mark.soak),
        pytest.param("amaf-2003", SMALL, 500, 3, marks=pytest.mark.soak),
    ],
)
def test_samples_are_the_same_however_many_ranks(
    preset: str, settings: tuple[str, ...], simulations: int, ranks: int, start: type[Job]
) -> None:
    job = start("--preset", preset, *settings, "--simulations", str(simulations), ranks=ranks, fan_out=2, size=5)
    found, wanted = played(job.ask), by_one_process(preset, simulations, *settings)
    assert found == wanted
    check_sums(job)
    if "ataripp" in preset:
        assert any(move["pruned"] for _, analysis in wanted for move in analysis["moves"])


@pytest.mark.soak
def test_a_search_in_stages_can_be_watched_and_interrupted(start: type[Job]) -> None:
    job = start("--preset", "yoshizoe-2006-ataripp", *SMALL, "--set", "pruning.r_d=100", ranks=3, size=9)
    check_watching(job, "kata-analyze b 5 rootInfo true")
    job.ask("kata-set-param simulations 450")
    job.ask("genmove b")
    check_sums(job, 450)
    job.quit()


# --- failures ---------------------------------------------------------------------------------------------------------

LONG = (*MOGO, "--simulations", "900000000")


def start_thinking(job: Job) -> dict[int, int]:
    """Start a long search, and return the processes of the ranks."""
    job.ask("boardsize 9")
    job.send("lz-genmove_analyze b 5")
    job.until("info move")
    return job.processes()


def ended_with_failure(job: Job) -> tuple[str, str]:
    """Wait for the end of a job that fails and leaves no process; return its output and errors."""
    out, err, code = job.end()
    assert code != 0
    assert eventually(lambda: not job.processes())
    return out, err


@pytest.mark.parametrize("rank", [pytest.param(0, marks=pytest.mark.soak), 1])
def test_a_rank_that_is_killed_ends_the_job(rank: int, start: type[Job]) -> None:
    job = start(*LONG)
    os.kill(start_thinking(job)[rank], signal.SIGKILL)
    out, err = ended_with_failure(job)
    assert "BAD TERMINATION" in out + err, "mpiexec says what happened"
    assert "play" not in out


def test_a_rank_that_hangs_ends_the_job_with_a_line_that_names_it(start: type[Job]) -> None:
    job = start(*LONG, "--patience", "2")
    os.kill(start_thinking(job)[1], signal.SIGSTOP)
    out, err = ended_with_failure(job)
    assert re.search(r"kikashi: rank 1 has been silent for \d+ seconds, so it is lost: this job ends", err)
    assert "play" not in out


@pytest.mark.soak
def test_a_rank_deep_in_the_tree_that_hangs_is_named_by_its_parent(start: type[Job]) -> None:
    job = start(*LONG, "--patience", "2", ranks=3, fan_out=1)
    os.kill(start_thinking(job)[2], signal.SIGSTOP)
    _out, err = ended_with_failure(job)
    assert "kikashi: rank 2 has been silent for" in err


@pytest.mark.soak
def test_a_rank_that_hangs_between_moves_is_noticed_at_the_next_one(start: type[Job]) -> None:
    job = start(*MOGO, "--simulations", "50", "--patience", "2", size=5)
    job.ask("genmove b")
    os.kill(job.processes()[1], signal.SIGSTOP)
    job.send("genmove w")
    out, err = ended_with_failure(job)
    assert "kikashi: rank 1 has been silent for" in err
    assert out == ""


@pytest.mark.parametrize("is_busy", [pytest.param(False, marks=pytest.mark.soak), True])
def test_control_c_ends_all(is_busy: bool, start: type[Job]) -> None:
    job = start(*LONG)
    if is_busy:
        start_thinking(job)
    else:
        job.ask("name")
    os.killpg(job.process.pid, signal.SIGINT)
    _out, err = ended_with_failure(job)
    assert "Traceback" not in err


@pytest.mark.soak
def test_no_rank_stays_when_mpiexec_is_killed(start: type[Job]) -> None:
    job = start(*LONG)
    start_thinking(job)
    job.process.kill()
    assert eventually(lambda: not job.processes())


@pytest.mark.soak
def test_the_end_of_the_input_ends_all(start: type[Job]) -> None:
    job = start(*LONG, size=5)
    job.send("kata-analyze b 5")
    job.until("info move")
    out, err, code = job.end()
    assert (err, code) == ("", 0)
    assert out.endswith("\n\n")
    assert eventually(lambda: not job.processes())


def test_an_error_of_one_rank_names_the_rank(tmp_path: Path, start: type[Job]) -> None:
    """As where a library is missing on a node of a cluster."""
    plugin = tmp_path / "plugin.py"
    plugin.write_text("import os\nif os.environ['PMI_RANK'] == '1':\n    raise OSError('no such library')\n")
    out, err, code = start("--plugin", str(plugin)).end()
    assert (out, code) == ("", 1)
    assert re.fullmatch(r"Error: rank 1: plugin .*plugin.py, line 3: OSError: no such library\n", err)


PRESET = 'base = "mogo-2006"\nprior = [{ part = "learned", weights = "w.npz", games = 50 }]\n'
OTHERS = "Error: rank 1 is another program than rank 0: all need the same version, preset, plugins and weights\n"


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """A folder with the same files for each of two ranks."""
    for rank in "01":
        (tmp_path / rank).mkdir()
        (tmp_path / rank / "w.npz").write_bytes(toy_weights("line", "distance").as_bytes())
        (tmp_path / rank / "mine.toml").write_text(PRESET)
        (tmp_path / rank / "plugin.py").write_text("")
    return tmp_path


def test_ranks_with_other_files_are_refused(folders: Path, start: type[Job]) -> None:
    (folders / "1" / "mine.toml").write_text(PRESET.replace("50", "60"))
    assert start("--preset", "mine.toml", "--plugin", "plugin.py", folders=folders).end() == ("", OTHERS, 1)


def test_ranks_with_the_same_files_in_other_folders_search_together(folders: Path, start: type[Job]) -> None:
    """Until a setting names a file that is another on one rank."""
    job = start("--preset", "mine.toml", "--simulations", "30", folders=folders, size=5)
    job.ask("genmove b")
    check_sums(job)
    (folders / "1" / "v.npz").write_bytes(toy_weights("line").as_bytes())
    (folders / "0" / "v.npz").write_bytes((folders / "0" / "w.npz").read_bytes())
    job.ask('kikashi-preset mogo-2006 prior=[{part="learned",weights="v.npz",games=50}]')
    assert job.answer_to("genmove w") == f"? {OTHERS.removeprefix('Error: ')}\n"


def test_ranks_may_have_other_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    """What they compile differs, and so do the names of their caches."""
    identities = []

    class Alone:
        """The messages of rank 0, which ends before it hears of others."""

        rank, ranks = 0, 2

        def make_everywhere(self, make: Callable[[], tuple[Player, str]]) -> Player:
            identities.append(make()[1])
            raise ValueError("no other rank")

        def command(self, *_: object) -> None: ...

        replies = flush = patience = command

    monkeypatch.setattr("kikashi.mpi.job.Communicator", lambda _patience: Alone())
    for name in ("skylake", "znver3"):
        cache_folder.cache_clear()
        monkeypatch.setattr("numba.config.CPU_NAME", name)
        with pytest.raises(ValueError, match="no other rank"), join_job(lambda: Player("mogo-2006"), (), 1.0):
            pass
    cache_folder.cache_clear()
    assert identities[0] == identities[1]


FAILS_ON_RANK_1 = """
import os

from kikashi.playout import heuristic

if os.environ["PMI_RANK"] == "1":

    @heuristic()
    def moody(sim, moves, my):
        \"\"\"Fails when it is asked.\"\"\"
        raise ValueError("not today")

else:

    @heuristic()
    def moody(sim, moves, my):
        \"\"\"Proposes nothing.\"\"\"
"""


def test_a_part_that_fails_on_one_rank_fails_the_move_and_not_the_job(tmp_path: Path, start: type[Job]) -> None:
    plugin = tmp_path / "plugin.py"
    plugin.write_text(FAILS_ON_RANK_1)
    job = start(*LONG, "--plugin", str(plugin), "--set", 'playout=["moody"]', size=5)
    assert re.match(r"\? rank 1: .*moody.*not today", job.answer_to("genmove b"))
    job.ask("kikashi-preset mogo-2006")
    job.ask("kata-set-param simulations 30")
    assert re.fullmatch(VERTEX, job.ask("genmove b"))
    check_sums(job)


def test_what_is_wrong_on_all_ranks_is_said_once(start: type[Job]) -> None:
    out, err, code = start("--preset", "nonsense").end()
    assert (out, code) == ("", 1)
    assert err.count("Error: no preset is called 'nonsense'") == 1
