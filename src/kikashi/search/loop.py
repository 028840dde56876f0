"""One simulation of a search: select, expand, evaluate, back up. Threads run it side by side on one tree."""

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np

from kikashi.board.points import BLACK, PASS, POINTS, WHITE
from kikashi.board.position import is_legal
from kikashi.board.queries import hash_after
from kikashi.board.rng import random_below
from kikashi.jit import inlined, kernel
from kikashi.parts.blocks import BLOCK, atomic_add, records
from kikashi.parts.calling import RULE, ask, ask_bool, ask_float, ask_int
from kikashi.playout.candidates import Candidates, clear_bars
from kikashi.playout.loop import (
    HEURISTICS,
    SCORES,
    ListError,
    PolicyRecord,
    begin,
    choose,
    final_score,
    learn,
    make_move,
    playout,
    propose,
    total_weight,
)
from kikashi.playout.simulation import HISTORY, MAX_MOVES, Root, Simulation, find_owners, set_value, settle
from kikashi.search.kinds import BY_PLAYOUT, MOMENTS, TREE_RULES
from kikashi.search.transpositions import find_position, key_of, note_position
from kikashi.search.tree import (
    AVOIDED,
    BANNED,
    GROWING,
    GROWN,
    LEAF,
    SCALE,
    SHARES,
    TreeRecord,
    clear_rows,
    nodes_of,
    position_of,
    simulation_value,
    slots_of,
)

SearchRecord: TypeAlias = Any

MAX_DEPTH = MAX_MOVES // 4
NO_POSITION = np.uint64(0)
AT_A_MOMENT = 16
"""Largest number of parts at a moment."""

SEARCH = np.dtype(
    [
        *((key, RULE) for key in TREE_RULES),  # the address of a missing region or pruning rule is 0
        *((f"{moment}_count", "i8") for moment in MOMENTS),
        *((moment, RULE, (AT_A_MOMENT,)) for moment in MOMENTS),
        ("finds_owners", "?"),  # whether the evaluation writes the owners of points
        ("virtual_loss", "i8"),
        ("priors", "i8"),
        ("prior", RULE, (HEURISTICS,)),  # heuristics that give virtual games to their proposals
        ("prior_games", "f8", (HEURISTICS,)),
        ("prior_power", "f8", (HEURISTICS,)),  # exponent of a move's share of the games
        ("prior_relative", "u1", (HEURISTICS,)),  # whether shares are of the largest share
        ("even_games", "f8"),  # virtual games of every move, half of them won
        ("owned", "i4", (POINTS,)),  # by point: simulations in which Black owned it, less those in which White did
        ("owned_count", "i8"),
        ("scores", "i8", (SCORES,)),  # simulations by score, from the lowest possible one
        ("seen", BLOCK),  # hashes of the positions of the game: see `seen_table`
    ],
    align=True,
)


class BadValue(ListError):
    """it returned a value that is not from 0 to 1"""


@kernel
def run_simulations(
    root: Root,
    sim: Simulation,
    moves: Candidates,
    policy: PolicyRecord,
    search: SearchRecord,
    tree: TreeRecord,
    count: int,
) -> None:
    """Run `count` simulations of a search, changing the tree and the thread's records."""
    nodes = nodes_of(tree)
    for _ in range(count):
        begin(sim, policy, root)
        node = _enter(sim, policy, search, tree, 0)
        while _may_descend(sim, policy):
            if nodes[node].state != GROWN and not _expand(sim, moves, policy, search, tree, node):
                break
            _read_slots(sim, policy, tree, node)
            child = _select(sim, moves, policy, search, tree, position_of(tree, node))
            if child < 0:
                break
            make_move(sim, policy, np.int64(nodes[child].move))
            sim.depth += 1
            node = _enter(sim, policy, search, tree, child)
        _evaluate(sim, moves, policy, search)
        _back_up(sim, search, tree)
        sim.number += 1


@kernel
def grow_root(
    root: Root, sim: Simulation, moves: Candidates, policy: PolicyRecord, search: SearchRecord, tree: TreeRecord
) -> None:
    """Expand the root before the first simulation, without the expansion rule."""
    begin(sim, policy, root)
    node = np.int64(0)  # for the constant 0 Numba would compile `_grow` and its callees once more
    if nodes_of(tree)[node].state != GROWN and not _adopt(sim, policy, tree, node):
        _grow(sim, moves, policy, search, tree, node)


@kernel
def sample_playouts(
    root: Root,
    sim: Simulation,
    moves: Candidates,
    policy: PolicyRecord,
    search: SearchRecord,
    tree: TreeRecord,
    count: int,
) -> None:
    """Run `count` playouts from the root and count the owners of points; the tree does not change."""
    for _ in range(count):
        begin(sim, policy, root)
        playout(sim, moves, policy)
        find_owners(sim)
        _count_owners(sim, search)


@kernel
def mark_region(root: Root, sim: Simulation, policy: PolicyRecord, rule: Any) -> None:
    """Mark the points of a region rule at the root in `sim.region`."""
    begin(sim, policy, root)
    sim.region[:] = 0
    ask(sim, rule, (sim,))


@kernel
def value_by(root: Root, sim: Simulation, policy: PolicyRecord, tree: TreeRecord, rule: Any) -> float:
    """Return the root's value by a backup rule; the root does not change."""
    begin(sim, policy, root)
    node = position_of(tree, 0)
    here = nodes_of(tree)[node]
    before = here.mean
    ask(sim, rule, (sim, tree, node))
    found, here.mean = here.mean, before
    return found


@kernel
def end_stage(
    root: Root, sim: Simulation, moves: Candidates, policy: PolicyRecord, search: SearchRecord, tree: TreeRecord
) -> bool:
    """Apply the pruning rule to the root's moves, with some earlier simulation; True if the search is decided."""
    if search.pruning.address == 0:
        return False
    return ask_bool(sim, search.pruning, (sim, tree))


@kernel
def value_root(
    root: Root, sim: Simulation, moves: Candidates, policy: PolicyRecord, search: SearchRecord, tree: TreeRecord
) -> None:
    """Apply the backup rule to the root's moves and the root, where threads may have left older values."""
    nodes = nodes_of(tree)
    depth, sim.depth = sim.depth, 1
    for i in range(nodes[0].first, nodes[0].first + nodes[0].count):
        if nodes[i].visits > 0:
            ask(sim, search.backup, (sim, tree, np.int64(i)))
    sim.depth = 0
    if nodes[0].visits > 0:
        ask(sim, search.backup, (sim, tree, 0))
    sim.depth = depth


# --- select ----------------------------------------------------------------------------------------------------------


@inlined
def _may_descend(sim: Simulation, policy: PolicyRecord) -> bool:
    return sim.passes < 2 and sim.depth < MAX_DEPTH and sim.length < policy.move_limit + HISTORY


@kernel
def _enter(sim: Simulation, policy: PolicyRecord, search: SearchRecord, tree: TreeRecord, node: int) -> int:
    """Add a node to the path and return it. Its slots of memories are its parent's until it has children."""
    here = nodes_of(tree)[node]
    depth = np.uintp(sim.depth)
    sim.nodes[depth] = node
    sim.hashes[depth] = sim.board.hash
    for i in range(policy.inheritors):
        above = sim.path[np.uintp(sim.depth - 1), i] if sim.depth > 0 else -1
        sim.path[depth, i] = slots_of(tree)[node].slot[i] if here.state == GROWN else above
    if search.virtual_loss > 0:
        atomic_add(here, "losses", search.virtual_loss)
    return np.int64(node)


@inlined
def _read_slots(sim: Simulation, policy: PolicyRecord, tree: TreeRecord, node: int) -> None:
    """Take the slots of a node that has children: another thread may have given it both since it was entered."""
    for i in range(policy.inheritors):
        sim.path[np.uintp(sim.depth), i] = slots_of(tree)[node].slot[i]


@kernel
def _select(
    sim: Simulation, moves: Candidates, policy: PolicyRecord, search: SearchRecord, tree: TreeRecord, node: int
) -> int:
    """Return the child that the selection rule or the playout policy chooses; -1 if there is none.

    Repetitions are banned; at the root only those that the game's rules forbid.
    """
    nodes = nodes_of(tree)
    shares = tree.positions.length > 0
    avoids = False
    chosen = np.int64(-1)
    for _ in range(nodes[node].count):
        child = ask_int(sim, search.selection, (sim, tree, node))
        if child == BY_PLAYOUT:
            move = choose(sim, moves, policy)
            policy.moves += 1
            policy.passes += move == PASS
            child = _child_of(tree, node, move)
        if child < 0 or nodes[child].flags & BANNED:
            break
        # On another path a shared move may repeat a position.
        is_known = sim.depth == 0 or (nodes[child].visits > 0 and not shares)
        if is_known or not _repeats(sim, search, np.int64(nodes[child].move)):
            chosen = child
            break
        nodes[child].flags |= BANNED | AVOIDED if shares else BANNED
        avoids |= shares
    if avoids:
        _readmit(tree, node)
    return chosen


@kernel
def _readmit(tree: TreeRecord, node: int) -> None:
    """Lift the bans that hold for one simulation only."""
    nodes = nodes_of(tree)
    for i in range(nodes[node].first, nodes[node].first + nodes[node].count):
        if nodes[i].flags & AVOIDED:
            nodes[i].flags &= ~(BANNED | AVOIDED)


@kernel
def _child_of(tree: TreeRecord, node: int, move: int) -> int:
    nodes = nodes_of(tree)
    for i in range(nodes[node].first, nodes[node].first + nodes[node].count):
        if nodes[i].move == move:
            return np.int64(i)
    return np.int64(-1)


@kernel
def _repeats(sim: Simulation, search: SearchRecord, p: int) -> bool:
    """Return whether a move repeats a position of the game or of the path."""
    if p == PASS:
        return False
    after = hash_after(sim.board, p)
    for depth in range(sim.depth + 1):
        if sim.hashes[np.uintp(depth)] == after:
            return True
    return is_seen(records(search.seen, NO_POSITION), after)


@kernel
def is_seen(table: Any, position: int) -> bool:
    """Return whether an open hash table made by `seen_table` has a hash."""
    mask = np.uint64(len(table) - 1)
    at = position & mask
    while table[np.intp(at)] != 0:
        if table[np.intp(at)] == position:
            return True
        at = (at + np.uint64(1)) & mask
    return False


def seen_table(hashes: Iterable[int]) -> np.ndarray:
    """Return an open hash table of the positions of a game.

    The hash 0, of the empty board, is left out: only suicide leads to it.
    """
    known = {int(position) for position in hashes if position != 0}
    table = np.zeros(max(16, 1 << (2 * len(known)).bit_length()), np.uint64)
    for position in known:
        at = position % table.size
        while table[at]:
            at = (at + 1) % table.size
        table[at] = position
    return table


# --- expand ----------------------------------------------------------------------------------------------------------


@kernel
def _expand(
    sim: Simulation, moves: Candidates, policy: PolicyRecord, search: SearchRecord, tree: TreeRecord, node: int
) -> bool:
    """Expand a leaf by the rule if there is room, or adopt the children of its position; True if it has children."""
    if _adopt(sim, policy, tree, node):
        return True
    if not ask_bool(sim, search.expansion, (sim, tree, node)):
        return False
    return _grow(sim, moves, policy, search, tree, node)


@kernel
def _adopt(sim: Simulation, policy: PolicyRecord, tree: TreeRecord, node: int) -> bool:
    """Adopt the children that the position of a leaf got on another path; True if it has children.

    The leaf keeps its parent's slots of memories.
    """
    if tree.positions.length == 0:
        return False
    nodes = nodes_of(tree)
    position = find_position(tree.positions, key_of(sim))
    if position == 0:
        return False
    here = nodes[node]
    if atomic_add(here, "state", GROWING) != LEAF:
        atomic_add(here, "state", -GROWING)
        return here.state == GROWN
    for i in range(policy.inheritors):
        slots_of(tree)[node].slot[i] = sim.path[np.uintp(sim.depth), i]
    here.first = position + 1
    here.count = nodes[position].count
    here.mean = nodes[position].mean
    atomic_add(here, "state", GROWN - GROWING)
    return True


@kernel
def _grow(
    sim: Simulation, moves: Candidates, policy: PolicyRecord, search: SearchRecord, tree: TreeRecord, node: int
) -> bool:
    """Expand a leaf, unless another thread does or there is no room; True if it has children."""
    here = nodes_of(tree)[node]
    if tree.used >= tree.capacity or (here.visits < tree.least_visits and sim.depth > 0):
        return False
    if atomic_add(here, "state", GROWING) != LEAF:
        atomic_add(here, "state", -GROWING)
        return here.state == GROWN
    count = _list_moves(sim, search)
    extra = 1 if tree.positions.length > 0 else 0  # the node of the position
    first = atomic_add(tree, "used", count + extra) + extra
    if first + count > tree.capacity:  # the tree stays full: returned room might be another thread's
        atomic_add(here, "state", -GROWING)
        return False
    _make_children(sim, search, tree, first, count)
    if _give_priors(sim, moves, search, tree, first):
        _sort_by_share(tree, first, count)
    _inherit_slots(sim, policy, tree, node)
    here.first = first
    here.count = count
    for i in range(search.grown_count):
        ask(sim, search.grown[i], (sim, tree, node))
    if extra:
        _make_position(tree, node)
        note_position(tree.positions, key_of(sim), first - 1)
    atomic_add(here, "state", GROWN - GROWING)
    return True


@kernel
def _make_position(tree: TreeRecord, node: int) -> None:
    """Make the node of a position, with the statistics of the leaf that is expanded."""
    nodes = nodes_of(tree)
    here = nodes[node]
    clear_rows(tree, here.first - 1, 1)
    there = nodes[here.first - 1]
    there.visits, there.value, there.score, there.mean = here.visits, here.value, here.score, here.mean
    there.prior_visits, there.prior_value = here.prior_visits, here.prior_value
    there.move, there.first, there.count, there.state = here.move, here.first, here.count, GROWN


@kernel
def _inherit_slots(sim: Simulation, policy: PolicyRecord, tree: TreeRecord, node: int) -> None:
    """Set the slots that memories choose for a new inner node; the parent's if they have no room."""
    for i in range(policy.inheritors):
        parent = np.int64(sim.path[np.uintp(sim.depth - 1), i]) if sim.depth > 0 else np.int64(-1)
        slot = ask_int(sim, policy.inheritor[i], (sim, parent))
        slot = slot if slot >= 0 else parent
        slots_of(tree)[node].slot[i] = slot
        sim.path[np.uintp(sim.depth), i] = slot


@kernel
def _list_moves(sim: Simulation, search: SearchRecord) -> int:
    """Write the moves of a new node into `sim.found`, PASS last; return their number."""
    count = np.int64(0)
    if search.region.address != 0:
        sim.region[:] = 0
        ask(sim, search.region, (sim,))
        count = _list_feasible(sim, search, True)
    if count == 0:
        count = _list_feasible(sim, search, False)
    sim.found[count] = PASS
    return count + 1


@kernel
def _list_feasible(sim: Simulation, search: SearchRecord, in_region: bool) -> int:
    """Write the feasible moves, of the board or the region, and of the zone, in random order into `sim.found`."""
    board = sim.board
    count = np.int64(0)
    for i in range(board.empty_count):
        p = np.int64(board.empty[np.uintp(i)])
        if (in_region and not sim.region[np.uintp(p)]) or (sim.zoned and not sim.zone[np.uintp(p)]):
            continue
        if is_legal(board, p) and ask_bool(sim, search.tree_feasibility, (sim, p)):
            at = random_below(sim, count + 1)
            sim.found[count] = sim.found[at]
            sim.found[at] = p
            count += 1
    return count


@kernel
def _make_children(sim: Simulation, search: SearchRecord, tree: TreeRecord, first: int, count: int) -> None:
    """Make nodes of the moves in `sim.found`, and note their indexes in `sim.place`."""
    clear_rows(tree, first, count)
    nodes = nodes_of(tree)
    for i in range(count):
        child = nodes[first + i]
        child.move = sim.found[i]
        child.prior_visits = search.even_games
        child.prior_value = 0.5 * tree.win_weight
        sim.place[sim.found[i]] = i


@kernel
def _give_priors(sim: Simulation, moves: Candidates, search: SearchRecord, tree: TreeRecord, first: int) -> bool:
    """Give virtual games to the proposals of heuristics; True if there were shares.

    Their number is by the ratio of a weight to the largest of the list, or by the share if the list has shares and the
    prior is not relative. They are won, or lost if the prior's games are negative.
    """
    nodes = nodes_of(tree)
    has_shares = False
    for k in range(search.priors):
        mover_wins = search.prior_games[k] > 0.0
        value = _virtual_value(sim, tree, mover_wins == (sim.board.to_play == BLACK))
        propose(sim, moves, search.prior[k])
        clear_bars(moves)
        largest = _sum_weights(sim, moves)
        has_shares |= moves.shares
        for j in range(moves.count if largest > 0.0 else 0):
            p = np.uintp(moves.points[j])
            child = nodes[first + np.int64(sim.place[p])]
            if child.move == p:  # else it is not feasible, and the place is another node's
                add_prior(child, value, _prior_games(moves, search, k, sim.tally[p], largest))
                if moves.shares and sim.tally[p] > 0.0:
                    child.share = np.int64(min(1.0, sim.tally[p]) * SHARES + 0.5)
                sim.tally[p] = 0.0
    return has_shares


@inlined
def _prior_games(moves: Candidates, search: SearchRecord, k: int, weight: float, largest: float) -> float:
    """Return the virtual games of a move by its weight."""
    games = abs(search.prior_games[k])
    if moves.shares and not search.prior_relative[k]:
        return games * min(1.0, weight) ** search.prior_power[k]
    if search.prior_power[k] != 1.0:
        return games * (weight / largest) ** search.prior_power[k]
    return games * weight / largest


@kernel
def _sort_by_share(tree: TreeRecord, first: int, count: int) -> None:
    """Sort new children, which have only priors, by share, the largest first."""
    nodes = nodes_of(tree)
    for i in range(first + 1, first + count):
        move, share = nodes[i].move, nodes[i].share
        games, value = nodes[i].prior_visits, nodes[i].prior_value
        at = i
        while at > first and nodes[at - 1].share < share:
            here, before = nodes[at], nodes[at - 1]
            here.move, here.share = before.move, before.share
            here.prior_visits, here.prior_value = before.prior_visits, before.prior_value
            at -= 1
        here = nodes[at]
        here.move, here.share, here.prior_visits, here.prior_value = move, share, games, value


@inlined
def _virtual_value(sim: Simulation, tree: TreeRecord, black_wins: bool) -> float:
    """Return the value of a virtual game for Black; if only points count, won by as many as the board has lines."""
    if tree.win_weight > 0.0:
        return tree.win_weight if black_wins else 0.0
    points = tree.score_weight * sim.board.size
    return points if black_wins else -points


@kernel
def _sum_weights(sim: Simulation, moves: Candidates) -> float:
    """Write the weight of every listed point into `sim.tally` and return the largest. Raises as a draw does."""
    total_weight(sim, moves)
    for j in range(moves.count):
        sim.tally[np.uintp(moves.points[j])] = 0.0
    largest = 0.0
    for j in range(moves.count):
        p = np.uintp(moves.points[j])
        sim.tally[p] += moves.weights[j]
        largest = max(largest, sim.tally[p])
    return largest


@kernel
def add_prior(child: Any, value: float, more: float) -> None:
    """Add virtual games of one value to a node."""
    total = child.prior_visits + more
    if total > 0.0:
        child.prior_value = (child.prior_value * child.prior_visits + value * more) / total
        child.prior_visits = total


# --- evaluate --------------------------------------------------------------------------------------------------------


@kernel
def _evaluate(sim: Simulation, moves: Candidates, policy: PolicyRecord, search: SearchRecord) -> None:
    """Value the end of a descent by the rule, or by counting if the game is over; then let the memories learn."""
    sim.tree_length = sim.length
    is_over = sim.passes >= 2
    if is_over:
        settle(sim, final_score(sim))
    else:
        sim.score = np.int64(np.round(sim.komi))
        value = ask_float(sim, search.evaluation, (sim, moves, policy))
        if not 0.0 <= value <= 1.0:
            raise BadValue
        set_value(sim, value)
    if is_over or not search.finds_owners:
        find_owners(sim)
    _count_owners(sim, search)
    learn(sim, policy)


@kernel
def _count_owners(sim: Simulation, search: SearchRecord) -> None:
    """Add the score and the owners of points at the end to the thread's counts, Black's minus White's."""
    search.owned_count += 1
    highest = SCORES // 2  # an evaluation of a plugin may go beyond
    search.scores[np.uintp(min(max(np.int64(sim.score), -highest), highest) + highest)] += 1
    for p in range(POINTS):
        search.owned[p] += np.int32(sim.owner[p] == BLACK) - np.int32(sim.owner[p] == WHITE)


# --- back up ---------------------------------------------------------------------------------------------------------


@kernel
def _back_up(sim: Simulation, search: SearchRecord, tree: TreeRecord) -> None:
    """Add the result of a simulation to the nodes of its path, the deepest first."""
    nodes = nodes_of(tree)
    amount = np.int64(np.round(simulation_value(sim, tree) * SCALE))
    for i in range(search.over_count):
        ask(sim, search.over[i], (sim, tree))
    deepest = sim.depth
    for depth in range(deepest, -1, -1):
        sim.depth = depth
        node = np.int64(sim.nodes[np.uintp(depth)])
        here = nodes[node]
        position = position_of(tree, node)  # first: one that is made later has this result from the node
        _add_result(here, amount, sim.score)
        if search.virtual_loss > 0:
            atomic_add(here, "losses", -search.virtual_loss)
        if position != node:
            _add_result(nodes[position], amount, sim.score)
        ask(sim, search.backup, (sim, tree, position))
        if position != node:
            here.mean = nodes[position].mean
        for i in range(search.passed_count):
            ask(sim, search.passed[i], (sim, tree, node))
    sim.depth = deepest


@inlined
def _add_result(node: Any, amount: int, score: int) -> None:
    """Count a simulation at a node."""
    atomic_add(node, "visits", 1)
    atomic_add(node, "value", amount)
    atomic_add(node, "score", score)
