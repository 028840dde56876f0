"""The documentation is true: README's examples run, and so does the page on adding a heuristic, in under a page."""

from __future__ import annotations

import doctest
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from kikashi.cli import main

ROOT = Path(__file__).parent.parent


PAGES = sorted(str(path.relative_to(ROOT)) for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])


def blocks(page: str, language: str) -> list[str]:
    """The code blocks of a page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)


def test_the_examples_of_the_readme_run() -> None:
    failed, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert tried > 8
    assert failed == 0


def test_the_example_of_the_game_runs() -> None:
    import kikashi.game.game

    failed, tried = doctest.testmod(kikashi.game.game)
    assert tried > 3
    assert failed == 0


@pytest.mark.thorough
def test_a_heuristic_is_added_as_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = "docs/add_a_heuristic.md"
    assert len((ROOT / page).read_text().splitlines()) < 70
    (source,), (commands,) = blocks(page, "python"), blocks(page, "sh")
    measure, meet = (shlex.split(line)[1:] for line in commands.splitlines())
    (tmp_path / "my_ideas.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    tiny = ["--size", "5", "--playouts", "20", "--games", "2", "--concurrency", "1"]
    result = CliRunner().invoke(main, [*meet, *tiny, "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["pairings"][0]["games"] == 2
    result = CliRunner().invoke(main, [*measure, "--json"])
    assert result.exit_code == 0, result.output
    shares = json.loads(result.stdout)["moves_by"]
    assert list(shares) == ["favourite", "contact(weight=2.0)", "uniform", "pass"]
    assert shares["contact(weight=2.0)"] > 0.3
    assert shares["favourite"] > 0


@pytest.mark.parametrize(
    "page", sorted(path.relative_to(ROOT) for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
)
def test_links_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)", (ROOT / page).read_text()):
        assert ((ROOT / page).parent / target).exists(), f"{page} links to {target}"


def test_every_folder_of_the_map_exists() -> None:
    for path in re.findall(
        r"^\| `((?:src|tests|benchmarks)/[^`]*)`", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE
    ):
        assert (ROOT / path).exists(), path


def test_the_table_of_parts_is_up_to_date() -> None:
    shown = subprocess.run([sys.executable, "-m", "kikashi.catalogue"], capture_output=True, text=True, check=True)
    assert (ROOT / "docs" / "parts.md").read_text() == shown.stdout, "run make docs"
