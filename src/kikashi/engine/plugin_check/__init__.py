"""Plugin check: `trials` of parts run in a process that a part may crash, which `supervisor` starts."""
