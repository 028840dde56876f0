"""The playout viewer: a playout move by move, with the heuristic of each move and its candidates.

It calls the compiled loop once for each move. After `choose` the list holds the candidates of the last heuristic, and
the counts by heuristic name it.
"""

from __future__ import annotations

from collections import Counter

from kikashi.board.points import BLACK, EMPTY, PASS, WHITE, color_name, opponent, vertex
from kikashi.board.scoring import playout_score
from kikashi.engine.preset import Preset
from kikashi.engine.tree_reuse import root_of
from kikashi.game import Game
from kikashi.jit import announced
from kikashi.playout.loop import begin, choose, make_move, propose
from kikashi.playout.policy import UNIFORM
from kikashi.playout.simulation import Root
from kikashi.playout.worker import Memories, Worker
from kikashi.search.tree import SLOTS_COLUMN
from kikashi.search.tree_search import TreeSearch
from kikashi.web import analyses
from kikashi.web.events import Playout, Replies, Reply, Step
from kikashi.web.game_tree import rows_of
from kikashi.web.presets import describe_heuristics

PLAYOUT_MOVES = 1_200
CANDIDATES = 80
"""Points of a heuristic's list that are shown."""

ALIKE, BY_WEIGHT, FIRST, ANY = "drawn from points that are all alike", "drawn by weight", "the first that can be", "any"


def run_playout(preset: Preset, game: Game, number: int, seed: int, search: TreeSearch | None) -> Playout:
    """Run one playout from the position of a game, at the node of this number, with the memories of a search.

    Raises PartError if a part fails.
    """
    worker = _worker(preset, game, seed, search)
    sim, rows = worker.sim, rows_of(game.size)
    before = sim["board"]["color"].copy()
    stones = "".join(".XO"[before[p]] for p in rows)
    steps: list[Step] = []
    limit = min(int(worker.record["move_limit"]), PLAYOUT_MOVES)
    try:
        while sim["passes"] < 2 and len(steps) < limit:
            color = int(sim["board"]["to_play"])
            counted = worker.record["moves_by"].copy()
            move = int(choose(sim, worker.moves, worker.record))
            made_by = (worker.record["moves_by"] - counted).argmax() if worker.policy.heuristics else -1
            chosen = _chosen(worker, int(made_by), move)
            make_move(sim, worker.record, move)
            after = sim["board"]["color"]
            captured = [vertex(p) for p in rows if before[p] not in (EMPTY, after[p])]
            before = after.copy()
            steps.append(Step(analyses.color_name(color), vertex(move), *chosen, captured))
    except Exception as error:
        raise worker.explain(error) from error
    score = float(playout_score(sim["board"])) - game.compensation
    return Playout(
        node=number,
        preset=preset.name,
        seed=seed,
        size=game.size,
        stones=stones,
        steps=steps,
        shares=dict(Counter(step.by for step in steps).most_common()),
        score=score,
        winner=color_name(BLACK) if score > 0 else color_name(WHITE) if score < 0 else "",
        learned=0 if search is None else search.done,
        abouts=describe_heuristics(preset)
        | {UNIFORM: "Any feasible point, all alike: no heuristic had a move.", "pass": "No move."},
    )


def find_replies(preset: Preset, game: Game, move: int, search: TreeSearch) -> Replies:
    """Return the replies of all heuristics that learn to a move, and the first reply to each legal move."""
    worker = _worker(preset, game, 1, search)
    root = root_of(game, judging=True)
    learning = [
        (row, str(used))
        for row, used in enumerate(worker.policy.heuristics)
        if any(True for _ in used.bound_memories())
    ]
    mover = opponent(game.turn) if move != PASS and not game.is_legal(move) else game.turn
    every: dict[str, str] = {}
    for p in rows_of(game.size):
        if game.color_at(p) == EMPTY and game.is_legal(p):
            found = (_replies(worker, root, p, row) for row, _ in learning)
            if (first := next((points for points, _ in found if points), None)) is not None:
                every[vertex(p)] = vertex(first[0])
    replies = []
    if move != PASS and game.is_legal(move):
        for row, name in learning:
            points, weights = _replies(worker, root, move, row)
            replies.append(Reply(name, vertex(move), [vertex(p) for p in points], weights))
    return Replies(preset.name, analyses.color_name(mover), vertex(move), replies, every, search.done)


def _replies(worker: Worker, root: Root, move: int, row: int) -> tuple[list[int], list[float]]:
    """Return the points that a heuristic lists after a move, and their weights if they differ."""
    try:
        begin(worker.sim, worker.record, root)
        make_move(worker.sim, worker.record, move)
        propose(worker.sim, worker.moves, worker.record["heuristic"][row])
    except Exception as error:
        raise worker.explain(error) from error
    worker.moves["bars"][:] = 0
    worker.moves["barred_count"] = 0
    points, weights = _listed(worker)
    empty = worker.sim["board"]["color"]
    kept = [(p, w) for p, w in zip(points, weights or [1.0] * len(points), strict=True) if empty[p] == EMPTY]
    return [p for p, _ in kept], [w for _, w in kept] if weights else []


def _worker(preset: Preset, game: Game, seed: int, search: TreeSearch | None) -> Worker:
    """Return the records of one thread at the position of a game."""
    policy = preset.config.policy
    memories = Memories() if search is None else search.memories
    with announced([choose, *policy.functions], f"for {preset.name}"):
        worker = Worker(policy, memories, size=game.size, seed=seed)
        begin(worker.sim, worker.record, root_of(game, judging=True))
    if search is not None and SLOTS_COLUMN in search.tree.columns:
        worker.sim["path"][0] = search.tree.columns[SLOTS_COLUMN][0]["slot"]
    return worker


def _chosen(worker: Worker, made_by: int, move: int) -> tuple[str, str, list[str], list[float]]:
    """Return the heuristic of a move, its kind of draw, its candidates, and their weights if they differ."""
    if move == PASS:
        return "pass", "", [], []
    if not 0 <= made_by < len(worker.policy.heuristics):
        return UNIFORM, ANY, [], []
    points, weights = _listed(worker)
    way = FIRST if worker.moves["ordered"] else BY_WEIGHT if weights or worker.moves["base"] else ALIKE
    pairs = list(zip(points, weights or [1.0] * len(points), strict=True))
    if weights:
        pairs.sort(key=lambda pair: -pair[1])
    shown = pairs[:CANDIDATES]
    return (
        str(worker.policy.heuristics[made_by]),
        way,
        [vertex(p) for p, _ in shown],
        [w for _, w in shown] if weights else [],
    )


def _listed(worker: Worker) -> tuple[list[int], list[float]]:
    """Return the list of the last heuristic, and its weights if they differ."""
    count = int(worker.moves["count"])
    points, weights = worker.moves["points"][:count].tolist(), worker.moves["weights"][:count].tolist()
    return points, weights if worker.moves["weighted"] else []
