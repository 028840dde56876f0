"""Replies: heuristics that learn during a search which moves are good answers (Baier 2010)."""
