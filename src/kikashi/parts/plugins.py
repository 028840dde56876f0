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
    file, resolved = Path(path), Path(path).resolve()
    if not file.is_file():
        raise PartError(f"plugin {file}: no such file")
    text = file.read_bytes()
    if _LOADED.get(resolved) == text:
        return
    name = f"kikashi_plugin_{file.stem}_{zlib.crc32(text):08x}"  # whatever the folder: kernels are kept with this name
    spec = importlib.util.spec_from_file_location(name, resolved)
    if spec is None or spec.loader is None:
        raise PartError(f"plugin {file}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    known = set(sys.modules) - {name}
    sys.modules[name] = module  # Numba's cache looks for the module by its name
    kinds = KINDS.copy()
    for kind in _KINDS_OF.get(resolved, ()):  # a file that is run anew may define them otherwise
        KINDS.pop(kind, None)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        KINDS.clear()
        KINDS.update(kinds)
        if isinstance(error, PartError) and str(resolved) in str(error):
            raise
        named = "" if isinstance(error, PartError) else f"{type(error).__name__}: "
        message = one_line(str(error.msg if isinstance(error, SyntaxError) else error))
        raise PartError(f"plugin {file}{_line_of(error, str(resolved))}: {named}{message}") from error
    _KINDS_OF[resolved] = {name for name, kind in KINDS.items() if kind is not kinds.get(name)}
    _LOADED[resolved] = text
    brought = [each for each in sys.modules.keys() - known if not each.startswith("kikashi.")]
    BROUGHT_BY.update(dict.fromkeys(brought, str(resolved)))


def _line_of(error: BaseException, file: str) -> str:
    """Return ``, line 12``, the last line of the file that ran; nothing if that is not known."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return f", line {error.lineno}" if error.lineno else ""
    lines = [each.lineno for each in traceback.extract_tb(error.__traceback__) if each.filename == file]
    return f", line {lines[-1]}" if lines else ""


@contextmanager
def plugins_of_a_player(paths: Sequence[str | Path]) -> Iterator[None]:
    """Load plugins for the body of the ``with``, where their parts come before those of other players' plugins.

    So two files that define the same part can meet in one match. Raises PartError as `load_plugin` does.
    """
    with preferring([str(Path(path).resolve()) for path in paths]):
        for path in paths:
            load_plugin(path)
        yield
