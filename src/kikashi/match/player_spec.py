"""A player as a value: a preset with its options, or the command line of a GTP engine.

Text becomes a `PlayerSpec` in `PlayerSpec.parse`, a spec becomes text by `str`: command lines, TOML files and journals
have texts, everything else has values.
"""

import dataclasses
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Self

from kikashi.engine.limits import Limit
from kikashi.engine.named_files import is_preset
from kikashi.engine.overrides import read_override, read_value, toml_value
from kikashi.game.time_control import parse_clock
from kikashi.parts.binding import with_other_weights
from kikashi.protocols.gtp.controller import is_own_command
from kikashi.wording import nearest

DEFAULT_SIMULATIONS = 1000
MAX_MEGABYTES = 1_000_000
MAX_THREADS = 256
PREFIXES = ("name", "seconds", "clock")
"""Keys that may stand before a player, as in ``name=GNU seconds=5 gnugo --mode gtp``."""


@dataclass(frozen=True)
class PlayerSpec:
    """A player of a match, as it was named. Raises ValueError for a limit that cannot be.

    >>> player = PlayerSpec.parse("name=fast lgrf2 --playouts 50 --set even_games=1")
    >>> player.name, player.simulations, str(player)
    ('fast', 50, 'name=fast lgrf2 --simulations 50 --set even_games=1')
    """

    name: str = ""
    """The name in results; its text if it has no other."""
    preset: str = ""
    """A name or the path of a file; empty for an engine."""
    overrides: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    """Files with parts that the overrides may name."""
    simulations: int | None = None
    seconds: float | None = None
    clock: str | None = None
    """As `kikashi.game.time_control` writes it; None for that of the match, empty for none."""
    threads: int = 1
    megabytes: float | None = None
    """Size of the tree; None for what the limit needs."""
    command: tuple[str, ...] = ()
    """Words of an engine's command line."""

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", self.unnamed_text)
        if self.has_limit:
            Limit(self.simulations, self.seconds)
        if self.clock:
            parse_clock(self.clock)
        if not 1 <= self.threads <= MAX_THREADS:
            raise ValueError(f"threads are from 1 to {MAX_THREADS}, not {self.threads}")
        if self.megabytes is not None and not 1 <= self.megabytes <= MAX_MEGABYTES:
            raise ValueError(f"megabytes are from 1 to {MAX_MEGABYTES:,}, not {self.megabytes:g}")

    @classmethod
    def parse(cls, text: str) -> "PlayerSpec":
        """Read a text such as ``lgrf2 --simulations 2000`` or ``name=GNU gnugo --mode gtp``. No file is read.

        Raises ValueError.
        """
        try:
            return _parse(text)
        except ValueError as error:
            raise ValueError(f"player {text!r}: {error}" if text.strip() else str(error)) from None

    @property
    def unnamed_text(self) -> str:
        """The text without a name."""
        if not self.preset:
            limits = {"seconds": self.seconds, "clock": self.clock}
            words = [f"{key}={_number(value)}" for key, value in limits.items() if value is not None]
            return shlex.join([*words, *self.command])
        options = {name: getattr(self, name) for name in ("simulations", "seconds", "clock", "megabytes")}
        options["threads"] = self.threads if self.threads > 1 else None
        words = [self.preset]
        for name, value in options.items():
            words += [f"--{name}", _number(value)] if value is not None else []
        for option, values in (("--set", self.overrides), ("--plugin", self.plugins)):
            words += [word for value in values for word in (option, value)]
        return shlex.join(words)

    def __str__(self) -> str:
        text = self.unnamed_text
        return text if self.name == text else f"{shlex.quote(f'name={self.name}')} {text}"

    @property
    def has_limit(self) -> bool:
        """Return whether it names a limit of its own for each move."""
        return self.simulations is not None or self.seconds is not None

    @property
    def short_name(self) -> str:
        """A name for folders: its own if it has one, else its preset and limit, or its program.

        >>> texts = ("lgrf2 --simulations 150 --set even_games=1", "/usr/games/gnugo --mode gtp")
        >>> [PlayerSpec.parse(text).short_name for text in texts]
        ['lgrf2-150', 'gnugo']
        """
        first = self.preset or self.command[0]
        if not self.name.startswith(first):
            return self.name
        limits = [str(self.simulations)] if self.simulations is not None else []
        limits += [f"{self.seconds:g}s"] if self.preset and self.seconds is not None else []
        return "-".join([first if self.preset and not self.preset_file else Path(first).stem, *limits])

    @property
    def preset_file(self) -> str:
        """The path of its preset, if that is a file."""
        return self.preset if self.preset.endswith(".toml") else ""

    def with_defaults(
        self,
        simulations: int | None = None,
        seconds: float | None = None,
        megabytes: float | None = None,
        clock: str | None = None,
    ) -> Self:
        """Return the player with these limits where it has none; a preset without any has DEFAULT_SIMULATIONS."""
        clock = clock if self.clock is None else self.clock
        if self.has_limit:
            simulations, seconds = self.simulations, self.seconds
        elif self.preset and simulations is None and seconds is None and not clock:
            simulations = DEFAULT_SIMULATIONS
        if not self.preset:
            simulations = megabytes = None
        megabytes = megabytes if self.megabytes is None else self.megabytes
        return dataclasses.replace(self, simulations=simulations, seconds=seconds, megabytes=megabytes, clock=clock)

    def with_files(self, paths: Mapping[str, str]) -> Self:
        """Return the player with other paths for the files that it names."""

        def other(path: str) -> str:
            return paths.get(path, path)

        return dataclasses.replace(
            self,
            preset=other(self.preset),
            plugins=tuple(map(other, self.plugins)),
            overrides=tuple(_with_weights(text, other) for text in self.overrides),
        )


Player = PlayerSpec | str
"""A player as a value, or as the text of one."""


def as_spec(player: Player) -> PlayerSpec:
    """Return a player as a value. Raises ValueError if the text of one cannot be read."""
    return player if isinstance(player, PlayerSpec) else PlayerSpec.parse(player)


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) and value == float(f"{value:g}") else str(value)


def _with_weights(text: str, other: Callable[[str], str]) -> str:
    """Return an override, ``key=value``, with other paths for the weights that it names."""
    value = read_value(read_override(text).value)
    changed = with_other_weights(value, other)
    return text if changed == value else f"{text.partition('=')[0]}={toml_value(changed)}"


# --- reading ----------------------------------------------------------------------------------------------------------

OPTIONS: dict[str, tuple[str, type]] = {
    "--simulations": ("simulations", int),
    "--playouts": ("simulations", int),
    "--seconds": ("seconds", float),
    "--clock": ("clock", str),
    "--megabytes": ("megabytes", float),
    "--threads": ("threads", int),
    "--set": ("overrides", tuple),
    "--plugin": ("plugins", tuple),
}
"""Options of a preset, with the field that each sets; a tuple takes any number of values."""


@cache
def _parse(text: str) -> PlayerSpec:
    words = shlex.split(text)
    if not words:
        raise ValueError("a player needs a name")
    prefixes = {}
    while words and (key := words[0].partition("=")[0]) in PREFIXES and "=" in words[0]:
        prefixes[key] = words.pop(0).partition("=")[2]
    name = " ".join(prefixes.pop("name", text).split())  # it becomes part of a line
    if not name:
        raise ValueError("it has an empty name")
    limits: dict[str, Any] = prefixes | ({"seconds": float(prefixes["seconds"])} if "seconds" in prefixes else {})
    if not words or not is_preset(words[0]) or is_own_command(words):
        return PlayerSpec(name, command=tuple(words), **limits)
    given = _read_options(words[1:])
    if given.keys() & {"simulations", "seconds"}:
        limits.pop("seconds", None)
    return PlayerSpec(name, words[0], **(limits | given))


def _read_options(words: Sequence[str]) -> dict[str, Any]:
    """Read ``--option value`` and ``--option=value``. Raises ValueError."""
    found: dict[str, Any] = {}
    rest = iter(words)
    for word in rest:
        option, equals, value = word.partition("=")
        if option not in OPTIONS:
            raise ValueError(f"there is no option {option}; {nearest(option, OPTIONS)}")
        field, kind = OPTIONS[option]
        try:
            value = value if equals else next(rest)
            found[field] = (*found.get(field, ()), value) if kind is tuple else kind(value)
        except StopIteration:
            raise ValueError(f"{option} needs a value") from None
        except ValueError:
            wanted = "a whole number" if kind is int else "a number"
            raise ValueError(f"{option} must be {wanted}, not {value!r}") from None
    return found
