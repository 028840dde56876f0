"""Counting all games of a length, as chess programs do to prove their rules."""

from kikashi import Game


def perft(game: Game, depth: int) -> int:
    """The number of legal sequences of exactly `depth` moves; a pass is a move, and none follows two passes."""
    if depth == 0:
        return 1
    if game.is_over():
        return 0
    if depth == 1:
        return len(game.legal_moves)
    total = 0
    for move in game.legal_moves:
        game.push(move)
        total += perft(game, depth - 1)
        game.pop()
    return total
