"""Tuning: settings of a preset that win more games, found by playing.

Reading order: space (what is tuned), design (the file that asks for it), walking (which values meet next, and what
follows from their games), trials (playing, and the journal), finding (the values found, confirmed by a match), report.
"""
