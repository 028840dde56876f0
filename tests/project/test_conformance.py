"""Public test suites of other projects, where they lie beside the repository: nothing of them is copied into it.

They are looked for in ``../shared/suites``, or where ``KIKASHI_SUITES`` says. `Game`, `sgf` and the commands of GTP
answer in this process; then the suites' own driver tries the engine.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from helpers.gtp_text import new_session, ok
from helpers.perft import perft
from kikashi import sgf
from kikashi.board.points import BLACK, MAX_SIZE, MIN_SIZE, WHITE
from kikashi.game import Game
from kikashi.game.diagram import format_diagram, parse_diagram

REPOSITORY = Path(__file__).resolve().parents[2]
SUITES = Path(os.environ.get("KIKASHI_SUITES") or REPOSITORY.parent / "shared" / "suites")
if not SUITES.is_dir():
    pytest.skip(f"the public suites are not in {SUITES}; KIKASHI_SUITES may say where", allow_module_level=True)

PERFT_BUDGET = 20_000
"""How many positions a count of move sequences may cost: all of them together take a few seconds."""


def records(file: str) -> list[list[str]]:
    """The lines of a suite's table, cut at their bars."""
    lines = (SUITES / file).read_text(encoding="utf-8").splitlines()
    return [[field.strip() for field in line.split("|")] for line in lines if line.strip() and not line.startswith("#")]


# --- SGF files --------------------------------------------------------------------------------------------------------


def stones(diagram: str) -> str:
    size, black, white = parse_diagram(diagram)
    colors = dict.fromkeys(black, BLACK) | dict.fromkeys(white, WHITE)
    return format_diagram(size, lambda p: colors.get(p, 0))


@pytest.mark.parametrize("record", records("sgf/expect.txt"), ids=lambda record: record[0])
def test_sgf_file(record):
    path, kind, size, moves, rows = record[:5]
    file = SUITES / "sgf" / path
    if kind == "invalid":
        with pytest.raises(sgf.SGFError):
            sgf.read_game(file)
    elif kind == "odd":
        try:
            str(sgf.read_game(file))
        except sgf.SGFError as error:
            assert "\n" not in str(error)  # noqa: PT017
    else:
        game = sgf.read_game(file)
        assert (str(game.size), str(game.move_count)) == (size, moves)
        assert str(game) == stones(rows)
        assert str(sgf.read_game(sgf.write_game(game))) == stones(rows)


# --- commands and their answers ---------------------------------------------------------------------------------------


class Block(NamedTuple):
    """A test of a .tst file: its source, and its lines, commands and answers (``#? [pattern]``) mixed."""

    file: str
    rules: str
    source: str
    lines: list[str]


def blocks(file: str, rules: str) -> Iterator[Block]:
    block = Block(file, rules, "", [])
    for line in (SUITES / "rules" / file).read_text(encoding="utf-8").splitlines():
        if line.startswith("# source:"):
            yield block
            block = Block(file, rules, line.removeprefix("# source:").strip(), [])
        elif line.startswith("#?") or (line.strip() and not line.startswith("#")):
            block.lines.append(line)
    yield block


RULES_OF_FILES = {
    "boards.tst": "positional",
    "score_area.tst": "positional",
    "legality_psk.tst": "positional",
    "legality_ssk.tst": "situational",
    "legality_simpleko.tst": "simple",
    "legality_tromp_taylor.tst": "tromp-taylor",
}
BLOCKS = [block for file, rules in RULES_OF_FILES.items() for block in blocks(file, rules) if block.lines]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: f"{block.file}: {block.source}")
def test_commands(block, monkeypatch):
    monkeypatch.chdir(SUITES / "rules")
    session = new_session(19, rules=block.rules)
    answer = command = ""
    for line in block.lines:
        if line.startswith("#?"):
            expected = line.removeprefix("#?").strip()[1:-1]
            if command == "list_stones":
                expected = " ".join(sorted(expected.split()))
            assert re.fullmatch(expected, answer), f"{answer!r} instead of {expected!r} before: {line}"
        else:
            words = line.split()[line[0].isdigit() :]
            command, answer = words[0], ok(session, " ".join(words))
            if command == "list_stones":
                answer = " ".join(sorted(answer.split()))


# --- counts and positions ---------------------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("record", records("rules/perft.txt"), ids=lambda record: " ".join(record[:2]))
def test_counts_of_move_sequences(record):
    _name, rules, size, position, _verified, counts = record
    board, turn, _passes = position.split()
    rules = {"cgos": "positional", "tt": "tromp-taylor"}[rules]
    game = Game(int(size), rules=rules) if board == "EMPTY" else Game.from_diagram(board, turn, rules=rules)
    known = [int(count) for count in counts.split()]
    depths = [d for d in range(1, len(known)) if known[d - 1] * int(size) ** 2 <= PERFT_BUDGET]
    assert depths
    assert [perft(game, depth) for depth in depths] == [known[depth] for depth in depths]


POSITIONS = [record for record in records("rules/position_legality.txt") if MIN_SIZE <= int(record[0]) <= MAX_SIZE]


@pytest.mark.parametrize("record", POSITIONS, ids=lambda record: f"{record[0]}x{record[0]} empty={record[1]}")
def test_positions_are_possible_or_refused(record):
    _size, empty, rows, possible = record
    black, white = (digit for digit in "012" if digit != empty)
    diagram = rows.translate(str.maketrans({empty: ".", black: "X", white: "O"}))
    if possible == "1":
        assert str(Game.from_diagram(diagram)) == stones(diagram)
    else:
        with pytest.raises(ValueError, match="has no liberty"):
            Game.from_diagram(diagram)


# --- the engine itself, by the suites' driver -------------------------------------------------------------------------


def driver_says(*arguments: str, rules: str = "positional") -> str:
    """What ``gtpcheck`` prints about the engine."""
    engine = f"{sys.executable} -m kikashi gtp --playouts 20 --rules {rules}"
    driver = [sys.executable, "-W", "ignore", str(SUITES / "gtpcheck")]
    done = subprocess.run(
        [*driver, *arguments, "-v", "-e", engine], cwd=SUITES, capture_output=True, text=True, timeout=300, check=False
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


def shares(text: str) -> dict[str, tuple[int, int]]:
    """The summary lines ``name: passed/all``."""
    return {name: (int(passed), int(all_)) for name, passed, all_ in re.findall(r"(?m)^([\w. ]+): (\d+)/(\d+)", text)}


@pytest.mark.slow
def test_the_driver_finds_the_protocol_kept() -> None:
    text = driver_says("gtp", "gtp/conformance.txt")
    passed, cases = shares(text)["gtp conformance"]
    assert passed >= cases - 2, text
    assert cases >= 170


@pytest.mark.slow
def test_the_driver_finds_files_read_or_refused() -> None:
    text = driver_says("sgf", "sgf/expect.txt")
    found = shares(text)
    assert list(found) == ["valid", "odd", "invalid"]
    assert all(0 < passed == cases for passed, cases in found.values()), text


@pytest.mark.slow
@pytest.mark.parametrize(("name", "rules"), [("cgos", "positional"), ("tt", "tromp-taylor")])
def test_the_driver_counts_the_same_move_sequences(name: str, rules: str) -> None:
    text = driver_says("perft", "rules/perft.txt", "--rules", name, "--budget", "1000", rules=rules)
    assert text.count(" ok\n") > 5, text
    assert text.endswith("PERFT PASS\n"), text
