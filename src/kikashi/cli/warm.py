"""``kikashi warm``: everything compiled ahead of time."""

import click


@click.command()
def warm() -> None:
    """Compile all presets and parts, except for learning, on two cores; once is enough."""
    from kikashi.engine import warmup

    click.echo("everything is compiled" if warmup.warm() else "nothing to do: everything is compiled already")
