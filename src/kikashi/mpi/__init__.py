"""One search over the ranks of an MPI job: every rank has its own tree, and rank 0 decides by all of them.

Reading order: communicator (messages), root_totals (statistics of a root and their sum), shared_plies (statistics that
ranks exchange while they search), rank_search (the part of one rank), leader (the search of all, on rank 0), job.
"""
