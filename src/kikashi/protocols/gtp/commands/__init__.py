"""The commands, one file for each family; to import the package is to register them all."""

from __future__ import annotations

from importlib import import_module

FAMILIES = ("standard", "board", "timing", "ending", "analysing", "rules", "parameters", "gogui", "special")
"""The files, in the order in which their commands are listed."""

for family in FAMILIES:
    import_module(f"{__name__}.{family}")
