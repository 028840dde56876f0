"""The documentation as a site: it is built without a warning, shows what is exported, and loads nothing from others."""

import importlib
import re
import runpy
import shlex
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from helpers.pages import ROOT, command_of
from kikashi.engine.named_files import preset_names

PACKAGES = re.findall(r"^\| `(kikashi[\w.]*)` \|", (ROOT / "docs/api.md").read_text("utf-8"), re.MULTILINE)
PICTURES = runpy.run_path(str(ROOT / "docs/site/pictures.py"))
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "link": "href"}
"""Elements that load something, and the attribute that says what."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built by what `make site` runs; few tests share it, so that workers seldom build it twice."""
    folder = tmp_path_factory.mktemp("site")
    words = [sys.executable, str(ROOT / "docs/site/build.py"), str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    return folder


class Page(HTMLParser):
    """What a page loads, where it leads and what can be led to."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(file.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        if tag in LOADED and said.get("rel") != "canonical":
            self.loaded.append(said.get(LOADED[tag], ""))
        if tag == "a" and "href" in said:
            self.links.append(said["href"])
        self.ids.update(said[name] for name in ("id", "name") if name in said)


@pytest.mark.thorough
def test_nothing_is_loaded_from_another_host(site: Path) -> None:
    pages = [*site.rglob("*.html")]
    assert len(pages) > 20
    for page in pages:
        assert not [address for address in Page(page).loaded if "//" in address], page.name
    for style in [*site.rglob("*.css"), *site.rglob("*.svg")]:
        assert not re.search(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", style.read_text("utf-8")), style.name


@pytest.mark.thorough
@pytest.mark.parametrize("package", PACKAGES)
def test_examples_are_code(site: Path, package: str) -> None:
    """Markdown takes a bare ``>>>`` for three quotations in each other."""
    page = (site / f"{package}.html").read_text("utf-8")
    assert "<blockquote>" not in page
    assert page.count("&gt;&gt;&gt;") == page.count('<span class="gp">&gt;&gt;&gt; </span>') > 0


@pytest.mark.thorough
def test_links_and_anchors_lead_somewhere(site: Path) -> None:
    """Zensical checks what stands in Markdown; this checks all there is."""
    pages = {file: Page(file) for file in site.rglob("*.html")}
    for file, page in pages.items():
        for link in page.links:
            path, _, anchor = link.partition("#")
            if "//" in path or file.name == "404.html":
                continue
            there = (file.parent / path).resolve() if path else file
            assert there.exists(), f"{file.name}: {link}"
            assert not anchor or there.suffix != ".html" or anchor in pages[there].ids, f"{file.name}: {link}"


@pytest.mark.thorough
def test_the_reference_has_all_public_names(site: Path) -> None:
    assert len(PACKAGES) > 7
    for package in PACKAGES:
        assert f"{package}.html" in Page(site / "api.html").links
        exported = importlib.import_module(package).__all__
        assert exported
        assert {f"{package}.{name}" for name in exported} <= Page(site / f"{package}.html").ids


@pytest.mark.thorough
def test_pages_of_reference_have_all_commands_and_presets(site: Path) -> None:
    commands, presets = ((site / f"{name}.html").read_text("utf-8") for name in ("command_line", "presets"))
    for name in ("play", "match", "experiment run", "bench playouts"):
        assert f'id="kikashi-{name.replace(" ", "-")}"' in commands
    for name in preset_names():
        assert f"<code>{name}</code>" in presets


@pytest.mark.thorough
def test_the_home_page_leads_to_three_doors(site: Path) -> None:
    home = Page(site / "index.html")
    assert {"web.html", "tutorial.html", "matches.html"} <= {link.removeprefix("./") for link in home.links}
    assert "web-analyse.png" in {address.removeprefix("./") for address in home.loaded}


@pytest.mark.parametrize(
    ("folder", "link", "expected"),
    [
        ("", "[a](docs/gtp.md#commands)", "[a](gtp.md#commands)"),
        ("", "![a](docs/strength-steps.svg)", "![a](strength-steps.svg)"),
        ("", "[a](CHANGELOG.md)", "[a](changelog.md)"),
        ("", "[the folder](benchmarks/)", "the folder"),
        ("docs", "[a](../README.md#what-is-there)", "[a](index.md)"),
        ("docs", "[a](lab.md)", "[a](lab.md)"),
        ("docs", "[lab.md](lab.md#kinds)", "[Run experiments](lab.md#kinds)"),
        ("docs", "[a](../pyproject.toml)", "a"),
        ("docs", "[a](nowhere.md)", "[a](nowhere.md)"),
        ("docs", "[a](https://example.org/lab.md)", "[a](https://example.org/lab.md)"),
    ],
)
def test_links_of_the_repository_are_links_of_the_site(folder: str, link: str, expected: str) -> None:
    as_on_the_site = runpy.run_path(str(ROOT / "docs/site/pages.py"))["as_on_the_site"]
    assert as_on_the_site(f"See {link}.", ROOT / folder) == f"See {expected}."


# --- the settings of front ends ---------------------------------------------------------------------------------------

FRONT_ENDS = PICTURES["front_ends"]()


@pytest.mark.parametrize("name", FRONT_ENDS)
def test_a_picture_is_drawn_from_the_table_and_shown(name: str) -> None:
    drawn = PICTURES["draw"](FRONT_ENDS[name])
    assert (ROOT / f"docs/settings/{name}.svg").read_text("utf-8") == drawn, "run make docs"
    assert f"](settings/{name}.svg)" in (ROOT / "docs/guis.md").read_text("utf-8")
    words = [element.text for element in ElementTree.fromstring(drawn).iter() if element.text]
    assert any("not a screenshot" in said for said in words)
    assert {row.get("value", "") for row in FRONT_ENDS[name]["rows"]} - {""} <= set(words)
    for text in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text"):
        letter = 6 * float(text.get("font-size", "")) / 13
        ends = {None: 1.0, "middle": 0.5, "end": 0.0}[text.get("text-anchor")]
        assert float(text.get("x", "")) + ends * letter * len(text.text or "") < PICTURES["WIDTH"], text.text


def test_command_lines_of_pictures_and_files_are_right() -> None:
    texts = [row["value"] for front_end in FRONT_ENDS.values() for row in front_end["rows"] if "value" in row]
    page = (ROOT / "docs/guis.md").read_text("utf-8")
    texts += re.findall(r"^.*?(/path/to/kikashi .*)$", page, re.MULTILINE)
    lists = re.findall(r"^ *command: \[.*\]", page, re.MULTILINE)
    texts += [" ".join(re.findall(r'"([^"]+)"', words)) for words in lists]
    found = [shlex.split(text)[1:] for text in texts if text.startswith("/path/to/kikashi ")]
    found += [shlex.split(text) for text in texts if text.startswith("gtp ")]
    assert len(found) > 7
    for words in found:
        name, command, rest = command_of(words)
        assert name in ("gtp", "kata-analysis")
        command.make_context(name, rest)
