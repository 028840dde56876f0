"""What the site has beside the pages of docs/: those at the top of the repository. MkDocs calls the functions."""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
AT_THE_TOP = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Files, and the pages they become."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages at the top of the repository."""
    for name, page in AT_THE_TOP.items():
        files.append(File.generated(config, page, content=(ROOT / name).read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Links as the site has them: there all pages stand in one folder."""
    folder = "docs/" if page.file.src_uri in AT_THE_TOP.values() else "../"

    def moved(link: re.Match[str]) -> str:
        path = link[1].removeprefix(folder)
        return f"]({AT_THE_TOP.get(path, path)}"

    return re.sub(r"\]\((?!https?:)([^)#]+)", moved, markdown)
