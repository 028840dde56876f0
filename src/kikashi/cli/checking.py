"""``kikashi check``: whether the parts of a plugin are sound, and what they cost."""

from __future__ import annotations

import sys

import click


@click.command()
@click.argument("plugin", type=click.Path())
@click.option("--timeout", type=click.FloatRange(min=1), default=45.0, help="Seconds for each step of a part's trial.")
def check(plugin: str, timeout: float) -> None:
    """Try the parts of a plugin on boards of all sizes with bounds checked, and tell problems and speed."""
    from kikashi.engine.plugin_check.supervisor import Finding, check_plugin

    def line(finding: Finding) -> str:
        cost = "" if finding.cost is None else f"fine; {finding.cost:.2f} times the time of the same without it"
        return f"{finding.part}: {cost or finding.problem}"

    findings = check_plugin(plugin, timeout)
    click.echo("\n".join(map(line, findings)))
    bad = [finding for finding in findings if finding.cost is None]
    if bad:
        click.echo(f"Error: {len(bad)} of {len(findings)} parts of {plugin} have a problem", err=True)
        sys.exit(1)
