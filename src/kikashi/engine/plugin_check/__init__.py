"""Whether the parts of a plugin do what they promise, and what they cost.

Reading order: `trials` (what a part is put through), `child` (a process that does it, which a part may crash),
`supervising` (the process that asks for it and outlives it).
"""
