"""kikashi: the Monte-Carlo Go programs of the classic papers, as one engine and laboratory.

A game, a player and what it thinks:

>>> from kikashi import Budget, Game, Player
>>> game = Game(size=5, komi=0.5)
>>> player = Player("mogo-2006", budget=Budget(simulations=100), seed=1)
>>> decision = player.choose(game)
>>> game.push(decision.move).name == decision.name
True
>>> decision.analysis.visits
100
"""

from typing import TYPE_CHECKING

from kikashi.lazily import found_in

if TYPE_CHECKING:
    from kikashi.deciding import Decision
    from kikashi.game import Game, IllegalMove, Move, Rules
    from kikashi.judging import judge
    from kikashi.player import Player
    from kikashi.preset import Preset, load_preset, preset_names
    from kikashi.review import Evaluation, MoveReview, Review, review_game
    from kikashi.roots import root_of, situation_of
    from kikashi.search import Analysis, Budget, Clock, MoveStatistics

__version__ = "0.2.0"
__all__ = [
    "Analysis",
    "Budget",
    "Clock",
    "Decision",
    "Evaluation",
    "Game",
    "IllegalMove",
    "Move",
    "MoveReview",
    "MoveStatistics",
    "Player",
    "Preset",
    "Review",
    "Rules",
    "__version__",
    "judge",
    "load_preset",
    "preset_names",
    "review_game",
    "root_of",
    "situation_of",
]

if not TYPE_CHECKING:  # ``kikashi --help`` need not wait for Numba
    __getattr__, __dir__ = found_in(
        __name__,
        {
            "kikashi.deciding": ["Decision"],
            "kikashi.game": ["Game", "IllegalMove", "Move", "Rules"],
            "kikashi.judging": ["judge"],
            "kikashi.player": ["Player"],
            "kikashi.roots": ["root_of", "situation_of"],
            "kikashi.preset": ["Preset", "load_preset", "preset_names"],
            "kikashi.review": ["Evaluation", "MoveReview", "Review", "review_game"],
            "kikashi.search": ["Analysis", "Budget", "Clock", "MoveStatistics"],
        },
    )
