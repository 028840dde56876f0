"""Reports: a title, a verdict and elements, rendered as terminal text, Markdown and HTML.

An element is any object with the three methods of `Element`; `kikashi.report.elements` has the usual ones.
A new element is one class, here or in a file of a user's.
"""

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Protocol

from kikashi.files import write_whole

MARKDOWN_PAGE, HTML_PAGE = "report.md", "report.html"
Files = dict[str, str]
"""Contents by name of the files that a page of Markdown refers to, such as pictures."""


class Element(Protocol):
    """A part of a report. It escapes the text that it contains, by `markdown_text` and `html.escape`.

    An empty text leaves the element out of that rendering, as for a class of elements without the method.
    """

    def text(self) -> str:
        """Return lines for a terminal."""
        return ""

    def markdown(self, files: Files) -> str:
        """Return Markdown; files that it refers to are added to `files`."""
        return ""

    def html(self) -> str:
        """Return HTML that needs no other file."""


@dataclass(frozen=True)
class Document:
    """A report. The verdict, if there is one, is the sentence that a hurried reader needs."""

    title: str
    elements: Sequence[Element]
    verdict: str = ""

    def text(self) -> str:
        """Return the report for a terminal."""
        return joined([self.title, self.verdict, *(element.text() for element in self.elements)]) + "\n"

    def markdown(self, files: Files | None = None) -> str:
        """Return the report as Markdown, and add the pictures that it refers to to `files`."""
        added: Files = {} if files is None else files
        verdict = f"**{markdown_text(self.verdict)}**" if self.verdict else ""
        body = [element.markdown(added) for element in self.elements]
        return joined([f"# {markdown_text(self.title)}", verdict, *body]) + "\n"

    def html(self) -> str:
        """Return a page of HTML that needs no other file."""
        return (
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(self.title)}</title>'
            '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
            f"<style>\n{asset('page.css')}</style></head>\n<body>\n<h1>{html.escape(self.title)}</h1>\n"
            f"{self.fragment()}\n</body></html>\n"
        )

    def fragment(self) -> str:
        """Return the HTML below the title, for a notebook or another page."""
        verdict = f'<p class="verdict">{html.escape(self.verdict)}</p>' if self.verdict else ""
        return joined([verdict, *(element.html() for element in self.elements)])

    def write(self, folder: Path) -> Path:
        """Write ``report.md``, its pictures and ``report.html`` into a folder; return the page. Raises OSError."""
        self.write_markdown(folder / MARKDOWN_PAGE)
        write_whole(folder / HTML_PAGE, self.html())
        return folder / HTML_PAGE

    def write_markdown(self, file: Path) -> None:
        """Write a file of Markdown, with its pictures beside it. Raises OSError."""
        pictures: Files = {}
        page = self.markdown(pictures)
        for name, content in {**pictures, file.name: page}.items():
            write_whole(file.with_name(name), content)


def joined(parts: Iterable[str]) -> str:
    """Return the parts that are not empty, with a blank line between them."""
    return "\n\n".join(filter(None, parts))


@cache
def asset(name: str) -> str:
    """Return a style sheet or a script of this package."""
    return (files(__package__) / name).read_text("utf-8")


# --- text as Markdown -------------------------------------------------------------------------------------------------

_TAG = re.compile(r"(?<! )[<>&]|[<>&](?! )|~(?=~)")
"""Characters of a tag, a character reference or a strikethrough; none that stands alone, as in "p < 0.01"."""
_MARK = re.compile(r"[\\`*]|\](?=[(\[:])|(?<![^\W_])_|_(?![^\W_])|^(?:\[|[#+-](?=[\s#-]|$)|\d+(?=[.)]\s))")
"""Characters that would begin a code span, an emphasis, a link, a heading or a list."""


def markdown_text(text: str) -> str:
    """Return the text of a user, such as a name, as one line of Markdown that is shown as it is.

    >>> markdown_text("a *bold* <b>, p < 0.01")
    'a \\\\*bold\\\\* &lt;b&gt;, p < 0.01'
    """
    line = " ".join(text.split())
    marked = _MARK.sub(lambda found: f"\\{found[0]}" if not found[0].isdigit() else f"{found[0]}\\", line)
    return _TAG.sub(lambda found: "&#126;" if found[0] == "~" else html.escape(found[0]), marked)
