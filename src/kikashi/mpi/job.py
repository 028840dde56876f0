"""How a job begins and ends: all ranks are started alike, agree that they are the same program, and leave together."""

from __future__ import annotations

import hashlib
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from kikashi import __version__
from kikashi.engine.player import Player
from kikashi.engine.warmup import warm_up
from kikashi.jit import cache_folder
from kikashi.mpi.leader import RankedPlayer
from kikashi.mpi.links import GETTING_READY, Links
from kikashi.mpi.orders import Leave
from kikashi.mpi.worker_rank import Follower

PATIENCE = 60.0
"""Seconds that a rank may be silent, if nobody says otherwise."""


@contextmanager
def joined(
    make: Callable[[], Player], files: Sequence[str], patience: float, plies: int = 0
) -> Iterator[Player | None]:
    """On rank 0 a player whose searches all ranks of the job run; on other ranks None, when rank 0 has left.

    `make` makes the player that was asked for, from what every rank was started with, plugins in `files` included. With
    one rank it is that player. Ranks share the statistics of as many `plies` while they search. When the body of the
    ``with`` is done, or fails, the other ranks leave. Raises ValueError if MPI is not here, or if a rank cannot make
    its player or is another program than rank 0.
    """
    links = Links(patience)
    if links.ranks == 1:
        yield make()
    elif links.rank == 0:
        try:
            yield RankedPlayer(_agreed(links, make, files), links, plies)
        finally:
            links.tell(Leave())
            links.answers(patience)
            links.finish()
    else:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is rank 0's business
        _follow(links, make, files)
        yield None


def _agreed(links: Links, make: Callable[[], Player], files: Sequence[str]) -> Player:
    """The player that was asked for, when all ranks have it."""
    trouble: Exception | None = None
    try:
        player = make()
        own = _fingerprint(files)
    except (ValueError, OSError) as error:
        trouble = error
    answers = links.answers(max(GETTING_READY, links.patience))
    if trouble is not None:
        raise trouble
    for rank, (fingerprint, said) in sorted(answers.items()):
        if said:
            raise ValueError(f"rank {rank}: {said}")
        if fingerprint != own:
            raise ValueError(f"rank {rank} is another program than rank 0: all need the same version and plugins")
    return player


def _follow(links: Links, make: Callable[[], Player], files: Sequence[str]) -> None:
    try:
        player = make()
        links.answer((_fingerprint(files), ""))
    except (ValueError, OSError) as error:
        links.answer(("", str(error)))
    else:
        with suppress(ValueError):  # of a part: the first search will tell
            warm_up(player.preset)  # while rank 0 waits for its first command
    Follower(links).serve()


def _fingerprint(files: Sequence[str]) -> str:
    """What must be the same on all ranks: the version, the kernels' sources, and plugins."""
    digest = hashlib.sha256(f"{__version__} {cache_folder().name}".encode())
    for file in files:
        digest.update(Path(file).read_bytes())
    return digest.hexdigest()
