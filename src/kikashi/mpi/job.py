"""An MPI job from start to end: all ranks check that they run the same program, workers serve the leader, all leave."""

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from kikashi.engine.player import Player
from kikashi.engine.warmup import warm_up
from kikashi.mpi.communicator import Communicator
from kikashi.mpi.leader import DistributedPlayer
from kikashi.mpi.worker_rank import WorkerRank
from kikashi.parts.binding import identity_of
from kikashi.workers.serialization import version


@contextmanager
def join_job(
    make_player: Callable[[], Player], plugins: Sequence[str], patience: float, plies: int = 0
) -> Iterator[Player | None]:
    """Yield on rank 0 a player whose searches all ranks run, on other ranks None after rank 0 has left.

    Every rank makes the player, from its own command line. With one rank it is that player. The ranks share the
    statistics of the first `plies`. At the end of the ``with`` the other ranks leave. Raises ValueError if MPI is
    missing, or if a rank cannot make its player or runs another program than rank 0.
    """

    def make() -> tuple[Player, str]:
        player = make_player()
        return player, f"{version()} {identity_of(player.preset.table, plugins)}"

    communicator = Communicator(patience)
    if communicator.ranks == 1:
        yield make_player()
    elif communicator.rank == 0:
        try:
            yield DistributedPlayer(communicator.make_everywhere(make), communicator, plies)
        finally:
            communicator.command(WorkerRank.quit)
            communicator.replies(patience)
            communicator.flush()
    else:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by rank 0
        with suppress(ValueError, OSError, MemoryError):  # rank 0 reports it; of a part, the first search does
            warm_up(communicator.make_everywhere(make).preset)  # while rank 0 waits for its first command
        WorkerRank(communicator).serve()
        yield None
