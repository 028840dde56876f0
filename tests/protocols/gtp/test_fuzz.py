"""Nonsense for the GTP engine, the same at every run: nothing makes it crash, hang or speak out of turn.

``make test`` sends a twentieth of it, ``make soak`` (``KIKASHI_SOAK=1``) all of it.
"""

import os
import random
import re
import string
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.gtp_text import COMMAND, check_answer, new_session, noise, ok, says
from kikashi.protocols.gtp import session as session_module
from kikashi.protocols.gtp.protocol import COMMANDS, parse_line
from kikashi.protocols.gtp.session import GtpSession

SHARE = 1.0 if os.environ.get("KIKASHI_SOAK") else 0.05
LINES, PROCESS_LINES, FILES = (round(SHARE * count) for count in (90_000, 10_000, 10_000))
PARTS = 4
"""Each with a seed of its own, so that they can be run side by side."""


# --- lines ------------------------------------------------------------------------------------------------------------

WORDS = """
    b w black WHITE pass resign A1 b2 C3 E5 T19 I5 Z9 a0 C33 A1,B2 0 1 2 -1 5 7.5 1e9 nan inf 99999999999 0x10 1_0 +-1
    true false ٣ é interval maxmoves minmoves allow avoid ownership rootInfo pvVisits name list_commands none absolute
    byoyomi canadian fischer fischer-capped chinese aga tromp-taylor japanese dead alive seki dame black_territory
    game.sgf broken.sgf . { } [1] {} {"ko":"SIMPLE"} {"ko":5} {"suicide":true} mogo-2006 kikashi selection.p=1.1 #
"""
FITTING = {
    "COLOR": "b w B White",
    "VERTEX": "A1 a2 B2 c3 D4 E5 E1 pass",
    "STATUS": "alive dead seki dame black_territory white_territory",
    "FILE": "game.sgf broken.sgf",
    "NAME_OR_JSON": 'chinese aga tromp-taylor {} {"ko":"SITUATIONAL","suicide":true} {"ko":"SIMPLE"}',
    "SYSTEM": "none absolute byoyomi canadian fischer fischer-capped",
    "KEY": "interval maxmoves ownership rootInfo pvVisits avoid",
    "VALUE": "1 2 true false b",
}
"""What the words of a command's usage may stand for; the others are numbers."""
SENSIBLE = """
    boardsize 2, boardsize 3, boardsize 5, boardsize 5, boardsize 7, clear_board, undo, gg-undo 2, komi 0.5, komi 7,
    genmove b, genmove w, reg_genmove b, kgs-genmove_cleanup b, cgos-genmove_analyze w, lz-analyze, kata-analyze w 1,
    kata-genmove_analyze b 1 ownership true, final_status_list dead, final_score, kikashi-explain, showboard,
    time_settings 1 0 0, time_settings 0 1 5, kgs-time_settings byoyomi 0 1 3, time_left b 1 0, time_left w 0 1,
    loadsgf game.sgf, printsgf game.sgf, printsgf, place_free_handicap 3, set_free_handicap A1 B2 C3,
    set_position b A1 w B2, gogui-play_sequence b A1 w B2 b A2, gogui-setup_player w, # interrupt
"""
SENSIBLE_LINES = [line.strip() for line in SENSIBLE.split(",")]
SIGNS = string.ascii_letters + string.digits + " \t#-+.,=?[]{}\"'\\\r\x00\x01\x0c\x7f\x85\u2028é٣"
"""What is put into lines: everything but slashes, for files are to be written only here."""


def random_line(chance: random.Random, commands: list[str]) -> str:
    """A command with arguments that fit it or do not, mutated or not; now and then no command at all."""
    kind = chance.random()
    if kind < 0.3:
        line = chance.choice(SENSIBLE_LINES)
    elif kind < 0.4:
        column, row = chance.choice("ABCDEFG"), chance.randint(1, 7)
        line = f"play {chance.choice('bw')} {column}{row}"
    elif kind < 0.7:
        line = fitting(chance.choice(commands), chance)
    elif kind < 0.95:
        line = " ".join([chance.choice(commands), *chance.choices(WORDS.split(), k=chance.randint(0, 5))])
    else:
        line = "".join(chance.choices(SIGNS, k=chance.randint(0, 60)))
    if chance.random() < 0.3:
        line = mutated(line, chance, SIGNS)
    if chance.random() < 0.2:
        line = f"{chance.randint(0, 10**6)} {line}"
    return line.replace("\n", " ")


def fitting(name: str, chance: random.Random) -> str:
    """A command with arguments of the right kinds."""
    known = COMMANDS.get(name)
    words = re.sub(r"[][.]", " ", known.usage).split()[1:] if known else []
    return " ".join([name, *(chance.choice(FITTING.get(word, "0 1 2 3 5 10").split()) for word in words)])


def mutated(text: str, chance: random.Random, signs: str) -> str:
    """Signs or stretches dropped, changed, put in or doubled."""
    for _ in range(chance.randint(1, 3)):
        at = chance.randint(0, len(text))
        end = min(len(text), at + chance.choice((0, 1, 1, 2, 8)))
        middle = chance.choice(("", chance.choice(signs), text[at:end] * 2, chance.choice(signs) * 40))
        text = text[:at] + middle + text[end:]
    return text


def lines(seed: int, count: int) -> Iterator[str]:
    """Lines without ``quit`` and without presets that would have to be compiled."""
    chance = random.Random(seed)
    commands = [name for name in COMMANDS if name not in ("quit", "kikashi-preset")]
    commands += ["kikashi-preset kikashi", "kikashi-preset x", "kikashi-preset"]
    while count:
        line = random_line(chance, commands)
        command = parse_line(line)
        if command is None or command.name != "quit":
            count -= 1
            yield line


def situation(session: GtpSession) -> tuple[object, ...]:
    """What a failure must not change, as far as that can be told quickly."""
    game = session.game
    return (
        (game.size, game.komi, game.rules, game.move_count, game.hash, game.turn, game.handicap),
        (dict(session.clocks), session.start_clock, session.last, session.player, session.running),
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to read and write in, which is the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(session_module, "SCORING_SIMULATIONS", 5)
    (tmp_path / "broken.sgf").write_text("(;SZ[5];B[aa];W[aa])")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_any_line_is_answered_well(part: int, folder: Path) -> None:
    session = new_session(5, simulations=2)
    for line in lines(part, LINES // PARTS):
        before = situation(session)
        text = says(session, line)
        command = parse_line(line)
        if command is None:
            assert text == ""
            continue
        try:
            check_answer(text, command.id)
            assert text.startswith("=") or situation(session) == before
        except AssertionError as problem:
            raise AssertionError(f"after {line!r}") from problem
    assert ok(session, "name") == "kikashi"


@pytest.mark.slow
def test_any_line_is_answered_well_by_a_process(folder: Path) -> None:
    """All of them are sent at once, so that each analysis is ended by the next line."""
    sent = [re.sub(r"^[\s\d]*", f"{number} ", line) for number, line in enumerate(lines(99, PROCESS_LINES))]
    expected = [command.id for line in sent if (command := parse_line(line)) is not None]
    done = subprocess.run(
        [*COMMAND, "--playouts", "2", "--megabytes", "4"],
        input="\n".join([*sent, "boardsize 19", "name", ""]).encode(),
        capture_output=True,
        timeout=600,
        check=False,
    )
    answers = [text + "\n\n" for text in done.stdout.decode().split("\n\n")]
    assert answers.pop() == "\n\n", "nothing comes after the last answer"
    assert answers[-2:] == ["=\n\n", "= kikashi\n\n"]
    assert [re.match(r"[=?](\d*)", text)[1] for text in answers[:-2]] == expected
    for text in answers:
        check_answer(text, r"\d*")
    assert (noise(done.stderr.decode()), done.returncode) == ("", 0)


# --- files ------------------------------------------------------------------------------------------------------------

RECORDS = [
    "(;FF[4]GM[1]SZ[5]KM[6.5]RU[Chinese]PB[a]PW[b];B[cc];W[dc];B[];W[cd]C[a \\] sign];B[bb])",
    "(;SZ[9]HA[2]AB[cc][gg]KM[0.5]PL[W];W[ee](;B[ef];W[df])(;B[ff];W[fe]))",
    "(;SZ[7]AB[aa:cc]AW[ee:gg];B[dd];W[de]AE[aa];AW[ad];B[ae])",
    "(;GM[1]FF[3]SZ[19]RE[B+R]DT[2006-05-25]CA[UTF-8];B[pd];W[dp];B[tt];W[pp]N[a]C[line\\\nbreak])",
    "(;CA[ISO-8859-1]SZ[5]C[é];W[aa];B[ab];W[ee];B[ba])(;SZ[9];B[aa])",
]
SGF_SIGNS = "()[];:\\abcdefgst0123456789 \nBWACEPLSZKMRUHGF\x00é-."


def broken_record(chance: random.Random) -> bytes:
    """A game that was damaged a little, or not at all, in its text or in its bytes."""
    text = chance.choice(RECORDS)
    if chance.random() < 0.2:
        text = "".join(chance.sample(RECORDS, 2))
    if chance.random() < 0.95:
        text = mutated(text, chance, SGF_SIGNS)
    data = bytearray(text.encode("utf-8"))
    if data and chance.random() < 0.2:
        data[chance.randrange(len(data))] = chance.randrange(256)
    if chance.random() < 0.1:
        data = data[: chance.randint(0, len(data))]
    return bytes(data)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_any_file_is_read_or_refused(part: int, folder: Path) -> None:
    """What is refused changes nothing; what is read can be written and read again."""
    chance = random.Random(part)
    session, again = new_session(), new_session()
    file, copy = folder / "game.sgf", folder / "copy.sgf"
    read = 0
    for _ in range(FILES // PARTS):
        data = broken_record(chance)
        file.write_bytes(data)
        before = situation(session)
        text = says(session, "loadsgf game.sgf")
        try:
            check_answer(text)
            if text.startswith("?"):
                assert situation(session) == before
                continue
            read += 1
            ok(session, f"printsgf {copy.name}")
            assert ok(again, f"loadsgf {copy.name}") == text[1:].strip()
            assert (again.game.moves, again.game.hash) == (session.game.moves, session.game.hash)
        except AssertionError as problem:
            raise AssertionError(f"after {data!r}") from problem
    assert FILES / PARTS / 10 < read < FILES / PARTS, "some were good and some were not"
    assert ok(session, "name") == "kikashi"
