from .executors import (
    Workers as Workers,
)
from .executors import (
    make_workers as make_workers,
)
