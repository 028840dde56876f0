"""What docs say of the replies is true: their memory, the parts they are made of, and how many there are."""

import re
from pathlib import Path

import kikashi.playout.replies as replies
from kikashi.engine.preset import load_preset, preset_names
from kikashi.parts.registry import Part, all_parts
from kikashi.playout.hash_store import Room
from kikashi.playout.kinds import heuristic, memory
from kikashi.playout.worker import Memories, Worker

DOCS = Path(__file__).parents[3] / "docs"
FOLDER = Path(replies.__file__).parent


def own_parts(kind) -> list[Part]:
    return [part for part in all_parts(kind) if Path(part.file).parent == FOLDER]


SCRATCH = ("ataris", "board_to_read_on")
"""Memories that keep nothing from one playout to the next."""


def test_papers_gives_the_cells_of_every_variant_of_chapter_6() -> None:
    rows = re.findall(r"^\| B\d+ \| [\d.]+ \| `([\w-]+)` \|.*\| ([\d,]+) \|[^|]*\|$", read("papers.md"), re.MULTILINE)
    assert len(rows) > 30
    for name, cells in rows:
        room = Room(19, 20_000 if "mat" in name else 25_000)
        worker = Worker(load_preset(name).config.policy, Memories(room), size=19, seed=1)
        blocks = [block for (kept, _), block in worker.memory_blocks.items() if kept not in SCRATCH]
        assert f"{sum(block.size for block in blocks):,}" == cells, name


def test_every_preset_stands_in_papers() -> None:
    page = read("papers.md")
    assert [name for name in preset_names() if f"`{name}`" not in page] == []


def test_replies_names_every_part_with_its_file() -> None:
    rows = re.findall(r"^\| `replies/(\w+\.py)` \| (.*?) \| (.*?) \|", read("replies.md"), re.MULTILINE)
    listed = {(file, name) for file, *cells in rows for name in re.findall(r"`(\w+)`", " ".join(cells))}
    assert listed == {(Path(part.file).name, part.name) for kind in (heuristic, memory) for part in own_parts(kind)}


def test_replies_counts_parts_and_lines() -> None:
    lines = sum(len(path.read_text("utf-8").splitlines()) for path in FOLDER.glob("*.py"))
    players = len(
        re.findall(r'^base = "(?!kikashi)', "".join(p.read_text("utf-8") for p in preset_files()), re.MULTILINE)
    )
    listed = [int(number) for number in re.findall(r"\*\*(\d+)\*\*", read("replies.md"))]
    parts, memories, listed_players, hundreds = listed
    assert (parts, memories, listed_players) == (len(own_parts(heuristic)), len(own_parts(memory)), players)
    assert abs(lines - hundreds) < 100, f"{lines} lines"


def preset_files() -> list[Path]:
    """The presets whose playouts have a part of the replies."""
    ours = {part.name for part in own_parts(heuristic)}
    names = [n for n in preset_names() if ours & {bound.part.name for bound in load_preset(n).config.policy.heuristics}]
    return [FOLDER.parents[1] / "presets" / f"{name}.toml" for name in names]


def read(page: str) -> str:
    return (DOCS / page).read_text("utf-8")
