from .intervals import (
    EloEstimate as EloEstimate,
    Interval as Interval,
    ZTest as ZTest,
    duplicates as duplicates,
    elo as elo,
    elo_interval as elo_interval,
    expected as expected,
    two_proportions as two_proportions,
    wilson as wilson,
)
from .rating import (
    Ratings as Ratings,
    bootstrap as bootstrap,
    bradley_terry as bradley_terry,
)
from .sequential import (
    Pentanomial as Pentanomial,
    Sprt as Sprt,
    sprt as sprt,
)
