"""Tuning: a planted optimum is found again, and every mistake in a file is reported in one line."""

import math
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from helpers.match_tools import check_refused
from kikashi.cli import main
from kikashi.engine.overrides import as_toml
from kikashi.engine.preset import load_preset
from kikashi.tune.spsa import Outcome, Spsa, Trial
from kikashi.tune.tuning import TUNINGS, Parameter, Tuning, Values, load_tuning
from kikashi.tune.tuning_result import TuningResult, parameter_plot, preset_table, results_over_time, tuning_result

PARAMETERS = (
    Parameter("selection.x", 0.0001, 0.01, "logarithmic", start=0.0003),
    Parameter("selection.exploration", -1.0, 3.0, start=0.0),
    Parameter("expansion.visits", 1, 64, "logarithmic", whole=True, start=4),
)
WORDS = Parameter("choice.rule", words=("visits", "value", "robust"), start="visits")
BEST: Values = {"selection.x": 0.004, "selection.exploration": 1.8, "expansion.visits": 16, "choice.rule": "robust"}


def tuning(**more: Any) -> Tuning:
    return Tuning(**{"preset": "kikashi", "parameter": PARAMETERS, "games": 600, **more})


# --- the optimum ------------------------------------------------------------------------------------------------------


def strength(values: Values) -> float:
    """Return the true log odds of values, without the tuner's scales. Missing values are the best."""
    all_values = BEST | values
    x, exploration, visits = (float(all_values[name]) for name in list(BEST)[:3])
    word = 0.35 * (all_values["choice.rule"] == "robust")
    away = 0.4 * math.log10(x / 0.004) ** 2 + 0.1 * (exploration - 1.8) ** 2 + 0.1 * math.log2(visits / 16) ** 2
    return word - away


def played(design: Tuning, weaker: tuple[float, ...] = (), seed: int = 1) -> list[Outcome]:
    """Play all trials of a tuning, with games drawn by the true strength."""
    optimizer, random, outcomes = Spsa(design), Random(seed), list[Outcome]()

    def points(first: float, second: float) -> int:
        return sum(random.random() < 1 / (1 + math.exp(second - first)) for _ in range(2))

    for number in range(design.trials):
        trial = optimizer.propose(number, outcomes[: max(0, number - design.ahead)])
        first, second = strength(trial.first), strength(trial.second)
        if weaker:
            opponent = strength(BEST) - weaker[number % len(weaker)]
            outcomes.append(Outcome(trial, points(first, opponent) - points(second, opponent)))
        else:
            outcomes.append(Outcome(trial, points(first, second) - 1))
    return outcomes


def lost(found: TuningResult) -> float:
    """Return the Elo points by which a result is below the best values."""
    return 400 / math.log(10) * (strength(BEST) - strength(found.values))


@pytest.mark.parametrize("seed", [1, 2])
def test_a_planted_optimum_is_found_by_games_with_itself(seed: int) -> None:
    """1,000 games end within 15 Elo of it, from more than 200 below, and beyond chance.

    Twelve runs with other seeds ended 0 to 6 Elo below it.
    """
    design = tuning(parameter=(*PARAMETERS, WORDS), games=1000)
    assert tuning_result(design, []).values == design.start_values
    assert lost(tuning_result(design, [])) > 200
    found = tuning_result(design, played(design, seed=seed))
    assert lost(found) < 15
    assert found.values["choice.rule"] == "robust"
    assert all(estimate.is_beyond_chance for estimate in found.estimates[:2])


def test_a_planted_optimum_is_found_against_opponents() -> None:
    """One of them is much weaker than the best values, one a little stronger. It takes more games."""
    design = tuning(opponents=("lgrf2", "mogo-2006"), games=2400)
    found = tuning_result(design, played(design, weaker=(1.5, -0.5)))
    assert lost(found) < 20


def test_the_end_of_a_range_is_found_if_the_best_is_beyond_it() -> None:
    design = tuning(parameter=(Parameter("selection.x", 0.0001, 0.002, "logarithmic", start=0.0002),))
    outcomes = played(design)
    assert all(0.0001 <= float(outcome.trial.first["selection.x"]) <= 0.002 for outcome in outcomes)
    assert float(tuning_result(design, outcomes).values["selection.x"]) > 0.0013


def test_a_setting_without_effect_stays_within_chance() -> None:
    """In 95 of 100 runs; here in at least 16 of 20."""
    idle = Parameter("even_games", 0, 20, start=10)
    within = 0
    for seed in range(20):
        design = tuning(parameter=(idle,), games=200, seed=seed)
        optimizer, random, outcomes = Spsa(design), Random(seed), list[Outcome]()
        for number in range(design.trials):
            outcomes.append(Outcome(optimizer.propose(number, outcomes), random.choice([-1, 0, 0, 1])))
        (estimate,) = tuning_result(design, outcomes).estimates
        assert estimate.low is not None
        assert float(estimate.low) < 8.5, "chance goes somewhere"
        within += not estimate.is_beyond_chance
    assert within >= 16


def test_the_noise_is_the_effect_of_every_single_result_on_the_mean() -> None:
    design = tuning()
    outcomes = played(design)[:9]
    whole = Spsa(design).mean(outcomes)
    without = [
        Spsa(design).mean([Outcome(o.trial, None if k == number else o.result) for k, o in enumerate(outcomes)])
        for number in range(len(outcomes))
    ]
    added = [sum((whole.mean[k] - one.mean[k]) ** 2 for one in without) for k in range(len(whole.mean))]
    assert whole.noise == pytest.approx([math.sqrt(square) for square in added])
    assert whole.noise.min() > 0


def test_steps_follow_from_the_number_of_games() -> None:
    """If one side always wins, a setting moves through its whole range, with few games as with many."""
    for games in (60, 200, 1000):
        design = tuning(parameter=(Parameter("even_games", 0, 20, start=2),), games=games)
        optimizer, outcomes = Spsa(design), list[Outcome]()
        for number in range(design.trials):
            trial = optimizer.propose(number, outcomes)
            outcomes.append(Outcome(trial, 1 if trial.first["even_games"] > trial.second["even_games"] else -1))
        assert tuning_result(design, outcomes).values["even_games"] > 19


def test_a_void_trial_changes_nothing() -> None:
    outcomes = played(tuning(games=40))
    states = [
        tuning_result(tuning(games=60), [*outcomes, Outcome(Trial(20, *pair), None)]).values
        for pair in (
            (outcomes[0].trial.first, outcomes[0].trial.second),
            (outcomes[1].trial.first, outcomes[1].trial.second),
        )
    ]
    assert states[0] == states[1]


def test_values_of_a_trial_are_rounded_and_within_their_ranges() -> None:
    design = tuning(parameter=(*PARAMETERS, WORDS), games=80)
    seen: dict[str, set[Any]] = {name: set() for name in BEST}
    for number in range(design.trials):
        trial = Spsa(design).propose(number, [])
        assert trial == Spsa(design).propose(number, []), "nothing but the seed and the number decides"
        for values in (trial.first, trial.second):
            assert 0.0001 <= float(values["selection.x"]) <= 0.01
            assert isinstance(values["expansion.visits"], int)
            for name in BEST:
                seen[name].add(values[name])
        assert trial.first["selection.x"] != trial.second["selection.x"]
    assert seen["choice.rule"] == set(WORDS.words)
    assert len(seen["selection.x"]) > 50, "every step is a little shorter"
    assert Spsa(design).propose(3, []) != Spsa(tuning(parameter=design.parameter, seed=2)).propose(3, [])


def test_close_whole_numbers_are_both_tried() -> None:
    """Where a step is less than one, chance rounds up or down, so that no number stands still."""
    design = tuning(parameter=(Parameter("expansion.visits", 1, 3, whole=True, start=2),), games=200, last_step=0.05)
    seen = {Spsa(design).propose(number, []).first["expansion.visits"] for number in range(90, 100)}
    assert seen >= {1, 2} or seen >= {2, 3}


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_places_are_those_of_their_values(parameter: Parameter) -> None:
    for place in [k / 8 for k in range(9)]:
        value = parameter.value(place)
        assert parameter.value(parameter.place(value)) == value
        assert abs(parameter.place(value) - place) < (0.1 if parameter.whole else 1e-3)
    assert [parameter.value(place) for place in (0.0, 1.0)] == [parameter.low, parameter.high]


# --- files ------------------------------------------------------------------------------------------------------------

FILE = """
preset = "kikashi"
games = 10
size = 5
simulations = 20
[[parameter]]
setting = "selection.x"
low = 0.0001
high = 0.01
"""
RANGE = "low = 0.0001\nhigh = 0.01\n"
MISTAKES: dict[str, tuple[Callable[[str], str], str]] = {
    "no TOML": (lambda text: text + "=", "this is not TOML"),
    "a setting of the file": (lambda text: "gaems = 3\n" + text, "there is no setting 'gaems'; did you mean games?"),
    "no games": (lambda text: text.replace("games = 10", ""), "the setting 'games' is missing"),
    "few games": (lambda text: text.replace("games = 10", "games = 1"), "games must be a whole number at least 2"),
    "no parameter": (lambda text: text[: text.index("[[")] + "parameter = []", "there is no parameter to tune"),
    "a preset": (lambda text: text.replace('"kikashi"', '"kikasho"'), "no preset is called 'kikasho'; did you mean"),
    "an option": (lambda text: 'options = "--sett x=1"\n' + text, "there is no option --sett"),
    "an opponent": (lambda text: 'opponents = ["nobody"]\n' + text, "'nobody' is neither a preset nor a program"),
    "two names": (lambda text: 'opponents = ["name=tuned lgrf2"]\n' + text, "two players are called 'tuned'"),
    "a part's parameter": (lambda text: text.replace("n.x", "n.y") + "start = 0.001", "has no parameter 'y'"),
    "no start": (lambda text: text.replace("n.x", "n.puct"), "parameter selection.puct: the preset says nothing about"),
    "no item": (lambda text: text.replace("selection.x", "prior.9.games"), "the preset says nothing about it"),
    "an empty range": (lambda text: text.replace("0.0001", "0.02"), "its range is empty: low is 0.02 and high is 0.01"),
    "an endless range": (lambda text: text.replace("0.01", "inf"), "low and high must be numbers"),
    "no range": (lambda text: text.replace("high = 0.01", ""), "it needs low and high, or words"),
    "a start outside": (lambda text: text.replace("0.01", "0.0002"), "it starts with 0.0017, outside of 0.0001 to"),
    "a logarithm of 0": (lambda text: text.replace("0.0001", "0") + 'scale="logarithmic"', "begins above 0, not at 0"),
    "no number": (lambda text: text.replace("selection.x", "choice.rule"), "'visits', which is no number: name its"),
    "a table": (lambda text: text.replace("selection.x", "selection"), "this is neither a number nor a word"),
    "a part of a number": (
        lambda text: text.replace("0.0001", "0") + "whole = true",
        "whole numbers have whole bounds",
    ),
    "no whole start": (
        lambda text: text.replace(RANGE, "low = 1\nhigh = 3\nwhole = true\nstart = 1.5"),
        "it starts with 1.5, which is no whole number",
    ),
    "no whole number": (
        lambda text: text.replace("selection.x", "expansion.visits").replace(RANGE, "low = 1\nhigh = 4.5"),
        "preset kikashi: ",
    ),
    "an end that is too far": (
        lambda text: text.replace("selection.x", "choice.resign").replace("0.01", "0.7"),
        "choice.resign must be a number below 0.5",
    ),
    "one word": (lambda text: text.replace(RANGE, 'words = ["visits"]'), "it needs two words at least"),
    "words and a range": (lambda text: text + 'words = ["a", "b"]', "it has a range or words, not both"),
    "no such word": (
        lambda text: text.replace("selection.x", "choice.rule").replace(RANGE, 'words = ["visits", "rubost"]'),
        "choice.rule cannot be 'rubost'",
    ),
    "another word": (
        lambda text: text.replace("selection.x", "choice.rule").replace(RANGE, 'words = ["value", "robust"]'),
        "it starts with 'visits'; there are value, robust",
    ),
    "twice": (lambda text: text + text[text.index("[[") :], "parameter selection.x is named twice"),
    "a board": (lambda text: text.replace("size = 5", "size = 99"), "boards are from 2 to 19, not 99"),
    "a test": (lambda text: "confirm = { sprt = [30, 0] }\n" + text, "SPRT needs elo0 below elo1"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_in_the_file_is_reported_in_one_line(case: str, tmp_path: Path) -> None:
    change, message = MISTAKES[case]
    path = tmp_path / "t.toml"
    path.write_text(change(FILE))
    check_refused(lambda: load_tuning(str(path)), message)


def test_a_file_is_read_with_the_preset_beside_it(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('base = "kikashi"\nselection = { x = 0.001 }\n')
    path = tmp_path / "t.toml"
    path.write_text(FILE.replace('"kikashi"', '"mine.toml"'))
    design = load_tuning(str(path), ["games=7", "parameter.0.high=0.1", "simulations=400"], scale=0.5)
    assert (design.start_values, design.games, design.trials, design.simulations) == ({"selection.x": 0.001}, 4, 2, 200)
    assert design.parameter[0].high == 0.1
    assert design.confirm.games == 200


def test_the_file_of_the_page_can_be_played(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "tuning.md").read_text()
    (tmp_path / "t.toml").write_text(page.split("```toml\n")[1].split("```")[0])
    design = load_tuning(str(tmp_path / "t.toml"))
    assert [len(parameter.words) for parameter in design.parameter] == [0, 0, 0, 2]
    for name in ("step", "last_step", "expected", "ahead"):
        assert f"`{name}`" in page
        assert f"({getattr(design, name):g})" in page, "the page has the default"


@pytest.mark.parametrize("name", TUNINGS.names)
def test_tunings_of_the_package_can_be_played(name: str) -> None:
    design = load_tuning(name)
    assert f"{design.size}x{design.size}" in name
    assert design.confirm.games


def test_a_preset_has_the_values_found_and_what_its_base_says(tmp_path: Path) -> None:
    more = (Parameter("prior.0.games", 0, 50, start=20), WORDS)
    design = tuning(parameter=(*PARAMETERS, *more), options="--set even_games=11")
    values = {**BEST, "prior.0.games": 25.5}
    table = {"base": "kikashi"} | preset_table(design, values)
    assert list(table) == ["base", "selection", "expansion", "even_games", "prior", "choice", "from_size"]
    assert table["selection"] == {"x": 0.004, "exploration": 1.8}
    assert table["from_size"]["17"]["prior"][0]["games"] == 25.5, "a setting without a size holds on every board"
    (tmp_path / "found.toml").write_text(as_toml(table))
    expected = load_preset("kikashi", ["even_games=11", *(f"{key}={value}" for key, value in values.items())])
    assert load_preset(str(tmp_path / "found.toml")).table == expected.table


# --- pictures ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("column", range(4))
def test_pictures_are_whole(column: int) -> None:
    design = tuning(parameter=(*PARAMETERS, WORDS), games=20)
    over_time = results_over_time(design, played(design), points=3)
    assert [found.games for found in over_time] == [0, 6, 14, 20]
    picture = parameter_plot(design.parameter[column], over_time, column + 1)
    tree = ElementTree.fromstring(picture)
    assert not any(word in value for e in tree.iter() for value in e.attrib.values() for word in ("nan", "inf"))
    assert "games" in picture


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "name a file, or --resume FOLDER"),
        (["kikashi-19x19"], "no tuning is called 'kikashi-19x19'; did you mean kikashi-"),
        (["kikashi-9x9", "--resume", "x"], "--resume goes on in its own folder as it was begun"),
        (["--resume", "nowhere"], "nowhere has no journal.jsonl: there is nothing to resume"),
        (["kikashi-9x9", "--set", "games"], "'games' is not key=value, as in games=200"),
    ],
)
def test_mistakes_of_the_command_line(words: list[str], message: str) -> None:
    result = CliRunner().invoke(main, ["tune", *words])
    assert result.exit_code != 0
    assert message in result.stderr
