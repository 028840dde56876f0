"""Analysis lines, read as strictly as front ends read them."""

import json
import math
import re
import string

import pytest

from helpers.gtp_text import VERTEX, Parsed, check_answer, new_session, ok, parse_info, says
from kikashi.board.points import BLACK, WHITE
from kikashi.protocols.gtp.server import answers
from kikashi.protocols.gtp.session import GtpSession

LZ_KEYS = ["move", "visits", "winrate", "prior", "lcb", "order"]
KATA_KEYS = [
    *("move", "visits", "utility", "winrate", "scoreMean", "scoreStdev", "scoreLead", "scoreSelfplay"),
    *("prior", "lcb", "utilityLcb", "order"),
]


@pytest.fixture
def session() -> GtpSession:
    session = new_session(5, simulations=300)
    ok(session, "play b C3")
    return session


def lines(session: GtpSession, command: str) -> list[str]:
    """The lines between ``=`` and the empty one."""
    text = says(session, command)
    check_answer(text, re.match(r"\d*", command)[0])
    first, *middle, last, after = text.split("\n")
    assert first == "=" + re.match(r"\d*", command)[0], "nothing but the id stands in the first line"
    assert (last, after) == ("", "")
    return middle


def check(found: Parsed, keys: list[str]) -> None:
    """What is true of every line."""
    assert [list(group.pairs) for group in found.groups] == [keys] * len(found.groups)
    assert [int(group.pairs["order"]) for group in found.groups] == list(range(len(found.groups)))
    visits = [int(group.pairs["visits"]) for group in found.groups]
    assert visits == sorted(visits, reverse=True)
    names = [group.pairs["move"] for group in found.groups]
    assert len(set(names)) == len(names)
    for group in found.groups:
        assert group.line[0] == group.pairs["move"]
        top = 1 if "utility" in group.pairs else 10_000
        bound, rate = float(group.pairs["lcb"]), float(group.pairs["winrate"])
        assert 0 <= bound <= rate <= top
        assert 0 <= float(group.pairs["prior"]) <= top
        assert top == 1 or all(re.fullmatch(r"\d+", group.pairs[key]) for key in ("winrate", "prior", "lcb"))
        if top == 1:
            assert float(group.pairs["utility"]) == pytest.approx(2 * rate - 1, abs=1e-5)
            assert float(group.pairs["utilityLcb"]) == pytest.approx(2 * bound - 1, abs=1e-5)
            assert math.isfinite(float(group.pairs["scoreMean"]))


# --- analysis ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", ["", "10", "w 10", "b", "interval 5", "w interval 5 minmoves 1 maxmoves 200"])
@pytest.mark.parametrize(("command", "keys"), [("lz-analyze", LZ_KEYS), ("kata-analyze", KATA_KEYS)])
def test_lines_of_analysis(command: str, keys: list[str], arguments: str, session: GtpSession) -> None:
    (line,) = lines(session, f"21 {command} {arguments}")
    check(parse_info(line), keys)
    assert "rootInfo" not in line, "CGOS would take it for moves"
    assert "ownership" not in line
    assert session.game.move_count == 1
    assert session.game.turn == WHITE


def test_values_are_from_the_movers_side() -> None:
    """Black is far ahead, whoever is asked for."""
    session = new_session(5)
    ok(session, "komi -40.5")
    ours, theirs = (parse_info(lines(session, f"kata-analyze {color} 1 ownership true")[0]) for color in "bw")
    assert float(ours.groups[0].pairs["winrate"]) > 0.8 > 0.2 > float(theirs.groups[0].pairs["winrate"])
    assert float(ours.groups[0].pairs["scoreLead"]) > 0 > float(theirs.groups[0].pairs["scoreLead"])


def test_extra_fields_come_only_on_request(session: GtpSession) -> None:
    wish = "rootInfo true ownership true pvVisits true ownershipStdev false movesOwnership false"
    found = parse_info(lines(session, f"kata-analyze w 1 {wish}")[0])
    check(found, KATA_KEYS)
    assert int(found.root["visits"]) >= sum(int(group.pairs["visits"]) for group in found.groups)
    assert 0 <= float(found.root["winrate"]) <= 1
    assert len(found.ownership) == 25
    assert all(-1 <= owner <= 1 for owner in found.ownership)
    for group in found.groups:
        assert len(group.visits) == len(group.line)
        assert group.visits == sorted(group.visits, reverse=True)
        assert group.visits[0] == int(group.pairs["visits"])
    plain = parse_info(lines(session, "kata-analyze w 1 rootInfo false ownership false pvVisits false")[0])
    assert (plain.root, plain.ownership, plain.groups[0].visits) == ({}, [], [])


def test_ownership_begins_at_the_top_left_and_is_the_movers() -> None:
    """The left is Black's, the top right corner White's."""
    session = new_session(7)
    stones = [f"b {column}{row}" for column in "AC" for row in range(1, 8)]
    stones += [f"w {column}{row}" for column in "DF" for row in range(1, 8)]
    ok(session, "set_position " + " ".join(stones))
    for color, sign in (("b", 1), ("w", -1)):
        owners = parse_info(lines(session, f"kata-analyze {color} 1 ownership true")[0]).ownership
        rows = [owners[i : i + 7] for i in range(0, 49, 7)]
        assert all(sign * row[0] > 0.5 and sign * row[6] < -0.5 for row in rows)
    ok(session, "set_position b A6 b B6 b B7 w A2 w B2 w B1 w C3")
    ok(session, "komi 0")
    owners = parse_info(lines(session, "kata-analyze b 1 ownership true")[0]).ownership
    assert owners[0] > 0 > owners[42], "A7 is the first number and A1 begins the last row"


@pytest.mark.parametrize("command", ["lz-analyze", "kata-analyze"])
def test_moves_can_be_allowed_and_avoided(command: str, session: GtpSession) -> None:
    def moves(wish: str) -> set[str]:
        return {group.pairs["move"] for group in parse_info(lines(session, f"{command} w 5 {wish}")[0]).groups}

    everything = moves("")
    assert len(everything) > 3
    assert moves("allow w B2,d4 1") <= {"B2", "D4", "pass"}
    some = ",".join(sorted(everything)[:3])
    assert not moves(f"avoid w {some} 5") & set(some.split(",")) - {"pass"}
    assert len(moves("allow b A1 1")) > 3, "the other's moves are not restricted"
    assert moves("allow w B2,D4 1 avoid w B2 1") <= {"D4", "pass"}
    assert moves("allow w C3 1") == {"pass"}, "an illegal move is not looked at"
    assert len(moves("")) > 3, "and the next analysis is free again"


def test_maxmoves_limits_the_moves(session: GtpSession) -> None:
    assert len(parse_info(lines(session, "lz-analyze w 1 maxmoves 2")[0]).groups) == 2


def test_an_analysis_goes_on_until_something_comes(session: GtpSession) -> None:
    seen = []
    session.is_awaited = lambda: len(seen) == 3
    for text in answers(session, "lz-analyze 1"):
        seen.append(text)
    assert len(seen) == 4
    assert seen[0].startswith("=\ninfo move")
    assert seen[1].startswith("info move")
    assert seen[3] == "\n"
    visits = [sum(map(int, re.findall(r"visits (\d+)", text))) for text in seen[:3]]
    assert visits == sorted(set(visits))


# --- moves with analysis ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("command", "keys"), [("lz-genmove_analyze", LZ_KEYS), ("kata-genmove_analyze", KATA_KEYS)])
@pytest.mark.parametrize("arguments", ["w", "w 1", "w interval 1 maxmoves 3", ""])
def test_a_move_with_its_analysis(command: str, keys: list[str], arguments: str, session: GtpSession) -> None:
    *found, played = lines(session, f"{command} {arguments}")
    assert found
    for line in found:
        check(parse_info(line), keys)
    move = played.removeprefix("play ")
    assert re.fullmatch(VERTEX, move)
    assert session.game.moves[-1].name == move
    assert session.game.moves[-1].color == WHITE
    best = max(int(group.pairs["visits"]) for group in parse_info(found[-1]).groups)
    chosen = next(group for group in parse_info(found[-1]).groups if group.pairs["move"] == move)
    assert int(chosen.pairs["visits"]) == best


def test_a_move_that_is_played_may_be_restricted(session: GtpSession) -> None:
    *_, played = lines(session, "kata-genmove_analyze w 1 allow w A1,E5 1")
    assert played.split()[1] in ("A1", "E5", "pass")
    assert session.game.move_count == 2


def test_a_json_line_for_cgos(session: GtpSession) -> None:
    said, played = lines(session, "cgos-genmove_analyze w")
    found = json.loads(said)
    assert 0 <= found["winrate"] <= 1
    assert found["visits"] >= sum(move["visits"] for move in found["moves"])
    assert isinstance(found["score"], float)
    for move in found["moves"]:
        assert set(move) == {"move", "winrate", "visits", "prior", "score", "pv"}
        assert move["pv"].split()[0] == move["move"]
        assert re.fullmatch(rf"{VERTEX}(?: {VERTEX})*", move["pv"])
    assert len(found["ownership"]) == 25
    assert set(found["ownership"]) <= set(string.ascii_letters + string.digits + "+/")
    assert played == f"play {session.game.moves[-1].name}"


@pytest.mark.parametrize("command", ["lz-genmove_analyze", "kata-genmove_analyze", "cgos-genmove_analyze"])
def test_a_resignation_is_answered_and_not_played(command: str) -> None:
    """No front end takes it for a move: an undo must take back the move before it."""
    session = new_session(5, preset="mogo-2006")
    ok(session, "kikashi-preset mogo-2006 choice.resign=0.4")
    ok(session, "komi 100")
    ok(session, "gogui-play_sequence " + "b pass w pass " * 3)
    ends = [lines(session, f"{command} b")[-1] for _ in range(2)]
    assert ends[-1] == "play resign"
    assert session.game.move_count == 6 + ends.index("play resign")
    assert session.last.name == "resign"


def test_only_a_pass_is_left() -> None:
    """A board without a legal point, of 2x2: the line of moves is still there."""
    session = new_session(2)
    ok(session, "set_position b A1 b B2")
    ok(session, "gogui-setup_player w")
    assert ok(session, "all_legal w") == ""
    for command in ("lz-analyze w 1", "kata-analyze w 1 ownership true"):
        found = parse_info(lines(session, command)[0])
        assert [group.pairs["move"] for group in found.groups] == ["pass"]
    assert ok(session, "genmove w") == "pass"
    assert session.game.turn == BLACK
