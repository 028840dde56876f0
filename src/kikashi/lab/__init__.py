"""The laboratory: what is measured of policies and programs. Knows nothing of how a move is found.

Statistics of results: `wilson` and `elo_interval` for one score, `two_proportions` for two, `sprt` for a match that
stops when it knows, `bradley_terry` and `bootstrap` for many players. Matches: `MatchSettings`, `run_match`.
Experiments: `load_design`, `run_design`.

>>> from kikashi.lab import elo_interval, wilson
>>> found = wilson(65, 100)
>>> f"{found.low:.1%} to {found.high:.1%}"
'55.3% to 73.6%'
>>> round(elo_interval(wins=65, draws=0, losses=35).elo)
108
"""

from typing import TYPE_CHECKING

from kikashi.lazily import found_in

if TYPE_CHECKING:
    from kikashi.lab.clocks import parse_clock
    from kikashi.lab.design import (
        Design,
        LocalDesign,
        MatchDesign,
        PositionDesign,
        QualityDesign,
        ShareDesign,
        experiment_names,
        load_design,
    )
    from kikashi.lab.experiment import run_design
    from kikashi.lab.experiment_report import write_experiment_report
    from kikashi.lab.journal import JournalError
    from kikashi.lab.local_play import LocalRecord
    from kikashi.lab.match import resumed_settings, run_match
    from kikashi.lab.match_settings import MatchSettings, Pairing
    from kikashi.lab.mishaps import MatchStopped
    from kikashi.lab.one_game import GameRecord
    from kikashi.lab.openings import own_openings, read_openings
    from kikashi.lab.plots import bars, intervals, trends
    from kikashi.lab.positions import PositionRecord
    from kikashi.lab.quality import QualityRecord
    from kikashi.lab.rating import Ratings, bootstrap, bradley_terry
    from kikashi.lab.report import write_report
    from kikashi.lab.results import Experiment, Match
    from kikashi.lab.shares import ShareRecord
    from kikashi.lab.standing import Comparison, PairingScore, PlayerTimes, Standing
    from kikashi.lab.starting import CannotPlay
    from kikashi.lab.statistics import (
        EloEstimate,
        Interval,
        Pentanomial,
        Sprt,
        ZTest,
        duplicates,
        elo,
        elo_interval,
        expected,
        sprt,
        two_proportions,
        wilson,
    )
    from kikashi.lab.workers import Workers, make_workers

__all__ = [
    "CannotPlay",
    "Comparison",
    "Design",
    "EloEstimate",
    "Experiment",
    "GameRecord",
    "Interval",
    "JournalError",
    "LocalDesign",
    "LocalRecord",
    "Match",
    "MatchDesign",
    "MatchSettings",
    "MatchStopped",
    "Pairing",
    "PairingScore",
    "Pentanomial",
    "PlayerTimes",
    "PositionDesign",
    "PositionRecord",
    "QualityDesign",
    "QualityRecord",
    "Ratings",
    "ShareDesign",
    "ShareRecord",
    "Sprt",
    "Standing",
    "Workers",
    "ZTest",
    "bars",
    "bootstrap",
    "bradley_terry",
    "duplicates",
    "elo",
    "elo_interval",
    "expected",
    "experiment_names",
    "intervals",
    "load_design",
    "make_workers",
    "own_openings",
    "parse_clock",
    "read_openings",
    "resumed_settings",
    "run_design",
    "run_match",
    "sprt",
    "trends",
    "two_proportions",
    "wilson",
    "write_experiment_report",
    "write_report",
]

if not TYPE_CHECKING:  # workers, which import files of this folder, need none of these; statistics need no Numba
    __getattr__, __dir__ = found_in(
        __name__,
        {
            "kikashi.lab.clocks": ["parse_clock"],
            "kikashi.lab.design": [
                *("Design", "LocalDesign", "MatchDesign", "PositionDesign", "QualityDesign", "ShareDesign"),
                *("experiment_names", "load_design"),
            ],
            "kikashi.lab.experiment": ["run_design"],
            "kikashi.lab.experiment_report": ["write_experiment_report"],
            "kikashi.lab.journal": ["JournalError"],
            "kikashi.lab.local_play": ["LocalRecord"],
            "kikashi.lab.match": ["resumed_settings", "run_match"],
            "kikashi.lab.match_settings": ["MatchSettings", "Pairing"],
            "kikashi.lab.mishaps": ["MatchStopped"],
            "kikashi.lab.one_game": ["GameRecord"],
            "kikashi.lab.openings": ["own_openings", "read_openings"],
            "kikashi.lab.plots": ["bars", "intervals", "trends"],
            "kikashi.lab.positions": ["PositionRecord"],
            "kikashi.lab.quality": ["QualityRecord"],
            "kikashi.lab.rating": ["Ratings", "bootstrap", "bradley_terry"],
            "kikashi.lab.report": ["write_report"],
            "kikashi.lab.results": ["Experiment", "Match"],
            "kikashi.lab.shares": ["ShareRecord"],
            "kikashi.lab.standing": ["Comparison", "PairingScore", "PlayerTimes", "Standing"],
            "kikashi.lab.starting": ["CannotPlay"],
            "kikashi.lab.statistics": [
                *("EloEstimate", "Interval", "Pentanomial", "Sprt", "ZTest", "duplicates", "elo", "elo_interval"),
                *("expected", "sprt", "two_proportions", "wilson"),
            ],
            "kikashi.lab.workers": ["Workers", "make_workers"],
        },
    )
