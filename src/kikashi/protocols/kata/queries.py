"""Queries: check every field, replay the game, and list the positions."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

import msgspec

from kikashi.board.points import BLACK, MAX_SIZE, MIN_SIZE, PASS, WHITE, parse_vertex, point, points_of
from kikashi.game import Game, Rules
from kikashi.game.moves import parse_color
from kikashi.game.rules import KATA_RULES, nearest_rules, rules_from_json
from kikashi.protocols.kata.messages import WITHOUT_EFFECT, Notice, Query
from kikashi.wording import explain, plural

AREA_KOMI, TERRITORY_KOMI = 7.5, 6.5
"""The komi of a query that names none."""
MOST_MOVES = 10_000
MOST_WARNINGS = 8
LENIENT = Rules("simple", suicide=True)
"""Rules for the replay of a query's moves, which may break its superko rule."""
_COORDINATES = re.compile(r"\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)")
FIELDS = {field.encode_name for field in msgspec.structs.fields(Query)}


class Refused(ValueError):
    """The error of a query, and its wrong field."""

    def __init__(self, problem: str, field: str | None = None) -> None:
        super().__init__(problem)
        self.field = field


@dataclass(frozen=True)
class Position:
    """One turn of a query's game. Thousands may wait, so the query is stored as text and replayed when needed."""

    id: str
    turn: int
    priority: int
    text: bytes
    """The query as JSON, the same for all of its turns."""

    @property
    def query(self) -> Query:
        return msgspec.json.decode(self.text, type=Query)

    def game(self) -> Game:
        """Return the game up to this turn."""
        query = self.query
        return _replayed(query, _rules(query)[0], self.turn)

    def moves(self, game: Game) -> set[int] | None:
        """Return the moves to search and to show; None for all."""
        query = self.query
        allow = query.allow_moves
        mine = [one for one in allow or query.avoid_moves if parse_color(one.player) == game.turn]
        if not mine:
            return None
        named = {_location(name, game.size) for one in mine for name in one.moves}
        return named if allow else {*points_of(game.size), PASS} - named


def convert(data: dict[str, Any], kind: type[Any]) -> Any:
    """Return the data of a line as a message. Raises Refused."""
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        found = re.search(r"missing required field `(\w+)`|`\$\.(\w+)", str(error))
        raise Refused(explain(error, kind), (found[1] or found[2]) if found else None) from None


def read_query(data: dict[str, Any]) -> tuple[list[Position], list[Notice]]:
    """Return the positions of a query, and warnings. Raises Refused."""
    query = convert(data, Query)
    warnings = [
        _warning(query, f"there is no field {name[:40]!r}: it is ignored", name[:40])
        for name in data
        if name not in FIELDS and name not in WITHOUT_EFFECT
    ][:MOST_WARNINGS]
    rules, doubts = _rules(query)
    warnings += doubts
    game = _replayed(query, rules)
    warnings += _checked_restrictions(query, game.size)
    return list(_positions(query, game)), warnings


# --- the game ---------------------------------------------------------------------------------------------------------


def _rules(query: Query) -> tuple[Rules, list[Notice]]:
    """Return the rules of a query, or the nearest that are supported and a warning."""
    doubts: list[Notice] = []
    if isinstance(query.rules, str):
        name = re.sub(r"[\s_]+", "-", query.rules.strip().lower())
        rules = KATA_RULES.get(name, Rules("simple"))
        if name not in KATA_RULES:
            doubts.append(
                _warning(query, f"{query.rules[:40]!r} rules are not played here: area counts, by simple ko", "rules")
            )
    else:
        try:
            rules = rules_from_json(query.rules)
        except ValueError as problem:
            rules = nearest_rules(query.rules)
            doubts.append(_warning(query, f"not played here: {problem}; {rules.scoring} counts", "rules"))
    return replace(rules, bonus=query.white_handicap_bonus or rules.bonus), doubts


def _replayed(query: Query, rules: Rules, turn: int | None = None) -> Game:
    """Return the game of a query up to a turn, or after all of its moves."""
    size = _size(query)
    if len(query.moves) > MOST_MOVES:
        raise Refused(f"more than {MOST_MOVES} moves are no game", "moves")
    game = _start(query, size, rules)
    for number, (player, location) in enumerate(query.moves[:turn]):
        with _checked("moves"):
            color, p = parse_color(player[:20]), _location(location, size)
        with _checked("moves", f"Illegal move {number}: {location}: "):
            game.push(p, color)
    game.rules = rules
    return game


def _size(query: Query) -> int:
    for field, size in (("boardXSize", query.board_x_size), ("boardYSize", query.board_y_size)):
        if not MIN_SIZE <= size <= MAX_SIZE:
            raise Refused(f"{field} is from {MIN_SIZE} to {MAX_SIZE}, not {size}", field)
    if query.board_x_size != query.board_y_size:
        raise Refused("boardXSize and boardYSize must be the same: boards are square here", "boardYSize")
    return query.board_x_size


def _start(query: Query, size: int, rules: Rules) -> Game:
    """Return the game before the first move, with its handicap."""
    usual = TERRITORY_KOMI if rules.counts_territory else AREA_KOMI
    with _checked("komi"):
        game = Game(size, usual if query.komi is None else query.komi, LENIENT)
    stones: dict[int, list[int]] = {BLACK: [], WHITE: []}
    with _checked("initialStones"):
        for player, location in query.initial_stones:
            stones[parse_color(player[:20])].append(_location(location, size))
    with _checked("moves"):
        movers = [parse_color(player[:20]) for player, _ in query.moves]
    first = [color for color, (_, at) in zip(movers, query.moves, strict=True) if at.strip().lower() != "pass"]
    begun = len(list(takewhile(lambda color: color == BLACK, first)))
    placed = 0 if stones[WHITE] else len(stones[BLACK])
    handicap = placed + (begun if begun > 1 else 0)
    turn = movers[0] if movers else WHITE if handicap > 1 else BLACK
    if query.initial_player is not None:
        with _checked("initialPlayer"):
            turn = parse_color(query.initial_player[:20])
    with _checked("initialStones"):
        game.setup(stones[BLACK], stones[WHITE], turn)
    game.handicap = handicap
    return game


def _positions(query: Query, game: Game) -> Iterator[Position]:
    """Yield the positions of the turns of a query, each once."""
    turns = [game.move_count] if query.analyze_turns is None else query.analyze_turns
    if not turns:
        raise Refused("analyzeTurns names no turn", "analyzeTurns")
    for turn in turns:
        if not 0 <= turn <= game.move_count:
            raise Refused(f"there is no turn {turn}: the game has {plural(game.move_count, 'move')}", "analyzeTurns")
    if query.priorities is None:
        priorities = [query.priority or 0] * len(turns)
    elif query.priority is not None or query.analyze_turns is None or len(query.priorities) != len(turns):
        raise Refused("priorities are one for each of analyzeTurns, in place of priority", "priorities")
    else:
        priorities = query.priorities
    text = msgspec.json.encode(query)
    for turn, priority in dict(zip(turns, priorities, strict=True)).items():
        yield Position(query.id, turn, priority, text)


# --- fields -----------------------------------------------------------------------------------------------------------


def _checked_restrictions(query: Query, size: int) -> list[Notice]:
    """Return warnings of restrictions below the first ply. Raises Refused for wrong players or points."""
    if query.avoid_moves and query.allow_moves:
        raise Refused("avoidMoves and allowMoves exclude each other", "allowMoves")
    deep: list[Notice] = []
    for field, restrictions in {"avoidMoves": query.avoid_moves, "allowMoves": query.allow_moves}.items():
        with _checked(field):
            players = {parse_color(one.player[:20]) for one in restrictions}
            for name in (name for one in restrictions for name in one.moves):
                _location(name, size)
        if len(query.allow_moves) > len(players) and field == "allowMoves":
            raise Refused("allowMoves has one entry for a player", field)
        if any(one.until_depth > 1 for one in restrictions):
            deep.append(_warning(query, "untilDepth is 1 here: only the next move is restricted", field))
    return deep


def _warning(query: Query, text: str, field: str) -> Notice:
    return Notice(warning=text, field=field, id=query.id)


@contextmanager
def _checked(field: str, before: str = "") -> Iterator[None]:
    """Refuse a query for any ValueError, with its field."""
    try:
        yield
    except ValueError as problem:
        raise Refused(f"{before}{problem}", field) from None


def _location(text: str, size: int) -> int:
    """Read ``"C4"``, ``"pass"``, or KataGo's ``"(2,15)"``, column and row from the top left. Raises ValueError."""
    pair = _COORDINATES.fullmatch(text.strip()[:20])
    if pair is None:
        return parse_vertex(text[:20], size)
    x, y = int(pair[1]), int(pair[2])
    if x >= size or y >= size:
        raise ValueError(f"{text[:20]} is off the {size}x{size} board")
    return point(x + 1, size - y)
