"""SGF trees: reading what programs write, saying where a file is broken, and writing it again."""

import errno
import os
import random
import time
import tracemalloc

import pytest
import sgfmill.sgf
from hypothesis import given, strategies as st

from kikashi import sgf
from kikashi.sgf import Node, SGFError


def flat(root: Node) -> list[tuple[int, dict[str, list[str]]]]:
    """A tree as a list: for each node how many children it has, and its properties."""
    return [(len(node.children), node.properties) for node in root.walk()]


def complaint(data: str | bytes | Node) -> str:
    """What reading the game complains about; nothing if it can be read. Any exception but SGFError goes through."""
    try:
        sgf.read_game(data)
    except SGFError as error:
        return str(error)
    return ""


def main_line(text: str | bytes) -> list[dict[str, list[str]]]:
    return [node.properties for node in sgf.parse(text)[0].main_line()]


# --- the tree ---------------------------------------------------------------------------------------------------------


def test_a_tree_with_variations():
    [root] = sgf.parse("(;SZ[9];B[aa](;W[bb];B[cc])(;W[dd](;B[ee])(;B[ff])))")
    assert main_line("(;SZ[9];B[aa](;W[bb];B[cc])(;W[dd]))") == [
        {"SZ": ["9"]},
        {"B": ["aa"]},
        {"W": ["bb"]},
        {"B": ["cc"]},
    ]
    assert [node.value("B") or node.value("W") for node in root.walk()] == [None, "aa", "bb", "cc", "dd", "ee", "ff"]
    second = root.children[0].children[1]
    assert second.value("W") == "dd"
    assert second.parent is root.children[0]
    assert root.parent is None
    assert repr(second) == "<Node ;W[dd], 2 children>"


def test_a_collection():
    assert [root.value("SZ") for root in sgf.parse("(;SZ[9])\n(;SZ[13];B[aa])(;)")] == ["9", "13", None]


def test_white_space_may_stand_anywhere_between_tokens():
    assert flat(sgf.parse(" (\n ;\tSZ \r\n [9]\f[x] \n ; B\n[aa]\n( ; W [bb] ) ) ")[0]) == flat(
        sgf.parse("(;SZ[9][x];B[aa];W[bb])")[0]
    )


# --- what real files contain ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(;FileFormat[3]SiZe[9]White[aa]Comment[x])", {"FF": ["3"], "SZ": ["9"], "W": ["aa"], "C": ["x"]}),
        ("(;sz[9]b[aa])", {"SZ": ["9"], "B": ["aa"]}),
        ("(;AB[aa]C[x]AB[bb][cc])", {"AB": ["aa", "bb", "cc"], "C": ["x"]}),
        ("Date: Monday\n(see below) (;B[aa])", {"B": ["aa"]}),
        ("\ufeff(;B[aa])", {"B": ["aa"]}),
        ("(;B[aa]))) -- \nthe end", {"B": ["aa"]}),
        ("(( (;B[aa]) ();) )(Nonsense", {"B": ["aa"]}),
        ("(PB[Shusaku]DT[1846];B[aa])", {"PB": ["Shusaku"], "DT": ["1846"]}),
        ("(;B[aa]\0\0)", {"B": ["aa"]}),
        ("(;C1[x])", {"C1": ["x"]}),
    ],
)
def test_lenient_reading(text, expected):
    assert sgf.parse(text)[0].properties == expected


def test_properties_before_the_first_semicolon_are_the_root():
    assert main_line("(PB[Shusaku];B[aa];W[bb])") == [{"PB": ["Shusaku"]}, {"B": ["aa"]}, {"W": ["bb"]}]


def test_a_game_that_is_still_being_recorded_needs_no_closing_parenthesis():
    assert len(main_line("(;SZ[9];B[aa];W[bb]\n")) == 3
    assert len(sgf.parse("(;SZ[9];B[aa])(;SZ[9];W[bb]")) == 2


@pytest.mark.parametrize("text", ["(;SZ[9]", "(;SZ[9];B[aa](;W[bb])", "(;SZ[9];B[aa](;W[bb]", "(;SZ[9];B[aa]("])
def test_any_other_unclosed_end_is_an_error(text):
    with pytest.raises(SGFError, match=rf"^line 1, column {len(text) + 1}: the file ends inside a game"):
        sgf.parse(text)


# --- text in values ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "text", "simple"),
    [
        (r"a\]b\\c\:d", r"a]b\c:d", r"a]b\c:d"),
        ("soft\\\nbreak, soft\\\r\nbreak", "softbreak, softbreak", "softbreak, softbreak"),
        ("one\ntwo\r\nthree\rfour\n\rfive", "one\ntwo\nthree\nfour\nfive", "one two three four five"),
        ("tab\there\\\tthere", "tab here there", "tab here there"),
        (r"(;B[x\]", "(;B[x]", "(;B[x]"),
        (r"ends with \\", "ends with \\", "ends with \\"),
        ("", "", ""),
    ],
)
def test_text_and_simple_text(written, text, simple):
    [root] = sgf.parse(f"(;C[{written}]KO[])")
    assert root.properties == {"C": [written], "KO": [""]}
    assert root.text("C") == text
    assert root.simple_text("C") == simple


@given(st.text())
def test_any_text_can_be_put_into_a_property(text):
    root = Node()
    root.set_text("C", text)
    [again] = sgf.parse(sgf.dump([root]))
    expected = sgf.unescape(sgf.escape(text))
    assert again.text("C") == expected
    if text.isprintable():
        assert expected == text


def test_missing_properties():
    assert (Node().value("C"), Node().text("C"), Node().simple_text("C")) == (None, None, None)


# --- encodings --------------------------------------------------------------------------------------------------------

NAME = "囲碁 Gö ™"


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (f"(;CA[UTF-8]PB[{NAME}])".encode(), NAME),
        (f"(;PB[{NAME}])".encode(), NAME),
        (f"(;CA[ISO-8859-1]PB[{NAME}])".encode("utf-8-sig"), NAME),
        (f"(;PB[{NAME}])".encode("utf-16"), NAME),
        (f"(;PB[{NAME}])".encode("utf-16-le"), NAME),
        (f"(;PB[{NAME}])".encode("utf-16-be"), NAME),
        (f"(;PB[{NAME}])".encode("utf-32"), NAME),
        ("(;CA[Shift_JIS]PB[ソ表]PW[囲碁])".encode("shift_jis"), "ソ表"),  # second bytes that look like backslashes
        ("(;PW[x]CA[GB2312]PB[围棋镕])".encode("gbk"), "围棋镕"),  # the last one is not in GB2312
        ("(;CA[EUC-KR]PB[바둑])".encode("euc-kr"), "바둑"),
        ("(;CA[windows-1251]PB[Го])".encode("cp1251"), "Го"),
        ("(;PB[G\xf6])".encode("latin-1"), "Gö"),
        ("(;CA[nonsense]PB[G\xf6])".encode("latin-1"), "Gö"),
        ("(;CA[]PB[G\xf6])".encode("latin-1"), "Gö"),
        ("(;CA[ascii]PB[G\xf6])".encode(), "Gö"),
        ("(;CA[UTF-8]PB[G\xf6])".encode("latin-1"), "G\ufffd"),
    ],
)
def test_encodings(data, name):
    [root] = sgf.parse(data)
    assert root.text("PB") == name


@pytest.mark.parametrize("encoding", ["idna", "punycode", "rot13", "unicode_escape", "utf-16", "utf-7", "zip", "cp037"])
def test_encodings_that_cannot_be_meant_are_passed_over(encoding):
    [root] = sgf.parse(f"(;CA[{encoding}]C[a+b\\]\\u0041 .xn--4ca. ö])".encode())
    assert root.text("C") == "a+b]u0041 .xn--4ca. ö"


# --- broken files -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("", "line 1, column 1", "no game found"),
        ("B[aa]", "line 1, column 6", "no game found"),
        ("(B[aa])", "line 1, column 1", "no node in this game"),
        ("(;B)", "line 1, column 3", "property B has no value"),
        ("(;B", "line 1, column 3", "property B has no value"),
        ("(;SZ[9]\n;B W[aa])", "line 2, column 2", "property B has no value"),
        ("(;\n\n  [aa])", "line 3, column 3", "a value without a property"),
        ("(;B[aa]\r\n;W[b", "line 2, column 3", "a value that is never closed"),
        ("(;B[aa\\]", "line 1, column 4", "a value that is never closed"),
        ("(;B[aa\\", "line 1, column 4", "a value that is never closed"),
        ("(;B[aa]\r,;W[bb])", "line 2, column 1", "unexpected character ','"),
        ("(;B[aa]())", "line 1, column 9", "a variation without a node"),
        ("(;B[aa]((;W[bb])))", "line 1, column 9", "a variation must begin with ';'"),
        ("(;B[aa](;W[bb]);W[cc])", "line 1, column 16", "a node after a variation"),
        ("(;B[aa](W[bb]))", "line 1, column 9", "property W outside a node"),
        ("(;B[aa](;W[bb])C[x])", "line 1, column 16", "property C outside a node"),
        ("(;B[aa](;W[bb])[x])", "line 1, column 16", "a value without a property"),
    ],
)
def test_an_error_is_one_line_with_place_and_problem(text, place, problem):
    with pytest.raises(SGFError) as caught:
        sgf.parse(text)
    assert str(caught.value).startswith(f"{place}: {problem}")
    assert "\n" not in str(caught.value)


def test_the_error_of_a_file_names_it(tmp_path):
    (tmp_path / "bad.sgf").write_bytes(b"(;B")
    with pytest.raises(SGFError, match=r"^bad\.sgf, line 1, column 3: property B has no value$"):
        sgf.load(tmp_path / "bad.sgf")
    with pytest.raises(FileNotFoundError):
        sgf.load(tmp_path / "missing.sgf")


SEEDS = [
    b"(;FF[4]GM[1]CA[UTF-8]SZ[9]KM[6.5]HA[2]RU[Japanese]AB[gc][cg]PL[W]C[a\\]b];W[ee];B[aa](;W[tt])(;W[];B[cc]))",
    "(;CA[Shift_JIS]PB[ソ表]SZ[5];B[aa];W[bb]C[\xb1])".encode("shift_jis", "replace"),
    b"junk (;GaMe[1]SiZe[19];Black[pd];White[dp]AW[aa:cc]AE[bb];B[qq]) (;SZ[3];B[bb]) tail",
    "(;GM[1]SZ[9];B[aa];W[bb])".encode("utf-16"),
]
SCRAPS = [b"(", b")", b"[", b"]", b";", b"\\", b"B", b"AB", b"aa:ss", b"CA[utf-16]", b"SZ[7]", b"\xff", b"\0", b"\n"]


def mutant(generator: random.Random) -> bytes:
    data = bytearray(generator.choice(SEEDS))
    for _ in range(generator.randint(1, 3)):
        at = generator.randrange(len(data) + 1)
        change = generator.randrange(4)
        if change == 0:
            data[at : at + 1] = bytes([generator.randrange(256)])
        elif change == 1:
            del data[at : at + generator.randint(1, 8)]
        elif change == 2:
            data[at:at] = generator.choice(SCRAPS)
        else:
            data[at:at] = data[generator.randrange(len(data) + 1) :][:20]
    return bytes(data)


def test_damaged_files_give_a_game_or_a_clear_error():
    generator = random.Random(2006)
    complaints = [complaint(mutant(generator)) for _ in range(2000)]
    broken = [line for line in complaints if line]
    assert not any(complaint(seed) for seed in SEEDS)
    assert 500 < len(broken) < 1900  # both sides are really tried
    assert len(set(broken)) > 300
    assert all(line.startswith("line ") and "\n" not in line and len(line) < 200 for line in broken)


@given(st.text(alphabet="();[]\\ \nABbaW:t19", max_size=60))
def test_nothing_else_is_ever_raised(text):
    assert "\n" not in complaint(text)
    assert "\n" not in complaint(f"(;SZ[9]{text})")


# --- size -------------------------------------------------------------------------------------------------------------


def test_twenty_thousand_nested_variations():
    depth = 20_000
    text = "(;B[aa](;W[bb])" * depth + ")" * depth
    [root] = sgf.parse(text)
    assert sum(1 for _ in root.walk()) == 2 * depth
    assert sum(1 for _ in root.main_line()) == 2
    [again] = sgf.parse(sgf.dump([root]))
    assert flat(again)[1:] == flat(root)[1:]


LARGE = [
    # what comes first, what comes again and again, how often, what comes last
    ("(;", "(", 300_000, ""),
    ("", "( ", 500_000, ""),
    ("(;", "C[x]", 200_000, ")"),
    ("(", ";C[x]", 100_000, ")"),
    ("(;C[", "\\]", 500_000, ""),
    ("(;AB", "[aa:ss]", 100_000, ")"),
    ("(;B[];W[]", ";B[];W[]", 50_000, ")"),
    ("(;", "AB[aa];AE[aa];", 25_000, ")"),
    ("(;", "\n", 1_000_000, "?"),
    ("(;CA[punycode]C[", "a-", 300_000, "\xff])"),
    ("(;KM[", "9", 1_000_000, "])"),
    ("(;", "B", 1_000_000, ")"),
]


def cpu_seconds_to_read(text: str) -> float:
    start = time.process_time()
    assert len(complaint(text.encode("latin-1"))) < 200
    return time.process_time() - start


@pytest.mark.thorough
@pytest.mark.parametrize(("head", "again", "times", "tail"), LARGE, ids=range(len(LARGE)))
def test_a_file_four_times_as_large_takes_about_four_times_as_long(head, again, times, tail):
    """Quadratic time would be sixteen times as long, and many minutes; a moment is never too long."""
    moment, tries = 0.2, 3  # another process may get in the way of one
    quarter, whole = (head + again * count + tail for count in (times // 4, times))
    assert any(cpu_seconds_to_read(whole) < 10 * max(cpu_seconds_to_read(quarter), moment) for _ in range(tries))


MEMORY = {
    "one comment": (("(;C[", "some words ", "])"), 6),
    "a comment with escapes": (("(;C[", "some \\\\ words\\]\r\n", "])"), 8),
    "many nodes": (("(;", ";B[aa];W[bb]", ")"), 48),
    "many games": (("", "(;SZ[9];B[aa];W[bb];B[cc])", ""), 45),
    "many variations": (("(;", "(;B[aa];W[bb])", ")"), 45),
}
"""What a file of many times the middle is, and how many times its size it may take to read and write it."""


@pytest.mark.thorough
@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=[] if case == "many nodes" else pytest.mark.soak) for case in MEMORY]
)
def test_memory_is_proportionate(case: str) -> None:
    (head, again, tail), most = MEMORY[case]
    data = (head + again * (200_000 // len(again)) + tail).encode()
    tracemalloc.start()
    try:
        roots = sgf.parse(data)
        roots[0].text("C")
        assert len(sgf.dump(roots)) > len(data) / 2
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < most * len(data)


def test_properties_are_the_same_whether_kept_or_only_looked_at() -> None:
    [root] = sgf.parse("(;White[aa]W[bb] ab [cc]\n[d[\\]] C[];B[dd])")
    assert root.peek() == root.peek() == {"W": ["aa", "bb"], "AB": ["cc", "d[\\]"], "C": [""]}
    root.properties["C"] = ["changed"]
    assert root.peek()["C"] == ["changed"]
    assert root.children[0].peek() == {"B": ["dd"]}


# --- writing ----------------------------------------------------------------------------------------------------------


def test_writing_a_tree():
    [root] = sgf.parse("(;SZ[9]CA[GBK]XX[1][2]KO[];B[aa](;W[bb])(;W[cc];B[]))")
    assert sgf.dump([root]) == "(;FF[4]GM[1]CA[UTF-8]SZ[9]XX[1][2]KO[];B[aa]\n(;W[bb])\n(;W[cc];B[]))\n"


def test_format_and_game_of_the_root_are_kept():
    assert sgf.dump(sgf.parse("(;SZ[8]GM[3]FF[3])")) == "(;FF[3]GM[3]CA[UTF-8]SZ[8])\n"


def test_lines_are_broken_between_nodes_only():
    text = sgf.dump(sgf.parse("(;SZ[9]" + ";B[aa]C[some words];W[bb]" * 50 + ")"))
    assert max(map(len, text.splitlines())) <= 81
    assert all(line[0] in "(;" for line in text.splitlines())


@pytest.mark.parametrize(("name", "value"), [("C", "a]b"), ("C", "a\\"), ("c", "x"), ("", "x"), ("A B", "x")])
def test_values_that_would_break_the_file_are_refused(name, value):
    root = Node()
    root.properties[name] = [value]
    with pytest.raises(SGFError, match="property"):
        sgf.dump([root])


def test_saving_and_loading(tmp_path):
    root = Node()
    root.set_text("PB", NAME)
    root.add_child().properties["B"] = ["aa"]
    sgf.save([root, root], tmp_path / "two.sgf")
    assert [game.text("PB") for game in sgf.load(tmp_path / "two.sgf")] == [NAME, NAME]
    assert sgf.load(str(tmp_path / "two.sgf"))[0].children[0].properties == {"B": ["aa"]}


def test_the_old_file_survives_a_full_disk(tmp_path, monkeypatch):
    def is_full(_descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    root, file = Node(), tmp_path / "game.sgf"
    sgf.save([root], file)
    before = file.read_bytes()
    monkeypatch.setattr(os, "fsync", is_full)
    with pytest.raises(OSError, match="No space left"):
        sgf.save([root, root], file)
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


capitals = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=1, max_size=3)
names = capitals.filter(lambda name: name not in ("CA", "FF", "GM", "SZ"))
plain = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12) | st.sampled_from(["", "\\", "]", "a\nb"])
properties = st.dictionaries(names, st.lists(plain.map(sgf.escape), min_size=1, max_size=3), max_size=4)


@st.composite
def trees(draw) -> Node:
    """A tree grown node by node, each under any of the earlier ones."""
    nodes = [Node()]
    for _ in range(draw(st.integers(0, 12))):
        nodes.append(nodes[draw(st.integers(0, len(nodes) - 1))].add_child())
    for node in nodes:
        node.properties.update(draw(properties))
    return nodes[0]


@given(st.lists(trees(), min_size=1, max_size=3))
def test_written_trees_are_read_again(roots):
    text = sgf.dump(roots)
    for again in (sgf.parse(text), sgf.parse(text.encode())):
        assert len(again) == len(roots)
        for old, new in zip(roots, again, strict=True):
            assert flat(new)[1:] == flat(old)[1:]
            assert new.properties == {"FF": ["4"], "GM": ["1"], "CA": ["UTF-8"], **old.properties}


@given(trees())
def test_sgfmill_reads_what_we_write(root):
    sequence = sgfmill.sgf.Sgf_game.from_string(sgf.dump([root])).get_main_sequence()
    for ours, theirs in zip(root.main_line(), sequence, strict=True):
        for name, values in ours.properties.items():
            assert [raw.decode() for raw in theirs.get_raw_list(name)] == values
        if len(ours.properties.get("C", [])) == 1:
            assert theirs.get("C").strip() == ours.text("C").strip()
