"""Learning the weights of features from games, of others and of one's own.

Reading order: games (what is learned from), self_play (playing them), positions (their features), fitting (weights),
report (what was found), rounds (playing and fitting in turn).
"""
