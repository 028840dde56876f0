"""Two presets against each other, live, with both players' evaluations."""

from __future__ import annotations

from kikashi.board.points import BLACK, WHITE
from kikashi.engine.player import Player
from kikashi.engine.turn import Turn
from kikashi.game import Game
from kikashi.game.time_control import parse_clock
from kikashi.search.analysis import Analysis
from kikashi.terminal.counting import Count
from kikashi.web.analyses import color_name
from kikashi.web.game_tree import GameTree
from kikashi.web.messages import DuelMove, StartDuel
from kikashi.web.play import SLICE, limit_of
from kikashi.web.tasks import Job, Task

LINE = 10
"""Moves of a principal variation that are shown."""


class DuelTask(Task):
    """A game between two presets."""

    name = "duel"

    def begin(self, request: StartDuel) -> None:
        """Start a game. Raises ValueError for settings that cannot be."""
        self.stop()
        state, megabytes = self.state, self.state.limits.megabytes / 2
        players = {
            color: state.new_player(state.presets.get(name), megabytes=megabytes, seed=seed)
            for color, name, seed in ((BLACK, request.black, 1), (WHITE, request.white, 2))
        }
        self._thought = request.thought
        self.game, self._result = Game(request.size, request.komi), ""
        self.game.headers |= {"PB": request.black, "PW": request.white}
        clock = parse_clock(request.thought.clock) if request.thought.clock else None
        self._clocks = {} if clock is None else {BLACK: clock, WHITE: clock}
        self.post(self.game_tree().position())
        self.start(lambda job: self._play(job, players))

    def game_tree(self) -> GameTree:
        """Return the game as a tree. Raises ValueError if there is none."""
        if not hasattr(self, "game"):
            raise ValueError("no duel has been started")
        tree = GameTree.from_game("duel", self.game)
        if self._result:
            tree.root.set_text("RE", self._result)
        return tree

    def _play(self, job: Job, players: dict[int, Player]) -> None:
        if not all(self.compile(job, player.preset) for player in players.values()):
            return
        flagged = ""
        while not self.game.is_over() and self.game.move_count < 3 * self.game.size**2 and not flagged:
            player, color = players[self.game.turn], self.game.turn
            self.show_progress(f"{player.preset.name} thinks")
            turn = Turn(player, self.game, limit_of(self._thought), clock=self._clocks.get(color))
            analysis = job.last(turn.think(every=SLICE, interrupted=job.is_stopped))
            if job.is_stopped() or analysis is None:
                return
            if turn.clock is not None:
                self._clocks[color] = turn.clock
                flagged = "" if not self._clocks[color].is_flagged else "W+T" if color == BLACK else "B+T"
            with self.lock:
                self._make(turn, analysis, flagged)
        if not flagged:
            self._count(job, player)

    def _count(self, job: Job, judge: Player) -> None:
        """Count a game that ended with two passes, without the dead stones."""
        count = Count(self.game)
        with self.state.search_lock.hold(job.is_stopped) as is_held:
            if not is_held or not count.is_due:
                return
            self.show_progress("counting")
            count.propose(judge.copy())
        with self.lock:
            self._result = count.result() or ""
            self.post(self.game_tree().position(result=self._result, dead=sorted(count.dead)))

    def _make(self, turn: Turn, analysis: Analysis, flagged: str) -> None:
        """Make the move that a player decides on, and show it."""
        decision = turn.play(turn.decide(analysis))
        self._result = flagged or self.game.recorded_result() or ""
        best = analysis.moves[0] if analysis.moves else None
        self.post(
            DuelMove(
                number=self.game.move_count,
                color=color_name(turn.color),
                move=decision.name,
                winrate=analysis.black_winrate,
                score=analysis.black_score,
                visits=analysis.visits,
                line=list(best.names[:LINE]) if best else [],
            )
        )
        self.post(self.game_tree().position(result=self._result))
