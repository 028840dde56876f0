"""A thousand random and mutated requests: every one has an answer or an error with its id, and nothing is stuck."""

import json
import random
from collections import Counter
from typing import Any

import pytest

from helpers.analysis_lines import Here, query
from kikashi.protocols.kata.server import answers

SMALL = {"boardXSize": 5, "boardYSize": 5, "moves": [["B", "C3"], ["W", "D3"], ["B", "C4"]], "maxVisits": 1}
RESTRICTED = {"player": "W", "moves": ["A1", "pass"], "untilDepth": 1}
BASES: list[dict[str, Any]] = [
    query(**SMALL),
    query(**SMALL, analyzeTurns=[0, 2, 3], priority=3, includeOwnership=True, includeMovesOwnership=True, komi=0.5),
    query(**SMALL, initialStones=[["B", "A1"]], initialPlayer="W", includePolicy=True, avoidMoves=[RESTRICTED]),
    query(**SMALL, overrideSettings={"maxTime": 1.5, "reportAnalysisWinratesAs": "WHITE"}, allowMoves=[RESTRICTED]),
    query(**SMALL, reportDuringSearchEvery=0.001, includePVVisits=True, analysisPVLen=3),
    {"id": "", "action": "terminate", "terminateId": "m3", "turnNumbers": [1]},
    {"id": "", "action": "query_version"},
    {"id": "", "action": "terminate_all"},
]
VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 5, 19, 29, 2**31, 2**70, 0.5, 6.3, -1e308, "", "B", "W", "pass", "resign", "A1"),
    *(
        "(0,0)",
        "(9,9)",
        "T19",
        "japanese",
        "BLACK",
        "é\u0000\n",
        "x" * 3000,
        [],
        {},
        [[]],
        [["B", "E5"]],
        [None],
        [0, 1],
    ),
    *([{"player": "B"}], {"ko": "SIMPLE"}, {"ko": 3}, {"scoring": "TERRITORY"}, {"maxTime": 1e-9}, {"maxTime": "soon"}),
]


def mutated(dice: random.Random, base: dict[str, Any]) -> dict[str, Any]:
    """A request with some of its parts, at any depth, left out, doubled or changed into something else."""
    request = json.loads(json.dumps(base))
    for _ in range(dice.choice([0, 1, 1, 2, 4])):
        place: Any = request
        while True:
            keys = list(place) if isinstance(place, dict) else [*range(len(place))]
            if not keys:
                break
            key = dice.choice(keys)
            if isinstance(place[key], dict | list) and dice.random() < 0.6:
                place = place[key]
                continue
            if dice.random() < 0.2:
                del place[key]
            else:
                place[key] = dice.choice(VALUES)
            break
    if dice.random() < 0.1:
        request[dice.choice(["junk", "komi", "rules", "priorities", "action"])] = dice.choice(VALUES)
    return request


def test_a_thousand_requests() -> None:
    dice, here = random.Random(18), Here(threads=2, simulations=1)
    sent = {}
    for number in range(1000):
        request = mutated(dice, dice.choice(BASES)) | {"id": f"m{number}"}
        if request.get("maxVisits", 0) != 1 and "action" not in request:
            request["maxVisits"] = dice.choice([2, 0, "many", None])
        sent[request["id"]] = request
        here.send(request)
    here.send({"id": "end", "action": "terminate_all"})
    errors, finals, echoes = Counter[str](), Counter[str](), Counter[str]()
    for said in here.rest():
        assert "internal error" not in said.get("error", "")
        kind = errors if "error" in said else echoes if "action" in said else finals
        if "warning" not in said and not said.get("isDuringSearch"):
            kind[said["id"]] += 1
    for name, request in sent.items():
        turns = {*map(str, request.get("analyzeTurns") or [0])}
        assert (errors[name], echoes[name], finals[name]) in ((1, 0, 0), (0, 1, 0), (0, 0, len(turns))), request
    assert min(len(errors), len(echoes), len(finals)) > 100


def test_bytes_that_are_no_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left of a line that lost or changed bytes is refused or queued, never both and never neither."""
    dice, here = random.Random(19), Here(simulations=1)
    refused = 0
    for _ in range(300):
        line = bytearray(json.dumps(dice.choice(BASES[:5])).encode())
        for _ in range(dice.randrange(1, 4)):
            at = dice.randrange(len(line))
            line[at : at + dice.randrange(3)] = dice.randbytes(dice.randrange(3))
        queued: list[object] = []
        monkeypatch.setattr(here.engine, "add", queued.extend)
        errors = [said for said in answers(here.engine, bytes(line), "kikashi") if said.error]
        assert len(errors) + bool(queued) == 1, line
        refused += len(errors)
    assert 100 < refused < 300
