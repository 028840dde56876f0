"""Build ``paper.pdf`` from ``paper.md``: pandoc resolves the citations, typst sets the pages."""

from pathlib import Path

import pypandoc
import typst

HERE = Path(__file__).parent
PAGE = '#set page(paper: "a4", margin: 2.2cm, numbering: "1")\n#set text(size: 10pt)\n#set par(justify: true)\n'


def main() -> None:
    source = (HERE / "paper.md").read_text("utf-8")
    title = source.partition('title: "')[2].partition('"')[0]
    options = ["--citeproc", f"--bibliography={HERE / 'paper.bib'}"]
    body = pypandoc.convert_text(source, "typst", format="markdown", extra_args=options)
    head = f'{PAGE}#align(center)[#text(size: 16pt, weight: "bold")[{title}]\n\nThe kikashi authors]\n\n'
    document = HERE / "paper.typ"
    try:
        document.write_text(head + body, "utf-8")
        typst.compile(document, output=HERE / "paper.pdf")
    finally:
        document.unlink()


if __name__ == "__main__":
    main()
