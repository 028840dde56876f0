"""The compiled playout loop: the first heuristic that has a feasible candidate makes each move.

Reading order: `run_playouts` (many), `playout` (one), `choose` (a move), `propose` (a list), `_draw` (from a list).
A policy is an array of addresses (`POLICY`); `kikashi.playout.worker` fills it.
"""

from typing import Any, TypeAlias

import numpy as np

from kikashi.board.consistency import adds_up, may_add_up
from kikashi.board.points import EMPTY, MAX_SIZE, PASS, POINTS, WALL
from kikashi.board.position import empty_neighbours, enemy_of, has_empty_neighbour, is_legal_enclosed, surrounding
from kikashi.board.rng import index_at, next_random, random_below, random_unit
from kikashi.board.scoring import area_score, area_score_within, playout_score, playout_score_within
from kikashi.jit import inlined, is_bounds_checked, kernel
from kikashi.parts.blocks import BLOCK, cells, copy_record
from kikashi.parts.calling import RULE, ask, ask_bool, ask_int
from kikashi.playout.candidates import REDRAW, Candidates, clear_bars, clear_list, is_listed
from kikashi.playout.simulation import HISTORY, MAX_MOVES, SLOTS, Root, Simulation, advance, settle

PolicyRecord: TypeAlias = Any

HEURISTICS = 16
MEMORIES = 16
UNIFORM = HEURISTICS
"""The row of `moves_by` after those of the heuristics."""
MAX_REDRAWS = 32
"""The most draws that reviews may request for a move; then it stands."""

POLICY = np.dtype(
    [
        ("heuristics", "i8"),
        ("heuristic", RULE, (HEURISTICS,)),
        ("skip", "u8", (HEURISTICS,)),  # probability, times 2**32, that a heuristic or its review is not called
        ("reviewers", "i8"),
        ("reviewer", RULE, (HEURISTICS,)),
        ("reviewer_row", "i8", (HEURISTICS,)),  # the row of its heuristic
        ("feasibility", RULE),
        ("max_open", "i8"),  # the most empty neighbours of an infeasible point; -1: only own stones and walls
        ("drawing", RULE),  # the stricter rule of uniform draws; its address is 0 if there is none
        ("learners", "i8"),
        ("learner", RULE, (MEMORIES,)),
        ("observers", "i8"),
        ("observer", RULE, (MEMORIES,)),
        ("inheritors", "i8"),
        ("inheritor", RULE, (SLOTS,)),
        ("pickers", "i8"),
        ("picker", RULE, (1,)),  # the memory that picks the only heuristic that is called
        ("forgetters", "i8"),  # memories that are cleared before each playout
        ("forgetter", BLOCK, (MEMORIES,)),
        ("move_limit", "i8"),  # the most moves of a simulation
        ("moves", "i8"),  # moves of playouts so far
        ("passes", "i8"),  # passes among them
        ("moves_by", "i8", (HEURISTICS + 1,)),  # moves among them by heuristic
    ],
    align=True,
)

SCORES = 2 * MAX_SIZE * MAX_SIZE + 1
TOTALS = np.dtype([("playouts", "i8"), ("moves", "i8"), ("scores", "i8", (SCORES,))], align=True)
"""`scores` counts playouts by area score, Black minus White, plus the largest possible score."""


class ListError(Exception):
    """A candidate list that the loop cannot draw from. Docstrings of subclasses are the messages."""


class OffBoard(ListError):
    """it named a point that is not on the board"""


class BadWeight(ListError):
    """it gave a weight that is negative, infinite or not a number, or weights whose sum is infinite"""


class Overfull(ListError):
    """it named more points than the list holds"""


class BoardChanged(Exception):
    """it changes the board, or what else the loop counts by, which parts only read"""


CHECKED = is_bounds_checked()
"""Whether the board is checked after each call of a part."""


@kernel
def run_playouts(root: Root, sim: Simulation, moves: Candidates, policy: PolicyRecord, totals: Any, count: int) -> None:
    """Run `count` simulations without a tree, changing all but `root`."""
    for _ in range(count):
        begin(sim, policy, root)
        playout(sim, moves, policy)
        totals.playouts += 1
        totals.moves += sim.length - HISTORY
        totals.scores[np.uintp(sim.score + MAX_SIZE * MAX_SIZE)] += 1


@kernel
def begin(sim: Simulation, policy: PolicyRecord, root: Root) -> None:
    """Reset a simulation to the root."""
    copy_record(sim.board, root.board)
    for i in range(HISTORY):
        sim.moves[i] = root.history[i]
    sim.length = sim.tree_length = HISTORY
    sim.root_color = root.board.to_play
    sim.passes = root.passes
    sim.komi = root.komi
    sim.depth = 0
    for i in range(policy.forgetters):
        cells(policy.forgetter[i])[:] = 0


@kernel
def playout(sim: Simulation, moves: Candidates, policy: PolicyRecord) -> None:
    """Play a simulation to its end from the leaf of the tree, set its result and let the memories learn."""
    sim.tree_length = sim.length
    play_to_end(sim, moves, policy)
    learn(sim, policy)


@kernel
def play_to_end(sim: Simulation, moves: Candidates, policy: PolicyRecord) -> float:
    """Play a simulation to its end, score it and return its value: 1 if Black has won, a half for a draw."""
    play_moves(sim, moves, policy, MAX_MOVES)
    return settle(sim, final_score(sim))


@kernel
def play_moves(sim: Simulation, moves: Candidates, policy: PolicyRecord, most: int) -> None:
    """Make up to `most` moves of a playout; two passes or the policy's limit of moves end it earlier."""
    before = np.int64(sim.length)
    limit = min(np.int64(policy.move_limit) + HISTORY, MAX_MOVES, before + most)
    left = limit - before  # a local count: no part can make a playout endless by writing to `sim`
    while left > 0 and sim.passes < 2:
        p = choose(sim, moves, policy)
        make_move(sim, policy, p)
        left -= 1
        if p == PASS:
            policy.passes += 1
    if sim.length != limit - left or (policy.heuristics > 0 and not may_add_up(sim.board)):
        raise BoardChanged
    policy.moves += sim.length - before


@kernel
def learn(sim: Simulation, policy: PolicyRecord) -> None:
    """Let the memories learn from a simulation that is over."""
    for i in range(policy.learners):
        ask(sim, policy.learner[i], (sim,))


@kernel
def final_score(sim: Simulation) -> int:
    """Return the score of a finished simulation; with a zone, that of the zone alone."""
    # Two passes in the tree may leave large empty regions, which a playout would have filled.
    ended_in_tree = sim.length == sim.tree_length
    if sim.zoned:
        return area_score_within(sim.board, sim.zone) if ended_in_tree else playout_score_within(sim.board, sim.zone)
    return area_score(sim.board) if ended_in_tree else playout_score(sim.board)


@inlined
def make_move(sim: Simulation, policy: PolicyRecord, p: int) -> None:
    """Make a move of a simulation, in the tree or after it, and call the memories that observe moves."""
    advance(sim, p)
    for i in range(policy.observers):
        ask(sim, policy.observer[i], (sim,))
        _check_board(sim)


@inlined
def _check_board(sim: Simulation) -> None:
    """Raise BoardChanged if the last part changed the board. Only where bounds are checked."""
    if CHECKED and not adds_up(sim.board):
        raise BoardChanged


# --- choosing a move -------------------------------------------------------------------------------------------------


@inlined
def choose(sim: Simulation, moves: Candidates, policy: PolicyRecord) -> int:
    """Return the next move: of the first heuristic that has a feasible one, else uniformly random, else PASS."""
    if policy.heuristics == 0:
        return _draw_uniform(sim, moves, policy)
    return _choose_by_heuristics(sim, moves, policy)


@kernel
def _choose_by_heuristics(sim: Simulation, moves: Candidates, policy: PolicyRecord) -> int:
    source, p = _first_choice(sim, moves, policy)
    if policy.reviewers > 0 and p != PASS:
        source, p = _reviewed(sim, moves, policy, source, p)
    if moves.barred_count > 0:
        clear_bars(moves)
        if p == PASS:  # a bar is a preference: it never makes a player pass
            p = _draw_uniform(sim, moves, policy)
    policy.moves_by[np.uintp(source)] += 1
    if policy.pickers > 0:
        sim.by[np.uintp(sim.length)] = source
    return p


@inlined
def _first_choice(sim: Simulation, moves: Candidates, policy: PolicyRecord) -> tuple[int, int]:
    """Return the row and the move of the first heuristic that has one; only one is called if a memory picks it."""
    first, end = np.int64(0), np.int64(policy.heuristics)
    if policy.pickers > 0:
        first = max(0, ask_int(sim, policy.picker[0], (sim, end)))
        end = min(end, first + 1)
    for k in range(first, end):
        if _is_skipped(sim, policy, k):
            continue
        propose(sim, moves, policy.heuristic[np.uintp(k)])
        if moves.count > 0 or moves.base != 0.0:
            p = _draw(sim, moves, policy)
            if p != PASS:
                return k, p
    return UNIFORM, _draw_uniform(sim, moves, policy)


@inlined
def _is_skipped(sim: Simulation, policy: PolicyRecord, k: int) -> bool:
    """Draw whether a heuristic is skipped. Takes a random number only if that is possible."""
    return policy.skip[np.uintp(k)] != 0 and next_random(sim) < policy.skip[np.uintp(k)]


@inlined
def propose(sim: Simulation, moves: Candidates, rule: Any) -> None:
    """Let a heuristic fill the list, for a playout or for priors. Raises Overfull, and OffBoard if it bars a wall."""
    clear_list(moves)
    ask(sim, rule, (sim, moves))
    _check_board(sim)
    if moves.overfull:
        raise Overfull
    for i in range(moves.barred_count):
        _is_on_board(sim, moves.barred[i])


@kernel
def _reviewed(sim: Simulation, moves: Candidates, policy: PolicyRecord, source: int, p: int) -> tuple[int, int]:
    """Return a drawn move after all reviews, with the row of the heuristic that made it."""
    for _ in range(MAX_REDRAWS):
        verdict = np.int64(p)
        for i in range(policy.reviewers):
            if _is_skipped(sim, policy, policy.reviewer_row[i]):
                continue
            verdict = ask_int(sim, policy.reviewer[i], (sim, moves, p))
            _check_board(sim)
            if verdict == REDRAW:
                break
            if verdict != p and _is_on_board(sim, verdict) and is_playable(sim, policy, verdict):
                p = verdict
                source = policy.reviewer_row[i]
        if verdict != REDRAW:
            break
        p = _draw(sim, moves, policy) if source < UNIFORM else np.int64(PASS)
        if p == PASS:
            source = UNIFORM
            p = _draw_uniform(sim, moves, policy)
            if p == PASS:
                break
    return source, p


@inlined
def _draw(sim: Simulation, moves: Candidates, policy: PolicyRecord) -> int:
    """Draw from the list: uniformly, by weight, or the first; PASS if no point on it is feasible."""
    if moves.ordered:
        return _first_feasible(sim, moves, policy)
    if moves.weighted or moves.base != 0.0:
        return _draw_weighted(sim, moves, policy)
    return _draw_marked(sim, moves, policy)


@kernel
def _first_feasible(sim: Simulation, moves: Candidates, policy: PolicyRecord) -> int:
    for i in range(moves.count):
        if _may_play(sim, moves, policy, moves.points[i]):
            return np.int64(moves.points[i])
    return np.int64(PASS)


@inlined
def _draw_marked(sim: Simulation, moves: Candidates, policy: PolicyRecord) -> int:
    """Draw uniformly from all marked points: one random number for each try, none if one point is left."""
    left = np.int64(moves.count)
    while left > 0:
        i = random_below(sim, left) if left > 1 else 0
        p = np.int64(moves.points[np.uintp(i)])
        if _may_play(sim, moves, policy, p):
            return p
        left -= 1
        moves.points[np.uintp(i)], moves.points[np.uintp(left)] = moves.points[np.uintp(left)], p
    return np.int64(PASS)


@inlined
def _may_play(sim: Simulation, moves: Candidates, policy: PolicyRecord, p: int) -> bool:
    """Return whether a listed point is neither barred nor illegal nor infeasible. Raises OffBoard."""
    return _is_on_board(sim, p) and moves.bars[np.uintp(p)] == 0 and is_playable(sim, policy, p)


@kernel
def _draw_weighted(sim: Simulation, moves: Candidates, policy: PolicyRecord) -> int:
    """Draw by weight among the listed points and, with the base weight, all others.

    Infeasible points are removed and the draw is repeated, which keeps the odds of the others.
    """
    board = sim.board
    left = np.int64(board.empty_count) if moves.base != 0.0 else 0
    listed = total_weight(sim, moves)
    while True:
        total = listed + moves.base * left
        if not total > 0.0:
            return PASS
        at = random_unit(sim) * total
        if at < listed or left == 0:
            i = index_at(moves.weights, moves.count, at)
            p = np.int64(moves.points[i])
            if moves.bars[np.uintp(p)] == 0 and is_playable(sim, policy, p):
                return p
            moves.weights[i] = 0.0
            listed = total_weight(sim, moves)
        else:
            i = random_below(sim, left)
            p = np.int64(board.empty[i])
            if moves.bars[np.uintp(p)] == 0 and not is_listed(moves, p) and _accepts(sim, policy, p):
                return p
            left -= 1
            _swap_out(board, i, left)


@inlined
def _draw_uniform(sim: Simulation, moves: Candidates, policy: PolicyRecord) -> int:
    """Draw uniformly from all feasible points: draw, reject, swap out. PASS if there is none."""
    board = sim.board
    barred = moves.barred_count > 0
    left = np.int64(board.empty_count)
    while left > 0:
        i = random_below(sim, left)
        p = np.int64(board.empty[np.uintp(i)])
        if may_draw(sim, policy, p) and not (barred and moves.bars[np.uintp(p)] == 2):
            return p
        left -= 1
        _swap_out(board, i, left)
    return np.int64(PASS)


@inlined
def _swap_out(board: Any, i: int, left: int) -> None:
    """Exchange the empty points at `i` and `left` in the list."""
    p, q = board.empty[np.uintp(i)], board.empty[np.uintp(left)]
    board.empty[np.uintp(left)] = p
    board.empty_at[p] = left
    board.empty[np.uintp(i)] = q
    board.empty_at[q] = i


@inlined
def is_playable(sim: Simulation, policy: PolicyRecord, p: int) -> bool:
    """Return whether a point of the board is empty, legal and feasible for the side to play."""
    return sim.board.color[np.uintp(p)] == EMPTY and _accepts(sim, policy, p)


@inlined
def _accepts(sim: Simulation, policy: PolicyRecord, p: int) -> bool:
    """Return whether the empty point `p` is legal and feasible."""
    board = sim.board
    enclosed = not has_empty_neighbour(board, p)
    if empty_neighbours(board, p) <= policy.max_open or (enclosed and surrounding(board, p) & board.to_play != 0):
        if not _is_feasible(sim, policy.feasibility, p):
            return False
        if sim.zoned and not sim.zone[np.uintp(p)]:
            return False
    return not enclosed or is_legal_enclosed(board, p)


@inlined
def may_draw(sim: Simulation, policy: PolicyRecord, p: int) -> bool:
    """Return whether the empty point `p` may be drawn uniformly: it is legal and feasible for that."""
    if policy.drawing.address == 0:
        return _accepts(sim, policy, p)
    board = sim.board
    if sim.zoned and not sim.zone[np.uintp(p)]:
        return False
    if empty_neighbours(board, p) >= 2:
        return True
    enclosed = not has_empty_neighbour(board, p)
    if enclosed and surrounding(board, p) & enemy_of(board.to_play) != 0:
        return is_legal_enclosed(board, p)
    return _is_feasible(sim, policy.drawing, p) and (not enclosed or is_legal_enclosed(board, p))


@inlined
def _is_feasible(sim: Simulation, rule: Any, p: int) -> bool:
    """Call a feasibility rule."""
    proposer = sim.called
    feasible = ask_bool(sim, rule, (sim, p))
    sim.called = proposer  # errors in the rest of the list are the proposer's
    return feasible


@kernel
def total_weight(sim: Simulation, moves: Candidates) -> float:
    """Return the sum of the listed weights. Raises ListError."""
    if not 0.0 <= moves.base < np.inf:
        raise BadWeight
    total = 0.0
    for i in range(moves.count):
        _is_on_board(sim, moves.points[i])
        total += moves.weights[i]
        if not 0.0 <= moves.weights[i] < np.inf:
            raise BadWeight
    if not total + moves.base * sim.board.empty_count < np.inf:  # every draw would be the last point
        raise BadWeight
    return total


@inlined
def _is_on_board(sim: Simulation, p: int) -> bool:
    if not 0 <= p < POINTS or sim.board.color[np.uintp(p)] == WALL:
        raise OffBoard
    return True
