"""SVG as text: well-formed whatever is drawn, and values where they belong."""

from xml.etree import ElementTree

import pytest

from kikashi.pictures import svg
from kikashi.pictures.svg import Axis, round_step

WORDS = "A < B & \"C\" 'D'"


def test_words_and_attributes_are_escaped() -> None:
    found = ElementTree.fromstring(svg.text(1, 2.25, WORDS, class_=WORDS, text_anchor="end"))
    assert found.text == WORDS
    assert found.attrib == {"x": "1", "y": "2.2", "class": WORDS, "text-anchor": "end"}
    assert ElementTree.fromstring(svg.title(WORDS)).text == WORDS


def test_a_picture_is_xml_with_everything_in_it() -> None:
    parts = [
        svg.line((0, 1), (2, 3.04)),
        svg.rectangle(1, 2, 3, 4, svg.title("x")),
        svg.circle(1, 2, 3),
        svg.polyline([(1, 2), (3.5, 4)]),
        svg.polygon([(1, 2), (3, 4)], fill="red"),
    ]
    root = ElementTree.fromstring(svg.picture(100, 50.4, parts, WORDS, font_size=12))
    size = {"viewBox": "0 0 100 50", "width": "100", "height": "50"}
    assert root.attrib == {**size, "role": "img", "font-size": "12"}
    assert root[0].text == WORDS, "what it shows, for who cannot see it"
    assert [element.tag.rpartition("}")[2] for element in root] == [
        "title",
        "rect",
        "line",
        "rect",
        "circle",
        "polyline",
        "polygon",
    ]
    assert root[5].attrib == {"points": "1,2 3.5,4", "fill": "none"}
    assert root[2].attrib["y2"] == "3"


def test_a_picture_shows_itself() -> None:
    picture = svg.picture(10, 10, [], "nothing to see")
    assert repr(picture) == "<Picture: nothing to see>"
    assert picture._repr_svg_() == picture
    assert type(picture._repr_svg_()) is str


def test_axes() -> None:
    assert [Axis(0, 10, 100, 0).at(value) for value in (0, 5, 10)] == [100, 50, 0]
    assert Axis(1, 64, 0, 60, logarithmic=True).at(8) == pytest.approx(30)
    assert Axis(3, 3, 7, 9).at(3) == 7, "a range of nothing is no error"
    assert Axis(0, 1, 0, 1).ticks() == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1])
    assert Axis(-12, 9, 0, 1).ticks() == [-10, -5, 0, 5]
    assert Axis(1, 16, 0, 1, logarithmic=True).ticks() == [1, 2, 4, 8, 16]
    assert [round_step(step) for step in (0, 0.03, 1, 1.5, 7)] == pytest.approx([1, 0.05, 1, 2, 10])
