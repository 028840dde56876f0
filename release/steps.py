"""What `trial.py` does in a clean environment: each step is what people do first, told by its docstring."""

from __future__ import annotations

import http.client
import json
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

FEW = ("--simulations", "30")
PATIENCE = 900.0
"""Seconds: the first run of all compiles, and the machine may be busy."""
QUERY = {
    "id": "trial",
    "moves": [["B", "E5"], ["W", "C3"]],
    "rules": "japanese",
    "komi": 6.5,
    "boardXSize": 9,
    "boardYSize": 9,
    "maxVisits": 30,
    "includeOwnership": True,
}
MISSING = (
    ("web", ["web", "--no-browser"]),
    ("learn", ["learn", "game.sgf"]),
    ("dask", ["match", "lgrf2", "mogo-2006", "--games", "2", "--executor", "dask"]),
    ("mpi", ["match", "lgrf2", "mogo-2006", "--games", "2", "--executor", "mpi"]),
    ("mpi", ["gtp", "--ranks"]),
)
"""Extras, and commands that need them."""
GREETING = """
import json, sys
from websockets.sync.client import connect

host, token = sys.argv[1:]
with connect(f"ws://{host}/socket", origin=f"http://{host}") as socket:
    socket.send(json.dumps({"type": "hello", "token": token}))
    answer = json.loads(socket.recv(timeout=60))
    assert answer["type"] != "failed", answer
"""
"""Opens the page's socket as the page does."""


@dataclass(frozen=True)
class Place:
    """A clean environment: its programs, and an empty home that everything is run in."""

    bin: Path
    home: Path

    @property
    def environment(self) -> dict[str, str]:
        """All that a program there is told: nothing but its own programs is on the path."""
        return {"PATH": str(self.bin), "HOME": str(self.home), "LANG": "C.UTF-8", "PYTHONWARNINGS": "default"}

    def kikashi(self, *words: str, said: str = "", code: int = 0) -> subprocess.CompletedProcess[str]:
        """Runs a command to its end. Raises AssertionError if it does not end with `code`."""
        done = subprocess.run(
            [str(self.bin / "kikashi"), *words],
            env=self.environment,
            cwd=self.home,
            input=said,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == code, f"kikashi {' '.join(words)} ended with {done.returncode}:\n{done.stderr}"
        assert "Warning" not in done.stderr, done.stderr
        return done


def a_game_over_gtp(place: Place) -> None:
    """twenty moves over GTP"""
    moves = "genmove b\ngenmove w\n" * 10
    said = f"boardsize 9\n{moves}final_score\nquit\n"
    answers = place.kikashi("gtp", *FEW, said=said).stdout.strip("\n").split("\n\n")
    assert len(answers) == len(said.splitlines()), answers
    assert all(answer.startswith("=") for answer in answers), answers
    assert len(set(answers[1:21])) > 10, answers


def a_game_at_the_prompt(place: Place) -> None:
    """a game at the prompt of kikashi play, which saves it"""
    place.kikashi("play", "lgrf2", "--size", "9", *FEW, said="E5\nhint\nC3\nquit\n")
    record = (place.home / "kikashi-game.sgf").read_text()
    assert "B[ee]" in record, record
    assert record.count(";W[") == 2, record


def a_query(place: Place) -> None:
    """a query of kikashi kata-analysis, in JSON"""
    answer = json.loads(place.kikashi("kata-analysis", said=json.dumps(QUERY) + "\n").stdout)
    assert answer["id"] == QUERY["id"], answer
    assert answer["rootInfo"]["visits"] >= QUERY["maxVisits"], answer
    assert len(answer["ownership"]) == 81, answer


def a_review(place: Place) -> None:
    """a review by kikashi review, as SGF and as SVG"""
    (place.home / "game.sgf").write_text("(;GM[1]SZ[9]KM[6.5];B[ee];W[cg];B[gc];W[ii])")
    place.kikashi("review", "game.sgf", *FEW)
    assert (place.home / "game.analysed.sgf").read_text().count("SBKV") >= 4
    assert (place.home / "game.analysed.svg").read_text().startswith("<svg")


def a_match(place: Place) -> None:
    """a match of kikashi match, whole games on two processes"""
    options = ["--size", "5", "--games", "4", "--concurrency", "2", "--json", *FEW]
    report = json.loads(place.kikashi("match", "kikashi", "lgrf2", *options).stdout)
    assert report["pairings"][0]["games"] == 4, report


def the_installation(place: Place) -> None:
    """kikashi doctor, a skeleton of kikashi new, and the man pages"""
    facts = json.loads(place.kikashi("doctor", "--json").stdout)
    assert facts["extras"]["web"]["starlette"] is None, facts
    assert facts["cache"]["kernels"] > 0, facts
    place.kikashi("new", "heuristic", "my_idea")
    playouts = ["bench", "playouts", "--plugin", "my_idea.py", "--playout", "my_idea", "--playouts", "10", "--json"]
    report = json.loads(place.kikashi(*playouts).stdout)
    assert report["moves_by"]["my_idea"] > 0, report
    manual = place.bin.parent / "share" / "man" / "man1"
    assert {"kikashi.1", "kikashi-gtp.1"} <= {page.name for page in manual.iterdir()}


def what_is_missing(place: Place) -> None:
    """one line where an extra is missing"""
    for extra, words in MISSING:
        said = place.kikashi(*words, code=1).stderr.strip()
        assert "\n" not in said, said
        assert f"kikashi[{extra}]" in said, said


def the_page(place: Place) -> None:
    """the page of kikashi web"""
    words = [str(place.bin / "kikashi"), "web", "--no-browser", "--port", "0"]
    with subprocess.Popen(words, env=place.environment, cwd=place.home, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = urlsplit(server.stdout.readline().strip())
            for path in ("/", "/page.js", "/page.css", "/licences.txt"):
                assert _get(address.netloc, path), path
            greeted = [str(place.bin / "python"), "-c", GREETING, address.netloc, address.fragment.partition("=")[2]]
            subprocess.run(greeted, env=place.environment, check=True, timeout=PATIENCE)
        finally:
            server.terminate()


def _get(host: str, path: str) -> bytes:
    connection = http.client.HTTPConnection(host, timeout=60)
    connection.request("GET", path)
    answer = connection.getresponse()
    assert answer.status == 200, (path, answer.status)
    return answer.read()


def learning(place: Place) -> None:
    """weights learned by kikashi learn from games of a match"""
    place.kikashi("learn", "matches", "--output", "weights.npz")
    assert (place.home / "weights.npz").stat().st_size > 0


Steps = Sequence[Callable[[Place], None]]
WITHOUT_EXTRAS: Steps = (
    a_game_over_gtp,
    a_game_at_the_prompt,
    a_query,
    a_review,
    a_match,
    the_installation,
    what_is_missing,
)
WITH_EXTRAS: Steps = (the_page, learning)
