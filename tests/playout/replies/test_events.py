"""Replies to events beside the proposal of Baier 2010, §8.2.2: the trigger is "a certain group having a low number of
liberties", the reply an action "like an attack on a certain group, or a connection between two friendly groups"."""

from collections import Counter

import numpy as np
import pytest

from helpers.heuristic_cases import propose, root_at
from helpers.naive import ADJACENT, NaiveBoard, Position
from helpers.simulations import Simulations
from kikashi.board.points import BLACK, EMPTY, PASS, POINTS, WHITE, opponent, parse_vertex, vertex
from kikashi.playout import HISTORY, make_policy
from kikashi.playout.loop import begin, make_move, playout
from kikashi.playout.worker import Memories, Worker

SIMULATIONS = {2: 50, 3: 50, 5: 50, 9: 4}
ACTIONS = ("nothing", "capture", "connect", "attack", "extend")
Context = tuple[int, int, int]
"""Whose group, its oldest stone, and its liberties."""


class Events:
    """The stored actions, and what an event and an action are on a naive board."""

    def __init__(self, most: int, forgetting: bool) -> None:
        self.most, self.forgetting = most, forgetting
        self.stored: dict[Context, str] = {}

    def event(self, board: Position, color: int, moves: list[int]) -> tuple[Context, dict[int, str]] | None:
        """The context that the last move made, and the points that act with what they do; `moves` are those since
        before the root."""
        last = moves[-1]
        beside = [n for step in ADJACENT for n in board.around(last, (step,))] if last != PASS else []
        groups = [board.chain(n) for n in beside if board.color_at(n) == color]
        groups = [group for group in groups if len(board.liberties(min(group))) <= self.most]
        if not groups:
            return None
        group = min(groups, key=lambda group: (len(board.liberties(min(group))), -len(group)))
        age = {p: i for i, p in enumerate(moves[HISTORY:], 1)}
        name = min(group, key=lambda p: (age.get(p, 0), p))
        liberties = board.liberties(name)
        actions = {p: self.action(board, group, p) for p in board.points() if board.color_at(p) == EMPTY}
        return (color, name, len(liberties)), {p: action for p, action in actions.items() if action != "nothing"}

    @staticmethod
    def action(board: Position, group: frozenset[int], p: int) -> str:
        color, liberties = board.color_at(min(group)), board.liberties(min(group))
        enemies = frozenset().union(*board.enemy_chains(min(group)))
        if board.captures(p, color) & enemies:
            return "capture"
        if board.is_self_atari(p, color):
            return "nothing"
        if p in liberties and any(board.color_at(n) == color and n not in group for n in board.neighbours(p)):
            return "connect"
        if board.atari_after(p, color) & enemies:
            return "attack"
        gains = p in liberties and len(board.liberties_after(p, color)) > len(liberties)
        return "extend" if gains else "nothing"

    def learn(self, context: Context, action: str, won: bool) -> None:
        if won:
            self.stored[context] = action
        elif self.forgetting and self.stored.get(context) == action:
            del self.stored[context]


def stored_in(worker: Worker, most: int) -> dict[Context, str]:
    """What the memory has."""
    (block,) = (block for (name, _), block in worker.memory_blocks.items() if name == "event_replies")
    table = block.reshape(2, POINTS, most)
    return {
        (int(c) + BLACK, int(p), int(liberties) + 1): ACTIONS[table[c, p, liberties]]
        for c, p, liberties in np.argwhere(table)
    }


@pytest.mark.parametrize("size", SIMULATIONS)
@pytest.mark.parametrize(("most", "forgetting"), [(2, True), (1, False), (4, True)])
def test_every_proposal_and_the_memory_are_those_of_the_model(size: int, most: int, forgetting: bool) -> None:
    simulations = Simulations(f"event_reply(liberties={most}, forgetting={str(forgetting).lower()})", size)
    worker, model, answers = simulations.worker, Events(most, forgetting), Counter[str]()

    for _ in range(SIMULATIONS[size]):
        seen = []

        def look() -> None:
            sim = worker.sim
            board = Position(size, {p: int(sim["board"]["color"][p]) for p in Position(size).points()})
            board.stones = {p: color for p, color in board.stones.items() if color != EMPTY}
            event = model.event(board, int(sim["board"]["to_play"]), sim["moves"][: sim["length"]].tolist())
            action = model.stored.get(event[0], "nothing") if event else "nothing"
            wanted = {p: 1.0 for p, does in event[1].items() if does == action} if event else {}
            assert propose(worker) == (wanted, 0.0, {}), action
            answers[action if wanted else "nothing"] += 1
            seen.append(event)  # noqa: B023

        record = simulations.run_step_by_step(look)
        for i, (event, p) in enumerate(zip(seen, record.moves, strict=True)):
            color = record.first if i % 2 == 0 else opponent(record.first)
            if i > 0 and event and p in event[1] and record.winner != EMPTY:
                model.learn(event[0], event[1][p], color == record.winner)
        assert stored_in(worker, most) == model.stored
    assert answers["nothing"] > 20
    assert size != 5 or min(answers[action] for action in ACTIONS[1:]) > 0, answers
    assert simulations.winners[BLACK] > 0 < simulations.winners[WHITE]


# --- by hand ----------------------------------------------------------------------------------------------------------

SIDES = pytest.mark.parametrize("color", [BLACK, WHITE])


class Story:
    """Simulations of one search from a diagram, X to play. X is `color`."""

    def __init__(self, color: int, diagram: str, part: str = "event_reply") -> None:
        self.worker = Worker(make_policy(part), Memories(), size=7, seed=1)
        self.color = color
        self.put(diagram)

    def put(self, diagram: str) -> None:
        """Let simulations start here."""
        self.diagram = diagram if self.color == BLACK else diagram.translate(str.maketrans("XO", "OX"))

    def proposed(self, *names: str, after: str = "pass") -> set[str]:
        """What is proposed after these moves of a simulation; `after` is the move before the root."""
        self._play(names, after)
        return {vertex(p) for p in propose(self.worker).weights}

    def simulate(self, *names: str, won: bool, after: str = "pass") -> None:
        """A simulation of these moves, which X wins or loses."""
        self._play((*names, "pass", "pass"), after, komi=-100.5 if won == (self.color == BLACK) else 100.5)
        playout(self.worker.sim, self.worker.moves, self.worker.record)
        assert (self.worker.sim["winner"] == self.color) == won

    def _play(self, names: tuple[str, ...], after: str, komi: float = 0.5) -> None:
        root = root_at(NaiveBoard.from_diagram(self.diagram, self.color), (parse_vertex(after, 7),), komi)
        begin(self.worker.sim, self.worker.record, root)
        for name in names:
            make_move(self.worker.sim, self.worker.record, parse_vertex(name, 7))


ONE_GROUP = """
.......
.......
.......
.OX....
.......
.......
.......
"""


@SIDES
def test_a_connection_that_won_is_made_again_at_another_point(color: int) -> None:
    """White leaves C4 with two liberties, D4 joins it with E4. Later its friend is at C2, and C3 joins them."""
    story = Story(color, ONE_GROUP)
    assert story.proposed("E4", "C5") == set()
    story.simulate("E4", "C5", "D4", won=True)
    assert story.proposed("E4", "C5") == {"D4"}
    assert story.proposed("C2", "G7", "G1", "C5") == {"C3"}, "at another moment, elsewhere"
    assert story.proposed("C2", "C3") == set(), "no point connects"
    assert story.proposed("E4", "C5", "G1", "C3") == set(), "one liberty is another event"
    assert story.proposed("E4", "G7") == set(), "no group is in danger"
    assert story.proposed("E4", "pass") == set()


@SIDES
def test_a_loss_deletes_the_action_and_no_other(color: int) -> None:
    story = Story(color, ONE_GROUP)
    story.simulate("E4", "C5", "D4", won=True)
    story.simulate("E4", "C5", "C3", won=False)
    assert story.proposed("E4", "C5") == {"D4"}, "to extend lost"
    story.simulate("C2", "C5", "C3", won=False)
    assert story.proposed("E4", "C5") == set(), "to connect lost, though at another point"
    story = Story(color, ONE_GROUP, "event_reply(forgetting=false)")
    story.simulate("E4", "C5", "D4", won=True)
    story.simulate("C2", "C5", "C3", won=False)
    assert story.proposed("E4", "C5") == {"D4"}


@SIDES
def test_a_group_keeps_its_name_when_it_grows(color: int) -> None:
    """C4 has grown to C3 when White leaves both stones with two liberties; C2 is not theirs to connect, D3 is."""
    story = Story(color, ONE_GROUP)
    story.simulate("E4", "C5", "D4", won=True)
    grown = ("E3", "C5", "C3", "B3", "G1", "D4")
    assert story.proposed(*grown) == {"D3"}


@SIDES
def test_a_captured_group_causes_no_event(color: int) -> None:
    story = Story(color, ONE_GROUP)
    story.simulate("E4", "C5", "D4", won=True)
    story.simulate("E4", "C5", "G1", "C3", "D4", won=True)
    captured = ("E4", "C5", "G1", "C3", "G2", "D4")
    assert story.proposed(*captured[:-2]) == {"D4"}
    assert story.proposed(*captured) == set()
    assert int(story.worker.sim["board"]["color"][parse_vertex("C4", 7)]) == EMPTY


@SIDES
def test_passes_and_moves_before_the_simulation_teach_nothing(color: int) -> None:
    story = Story(color, ONE_GROUP)
    story.simulate("E4", "C5", "pass", won=True)
    story.simulate("E4", "pass", "D4", won=True)
    story.simulate("D4", won=True, after="B4")
    assert stored_in(story.worker, 2) == {}


AFTER_C5 = """
.......
.......
..O....
.OX.X..
.......
.......
.......
"""


@SIDES
def test_an_event_before_the_root_is_answered(color: int) -> None:
    story = Story(color, ONE_GROUP)
    story.simulate("E4", "C5", "D4", won=True)
    story.put(AFTER_C5)
    assert story.proposed(after="C5") == {"D4"}
    assert story.proposed(after="pass") == set()


ALL_ACTIONS = """
.......
...X...
....X..
.XOX...
.......
.......
.......
"""


@SIDES
@pytest.mark.parametrize(
    ("reply", "does"),
    [("C5", "capture"), ("E4", "connect"), ("C3", "attack"), ("D3", "extend"), ("D2", "nothing")],
)
def test_a_reply_is_stored_as_its_action_for_the_group(color: int, reply: str, does: str) -> None:
    """After O D5 the stone D4 has two liberties. C5 takes D5, and is no attack on C4 therefore; E4 joins it with E5; C3
    puts C4 into atari; D3 gives it more liberties; D2 does none of these."""
    story = Story(color, ALL_ACTIONS)
    story.simulate("pass", "D5", reply, won=True)
    assert set(stored_in(story.worker, 2).values()) == {does} - {"nothing"}
    assert story.proposed("G1", "D5") == {reply} - {"D2"}


def test_no_extension_is_a_self_atari() -> None:
    """In the corner A1 cannot gain a liberty at A2."""
    story = Story(BLACK, ".......\n.......\n.......\n.......\n.......\n.O.....\nX......\n")
    story.simulate("G7", "B1", "A2", won=True)
    assert stored_in(story.worker, 2) == {}
