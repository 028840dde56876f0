"""Compiling kernels, keeping them on disk, and reporting progress.

`kernel` and `inlined` are the decorators; `native_address` gives loops the addresses of parts. Reading order: kernels,
libraries (machine code and pieces of it), cache and storage (files), calls (who calls whom), progress.
"""

from kikashi.jit.cache import (
    KEPT_CACHES as KEPT_CACHES,
    KEPT_EDITIONS as KEPT_EDITIONS,
    PACKAGE as PACKAGE,
    cache_folder as cache_folder,
)
from kikashi.jit.kernels import (
    CompilationStopped as CompilationStopped,
    inlined,
    is_bounds_checked as is_bounds_checked,
    kernel,
    native_address as native_address,
    stoppable as stoppable,
)
from kikashi.jit.progress import (
    announced as announced,
    compile_silently as compile_silently,
    compiling as compiling,
    tell_waiting as tell_waiting,
    unreported as unreported,
)

# The rest is for this package alone.
__all__ = ["inlined", "kernel"]
