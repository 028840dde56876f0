from .plots import (
    bars as bars,
)
from .plots import (
    intervals as intervals,
)
from .plots import (
    trends as trends,
)
