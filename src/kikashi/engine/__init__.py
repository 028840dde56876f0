"""A preset plays a game: presets, limits, the player, stopping rules, tree reuse, choice of move, scoring."""
