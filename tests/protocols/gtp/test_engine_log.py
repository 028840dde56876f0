"""What an engine says on standard error: kept from the beginning and the end, and never more than that."""

import os
import sys
from pathlib import Path

import pytest

from helpers.match_tools import eventually
from kikashi.protocols.gtp.controller import Engine, EngineDied
from kikashi.protocols.gtp.engine_log import HEAD, TAIL, EngineLog

TALKING_ENGINE = """
import os, sys
for line in sys.stdin:
    words = line.split()
    number = words.pop(0) if words[0].isdigit() else ""
    text = b"".join(b"%s %07d\\n" % (words[0].encode(), i) for i in range(int("".join(words[1:]) or 0)))
    while text:
        text = text[os.write(2, text):]
    print(f"={number} \\n", flush=True)
"""
MOST = HEAD + TAIL + 200
"""Bytes that a log may have: a line says how much was left out."""


def talking(log: Path) -> Engine:
    return Engine([sys.executable, "-S", "-c", TALKING_ENGINE], log=log)


def test_a_log_is_bounded_and_keeps_the_head_and_the_tail(tmp_path: Path) -> None:
    log = tmp_path / "deep" / "log.txt"
    with talking(log) as engine:
        engine.ask("talk 200000")
        assert eventually(lambda: engine.last_words(2) == ["talk 0199998", "talk 0199999"])
        assert log.stat().st_size <= MOST
        engine.ask("more 3")
        assert engine.last_words(4) == ["talk 0199999", "more 0000000", "more 0000001", "more 0000002"]
    data = log.read_bytes()
    said = 13 * (200_000 + 3)
    assert len(data) <= MOST
    assert data.startswith(b"talk 0000000\ntalk 0000001\n")
    assert data[HEAD:].startswith(f"\n[kikashi: {said - HEAD - TAIL:,} bytes were left out here]\n".encode())
    assert data.endswith(b"talk 0199999\nmore 0000000\nmore 0000001\nmore 0000002\n")


@pytest.mark.parametrize("size", [0, 1, HEAD - 1, HEAD, HEAD + 1, HEAD + TAIL - 1, HEAD + TAIL])
def test_nothing_is_left_out_of_a_short_log(size: int, tmp_path: Path) -> None:
    log, text = EngineLog(tmp_path / "log.txt"), os.urandom(size)
    with os.fdopen(os.dup(log.writer), "wb") as file:
        log.give_away()
        file.write(text)
    assert log.last_bytes(4096, patience=300.0) == text[-4096:]
    log.close()
    assert (tmp_path / "log.txt").exists() == bool(size)
    assert not size or (tmp_path / "log.txt").read_bytes() == text


def test_a_log_does_not_wait_for_somebody_else_who_has_it(tmp_path: Path) -> None:
    log = EngineLog(tmp_path / "log.txt")
    held = os.dup(log.writer)
    log.give_away()
    os.write(held, b"a child that stays\n")
    log.close()
    os.close(held)
    assert (tmp_path / "log.txt").read_bytes() == b"a child that stays\n"


def test_an_engine_that_cannot_be_started_has_no_log(tmp_path: Path) -> None:
    open_before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(EngineDied, match="cannot be started"):
        Engine(["/nowhere/engine"], log=tmp_path / "log.txt")
    assert list(tmp_path.iterdir()) == []
    assert len(os.listdir("/proc/self/fd")) == open_before
