"""Queries, actions and answers, as in KataGo's docs/Analysis_Engine.md."""

from typing import Annotated, Any, Literal

import msgspec

Count = Annotated[int, msgspec.Meta(ge=1, lt=1 << 40)]
Seconds = Annotated[float, msgspec.Meta(gt=0)]
Side = Literal["BLACK", "WHITE", "SIDETOMOVE"]
MOST_KOMI = 400


class Restriction(msgspec.Struct, rename="camel"):
    """Moves of one player that the first plies of a search are restricted to, or avoid."""

    player: str
    moves: list[str]
    until_depth: Count


class Settings(msgspec.Struct, rename="camel"):
    """The supported part of KataGo's configuration; other settings are ignored."""

    report_analysis_winrates_as: Side | None = None
    max_time: Seconds | None = None
    max_visits: Count | None = None
    num_analysis_threads: Annotated[int, msgspec.Meta(ge=1, le=256)] | None = None


class Query(msgspec.Struct, rename="camel", kw_only=True):
    """A game and the turns to analyse."""

    id: str
    moves: list[tuple[str, str]]
    rules: str | dict[str, Any]
    board_x_size: int
    board_y_size: int
    komi: Annotated[float, msgspec.Meta(ge=-MOST_KOMI, le=MOST_KOMI)] | None = None
    white_handicap_bonus: Literal["0", "N-1", "N"] | None = None
    initial_stones: list[tuple[str, str]] = []
    initial_player: str | None = None
    analyze_turns: list[int] | None = None
    priority: int | None = None
    priorities: list[int] | None = None
    max_visits: Count | None = None
    analysis_pv_len: Annotated[int, msgspec.Meta(ge=0)] = msgspec.field(name="analysisPVLen", default=15)
    include_ownership: bool = False
    include_ownership_stdev: bool = False
    include_moves_ownership: bool = False
    include_moves_ownership_stdev: bool = False
    include_policy: bool = False
    include_pv_visits: bool = msgspec.field(name="includePVVisits", default=False)
    avoid_moves: list[Restriction] = []
    allow_moves: list[Restriction] = []
    report_during_search_every: Seconds | None = None
    first_report_during_search_after: Seconds | None = None
    override_settings: Settings = msgspec.field(default_factory=Settings)


WITHOUT_EFFECT = ("rootPolicyTemperature", "rootFpuReductionMax", "includeNoResultValue")
"""Fields of KataGo's without a meaning for a search without a net."""


class Action(msgspec.Struct, rename="camel", kw_only=True):
    """An action besides analysis. Its answer repeats it, with more fields for a question."""

    id: str
    action: Literal["query_version", "query_models", "clear_cache", "terminate", "terminate_all"]
    terminate_id: str | None = None
    turn_numbers: list[int] | None = None


class Values(msgspec.Struct, rename="camel", kw_only=True):
    """Statistics of the root or of one of its moves."""

    visits: int
    winrate: float
    score_lead: float
    score_selfplay: float
    score_stdev: float
    utility: float
    lcb: float


class RootInfo(Values, rename="camel", kw_only=True):
    current_player: Literal["B", "W"]


class MoveInfo(Values, rename="camel", kw_only=True, omit_defaults=True):
    move: str
    order: int
    edge_visits: int
    score_mean: float
    prior: float
    utility_lcb: float
    pv: list[str]
    pv_visits: list[int] | None = None
    pv_edge_visits: list[int] | None = None
    ownership: list[float] | None = None
    ownership_stdev: list[float] | None = None


class Answer(msgspec.Struct, rename="camel", kw_only=True, omit_defaults=True):
    """Analysis of one position, during or after its search."""

    id: str
    turn_number: int
    is_during_search: bool
    root_info: RootInfo | None = None
    move_infos: list[MoveInfo] | None = None
    ownership: list[float] | None = None
    ownership_stdev: list[float] | None = None
    policy: list[float] | None = None
    no_results: bool = False


class Notice(msgspec.Struct, kw_only=True, omit_defaults=True):
    """An error or a warning about a line. The id is the line's, of any type."""

    error: str | None = None
    warning: str | None = None
    field: str | None = None
    id: Any = None


Message = Answer | Notice | dict[str, Any]


def encode(message: Message) -> bytes:
    return msgspec.json.encode(message) + b"\n"
