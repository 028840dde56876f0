"""Tuning: settings of a preset that win more games.

Reading order: tuning (the file), spsa (the optimiser), trials (games and journal), tuning_result.
"""
