"""``kikashi presets``: the players of the package."""

import click


@click.command()
def presets() -> None:
    """List the players by use; a star marks the strongest."""
    from kikashi.engine.named_files import STRONGEST, preset_names, preset_summary, presets_by_use

    width = max(map(len, preset_names()))
    for number, (use, names) in enumerate(presets_by_use().items()):
        click.echo(f"{chr(10) if number else ''}{use}:")
        for name in names:
            click.echo(f"{'*' if name == STRONGEST else ' '} {name:{width}} {preset_summary(name)}")
