"""The quality of moves by the word of an oracle: positions of games, who judges, and what is told."""

from collections import Counter
from pathlib import Path
from statistics import fmean

import pytest

from helpers.match_tools import check_page, check_refused
from kikashi import Game, Limit, Player, sgf
from kikashi.board.points import points_of
from kikashi.experiments.design_files import load_design
from kikashi.experiments.experiment import write_experiment_report
from kikashi.experiments.kinds.quality import QualityDesign, QualityRecord, RowRecord
from kikashi.match.runner import derived

BASIC = "yoshizoe-2006-basic"
TEXT = f"""
kind = "quality"
title = "Mine"
source = "ours, 2026"
oracle = 400
simulations = [50, 400]
games = 2
first = 3
last = 5
size = 5
preset = "mogo-2006-pure"
game_simulations = 16
[[player]]
name = "BASIC"
player = "{BASIC}"
[[player]]
name = "ATARI"
player = "yoshizoe-2006-atari"
oracle = "{BASIC}"
"""


def mine(folder: Path, *overrides: str, text: str = TEXT) -> QualityDesign:
    (folder / "mine.toml").write_text(text)
    return load_design(str(folder / "mine.toml"), overrides)


def mine_at_work(folder: Path, *overrides: str) -> QualityDesign:
    return mine(folder, *overrides).at(1.0)


# --- which positions --------------------------------------------------------------------------------------------------


def test_every_position_of_the_paper_comes_once_and_few_are_spread() -> None:
    design = load_design("yoshizoe2006-figure5")
    settings = design.at(1.0)
    assert (settings.positions, settings.oracle) == (58 * 41, 64_000_000)
    places = [settings.place(number) for number in range(settings.positions)]
    assert Counter(places) == Counter((game, move) for game in range(58) for move in range(10, 51))
    games, moves = zip(*places[:20], strict=True)
    assert len(set(games)) == 20
    ranges = Counter((move - 10) // 10 for move in moves)
    assert all(4 <= ranges[k] <= 6 for k in range(4)), "of the moves 10 to 49, ten at a time"
    settings = design.at(0.01)
    assert (settings.positions, settings.oracle, settings.games) == (24, 640_000, 58)


def test_figure_6_has_oracles_of_their_own_kinds() -> None:
    design = load_design("yoshizoe2006-figure6")
    settings = design.at(1.0)
    assert [row.player for row in settings.player] == settings.judges == [BASIC, "yoshizoe-2006-atari"]
    assert settings.simulations == [2500, 10_000, 40_000, 160_000, 640_000, 2_560_000]


def a_game(*moves: str) -> Game:
    game = Game(5)
    for move in moves:
        game.push(move)
    return game


def test_positions_come_from_a_folder_of_games(tmp_path: Path) -> None:
    """In the order of their names, and no more games than were asked for; one that ends too soon is told."""
    games = [a_game("c3", "b2", "d4", "b4"), a_game("b3", "c3", "d3", "c2", "c4"), a_game("a1")]
    (tmp_path / "games").mkdir()
    for number, game in enumerate(games):
        (tmp_path / "games" / f"{number}.sgf").write_text(sgf.write_game(game))
    settings = mine_at_work(tmp_path, f"sgf={tmp_path / 'games'}", "games=2")
    assert (settings.games, len(settings.records), settings.positions) == (2, 2, 6)
    assert str(settings.position(1, 4)) == str(a_game("b3", "c3", "d3", "c2"))
    assert settings.position(0, 5) is None
    (number,) = (n for n in range(6) if settings.place(n) == (0, 5))
    assert settings.work(number) == QualityRecord(number=number, game=0, move=5)
    beside = mine(tmp_path, text=TEXT.replace("size = 5\n", 'size = 5\nsgf = "games"\n'))
    assert beside.at(1.0).records == settings.records


def test_games_of_self_play_differ_and_come_again(tmp_path: Path) -> None:
    settings = mine_at_work(tmp_path)
    boards = [str(settings.position(game, 5)) for game in (0, 1, 0)]
    assert boards[0] == boards[2] != boards[1]


# --- judging ----------------------------------------------------------------------------------------------------------


def test_moves_are_judged_by_the_scores_of_the_oracle(tmp_path: Path) -> None:
    """Once more by hand; who has as many samples as its oracle, and the same numbers, chooses the oracle's best."""
    settings = mine_at_work(tmp_path)
    record = settings.work(3)
    game = settings.position(record.game, record.move)
    assert game is not None
    assert record.legal == 1 + sum(game.is_legal(p) for p in points_of(game.size)), "points, and a pass"

    def thought(text: str, samples: int) -> Player:
        return Player(text, limit=Limit(simulations=samples), megabytes=1, seed=derived(1, text, samples, 3))

    oracle = thought(BASIC, 400).analyse(game)
    scores = {move.name: move.score for move in oracle.moves if move.visits}
    best = max(scores.values())
    basic, atari = record.rows
    assert basic.moves == len(scores) <= record.legal
    assert basic.random == atari.random == pytest.approx(fmean(scores.values()) - best)
    assert basic.error == pytest.approx(oracle.score_deviation / (400 / len(scores)) ** 0.5)
    few = max((m for m in thought("yoshizoe-2006-atari", 50).analyse(game).moves if m.visits), key=lambda m: m.score)
    assert atari.chosen[0] == pytest.approx(scores[few.name] - best)
    assert basic.chosen[1] == 0.0
    assert all(value is not None and value <= 0 for row in record.rows for value in row.chosen)


# --- telling ----------------------------------------------------------------------------------------------------------


def judged(number: int, move: int, legal: int, random: float, *chosen: float | None) -> QualityRecord:
    rows = (RowRecord(9, 0.5, random, chosen), RowRecord(9, 1.5, 2 * random, chosen))
    return QualityRecord(number=number, game=number % 2, move=move, legal=legal, rows=rows)


def test_what_was_found_is_told_by_the_number_of_the_move(tmp_path: Path) -> None:
    """A move that the oracle never sampled counts for nobody, nor does a game that was too short."""
    records = [
        judged(0, 3, 20, -2.0, -1.0, 0.0),
        judged(1, 4, 10, -4.0, None, -1.0),
        judged(2, 9, 8, -6.0, -3.0, -2.0),
        QualityRecord(number=3, game=1, move=5),
    ]
    found = write_experiment_report(tmp_path, mine(tmp_path, "last=12").at(1.0), records).data
    assert (found["positions"], found["of"]) == (4, 20)
    first, second, every = found["rows"]
    assert (first["moves before"], first["positions"], first["legal moves"]) == ("3–7", "2", "15.0")
    assert (first["BASIC: random"], first["ATARI: random"]) == ("-3.00 ± 1.00", "-6.00 ± 2.00")
    assert (first["BASIC: 50"], first["BASIC: 400"]) == ("-1.00", "-0.50 ± 0.50")
    assert (second["moves before"], second["ATARI: 400"]) == ("8–12", "-2.00")
    assert (every["positions"], every["BASIC: 50"]) == ("3", "-2.00 ± 1.00")
    text, page = ((tmp_path / f"report.{end}").read_text() for end in ("md", "html"))
    assert "4 positions of 20 from 2 games of self-play by mogo-2006-pure" in text
    assert "standard error of 1.00 points" in text
    assert "1 of these games ended before the position" in text
    assert page.count("<svg") == 4
    assert "ATARI, judged by yoshizoe-2006-basic: quality by number of samples" in page
    check_page(page)


def test_with_many_positions_every_number_of_moves_is_told(tmp_path: Path) -> None:
    records = [judged(n, 3 + n % 3, 20, -1.0, -1.0, 0.0) for n in range(24)]
    found = write_experiment_report(tmp_path, mine(tmp_path, "games=8").at(1.0), records).data
    assert [row["moves before"] for row in found["rows"]] == ["3", "4", "5", "all"]


def test_nothing_but_games_that_were_too_short(tmp_path: Path) -> None:
    found = write_experiment_report(tmp_path, mine(tmp_path).at(1.0), [QualityRecord(number=0, game=0, move=5)]).data
    assert found["rows"][0]["BASIC: random"] == "–"
    check_page((tmp_path / "report.html").read_text())


WRONG = {
    "no moves": (["first=6"], "positions are from move 6 to move 5: that is none"),
    "no players": (["player=[]"], "there is no player to ask about"),
    "an engine": (['player=[{ name = "x", player = "cat" }]'], "is not a preset"),
    "a budget": ([f"preset={BASIC} --simulations 5"], "has a budget"),
    "an empty folder": (["sgf=."], "no file whose name ends with .sgf"),
    "a size": (["size=1"], "boards are from 2 to 19, not 1"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_settings_are_told_in_one_line(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said, message = WRONG[case]
    monkeypatch.chdir(tmp_path)
    check_refused(lambda: mine_at_work(tmp_path, *said), message)


def test_games_on_other_boards_are_refused(tmp_path: Path) -> None:
    (tmp_path / "game.sgf").write_text(sgf.write_game(Game(7)))
    check_refused(lambda: mine_at_work(tmp_path, f"sgf={tmp_path / 'game.sgf'}"), "is a game on 7x7, not 5x5")
