"""The messages: the page's types are those of the server, and no message harms the server."""

from __future__ import annotations

import base64
import copy
import gc
import json
import os
import random
import threading
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from kikashi.engine.preset import load_preset
from kikashi.engine.warmup import warm_up
from kikashi.web import typescript
from kikashi.web.messages import Event
from kikashi.web.page import Page
from kikashi.web.tasks import Limits, ServerState

SOURCE = Path(__file__).parents[2] / "frontend" / "src" / "messages.ts"
SGF = "(;SZ[5]KM[7.5]C[x];B[cc];W[bb](;B[dd])(;B[cd];W[]))"
GOOD: list[dict[str, Any]] = [
    {"type": "open_sgf", "text": SGF},
    {"type": "open_file", "data": base64.b64encode(SGF.encode()).decode()},
    {"type": "open_empty", "size": 5, "komi": 0.5, "rules": "simple"},
    {"type": "play_move", "board": "study", "move": "C3"},
    {"type": "go_to", "board": "study", "node": 2},
    {"type": "delete_node", "node": 2},
    {"type": "make_main", "node": 3},
    {"type": "set_comment", "node": 1, "text": "a ] \\ b"},
    {"type": "save_sgf", "board": "study"},
    {"type": "undo_edit"},
    {"type": "redo_edit"},
    {"type": "open_other", "number": 0},
    {"type": "list_items"},
    {"type": "list_lessons"},
    {"type": "open_lesson", "name": "uct"},
    {"type": "study_lesson", "place": "uct/start"},
    {"type": "open_item", "item": "x"},
    {"type": "delete_item", "item": "x"},
    {"type": "hello", "token": "x", "path": [0, 1]},
    {"type": "accept_count"},
    {"type": "continue_game"},
    {"type": "look_at", "paths": [[], ["C3"], ["C3", "B2"]], "folded": [["C3"]], "nodes": 20},
    {"type": "stop_work"},
    {"type": "mark_dead", "point": "C3"},
    {"type": "undo"},
    {"type": "resign"},
    {"type": "study_game", "board": "play"},
    {"type": "list_runs"},
    {"type": "watch_study", "study": "x"},
    {"type": "open_game", "study": "x", "number": 1},
    {"type": "start_match", "players": ["lgrf2", "mogo-2006"], "games": 2, "size": 5, "sprt": [0, 50]},
    {"type": "start_experiment", "name": "tactics", "scale": 0.001},
    {"type": "stop_run", "study": "x"},
    {"type": "resume_run", "study": "x"},
    {"type": "export_study", "study": "x", "form": "csv"},
]
DEAR: list[dict[str, Any]] = [
    {"type": "start_search", "preset": "kikashi", "without": ["playout: escape"], "fresh": True},
    {"type": "new_game", "setup": {"preset": "kikashi", "size": 5, "thought": {"simulations": 1}}},
    {"type": "try_move", "node": 1, "move": "B2", "preset": "kikashi", "simulations": 1},
    {"type": "play_move", "board": "play", "move": "pass"},
    {"type": "ask_replies", "move": "C3"},
    {"type": "hint"},
    {"type": "review_game", "preset": "kikashi", "simulations": 1},
    {"type": "stage_playout", "preset": "kikashi", "without": [], "seed": 3, "path": ["B2"]},
    {
        "type": "trace_simulations",
        "preset": "kikashi",
        "place": "uct/start",
        "seed": 2,
        "simulations": 2,
        "fresh": True,
    },
    {"type": "try_playouts", "preset": "kikashi", "place": "uct/start", "seed": 2, "playouts": 2},
    {"type": "estimate_owners", "preset": "kikashi", "path": ["B2"], "playouts": 2},
    {"type": "start_duel", "black": "kikashi", "white": "kikashi", "size": 5, "thought": {"simulations": 1}},
    {"type": "stop_work", "task": "duel"},
    {
        "type": "start_comparison",
        "first": {"preset": "kikashi", "without": ["playout: escape"]},
        "second": {"preset": "kikashi", "overrides": ["selection.x=0.1"]},
        "thought": {"simulations": 1},
    },
]
"""What begins a search: a few of these keep it busy."""
ODD = [
    None,
    True,
    -1,
    0,
    1e308,
    2**63,
    "",
    "x" * 200,
    "\ud7ff\u0000",
    [],
    {},
    [[]] * 50,
    {"a": {}},
    "kikashi",
    "C3",
    0.5,
]
MESSAGES, ROUNDS = 10_000 if os.environ.get("KIKASHI_SOAK") else 3_000, 10
KILOBYTES = 20
"""What a message may leave behind."""


def test_the_types_of_the_page_are_current() -> None:
    assert SOURCE.read_text("utf-8") == typescript.types(), "make messages writes them"


def resident() -> float:
    """The memory of this process, in megabytes."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def mutated(rng: random.Random) -> bytes:
    """A message, or something like one: a value replaced, a field more or less, bytes changed, cut off or repeated."""
    message = copy.deepcopy(rng.choice(DEAR if rng.random() < 0.03 else GOOD))
    for _ in range(rng.choice((0, 1, 1, 2))):
        places = [(message, key) for key in message]
        for value in message.values():
            if isinstance(value, dict):
                places += [(value, key) for key in value]
        holder, key = rng.choice(places)
        holder[key] = copy.deepcopy(rng.choice(ODD))
        if rng.random() < 0.1:
            holder[rng.choice(("extra", "type", "board"))] = copy.deepcopy(rng.choice(ODD))
    data = bytearray(json.dumps(message).encode())
    if rng.random() < 0.4:
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
    if rng.random() < 0.1:
        del data[rng.randrange(len(data)) :]
    return bytes(data) * rng.choice((1,) * 30 + (2,))


@pytest.mark.thorough
def test_thousands_of_mutated_messages_neither_crash_nor_hang_nor_fill_the_memory() -> None:
    events: list[str] = []

    def post(event: Event, *, only_newest: str = "") -> None:
        events.append(type(event).__name__)
        del events[:-1000]

    warm_up(load_preset("kikashi"))  # compiled code stays
    rng = random.Random(17)
    page = Page(ServerState(limits=Limits(megabytes=1)), post)
    megabytes = []
    for _ in range(ROUNDS):
        for _ in range(MESSAGES // ROUNDS):
            page.handle(mutated(rng))
        megabytes.append(resident())
    page.handle(json.dumps(GOOD[0]).encode())
    assert "Position" in events[-6:], "it still answers"
    page.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "job of a page"]
    growth = median(after - before for before, after in pairwise(megabytes))  # code is loaded in a few rounds
    assert growth < MESSAGES // ROUNDS * KILOBYTES / 1024
