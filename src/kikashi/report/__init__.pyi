from .plots import (
    bars as bars,
    intervals as intervals,
    trends as trends,
)
