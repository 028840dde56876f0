from .executors import (
    Workers as Workers,
    make_workers as make_workers,
)
