"""``kikashi show``: the settings and parts of a preset."""

import tomllib
from collections.abc import Sequence

import click

from kikashi.cli import options as shared


@click.command()
@click.argument("name", shell_complete=shared.complete_preset)
@shared.set_option("Change a setting, as in selection.p=1.2.")
@shared.plugin_option
def show(name: str, overrides: Sequence[str], plugin: Sequence[str]) -> None:
    """Print a preset: its file, or all settings if it has a base or some are changed, and its parts."""
    from kikashi.engine.named_files import preset_text
    from kikashi.engine.overrides import as_toml
    from kikashi.engine.preset import load_preset

    shared.load_plugins(plugin)
    preset, text = load_preset(name, overrides), preset_text(name).rstrip()
    click.echo(text if tomllib.loads(text) == preset.table else as_toml(preset.table))
    if base := tomllib.loads(text).get("base"):
        click.echo(f"# from the base: {base}")
    for override in overrides:
        click.echo(f"# changed: {override}")
    for least, variant in preset.by_size or ((0, preset),):
        if least:
            click.echo(f"# from {least}x{least} on:")
        config = variant.config
        click.echo(f"# playouts: {config.policy}; feasible: {config.policy.feasibility}")
        if config.policy.memories:
            click.echo("# memories besides: " + ", ".join(map(str, config.policy.memories)))
        click.echo("# search: " + ", ".join(f"{key} {used}" for key, used in config.rules.items()))
        if config.zone is not None:
            click.echo(f"# zone: {config.zone.groups}, with a margin of {config.zone.margin}")
