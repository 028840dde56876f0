"""From the bytes of an SGF file to its text, whatever the file says or does not say about its encoding."""

from __future__ import annotations

import codecs
import re

_BYTE_ORDER_MARKS = [
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins like UTF-16's mark, so it has to come first
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
]
_DECLARED = re.compile(rb"CA(?<=[;\]\s]CA)\s{0,9}\[\s{0,9}([\w.:-]{1,40})\s{0,9}\]")
_SUPERSETS = {
    # Programs name the old national standard and write characters of its later extension.
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
_PROBE = rb"(;C[a+b-c~~d\\e:f .xn--4ca.])"


def decode(data: bytes) -> str:
    """The text of a file: never fails, at worst some characters are replaced.

    A byte order mark decides; else UTF-16 shows itself by its zeros; else the encoding that CA names, if it is one;
    else UTF-8; else Latin-1, which is SGF's default and can read anything.
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    wide = _unmarked_utf16(data[:1024])
    if wide:
        return data.decode(wide, "replace")
    declared = _declared_encoding(data)
    for encoding in [declared, "utf-8"] if declared else ["utf-8"]:
        try:
            return data.decode(encoding)
        except UnicodeError:
            continue
    return data.decode(declared, "replace") if declared else data.decode("latin-1")


def _unmarked_utf16(head: bytes) -> str | None:
    # SGF is mostly ASCII, so in UTF-16 nearly every other byte is zero; in any other encoding none is.
    if head[1::2].count(0) > len(head) // 4:
        return "utf-16-le"
    if head[0::2].count(0) > len(head) // 4:
        return "utf-16-be"
    return None


def _declared_encoding(data: bytes) -> str | None:
    """Python's name of the encoding that CA names, or None if there is no CA or it names nothing that can be used."""
    declared = _DECLARED.search(data)
    if declared is None:
        return None
    try:
        name = codecs.lookup(declared[1].decode("ascii")).name
        # Python also knows codecs that are no character sets (idna, punycode, unicode_escape): they change the probe.
        usable = _PROBE.decode(name) == _PROBE.decode("ascii")
    except (LookupError, ValueError):
        return None
    return _SUPERSETS.get(name, name) if usable else None
