"""Pages of the site from those of the repository: the home page, those at the top, and those of docs/.

Pages are written for the repository, where links lead to files. On the site they lead to the same pages; a link to a
file that the site does not have becomes plain text.
"""

from __future__ import annotations

import re
from pathlib import Path

import click

from kikashi.cli import main
from kikashi.engine.named_files import preset_names
from kikashi.engine.preset import load_preset

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
AT_THE_TOP = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Files, and the pages they become."""
HOME = {"README.md": "index.md"}
TITLES = {
    page: title for title, page in re.findall(r"^ +- (.+): (\w+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.M)
}
"""Titles of pages in the navigation: on the site they stand for the names of files in links."""
LINK = re.compile(r"\[([^\][]*)\]\((?!https?:)([^)#\s]+)(#[^)\s]*)?\)")


def pages() -> dict[str, str]:
    """Texts of all pages but the API reference, by their names on the site."""
    found = {file.name: as_on_the_site(file.read_text("utf-8"), DOCS) for file in DOCS.glob("*.md")}
    for name, page in AT_THE_TOP.items():
        found[page] = as_on_the_site((ROOT / name).read_text("utf-8"), ROOT)
    found["index.md"] = (DOCS / "site" / "home.md").read_text("utf-8")
    found["command_line.md"] += commands()
    found["presets.md"] += presets()
    return found


def as_on_the_site(markdown: str, folder: Path) -> str:
    """A page of a folder of the repository with the links that the site has."""

    def moved(link: re.Match[str]) -> str:
        place = (folder / link[2]).resolve()
        if not place.exists():
            return link[0]  # the generator reports it
        if place.parent == ROOT and place.name in HOME:
            return f"[{link[1]}]({HOME[place.name]})"
        page = AT_THE_TOP.get(place.name) if place.parent == ROOT else None
        if page is None and place.is_relative_to(DOCS):
            page = place.relative_to(DOCS).as_posix()
        words = TITLES.get(page or "", link[1]) if link[1] == place.name else link[1]
        return f"[{words}]({page}{link[3] or ''})" if page else words

    return LINK.sub(moved, markdown)


# --- generated tables -------------------------------------------------------------------------------------------------


def commands() -> str:
    """The help of every command, as sections of a page."""
    found = ["\n## All commands\n"]
    for name, command in _leaves(main, ()):
        text = command.get_help(click.Context(command, info_name=f"kikashi {name}", max_content_width=96))
        found.append(f"### kikashi {name}\n\n```text\n{text}\n```\n")
    return "\n".join(found)


def _leaves(group: click.Group, path: tuple[str, ...]) -> list[tuple[str, click.Command]]:
    found: list[tuple[str, click.Command]] = []
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        if isinstance(command, click.Group):
            found += _leaves(command, (*path, name))
        elif command is not None and not command.hidden:
            found.append((" ".join((*path, name)), command))
    return found


def presets() -> str:
    """The table of the package's presets."""
    rows = [f"| `{name}` | {load_preset(name).summary} | {load_preset(name).source} |" for name in preset_names()]
    return "\n".join(["\n## All presets\n", "| preset | is | source |", "|---|---|---|", *rows, ""])
