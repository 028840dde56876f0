"""Crazy Stone's urgencies and useless moves: diagrams, and random positions beside the words of Coulom 2006, A."""

from collections import Counter
from random import Random

import pytest

from helpers.heuristic_cases import (
    Case,
    cases,
    chains_in_atari,
    check_proposals,
    check_review,
    odds,
    propose,
    put,
    review,
    root_at,
    sampled_positions,
    worker_for,
)
from helpers.naive import NaiveBoard, Position
from kikashi.board.points import EMPTY, color_name, opponent, vertex
from kikashi.playout import REDRAW
from kikashi.playout.loop import begin, choose

SIZES = (2, 3, 4, 5, 6, 7, 9, 19)
DRAWS = 2000


@pytest.mark.parametrize("case", cases("urgency"), ids=lambda case: case.id)
def test_urgencies(case: Case) -> None:
    check_proposals(case, "coulom")


@pytest.mark.parametrize("case", cases("useless_moves"), ids=lambda case: case.id)
def test_useless_moves(case: Case) -> None:
    check_review(case)


# -- A.1, sentence by sentence -----------------------------------------------------------------------------------------


def is_hopeless(naive: NaiveBoard, p: int, color: int) -> bool:
    """ "there is at most one contiguous empty intersection, and there is no contiguous white string in atari, and there
    is no contiguous black string not in atari" """
    around = {n: naive.color_at(n) for n in naive.neighbours(p)}
    return (
        list(around.values()).count(EMPTY) <= 1
        and not any(naive.in_atari(n) for n, here in around.items() if here == opponent(color))
        and all(naive.in_atari(n) for n, here in around.items() if here == color)
    )


def urgency(naive: NaiveBoard, p: int) -> int:
    """The urgency of an empty point for the side to play."""
    own, enemy = naive.to_play, opponent(naive.to_play)
    surrounded = all(naive.color_at(n) == own and not naive.in_atari(n) for n in naive.neighbours(p))
    if surrounded or not naive.is_legal(p):
        return 0
    total = 1
    for chain in {naive.chain(n) for n in naive.neighbours(p) if naive.color_at(n) != EMPTY}:
        if naive.liberties(min(chain)) != {p}:
            continue
        color = naive.color_at(min(chain))
        if not is_hopeless(naive, p, color):
            total += (1_000 if color == own else 10_000) * len(chain)
        if color == enemy and any(naive.in_atari(min(other)) for other in naive.enemy_chains(min(chain))):
            total += 100_000 * len(chain)
    return total


@pytest.mark.thorough
def test_urgencies_in_random_positions() -> None:
    worker, seen = worker_for("urgency", "coulom"), Counter()
    for naive in sampled_positions(SIZES, seed=4):
        begin(worker.sim, worker.record, root_at(naive))
        for p, weight in odds(worker, propose(worker)).items():
            assert weight == urgency(naive, p), f"{vertex(p)} weighs {weight} for {color_name(naive.to_play)}\n{naive}"
            seen[len(str(int(weight)))] += 1
    assert min(seen[digits] for digits in (1, 4, 5, 6)) > 20


# -- A.2, sentence by sentence -----------------------------------------------------------------------------------------


def replacements(naive: NaiveBoard, p: int, weight: int) -> frozenset[int]:
    """What may be made of the drawn move `p`; several answers where the paper does not say which string to capture."""
    after = naive.after(p, naive.to_play)
    if len(after.chain(p)) > 1 and after.in_atari(p):
        instead = frozenset([REDRAW]) if weight >= 1_000 else better_than_self_atari(naive, p)
    else:
        instead = frozenset()
    return end_of_eye(naive, p) or place_among_enemies(naive, p, after) or instead or frozenset([p])


def except_one_empty_point(naive: NaiveBoard, p: int, color: int) -> frozenset[int]:
    """The one empty neighbour of `p`, if stones of `color` are all the others."""
    empty = frozenset(n for n in naive.neighbours(p) if naive.color_at(n) == EMPTY)
    surrounded = {naive.color_at(n) for n in naive.neighbours(p) - empty} == {color}
    return empty if surrounded and len(empty) == 1 else frozenset()


def own_strings(naive: NaiveBoard, p: int) -> set[frozenset[int]]:
    return {naive.chain(n) for n in naive.neighbours(p) if naive.color_at(n) == naive.to_play}


def end_of_eye(naive: NaiveBoard, p: int) -> frozenset[int]:
    """ "surrounded by stones of the same color except for one empty contiguous point, and these stones are part of the
    same string, and the empty contiguous point is also contiguous to this string" """
    strings = own_strings(naive, p)
    empty = except_one_empty_point(naive, p, naive.to_play)
    return empty if len(strings) == 1 and empty <= naive.liberties(min(*strings)) else frozenset()


def place_among_enemies(naive: NaiveBoard, p: int, after: Position) -> frozenset[int]:
    """ "surrounded by stones of the opponent except for one empty contiguous point, and this move does not change the
    atari status of any opponent string" """
    enemy = opponent(naive.to_play)
    empty = except_one_empty_point(naive, p, enemy)
    changed = empty and chains_in_atari(naive)[enemy] != chains_in_atari(after)[enemy]
    return frozenset() if changed else empty


def better_than_self_atari(naive: NaiveBoard, p: int) -> frozenset[int]:
    """ "if this string had a contiguous string in atari before the move, then capture the contiguous string in atari
    instead; otherwise, if the string had two liberties before the move, play in the other liberty instead" """
    strings = own_strings(naive, p)
    contiguous = {min(chain) for string in strings for chain in naive.enemy_chains(min(string))}
    attacked = frozenset(naive.atari_liberty(stone) for stone in contiguous if naive.in_atari(stone))
    liberties = [naive.liberties(min(string)) for string in strings]
    return attacked or frozenset().union(*(both - {p} for both in liberties if len(both) == 2))


@pytest.mark.thorough
def test_useless_moves_in_random_positions() -> None:
    worker, random, seen = worker_for("useless_moves"), Random(1), Counter()
    for naive in sampled_positions(SIZES, seed=5):
        begin(worker.sim, worker.record, root_at(naive))
        for p in naive.points():
            if naive.color_at(p) != EMPTY or not naive.is_legal(p):
                continue
            weight = random.choice((1, 999, 1_000, 10_001))
            verdict = review(worker, p, float(weight))
            asked = f"{vertex(p)} of {weight} for {color_name(naive.to_play)}"
            assert verdict in replacements(naive, p, weight), f"{asked} becomes {verdict}\n{naive}"
            seen["redraw" if verdict == REDRAW else "stands" if verdict == p else "replaced"] += 1
    assert min(seen[what] for what in ("redraw", "stands", "replaced")) > 50


# -- in the loop -------------------------------------------------------------------------------------------------------


def first_moves(*rows: str) -> Counter[str]:
    """How often X chooses each move, by Crazy Stone's playouts."""
    worker = worker_for("urgency,useless_moves", "coulom")
    put(worker, Case("here", "", [list(row) for row in rows], "X urgency,useless_moves -> nothing"))
    return Counter(vertex(choose(worker.sim, worker.moves, worker.record)) for _ in range(DRAWS))


def test_a_player_always_plays_in_the_middle_of_a_three_point_eye() -> None:
    assert first_moves(".XXX", "XXXX", "...X", "XXXX") == {"B2": DRAWS}


def test_a_stone_that_can_be_saved_nearly_always_is() -> None:
    counts = first_moves(".....", "..O..", ".OX..", "..O..", ".....")
    assert counts["D3"] > 0.96 * DRAWS


def test_an_urgent_self_atari_is_drawn_again_with_the_urgency_of_any_point() -> None:
    """Drawn once more, C3 becomes E3, the other liberty: so this has two chances of the 15 empty points."""
    counts = first_moves(".....", ".OOO.", "OX.X.", ".OOO.", ".....")
    assert sum(counts.values()) - counts["C3"] == DRAWS
    assert abs(counts["E3"] - DRAWS * 2 / 15) < 5 * (DRAWS * 2 / 15 * 13 / 15) ** 0.5
