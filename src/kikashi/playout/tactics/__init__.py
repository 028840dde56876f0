"""Tactics that heuristics and features share: atari, self-atari, 3x3 patterns, shapes."""
