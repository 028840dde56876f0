"""``kikashi web``: the board in the browser."""

import os
import sys
import tempfile
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

import click

from kikashi.cli import options as shared
from kikashi.cli.streams import INTERRUPTED, tell
from kikashi.engine import machine
from kikashi.wording import reason

RESULTS = Path("results")


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), show_default="8361, or one that is free", help="0 for any.")
@click.option("--browser/--no-browser", default=True, help="Open the page.")
@click.option(
    "--folder", type=click.Path(file_okay=False, path_type=Path), default=Path("matches"), help="Matches to show."
)
@click.option(
    "--shelf",
    type=click.Path(file_okay=False, path_type=Path),
    show_default="in the user's data folder",
    help="Recent games and studies.",
)
@click.option("--threads", type=shared.THREADS, default=machine.cores, show_default="all cores", help="In all.")
@click.option(
    "--megabytes", type=shared.MEGABYTES, default=256.0, help="Memory for each search tree; a page has five at most."
)
@click.option("--pages", type=click.IntRange(1, 1000), default=24, help="Pages open at once, at most.")
@click.option("--preset", "presets", multiple=True, type=click.Path(), help="A preset file of your own.")
@shared.plugin_option
@click.option("--host", default="127.0.0.1", help="Another address than this machine's own needs --open-to-others.")
@click.option("--open-to-others", is_flag=True, help="Let other machines in that know the token; nothing is encrypted.")
def web(
    port: int | None,
    browser: bool,
    folder: Path,
    shelf: Path | None,
    threads: int,
    megabytes: float,
    pages: int,
    presets: Sequence[str],
    plugin: Sequence[str],
    host: str,
    open_to_others: bool,
) -> None:
    """Open a page to play on, to study games, to look inside a search and to watch matches.

    The first line is the address to open. Ctrl-C ends it.
    """
    from kikashi.experiments.queue import is_harmless
    from kikashi.experiments.reproduction import QUEUE, read_queue
    from kikashi.web.presets import Presets
    from kikashi.web.shelf import ItemStore
    from kikashi.web.tasks import Limits, ServerState

    with shared.needs_extra("the page", "web"):
        import websockets  # noqa: F401  without it uvicorn starts, and the page waits forever

        from kikashi.web.server import Server, is_every, is_loopback

    if is_every(host):
        raise ValueError(f"{host!r} is no address to open: name the one by which others reach this machine")
    if not is_loopback(host):
        if not open_to_others:
            raise ValueError(f"other machines can reach {host}: add --open-to-others if you want that")
        tell("warning: other machines can reach this page, and what is sent is not encrypted")
    shared.load_plugins(plugin)
    if megabytes > (most := machine.megabytes()):
        raise ValueError(f"{megabytes:.0f} megabytes are more than this machine has: {most:.0f}")
    limits = Limits(pages=pages, threads=threads, megabytes=megabytes)
    data = _data_folder()
    store = ItemStore(shelf or (None if data is None else data / "shelf"))
    papers = [entry for entry in read_queue(RESULTS) if is_harmless(entry.name)] if (RESULTS / QUEUE).is_file() else []
    state = ServerState(Presets(presets), limits, folder, tuple(plugin), store, papers)
    server = Server(state, host=host, port=port)
    click.echo(server.address)
    sys.stdout.flush()
    try:
        with _opened(server.address) if browser else nullcontext():
            server.run()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _data_folder() -> Path | None:
    """Return the folder for the user's data; None if there is no home directory."""
    try:
        return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "kikashi"
    except RuntimeError:
        return None


@contextmanager
def _opened(address: str) -> Iterator[None]:
    """Open an address in the browser by a file that only the user can read: others see a program's arguments."""
    folder, file = _data_folder(), None
    try:
        if folder is not None:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(".html", "open-", folder)
            file = Path(name)
            with open(descriptor, "w", encoding="utf-8") as opened:
                opened.write(f'<!doctype html><meta http-equiv="refresh" content="0; url={address}">')
            webbrowser.open(file.as_uri())
    except OSError as error:
        tell(f"the browser cannot be opened: {reason(error)}")
    try:
        yield
    finally:
        if file is not None:
            file.unlink(missing_ok=True)
