"""``kikashi check-plugin``: tests of a plugin's parts, and their cost."""

import sys

import click

from kikashi.cli.streams import tell


@click.command("check-plugin")
@click.argument("plugin", type=click.Path())
@click.option("--timeout", type=click.FloatRange(min=1), default=45.0, help="Seconds for each step of a part's trial.")
def check_plugin(plugin: str, timeout: float) -> None:
    """Test the parts of a plugin on boards of all sizes with bounds checked; print problems and costs."""
    from kikashi.engine.plugin_check import supervisor

    findings = supervisor.check_plugin(plugin, timeout)
    for finding in findings:
        cost = "" if finding.cost is None else f"fine; {finding.cost:.2f} times the time of the same without it"
        click.echo(f"{finding.part}: {cost or finding.problem}")
    bad = [finding for finding in findings if finding.cost is None]
    if bad:
        tell(f"Error: {len(bad)} of {len(findings)} parts of {plugin} have a problem")
        sys.exit(1)
