"""Output in encodings that lack some of our characters: something near is written instead."""

from __future__ import annotations

import codecs
import io
import sys

HANDLER = "kikashi.near"
_NEAR = str.maketrans(
    {
        **dict.fromkeys("–—−╌─━╴╶╸╺", "-"),
        **dict.fromkeys("│┃|", "|"),
        **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯", "+"),
        **dict.fromkeys("▁▂▃", "_"),
        **dict.fromkeys("▄▅▆▇█▓▒░", "#"),
        **dict.fromkeys("▲△", "^"),
        **dict.fromkeys(map(chr, range(0x2801, 0x2900)), "*"),  # the dots that lines of scores are made of
        "\u2800": " ",
        "…": "...",
        "•": "*",
        "·": ".",
        "●": "X",
        "○": "O",
        "×": "x",
        "’": "'",
        "“": '"',
        "”": '"',
        "≥": ">=",
    }
)


def _near(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(_NEAR)
    return "".join(c if c.isascii() else "?" for c in text), error.end


def write_what_can_be_written() -> None:
    """From now on no output fails for want of a character."""
    codecs.register_error(HANDLER, _near)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors=HANDLER)
