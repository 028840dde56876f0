"""The journal: nothing that was written is lost, nothing half-written stays, nothing foreign is gone on with."""

import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kikashi.match.journal import FILE, Journal, JournalError, read_header, read_records

HEADER = {"kind": "match", "settings": {"games": 4, "players": ["a", "b"]}, "versions": {"kikashi": "0.1.0"}}


class Result(msgspec.Struct, frozen=True):
    number: int
    text: str = ""


def opened(folder: Path, header: dict[str, Any] = HEADER, *, resume: bool = False) -> Journal[Result]:
    return Journal(folder, header, Result, resume=resume)


def write(folder: Path, numbers: int) -> bytes:
    """Begin a journal with some results; returns what is in the file."""
    with opened(folder) as journal:
        for number in range(numbers):
            journal.append(Result(number, "é" * number))
    return content(folder)


def content(folder: Path) -> bytes:
    return (folder / FILE).read_bytes()


def numbers(folder: Path) -> list[int]:
    with opened(folder, resume=True) as journal:
        return [result.number for result in journal.records]


# --- writing and reading ----------------------------------------------------------------------------------------------


def test_results_are_read_as_they_were_written(tmp_path: Path) -> None:
    before = write(tmp_path, 3)
    assert HEADER.items() <= json.loads(before.splitlines()[0]).items()
    with opened(tmp_path, resume=True) as journal:
        assert journal.records == [Result(0), Result(1, "é"), Result(2, "éé")]
        journal.append(Result(7))
        assert journal.records[-1] == Result(7)
    assert content(tmp_path).startswith(before), "it only grows"
    assert numbers(tmp_path) == [0, 1, 2, 7]
    assert read_header(tmp_path) == HEADER


def test_a_result_is_on_the_disk_when_it_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced = []
    with opened(tmp_path) as journal:
        monkeypatch.setattr(os, "fsync", lambda handle: synced.append(content(tmp_path)))
        journal.append(Result(5))
    assert len(synced) == 1
    assert synced[0].endswith(b'{"number":5,"text":"","crc32":"285b61ee"}\n')


@pytest.mark.parametrize("results", [0, 1])
def test_a_journal_makes_its_folder_and_may_have_only_a_header(results: int, tmp_path: Path) -> None:
    write(tmp_path / "deep" / "folder", results)
    assert numbers(tmp_path / "deep" / "folder") == [0][:results]


# --- a crash ----------------------------------------------------------------------------------------------------------


def test_a_cut_off_line_is_thrown_away_wherever_it_was_cut(tmp_path: Path) -> None:
    """A file may end after any byte; every complete line counts, and the journal goes on from there."""
    whole = write(tmp_path, 3)
    ends = [n + 1 for n, byte in enumerate(whole) if byte == ord("\n")]
    for length in range(ends[0], len(whole) + 1):
        (tmp_path / FILE).write_bytes(whole[:length])
        complete = sum(end <= length for end in ends) - 1
        with opened(tmp_path, resume=True) as journal:
            assert len(journal.records) == complete
            journal.append(Result(99))
        assert numbers(tmp_path) == [*range(complete), 99]


def test_zeros_after_a_power_cut_are_thrown_away(tmp_path: Path) -> None:
    whole = write(tmp_path, 2)
    (tmp_path / FILE).write_bytes(whole + b"\0" * 100)
    assert numbers(tmp_path) == [0, 1]
    assert content(tmp_path) == whole


@pytest.mark.parametrize("left", [b"", b'{"kind":"mat'])
def test_a_journal_cut_off_in_its_header_is_begun_anew(left: bytes, tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(left)
    with pytest.raises(JournalError, match="nothing was begun"):
        read_header(tmp_path)
    write(tmp_path, 1)
    assert numbers(tmp_path) == [0]
    assert read_header(tmp_path) == HEADER


@pytest.mark.parametrize("resume", [False, True])
def test_unfinished_files_of_a_killed_process_are_removed(resume: bool, tmp_path: Path) -> None:
    digits = "691aa0ca48551fb1"
    left = [f".report.md.{digits}.part", f"games/.000000.sgf.{digits}.part", f"files/{digits}/.a.py.{digits}.part"]
    foreign = ["a.part", ".a.part", f"games/a.{digits}.part", f"games/.a.{digits}0.part", f"other/.a.{digits}.part"]
    if resume:
        write(tmp_path, 1)
    for name in (*left, *foreign):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    with opened(tmp_path, resume=resume):
        assert not any((tmp_path / name).exists() for name in left)
        assert all((tmp_path / name).exists() for name in foreign)
        (tmp_path / left[0]).touch()
        with pytest.raises(JournalError, match="another process"):
            opened(tmp_path, resume=True)
        assert (tmp_path / left[0]).exists(), "its writer lives"


# --- a full disk ------------------------------------------------------------------------------------------------------


def is_full(handle: int) -> None:
    """Instead of os.fsync."""
    raise OSError(errno.ENOSPC, "No space left on device")


class FullDisk:
    """Stands for the file of a journal; takes only some bytes, then there is no space left."""

    def __init__(self, file: Any, room: int) -> None:
        self._file = file
        self.room = room

    def write(self, data: bytes) -> int:
        if not self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = self._file.write(data[: self.room])
        self.room -= written
        return int(written)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


@pytest.mark.parametrize("room", [0, 1, 10])
@pytest.mark.parametrize("torn", [b"", b'{"number":2,"te'])
def test_a_full_disk_loses_nothing_and_leaves_no_half_line(room: int, torn: bytes, tmp_path: Path) -> None:
    """Also where a torn line has just been thrown away, so that the file is shorter than it was when it was opened."""
    before = write(tmp_path, 2)
    (tmp_path / FILE).write_bytes(before + torn)
    with opened(tmp_path, resume=True) as journal:
        journal._file = full = FullDisk(journal._file, room)
        with pytest.raises(OSError, match="No space left"):
            journal.append(Result(2, "a text"))
        assert content(tmp_path) == before
        assert len(journal.records) == 2
        full.room = 1000
        journal.append(Result(3))
    assert content(tmp_path) == before + b'{"number":3,"text":"","crc32":"c766c40e"}\n'


def test_a_line_may_be_taken_in_pieces(tmp_path: Path) -> None:
    class Drop(FullDisk):
        def write(self, data: bytes) -> int:
            return int(self._file.write(data[:1]))

    with opened(tmp_path) as journal:
        journal._file = Drop(journal._file, 1)
        journal.append(Result(1, "a text"))
    assert numbers(tmp_path) == [1]


def test_a_disk_that_cannot_sync_takes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = write(tmp_path, 2)
    with opened(tmp_path, resume=True) as journal:
        monkeypatch.setattr(os, "fsync", is_full)
        with pytest.raises(OSError, match="No space left"):
            journal.append(Result(2))
    assert content(tmp_path) == before


def test_a_line_that_is_whole_stays_when_ctrl_c_comes_while_it_is_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others may have read it already."""

    def interrupted(_handle: int) -> None:
        raise KeyboardInterrupt

    with opened(tmp_path) as journal:
        journal.append(Result(0))
        monkeypatch.setattr(os, "fsync", interrupted)
        with pytest.raises(KeyboardInterrupt):
            journal.append(Result(1))
    monkeypatch.undo()
    assert numbers(tmp_path) == [0, 1]


class Interrupted(FullDisk):
    """Stands for the file of a journal; a Ctrl-C comes once, after some bytes have been written."""

    def write(self, data: bytes) -> int:
        room, self.room = self.room, -1
        written = int(self._file.write(data if room < 0 else data[:room]))
        if room >= 0:
            raise KeyboardInterrupt
        return written


@pytest.mark.parametrize("room", [0, 1, 41, 42, 999])
def test_a_line_is_finished_when_ctrl_c_comes_while_it_is_written(room: int, tmp_path: Path) -> None:
    """At any byte, and between the last one and the next statement."""
    with opened(tmp_path) as journal:
        journal.append(Result(0))
        journal._file = Interrupted(journal._file, room)
        with pytest.raises(KeyboardInterrupt):
            journal.append(Result(1))
        journal.append(Result(2))
    assert numbers(tmp_path) == [0, 1, 2]


def test_a_disk_that_is_full_at_once_leaves_nothing_to_be_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", is_full)
        with pytest.raises(OSError, match="No space left"):
            opened(tmp_path)
    assert content(tmp_path) == b""
    write(tmp_path, 1)


# --- whose journal it is ----------------------------------------------------------------------------------------------


def with_settings(**settings: Any) -> dict[str, Any]:
    return {**HEADER, "settings": settings}


REFUSED = {
    "another number": (with_settings(games=6, players=["a", "b"]), "games 4, not 6"),
    "another text in a list": (with_settings(games=4, players=["a", "c"]), r'players \["a", "b"\], not \["a", "c"\]'),
    "a setting more": (with_settings(games=4, players=["a", "b"], komi=5.5), "komi null, not 5.5"),
    "a setting less": (with_settings(players=["a", "b"]), "games 4, not null"),
    "a long setting": (with_settings(games=4, players=["a" * 500]), "players .*…"),
    "another kind": ({**HEADER, "kind": "positions"}, "does not hold a positions"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_other_settings_are_refused_in_one_line(case: str, tmp_path: Path) -> None:
    header, message = REFUSED[case]
    before = write(tmp_path, 2)
    with pytest.raises(JournalError, match=message) as caught:
        opened(tmp_path, header, resume=True)
    assert "\n" not in str(caught.value)
    assert str(tmp_path) in str(caught.value)
    assert len(str(caught.value)) < 400
    assert content(tmp_path) == before


@pytest.mark.parametrize(
    "header",
    [{**HEADER, "versions": {"kikashi": "9.9"}}, with_settings(games=4, players=("a", "b"))],
    ids=["another version", "a tuple, which became a list"],
)
def test_a_header_that_means_the_same_is_not_refused(header: dict[str, Any], tmp_path: Path) -> None:
    write(tmp_path, 1)
    with opened(tmp_path, header, resume=True) as journal:
        assert len(journal.records) == 1
    assert read_header(tmp_path) == HEADER


def test_a_folder_that_holds_one_is_not_begun_anew(tmp_path: Path) -> None:
    before = write(tmp_path, 2)
    with pytest.raises(JournalError, match=f"was begun already; go on with --resume {tmp_path}"):
        opened(tmp_path)
    assert content(tmp_path) == before


def test_a_folder_without_one_cannot_be_resumed(tmp_path: Path) -> None:
    for act in (lambda: opened(tmp_path / "none", resume=True), lambda: read_header(tmp_path / "none")):
        with pytest.raises(JournalError, match=r"none has no journal\.jsonl: there is nothing to resume"):
            act()
    assert not (tmp_path / "none").exists()


DAMAGED = {
    "a line that is no JSON": (b"nonsense\n", "damaged in line 3"),
    "a line that is not UTF-8": (b'{"number":1,"text":"\xff"}\n', "damaged in line 3"),
    "an empty line": (b"\n", "damaged in line 3"),
    "a line of another kind": (b'{"name":1}\n', "damaged in line 3: .*number"),
    "a value of another kind": (b'{"number":"one"}\n', "damaged in line 3: number must be a whole number"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_a_damaged_line_in_the_middle_is_refused(case: str, tmp_path: Path) -> None:
    """It is not thrown away: what is wrong there is none of a crash's work."""
    line, message = DAMAGED[case]
    first, second, rest = write(tmp_path, 3).split(b"\n", 2)
    damaged = b"\n".join([first, second, line + rest])
    (tmp_path / FILE).write_bytes(damaged)
    with pytest.raises(JournalError, match=message) as caught:
        opened(tmp_path, resume=True)
    assert "\n" not in str(caught.value)
    assert content(tmp_path) == damaged


def test_no_flipped_bit_changes_a_value(tmp_path: Path) -> None:
    """It is refused, unless the bit is in the checksum itself or ends the last line, which is then cut off."""
    whole, messages = write(tmp_path, 3), list[str]()
    expected = [Result(0), Result(1, "é"), Result(2, "éé")]
    for place in range(8 * len(whole)):
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << place % 8
        (tmp_path / FILE).write_bytes(flipped)
        try:
            assert HEADER.items() <= read_header(tmp_path).items()
            assert read_records(tmp_path, Result) == expected[: 2 if place // 8 == len(whole) - 1 else 3]
        except JournalError as error:
            messages.append(str(error))
    assert len(messages) > 0.8 * 8 * len(whole)
    assert all(re.search(r"damaged in line [1-4]: [^\n]+$", line) for line in messages)


def test_lines_of_older_versions_have_no_checksum(tmp_path: Path) -> None:
    whole = re.sub(rb',"crc32":"[0-9a-f]+"', b"", write(tmp_path, 3))
    (tmp_path / FILE).write_bytes(whole)
    with opened(tmp_path, resume=True) as journal:
        assert journal.records == [Result(0), Result(1, "é"), Result(2, "éé")]
        journal.append(Result(3))
    assert numbers(tmp_path) == [0, 1, 2, 3]


@pytest.mark.parametrize("first", [b"\n", b"nonsense\n", b"[1, 2]\n", b"\xff\xfe\n"])
def test_a_file_that_is_no_journal_is_refused(first: bytes, tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(first)
    for act in (lambda: read_header(tmp_path), lambda: opened(tmp_path, resume=True), lambda: opened(tmp_path)):
        with pytest.raises(JournalError):
            act()
    assert content(tmp_path) == first


# --- one writer -------------------------------------------------------------------------------------------------------


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    with opened(tmp_path) as journal:
        with pytest.raises(JournalError, match="another process is writing"):
            opened(tmp_path, resume=True)
        journal.append(Result(1))
    assert numbers(tmp_path) == [1]


HOLD = """
import sys
from pathlib import Path
from kikashi.match.journal import Journal
header = {"kind": "match", "settings": {"games": 4, "players": ["a", "b"]}}
journal = Journal(Path(sys.argv[1]), header, dict, resume=False)
print("open", flush=True)
sys.stdin.read()
"""


def test_a_writer_that_was_killed_leaves_no_lock(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"open\n"
        with pytest.raises(JournalError, match="another process is writing"):
            opened(tmp_path, resume=True)
        other.kill()
    assert numbers(tmp_path) == []
