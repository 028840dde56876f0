"""What the tests of matches share: settings of tiny matches, scripted engines, records of games, processes."""

import contextlib
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import psutil
import pytest
from msgspec.structs import replace

from helpers.processes import closed_afterwards, kill
from kikashi.match.one_game import GameRecord, GameTask
from kikashi.match.runner import schedule
from kikashi.match.settings import MatchSettings
from kikashi.workers.executors import Workers

ONE = Workers(lambda: ThreadPoolExecutor(1), 1)
SCRIPT = Path(__file__).parent / "scripted_engine.py"
PATIENCE = 300.0
"""Seconds for what takes milliseconds on an idle machine."""


def settings(*players: str, **more: Any) -> MatchSettings:
    """A match that takes no time."""
    tiny = {"size": 5, "simulations": 10, "games": 4}
    return MatchSettings(players=players or ("lgrf2", "mogo-2006"), **{**tiny, **more})


def tasks_of(match: MatchSettings) -> list[GameTask]:
    """The games of a match."""
    return list(schedule(match, match.match_players()))


def engine(how: str, number: int = 0, *, name: str = "", mark: object = "") -> str:
    """A player that is a scripted engine; the mark is for finding its processes."""
    command = [sys.executable, "-S", str(SCRIPT), how, str(number), str(mark)]
    return shlex.join([f"name={name or how}", *command])


def record(number: int, black: str, white: str, result: str, **more: Any) -> GameRecord:
    """A game that was never played; two in a row are a pair."""
    fields = {
        "pairing": 0,
        "pair": number // 2,
        "ended": "forfeit" if result.endswith("F") else "passes",
        "opening": (),
        "moves": (f"A{1 + number % 5}", "pass", "pass"),
        "seconds": (0.5, 1.0),
        "thought": (2, 1),
        "seeds": (1, 2),
        **more,
    }
    return GameRecord(number=number, black=black, white=white, result=result, **fields)


def winning(name: str) -> Callable[[GameTask], GameRecord]:
    """A way to play in which a player always wins."""

    def play(task: GameTask) -> GameRecord:
        result = "B+R" if task.black.name == name else "W+R"
        how = {"ended": "resignation", "moves": ("A1",), "pairing": task.pairing, "pair": task.pair}
        return record(task.number, task.black.name, task.white.name, result, **how)

    return play


def check_refused(call: Callable[[], Any], message: str) -> None:
    """Check that a call raises ValueError with one line that says this."""
    with pytest.raises(ValueError, match=r"^[^\n]+$") as error:
        call()
    assert message in str(error.value)


def without_times(records: Sequence[GameRecord]) -> list[GameRecord]:
    """Records of what was played, but not how long it took."""
    return [replace(record, seconds=(0.0, 0.0), processor=(None, None)) for record in records]


VOID = {"meta", "br", "rect", "line", "circle", "polyline", "polygon"}


class Balanced(HTMLParser):
    """Checks that every element is closed where it should be, and collects the text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: Counter[str] = Counter()
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen[tag] += 1
        assert "src" not in dict(attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen[tag] += 1

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def check_page(text: str) -> Balanced:
    """A page is well-formed, needs nothing from elsewhere, and its plots are XML with numbers for coordinates."""
    found = Balanced()
    found.feed(text)
    assert found.open == []
    assert not {"link", "img"} & set(found.seen)
    for svg in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
        for element in ElementTree.fromstring(svg).iter():
            assert not any(word in value for value in element.attrib.values() for word in ("nan", "inf"))
    return found


HOSTILE = [
    "<script>alert(1)</script>",
    "a<img src=x onerror=alert(1)>",
    "<!-- the rest is hidden",
    "</td><style>@import 'x'</style>",
    "![seen](https://example.org/1.png)",
    "[click](javascript:alert(1))",
    "[x]: https://example.org",
    "![x][x]",
    "<https://example.org>",
    "&lt;b&gt;",
    "two\nlines\n\n<b>and</b>\u2028more",
    "`code` | a cell \\| and \\",
    "*bold* __strong__ _em_ snake_case",
    "# no heading",
    "- no item",
    "1. no number",
    "===",
]
"""Texts of users with markup in them."""


class Rendered:
    """The tags and the text of a page of Markdown."""

    def __init__(self, text: str) -> None:
        import markdown

        page = markdown.markdown(text, extensions=["tables", "sane_lists"])
        self.tags = set(re.findall(r"<(\w+|!--)", page))
        self.text = unescape(re.sub(r"<[^>]*>", "", page))


def eventually(is_true: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """Return what something has come to, true in good time or not; it is asked less and less often."""
    deadline, pause = time.monotonic() + seconds, 0.005
    while not (found := is_true()) and time.monotonic() <= deadline:
        time.sleep(pause := min(0.1, 1.2 * pause))
    return found


def until(is_true: Callable[[], Any]) -> Any:
    """Wait for something to come true, and return it."""
    found = eventually(is_true)
    assert found
    return found


def processes_with(mark: object, file: str = "cmdline") -> list[int]:
    """The running processes with a text in their command lines, or in another file of /proc."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it is gone, or not ours
            if str(mark).encode() in (folder / file).read_bytes():
                found.append(int(folder.name))
    return found


def zombies() -> list[int]:
    """Children of this process that have ended, but were not waited for."""
    return [one.pid for one in psutil.Process().children() if one.status() == psutil.STATUS_ZOMBIE]


class RunningMatch:
    """``kikashi match`` in a group of processes of its own, which are found by their environment."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self._mark = f"MARK_OF_TEST={folder}"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "kikashi", "match", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, "MARK_OF_TEST": str(folder)},  # the workers have it too
        )

    def end(self, how: signal.Signals | None = None) -> tuple[int, str, str]:
        """Send a signal to the first process only, if any; return the exit code, the output and the messages."""
        if how is not None:
            self.process.send_signal(how)
        out, err = self.process.communicate(timeout=3 * PATIENCE)
        progress = re.compile(r"kikashi: compiling|[\d,]+ of [\d,]+ games")  # of a slow or busy machine
        lines = [line for line in err.splitlines() if not progress.match(line)]
        return self.process.returncode, out, "\n".join(lines)

    def processes(self) -> list[int]:
        """All processes of the match."""
        return processes_with(self._mark, "environ")


def running_matches() -> Iterator[type[RunningMatch]]:
    """For a fixture: starts matches, and ends what is left of them."""
    yield from closed_afterwards(RunningMatch, kill)


def games_in(folder: Path) -> list[GameRecord]:
    """The games of a match that is being played, as far as its lines are whole."""
    journal = folder / "journal.jsonl"
    lines = journal.read_bytes().split(b"\n")[1:-1] if journal.exists() else []
    return [msgspec.json.decode(line, type=GameRecord) for line in lines]
