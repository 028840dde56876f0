"""The record of a game on the disk, written after every move."""

from pathlib import Path

from kikashi import sgf
from kikashi.board.points import vertex
from kikashi.files import free_name, write_whole
from kikashi.terminal.counting import Count

FILE = "kikashi-game.sgf"


class Record:
    """The file of a game, under a free name until the person chooses one."""

    def __init__(self, count: Count, folder: Path) -> None:
        self.file: Path | None = None
        """The file of the game; None before it is written."""
        self._count = count
        self._folder = folder
        self._is_named = False
        self._kept = self._state()

    @property
    def is_kept(self) -> bool:
        """Whether nothing has changed since the game was written or loaded."""
        return self._kept == self._state()

    def keep(self) -> None:
        """Write a changed game; without moves discard it. Raises OSError; the old file is then as it was."""
        if self.is_kept:
            return
        if self._count.game.moves:
            self._write(self.file or free_name(self._folder / FILE))
        elif self.file is not None and not self._is_named:
            self.file.unlink(missing_ok=True)
            self.file, self._kept = None, self._state()

    def save_as(self, name: str) -> Path:
        """Write the game to a file of this name from now on, and return the file.

        Raises OSError, and ValueError if there is a file already that was not written here.
        """
        file = self._folder / Path(name).expanduser() if name else self.file or free_name(self._folder / FILE)
        if not file.suffix:
            file = file.with_suffix(".sgf")
        if file != self.file and file.exists():
            raise ValueError(f"{file} is there already; save it under another name")
        before, was_named = self.file, self._is_named
        self._write(file)
        self._is_named = was_named or bool(name)
        if before not in (None, file) and not was_named:
            before.unlink(missing_ok=True)
        return file

    def text(self) -> str:
        """Return the game as SGF, with the agreed result and dead stones."""
        game, dead = self._count.game, sorted(self._count.dead)
        root = sgf.game_tree(game)
        if (result := self._count.result()) is not None:
            root.set_text("RE", result)
        if dead:
            *_, last = root.main_line()
            comment = game.comments.get(game.move_count, "")
            last.set_text("C", f"{comment}\n\ndead: {' '.join(map(vertex, dead))}".strip())
        return sgf.dump([root])

    def _write(self, file: Path) -> None:
        write_whole(file, self.text(), make_folders=False)
        self.file, self._kept = file, self._state()

    def _state(self) -> tuple[object, ...]:
        return self._count.game.moves, frozenset(self._count.dead)
