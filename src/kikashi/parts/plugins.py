"""Files of the user's own that register parts."""

from __future__ import annotations

import importlib.util
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from kikashi.parts.registry import preferring
from kikashi.parts.specs import PartError
from kikashi.parts.uses import one_line

_LOADED: dict[Path, bytes] = {}
"""Plugins, as they were when they were run."""


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
    sys.modules[name] = module  # Numba's cache looks for the module by its name
    try:
        spec.loader.exec_module(module)
    except PartError:
        raise
    except (Exception, SystemExit) as error:
        raise PartError(f"plugin {file}: {type(error).__name__}: {one_line(str(error))}") from error
    _LOADED[file.resolve()] = text


@contextmanager
def plugins_of_a_player(paths: Sequence[str | Path]) -> Iterator[None]:
    """Load plugins for the body of the ``with``, where their parts come before those of other players' plugins.

    So two files that define the same part can meet in one match. Raises PartError as `load_plugin` does.
    """
    with preferring([str(Path(path).resolve()) for path in paths]):
        for path in paths:
            load_plugin(path)
        yield
