"""Learning: games are read, weights are fitted to them, and files and reports are written."""

import json
import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from random import Random

import numpy as np
import pytest
from click.testing import CliRunner

from helpers.toy_weights import toy_weights
from kikashi import Game, sgf
from kikashi.cli import main
from kikashi.engine.preset import load_preset
from kikashi.engine.tree_reuse import root_of
from kikashi.learn.dataset import Dataset, FeatureExtractor, collect, features_named
from kikashi.learn.expert_iteration import with_weights
from kikashi.learn.fitting import Columns, FitSettings, Likelihood, fit
from kikashi.learn.self_play import SelfPlaySettings, SelfPlayTask, play_self_game
from kikashi.learn.training_games import TrainingGame, read_training_games
from kikashi.playout.weights import read_weights

SIZE = 5
GAMES = 220
SPECS = ("line", "distance", "atari", "capture")


@pytest.fixture(scope="module")
def extractor() -> FeatureExtractor:
    return FeatureExtractor(features_named([*SPECS, "shape"]), SIZE)


def played(extractor: FeatureExtractor, seed: int, moves: int = 14) -> Game:
    """Play a game whose moves are drawn by the model itself."""
    random, game = Random(seed), Game(SIZE, 0.5)
    known = toy_weights(*SPECS)
    for _ in range(moves):
        points, levels = extractor.extract(root_of(game))
        strength = np.exp(sum(one.values[levels[:, k]] for k, one in enumerate(known.features)))
        legal = [p in game.legal_moves for p in points.tolist()]
        if not any(legal):
            break
        game.push(random.choices(points.tolist(), (strength * legal).tolist())[0])
    return game


@pytest.fixture(scope="module")
def data(extractor: FeatureExtractor) -> Dataset:
    games = [played(extractor, seed) for seed in range(GAMES)]
    training = [TrainingGame(f"source {n % 2}", SIZE, game.root().board, game.moves) for n, game in enumerate(games)]
    return collect(training, extractor)


def test_the_weights_that_games_were_drawn_by_are_found_again(data: Dataset) -> None:
    """Some 2,700 moves determine the weights of frequent levels."""
    found = fit(data, FitSettings(ridge=0.5, fewest=10**9), {"size": SIZE})
    learned, known = found.weights.features, toy_weights(*SPECS).features
    for one, true in zip(learned, known, strict=False):
        column = data.levels[list(SPECS).index(one.spec)]
        often = np.flatnonzero(np.bincount(column, minlength=one.values.size) > 1000)
        # Only differences tell, where every move has some level of a feature.
        apart = (one.values - true.values)[often]
        assert np.abs(apart - apart.mean()).max() < 0.4, one.spec
    assert found.held_out.likelihood > found.held_out.uniform + 0.1
    assert found.held_out.games == GAMES // 10
    assert set(found.by_source) == {"source 0", "source 1"}


def test_the_gradient_is_that_of_the_loss(data: Dataset) -> None:
    some = data.select(data.games < 12)
    columns = Columns.of(some, 3)
    likelihood = Likelihood(some, columns)
    random = np.random.default_rng(1)
    values, direction = (random.normal(0, 0.3, columns.first[-1]) for _ in range(2))
    _, gradient = likelihood.loss(values, 1.0)
    step = 1e-2
    measured = (
        likelihood.loss(values + step * direction, 1.0)[0] - likelihood.loss(values - step * direction, 1.0)[0]
    ) / (2 * step)
    assert gradient @ direction == pytest.approx(measured, rel=2e-3)


def test_predictions_are_counted_as_a_person_would(data: Dataset) -> None:
    some = data.select(data.games < 5)
    columns = Columns.of(some, 3)
    values = np.random.default_rng(2).normal(0, 1, columns.first[-1])
    likelihood = Likelihood(some, columns)
    shares, _ = likelihood.probabilities(values)
    for number, (log_share, uniform, rank) in enumerate(likelihood.predict(values).T):
        rows = slice(some.starts[number], some.starts[number + 1])
        own = shares[some.chosen[number]]
        assert log_share == pytest.approx(np.log(own), abs=1e-4)
        assert uniform == pytest.approx(-np.log(len(shares[rows])))
        others = sum(share > own for share in shares[rows]), sum(share == own for share in shares[rows])
        assert rank == others[0] + others[1] // 2


def test_games_are_held_out_as_a_whole_and_so_are_sources(data: Dataset) -> None:
    found = fit(data, FitSettings(held_out=0.2, steps=3), {"size": SIZE}, only_tested=["source 1"])
    assert found.held_out.games + found.learned_from.games == GAMES
    assert 0.55 * GAMES < found.held_out.games < 0.65 * GAMES, "all of one source, and a fifth of the other"
    assert set(found.by_source) == {"source 0", "source 1"}
    assert found.held_out.positions + found.learned_from.positions == data.count


def test_few_games_add_to_a_base_and_keep_its_other_weights(data: Dataset) -> None:
    many, few = data.select(data.games >= 20), data.select(data.games < 20)
    base = fit(many, FitSettings(fewest=5), {"size": SIZE}).weights
    alone, added = (fit(few, FitSettings(fewest=5), {"size": SIZE}, base=start) for start in (None, base))
    assert added.held_out.likelihood > alone.held_out.likelihood, "the base knows these players"
    known, learned = base.features[-1], added.weights.features[-1]
    assert known.keys is not None
    assert learned.keys is not None
    assert set(known.keys) <= set(learned.keys), "shapes of the base are kept"
    unseen = ~np.isin(known.keys, Columns.of(few, 1).keys[-1])
    assert unseen.any()
    assert not unseen.all()
    apart = learned.values[np.searchsorted(learned.keys, known.keys)] - known.values
    assert not apart[unseen].any(), "weights of other shapes stay"
    assert apart[~unseen].any()


# --- files and folders ------------------------------------------------------------------------------------------------


def test_the_command_learns_from_sgf_files(extractor: FeatureExtractor, tmp_path: Path) -> None:
    """By the command: a file of weights that knows where it came from, and a report with pictures."""
    folder = tmp_path / "games"
    folder.mkdir()
    for seed in range(30):
        game = played(extractor, seed)
        game.headers |= {"PB": "Ann", "PW": "Bob"}
        (folder / f"{seed}.sgf").write_text(sgf.write_game(game))
    (folder / "broken.sgf").write_text("(;GM[1]SZ[5];B[zz])")
    words = ["learn", str(folder), "--output", str(tmp_path / "w.npz"), "--report", str(tmp_path / "report")]
    options = ["--features", "line,distance,shape", "--fewest", "5", "--player", "Ann", "--json"]
    result = CliRunner().invoke(main, [*words, *options])
    assert result.exit_code == 0, result.output
    assert re.search(r"left out: 1 file of .*, such as .*broken\.sgf: ", result.stderr)
    found = json.loads(result.stdout)
    weights = read_weights("w", (tmp_path / "w.npz").read_bytes())
    assert weights.header["sources"] == {str(folder): 30}
    assert weights.header["figures"]["held_out"] == found["held_out"]
    assert found["learned_from"]["positions"] + found["held_out"]["positions"] == 30 * 7
    assert [one.spec for one in weights.features] == ["line", "distance", "shape"]
    page = (tmp_path / "report" / "report.md").read_text()
    assert "| line 2 |" in page
    for picture in ("prediction.svg", "shapes-2.svg"):
        assert f"({picture})" in page
        assert (tmp_path / "report" / picture).read_text().startswith("<svg")
    again = CliRunner().invoke(main, [*words, *options, "--from", str(tmp_path / "w.npz")])
    assert json.loads(again.stdout)["steps"] < found["steps"]
    CliRunner().invoke(main, [*words, *options, "--base", str(tmp_path / "w.npz")])
    more = read_weights("w", (tmp_path / "w.npz").read_bytes())
    assert more.header["base"] == {"sources": {str(folder): 30}, "base": None}


def test_the_command_learns_values_and_mixed_reads_them(tmp_path: Path) -> None:
    """From the sixth move on the loser has a stone in atari; before, no feature is there."""
    for number in range(40):
        game = Game(SIZE)
        for move in [*["pass"] * (number % 2), *["B3", "C3", "D3", "A5", "C2", "E5", "A1", "E4", "A2", "E3"]]:
            game.push(move)
        game.headers["RE"] = "W+R" if number % 2 else "B+R"
        (tmp_path / f"{number}.sgf").write_text(sgf.write_game(game))
    weights = tmp_path / "values.npz"
    words = ["learn", str(tmp_path), "--features", "capture,escape", "--values", "--output", str(weights)]
    shown = CliRunner().invoke(main, words)
    assert shown.exit_code == 0, shown.output
    assert "4 games, 40 positions: the likelier winner has won 70.0%" in shown.output
    accuracy = json.loads(CliRunner().invoke(main, [*words, "--json"]).stdout)["held_out"]
    assert accuracy["likelihood"] > accuracy["uniform"] + 0.2
    assert read_weights("values", weights.read_bytes()).target == "values"
    rule = f"evaluation=mixed(weights='{weights}', learned=1.0)"
    assert load_preset("mogo-2006", [rule]).weights == [str(weights)]
    assert "a report is about moves" in CliRunner().invoke(main, [*words, "--report", str(tmp_path / "r")]).output
    with pytest.raises(ValueError, match="they are for values, not for moves"):
        load_preset("mogo-2006", [f"prior=[{{ part = 'learned', weights = '{weights}' }}]"])


@pytest.mark.parametrize("options", [[], ["--all-sizes"], ["--all-sizes", "--size", "7"]])
def test_all_sizes_learns_from_games_on_several_boards(options: list[str], tmp_path: Path) -> None:
    """Features are the same on all boards: corner, edge and distance of a larger one count like those of the first."""
    moves = ";B[cc];W[bb];B[cb];W[bc];B[dd];W[ab]"
    for number in range(10):
        (tmp_path / f"{number}.sgf").write_text(f"(;GM[1]SZ[{5 if number < 6 else 7}]{moves})")
    words = ["learn", str(tmp_path), "--output", str(tmp_path / "w.npz"), "--features", "line,distance", "--json"]
    result = CliRunner().invoke(main, [*words, *options])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    games = 10 if options else 6
    assert found["learned_from"]["games"] + found["held_out"]["games"] == games
    notices = [line for line in result.stderr.splitlines() if "left out" in line]
    assert [line.partition(",")[0] for line in notices] == ([] if options else ["left out: 4 games on 7x7"])
    weights = read_weights("w", (tmp_path / "w.npz").read_bytes())
    assert weights.size == (7 if "7" in options else 5)


MISTAKES = {
    "nothing": ([], "Missing argument 'GAMES...'"),
    "no file": (["none.sgf"], "No such file"),
    "an empty folder": (["."], "has no games: neither SGF files nor a journal.jsonl"),
    "a feature that is none": ([".", "--features", "lien"], "no feature is called 'lien'; did you mean line?"),
    "a share of everything": ([".", "--held-out", "1"], "is between 0 and 1, not 1"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_one_line(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words, line = MISTAKES[case]
    result = CliRunner().invoke(main, ["learn", *words])
    assert result.exit_code in (1, 2)
    assert line in result.stderr.splitlines()[-1]


# --- self-play --------------------------------------------------------------------------------------------------------


def test_a_game_of_self_play_keeps_the_visits_of_its_searches() -> None:
    settings = SelfPlaySettings(player="mogo-2006", games=1, size=SIZE, simulations=40, varied=3)
    player = settings.match_player()
    one, same, other = (play_self_game(SelfPlayTask(number, ("C3",), settings, player)) for number in (0, 0, 1))
    assert one == same
    assert one != other
    assert len(one.visits) in (len(one.moves) - 1, len(one.moves))
    for visits, move in list(zip(one.visits, one.moves[1:], strict=False))[3:]:
        assert move in ("pass", "resign") or visits[move] == max(visits.values())
    assert all(sum(visits.values()) >= 30 for visits in one.visits)


def test_self_play_of_a_preset_that_there_is_not_is_refused_in_a_line(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["self-play", str(tmp_path / "rounds"), "--preset", "nonsense"])
    assert done.exit_code == 1
    assert re.fullmatch(r"Error: player 'nonsense' is neither a preset nor .*\n", done.stderr)


@pytest.mark.thorough
def test_rounds_play_and_learn_and_go_on_where_they_were_ended(tmp_path: Path) -> None:
    """Two rounds of a tiny player; ended after the first, the same command goes on with the second."""
    folder = tmp_path / "rounds"
    words = ["self-play", str(folder), "--preset", "mogo-2006", "--size", "5", "--simulations", "20"]
    words += ["--games", "6", "--match-games", "2", "--features", "line,distance", "--concurrency", "1", "--json"]
    first = CliRunner().invoke(main, [*words, "--rounds", "1"])
    assert first.exit_code == 0, first.output
    kept = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    second = CliRunner().invoke(main, [*words, "--rounds", "2"])
    assert second.exit_code == 0, second.output
    rounds = [json.loads(line) for line in second.stdout.splitlines()]
    assert [found["round"] for found in rounds] == [0, 1]
    assert [found["games"] for found in rounds] == [2, 2]
    games = folder / "round-000" / "games" / "journal.jsonl"
    assert games.stat().st_mtime_ns == kept[games]
    assert (folder / "round-001" / "weights.npz").exists()
    other = CliRunner().invoke(main, [*words, "--rounds", "1", "--games", "7"])
    assert "was begun with other settings" in other.stderr
    games_read = list(read_training_games([folder / "round-001" / "games"]))
    assert len(games_read) == 6
    assert all(sum(target.values()) == pytest.approx(1) for game in games_read for target in game.visit_targets or ())
    matches = list(read_training_games([folder / "round-001" / "match"], player="round-1"))
    assert [len(game.colors) for game in matches] == [1, 1]


def test_weights_take_the_place_of_hand_made_priors() -> None:
    table = load_preset("kikashi-handmade").table
    changed = with_weights(table, Path("w.npz"), 80, 0.5)
    assert [prior["part"] for prior in changed["prior"]] == ["learned"]
    again = with_weights({"prior": [{"part": "capture"}, *changed["prior"]]}, Path("v.npz"), 1, 1)
    assert [Path(prior.get("weights", "")).name for prior in again["prior"]] == ["", "v.npz"]
    assert again["prior"][1]["games"] == 80


@pytest.mark.thorough
def test_shipped_weights_are_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a tiny plan; games that are there are not played again."""
    spec = spec_from_file_location("weights", Path(__file__).parents[2] / "release" / "weights.py")
    shipping = module_from_spec(spec)
    spec.loader.exec_module(shipping)
    monkeypatch.setattr(shipping, "PLAN", {SIZE: (20, 10)})
    monkeypatch.setattr(shipping, "OPPONENT", "mogo-2006")
    monkeypatch.setattr(shipping, "LABELS", {SIZE: (20, 10)})
    monkeypatch.setattr(shipping, "LABELLER", "mogo-2006")
    monkeypatch.setattr(shipping, "PACKAGE", tmp_path)
    monkeypatch.chdir(tmp_path)
    shipping.make_weights(Path("games"), 0.1, [SIZE])
    weights = read_weights("w", (tmp_path / "weights" / f"{SIZE}.npz").read_bytes())
    assert weights.header["sources"] == {f"games/{SIZE}": 10}
    playouts = read_weights("w", (tmp_path / "weights" / "playouts" / f"{SIZE}.npz").read_bytes())
    assert playouts.header["balanced"]["after"]["positions"] > 0
    journal = tmp_path / "games" / str(SIZE) / "journal.jsonl"
    before = journal.read_bytes()
    shipping.make_weights(Path("games"), 0.1, [SIZE])
    assert journal.read_bytes() == before
    with pytest.raises(ValueError, match="the scale must be above 0 and at most 100, not 0"):
        shipping.make_weights(Path("games"), 0, [SIZE])
