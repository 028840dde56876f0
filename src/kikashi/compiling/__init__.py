"""The one place that knows how kernels are compiled, cached and reported.

`kernel` and `inlined` are the decorators; `native_address` gives the loops their parts. Reading order: kernels (what is
compiled, and what only inside others), cache (how it is kept on disk), storage (which files are trusted), progress
(what a person sees meanwhile), collecting (what Python does not do meanwhile).
"""

from kikashi.compiling.cache import KEPT_CACHES as KEPT_CACHES
from kikashi.compiling.cache import PACKAGE as PACKAGE
from kikashi.compiling.cache import cache_folder as cache_folder
from kikashi.compiling.collecting import pause_while_compiling
from kikashi.compiling.kernels import inlined, kernel
from kikashi.compiling.kernels import is_bounds_checked as is_bounds_checked
from kikashi.compiling.kernels import native_address as native_address
from kikashi.compiling.progress import announced as announced

# The rest is for this package alone.
__all__ = ["inlined", "kernel"]

pause_while_compiling()
