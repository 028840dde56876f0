"""The documentation is true: README's examples run, and so does the page on adding a heuristic, in a page."""

import doctest
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import kikashi.board
import kikashi.jit
import kikashi.playout
from helpers.pages import PAGES, ROOT, blocks, commands
from kikashi.cli import main
from kikashi.parts.registry import KINDS
from kikashi.playout.candidates import CANDIDATES
from kikashi.playout.simulation import SIMULATION
from kikashi.search.kinds import MOMENTS


def test_the_examples_of_the_readme_run() -> None:
    failed, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert tried > 5
    assert failed == 0


@pytest.mark.thorough
def test_the_heuristic_of_the_readme_plays_its_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_ideas.py").write_text(blocks("README.md", "python")[0])
    (match,) = [words for words in commands("README.md") if words[0] == "match"]
    monkeypatch.chdir(tmp_path)
    tiny = ["--size", "5", "--simulations", "20", "--games", "2", "--concurrency", "1", "--json"]
    result = CliRunner().invoke(main, [*match, *tiny])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["pairings"][0]["games"] == 2


@pytest.mark.thorough
def test_a_heuristic_is_added_as_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = "docs/add_a_heuristic.md"
    assert len((ROOT / page).read_text().splitlines()) < 100
    (source,), (lines,) = blocks(page, "python"), blocks(page, "sh")
    check, measure, meet = (shlex.split(line)[1:] for line in lines.splitlines())
    (tmp_path / "my_ideas.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    tiny = ["--size", "5", "--simulations", "20", "--games", "2", "--concurrency", "1"]
    result = CliRunner().invoke(main, [*meet, *tiny, "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["pairings"][0]["games"] == 2
    result = CliRunner().invoke(main, check)
    assert result.exit_code == 0, result.output
    names = ["heuristic contact", "heuristic favourite", "memory opening_wins"]
    assert [line.partition(": fine; ")[0] for line in result.stdout.splitlines()] == names
    result = CliRunner().invoke(main, [*measure, "--json"])
    assert result.exit_code == 0, result.output
    shares = json.loads(result.stdout)["moves_by"]
    assert list(shares) == ["favourite", "contact(weight=2.0)", "uniform", "pass"]
    assert shares["contact(weight=2.0)"] > 0.3
    assert shares["favourite"] > 0


# --- what pages name --------------------------------------------------------------------------------------------------


def test_every_name_of_the_page_on_heuristics_exists() -> None:
    text = re.sub(r"^```.*?^```", "", (ROOT / "docs/add_a_heuristic.md").read_text(), flags=re.MULTILINE | re.DOTALL)
    spans = [span for span in re.findall(r"`([^`]+)`", text) if not re.search(r"--|/|\.toml|\.py|base = ", span)]
    names = {name for span in spans for name in re.findall(r"[A-Za-z_]\w*", re.sub(r"\"[^\"]*\"", "", span))}
    known = {*dir(kikashi.playout), *dir(kikashi.board), *dir(kikashi.jit), *SIMULATION.names, *CANDIDATES.names}
    known |= KINDS["heuristic"].parameters.keys()
    arguments = {"sim", "my", "point", "uniform_too", "w", "order", "True", "kikashi", "contact", "review"}
    modules = {"board", "jit", "playout"}
    assert len(names & known) > 15
    assert names - known - arguments - modules == set()


def test_the_table_of_kinds_is_that_of_the_sources() -> None:
    """Kinds of tests have names that begin with toy."""
    page = (ROOT / "docs/architecture.md").read_text()
    kinds = {name: kind for name, kind in KINDS.items() if not name.startswith("toy_")}
    expected = [
        f"| {kind if first else '…'} | `{entry}` | {entry.called} |"
        for kind in kinds.values()
        for first, entry in zip([True] + [False] * len(kind.entries), kind.entries, strict=False)
    ]
    table = page[page.index("| kind | function | called |") :].split("\n\n")[0].splitlines()[2:]
    assert table == expected
    for entry in MOMENTS.values():
        assert f"| `{entry}` | {entry.called} |" in page


def test_files_of_the_reading_order_exist() -> None:
    page = (ROOT / "docs/architecture.md").read_text()
    named = re.findall(r"`([\w/]+(?:\.py|/))`", page)
    assert len(named) > 40
    for path in named:
        assert (ROOT / "src/kikashi" / path).exists(), path


@pytest.mark.thorough
def test_a_heuristic_with_types_runs(tmp_path: Path) -> None:
    """`tests/test_api.py` has a type checker look at it."""
    (tmp_path / "eastward.py").write_text(blocks("docs/architecture.md", "python")[0])
    kikashi.playout.load_plugin(tmp_path / "eastward.py")
    policy, root = kikashi.playout.make_policy("eastward"), kikashi.playout.new_root(kikashi.board.new_board(5))
    totals = kikashi.playout.sample(policy, root, playouts=100)
    assert totals.moves_by["eastward"] > 500


@pytest.mark.thorough
def test_a_kind_of_rules_is_added_as_the_page_says(tmp_path: Path) -> None:
    """In a process of its own: the kind would be there for all tests."""
    (_, source, _), (preset,) = blocks("docs/architecture.md", "python"), blocks("docs/architecture.md", "toml")
    (tmp_path / "surprises.py").write_text(source)
    (tmp_path / "mine.toml").write_text(preset)
    (tmp_path / "run.py").write_text(
        "from kikashi import Limit, Game, Player\n"
        "from kikashi.playout import load_plugin\n"
        "load_plugin('surprises.py')\n"
        "player = Player('mine.toml', limit=Limit(simulations=50), megabytes=16)\n"
        "player.analyse(Game(5))\n"
        "tree = player.last_search.tree\n"
        "rows = tree.columns['best_score'][: tree.used]\n"
        "assert (rows['times'] == tree.nodes['visits'][: tree.used]).all()\n"
        "print(rows['times'][0], rows['high'][0])\n"
    )
    done = subprocess.run([sys.executable, "run.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    times, high = map(int, done.stdout.split())
    assert times == 50
    assert -25 <= high <= 25


def test_larger_boards_have_the_settings_of_the_page(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(blocks("docs/presets.md", "toml")[-1])
    rules = {size: kikashi.load_preset(str(file)).at(size).config.rules for size in (9, 13, 19)}
    assert [rules[size]["selection"].values["x"] for size in rules] == [0.0017, 0.001, 0.001]
    assert [rules[size]["expansion"].values["visits"] for size in rules] == [4, 4, 8]


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)", (ROOT / page).read_text()):
        assert ((ROOT / page).parent / target).exists(), f"{page} links to {target}"


ITEMS = {"C": 15, "G": 15, "Y": 8, "B": 29}
"""By paper: how many items it asks for."""


def test_every_item_of_the_papers_has_a_row() -> None:
    rows = re.findall(r"^\| ([CGYB]\d+(?:, [CGYB]\d+)*) \|", (ROOT / "docs/papers.md").read_text(), re.MULTILINE)
    listed = {item for row in rows for item in row.split(", ")}
    items = [f"{paper}{number}" for paper, most in ITEMS.items() for number in range(1, most + 1)]
    assert [item for item in items if item not in listed] == []


def test_every_folder_of_the_map_exists() -> None:
    for path in re.findall(
        r"^\| `((?:src|tests|benchmarks|docs|examples|release)/[^`]*)`",
        (ROOT / "CONTRIBUTING.md").read_text(),
        re.MULTILINE,
    ):
        assert (ROOT / path).exists(), path


def test_the_table_of_parts_is_up_to_date() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "kikashi.engine.catalogue"], capture_output=True, text=True, check=True
    )
    assert (ROOT / "docs" / "parts.md").read_text() == shown.stdout, "run make docs"
