"""Learning the weights of features from games, of others and of one's own.

`learn` reads the games of a `Course` and fits weights to them, `write_weights` keeps these in a file, which the
heuristic `learned` reads; `read_lessons`, `collect` and `fit` are its steps. `run_rounds` plays and learns in turn.
`learn_playouts` finds weights for the heuristic `roulette`: fitted to games, then balanced by `balance`.

>>> import tempfile
>>> from pathlib import Path
>>> from kikashi.learn import Course, Wanted, learn
>>> with tempfile.TemporaryDirectory() as folder:
...     for number in range(4):
...         _ = Path(folder, f"{number}.sgf").write_text("(;SZ[5];B[cc];W[cb];B[bb];W[db];B[dc])")
...     found = learn(Course([Path(folder)], features="line,distance", wanted=Wanted(held_out=0.25)))
>>> found.weights.size, [one.spec for one in found.weights.features], found.held_out.games
(5, ['line', 'distance'], 1)

Reading order: games (what is learned from), self_play (playing them), positions (their features), fitting (weights),
report (what was found), rounds (playing and fitting in turn); then labels (what positions are worth), balancing and
playouts (weights for playouts).
"""

from typing import TYPE_CHECKING

from kikashi.lazily import found_in

if TYPE_CHECKING:
    from kikashi.learn.balancing import Agreement, Balanced, Balancing, balance
    from kikashi.learn.fitting import Figures, Fit, Wanted, fit
    from kikashi.learn.games import Lesson, read_lessons
    from kikashi.learn.labels import Label
    from kikashi.learn.learning import Course, Listener, learn, write_weights
    from kikashi.learn.playouts import PlayoutCourse, PlayoutListener, PlayoutsFound, learn_playouts
    from kikashi.learn.positions import DEFAULT_FEATURES, Collector, Eye, Positions, collect, features_named
    from kikashi.learn.rounds import RoundFound, RoundListener, Rounds, run_rounds
    from kikashi.learn.self_play import SelfPlay, SelfPlayGame, play_self_games

__all__ = [
    "DEFAULT_FEATURES",
    "Agreement",
    "Balanced",
    "Balancing",
    "Collector",
    "Course",
    "Eye",
    "Figures",
    "Fit",
    "Label",
    "Lesson",
    "Listener",
    "PlayoutCourse",
    "PlayoutListener",
    "PlayoutsFound",
    "Positions",
    "RoundFound",
    "RoundListener",
    "Rounds",
    "SelfPlay",
    "SelfPlayGame",
    "Wanted",
    "balance",
    "collect",
    "features_named",
    "fit",
    "learn",
    "learn_playouts",
    "play_self_games",
    "read_lessons",
    "run_rounds",
    "write_weights",
]

if not TYPE_CHECKING:  # to read games one needs no SciPy
    __getattr__, __dir__ = found_in(
        __name__,
        {
            "kikashi.learn.balancing": ["Agreement", "Balanced", "Balancing", "balance"],
            "kikashi.learn.fitting": ["Figures", "Fit", "Wanted", "fit"],
            "kikashi.learn.games": ["Lesson", "read_lessons"],
            "kikashi.learn.labels": ["Label"],
            "kikashi.learn.learning": ["Course", "Listener", "learn", "write_weights"],
            "kikashi.learn.playouts": ["PlayoutCourse", "PlayoutListener", "PlayoutsFound", "learn_playouts"],
            "kikashi.learn.positions": [
                *("DEFAULT_FEATURES", "Collector", "Eye", "Positions", "collect", "features_named"),
            ],
            "kikashi.learn.rounds": ["RoundFound", "RoundListener", "Rounds", "run_rounds"],
            "kikashi.learn.self_play": ["SelfPlay", "SelfPlayGame", "play_self_games"],
        },
    )
