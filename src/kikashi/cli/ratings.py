"""``kikashi ratings``: players of one or more matches on one scale."""

from collections.abc import Sequence
from pathlib import Path

import click

from kikashi.cli.options import PATH, json_option
from kikashi.cli.streams import tell


@click.command()
@click.argument("folders", nargs=-1, required=True, type=PATH)
@click.option("--rename", multiple=True, metavar="OLD=NEW", help="Give a player of some match another name.")
@json_option
def ratings(folders: Sequence[Path], rename: Sequence[str], as_json: bool) -> None:
    """Rate the players of matches and experiments together, by Bradley–Terry; players are known by their names."""
    import msgspec

    from kikashi.match.results import rate_together
    from kikashi.match.statistics import elo_text
    from kikashi.wording import plural

    found = rate_together(folders, rename)
    for line in found.notes:
        tell(line)
    if len(found.groups) > 1:
        groups = "; ".join(", ".join(group) for group in found.groups)
        tell(f"no games connect these, so their ratings cannot be compared: {groups}")
    if as_json:
        click.echo(msgspec.json.encode({player.name: player.elo for player in found.players}))
        return
    for player in found.players:
        click.echo(
            f"{player.name:30} Elo {elo_text(player.elo):28} {player.points:g} of {plural(player.games, 'game')}"
        )
