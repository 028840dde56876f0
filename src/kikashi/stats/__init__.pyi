from .intervals import (
    EloEstimate as EloEstimate,
    Interval as Interval,
    Pentanomial as Pentanomial,
    Sprt as Sprt,
    ZTest as ZTest,
    duplicates as duplicates,
    elo as elo,
    elo_interval as elo_interval,
    expected as expected,
    sprt as sprt,
    two_proportions as two_proportions,
    wilson as wilson,
)
from .rating import (
    Ratings as Ratings,
    bootstrap as bootstrap,
    bradley_terry as bradley_terry,
)
