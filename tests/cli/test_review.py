"""``kikashi review``: collections, standard input, rules that are not ours, and output that cannot be had."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kikashi import files, sgf
from kikashi.cli import main, streams

ONE = "(;SZ[5]KM[3.5]RU[Chinese]PB[Ann]PW[Bob];B[cc];W[cb])"
EMPTY = "(;SZ[5])"
OTHER = "(;SZ[5]RU[Japanese]PB[Cid]PW[Dee]PL[2];W[aa];B[bb])"
COLLECTION = ONE + EMPTY + OTHER


def analyze(*arguments: str | Path, text: str | None = None) -> Result:
    options = ["--preset", "mogo-2006-pure", "--simulations", "5", "--megabytes", "8"]
    return CliRunner().invoke(main, ["review", *map(str, arguments), *options], input=text)


def games(stdout: str) -> list[tuple[int, str]]:
    found = [json.loads(line) for line in stdout.splitlines()]
    return [(game.get("game", 1), game["black"]) for game in found]


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    file = tmp_path / "three.sgf"
    file.write_text(COLLECTION)
    return file


# --- input ------------------------------------------------------------------------------------------------------------


def test_every_game_of_a_collection_is_reviewed(collection: Path) -> None:
    result = analyze(collection)
    assert result.exit_code == 0, result.stderr
    assert "game 2: left out: there is no move" in result.stderr
    assert [line for line in result.stdout.splitlines() if line.startswith("game ")] == ["game 1", "game 3"]
    names = sorted(file.name for file in collection.parent.iterdir())
    assert names == ["three.analysed-3.svg", "three.analysed.sgf", "three.analysed.svg", "three.sgf"]
    annotated = sgf.load(collection.with_suffix(".analysed.sgf"))
    assert [root.text("PB") for root in annotated] == ["Ann", "Cid"]
    assert all("reviewed by" in (root.text("C") or "") for root in annotated)


def test_every_game_of_a_collection_has_its_page(collection: Path) -> None:
    result = analyze(collection, "--html", str(collection.with_suffix(".html")), "--json")
    assert result.exit_code == 0, result.stderr
    pages = sorted(collection.parent.glob("*.html"))
    assert [page.name for page in pages] == ["three-3.html", "three.html"]
    assert ["Cid – Dee" in page.read_text("utf-8") for page in pages] == [True, False]


def test_a_line_of_json_for_each_game_and_one_game_by_its_number(collection: Path) -> None:
    assert games(analyze(collection, "--json").stdout) == [(1, "Ann"), (3, "Cid")]
    assert games(analyze(collection, "--json", "--game", "3").stdout) == [(1, "Cid")]
    refused = analyze(collection, "--json", "--game", "4")
    assert (refused.exit_code, refused.stderr.strip()) == (1, f"Error: {collection} has 3 games, so there is no game 4")


ILLEGAL = "(;SZ[5]KM[0.5]RU[Chinese];B[cc];W[bb];B[bb];W[dd]C[unheard of];B[aa])"
"""Black's second move is on White's stone."""


def test_a_game_with_an_illegal_move_is_reviewed_up_to_it(tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_text(ILLEGAL)
    result = analyze(file)
    assert result.exit_code == 0, result.output
    assert "move 3: black B4 is illegal: " in result.stderr
    assert result.stderr.count("; reviewed up to there") == 1
    nodes = list(sgf.load(file.with_suffix(".analysed.sgf"))[0].main_line())
    assert [bool(node.text("C")) for node in nodes] == [True, True, True, False, True, False], "two moves have a review"
    assert nodes[4].text("C") == "unheard of"
    file.write_text("(;SZ[5];B[zz])")
    assert analyze(file).exit_code == 1, "there is nothing to review"


def test_standard_input_is_a_dash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = analyze("-", text=ONE)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("Ann – Bob")
    assert "written" not in result.stdout
    assert not list(tmp_path.iterdir())


def test_a_game_that_cannot_be_reviewed_is_an_error_if_it_is_the_only_one(tmp_path: Path) -> None:
    for text in (EMPTY, EMPTY + EMPTY):
        (tmp_path / "empty.sgf").write_text(text)
        assert analyze(tmp_path / "empty.sgf").exit_code == 1


@pytest.mark.parametrize(
    ("rules", "scoring", "said"),
    [("korean", "territory", ""), ("Stone scoring", "area", "none we know"), ("AGA", "area", "")],
)
def test_the_rules_of_the_count_are_named(rules: str, scoring: str, said: str) -> None:
    assert "by chinese rules: area counts" in analyze("-", text=ONE).stdout
    result = analyze("-", "--json", text=ONE.replace("Chinese", rules))
    assert result.exit_code == 0
    assert json.loads(result.stdout)["scoring"] == scoring
    told = [line for line in result.stderr.splitlines() if "rules" in line]
    assert len(told) == bool(said)
    assert all(said in line and rules in line for line in told)


# --- output -----------------------------------------------------------------------------------------------------------


def test_the_review_is_printed_even_if_no_file_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = files.write_whole

    def full_for_games(file: Path, text: str, **how: bool) -> None:
        if file.suffix == ".sgf":
            raise OSError(28, "No space left on device")
        write(file, text, **how)

    game = tmp_path / "game.sgf"
    game.write_text(ONE)
    monkeypatch.setattr(files, "write_whole", full_for_games)
    result = analyze(game)
    assert result.exit_code == 1
    assert result.stdout.startswith("Ann – Bob")
    assert f"{tmp_path / 'game.analysed.sgf'}: No space left on device" in result.stderr
    assert (tmp_path / "game.analysed.svg").exists(), "one file that fails is no reason to leave out the others"


@pytest.mark.thorough
@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_encodings_without_our_characters(encoding: str) -> None:
    command = [sys.executable, "-m", "kikashi", "review", "-", "--preset", "mogo-2006-pure", "--simulations", "5"]
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    done = subprocess.run(command, input=ONE.encode(), capture_output=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    shown = done.stdout.decode(encoding)
    assert "Ann - Bob" in shown or "Ann – Bob" in shown
    assert "#" in shown
    assert "?" not in shown


def test_a_character_without_a_similar_one_becomes_a_question_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    streams.replace_missing_characters()
    print("a – b … 囲碁 ×", end="", flush=True)
    assert raw.getvalue() == b"a - b ... ?? x"
