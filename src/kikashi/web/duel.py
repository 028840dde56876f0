"""Two presets against each other, live, with both players' evaluations."""

from __future__ import annotations

from kikashi.board.points import BLACK, WHITE
from kikashi.engine.player import Player
from kikashi.engine.session import Session
from kikashi.game import Game
from kikashi.game.time_control import parse_clock
from kikashi.terminal.counting import Count
from kikashi.web.analyses import color_name
from kikashi.web.game_tree import GameTree
from kikashi.web.messages import DuelMove, Komi, Name, Size, Thought, handles
from kikashi.web.play import SLICE, limit_of
from kikashi.web.tasks import Job, Task

LINE = 10
"""Moves of a principal variation that are shown."""


class DuelTask(Task):
    """A game between two presets."""

    name = "duel"

    @handles("start_duel")
    def begin(
        self,
        black: Name,
        white: Name,
        size: Size = 9,
        komi: Komi = 7.5,
        thought: Thought = Thought(simulations=1000),  # noqa: B008 (frozen)
    ) -> None:
        """Start a game. Raises ValueError for settings that cannot be."""
        self.stop()
        state, megabytes = self.state, self.state.limits.megabytes / 2
        limit = limit_of(thought)
        clock = parse_clock(thought.clock) if thought.clock else None
        self.game, self._result = Game(size, komi), ""
        self.game.headers |= {"PB": black, "PW": white}
        players = {
            color: state.new_player(state.presets.get(name), megabytes=megabytes, seed=seed)
            for color, name, seed in ((BLACK, black, 1), (WHITE, white, 2))
        }
        sessions = {color: Session(player, self.game, limit, clock=clock) for color, player in players.items()}
        self.post(self.game_tree().position())
        self.start(lambda job: self._play(job, sessions))

    def game_tree(self) -> GameTree:
        """Return the game as a tree. Raises ValueError if there is none."""
        if not hasattr(self, "game"):
            raise ValueError("no duel has been started")
        tree = GameTree.from_game("duel", self.game)
        if self._result:
            tree.root.set_text("RE", self._result)
        return tree

    def _play(self, job: Job, sessions: dict[int, Session]) -> None:
        if not all(self.compile(job, session.player.preset) for session in sessions.values()):
            return
        while not self.game.is_over() and self.game.move_count < 3 * self.game.size**2 and not self._result:
            session = sessions[self.game.turn]
            self.show_progress(f"{session.player.preset.name} thinks")
            session.interrupted = job.is_stopped
            analysis = job.last(session.think(every=SLICE))
            if job.is_stopped() or analysis is None:
                return
            with self.lock:
                decision = session.play(session.decide(analysis))
                loser = session.flagged
                timeout = "" if loser is None else "W+T" if loser == BLACK else "B+T"
                self._result = timeout or self.game.recorded_result() or ""
                best = analysis.moves[0] if analysis.moves else None
                self.post(
                    DuelMove(
                        number=self.game.move_count,
                        color=color_name(analysis.to_play),
                        move=decision.name,
                        winrate=analysis.black_winrate,
                        score=analysis.black_score,
                        visits=analysis.visits,
                        line=list(best.names[:LINE]) if best else [],
                    )
                )
                self.post(self.game_tree().position(result=self._result))
        if not self._result:
            self._count(job, session.player)

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
