"""Access and limits of requests: each line of docs/web.md about security, tested."""

from __future__ import annotations

import asyncio
import base64
import http.client
import json
import socket
import threading
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest
from click.testing import CliRunner
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from helpers.web import BLANK, PATIENCE, page_of, serving
from kikashi.cli import main
from kikashi.web import game_tree, messages, server as serving_module
from kikashi.web.game_tree import GameTree
from kikashi.web.messages import Failed, Working
from kikashi.web.server import NO_TOKEN, TOO_SLOW, Outbox, Server, _bound, _send, is_loopback
from kikashi.web.tasks import FairLock, Job, Limits, ServerState


@pytest.fixture(scope="module")
def server():
    with serving(ServerState(limits=Limits(megabytes=16))) as started:
        yield started


def _answer(server: Server, method: str = "GET", path: str = "/", **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(server.host, timeout=PATIENCE)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in ({"Host": server.host} | headers).items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    answer.body = answer.read()
    connection.close()
    return answer


def _refused(server: Server, *, host: str | None = None, origin: str | None = None) -> bool:
    """Whether a socket is refused with these headers."""
    where, port = server.host.split(":")
    uri = f"ws://{host or server.host}/socket"
    try:
        with (
            socket.create_connection((where, int(port))) as raw,
            connect(uri, sock=raw, origin=origin, open_timeout=PATIENCE),
        ):
            return False
    except InvalidStatus as refused:
        return refused.response.status_code == 403


@pytest.mark.parametrize(
    "host", ["localhost:{port}", "127.0.0.1", "evil.example:{port}", "127.0.0.1:{port}.evil.example", ""]
)
def test_only_our_own_host_is_answered(server: Server, host: str) -> None:
    wrong = host.format(port=server.host.split(":")[1])
    answer = _answer(server, Host=wrong)
    assert answer.status == 403
    assert (f'href="http://{server.host}/"'.encode() in answer.body) == ("localhost" in host), "the right address"
    assert _answer(server).status == 200


FIRST_MESSAGES = [
    "",
    "nothing",
    '{"type": "hello"}',
    '{"type": "hello", "token": ""}',
    '{"type": "hello", "token": "wrong"}',
    '{"type": "hello", "token": "%sx"}',
    '{"type": "save_sgf", "board": "study"}',
    '{"type": "hello", "token": ["%s"]}',
]


@pytest.mark.parametrize("first", FIRST_MESSAGES)
def test_a_socket_without_the_token_in_its_first_message_hears_nothing_and_is_closed(
    server: Server, first: str
) -> None:
    origin = f"http://{server.host}"
    with connect(f"ws://{server.host}/socket", origin=origin) as opened:
        opened.send(first % server.token if "%s" in first else first)
        with suppress(ConnectionClosed):
            opened.send('{"type": "list_items"}')
        with pytest.raises(ConnectionClosed) as closed:
            opened.recv(timeout=PATIENCE)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == NO_TOKEN


def test_a_socket_that_never_greets_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving_module, "GREETING", 0.05)
    with (
        serving() as server,
        connect(f"ws://{server.host}/socket", origin=f"http://{server.host}") as opened,  # type: ignore[arg-type]
        pytest.raises(ConnectionClosed),
    ):
        opened.recv(timeout=PATIENCE)


def test_no_answer_sets_a_cookie_or_has_the_token(server: Server) -> None:
    for path in ("/", f"/?token={server.token}"):
        answer = _answer(server, path=path, Cookie=f"kikashi={server.token}")
        assert answer.getheader("set-cookie") is None
        assert server.token.encode() not in answer.body
    assert server.address == f"http://{server.host}/#token={server.token}", "a browser sends nothing behind the #"
    with closing(Server(ServerState(), port=0, assets=BLANK)) as another:
        assert another.token != server.token


def test_the_browser_is_opened_by_a_file_that_only_the_user_can_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    opened: list[tuple[str, int, str]] = []

    def open_address(uri: str) -> None:
        file = Path(uri.removeprefix("file://"))
        opened.append((uri, file.stat().st_mode & 0o777, file.read_text()))

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr("webbrowser.open", open_address)
    monkeypatch.setattr(Server, "run", Server.close)
    monkeypatch.setattr("kikashi.web.server.load_assets", lambda: BLANK)
    done = CliRunner().invoke(main, ["web", "--port", "0"])
    assert done.exit_code == 0, done.output
    [(uri, mode, text)] = opened
    token = done.stdout.strip().partition("token=")[2]
    assert token
    assert token not in uri
    assert token in text
    assert mode == 0o600
    assert not list(tmp_path.rglob("*.html")), "it is gone with the server"


def test_post_needs_our_origin_and_get_changes_nothing(server: Server) -> None:
    ours = f"http://{server.host}"
    assert _answer(server, "POST").status == 403
    assert _answer(server, "POST", Origin="http://evil.example").status == 403
    assert _answer(server, "POST", Origin=ours).status == 405  # nothing here is done by POST
    assert _answer(server, "GET", "/socket").status == 404  # nor by GET: all goes through the socket


def test_a_socket_needs_our_host_and_our_origin(server: Server) -> None:
    ours = f"http://{server.host}"
    assert not _refused(server, origin=ours)
    assert _refused(server)
    assert _refused(server, origin="http://evil.example")
    assert _refused(server, origin="null")
    assert _refused(server, host=f"localhost:{server.host.split(':')[1]}", origin=ours)


def test_every_answer_says_what_a_page_may_do(server: Server) -> None:
    for answer in (_answer(server), _answer(server, path="/nothing"), _answer(server, Host="other")):
        policy = answer.getheader("content-security-policy") or ""
        assert policy.startswith("default-src 'none'; ")
        sources = {word for rule in policy.split("; ") for word in rule.split()[1:]}
        assert sources == {"'none'", "'self'"}
        assert answer.getheader("x-content-type-options") == "nosniff"
        assert answer.getheader("referrer-policy") == "no-referrer"
        assert not [name for name, _ in answer.getheaders() if name.lower().startswith("access-control")]


def test_another_address_needs_two_options(monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(Server(ServerState(), port=0, assets=BLANK)) as served:
        assert served.host.startswith("127.0.0.1:")
    assert is_loopback("::1")
    assert not is_loopback("0.0.0.0")
    assert not is_loopback("example.org")
    monkeypatch.setattr(Server, "run", Server.close)
    monkeypatch.setattr("kikashi.web.server.load_assets", lambda: BLANK)
    monkeypatch.setattr("kikashi.web.server._bound", lambda host, port: _bound("127.0.0.1", port))
    others = ["web", "--no-browser", "--port", "0", "--host", "192.0.2.1"]
    alone = CliRunner().invoke(main, others)
    assert alone.exit_code == 1
    assert "--open-to-others" in alone.output
    both = CliRunner().invoke(main, [*others, "--open-to-others"])
    assert both.exit_code == 0, both.output
    assert both.stdout.startswith("http://192.0.2.1:")
    assert "warning" in both.stderr
    nobody = CliRunner().invoke(main, ["web", "--no-browser", "--host", "0.0.0.0", "--open-to-others"])
    assert nobody.exit_code == 1
    assert "no address to open" in nobody.output
    huge = CliRunner().invoke(main, ["web", "--no-browser", "--port", "0", "--megabytes", "1e12"])
    assert huge.exit_code == 1
    assert "more than this machine has" in huge.output
    usual = CliRunner().invoke(main, ["web", "--no-browser", "--port", "0"])
    assert usual.stdout.startswith("http://127.0.0.1:")
    assert "/#token=" in usual.stdout
    assert not usual.stderr


def test_a_message_that_is_too_long_closes_its_page_and_no_other(server: Server) -> None:
    with page_of(server) as other, page_of(server) as page:
        page.until("position")
        with suppress(ConnectionClosed):  # it may come before all is sent
            page.ask(type="open_sgf", text=" " * messages.MESSAGE_BYTES)
        with pytest.raises(ConnectionClosed):
            page.socket.recv(timeout=PATIENCE)
        other.ask(type="save_sgf", board="study")
        other.until("saved")


ASKED_TOO_MUCH = [
    ({"type": "open_sgf", "text": " " * (messages.SGF_CHARACTERS + 1)}, "2097152"),
    (
        {"type": "open_sgf", "text": "(" + ";" * (game_tree.NODES + 1) + ")"},
        "at most 20,000 nodes here",
    ),  # while it is read
    ({"type": "open_sgf", "text": "(" + ";C[x]" * (game_tree.DEPTH + 2) + ")"}, "2,000 moves"),
    ({"type": "open_sgf", "text": "(;SZ[9]" + "(;B[ee])" * game_tree.NODES + ")"}, "20,000 nodes"),
    ({"type": "start_search", "preset": "/etc/passwd.toml"}, "no preset is called"),
    ({"type": "start_search", "preset": "kikashi", "without": ["playout: nothing"]}, "has no part"),
    ({"type": "start_search", "preset": "kikashi", "threads": 99}, "threads"),
    (
        {"type": "new_game", "setup": {"preset": "kikashi", "thought": {"simulations": messages.VISITS + 1}}},
        "simulations",
    ),
    ({"type": "new_game", "setup": {"preset": "kikashi", "thought": {"seconds": messages.SECONDS + 1}}}, "seconds"),
    ({"type": "new_game", "setup": {"preset": "kikashi", "size": 20}}, "size"),
    ({"type": "new_game", "setup": {"preset": "kikashi", "plugin": "x.py"}}, "plugin"),
    ({"type": "try_move", "node": 0, "move": "D4", "preset": "kikashi", "simulations": 10**9}, "simulations"),
    ({"type": "open_other", "number": 1}, "no other game"),
    ({"type": "undo_edit"}, "no edit to take back"),
    ({"type": "set_comment", "node": 0, "text": "x" * (messages.COMMENT_CHARACTERS + 1)}, "text"),
    ({"type": "open_file", "data": base64.b64encode(b" " * (messages.SGF_CHARACTERS + 1)).decode()}, "2097152"),
    ({"type": "open_file", "data": "no base64"}, "data"),
    ({"type": "review_game", "preset": "kikashi", "simulations": 10**9}, "simulations"),
    ({"type": "look_at", "paths": [[]] * (messages.TREE_ROWS + 1)}, "paths"),
    ({"type": "go_to", "board": "study", "node": 77}, "no node 77"),
    ({"type": "watch_study", "study": "../../etc"}, "no match or experiment"),
    ({"type": "open_game", "study": "..", "number": 0}, "no match or experiment"),
    ({"type": "nothing"}, "nothing"),
]


def test_what_is_asked_too_much_is_refused_in_one_line(server: Server) -> None:
    with page_of(server) as page:
        page.until("position")
        for request, said in ASKED_TOO_MUCH:
            page.ask(**request)
            event = page.until("failed")
            assert said in event["message"], request["type"]
            assert "\n" not in event["message"]
            assert "thought." not in event["message"], "no path of fields"


def test_a_game_tree_cannot_grow_beyond_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kikashi.web.game_tree.NODES", 3)
    tree = GameTree.from_sgf("study", "(;SZ[9])")
    tree.play("A1")
    tree.play("B1")
    with pytest.raises(ValueError, match="at most 3 nodes"):
        tree.play("C1")
    monkeypatch.setattr("kikashi.web.game_tree.NODES", 30)
    monkeypatch.setattr("kikashi.web.game_tree.DEPTH", 3)
    tree.play("C1")
    with pytest.raises(ValueError, match="3 moves in a row"):
        tree.play("D1")


TWO = Limits(pages=2, megabytes=16)


def test_more_pages_than_allowed_are_turned_away() -> None:
    with serving(ServerState(limits=TWO)) as server, page_of(server) as first, page_of(server) as second:
        for page in (first, second):
            page.until("welcome")
        with page_of(server) as third:
            assert "too many pages" in json.loads(third.socket.recv(timeout=PATIENCE))["message"]
            with pytest.raises(ConnectionClosed):
                third.socket.recv(timeout=PATIENCE)


def test_a_page_that_is_loaded_anew_waits_until_the_old_one_has_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a closed page leaves behind is cleared away after its socket is closed, and until then it has its place."""
    is_cleared = threading.Event()
    monkeypatch.setattr(serving_module, "ADMISSION", PATIENCE)
    monkeypatch.setattr(serving_module, "_free_memory", lambda: is_cleared.wait(PATIENCE))
    with serving(ServerState(limits=TWO)) as server, page_of(server) as first:
        first.until("welcome")
        with page_of(server) as second:
            second.until("welcome")
        with page_of(server) as anew:
            is_cleared.set()
            anew.until("welcome")


def test_a_page_that_leaves_while_it_waits_takes_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving_module, "ADMISSION", PATIENCE)
    state = ServerState(limits=Limits(pages=1, megabytes=16))
    with serving(state) as server:
        with page_of(server) as first:
            first.until("welcome")
            with page_of(server):
                pass  # it has waited in vain
        with page_of(server) as later:
            later.until("welcome")


def test_journals_are_those_inside_the_folder_and_links_are_not_followed(tmp_path: Path) -> None:
    line = '{"kind":"study","settings":{}}\n'
    inside, outside = tmp_path / "folder", tmp_path / "outside"
    for place in (inside / "ours", inside / "linked-file", outside):
        place.mkdir(parents=True)
    (inside / "ours" / "journal.jsonl").write_text(line)
    (outside / "journal.jsonl").write_text(line)
    (inside / "linked-folder").symlink_to(outside)
    (inside / "linked-file" / "journal.jsonl").symlink_to(outside / "journal.jsonl")
    with serving(ServerState(folder=inside)) as server, page_of(server) as page:
        page.ask(type="list_runs")
        assert [run["id"] for run in page.until("runs")["found"]] == ["ours"]
        for name in ("linked-folder", "linked-file", "../outside", str(outside)):
            page.ask(type="watch_study", study=name)
            assert "no match or experiment" in page.until("failed")["message"]


def test_a_closed_page_stops_its_search(server: Server) -> None:
    with page_of(server) as page:
        page.ask(type="open_empty", size=5)
        page.ask(type="start_search", preset="kikashi")
        page.until("analysis", lambda event: event["visits"] > 0)
        assert _jobs()
    until = time.monotonic() + PATIENCE
    while _jobs() and time.monotonic() < until:
        time.sleep(0.02)
    assert not _jobs()
    assert server.state.search_lock.is_free


def _jobs() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "job of a page"]


def test_a_slow_page_gets_only_the_newest_update_and_is_closed_when_too_much_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def run() -> None:
        outbox = Outbox(asyncio.get_running_loop())
        for number in range(1000):
            outbox.post(Working("study", done=number), only_newest="working")
        outbox.post(Failed("no"))
        assert [json.loads(await outbox.take()) for _ in range(2)] == [
            {"type": "working", "task": "study", "detail": "", "done": 999, "of": 0, "live": False},
            {"type": "failed", "message": "no"},
        ]
        assert not outbox.is_overfull
        for _ in range(serving_module.QUEUED_EVENTS + 1):
            outbox.post(Failed("no"))
        assert outbox.is_overfull
        page = Unread()
        await _send(page, outbox)
        assert page.closed == TOO_SLOW
        monkeypatch.setattr("kikashi.web.server.QUEUED_BYTES", 1000)
        large, event = Outbox(asyncio.get_running_loop()), Failed("x" * 150)
        for _ in range(9):
            large.post(event, only_newest="one takes the place of the other")
        for _ in range(4):
            large.post(event)
        for _ in range(5):
            await large.take()
        large.post(Failed("x" * 900))
        assert not large.is_overfull
        large.post(event)
        assert large.is_overfull

    asyncio.run(run())


class Unread:
    """The socket of a page that reads nothing."""

    closed = 0

    async def close(self, code: int) -> None:
        self.closed = code


def test_searches_of_all_jobs_take_turns() -> None:
    lock, running, together, order = FairLock(), [], [], []

    def steps(name: str):
        for _ in range(30):
            running.append(name)
            together.append(len(running))
            time.sleep(0.001)
            running.remove(name)
            yield name

    jobs = [Job(lambda job, name=name: order.extend(job.iterate(steps(name))), lock, order.append) for name in "abc"]
    while any(job.is_running for job in jobs):
        time.sleep(0.001)
    assert together == [1] * 90
    assert sorted(order) == [*"a" * 30, *"b" * 30, *"c" * 30]
    with lock.hold(lambda: False) as is_held, lock.hold(lambda: True) as is_held_again:
        assert (is_held, is_held_again, lock.is_free) == (True, False, False)
    assert lock.is_free
