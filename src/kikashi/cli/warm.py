"""``kikashi warm``: everything compiled ahead of time."""

import click


@click.command()
def warm() -> None:
    """Compile ahead what all presets and parts need, but for learning, on two cores; once is enough."""
    from kikashi.engine import warmup

    click.echo("everything is compiled" if warmup.warm() else "nothing to do: everything is compiled already")
