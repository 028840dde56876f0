"""KaTrain's own engine class drives an engine: a review of a short game, a report, alternatives and pondering.

Run by KaTrain's Python, with the program that stands in for KataGo as its argument. Its last line is JSON.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time

home = tempfile.TemporaryDirectory()
for name in ("KIVY_NO_ARGS", "KIVY_NO_CONSOLELOG", "KIVY_NO_FILELOG", "KIVY_NO_CONFIG"):
    os.environ[name] = "1"
os.environ["KIVY_HOME"] = home.name

from katrain.core.ai import game_report  # noqa: E402
from katrain.core.constants import OUTPUT_ERROR  # noqa: E402
from katrain.core.engine import KataGoEngine  # noqa: E402
from katrain.core.game import Game, KaTrainSGF  # noqa: E402

SGF = "(;GM[1]FF[4]SZ[9]KM[6.5]RU[japanese];B[ee];W[cg];B[gc];W[cc];B[ec];W[eg];B[gg];W[ch];B[dd];W[gf];B[fg];W[ff])"
VISITS, PATIENCE = 60, 300.0


class Host:
    """What the engine asks of the program around it."""

    def __init__(self) -> None:
        self.errors: list[str] = []

    def log(self, message: str, level: int = 0) -> None:
        if level == OUTPUT_ERROR:
            self.errors.append(str(message))

    def config(self, _setting: str, default: object = None) -> object:
        return default

    def __call__(self, *message: object, **_more: object) -> None:
        self.errors.append(str(message))


def wait_until(condition, what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            sys.exit(f"waited in vain for {what}")
        time.sleep(0.01)


def main() -> None:
    host = Host()
    engine = KataGoEngine(
        host,
        {
            "backend": "local",
            "katago": sys.argv[1],
            "model": "katrain/models/a-net.bin.gz",
            "config": "katrain/KataGo/analysis_config.cfg",
            "max_visits": VISITS,
            "fast_visits": VISITS,
            "max_time": 60.0,
            "wide_root_noise": 0.04,
            "_enable_ownership": True,
        },
    )
    game = Game(host, engine, move_tree=KaTrainSGF.parse_sgf(SGF))  # has everything analysed
    nodes = [game.root]
    while nodes[-1].children:
        nodes.append(nodes[-1].children[0])
    wait_until(lambda: all(node.analysis_complete for node in nodes), "the review")
    visits = [node.root_visits for node in nodes]
    game.set_current_node(nodes[-1])
    report, *_ = game_report(game, thresholds=[12, 6, 3, 1.5, 0.5, 0])
    known = set(nodes[5].analysis["moves"])
    others: list[dict] = []
    engine.request_analysis(nodes[5], lambda found, _partial: others.append(found), find_alternatives=True)
    wait_until(lambda: others, "alternatives")
    partial: list[dict] = []
    engine.request_analysis(nodes[7], lambda found, _partial: partial.append(found), ponder=True)
    wait_until(lambda: partial, "a report while it ponders")
    engine.stop_pondering()
    engine.shutdown(finish=True)
    print(
        json.dumps(
            {
                "errors": host.errors,
                "nodes": len(nodes),
                "complete": sum(node.analysis_complete for node in nodes),
                "visits": visits,
                "report": report,
                "repeated": [info["move"] for info in others[0]["moveInfos"] if info["move"] in known],
                "alternatives": len(others[0]["moveInfos"]),
                "partial": len(partial),
            }
        )
    )


main()
