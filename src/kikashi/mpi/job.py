"""An MPI job from start to end: all ranks check that they run the same program, workers serve the leader, all leave."""

import hashlib
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from kikashi import __version__
from kikashi.engine.player import Player
from kikashi.engine.warmup import warm_up
from kikashi.jit import cache_folder
from kikashi.mpi.communicator import SETUP_TIMEOUT, Communicator
from kikashi.mpi.leader import DistributedPlayer
from kikashi.mpi.worker_rank import WorkerRank


@contextmanager
def join_job(
    make_player: Callable[[], Player], plugins: Sequence[str], patience: float, plies: int = 0
) -> Iterator[Player | None]:
    """Yield on rank 0 a player whose searches all ranks run, on other ranks None after rank 0 has left.

    Every rank makes the player, from its own command line. With one rank it is that player. The ranks share the
    statistics of the first `plies`. At the end of the ``with`` the other ranks leave. Raises ValueError if MPI is
    missing, or if a rank cannot make its player or runs another program than rank 0.
    """
    communicator = Communicator(patience)
    if communicator.ranks == 1:
        yield make_player()
    elif communicator.rank == 0:
        try:
            yield DistributedPlayer(_make_same_player(communicator, make_player, plugins), communicator, plies)
        finally:
            communicator.command(WorkerRank.quit)
            communicator.replies(patience)
            communicator.flush()
    else:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by rank 0
        _work(communicator, make_player, plugins)
        yield None


def _make_same_player(communicator: Communicator, make_player: Callable[[], Player], plugins: Sequence[str]) -> Player:
    """Make the player on rank 0, when all other ranks have made the same."""
    failure: Exception | None = None
    try:
        player = make_player()
        own = _fingerprint(plugins)
    except (ValueError, OSError) as error:
        failure = error
    replies = communicator.replies(max(SETUP_TIMEOUT, communicator.patience))
    if failure is not None:
        raise failure
    for rank, (fingerprint, error_text) in sorted(replies.items()):
        if error_text:
            raise ValueError(f"rank {rank}: {error_text}")
        if fingerprint != own:
            raise ValueError(f"rank {rank} is another program than rank 0: all need the same version and plugins")
    return player


def _work(communicator: Communicator, make_player: Callable[[], Player], plugins: Sequence[str]) -> None:
    try:
        player = make_player()
        communicator.reply((_fingerprint(plugins), ""))
    except (ValueError, OSError) as error:
        communicator.reply(("", str(error)))
    else:
        with suppress(ValueError):  # of a part: the first search reports it
            warm_up(player.preset)  # while rank 0 waits for its first command
    WorkerRank(communicator).serve()


def _fingerprint(plugins: Sequence[str]) -> str:
    """Hash what must be the same on all ranks: the version, the kernels' sources, and plugins."""
    digest = hashlib.sha256(f"{__version__} {cache_folder().name}".encode())
    for file in plugins:
        digest.update(Path(file).read_bytes())
    return digest.hexdigest()
