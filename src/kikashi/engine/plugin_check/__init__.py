"""Plugin check: `trials` of parts, run by `child`, a process that a part may crash, which `supervisor` starts."""
