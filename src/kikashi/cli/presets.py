"""``kikashi presets``: the players of the package."""

import click


@click.command()
def presets() -> None:
    """List the players."""
    from kikashi.engine.named_files import preset_names, preset_summary

    width = max(map(len, preset_names()))
    for name in preset_names():
        click.echo(f"{name:{width}} {preset_summary(name)}")
