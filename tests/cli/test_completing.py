"""Tab completion, as click's shell scripts ask for it."""

import pytest
from click.shell_completion import ShellComplete

from kikashi.cli import main

CASES = {
    ("pl",): ["play"],
    ("play", "lgrf"): ["lgrf1", "lgrf2"],
    ("show", "crazy"): ["crazystone-2006"],
    ("gtp", "--preset", "mogo"): ["mogo-2006", "mogo-2006-group"],
    ("review", "--preset", "kik"): ["kikashi"],
    ("match", "kikashi", "ore"): ["orego-2010"],
    ("experiment", "run", "baier2010-f"): ["baier2010-family"],
    ("tune", "kik"): ["kikashi-13x13", "kikashi-9x9"],
    ("gtp", "--meg"): ["--megabytes"],
    ("play", "--color", ""): ["black", "white"],
    ("play", "playouts"): ["playouts"],
}


@pytest.mark.parametrize("words", CASES)
def test_what_the_tab_key_completes(words: tuple[str, ...]) -> None:
    *before, incomplete = words
    complete = ShellComplete(main, {}, "kikashi", "_KIKASHI_COMPLETE")
    found = complete.get_completions(before, incomplete)
    assert [item.value for item in found][: len(CASES[words])] == CASES[words]
    if words == ("play", "playouts"):
        assert found[0].type == "file", "no preset: perhaps a file"
