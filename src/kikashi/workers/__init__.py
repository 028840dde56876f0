"""Workers: the executors on which matches, experiments, learning and tuning run their tasks.

>>> from kikashi.workers import make_workers
>>> workers = make_workers("processes", 2)
>>> workers.count
2
"""

import lazy_loader

# The public names are in the stub beside this file; each is imported when it is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
