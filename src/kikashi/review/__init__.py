"""A game reviewed move by move: its record and its graph."""
