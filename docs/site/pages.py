"""What the site has beside the pages of docs/: those at the top of the repository. A MkDocs hook.

The pages are written for the repository, where links lead to files. On the site they lead to the same pages; a link to
a file that the site does not have becomes plain text there.
"""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
AT_THE_TOP = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Files, and the pages they become."""
LINK = re.compile(r"\[([^\][]*)\]\((?!https?:)([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages at the top of the repository."""
    for name, page in AT_THE_TOP.items():
        files.append(File.generated(config, page, content=(ROOT / name).read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Have links lead to pages of the site."""
    return as_on_the_site(markdown, ROOT if page.file.src_uri in AT_THE_TOP.values() else DOCS)


def as_on_the_site(markdown: str, folder: Path) -> str:
    """A page of a folder of the repository with the links that the site has."""

    def moved(link: re.Match[str]) -> str:
        place = (folder / link[2]).resolve()
        if not place.exists():
            return link[0]  # MkDocs will say so
        page = AT_THE_TOP.get(place.name) if place.parent == ROOT else None
        if page is None and place.is_relative_to(DOCS):
            page = place.relative_to(DOCS).as_posix()
        return f"[{link[1]}]({page}{link[3] or ''})" if page else link[1]

    return LINK.sub(moved, markdown)
