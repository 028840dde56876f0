"""``kikashi new``: commented skeletons of parts, presets and experiments, each with a test that passes."""

import re
from importlib import resources
from keyword import iskeyword
from pathlib import Path
from string import Template

import click

KINDS = {"heuristic": "py", "selection": "py", "preset": "toml", "experiment": "toml"}
"""Suffix of the file that is written, by kind."""


@click.command()
@click.argument("kind", type=click.Choice(list(KINDS)))
@click.argument("name")
@click.option("--folder", type=click.Path(file_okay=False), default=".", help="Where the files are written.")
def new(kind: str, name: str, folder: str) -> None:
    """Write a commented heuristic, selection rule, preset or experiment, with a test that passes.

    The two files are NAME.py or NAME.toml and test_NAME.py. No file is overwritten.
    """
    from kikashi.files import write_whole

    suffix = KINDS[kind]
    _check_name(kind, name)
    words = {"file": name, "name": name.replace("-", "_")}
    files = {
        Path(folder, f"{name}.{suffix}"): f"{kind}.{suffix}.txt",
        Path(folder, f"test_{words['name']}.py"): f"{kind}_test.py.txt",
    }
    for file in files:
        if file.exists():
            raise ValueError(f"{file} is there already: choose another name, or another --folder")
    for file, skeleton in files.items():
        text = (resources.files("kikashi.cli") / "skeletons" / skeleton).read_text("utf-8")
        write_whole(file, Template(text).substitute(words))
    click.echo("\n".join(f"{file}" for file in files))


def _check_name(kind: str, name: str) -> None:
    """Raise ValueError for a name that would not work, or that is ours."""
    if KINDS[kind] == "py":
        pattern, allowed = r"[a-z_][a-z0-9_]*", "small letters, digits and _, not a digit first"
    else:
        pattern, allowed = r"[a-z][a-z0-9_-]*", "small letters, digits, - and _, a letter first"
    if not re.fullmatch(pattern, name) or iskeyword(name):
        raise ValueError(f"{name!r} cannot be the name of a {kind}: {allowed}")
    if name in _taken(kind):
        raise ValueError(f"{name} is already the name of one of our {kind}s: choose another name")


def _taken(kind: str) -> set[str]:
    if kind == "preset":
        from kikashi.engine.named_files import preset_names

        return set(preset_names())
    if kind == "experiment":
        from kikashi.experiments.design_files import experiment_names

        return set(experiment_names())
    from kikashi.parts.registry import KINDS as PART_KINDS, all_parts
    from kikashi.playout.policy import UNIFORM, named_lists
    from kikashi.search import config  # noqa: F401 - registers our rules

    return {part.name for part in all_parts(PART_KINDS[kind])} | {UNIFORM, *named_lists()}
