from .intervals import (
    EloEstimate as EloEstimate,
)
from .intervals import (
    Interval as Interval,
)
from .intervals import (
    Pentanomial as Pentanomial,
)
from .intervals import (
    Sprt as Sprt,
)
from .intervals import (
    ZTest as ZTest,
)
from .intervals import (
    duplicates as duplicates,
)
from .intervals import (
    elo as elo,
)
from .intervals import (
    elo_interval as elo_interval,
)
from .intervals import (
    expected as expected,
)
from .intervals import (
    sprt as sprt,
)
from .intervals import (
    two_proportions as two_proportions,
)
from .intervals import (
    wilson as wilson,
)
from .rating import (
    Ratings as Ratings,
)
from .rating import (
    bootstrap as bootstrap,
)
from .rating import (
    bradley_terry as bradley_terry,
)
