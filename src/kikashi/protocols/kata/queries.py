"""From a query to the positions it asks about: the game is replayed, and every field is checked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

import msgspec

from kikashi.board.points import BLACK, MAX_SIZE, MIN_SIZE, PASS, WHITE, parse_vertex, point, points_of
from kikashi.game import Game, IllegalMove, Rules
from kikashi.game.moves import parse_color
from kikashi.game.rules import KATA_RULES, nearest_rules, rules_from_json
from kikashi.protocols.kata.messages import WITHOUT_EFFECT, Query, Restriction
from kikashi.wording import explain, plural

AREA_KOMI, TERRITORY_KOMI = 7.5, 6.5
"""The komi of a query that names none."""
MOST_MOVES = 10_000
MOST_WARNINGS = 8
LENIENT = Rules("simple", suicide=True)
"""By what the moves of a query are replayed: they were played, whatever its rules say of superko."""
_COORDINATES = re.compile(r"\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)")
FIELDS = {field.encode_name for field in msgspec.structs.fields(Query)}


class Refused(ValueError):
    """A query that cannot be answered: why, and the field that is wrong."""

    def __init__(self, problem: str, field: str | None = None) -> None:
        super().__init__(problem)
        self.field = field


@dataclass(frozen=True)
class Warned:
    """What is done otherwise than a field says."""

    text: str
    field: str


@dataclass(frozen=True)
class Position:
    """One turn of a query's game. Thousands may wait: the query is kept as text, and replayed when its turn comes."""

    id: str
    turn: int
    priority: int
    text: bytes
    """The query as JSON, the same for all of its turns."""

    @property
    def query(self) -> Query:
        """The query, read anew."""
        return msgspec.json.decode(self.text, type=Query)

    def game(self) -> Game:
        """The game up to this turn."""
        query = self.query
        return _replayed(query, _rules(query)[0], self.turn)

    def moves(self, game: Game) -> set[int] | None:
        """The only moves to look at, and the only ones to show; None for all."""
        query = self.query
        allow = query.allow_moves
        mine = [one for one in allow or query.avoid_moves if parse_color(one.player) == game.turn]
        if not mine:
            return None
        named = {_location(name, game.size) for one in mine for name in one.moves}
        return named if allow else {*points_of(game.size), PASS} - named


def convert(said: dict[str, Any], wanted: type[Any]) -> Any:
    """A line's data as a message. Raises Refused."""
    try:
        return msgspec.convert(said, wanted)
    except msgspec.ValidationError as error:
        raise Refused(explain(error, wanted), _field_of(str(error))) from None


def read_query(said: dict[str, Any]) -> tuple[list[Position], list[Warned]]:
    """The positions that a query asks about, and what it should know. Raises Refused."""
    query = convert(said, Query)
    warnings = [
        Warned(f"there is no field {name[:40]!r}: it is read over", name[:40])
        for name in said
        if name not in FIELDS and name not in WITHOUT_EFFECT
    ][:MOST_WARNINGS]
    rules, doubts = _rules(query)
    warnings += doubts
    game = _replayed(query, rules)
    warnings += _checked_restrictions(query, game.size)
    return list(_positions(query, game)), warnings


# --- the game ---------------------------------------------------------------------------------------------------------


def _rules(query: Query) -> tuple[Rules, list[Warned]]:
    """The rules of a query, or the nearest that are played here and a warning."""
    doubts: list[Warned] = []
    if isinstance(query.rules, str):
        name = re.sub(r"[\s_]+", "-", query.rules.strip().lower())
        rules = KATA_RULES.get(name, Rules("simple"))
        if name not in KATA_RULES:
            doubts.append(Warned(f"{query.rules[:40]!r} rules are not played here: area counts, by simple ko", "rules"))
    else:
        try:
            rules = rules_from_json(query.rules)
        except ValueError as problem:
            rules = nearest_rules(query.rules)
            doubts.append(Warned(f"not played here: {problem}; {rules.scoring} counts", "rules"))
    return replace(rules, bonus=query.white_handicap_bonus or rules.bonus), doubts


def _replayed(query: Query, rules: Rules, turn: int | None = None) -> Game:
    """The game of a query up to a turn, or after all of its moves."""
    size = _size(query)
    if len(query.moves) > MOST_MOVES:
        raise Refused(f"more than {MOST_MOVES} moves are no game", "moves")
    game = _start(query, size, rules)
    for number, (player, location) in enumerate(query.moves[:turn]):
        color = _color(player, "moves")
        try:
            game.push(_point(location, size, "moves"), color)
        except IllegalMove as problem:
            raise Refused(f"Illegal move {number}: {location}: {problem}", "moves") from None
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
    """The game before the first move, with its handicap."""
    usual = TERRITORY_KOMI if rules.counts_territory else AREA_KOMI
    try:
        game = Game(size, usual if query.komi is None else query.komi, LENIENT)
    except ValueError as problem:
        raise Refused(str(problem), "komi") from None
    stones: dict[int, list[int]] = {BLACK: [], WHITE: []}
    for player, location in query.initial_stones:
        stones[_color(player, "initialStones")].append(_point(location, size, "initialStones"))
    first = [_color(player, "moves") for player, location in query.moves if location.strip().lower() != "pass"]
    begun = len(list(takewhile(lambda color: color == BLACK, first)))
    placed = 0 if stones[WHITE] else len(stones[BLACK])
    handicap = placed + (begun if begun > 1 else 0)
    if query.initial_player is not None:
        turn = _color(query.initial_player, "initialPlayer")
    elif query.moves:
        turn = _color(query.moves[0][0], "moves")
    else:
        turn = WHITE if handicap > 1 else BLACK
    try:
        game.setup(stones[BLACK], stones[WHITE], turn)
    except ValueError as problem:
        raise Refused(str(problem), "initialStones") from None
    game.handicap = handicap
    return game


def _positions(query: Query, game: Game) -> Iterator[Position]:
    """The turns that are asked about, each once."""
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


# --- small things -----------------------------------------------------------------------------------------------------


def _checked_restrictions(query: Query, size: int) -> list[Warned]:
    """Raises Refused if a restriction names no player or no points; warns of those that go deeper than a ply."""
    if query.avoid_moves and query.allow_moves:
        raise Refused("avoidMoves and allowMoves exclude each other", "allowMoves")
    if len(query.allow_moves) > len({_color(one.player, "allowMoves") for one in query.allow_moves}):
        raise Refused("allowMoves has one entry for a player", "allowMoves")
    deep: list[Warned] = []
    given: tuple[tuple[str, list[Restriction]], ...]
    given = (("avoidMoves", query.avoid_moves), ("allowMoves", query.allow_moves))
    for field, restrictions in given:
        for one in restrictions:
            _color(one.player, field)
            for name in one.moves:
                _point(name, size, field)
        if any(one.until_depth > 1 for one in restrictions):
            deep.append(Warned("untilDepth is 1 here: only the next move is restricted", field))
    return deep


def _color(player: str, field: str) -> int:
    try:
        return parse_color(player[:20])
    except ValueError as problem:
        raise Refused(str(problem), field) from None


def _point(location: str, size: int, field: str) -> int:
    try:
        return _location(location, size)
    except ValueError as problem:
        raise Refused(str(problem), field) from None


def _location(text: str, size: int) -> int:
    """``"C4"``, ``"pass"``, or KataGo's ``"(2,15)"``, column and row from the top left. Raises ValueError."""
    pair = _COORDINATES.fullmatch(text.strip()[:20])
    if pair is None:
        return parse_vertex(text[:20], size)
    x, y = int(pair[1]), int(pair[2])
    if x >= size or y >= size:
        raise ValueError(f"{text[:20]} is off the {size}x{size} board")
    return point(x + 1, size - y)


def _field_of(error: str) -> str | None:
    """The field of a query that an error of msgspec's is about."""
    found = re.search(r"missing required field `(\w+)`|`\$\.(\w+)", error)
    return (found[1] or found[2]) if found else None
