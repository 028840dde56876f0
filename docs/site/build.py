"""Builds the site: ``python docs/site/build.py [FOLDER]``, with Zensical, from the pages of the repository.

The pages are copied into a folder of their own with those that are generated: the home page, those at the top of the
repository, the API reference, and the tables of commands and presets. Nothing of this depends on the generator.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import pages
import reference

ROOT = Path(__file__).parents[2]
SETTINGS = ROOT / "mkdocs.yml"
API_ENTRY = "      - API: api.md\n"


def stage(folder: Path) -> None:
    """Write settings and pages for the generator."""
    docs = folder / "docs"
    shutil.copytree(ROOT / "docs", docs, ignore=shutil.ignore_patterns("site", "*.md"))
    shutil.copy(ROOT / "frontend/src/icon.svg", docs / "icon.svg")
    written = {**pages.pages(), **reference.pages()}
    for name, text in written.items():
        (docs / name).write_text(text, "utf-8")
    api = "".join(f"          - {name}: {name}.md\n" for name in reference.imports())
    settings = SETTINGS.read_text("utf-8")
    assert API_ENTRY in settings
    nested = f"      - API:\n          - Contents: api.md\n{api}"
    (folder / SETTINGS.name).write_text(settings.replace(API_ENTRY, nested), "utf-8")
    for name in ("src", "docs/site"):
        (folder / name).symlink_to(ROOT / name)


def build(output: Path) -> int:
    """Build the site into a folder, and return the generator's exit code: 0 if no link is broken."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        stage(folder)
        zensical = Path(sys.executable).with_name("zensical")
        plain = {**os.environ, "NO_COLOR": "1"}
        words = [str(zensical), "build", "--clean", "--strict", "--config-file", str(folder / SETTINGS.name)]
        done = subprocess.run(words, cwd=folder, env=plain, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.stderr.write(done.stdout + done.stderr)
            return done.returncode
        shutil.rmtree(output, ignore_errors=True)
        shutil.copytree(folder / "site", output)
    return 0


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "site").resolve()))
