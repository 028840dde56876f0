"""The command line: what it prints, and one clear line for every mistake of its user."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

import pytest
from click.testing import CliRunner, Result

import kikashi
from kikashi.board.points import parse_vertex
from kikashi.cli import main
from kikashi.cli.streams import INTERRUPTED

COMMAND = [sys.executable, "-m", "kikashi"]
KOMIS = ("0", "5.5", "7.5")


def kikashi_says(*arguments: str) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(main, arguments)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, without a terminal."""
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, env=plain_environment(), check=False)


def plain_environment() -> dict[str, str]:
    """The environment, less what would make Rich believe in a terminal."""
    return {key: value for key, value in os.environ.items() if key not in ("FORCE_COLOR", "TTY_COMPATIBLE")}


def bench(*arguments: str, playouts: int = 500) -> dict[str, Any]:
    """The JSON object of a benchmark in this process."""
    result = kikashi_says("bench", "playouts", "--json", "--playouts", str(playouts), *arguments)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def counts(report: dict[str, Any]) -> dict[str, Any]:
    """All of a report that does not depend on the clock."""
    return {key: value for key, value in report.items() if key not in (*SPEED, "cpu_s")}


def only_error(stderr: str) -> str:
    """The one line that says what was wrong. Progress of compiling may come before it."""
    lines = [line for line in stderr.splitlines() if not line.startswith("kikashi: compiling")]
    assert len(lines) == 1, stderr
    assert lines[0].startswith("Error: "), stderr
    return lines[0]


def error_of(*arguments: str) -> str:
    """The error line of a benchmark that must fail, without an object and without a traceback."""
    result = kikashi_says("bench", "playouts", "--json", "--playouts", "10", *arguments)
    assert (result.exit_code, result.stdout) == (1, "")
    assert isinstance(result.exception, SystemExit), "an exception that click does not know: the user sees a traceback"
    return only_error(result.stderr)


# -- the report --------------------------------------------------------------------------------------------------------

SPEED = ["playouts_per_s", "moves_per_s"]
KEYS = [*SPEED, "moves_per_playout", "black_wins", "moves_by", "playouts", "cpu_s", "size", "threads", "seed"]


def check_report(report: dict[str, Any], *, playouts: int, size: int, threads: int = 1, seed: int = 1) -> None:
    """Check what every report has in common. Numbers are rounded, hence the tolerances."""
    assert list(report) == KEYS
    assert (report["playouts"], report["size"]) == (playouts, size)
    assert (report["threads"], report["seed"]) == (threads, seed)
    assert sum(report["moves_by"].values()) == pytest.approx(1, abs=1e-4)
    assert all(0 <= share <= 1 for share in report["moves_by"].values())
    wins = [report["black_wins"][komi] for komi in KOMIS]
    assert list(report["black_wins"]) == list(KOMIS)
    assert 1 >= wins[0] >= wins[1] >= wins[2] >= 0
    assert 2 <= report["moves_per_playout"] <= 3 * size * size
    assert report["moves_per_s"] == pytest.approx(report["playouts_per_s"] * report["moves_per_playout"], rel=0.01)
    assert report["cpu_s"] > 0


@pytest.mark.parametrize("size", [2, 9, 19])
def test_the_report_has_its_keys_and_sane_values(size):
    report = bench("--size", str(size), "--seed", "5", playouts=2000)
    check_report(report, playouts=2000, size=size, seed=5)
    assert list(report["moves_by"]) == ["uniform", "pass"]


@pytest.mark.thorough
def test_the_report_of_a_process_is_one_line_and_the_same():
    done = run("bench", "playouts", "--json", "--playouts", "500", "--seed", "3")
    assert (done.returncode, done.stdout.count("\n")) == (0, 1)
    check_report(json.loads(done.stdout), playouts=500, size=9, seed=3)
    assert counts(json.loads(done.stdout)) == counts(bench("--seed", "3"))


def test_one_seed_gives_one_result():
    first, again, other = (bench("--seed", seed) for seed in ("7", "7", "8"))
    assert counts(first) == counts(again)
    assert first["black_wins"] != other["black_wins"]
    assert first["moves_per_playout"] != other["moves_per_playout"]


def test_a_named_list_has_its_own_feasibility_rule() -> None:
    own, coulom, eyelike = (
        bench("--playout", "crazystone", *more, playouts=50)
        for more in ([], ["--feasibility", "coulom"], ["--feasibility", "eyelike"])
    )
    assert counts(own) == counts(coulom) != counts(eyelike)


@pytest.mark.parametrize(("threads", "playouts"), [(2, 1001), (3, 2), (2, 512)])
def test_threads_share_the_playouts(threads, playouts):
    report = bench("--threads", str(threads), playouts=playouts)
    assert (report["threads"], report["playouts"]) == (threads, playouts)


@pytest.mark.parametrize("rule", ["eyelike", "orego", "orego_a", "orego_b", "coulom"])
def test_every_feasibility_rule_can_be_named(rule):
    check_report(bench("--feasibility", rule), playouts=500, size=9)


def test_without_json_the_report_is_text():
    result = kikashi_says("bench", "playouts", "--playouts", "500", "--size", "5", "--seed", "4")
    report = bench("--size", "5", "--seed", "4")
    assert result.exit_code == 0
    assert "uniform on 5x5, 1 thread(s), seed 4" in result.stdout
    assert f"{report['moves_per_playout']} moves a playout (500 playouts" in result.stdout
    assert f"{report['black_wins']['7.5']:.1%} at komi 7.5" in result.stdout


# -- plugins that work -------------------------------------------------------------------------------------------------

WORKING = '''
from kikashi.board import parse_vertex
from kikashi.playout import add, heuristic

CENTRE = parse_vertex("E5", 9)


@heuristic(weight=1.0)
def cli_centre(sim, moves, my):
    """Wants the centre."""
    add(moves, CENTRE, my.weight)


@heuristic()
def cli_anywhere(sim, moves, my):
    """Takes any point."""
    moves.base = 1.0
'''


@pytest.fixture(scope="module")
def working(tmp_path_factory) -> str:
    file = tmp_path_factory.mktemp("plugin") / "cli_working.py"
    file.write_text(WORKING)
    return str(file)


def test_a_plugin_gives_heuristics_with_parameters(working):
    report = bench("--plugin", working, "--playout", "cli_centre(weight=2), cli_anywhere")
    check_report(report, playouts=500, size=9)
    assert list(report["moves_by"]) == ["cli_centre(weight=2.0)", "cli_anywhere", "uniform", "pass"]
    assert report["moves_by"]["cli_centre(weight=2.0)"] * report["moves_per_playout"] > 0.99
    assert report["moves_by"]["cli_anywhere"] > 0.5
    assert report["moves_by"]["uniform"] == 0


def test_a_heuristic_that_is_named_twice_is_counted(working):
    report = bench("--plugin", working, "--playout", "cli_centre,cli_centre,cli_anywhere,cli_anywhere")
    check_report(report, playouts=500, size=9)


# -- mistakes in the list of parts -------------------------------------------------------------------------------------

BAD_LISTS = {
    "no_such": "no heuristic is called 'no_such'",
    "cli_center": "did you mean cli_centre?",
    "cli_centre,no_such": "'no_such'",
    "cli_centre(": "'cli_centre('",
    "cli_centre)": "'cli_centre)'",
    "cli+centre": "'cli+centre' is not a part",
    "": "'' is not a part",
    "cli_centre,,cli_anywhere": "'' is not a part",
    "uniform,cli_centre": "uniform always has a move",
    "cli_centre(height=1)": "heuristic 'cli_centre' has no parameter 'height'; it has weight",
    "cli_anywhere(height=1)": "heuristic 'cli_anywhere' has no parameter 'height'; it has skip",
    "cli_centre(weight)": "cli_centre: 'weight' is not parameter=value",
    "cli_centre(weight=)": "cli_centre: 'weight=' is not parameter=value",
    "cli_centre(weight=heavy)": "heuristic 'cli_centre': weight must be a number, not 'heavy'",
    "cli_centre(weight=true)": "heuristic 'cli_centre': weight must be a number, not True",
    "cli_centre(weight='2')": "heuristic 'cli_centre': weight must be a number, not '2'",
    ",".join(["cli_centre"] * 17): "at most 16 heuristics, not 17",
}
BAD_RULES = {
    "no_such": "no feasibility is called 'no_such'; there are ",
    "cli_centre": "no feasibility is called 'cli_centre'",
    "eyelike(size=2)": "feasibility 'eyelike' has no parameter 'size'",
    "eyelike,orego": "'eyelike,orego' is not a part",
}


@pytest.mark.parametrize("playout", BAD_LISTS, ids=lambda text: text[:40] or "nothing")
def test_a_bad_list_of_heuristics_is_one_clear_line(working, playout):
    assert BAD_LISTS[playout] in error_of("--plugin", working, "--playout", playout)


@pytest.mark.parametrize("rule", BAD_RULES)
def test_a_bad_feasibility_rule_is_one_clear_line(working, rule):
    assert BAD_RULES[rule] in error_of("--plugin", working, "--feasibility", rule)


def test_a_process_that_fails_prints_one_line():
    done = run("bench", "playouts", "--playout", "no_such", "--json")
    assert (done.returncode, done.stdout) == (1, "")
    assert "no_such" in only_error(done.stderr)


@pytest.mark.parametrize(
    ("option", "value"),
    [("--size", "1"), ("--size", "20"), ("--threads", "0"), ("--playouts", "0"), ("--seconds", "0"), ("--seed", "-1")],
)
def test_a_bad_option_is_a_usage_error(option, value):
    result = kikashi_says("bench", "playouts", option, value)
    assert (result.exit_code, result.stdout) == (2, "")
    assert re.match(f"Error: Invalid value for '{option}': {value}", result.stderr.splitlines()[-1])


# -- plugins that cannot be loaded -------------------------------------------------------------------------------------

BAD_FILES = {
    "syntax_error": ("x = 1\ndef f(:\n", "line 2: SyntaxError"),
    "null_byte": ("a\0b", "SyntaxError"),
    "raises": ("def f():\n    raise KeyError('the key')\nf()\n", "KeyError: 'the key'"),
    "raises_in_lines": ("raise ValueError('one\\ntwo')", "ValueError: one two"),
    "imports_nothing": ("\nimport no_such_module_anywhere", "line 2: .*No module named 'no_such_module_anywhere'"),
    "unknown_import": ("from kikashi.board import in_attari\n", "line 1: .*in_attari"),
    "exits": ("import sys\nsys.exit('good bye')", "good bye"),
    "bare_decorator": (
        "from kikashi.playout import heuristic\n@heuristic\ndef f(sim, moves, my): pass\n",
        "TypeError: heuristic needs parentheses",
    ),
    "text_parameter": (
        "from kikashi.playout import heuristic\n@heuristic(name='x')\ndef cli_text(sim, moves, my): pass\n",
        "heuristic 'cli_text'.*parameter 'name' must be",
    ),
    "yields": (
        "from kikashi.playout import heuristic\n@heuristic()\ndef cli_yields(sim, moves, my): yield 21\n",
        "heuristic 'cli_yields'.* line 2: it must not yield",
    ),
    "taken_name": (
        "from kikashi.playout import heuristic\n@heuristic()\ndef uniform(sim, moves, my): pass\n",
        "heuristic 'uniform' in .*taken_name.py: the name is taken",
    ),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_plugin_that_cannot_be_loaded_is_one_clear_line(tmp_path, name):
    source, said = BAD_FILES[name]
    file = tmp_path / f"{name}.py"
    file.write_text(source)
    line = error_of("--plugin", str(file))
    assert re.search(said, line)
    assert f"{name}.py" in line or "heuristic 'cli_" in line


@pytest.mark.parametrize(("name", "said"), [("none.py", "no such file"), ("", "no such file"), ("text.txt", "Python")])
def test_a_plugin_must_be_a_python_file(tmp_path, name, said):
    (tmp_path / "text.txt").write_text("pass")
    file = tmp_path / name
    assert re.search(f"plugin {re.escape(str(file))}: .*{said}", error_of("--plugin", str(file)))


# -- plugins whose parts are broken ------------------------------------------------------------------------------------

BROKEN = '''
import numpy as np
from kikashi.playout import REDRAW, add, bar, heuristic


@heuristic(zero=0.0, point={point}, many=100_000)
def {name}(sim, moves{my}):
    """A heuristic that is wrong."""
    {body}
'''
FAILS = {
    "cli_wall": ("add(moves, 0, 1.0)", "a point that is not on the board"),
    "cli_beside": ("add(moves, my.point + 9, 1.0)", "a point that is not on the board"),
    "cli_negative": ("add(moves, -1, 1.0)", "a point that is not on the board"),
    "cli_far_off": ("add(moves, my.many, 1.0)", "a point that is not on the board"),
    "cli_second_point": ("add(moves, my.point, 1.0); add(moves, 0, 0.0)", "a point that is not on the board"),
    "cli_bars_far_off": ("bar(moves, my.many, False)", "a point that is not on the board"),
    "cli_bars_wall": ("bar(moves, 0, True)", "a point that is not on the board"),
    "cli_overfull": ("for i in range(my.many): add(moves, my.point, 1.0)", "more points than the list holds"),
    "cli_negative_weight": ("add(moves, my.point, -0.5)", "weight that is negative, infinite or not a number"),
    "cli_nan_weight": ("add(moves, my.point, np.nan)", "weight that is negative, infinite or not a number"),
    "cli_infinite_weight": ("add(moves, my.point, 1 / my.zero)", "weight that is negative, infinite or not a number"),
    "cli_negative_base": ("moves.base = -1.0", "weight that is negative, infinite or not a number"),
    "cli_nan_base": ("moves.base = np.nan", "weight that is negative, infinite or not a number"),
    "cli_raises": ("raise ValueError('no move')", "ValueError: no move"),
    "cli_wrong_type": ("add(moves, my.point, 1.0 + 'heavy')", "does not work with"),
    "cli_two_arguments": ("pass", "it is called with 3 arguments, but takes "),
}


def broken_plugin(folder: Path, name: str, body: str) -> str:
    my = "" if name == "cli_two_arguments" else ", my"
    file = folder / f"{name}.py"
    file.write_text(BROKEN.format(name=name, body=body, my=my, point=parse_vertex("A1", 9)))
    return str(file)


@pytest.mark.parametrize("name", FAILS)
def test_a_heuristic_that_fails_is_one_clear_line(tmp_path, name):
    body, said = FAILS[name]
    line = error_of("--plugin", broken_plugin(tmp_path, name, body), "--playout", name)
    assert re.match(rf"Error: heuristic '{name}' in .*{name}\.py, line \d+(, does not compile)?: .*{said}", line)


def test_the_part_that_fails_is_named_among_others_and_in_threads(working, tmp_path):
    plugin = broken_plugin(tmp_path, "cli_fails_late", "add(moves, my.point if sim.length < 9 else 0, 1.0)")
    playout = "cli_centre,cli_fails_late,cli_anywhere"
    line = error_of("--plugin", working, "--plugin", plugin, "--playout", playout, "--threads", "2")
    assert line.startswith("Error: heuristic 'cli_fails_late' in ")


def test_a_feasibility_rule_that_does_not_compile_is_one_clear_line(tmp_path):
    file = tmp_path / "rule.py"
    rule = "@feasibility()\ndef cli_rule(sim, point, my):\n    return sim.no_such_field\n"
    file.write_text(f"from kikashi.playout import feasibility\n{rule}")
    line = error_of("--plugin", str(file), "--feasibility", "cli_rule")
    assert re.match(r"Error: feasibility 'cli_rule' in .*rule\.py, line 4, does not compile: .*no_such_field", line)


TOO_LARGE = {"cli_large": ("many", 10**30), "cli_very_negative": ("many", -(10**30)), "cli_huge": ("zero", 10**400)}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_a_parameter_too_large_for_the_machine_is_one_clear_line(tmp_path, name):
    parameter, value = TOO_LARGE[name]
    plugin = broken_plugin(tmp_path, name, "moves.base = 1.0")
    assert name in error_of("--plugin", plugin, "--playout", f"{name}({parameter}={value})")


# -- Ctrl-C ------------------------------------------------------------------------------------------------------------


def cpu_seconds(pid: int) -> float:
    """User and system time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def cpu_seconds_of_a_start() -> float:
    """Measure a process to its first playout and to its end, with compiled kernels."""
    run("bench", "playouts", "--playouts", "1")
    before = getrusage(RUSAGE_CHILDREN)
    run("bench", "playouts", "--playouts", "1")
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


INTERRUPTIBLE = """
import signal
from kikashi.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets what it starts in the background ignore Ctrl-C
main()
"""


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs to see how far a process is")
def test_ctrl_c_prints_the_report_so_far():
    """The signal comes when the process has used the time of two starts and half a second more."""
    wanted = 2 * cpu_seconds_of_a_start() + 0.5
    arguments = ["bench", "playouts", "--seconds", "3600", "--threads", "2", "--json"]
    command = [sys.executable, "-c", INTERRUPTIBLE, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            while cpu_seconds(process.pid) < wanted and process.poll() is None:
                time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate(timeout=600)
        finally:
            process.kill()
    assert (process.returncode, stderr) == (INTERRUPTED, "")
    report = json.loads(stdout)
    check_report(report, playouts=report["playouts"], size=9, threads=2)


# -- the command itself ------------------------------------------------------------------------------------------------


def test_version():
    assert run("--version").stdout == f"kikashi, version {kikashi.__version__}\n"


@pytest.mark.parametrize(("arguments", "named"), [([], "bench"), (["bench"], "playouts"), (["bench", "playouts"], "")])
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_names_commands_and_options(arguments, named, option):
    result = kikashi_says(*arguments, option)
    assert result.exit_code == 0
    for word in [named] if named else ["--size", "--playout", "--threads", "--seconds", "--seed", "--plugin", "--json"]:
        assert word in result.stdout


# --- simulations ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["gtp", "play", "demo", "review"])
def test_simulations_may_be_called_playouts(command: str) -> None:
    shown = " ".join(kikashi_says(command, "--help").stdout.split())
    assert "--simulations, --playouts INTEGER RANGE Simulations for each move" in shown
    refused = [kikashi_says(command, name, "0") for name in ("--simulations", "--playouts")]
    assert all("'--simulations' / '--playouts': 0 is not in the range" in result.stderr for result in refused)
