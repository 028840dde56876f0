"""The cache of compiled kernels: never stale, never in the way, with progress while it is filled.

Each test runs processes of its own: on a copy of the package if it edits a kernel or damages a cache, else on the
package itself with the cache that all tests share.
"""

import os
import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kikashi import jit as compiling
from kikashi.jit.storage import MARK, MARKED, TRUST, EntryFiles, digest

pytestmark = pytest.mark.thorough
PROGRESS = re.compile(r"kikashi: compiling kernels[^:]*: (\d+) of (\d+)(?:, about (\d+) s left)?")

SMALL = """
from numba.core import event
from kikashi.board.points import BLACK, point
from kikashi.board.position import new_board
from kikashi.board.queries import is_eyelike

with event.install_recorder("numba:compile") as compiled:
    board = new_board(2)
    board["color"][[point(1, 2), point(2, 1)]] = BLACK
    print(is_eyelike(board, point(1, 1), BLACK), len(compiled.buffer) > 0)
"""
"""Asks a kernel of one file that calls a kernel of another; prints the answer and whether anything was compiled."""

CALLEE = "    return color[north(p)] & color[east(p)] & color[south(p)] & color[west(p)]\n"
"""The last line of `surrounding` in ``board/position.py``, which `is_eyelike` in ``board/queries.py`` calls."""


class Package:
    """A package to run, and the cache that it uses."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder = folder
        self.cache = cache

    def run(self, *arguments: str, checked: bool = False, **more: str) -> subprocess.CompletedProcess[str]:
        """Run Python on the package, with more variables in its environment."""
        own = {"PYTHONPATH": str(self.folder), "KIKASHI_CACHE": str(self.cache), "NUMBA_BOUNDSCHECK": str(int(checked))}
        command = [sys.executable, *arguments]
        return subprocess.run(command, capture_output=True, text=True, env=os.environ | own | more, check=False)

    def bench(self, *arguments: str, checked: bool = False) -> subprocess.CompletedProcess[str]:
        return self.run("-m", "kikashi", "bench", "playouts", "--playouts", "10", *arguments, checked=checked)

    def ask(self, *, checked: bool = False) -> tuple[str, bool]:
        """Whether the corner is eye-like, and whether kernels were compiled to say so."""
        done = self.run("-c", SMALL, checked=checked)
        assert done.returncode == 0, done.stderr
        answer, compiled = done.stdout.split()
        return answer, compiled == "True"

    def caches(self) -> list[Path]:
        return sorted((self.cache / "kernels").iterdir())

    def kernels_of(self, function: str) -> list[Path]:
        return list((self.cache / "kernels").glob(f"*/*{function}*"))


def without_progress(stderr: str) -> list[str]:
    return [line for line in stderr.splitlines() if not PROGRESS.fullmatch(line)]


def copy_of_the_package(folder: Path) -> Path:
    shutil.copytree(compiling.PACKAGE, folder / "kikashi", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A copy of the package that no test edits."""
    return copy_of_the_package(tmp_path_factory.mktemp("package"))


@pytest.fixture
def shared() -> Package:
    """The package itself and the cache of all tests, in which most kernels are."""
    return Package(compiling.PACKAGE.parent, compiling.cache_folder().parents[2])


@pytest.fixture(scope="module")
def small_cache(folder, tmp_path_factory) -> Path:
    """A cache that `SMALL` has filled, for copies."""
    package = Package(folder, tmp_path_factory.mktemp("small"))
    assert package.ask() == ("True", True)
    return package.cache


# -- never stale -------------------------------------------------------------------------------------------------------


def test_a_changed_kernel_is_never_served_from_a_stale_cache(tmp_path):
    """The caller's file stays as it is: Numba alone would not notice."""
    package = Package(copy_of_the_package(tmp_path), tmp_path / "cache")
    assert package.ask() == ("True", True)
    assert package.ask() == ("True", False)
    position = package.folder / "kikashi/board/position.py"
    source = position.read_text()
    assert source.count(CALLEE) == 1
    position.write_text(source.replace(CALLEE, CALLEE.replace("\n", " & 0\n")))
    assert package.ask() == ("False", True)
    assert package.ask() == ("False", False)


HELPER = """
from kikashi.jit import kernel


@kernel
def favourite(sim):
    return {point}
"""
USES_HELPER = '''
import sys
sys.path.insert(0, {folder!r})
from helper import favourite
from kikashi.playout import add, heuristic


@heuristic()
def favourite_point(sim, moves, my):
    """A point that another file knows."""
    add(moves, favourite(sim), 1.0)
'''


@pytest.mark.slow
def test_a_changed_helper_of_a_plugin_is_never_served_from_a_stale_cache(shared, tmp_path):
    """The plugin's own file stays as it is; what it imports is told to name a point off the board."""
    plugin, helper = tmp_path / "plugin.py", tmp_path / "helper.py"
    plugin.write_text(USES_HELPER.format(folder=str(tmp_path)))
    helper.write_text(HELPER.format(point=21))
    assert shared.bench("--plugin", str(plugin), "--playout", "favourite_point").returncode == 0
    helper.write_text(HELPER.format(point=0))
    assert shared.bench("--plugin", str(plugin), "--playout", "favourite_point").returncode == 1


# -- shared by all who have the same sources ---------------------------------------------------------------------------


def test_clones_share_what_one_of_them_has_compiled(folder, tmp_path):
    """A clone, a branch or an environment elsewhere with the same sources; checked kernels among themselves."""
    one, other = (Package(each, tmp_path / "cache") for each in (folder, copy_of_the_package(tmp_path)))
    assert one.ask() == ("True", True)
    assert other.ask() == ("True", False)
    assert other.ask(checked=True) == ("True", True)
    assert one.ask(checked=True) == ("True", False)


WEIGHED = """
from pathlib import Path
from kikashi.jit import kernel

WEIGHTS = tuple(map(float, Path(__file__).with_name("weights.txt").read_text().split()))


@kernel
def weighed(n):
    return sum([n * WEIGHTS[1] for _ in range(3)]) + WEIGHTS[0]
"""
ASKS_PLUGINS = """
import sys
from numba.core import event
from kikashi.parts.plugins import load_plugin

with event.install_recorder("numba:compile") as compiled:
    for file in sys.argv[1:]:
        load_plugin(file)
        (module,) = [module for module in list(sys.modules.values()) if getattr(module, "__file__", "") == file]
        print(module.weighed(10))
    print("compiled" if compiled.buffer else "loaded")
"""


def weighing(folder: Path, weights: str) -> str:
    """A plugin in a folder of its own that reads weights from a file beside it."""
    folder.mkdir()
    (folder / "weights.txt").write_text(weights)
    (folder / "weighing.py").write_text(WEIGHED)
    return str(folder / "weighing.py")


def test_a_plugin_is_known_by_its_content_wherever_it_is(folder, tmp_path):
    """Two of the same name and text that read other weights are two plugins, in one process as well."""
    package = Package(folder, tmp_path / "cache")
    one, copy = weighing(tmp_path / "one", "1 2"), weighing(tmp_path / "copy", "1 2")
    swapped = weighing(tmp_path / "swapped", "2 1")
    for plugins, answer in [
        ([one], ["61.0", "compiled"]),
        ([copy], ["61.0", "loaded"]),
        ([copy, swapped], ["61.0", "32.0", "compiled"]),
        ([one, swapped, copy], ["61.0", "32.0", "61.0", "loaded"]),
    ]:
        done = package.run("-c", ASKS_PLUGINS, *plugins)
        assert done.stdout.split() == answer, (plugins, done.stderr)


def test_old_editions_of_a_plugin_are_forgotten(folder, tmp_path):
    """Those of other functions stay."""
    package = Package(folder, tmp_path / "cache")
    plugin = weighing(tmp_path / "plugin", "1 2")
    package.run("-c", ASKS_PLUGINS, plugin)
    (cache,) = package.caches()
    (index,) = cache.glob("*.nbi")
    name, line, _ = index.name.split("-", 2)
    rest = index.name.split(".", 2)[2]
    old = [cache / f"{name}-{line}-{number:020}.{rest}" for number in range(compiling.KEPT_EDITIONS + 5)]
    others = [cache / f"{name}-{line}-12345678.{rest}", cache / f"other_{name}-{line}-{0:020}.{rest}"]
    for path in [*old, *others]:
        for each in (path, path.with_suffix(".1.nbc")):
            each.write_text("")
            os.utime(each, (1e9, 1e9))
    Path(plugin).write_text(f"{WEIGHED}\n")
    package.run("-c", ASKS_PLUGINS, plugin)
    left = [path for path in old if path.exists()]
    assert len(left) == compiling.KEPT_EDITIONS - 2
    assert len(list(cache.glob(f"{name}-*.nbc"))) == compiling.KEPT_EDITIONS + 1
    assert all(path.exists() for path in [index, *others])


STEPS = "\n        ".join(f"x = x * {i + 3} ^ x >> 1; x += t[x % 9] if x % {i + 2} == 1 else 0" for i in range(60))
FAMILY = f"""
from kikashi.jit import kernel


def make(n):
    @kernel
    def member(x, t):
        {STEPS}
        return n if x != 3 else x

    return member


one, two = make(1), make(2)


@kernel
def ones(x, t):
    return one(x, t) + one(x + 1, t)


@kernel
def twos(x, t):
    return two(x, t) + two(x + 1, t)
"""


def test_functions_of_one_name_from_several_processes_stay_apart(folder, tmp_path):
    """They are too long to be inlined, and Numba numbers them alike in processes that each compile one of them."""
    package = Package(folder, tmp_path / "cache")
    (tmp_path / "family.py").write_text(FAMILY)
    program = "import sys, numpy, family; print(*(getattr(family, name)(10, numpy.arange(9)) for name in sys.argv[1:]))"
    for names, answer in [(["ones"], "2"), (["twos"], "4"), (["ones", "twos"], "2 4"), (["twos", "ones"], "4 2")]:
        done = package.run("-c", program, *names, PYTHONPATH=f"{folder}{os.pathsep}{tmp_path}")
        assert done.stdout.strip() == answer, (names, done.stderr)


# -- bounds checking ---------------------------------------------------------------------------------------------------

BEYOND = '''
from kikashi.playout import add, heuristic


@heuristic(index=99_999)
def reads_beyond(sim, moves, my):
    """Reads a colour where the board has none."""
    if sim.board.color[my.index] == 1:
        add(moves, 21, 1.0)
'''


@pytest.mark.slow
def test_bounds_checking_really_checks(shared, tmp_path):
    """Within bounds all is well; beyond them the run fails with one line. Unchecked kernels are there, but not used."""
    plugin = tmp_path / "beyond.py"
    plugin.write_text(f"{BEYOND}\n# {tmp_path}\n")  # no other run has compiled it
    before = set(shared.kernels_of("reads_beyond"))
    for checked in (False, True):
        within = shared.bench("--plugin", str(plugin), "--playout", "reads_beyond(index=21)", checked=checked)
        assert within.returncode == 0, within.stderr
    unchecked = compiling.cache_folder().name
    added = {file.parent.name for file in set(shared.kernels_of("reads_beyond")) - before}
    assert added == {unchecked, f"{unchecked}-checked"}
    beyond = shared.bench("--plugin", str(plugin), "--playout", "reads_beyond", checked=True)
    assert (beyond.returncode, beyond.stdout) == (1, "")
    (line,) = beyond.stderr.splitlines()
    assert re.match(r"Error: heuristic 'reads_beyond' in .*beyond\.py, line \d+: IndexError", line)


# -- never in the way --------------------------------------------------------------------------------------------------


def test_without_room_for_a_cache_it_works_and_says_so_once(folder, tmp_path):
    file = tmp_path / "file"
    file.write_text("a file, where a folder should be")
    done = Package(folder, file / "cache").run("-c", SMALL)
    assert (done.returncode, done.stdout) == (0, "True True\n")
    (line,) = without_progress(done.stderr)
    assert line.startswith(f"kikashi: cannot keep compiled kernels in {file}")


def cut_off(share: float):
    return lambda content: content[: int(share * len(content))]


def flip_a_bit(content: bytes) -> bytes:
    middle = len(content) // 2  # machine code, which would run
    return content[:middle] + bytes([content[middle] ^ 4]) + content[middle + 1 :]


@pytest.mark.parametrize("damage", [cut_off(0.0), cut_off(0.5), cut_off(0.99), flip_a_bit])
@pytest.mark.parametrize("names", ["*", "*.nbi", "*.nbc"])
def test_nothing_is_taken_from_a_damaged_file(tmp_path, names, damage):
    files = EntryFiles(str(tmp_path), "kernel", "stamp")
    files.save("key", "code")
    assert files.load("key") == "code"
    for file in tmp_path.glob(names):
        file.write_bytes(damage(file.read_bytes()))
    assert files.load("key") is None


@pytest.mark.parametrize(("names", "damage"), [("*.nbi", cut_off(0.5)), ("*-python.1.nbc", flip_a_bit)])
def test_a_damaged_cache_is_made_anew(folder, small_cache, tmp_path, names, damage):
    package = Package(folder, shutil.copytree(small_cache, tmp_path / "cache"))
    files = list(package.caches()[0].glob(names))
    assert files
    for file in files:
        file.write_bytes(damage(file.read_bytes()))
    assert package.ask() == ("True", True)
    assert package.ask() == ("True", False)


def test_old_caches_are_forgotten(folder, tmp_path):
    """The latest stay, and folders without a mark; nothing is forgotten while the present cache is in use."""
    package = Package(folder, tmp_path)
    old = [tmp_path / "kernels" / f"old{age}" for age in range(20)]
    foreign = [tmp_path / "kernels" / f"linux-6.{number}" for number in range(20)]
    for age, cache in enumerate([*old, *foreign]):
        cache.mkdir(parents=True)
        (cache / MARK).write_bytes(MARKED if cache in old else b"vmlinuz")
        os.utime(cache, (1e9 - age, 1e9 - age))
    package.ask()
    kept = set(package.caches()) - set(foreign)
    assert len(kept) == compiling.KEPT_CACHES + 1
    assert kept > set(old[: compiling.KEPT_CACHES])
    assert all((path / MARK).exists() for path in foreign)
    old[-1].mkdir()
    assert package.ask() == ("True", False)
    assert set(package.caches()) - set(foreign) == kept | {old[-1]}


WHERE = "from kikashi.jit import cache_folder; print(cache_folder())"


def test_every_processor_has_a_cache_of_its_own(folder, tmp_path):
    """So `kikashi warm` is right on each of them, where they share a home directory."""
    package = Package(folder, tmp_path)
    assert package.run("-c", WHERE).stdout == package.run("-c", WHERE).stdout
    assert package.run("-c", WHERE).stdout != package.run("-c", WHERE, NUMBA_CPU_NAME="generic").stdout


def test_an_empty_name_means_the_default(folder, tmp_path):
    """Neither variable names the working directory; XDG says that a relative path is to be ignored."""
    variables = {"KIKASHI_CACHE": "", "HOME": str(tmp_path)}
    for caches in ("", "relative"):
        done = Package(folder, tmp_path).run("-c", WHERE, **variables, XDG_CACHE_HOME=caches)
        assert (done.stderr, Path(done.stdout).parent) == ("", tmp_path / ".cache/kikashi/kernels")


def test_without_a_home_kernels_are_kept_in_a_private_folder(folder, tmp_path):
    """`expanduser` leaves ~ as it is for a user who has no home and no entry in the table of users."""
    program = f"import os, pwd; del os.environ['HOME']; pwd.getpwuid = {{}}.__getitem__\n{WHERE}"
    done = Package(folder, tmp_path).run("-c", program, KIKASHI_CACHE="", XDG_CACHE_HOME="", TMPDIR=str(tmp_path))
    private = tmp_path / f"kikashi-{os.geteuid()}"
    assert Path(done.stdout).parent == private / "kernels"
    assert private.stat().st_mode & 0o777 == 0o700
    (line,) = done.stderr.splitlines()
    assert line.startswith("kikashi: compiled kernels have no place to be kept: there is no home directory")


# -- never somebody else's ---------------------------------------------------------------------------------------------


class Planted:
    """A pickle that makes a file when it is loaded."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self):
        return os.mkdir, (str(self.trace),)


def others_may_write(path: Path) -> None:
    path.chmod(0o777)


def belongs_to_another(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(path, 12345, -1)


@pytest.mark.parametrize(
    ("spoil", "which"),
    [
        (others_may_write, "kernels"),
        (others_may_write, "kernels/*/*"),
        (belongs_to_another, "kernels/*"),
        (belongs_to_another, "kernels/*/*"),
    ],
)
def test_what_others_can_have_written_is_not_loaded(folder, small_cache, tmp_path, spoil, which):
    """Of all versions, of one, or its files; a process that is told to trust them does load them."""
    package = Package(folder, shutil.copytree(small_cache, tmp_path / "cache"))
    trace, spoilt = tmp_path / "loaded", sorted(package.cache.glob(which))
    for index in package.kernels_of(".nbi"):
        content = pickle.dumps(Planted(trace))
        index.write_bytes(digest(str(index), content) + content)
    for path in spoilt:
        spoil(path)
    private = {"TMPDIR": str(tmp_path), "KIKASHI_CACHE": str(package.cache)}
    done = package.run("-c", SMALL, **private)
    assert (done.returncode, done.stdout) == (0, "True True\n"), done.stderr
    assert not trace.exists()
    (line,) = without_progress(done.stderr)
    assert re.search(r"^kikashi: .*compiled kernels.*(belongs to another user|other users can write)", line)
    if spoilt[0].is_dir():
        assert f"{tmp_path / f'kikashi-{os.geteuid()}'} is used instead" in line
        again = package.run("-c", SMALL, **private)
        assert (again.stdout, again.stderr) == ("True False\n", f"{line}\n"), "what was compiled is not kept"
        package.run("-c", SMALL, **private, **{TRUST: "1"})
        assert trace.exists()


def test_what_is_kept_is_trusted_whatever_the_umask(folder, tmp_path):
    package = Package(folder, tmp_path / "cache")
    program = f"import os; os.umask(0)\n{SMALL}"
    assert package.run("-c", program).stdout == "True True\n"
    done = package.run("-c", program)
    assert (done.stdout, done.stderr) == ("True False\n", "")


# -- no secret ---------------------------------------------------------------------------------------------------------


CAUGHT = """
import numpy as np
from kikashi.board.ladders import is_caught
from kikashi.board.points import POINTS, point
from kikashi.board.position import new_board, play
from kikashi.jit import announced, progress

progress.PATIENCE = progress.PAUSE = 0.0
with announced([play, is_caught], "for a test"):
    board = new_board(5)
    for p in (point(1, 1), point(1, 2)):
        play(board, p)
    print(is_caught(board, point(1, 1), np.zeros(POINTS, np.int64)))
"""


def test_the_first_run_tells_how_far_it_is_and_the_second_is_silent(folder, tmp_path):
    package = Package(folder, tmp_path)
    first = package.run("-c", CAUGHT)
    assert first.returncode == 0, first.stderr
    assert without_progress(first.stderr) == []
    steps = [(int(done), int(total)) for done, total, _left in PROGRESS.findall(first.stderr)]
    assert all(done <= total for done, total in steps)
    assert steps == sorted(steps), "it goes back"
    assert steps[-1][0] > 20, "it does not move"
    assert len({total for _, total in steps}) == 1, "the total is not the one it began with"
    second = package.run("-c", CAUGHT)
    assert (second.stdout, second.stderr) == (first.stdout, "")


# -- entries and callees -----------------------------------------------------------------------------------------------

CALLS = """
from kikashi.jit import kernel


@kernel
def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


@kernel
def checked(n):
    if n < 0:
        raise ValueError("a negative number")
    return n


@kernel
def both(n):
    return factorial(checked(n)) + checked(1)
"""
ASKS = """
import calls

print(calls.both(5), calls.factorial(3), calls.both(4.0), calls.both(3), calls.checked(2))
try:
    calls.both(-1)
except ValueError as error:
    print(error)
"""


def test_kernels_call_each_other_and_themselves_and_raise(folder, tmp_path):
    """From Python and from kernels, for several types, compiled and from the cache."""
    package = Package(folder, tmp_path / "cache")
    (tmp_path / "calls.py").write_text(CALLS)
    for _ in range(3):
        done = package.run("-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{ASKS}")
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[:2] == ["121 6 25.0 7 2", "a negative number"]


def test_only_what_is_entered_becomes_machine_code(folder, small_cache):
    """What kernels call is linked into them: none of it has machine code, or a wrapper for Python, of its own."""
    (cache,) = Package(folder, small_cache).caches()
    entered = {file.name.split("-")[0].split(".")[-1] for file in cache.glob("*-python.nbi")}
    assert entered == {"is_eyelike", "one_liberty"}
    others = {file.name for file in cache.glob("*.nbi")} - {file.name for file in cache.glob("*-python.nbi")}
    assert len(others) > 4
    assert all(name.endswith("-callee.nbi") for name in others)
