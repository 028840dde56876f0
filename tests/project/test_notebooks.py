"""The notebooks in `examples/` run from the first cell to the last, say nothing of errors, and show what they promise.

They are kept without outputs: what they print depends on the machine, and pictures would hide what was changed in them.
"""

from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import nbformat
import pytest
from nbclient import NotebookClient

from helpers.match_tools import check_page

NOTEBOOKS = sorted((Path(__file__).parents[2] / "examples").glob("*.ipynb"))
SHOWN = {
    "look_into_a_search": {"image/svg+xml": 7, "text/html": 3},
    "reproduce_a_figure": {"image/svg+xml": 1, "text/html": 2},
    "write_a_heuristic": {"image/svg+xml": 1, "text/html": 2},
}
"""How many cells show a picture, and how many a page or a data frame."""
SMALLER = {"positions=16": "positions=4", "simulations=2048": "simulations=512", "games=20": "games=4"}
"""Budgets of a moment for those that the notebooks have."""
GETTING_READY = "kikashi: compiling"
"""What is said while something is compiled for the first time."""
PATIENCE = 600
"""Seconds for a cell that takes a few on an idle machine."""


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code), "clear all outputs, and save"
    assert all(cell.metadata == {} for cell in notebook.cells)
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert notebook.metadata.language_info == {"name": "python"}, "no version: each run would change it"


def outputs(notebook: Any) -> list[Any]:
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


@pytest.mark.thorough
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(folder, str(tmp_path / folder))
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        for usual, smaller in SMALLER.items():
            cell.source = cell.source.replace(usual, smaller)
    NotebookClient(notebook, timeout=PATIENCE, resources={"metadata": {"path": str(tmp_path)}}).execute()
    found = outputs(notebook)
    said = [output.text for output in found if output.output_type == "stream" and output.name == "stderr"]
    assert not [text for text in said if GETTING_READY not in text]
    shown = [output.data for output in found if output.output_type == "execute_result"]
    assert Counter(kind for data in shown for kind in data if kind in SHOWN[path.stem]) == SHOWN[path.stem]
    for data in shown:
        if "image/svg+xml" in data:
            assert ElementTree.fromstring(data["image/svg+xml"]).attrib["role"] == "img"
        if "<svg" in data.get("text/html", ""):
            check_page(data["text/html"])


def test_every_notebook_is_tried() -> None:
    assert [path.stem for path in NOTEBOOKS] == list(SHOWN)
    assert all(any(usual in path.read_text("utf-8") for path in NOTEBOOKS) for usual in SMALLER)
