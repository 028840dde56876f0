"""Reports: a document of elements with its renderings as terminal text, Markdown and HTML; plots as SVG.

>>> from kikashi.report import Document, Figure, Table, bars
>>> plot = bars({"capture": 12.0, "escape": 30.0}, "moves", title="Moves by heuristic")
>>> report = Document("A try", (Table(["heuristic", "moves"], [["capture", "12"], ["escape", "30"]]), Figure(plot)))
>>> print(report.text())
A try
<BLANKLINE>
heuristic  moves
─────────  ─────
capture       12
escape        30
<BLANKLINE>
"""

import lazy_loader

# The public names are in the stub beside this file; each is imported when it is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
