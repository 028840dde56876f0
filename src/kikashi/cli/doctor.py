"""``kikashi doctor``: what a report of a bug should say about the installation."""

import json
from typing import Any

import click

from kikashi.cli.options import json_option

SLOW = 0.7
"""Share of the usual speed below which a line says so."""


@click.command()
@click.option("--speed/--no-speed", default=True, help="Measure the speed of playouts, for a second or two.")
@json_option
def doctor(speed: bool, as_json: bool) -> None:
    """Describe versions, machine, compiled kernels, extras and speed, for a report of a bug."""
    from kikashi.engine.installation import describe

    facts = describe(with_speed=speed)
    click.echo(json.dumps(facts) if as_json else "\n".join(f"{name:15} {text}" for name, text in _lines(facts)))


def _lines(facts: dict[str, Any]) -> list[tuple[str, str]]:
    from kikashi.engine.installation import CacheState

    cores, set_here = facts["cores"], facts["environment"]
    lines = [
        ("kikashi", facts["kikashi"] + (", bounds checked" if facts["bounds checked"] else "")),
        ("Python", f"{facts['python']}, {_versions(facts['libraries'])}"),
        ("system", facts["system"]),
        ("processor", f"{facts['processor']}, {cores['usable']} of {cores['present']} cores"),
        ("memory", f"{facts['megabytes']:,} MB"),
        ("compiled", str(CacheState(**facts["cache"]))),
        *((f"extra {name}", _versions(packages)) for name, packages in facts["extras"].items()),
        ("environment", " ".join(f"{name}={value}" for name, value in set_here.items()) or "nothing set"),
    ]
    if speed := facts.get("speed"):
        share = speed["share_of_norm"]
        verdict = f"{share:.0%} of what is usual for this processor"
        hint = "; is the machine busy?" if share < SLOW and not facts["bounds checked"] else ""
        lines.append(("speed", f"{speed['playouts_per_s']:,} uniform playouts a second on 9x9, {verdict}{hint}"))
    return lines


def _versions(packages: dict[str, str | None]) -> str:
    return ", ".join(f"{name} {version or 'missing'}" for name, version in packages.items())
