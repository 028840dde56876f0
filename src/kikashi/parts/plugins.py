"""Files of the user's own that register parts."""

import importlib.util
import sys
import traceback
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from kikashi.parts.diagnosis import one_line
from kikashi.parts.registry import BROUGHT_BY, KINDS, PartError, preferring

_LOADED: dict[Path, bytes] = {}
"""Content of plugins when they were run."""
_KINDS_OF: dict[Path, set[str]] = {}
"""Names of the kinds that a plugin has defined."""


def load_plugin(path: str | Path) -> None:
    """Run a Python file that registers parts, unless that was done already. Raises PartError if it cannot be run."""
    file = Path(path)
    if not file.is_file():
        raise PartError(f"plugin {file}: no such file")
    text = file.read_bytes()
    if _LOADED.get(file.resolve()) == text:
        return
    name = f"kikashi_plugin_{file.stem}_{zlib.crc32(text):08x}"  # whatever the folder: kernels are kept with this name
    spec = importlib.util.spec_from_file_location(name, file.resolve())
    if spec is None or spec.loader is None:
        raise PartError(f"plugin {file}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    known = set(sys.modules) - {name}
    sys.modules[name] = module  # Numba's cache looks for the module by its name
    kinds = KINDS.copy()
    for kind in _KINDS_OF.get(file.resolve(), ()):  # a file that is run anew may have changed its mind
        KINDS.pop(kind, None)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        KINDS.clear()
        KINDS.update(kinds)
        if isinstance(error, PartError) and str(file.resolve()) in str(error):
            raise
        named = "" if isinstance(error, PartError) else f"{type(error).__name__}: "
        raise PartError(f"plugin {file}{_line_of(error, file)}: {named}{_said(error)}") from error
    _KINDS_OF[file.resolve()] = KINDS.keys() - kinds.keys() | _KINDS_OF.get(file.resolve(), set())
    _LOADED[file.resolve()] = text
    brought = [each for each in sys.modules.keys() - known if not each.startswith("kikashi.")]
    BROUGHT_BY.update(dict.fromkeys(brought, str(file.resolve())))


def _line_of(error: BaseException, file: Path) -> str:
    """``, line 12``: where a plugin could not go on; nothing if that is not known."""
    if isinstance(error, SyntaxError) and error.filename == str(file.resolve()):
        return f", line {error.lineno}" if error.lineno else ""
    frames = [each for each in traceback.extract_tb(error.__traceback__) if each.filename == str(file.resolve())]
    return f", line {frames[-1].lineno}" if frames else ""


def _said(error: BaseException) -> str:
    return one_line(str(error.msg if isinstance(error, SyntaxError) else error))


@contextmanager
def plugins_of_a_player(paths: Sequence[str | Path]) -> Iterator[None]:
    """Load plugins for the body of the ``with``, where their parts come before those of other players' plugins.

    So two files that define the same part can meet in one match. Raises PartError as `load_plugin` does.
    """
    with preferring([str(Path(path).resolve()) for path in paths]):
        for path in paths:
            load_plugin(path)
        yield
