"""The one place that knows how kernels are compiled, cached and reported.

`kernel` and `inlined` are the decorators; `native_address` gives the loops their parts. Reading order: kernels (what is
compiled, and what only inside others), cache (how it is kept on disk), storage (which files are trusted), progress
(what a person sees meanwhile), collecting (what Python does not do meanwhile).
"""

from kikashi.jit.cache import (
    KEPT_CACHES as KEPT_CACHES,
    KEPT_EDITIONS as KEPT_EDITIONS,
    PACKAGE as PACKAGE,
    cache_folder as cache_folder,
)
from kikashi.jit.garbage import pause_while_compiling
from kikashi.jit.kernels import (
    inlined,
    is_bounds_checked as is_bounds_checked,
    kernel,
    native_address as native_address,
)
from kikashi.jit.progress import (
    announced as announced,
    compile_silently as compile_silently,
    compiling as compiling,
    tell_waiting as tell_waiting,
)

# The rest is for this package alone.
__all__ = ["inlined", "kernel"]

pause_while_compiling()
