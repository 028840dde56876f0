"""Two presets, or one with other parts or settings, that search the same position side by side."""

from __future__ import annotations

import time
from collections.abc import Iterator
from threading import RLock
from typing import get_args

from kikashi.engine.limits import UNLIMITED, Limit
from kikashi.engine.preset import Preset
from kikashi.game import Game
from kikashi.search.analysis import Analysis
from kikashi.web.analyses import SHOWN_MOVES, make_analysis
from kikashi.web.messages import SearchBoard, Side, Thought, handles
from kikashi.web.study import UPDATES, StudyTask
from kikashi.web.tasks import Job, Post, ServerState, Task

BOARDS: tuple[SearchBoard, ...] = get_args(SearchBoard)[-2:]


class CompareTask(Task):
    """A comparison at the current position of the study."""

    name = "compare"

    def __init__(self, state: ServerState, post: Post, lock: RLock, study: StudyTask) -> None:
        super().__init__(state, post, lock)
        self._study = study

    @handles("start_comparison")
    def begin(
        self,
        first: Side,
        second: Side,
        thought: Thought = Thought(simulations=2000),  # noqa: B008 (frozen)
    ) -> None:
        """Let both search with equal simulations or equal time. Raises ValueError for a preset or part that is none."""
        if thought.clock is not None or (thought.simulations is None) == (thought.seconds is None):
            raise ValueError("a comparison has simulations or seconds for each")
        sides = (first, second)
        presets = [self.state.presets.get(side.preset, side.without, side.overrides) for side in sides]
        names = [_describe(side) for side in sides]
        game, node = self._study.tree.game().copy(), self._study.tree.current

        def run(job: Job) -> None:
            if not all(self.compile(job, preset) for preset in presets):
                return
            self.show_progress(" beside ".join(names))
            for number, found, is_over in job.iterate(self._search(job, presets, game, thought)):
                board, is_running = BOARDS[number], not is_over and not job.is_stopped()
                shown = make_analysis(found, game, board=board, node=node, preset=names[number], running=is_running)
                self.post(shown, only_newest=f"analysis {board}")

        self.start(run)

    def _search(
        self, job: Job, presets: list[Preset], game: Game, thought: Thought
    ) -> Iterator[tuple[int, Analysis, bool]]:
        """Let both sides search in turns. Yield the side, its analysis, and whether that is the last one."""
        megabytes, used = self.state.limits.megabytes / 2, [0.0, 0.0]
        sides: dict[int, Iterator[Analysis]] = {}
        begun = 0.0
        for number, preset in enumerate(presets):
            player = self.state.new_player(preset, megabytes=megabytes, seed=1)
            player.search_for(game.size)

            def is_over(number: int = number) -> bool:
                spent = used[number] + time.perf_counter() - begun
                return job.is_stopped() or (thought.seconds is not None and spent >= thought.seconds)

            limit = UNLIMITED if thought.simulations is None else Limit(thought.simulations)
            sides[number] = player.search(game.copy(), limit, every=UPDATES, interrupted=is_over, most=SHOWN_MOVES)
        latest: dict[int, Analysis] = {}
        while sides:
            for number, steps in list(sides.items()):
                begun = time.perf_counter()
                found = next(steps, None)
                used[number] += time.perf_counter() - begun
                if found is None:
                    del sides[number]
                    if number in latest:
                        yield number, latest[number], True
                else:
                    latest[number] = found
                    yield number, found, False


def _describe(side: Side) -> str:
    """Return a preset with its changes: ``kikashi without capture, selection.x=0.1``."""
    parts = [part.partition(": ")[2] + (" as prior" if part.startswith("prior") else "") for part in side.without]
    changes = ([f"without {' and '.join(parts)}"] if parts else []) + list(side.overrides)
    return f"{side.preset} {', '.join(changes)}".strip()
