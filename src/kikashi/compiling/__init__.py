"""The one place that knows how kernels are compiled, cached and reported.

`kernel` and `inlined` are the decorators; `native_address` gives the loops their parts. Reading order: kernels (what is
compiled, and what only inside others), cache (how it is kept on disk), progress (what a person sees meanwhile),
collecting (what Python does not do meanwhile).
"""

from kikashi.compiling.cache import KEPT_CACHES, PACKAGE, cache_folder
from kikashi.compiling.collecting import pause_while_compiling
from kikashi.compiling.kernels import inlined, is_bounds_checked, kernel, native_address
from kikashi.compiling.progress import announced

__all__ = [
    "KEPT_CACHES",
    "PACKAGE",
    "announced",
    "cache_folder",
    "inlined",
    "is_bounds_checked",
    "kernel",
    "native_address",
]

pause_while_compiling()
