"""What a part that reads learned weights has of them in its own record: `kikashi.playout.model.models` explains it."""

from __future__ import annotations

import numpy as np

from kikashi.parts.blocks import BLOCK
from kikashi.parts.calling import RULE

MOST_FEATURES = 32
MODEL = np.dtype(
    [
        ("features", "i8"),
        ("feature", RULE, (MOST_FEATURES,)),
        ("weights", BLOCK, (MOST_FEATURES,)),  # of LEVELs, or of KEYED entries as a hash table; none while learning
        ("keyed", "u1", (MOST_FEATURES,)),
        ("preparers", "i8"),
        ("preparer", RULE, (MOST_FEATURES,)),
    ],
    align=True,
)
