"""The page is in the wheel: built, installed where nothing else of ours is, served, and every file of it fetched."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.tools import AXE, missing

ROOT = Path(__file__).parents[2]
FETCH = """
import http.client, sys
import kikashi
from kikashi.web.desk import House
from kikashi.web.serving import Server
import threading
assert kikashi.__file__.startswith(sys.argv[1]), kikashi.__file__
server = Server(House(), port=0)
threading.Thread(target=server.run, daemon=True).start()
cookie = {"Cookie": f"kikashi_{server.host.split(':')[1]}={server.token}"}
def get(path):
    connection = http.client.HTTPConnection(server.host, timeout=60)
    connection.request("GET", path, headers=cookie)
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
    licences = (clean / "kikashi" / "web" / "static" / "licences.txt").read_text()
    assert all(name in licences for name in ("preact", "uplot", "d3-hierarchy"))
