"""One search over the ranks of an MPI job: every rank has a tree of its own, and rank 0 decides by all of them.

Reading order: totals (what a rank says of its root, and how that is added up), orders (what rank 0 tells the others),
links (who talks to whom, and how long a silence may be), stages (samples that are the same on any number of ranks),
plies (what ranks share of the first plies of their trees), gathering (what a rank knows of its own search and of those
below), following (the other ranks), leading (the search as rank 0 sees it), joining (how a job begins and ends).
"""
