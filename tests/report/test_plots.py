"""Plots with a name for each row."""

from xml.etree import ElementTree

from kikashi.report import plots

SVG = "{http://www.w3.org/2000/svg}"


def test_long_names_of_rows_end_within_the_picture() -> None:
    names = {"W" * 10: 0.1, "a name that is much longer than there is room for at the left": 0.2}
    bounds = {name: (value - 0.1, value, value + 0.1) for name, value in names.items()}
    for letters in (20, 40):
        texts = ElementTree.fromstring(str(plots.intervals(bounds, "Elo", title="Rows", letters=letters))).iter(
            f"{SVG}text"
        )
        shown = [text for text in texts if text.get("text-anchor") == "end"]
        assert [text.text for text in shown] == ["W" * 10, f"{list(names)[1][: letters - 1].rstrip()}…"]
        assert all(float(text.get("x", "")) - 7 * len(text.text or "") >= 0 for text in shown)


def test_a_picture_of_many_rows_counts_them() -> None:
    bounds = {f"row {k}": (0.0, 0.1, 0.2) for k in range(20)}
    assert "(Elo: 20 rows)" in str(plots.intervals(bounds, "Elo", title="Rows"))
    assert "(Elo: row 0)" in str(plots.intervals({"row 0": (0.0, 0.1, 0.2)}, "Elo", title="Rows"))
