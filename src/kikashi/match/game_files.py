"""A game of a match as a file."""

from __future__ import annotations

from kikashi import sgf
from kikashi.match.one_game import GameRecord
from kikashi.match.referee import Proposal
from kikashi.match.settings import MatchSettings
from kikashi.wording import plural


def as_sgf(record: GameRecord, settings: MatchSettings) -> str:
    """A game as a file, with what a replay needs to know."""
    game = settings.after(record.moves)
    game.headers |= {"PB": record.black, "PW": record.white, "RO": str(record.number)}
    about = [f"seeds {record.seeds[0]} and {record.seeds[1]}", f"opening of {plural(len(record.opening), 'move')}"]
    if record.reason:
        about.append(record.reason)
    about += [f"{way}: {count}" for way, count in record.counts.items()]
    game.headers["GC"] = "; ".join(about)
    game.comments |= {number: "\n".join(lines) for number, lines in _comments(record).items()}
    root = sgf.game_tree(game)
    root.set_text("RE", record.result)  # the referee's; the board as it stands may say something else
    return sgf.dump([root])


def _comments(record: GameRecord) -> dict[int, list[str]]:
    """By number of moves: what was said about passes and dead stones in that position."""
    found: dict[int, list[str]] = {}
    for one in record.passes:
        line = f"{one.color} passes: {one.count} on the board, {one.estimate} without dead stones"
        found.setdefault(min(one.after, len(record.moves)), []).append(line)
    for proposal in record.proposals:
        found.setdefault(min(proposal.after, len(record.moves)), []).append(_told(proposal))
    return found


def _told(proposal: Proposal) -> str:
    sides = {"black": proposal.black, "white": proposal.white}
    said = [
        f"{name} cannot say" if dead is None else f"{name} {' '.join(dead) or 'none'}" for name, dead in sides.items()
    ]
    return f"dead: {', '.join(said)}" + ("" if proposal.is_agreed else "; they differ")
