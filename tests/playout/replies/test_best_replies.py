"""Best move replies beside the thesis's equations over dictionaries: the same proposals and the same memory; forced
replies beside a covariance over lists; pairs of moves beside sets."""

from collections import Counter
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from helpers.heuristic_cases import empty_points, propose
from helpers.simulations import Simulations
from kikashi.board.points import BLACK, EMPTY, PASS, POINTS, WHITE, opponent, parse_vertex
from kikashi.board.position import new_board
from kikashi.board.rng import random_below, random_unit
from kikashi.playout import HISTORY, make_policy, new_root
from kikashi.playout.loop import begin, make_move
from kikashi.playout.replies.best import VALUE_BITS
from kikashi.playout.simulation import SIMULATION
from kikashi.playout.worker import Memories, Worker

SIMULATIONS = {2: 150, 3: 100, 5: 40, 9: 15}
"""By size of the board; as many for each variant."""


class BestReplies:
    """Runs and wins by player, last move and reply (Baier 2010, eq. 5.2), and the reply that they give."""

    def __init__(self, *, certain: bool = True) -> None:
        self.certain = certain
        self.runs: Counter[tuple[int, int, int]] = Counter()
        self.wins: Counter[tuple[int, int, int]] = Counter()

    def learn(self, moves: list[int], first: int, winner: int) -> None:
        """`first` made the first of the moves. In a draw nobody wins."""
        for t in range(1, len(moves)):
            color = first if t % 2 == 0 else opponent(first)
            if PASS not in moves[t - 1 : t + 1]:
                key = (color, moves[t - 1], moves[t])
                self.runs[key] += 1
                self.wins[key] += color == winner

    def value(self, color: int, last: int, reply: int) -> Fraction:
        runs = self.runs[color, last, reply]
        return Fraction(self.wins[color, last, reply], runs) if runs else Fraction(0)

    def reply(self, color: int, last: int, vacant: list[int], rng: Any) -> int | None:
        """The answer to `last` (eq. 5.5), with the probability of eq. 5.7 if not certain; `vacant` is sorted."""
        if last == PASS or not vacant:
            return None
        values = [self.value(color, last, p) for p in vacant]
        highest, mean = max(values), sum(values) / len(values)
        probability = (highest - mean) / (1 - mean) if mean < 1 else 0
        if highest == 0 or not (self.certain or random_unit(rng) < probability):
            return None
        best = [p for p, value in zip(vacant, values, strict=True) if value == highest]
        return best[random_below(rng, len(best)) if len(best) > 1 else 0]


def copied_rng(worker: Worker) -> Any:
    """A holder of random numbers that will draw what the worker draws next."""
    holder = np.zeros(1, SIMULATION)[0]
    holder["rng"] = worker.sim["rng"]
    return holder


def check_content(worker: Worker, model: BestReplies) -> None:
    """The memory holds the counts of the model, no others, and the values they give."""
    (block,) = worker.memory_blocks.values()
    values, counts = block[: 2 * POINTS**2], block[2 * POINTS**2 :].reshape(-1, 2)
    kept = np.flatnonzero(counts[:, 0])
    keys = [(int(at) // POINTS**2 + BLACK, int(at) // POINTS % POINTS, int(at) % POINTS) for at in kept]
    assert dict(zip(keys, counts[kept, 0].tolist(), strict=True)) == model.runs
    assert counts[kept, 1].tolist() == [model.wins[key] for key in keys]
    assert values[kept].tolist() == [int(model.value(*key) * 2**VALUE_BITS) for key in keys]
    assert np.count_nonzero(counts[:, 1]) <= len(kept)
    assert set(np.flatnonzero(values)) <= set(kept)


@pytest.mark.parametrize("size", SIMULATIONS)
@pytest.mark.parametrize("certain", [True, False])
def test_every_proposal_and_the_memory_are_those_of_the_equations(certain: bool, size: int) -> None:
    simulations = Simulations(f"best_reply(certain={certain})", size, seed=size)
    worker, model, seen = simulations.worker, BestReplies(certain=certain), Counter()

    def simulation():
        model.learn(*(yield from simulations.run_by_moves()))

    for _ in range(SIMULATIONS[size]):
        for _ in simulation():
            sim, rng = worker.sim, copied_rng(worker)
            before, vacant = sim["rng"], empty_points(worker)
            last = int(sim["moves"][sim["length"] - 1])
            reply = model.reply(int(sim["board"]["to_play"]), last, vacant, rng)
            assert propose(worker) == ({} if reply is None else {reply: 1.0}, 0.0, {})
            assert sim["rng"] == rng["rng"], "it drew more often, or less"
            seen[reply is not None, bool(rng["rng"] != before), int(sim["length"]) == HISTORY] += 1
            sim["rng"] = before
        check_content(worker, model)
    assert min(seen[True, True, at_root] for at_root in (False, True)) > 0
    assert (seen[True, False, False] > 100) == certain
    assert (seen[False, True, False] > 100) != certain
    assert simulations.winners.keys() >= ({BLACK, WHITE, EMPTY} if size < 5 else {BLACK, WHITE})


# --- by hand ----------------------------------------------------------------------------------------------------------


def worker_after(last: str, counts: dict[str, tuple[int, int]], *, certain: bool = True) -> Worker:
    """A worker on 5x5 after Black's move `last`, with White's wins and runs by reply."""
    worker = Worker(make_policy(f"best_reply(certain={certain})"), Memories(), size=5, seed=1)
    (block,) = worker.memory_blocks.values()
    row = (POINTS + parse_vertex(last, 5)) * POINTS
    for name, (wins, runs) in counts.items():
        block[row + parse_vertex(name, 5)] = (wins << VALUE_BITS) // runs
    begin(worker.sim, worker.record, new_root(new_board(5)))
    make_move(worker.sim, worker.record, parse_vertex(last, 5))
    return worker


@pytest.mark.parametrize(
    ("counts", "answers"),
    [
        ({}, ""),
        ({"A1": (0, 7)}, ""),
        ({"A1": (1, 2), "B2": (2, 3)}, "B2"),
        ({"A1": (2, 4), "B2": (1, 2), "E5": (49, 100)}, "A1 B2"),
        ({"A1": (16383, 16384), "B2": (16382, 16383)}, "A1"),
        ({"C3": (9, 9), "A1": (1, 9)}, "A1"),
    ],
    ids=["nothing is known", "it never won", "the higher", "ties are drawn", "by a hair", "only vacant points"],
)
def test_the_highest_value_among_vacant_points_is_played(counts: dict[str, tuple[int, int]], answers: str) -> None:
    worker = worker_after("C3", counts)
    proposals = [propose(worker).weights for _ in range(40)]
    assert {p for weights in proposals for p in weights} == {parse_vertex(name, 5) for name in answers.split()}
    assert {len(weights) for weights in proposals} == {min(1, len(answers))}


@pytest.mark.parametrize(
    ("counts", "probability"),
    [
        ({"A1": (1, 2)}, (Fraction(1, 2) - Fraction(1, 48)) / (1 - Fraction(1, 48))),
        ({"A1": (1, 1), "B2": (1, 2)}, Fraction(1)),
        ({"A1": (3, 4), "B2": (3, 4)}, (Fraction(3, 4) - Fraction(1, 16)) / Fraction(15, 16)),
    ],
)
def test_a_reply_is_played_the_more_often_the_more_it_stands_out(
    counts: dict[str, tuple[int, int]], probability: Fraction
) -> None:
    """24 points are vacant after a move on 5x5."""
    worker = worker_after("C3", counts, certain=False)
    played = sum(bool(propose(worker).weights) for _ in range(4000))
    deviation = (4000 * probability * (1 - probability)) ** 0.5
    assert abs(played - 4000 * probability) <= 4 * deviation


def test_none_stands_out_if_all_replies_always_win() -> None:
    everywhere = {f"{column}{row}": (1, 1) for column in "ABCDE" for row in range(1, 6)}
    assert propose(worker_after("C3", everywhere, certain=False)).weights == {}
    assert len(propose(worker_after("C3", everywhere)).weights) == 1


# --- forced replies ---------------------------------------------------------------------------------------------------

Occasion = tuple[int, int, int, bool]
"""Player, last move, reply, and whether the player won."""


def forced(occasions: list[Occasion], color: int, last: int, vacant: list[int], by: str, z: float) -> set[int]:
    """The vacant replies of the highest covariance, or correlation, with winning, of those that are significant: over
    all times when `color` answered `last`, 1 for this reply and 1 for a win."""
    answered = [(reply, won) for player, move, reply, won in occasions if (player, move) == (color, last)]
    won = np.array([won for _, won in answered], float)
    measures = {}
    for p in {reply for reply, _ in answered} & set(vacant):
        is_reply = np.array([reply == p for reply, _ in answered], float)
        covariance = np.mean(is_reply * won) - is_reply.mean() * won.mean()
        if covariance > 1e-12:
            correlation = np.corrcoef(is_reply, won)[0, 1]
            if correlation * len(answered) ** 0.5 >= z - 1e-9:
                measures[p] = covariance if by == "covariance" else correlation
    return {p for p in measures if measures[p] > max(measures.values()) - 1e-9}


@pytest.mark.parametrize("size", [2, 3, 5])
@pytest.mark.parametrize(("by", "z"), [("covariance", 1.5), ("correlation", 1.5), ("covariance", 0.0)])
def test_a_forced_reply_goes_along_with_winning(by: str, z: float, size: int) -> None:
    simulations = Simulations(f"forced_reply(by={by}, z={z})", size, seed=size)
    worker, occasions, seen = simulations.worker, [], Counter()

    def simulation():
        moves, first, winner = yield from simulations.run_by_moves()
        for t in range(1, len(moves)):
            color = first if t % 2 == 0 else opponent(first)
            if PASS not in moves[t - 1 : t + 1]:
                occasions.append((color, moves[t - 1], moves[t], color == winner))

    for _ in range(60):
        for _ in simulation():
            sim = worker.sim
            last = int(sim["moves"][sim["length"] - 1])
            replies = forced(occasions, int(sim["board"]["to_play"]), last, empty_points(worker), by, z)
            assert propose(worker) == (dict.fromkeys(replies, 1.0), 0.0, {})
            seen[len(replies)] += 1
    assert min(seen[0], seen[1]) > 10


def worker_after_c3(counts: dict[str, tuple[int, int]], **values: float | str) -> Worker:
    """A worker on 5x5 after Black's move C3, with White's wins and runs by reply."""
    settings = ",".join(f"{key}={value}" for key, value in values.items())
    worker = Worker(make_policy(f"forced_reply({settings})"), Memories(), size=5, seed=1)
    (block,) = worker.memory_blocks.values()
    for name, (wins, runs) in counts.items():
        at = 2 * POINTS**2 + 2 * ((POINTS + parse_vertex("C3", 5)) * POINTS + parse_vertex(name, 5))
        block[at : at + 2] = runs, wins
    begin(worker.sim, worker.record, new_root(new_board(5)))
    make_move(worker.sim, worker.record, parse_vertex("C3", 5))
    return worker


@pytest.mark.parametrize(
    ("counts", "values", "answers"),
    [
        ({}, {}, ""),
        ({"A1": (9, 9)}, {}, ""),
        ({"A1": (5, 5), "B2": (0, 5)}, {}, "A1"),
        ({"A1": (5, 5), "B2": (0, 5)}, {"z": 3.17}, ""),
        ({"A1": (50, 100), "B2": (50, 100)}, {"z": 0}, ""),
        ({"A1": (60, 100), "B2": (50, 100)}, {}, ""),
        ({"A1": (60, 100), "B2": (50, 100)}, {"z": 1.4}, "A1"),
        ({"A1": (10, 10), "B2": (80, 100), "D4": (0, 100)}, {}, "B2"),
        ({"A1": (30, 30), "B2": (80, 150), "D4": (10, 100)}, {}, "A1"),
        ({"A1": (100, 100), "B2": (300, 500), "D4": (10, 400)}, {}, "B2"),
        ({"A1": (100, 100), "B2": (300, 500), "D4": (10, 400)}, {"by": "correlation"}, "A1"),
        ({"C3": (50, 50), "B2": (0, 50)}, {}, ""),
    ],
    ids=[
        "nothing is known",
        "always the same reply",
        "z is 3.162",
        "and no more",
        "free: both replies are alike",
        "free: this may be chance",
        "unless chance may do",
        "the larger covariance, not the larger share of wins",
        "the rarer reply wins so much more",
        "the more frequent reply by covariance",
        "the rarer one by correlation",
        "only vacant points",
    ],
)
def test_which_replies_are_forced(
    counts: dict[str, tuple[int, int]], values: dict[str, float | str], answers: str
) -> None:
    wanted = {parse_vertex(name, 5) for name in answers.split()}
    assert set(propose(worker_after_c3(counts, **values)).weights) == wanted


# --- pairs of moves of one player, in any order (footnote 16) ---------------------------------------------------------

PAIR_SIMULATIONS = {2: 100, 3: 100, 5: 40, 9: 8}


class Pairs:
    """Simulations in which a player moved at both points, and those of them that it won."""

    def __init__(self) -> None:
        self.runs: Counter[tuple[int, int, int]] = Counter()
        self.wins: Counter[tuple[int, int, int]] = Counter()

    def learn(self, moves: list[int], first: int, winner: int) -> None:
        for color, made in ((first, moves[::2]), (opponent(first), moves[1::2])):
            pairs = [(color, *pair) for pair in permutations(set(made) - {PASS}, 2)]
            self.runs.update(pairs)
            self.wins.update(pairs if color == winner else [])

    def best(self, color: int, own_last: int, vacant: list[int]) -> set[int]:
        """The vacant points that complete the pair with the highest score."""
        values = {
            p: Fraction(self.wins[color, own_last, p], self.runs[color, own_last, p])
            for p in vacant
            if self.wins[color, own_last, p]
        }
        return {p for p in values if values[p] == max(values.values())} if own_last != PASS else set()


@pytest.mark.parametrize("size", PAIR_SIMULATIONS)
def test_every_proposal_and_the_memory_are_those_of_the_footnote(size: int) -> None:
    simulations = Simulations("best_pair", size)
    worker, model, answers = simulations.worker, Pairs(), Counter()
    (block,) = worker.memory_blocks.values()
    table = block.reshape(2, POINTS, POINTS, 2)

    def simulation():
        model.learn(*(yield from simulations.run_by_moves()))

    for _ in range(PAIR_SIMULATIONS[size]):
        for _ in simulation():
            sim = worker.sim
            own_last = int(sim["moves"][sim["length"] - 2])
            best = model.best(int(sim["board"]["to_play"]), own_last, empty_points(worker))
            assert propose(worker) == (dict.fromkeys(best, 1.0), 0.0, {})
            answers[len(best)] += 1
        kept = [(int(c) + BLACK, int(p), int(q)) for c, p, q in np.argwhere(table[..., 0])]
        assert {key: int(table[key[0] - BLACK, key[1], key[2], 0]) for key in kept} == model.runs
        assert {key: int(table[key[0] - BLACK, key[1], key[2], 1]) for key in kept} == {k: model.wins[k] for k in kept}
        assert np.count_nonzero(table[..., 1]) == len(model.wins)
    assert min(answers[0], answers[1], answers[2]) > 0
    assert simulations.winners.keys() >= ({BLACK, WHITE, EMPTY} if size < 5 else {BLACK, WHITE})
