"""Clients as they are: Ogatak's queries by a stand-in, and KaTrain's own engine class with a review and its report."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers.analysis_lines import COMMAND, PATIENCE, Process
from helpers.gtp_text import noise
from helpers.processes import closed_afterwards
from helpers.tools import CLIENTS, KATRAIN, missing

pytestmark = pytest.mark.slow


@pytest.fixture
def started() -> Iterator[type[Process]]:
    yield from closed_afterwards(Process, Process.close)


def ogatak_query(number: int, moves: list[list[str]], **fields: Any) -> dict[str, Any]:
    """What src/modules/query.js makes of a node."""
    return {
        "id": f"node_{len(moves)}:{number}",
        "rules": "Chinese",
        "komi": 7.5,
        "boardXSize": 9,
        "boardYSize": 9,
        "maxVisits": 1_000_000,
        "analysisPVLen": 32,
        "reportDuringSearchEvery": 0.01,
        "includePolicy": True,
        "includeOwnership": True,
        "includeMovesOwnership": True,
        "overrideSettings": {"reportAnalysisWinratesAs": "BLACK", "wideRootNoise": 0.05},
        "firstReportDuringSearchAfter": 0.05,
        "initialStones": [],
        "moves": moves,
        **fields,
    }


def test_ogatak_looks_at_one_position_after_another(started: type[Process], tmp_path: Path) -> None:
    """It asks for the version, tries a board of 29x29, and ends each endless search before it begins the next."""
    files = ["-config", str(tmp_path / "analysis.cfg"), "-model", str(tmp_path / "net.bin.gz")]
    engine = started(*files, "-quit-without-waiting")
    engine.send({"id": "query_version", "action": "query_version"})
    engine.send({"id": "test_bs29", "rules": "Chinese", "boardXSize": 29, "boardYSize": 29, "moves": []})
    version, probe = engine.read(), engine.read()
    assert [int(part) for part in version["version"].split(".")] >= [1, 12, 0], "else it asks for less"
    assert (probe["id"], "error" in probe) == ("test_bs29", True)
    moves: list[list[str]] = []
    for number, move in enumerate([["B", "E5"], ["W", "C3"], ["B", "G7"]]):
        moves = [*moves, move]
        asked = ogatak_query(number, moves)
        engine.send(asked)
        while (found := engine.read())["id"] != asked["id"] or not found["isDuringSearch"]:
            assert found["id"] != asked["id"]
        check_as_ogatak_does(found)
        engine.send({"id": f"stop!{asked['id']}", "action": "terminate", "terminateId": asked["id"]})
        while (found := engine.read()).get("action") != "terminate":
            pass
        assert found["terminateId"] == asked["id"]
    engine.send(ogatak_query(9, moves))
    told = noise(engine.end()).strip().splitlines()
    assert engine.process.returncode == 0
    assert told[0].startswith("kikashi kata-analysis: not read, for they are KataGo's: ")
    assert told[1:] == ["kikashi kata-analysis: ready to begin handling requests"]


def check_as_ogatak_does(found: dict[str, Any]) -> None:
    """What src/modules/node.js and its drawers read."""
    assert "thisHash" not in found["rootInfo"]
    assert 0 <= found["rootInfo"]["winrate"] <= 1
    assert isinstance(found["rootInfo"]["scoreLead"], float)
    assert len(found["ownership"]) == 81
    assert len(found["policy"]) == 82
    best = found["moveInfos"][0]
    assert best["order"] == 0
    assert best["visits"] <= found["rootInfo"]["visits"]
    assert len(best["ownership"]) == 81
    assert best["pv"][0] == best["move"]


def test_the_end_of_the_input_waits_for_the_answers() -> None:
    fields = {"moves": [["B", "C3"]], "rules": "japanese", "boardXSize": 5, "boardYSize": 5, "analyzeTurns": [0, 1]}
    settings = "reportAnalysisWinratesAs=SIDETOMOVE, maxVisits=7,logDir=x"
    done = subprocess.run(
        [*COMMAND, "--analysis-threads", "1", "-override-config", settings],
        input=json.dumps({"id": "a", **fields}),
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(answer["turnNumber"], answer["rootInfo"]["visits"]) for answer in found] == [(0, 7), (1, 7)]


def test_katrain_reviews_a_game() -> None:
    """KaTrain's KataGoEngine, Game and report, as they are, with their reports on the way."""
    python = KATRAIN / "bin" / "python"
    if not python.exists():
        missing("KaTrain is not in tests/clients/katrain; make tools puts it there")
    done = subprocess.run(
        [str(python), str(CLIENTS / "katrain_review.py"), str(Path(sys.executable).with_name("kikashi"))],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["errors"] == []
    assert said["complete"] == said["nodes"] == 13
    assert said["visits"] == [60] * 13
    assert said["partial"] > 0, "the endless query was reported on"
    assert said["alternatives"] > 0
    assert said["repeated"] == []
    assert set(said["report"]) == {"B", "W"}
    assert all(0 <= side["accuracy"] <= 100 for side in said["report"].values())


@pytest.mark.parametrize(("every", "is_open"), [(None, True), (0.01, False)], ids=["silent, input open", "reporting"])
def test_queries_end_with_their_client(every: float | None, is_open: bool) -> None:
    """Also if nothing is written by which it would be noticed, and if somebody still has the input."""
    command = [*COMMAND, "-analysis-threads", "2"]
    asked = [ogatak_query(number, [], reportDuringSearchEvery=every) for number in range(20)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as engine:
        try:
            engine.stdin.write(b"".join(json.dumps(query).encode() + b"\n" for query in asked))
            engine.stdin.flush() if is_open else engine.stdin.close()
            assert json.loads(engine.stdout.readline())["isDuringSearch"]
            engine.stdout.close()
            assert engine.wait(PATIENCE) == 0
        finally:
            engine.kill()
