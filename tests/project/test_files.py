"""Files are written whole: whatever goes wrong, the old one is still there, and no rubbish beside it."""

import errno
import os
import re
from pathlib import Path

import pytest

import kikashi
from kikashi.files import check_writable, free_name, write_whole


def is_full(_descriptor: int) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    write_whole(tmp_path / "games" / "1.sgf", "first é")
    write_whole(tmp_path / "games" / "1.sgf", "second")
    assert (tmp_path / "games" / "1.sgf").read_text("utf-8") == "second"
    assert len(list((tmp_path / "games").iterdir())) == 1


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "report.md"
    write_whole(file, "before")
    monkeypatch.setattr(os, "fsync", is_full)
    with pytest.raises(OSError, match="No space left") as problem:
        write_whole(file, "after")
    assert problem.value.filename == str(file)
    assert file.read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_folder_is_not_made_unless_that_is_wanted(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "new" / "game.sgf", "", make_folders=False)
    assert list(tmp_path.iterdir()) == []


def test_links_devices_and_permissions_stay(tmp_path: Path) -> None:
    file, link, pipe = tmp_path / "game.sgf", tmp_path / "link.sgf", tmp_path / "pipe"
    file.write_text("before")
    file.chmod(0o600)
    link.symlink_to(file)
    write_whole(link, "after")
    assert link.is_symlink()
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("after", 0o600)
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(pipe, "a game")
    assert os.read(reader, 100) == b"a game"
    os.close(reader)
    assert pipe.is_fifo()


def test_a_link_that_somebody_has_made_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether or not the name of the temporary file was guessed."""
    victim, file = tmp_path / "victim", tmp_path / "report.md"
    victim.write_text("before")
    monkeypatch.setattr("secrets.token_hex", lambda _bytes: "guessed")
    (tmp_path / ".report.md.part").symlink_to(victim)
    write_whole(file, "report")
    assert (file.read_text(), file.is_symlink(), victim.read_text()) == ("report", False, "before")
    (tmp_path / ".report.md.guessed.part").symlink_to(victim)
    with pytest.raises(FileExistsError) as problem:
        write_whole(file, "another")
    assert problem.value.filename == str(file)
    assert (file.read_text(), victim.read_text()) == ("report", "before")


def test_a_new_file_has_the_mode_of_any_other(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "game.sgf", "")
    finally:
        os.umask(before)
    assert (tmp_path / "game.sgf").stat().st_mode & 0o777 == 0o640


def test_a_name_may_be_as_long_as_a_folder_allows(tmp_path: Path) -> None:
    name = "é" * 125 + ".sgf"
    write_whole(tmp_path / name, "a game")
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_the_next_free_name(tmp_path: Path) -> None:
    names = []
    for _ in range(3):
        file = free_name(tmp_path / "game.sgf")
        names.append(file.name)
        file.touch()
    assert names == ["game.sgf", "game-2.sgf", "game-3.sgf"]


def test_a_file_that_cannot_be_written_is_refused_before(tmp_path: Path) -> None:
    check_writable(tmp_path / "game.sgf")
    check_writable(Path(os.devnull))
    for wrong in (tmp_path, tmp_path / "no" / "such.sgf"):
        with pytest.raises(OSError, match=r"folder|cannot write"):
            check_writable(wrong)


OTHER_WRITERS = {
    "engine/plugin_check/trials.py": "a pipe",
    "parts/compiling.py": "a pipe",
    "jit/storage.py": "compiled kernels, whole but without waiting for the disk",
    "cli/streams.py": "the null device, for what nobody reads",
    "cli/web.py": "the page that opens the browser, for the user alone, and removed afterwards",
    "files.py": "it is the one that writes",
    "protocols/gtp/engine_log.py": "an engine's standard error, as it comes",
    "experiments/queue.py": "a note beside a journal, which is locked while it is written",
    "match/journal.py": "a line at a time, each one whole",
    "workers/serialization.py": "files of players, unpacked into a folder of one task",
    "workers/dask_cluster.py": "what an engine said on another machine, in a folder of one task",
    "workers/watchdog.py": "notes of a worker, which nobody reads unless it dies",
}
"""Who opens files for writing, and why."""


def test_everything_else_is_written_whole() -> None:
    package = Path(kikashi.__file__).parent
    writes = re.compile(
        r"""(?<!formatter)\.write_(text|bytes)\(|open\([^)\n]*["'][rb]*[wax+][b+]*["']|os\.O_(WRONLY|RDWR|CREAT)"""
    )
    examples = re.compile(r"^ *(>>>|\.\.\.) .*$", re.MULTILINE)
    texts = {
        str(path.relative_to(package)): examples.sub("", path.read_text("utf-8")) for path in package.rglob("*.py")
    }
    found = {name for name, text in texts.items() if writes.search(text)}
    assert found == set(OTHER_WRITERS)
