"""The laboratory: what is measured of policies and programs. Knows nothing of how a move is found."""
