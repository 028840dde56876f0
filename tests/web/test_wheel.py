"""The page is in the wheel: built, installed where nothing else of ours is, served, and every file of it fetched.

And the command that serves it."""

from __future__ import annotations

import http.client
import re
import signal
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from helpers.tools import AXE, missing
from helpers.web import PATIENCE
from kikashi.cli.streams import INTERRUPTED
from kikashi.web.server import FOLDER

ROOT = Path(__file__).parents[2]
FETCH = """
import http.client, sys
import kikashi
from kikashi.web.tasks import ServerState
from kikashi.web.server import Server
import threading
assert kikashi.__file__.startswith(sys.argv[1]), kikashi.__file__
server = Server(ServerState(), port=0)
threading.Thread(target=server.run, daemon=True).start()
def get(path):
    connection = http.client.HTTPConnection(server.host, timeout=60)
    connection.request("GET", path)
    answer = connection.getresponse()
    assert answer.status == 200, (path, answer.status)
    return answer.read().decode()
page = get("/")
import re
for path in [*re.findall(r'(?:href|src)="(/[^"]+)"', page), "/licences.txt"]:
    print(path, len(get(path)))
server.stop()
"""


@pytest.mark.thorough
def test_a_wheel_brings_the_page_and_all_its_files(tmp_path: Path) -> None:
    if not AXE.is_file():
        missing("the packages of the page are not installed; make page does that")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    build = [*pip, "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", str(tmp_path), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    clean = tmp_path / "clean"
    wheel = next(tmp_path.glob("kikashi-*.whl"))
    subprocess.run([*pip, "install", "--no-deps", "--target", str(clean), str(wheel)], check=True, capture_output=True)
    program = f"import sys; sys.path.insert(0, {str(clean)!r})\n{FETCH}"
    done = subprocess.run(
        [sys.executable, "-I", "-c", program, str(clean)], check=True, capture_output=True, text=True, cwd=tmp_path
    )
    assert re.findall(r"^(\S+) [1-9]", done.stdout, re.MULTILINE) == [
        "/icon.svg",
        "/page.css",
        "/page.js",
        "/licences.txt",
    ]
    _is_packed_with_its_sources(tmp_path)
    licences = (clean / "kikashi" / "web" / "static" / "licences.txt").read_text()
    assert all(name in licences for name in ("preact", "uplot", "d3-hierarchy"))


def _is_packed_with_its_sources(folder: Path) -> None:
    """Whether a source distribution has the page, built, and what it is built from; nothing that npm installed."""
    build = [sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", str(folder)]
    subprocess.run(build, check=True, capture_output=True, cwd=ROOT)
    with tarfile.open(next(folder.glob("kikashi-*.tar.gz"))) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    assert {f"src/kikashi/web/static/{name}" for name in ("index.html", "page.js", "page.css")} <= set(names)
    assert "frontend/package-lock.json" in names
    assert not [name for name in names if "node_modules" in name]


def test_nothing_is_packed_without_the_page(tmp_path: Path) -> None:
    program = f"""
import sys; sys.path.insert(0, {str(ROOT)!r})
from hatch_build import PageHook
PageHook({str(tmp_path)!r}, {{}}, None, None, "", "wheel").initialize("standard", {{"artifacts": []}})
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "is missing: make page builds it" in done.stderr


INTERRUPTIBLE = """
import signal
from kikashi.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets what it starts in the background ignore Ctrl-C
main()
"""


@pytest.mark.thorough
def test_the_command_says_first_where_it_is_and_nothing_else_until_it_is_ended(tmp_path: Path) -> None:
    if not FOLDER.is_dir():
        missing("the page is not built; make page does that")
    command = [sys.executable, "-c", INTERRUPTIBLE, "web", "--no-browser", "--port", "0", "--folder", str(tmp_path)]
    command += ["--shelf", str(tmp_path / "shelf")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/#token=[\w-]{43}\n", address)
        host = address.split("/")[2]
        connection = http.client.HTTPConnection(host, timeout=PATIENCE)
        connection.request("GET", "/")
        assert connection.getresponse().status == 200
        connection.close()
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=PATIENCE) == ("", "")
        assert process.returncode == INTERRUPTED
