"""What a release says of itself is true, and its files agree with each other. `make dist` tries the wheel itself."""

import importlib.util
import json
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import tomllib
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from click import Context
from click.testing import CliRunner
from trove_classifiers import classifiers as KNOWN_CLASSIFIERS

import kikashi
from helpers.tools import missing
from kikashi.cli import main

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
RECIPE = ROOT / "release" / "conda" / "recipe.yaml"
LATEST = (ROOT / "CHANGELOG.md").read_text("utf-8").split("\n## ")[1]
"""The section of the changelog on the latest release."""
DOCKERFILE = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")


def targets_called(text: str) -> list[str]:
    """The targets of the lines of a shell script that begin with `make`."""
    return [word for line in re.findall(r"^make (.*)$", text, re.MULTILINE) for word in line.split()]


def called_by(workflow: Path) -> list[str]:
    """The targets that a workflow calls, job after job."""
    jobs = yaml.safe_load(workflow.read_text())["jobs"].values()
    return targets_called("\n".join(step.get("run", "") for job in jobs for step in job["steps"]))


# --- the version ------------------------------------------------------------------------------------------------------


def test_changelog_and_citation_have_the_version_and_its_date() -> None:
    headings = re.findall(r"^## (?!Unreleased)(.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    version, date = headings[0].split(" – ")
    assert version == kikashi.__version__ == str(CITATION["version"])
    assert CITATION["date-released"] == str(datetime.strptime(date, "%d %B %Y").date())


def is_there(cell: str) -> bool | None:
    """Return whether the name that a cell of the table begins with is one of kikashi's; None if it begins with none."""
    if (found := re.match(r"`(?:kikashi\.)?(\w+\.\w[\w.]*|(?<=kikashi\.)\w+)", cell)) is None:
        return None
    try:
        pkgutil.resolve_name(f"kikashi.{found[1]}")
    except (AttributeError, ImportError):
        return False
    return True


def test_old_names_of_the_changelog_are_gone_and_new_ones_are_there() -> None:
    rows = re.findall(r"^\| (.*) \| (.*) \|$", LATEST.partition("| was | is |\n")[2], re.MULTILINE)[1:]
    assert sum(is_there(new) is True for _, new in rows) > 25
    assert [old for old, _ in rows if is_there(old)] == []
    assert [new for _, new in rows if is_there(new) is False and not new.startswith("`design.")] == []


def test_lines_of_the_latest_release_wrap() -> None:
    assert [line for line in LATEST.splitlines() if len(line) > 120] == []


def test_the_page_on_installation_names_the_wheel_and_how_to_run_it() -> None:
    page = (ROOT / "docs/install.md").read_text()
    assert set(re.findall(r"kikashi-[\d.]+-py3-none-any\.whl", page)) == {
        f"kikashi-{kikashi.__version__}-py3-none-any.whl"
    }
    assert "pipx run --spec WHEEL kikashi" in page
    assert "uvx --from WHEEL kikashi" in page


# --- what is said of the project --------------------------------------------------------------------------------------


def test_codemeta_and_the_citation_agree() -> None:
    codemeta = json.loads((ROOT / "codemeta.json").read_text())
    assert codemeta["version"] == str(CITATION["version"])
    assert codemeta["datePublished"] == CITATION["date-released"]
    assert codemeta["keywords"] == CITATION["keywords"]
    assert codemeta["description"] == PROJECT["description"]
    assert codemeta["runtimePlatform"] == f"Python {PROJECT['requires-python'].removeprefix('>=')} or newer"
    assert codemeta["softwareRequirements"] == PROJECT["dependencies"]
    assert codemeta["license"].endswith(f"/{CITATION['license']}")
    assert [author["name"] for author in codemeta["author"]] == [author["name"] for author in CITATION["authors"]]


def test_the_paper_cites_what_its_bibliography_has() -> None:
    cited = set(re.findall(r"@(\w+)", (ROOT / "paper" / "paper.md").read_text("utf-8")))
    assert cited == set(re.findall(r"^@\w+\{(\w+),", (ROOT / "paper" / "paper.bib").read_text("utf-8"), re.MULTILINE))


def test_the_metadata_are_complete() -> None:
    assert {"authors", "description", "keywords", "license", "license-files", "readme"} <= PROJECT.keys()
    assert "urls" not in PROJECT, "the project has no address on the net yet"
    assert "repository-code" not in CITATION
    assert [author["name"] for author in PROJECT["authors"]] == [author["name"] for author in CITATION["authors"]]
    assert set(PROJECT["classifiers"]) <= set(KNOWN_CLASSIFIERS)
    assert PROJECT["classifiers"] == sorted(PROJECT["classifiers"])


def test_the_citation_names_the_four_papers() -> None:
    table = (ROOT / "docs" / "papers.md").read_text().partition("| letter | paper |\n|---|---|\n")[2]
    papers = [row.split(" | ")[1] for row in table.partition("\n\n")[0].splitlines()]
    assert len(papers) == len(CITATION["references"]) == 4
    for paper, reference in zip(papers, CITATION["references"], strict=True):
        people = [f"{author['given-names']} {author['family-names']}" for author in reference["authors"]]
        assert paper.startswith(", ".join([*people, reference["title"]]) + ", ")
        assert str(reference["year"]) in paper
        places = [reference.get(place, {}).get("name", "") for place in ("conference", "institution")]
        assert "".join(places) in paper


# --- the container ----------------------------------------------------------------------------------------------------


def test_a_linter_finds_nothing_in_the_dockerfile() -> None:
    linter = Path(sys.executable).parent / "hadolint"
    if not linter.is_file():
        missing("hadolint is not installed; make setup does that")
    done = subprocess.run([linter, ROOT / "Dockerfile"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_container_does_not_run_as_root_and_gets_its_files() -> None:
    said = [line.split(maxsplit=1) for line in DOCKERFILE.splitlines() if line and not line.startswith("#")]
    assert dict(said)["USER"] not in ("root", "0")
    assert dict(said)["ENTRYPOINT"] == '["kikashi"]'
    supported = [name.rpartition(" ")[2] for name in PROJECT["classifiers"] if ":: 3." in name]
    assert dict(said)["ARG"].partition("=")[2] in supported
    copied = {word for word, rest in said if word == "COPY" and "--from" not in rest for word in rest.split()[:-1]}
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert [line for line in ignored if line[:1] not in "#!"] == ["*"]
    assert {line.removeprefix("!") for line in ignored if line.startswith("!")} == copied


# --- GitHub -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_call_targets_that_exist(workflow: Path) -> None:
    known = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    called = called_by(workflow)
    assert called
    assert set(called) <= set(known)


def test_github_runs_the_checks_of_ci() -> None:
    expected = targets_called((ROOT / ".ci" / "run").read_text())
    assert expected
    assert called_by(ROOT / ".github" / "workflows" / "check.yml") == expected


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_may_only_read(workflow: Path) -> None:
    said = yaml.safe_load(workflow.read_text())
    assert said["permissions"] == {"contents": "read"}
    assert "secrets." not in workflow.read_text()
    assert {name for name, job in said["jobs"].items() if "permissions" in job} <= {"publish"}


def test_only_a_tag_is_published_after_its_trial_and_without_a_password() -> None:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "dist.yml").read_text())["jobs"]
    publish = jobs["publish"]
    assert (publish["needs"], publish["if"]) == ("dist", "startsWith(github.ref, 'refs/tags/v')")
    assert (publish["permissions"], publish["environment"]) == ({"id-token": "write"}, "pypi")
    download, upload = publish["steps"]
    kept = next(step["with"] for step in jobs["dist"]["steps"] if "upload-artifact" in step.get("uses", ""))
    assert download["with"] == {"name": kept["name"], "path": kept["path"]}
    assert upload["uses"].startswith("pypa/gh-action-pypi-publish@")
    assert "with" not in upload


# --- conda and commits ------------------------------------------------------------------------------------------------


def test_the_conda_recipe_is_one() -> None:
    try:
        from rattler_build import RattlerBuildError, Stage0Recipe
    except ImportError:
        missing("py-rattler-build is not installed; make setup does that")
    recipe = Stage0Recipe.from_file(str(RECIPE))
    assert recipe.schema_version == 1
    (rendered,) = recipe.render()
    assert rendered.recipe.to_dict()["package"] == {"name": "kikashi", "version": kikashi.__version__}
    with pytest.raises(RattlerBuildError, match="unknown field"):
        Stage0Recipe.from_yaml(RECIPE.read_text("utf-8").replace("noarch:", "no_arch:"))


def test_the_conda_recipe_agrees_with_the_project() -> None:
    recipe = yaml.safe_load(RECIPE.read_text("utf-8"))
    run = [line.replace(" ", "") for line in recipe["requirements"]["run"]]
    assert run == [f"python{PROJECT['requires-python']}", *PROJECT["dependencies"]]
    assert recipe["context"]["version"] == kikashi.__version__
    assert (recipe["about"]["summary"], recipe["about"]["license"]) == (PROJECT["description"], PROJECT["license"])
    (name,) = PROJECT["scripts"].items()
    assert recipe["build"]["python"]["entry_points"] == [" = ".join(name)]


def test_commits_are_checked_by_programs_of_make_check() -> None:
    (local,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
    assert local["repo"] == "local"
    check = (
        (ROOT / "Makefile").read_text().partition("\ncheck: ")[2].partition("\n\n")[0].replace("$(BIN)", ".venv/bin")
    )
    assert local["hooks"]
    for hook in local["hooks"]:
        assert hook["entry"].removesuffix(" --force-exclude") in check
        assert hook["language"] == "system"


# --- man pages --------------------------------------------------------------------------------------------------------


def man_pages() -> dict[str, str]:
    specification = importlib.util.spec_from_file_location("man_pages", ROOT / "release" / "man_pages.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module.pages()


MAN_PAGES = man_pages()


def test_every_command_has_a_man_page_and_every_time_the_same() -> None:
    context = Context(main)
    assert {f"kikashi-{name}.1" for name in main.list_commands(context)} < MAN_PAGES.keys()
    bench = main.get_command(context, "bench")
    assert {f"kikashi-bench-{name}.1" for name in bench.list_commands(context)} < MAN_PAGES.keys()
    assert man_pages() == MAN_PAGES


@pytest.mark.parametrize("name", MAN_PAGES)
def test_a_man_page_has_all_options_of_the_help(name: str) -> None:
    page = MAN_PAGES[name]
    assert page.startswith(f'.TH "{name.removesuffix(".1").upper()}"'.replace("-", r"\-"))
    words = re.search(r"^\.B kikashi ?(.*)$", page, re.MULTILINE)[1].replace("\\", "").split()
    shown = CliRunner().invoke(main, [*words, "--help"]).stdout
    options = set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", shown, re.MULTILINE))
    assert options
    for option in options:
        assert option.replace("-", r"\-") in page
    macros = {line.split()[0] for line in page.splitlines() if line.startswith(".")}
    assert macros <= {".TH", ".SH", ".TP", ".PP", ".B", ".BR"}


def test_groff_has_nothing_to_say_about_man_pages(tmp_path: Path) -> None:
    if shutil.which("groff") is None:
        pytest.skip("needs groff")
    for name, page in MAN_PAGES.items():
        done = subprocess.run(
            ["groff", "-man", "-ww", "-Tutf8", "-P-c", "-P-b", "-P-u"],
            input=page,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr == "", name
        assert "NAME" in done.stdout


# --- building ---------------------------------------------------------------------------------------------------------


def build_hook(root: Path, target: str = "wheel") -> Any:
    specification = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module.PageHook(str(root), {}, None, None, str(root), target)


def test_nothing_is_packed_without_the_page(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"static is missing: make page builds it"):
        build_hook(tmp_path).initialize("standard", {"artifacts": []})


@pytest.mark.parametrize("works", [True, False])
def test_a_node_that_does_not_run_is_no_node(
    tmp_path: Path, works: bool, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """In pip's isolated builds the node of a virtual environment fails: another is asked, or the page is packed as it
    is."""
    page = tmp_path / "src" / "kikashi" / "web" / "static" / "index.html"
    for file in (page, tmp_path / "frontend" / "src" / "page.ts", tmp_path / "frontend" / "build.mjs"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    os.utime(page, (0, 0))  # older than what it is made from
    (tmp_path / "frontend" / "node_modules").mkdir()
    for name, line in {"broken": "exit 1", "working": "echo built with $1 >&2" if works else "exit 1"}.items():
        node = tmp_path / name / "node"
        node.parent.mkdir()
        node.write_text(f"#!/bin/sh\n{line}\n")
        node.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'broken'}:{tmp_path / 'working'}")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "broken" / "node"))
    said: dict[str, Any] = {"artifacts": [], "shared_data": {}}
    build_hook(tmp_path).initialize("standard", said)
    told = capfd.readouterr().err.splitlines()
    assert told == ["built with build.mjs" if works else "no Node runs here: the page is packed as it is"]
    assert said["artifacts"]


def test_man_pages_go_into_the_wheel_and_the_source(tmp_path: Path) -> None:
    for file in (tmp_path / "src" / "kikashi" / "web" / "static" / "index.html", tmp_path / "man" / "kikashi.1"):
        file.parent.mkdir(parents=True)
        file.touch()
    packed: dict[str, Any] = {"artifacts": [], "shared_data": {}}
    build_hook(tmp_path).initialize("standard", packed)
    assert packed["shared_data"] == {str(tmp_path / "man" / "kikashi.1"): "share/man/man1/kikashi.1"}
    source: dict[str, Any] = {"artifacts": []}
    build_hook(tmp_path, "sdist").initialize("standard", source)
    assert "/man/*" in source["artifacts"]
