"""GTP commands, one file for each family. Importing this package registers them all."""

from importlib import import_module

FAMILIES = ("standard", "board", "clocks", "scoring", "analysis", "settings", "extensions")
"""The files, in the order in which their commands are listed."""

for family in FAMILIES:
    import_module(f"{__name__}.{family}")
