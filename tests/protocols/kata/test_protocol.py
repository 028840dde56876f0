"""KataGo's JSON protocol: its own examples, every field that is asked for, errors, priorities, and how searches end."""

import json
import pickle
from typing import Any

import pytest

from helpers.analysis_lines import GAME, Here, query
from kikashi.board.points import points_of
from kikashi.game import Game, Rules
from kikashi.protocols.kata.queries import read_query

EXAMPLE = {
    "id": "foo",
    "initialStones": [["B", "Q4"], ["B", "C4"]],
    "moves": [["W", "P5"], ["B", "P6"]],
    "rules": "tromp-taylor",
    "komi": 7.5,
    "boardXSize": 19,
    "boardYSize": 19,
    "analyzeTurns": [0, 1, 2],
}
"""The query that KataGo's documentation shows."""
SHOWN_OF_MOVES = {
    *("lcb", "move", "order", "prior", "pv", "scoreLead", "scoreMean", "scoreSelfplay", "scoreStdev", "utility"),
    *("utilityLcb", "visits", "edgeVisits", "winrate"),
}
SHOWN_OF_ROOTS = {"currentPlayer", "lcb", "scoreLead", "scoreSelfplay", "scoreStdev", "utility", "visits", "winrate"}
"""The fields of its answer; of the root's all but the hashes."""


@pytest.fixture(scope="module")
def here() -> Here:
    return Here(threads=2)


def test_the_documented_query_is_answered_with_every_field_shown(here: Here) -> None:
    here.send(EXAMPLE)
    found = sorted((here.read() for _ in range(3)), key=lambda answer: answer["turnNumber"])
    assert [answer["turnNumber"] for answer in found] == [0, 1, 2]
    assert [answer["rootInfo"]["currentPlayer"] for answer in found] == ["W", "B", "W"]
    for answer in found:
        assert answer.keys() == {"id", "turnNumber", "isDuringSearch", "rootInfo", "moveInfos"}
        assert (answer["id"], answer["isDuringSearch"]) == ("foo", False)
        assert answer["rootInfo"].keys() == SHOWN_OF_ROOTS, "never thisHash: Ogatak would compare it"
        assert all(info.keys() == SHOWN_OF_MOVES for info in answer["moveInfos"])
        assert [info["order"] for info in answer["moveInfos"]] == [*range(len(answer["moveInfos"]))]
        assert sum(info["visits"] for info in answer["moveInfos"]) == answer["rootInfo"]["visits"] == 20


ACTIONS: list[tuple[dict[str, Any], set[str]]] = [
    ({"id": "foo", "action": "query_version"}, {"version", "git_hash", "engine", "engineVersion"}),
    ({"id": "foo", "action": "clear_cache"}, set()),
    ({"id": "bar", "action": "terminate", "terminateId": "foo"}, set()),
    ({"id": "bar", "action": "terminate", "terminateId": "foo", "turnNumbers": [1, 2]}, set()),
    ({"id": "bar", "action": "terminate_all"}, set()),
    ({"id": "bar", "action": "terminate_all", "turnNumbers": [1, 2]}, set()),
    ({"id": "foo", "action": "query_models"}, {"models"}),
]
"""The actions that it shows, and what is added to them in the answer."""


@pytest.mark.parametrize(("action", "more"), ACTIONS)
def test_the_documented_actions_are_echoed(here: Here, action: dict[str, Any], more: set[str]) -> None:
    said = here.ask(action)
    assert said.keys() == action.keys() | more
    assert action.items() <= said.items()


def test_everything_that_can_be_included(here: Here) -> None:
    wanted = dict.fromkeys(
        [
            *("includeOwnership", "includeOwnershipStdev", "includeMovesOwnership", "includeMovesOwnershipStdev"),
            *("includePolicy", "includePVVisits"),
        ],
        True,
    )
    found = here.ask(query(maxVisits=150, analysisPVLen=1, komi=40, **wanted))
    best = found["moveInfos"][0]
    for owners, spread in ((found["ownership"], found["ownershipStdev"]), (best["ownership"], best["ownershipStdev"])):
        assert len(owners) == len(spread) == 81
        assert all(s**2 + o**2 == pytest.approx(1, abs=0.01) for o, s in zip(owners, spread, strict=True))
    assert len(best["pv"]) == len(best["pvVisits"]) == len(best["pvEdgeVisits"]) == 2
    assert best["pvVisits"][0] == best["visits"] == best["edgeVisits"]
    policy = found["policy"]
    assert len(policy) == 82
    assert sum(share for share in policy if share >= 0) == pytest.approx(1, abs=0.001)
    top_left = [policy[9 * (9 - row) + "ABCDEFGHJ".index(column)] for column, row in (("E", 5), ("C", 3), ("G", 7))]
    assert top_left == [-1, -1, -1], "stones, seen from the top left"
    assert policy.count(-1) == len(GAME)
    assert found["rootInfo"]["winrate"] < 0.4, "with such a komi, for Black"


@pytest.mark.parametrize("turn", [3, 4])
def test_values_are_from_the_side_that_is_wanted(here: Here, turn: int) -> None:
    asked = query(analyzeTurns=[turn], maxVisits=60, includeOwnership=True, komi=20)
    found = {
        side: here.ask(asked | {"overrideSettings": {"reportAnalysisWinratesAs": side, "wideRootNoise": 0.1}})
        for side in ("BLACK", "WHITE", "SIDETOMOVE")
    }
    black, white, mover = (found[side] for side in ("BLACK", "WHITE", "SIDETOMOVE"))
    assert mover == (white if turn == 3 else black), "the same question has the same answer"
    infos = ([each["rootInfo"], *each["moveInfos"]] for each in (black, white))
    for one, other in zip(*infos, strict=True):
        assert one["winrate"] + other["winrate"] == pytest.approx(1)
        assert one["lcb"] + other["lcb"] == pytest.approx(1)
        assert (one["scoreLead"], one["utility"]) == (-other["scoreLead"], -other["utility"])
    assert black["ownership"] == [-owner for owner in white["ownership"]]
    best = mover["moveInfos"][0]
    assert best["lcb"] < best["winrate"], "a lower bound for who moves"


def test_moves_are_avoided_and_allowed(here: Here) -> None:
    allowed = {"player": "B", "moves": ["A1", "(0,0)", "E5"], "untilDepth": 1}
    found = here.ask(query(maxVisits=40, allowMoves=[allowed]))
    assert {info["move"] for info in found["moveInfos"]} <= {"A1", "A9"}
    avoided = [info["move"] for info in here.ask(query(maxVisits=60))["moveInfos"]]
    found = here.ask(query(maxVisits=60, avoidMoves=[{"player": "B", "moves": [*avoided, "pass"], "untilDepth": 1}]))
    assert {info["move"] for info in found["moveInfos"]}.isdisjoint([*avoided, "pass"])
    found = here.ask(query(avoidMoves=[{"player": "W", "moves": ["A1"], "untilDepth": 1}]))
    assert found["rootInfo"]["visits"] == 20, "it is Black's turn"


WRONG: dict[str, tuple[dict[str, Any], str, str]] = {
    "an illegal move": ({"moves": [["B", "E5"], ["W", "E5"]]}, "moves", "Illegal move 1: E5"),
    "no colour": ({"moves": [["X", "E5"]]}, "moves", "a colour is black or white, not 'X'"),
    "no point": ({"moves": [["B", "Z99"]]}, "moves", "Z99"),
    "no pairs": ({"moves": [["B"]]}, "moves", ""),
    "a large board": ({"boardXSize": 29, "boardYSize": 29}, "boardXSize", "boardXSize is from 2 to 19, not 29"),
    "an oblong board": ({"boardYSize": 13}, "boardYSize", "boards are square here"),
    "a stone twice": ({"initialStones": [["B", "A1"], ["W", "A1"]]}, "initialStones", "A1 is set up twice"),
    "no such turn": ({"analyzeTurns": [5]}, "analyzeTurns", "there is no turn 5: the game has 4 moves"),
    "komi in quarters": ({"komi": 6.3}, "komi", "komi 6.3 is not a multiple of 1/2"),
    "too much komi": ({"komi": 1e9}, "komi", "komi must be a number at most 400"),
    "rules that are a number": ({"rules": 5}, "rules", "rules must be a text or a table, not a whole number"),
    "no visits": ({"maxVisits": 0}, "maxVisits", "maxVisits must be a whole number at least 1"),
    "another side": ({"overrideSettings": {"reportAnalysisWinratesAs": "RED"}}, "overrideSettings", "RED"),
    "no time": ({"overrideSettings": {"maxTime": 0}}, "overrideSettings", "maxTime must be a number above 0"),
    "one priority for two": ({"analyzeTurns": [0, 1], "priorities": [1]}, "priorities", "one for each"),
    "both": ({"allowMoves": [{"player": "B", "moves": [], "untilDepth": 1}] * 2}, "allowMoves", "one entry"),
    "a number as id": ({"id": 5}, "id", "id must be a text, not a whole number"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_query_is_an_error_with_its_id_and_field(here: Here, what: str) -> None:
    fields, field, said = WRONG[what]
    found = here.ask(query(**fields))
    assert (found["id"], found["field"]) == (fields.get("id", "q"), field)
    assert said in found["error"]
    assert "internal error" not in found["error"]


def test_missing_fields_and_lines_without_a_query_are_errors(here: Here) -> None:
    assert here.ask({"id": "a", "rules": "aga", "boardXSize": 9, "boardYSize": 9})["field"] == "moves"
    assert here.ask({"id": "a", "action": "terminate"})["field"] == "terminateId"
    assert here.ask({"id": "a", "action": "dance"})["field"] == "action"
    assert here.ask(b"[1]") == {"error": "a line is a JSON object"}
    for line in (b'{"id":', b"\xff\xfe", b"[" * 100_000, b'{"id":"\xed\xa0\x80"}'):
        assert here.ask(line) == {"error": "this line is not JSON"}


WARNED: dict[str, tuple[dict[str, Any], str, str]] = {
    "rules of KaTrain's": ({"rules": "stone_scoring"}, "rules", "area counts"),
    "a button": ({"rules": {"ko": "SIMPLE", "scoring": "TERRITORY", "hasButton": True}}, "rules", "territory counts"),
    "a typo": ({"maxVisit": 3}, "maxVisit", "there is no field 'maxVisit'"),
    "depth": ({"avoidMoves": [{"player": "B", "moves": ["A1"], "untilDepth": 9}]}, "avoidMoves", "untilDepth"),
}


@pytest.mark.parametrize("what", WARNED)
def test_an_unsupported_field_is_a_warning_and_the_query_is_answered(here: Here, what: str) -> None:
    fields, field, said = WARNED[what]
    here.send(query(**fields))
    warned, found = here.read(), here.read()
    assert (warned["id"], warned["field"]) == ("q", field)
    assert said in warned["warning"]
    assert found["rootInfo"]["visits"] == 20


# --- games ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "rules", "komi", "handicap", "turn"),
    [
        ({}, Rules("simple", bonus="N"), 7.5, 0, 1),
        ({"rules": "Japanese"}, Rules.named("japanese"), 6.5, 0, 1),
        ({"rules": "new zealand", "komi": 0}, Rules.named("new-zealand"), 0, 0, 1),
        ({"rules": {"ko": "SITUATIONAL", "suicide": True}}, Rules.named("new-zealand"), 7.5, 0, 1),
        ({"moves": [], "initialStones": [["B", "A1"], ["b", "B2"]]}, Rules("simple", bonus="N"), 9.5, 2, 2),
        ({"moves": [], "initialStones": [["B", "A1"], ["W", "B2"]]}, Rules("simple", bonus="N"), 7.5, 1, 1),
        ({"moves": [["B", "A1"], ["B", "C3"]], "whiteHandicapBonus": "N-1"}, Rules("simple", bonus="N-1"), 8.5, 2, 2),
        ({"moves": [], "initialPlayer": "W"}, Rules("simple", bonus="N"), 7.5, 0, 2),
    ],
)
def test_rules_komi_handicap_and_turn(
    fields: dict[str, Any], rules: Rules, komi: float, handicap: int, turn: int
) -> None:
    (position,), _ = read_query(query(**fields))
    game = position.game()
    assert (game.rules, game.komi + game.bonus, game.turn) == (rules, komi, turn)
    assert game.handicap == handicap or handicap == 1


def test_a_record_that_repeats_a_position_is_no_error() -> None:
    """Moves that were played were played, whatever the rules of the query say."""
    moves = [["B", "A1"], ["W", "B1"], ["B", "A2"], ["W", "B2"], ["B", "A1"], ["W", "A2"], ["B", "A1"]]
    (position,), _ = read_query(query(moves=moves, boardXSize=2, boardYSize=2, rules="tromp-taylor"))
    game = position.game()
    assert (game.move_count, game.rules) == (7, Rules.named("tromp-taylor"))


def test_each_turn_of_the_game_is_analysed_once() -> None:
    positions, _ = read_query(query(analyzeTurns=[2, 0, 2], priorities=[1, 2, 1 << 90]))
    assert [(position.turn, position.priority) for position in positions] == [(2, 1 << 90), (0, 2)]
    assert [[move.name for move in position.game().moves] for position in positions] == [["E5", "C3"], []]


def test_a_query_that_waits_takes_no_more_room_than_its_text() -> None:
    """Of 10,000 queries about games of 200 moves, boards would take 17 GB."""
    game = Game(19)
    while game.move_count < 200:
        game.push(next(p for p in points_of(19) if game.is_legal(p)))
    text = json.dumps(
        query(moves=[("BW"[move.color == 2], move.name) for move in game.moves], boardXSize=19, boardYSize=19)
    )
    (waiting,), _ = read_query(json.loads(text))
    assert len(pickle.dumps(waiting)) < 2 * len(text)
    assert waiting.game().moves == game.moves


# --- the queue --------------------------------------------------------------------------------------------------------


def test_the_highest_priority_is_first_and_of_those_the_oldest() -> None:
    here = Here()
    here.send(query("endless", maxVisits=10_000_000, reportDuringSearchEvery=0.01))
    here.read()  # it has begun
    here.send(query("a", analyzeTurns=[0, 1]), query("b", priority=5))
    here.send(query("c", analyzeTurns=[0, 1], priorities=[-1, 9]))
    here.send({"id": "t", "action": "terminate", "terminateId": "a", "turnNumbers": [1]})
    here.send({"id": "t", "action": "terminate", "terminateId": "endless"})
    ends = [said for said in here.rest() if said.get("isDuringSearch") is False]
    assert [(said["id"], said["turnNumber"]) for said in ends if "noResults" in said] == [("a", 1)]
    taken = [(said["id"], said["turnNumber"]) for said in ends if "noResults" not in said]
    assert taken == [("endless", 4), ("c", 1), ("b", 4), ("a", 0), ("c", 0)]


def test_reports_and_an_end_by_terminate() -> None:
    """An endless query is reported on and ended; those behind it end without results; one more is answered."""
    here = Here()
    here.send(query("endless", maxVisits=10_000_000, reportDuringSearchEvery=0.01, firstReportDuringSearchAfter=0.001))
    here.send(query("behind", analyzeTurns=[0, 1]), query("last", priority=-1))
    reports = [here.read() for _ in range(3)]
    assert [(report["id"], report["isDuringSearch"]) for report in reports] == [("endless", True)] * 3
    visits = [report["rootInfo"]["visits"] for report in reports]
    assert visits == sorted(visits)
    here.send(
        {"id": "t1", "action": "terminate", "terminateId": "behind"},
        {"id": "t2", "action": "terminate", "terminateId": "endless", "turnNumbers": [0]},
        {"id": "t3", "action": "terminate", "terminateId": "endless", "turnNumbers": [4]},
    )
    rest = [said for said in here.rest() if not said.get("isDuringSearch")]
    ends = [said for said in rest if "action" not in said]
    nothing = {"isDuringSearch": False, "noResults": True}
    assert [said for said in ends if said["id"] == "behind"] == [
        {"id": "behind", "turnNumber": turn, **nothing} for turn in (0, 1)
    ]
    assert [said["id"] for said in ends] == ["behind", "behind", "endless", "last"]
    assert ends[2]["rootInfo"]["visits"] >= visits[-1]
    assert len(rest) == 7


def test_time_ends_a_search(here: Here) -> None:
    found = here.ask(query(maxVisits=10_000_000, overrideSettings={"maxTime": 0.05}))
    assert 0 < found["rootInfo"]["visits"] < 10_000_000


def test_a_failure_in_a_thread_is_an_error_with_its_id_and_the_thread_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    here = Here()
    with monkeypatch.context() as patched:
        patched.setattr("kikashi.protocols.kata.engine.answer", lambda *_, **__: 1 / 0)
        assert here.ask(query("a")) == {"error": "division by zero", "id": "a"}
    assert here.ask(query("b"))["rootInfo"]["visits"] == 20
