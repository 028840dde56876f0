"""What libraries say about a user's file, in words of ours: the setting, what it may be, and the nearest name."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

import msgspec

NO_MEMORY = "there is not enough memory: try fewer --megabytes"
FEW_NAMES, MOST_NEAR = 12, 3
"""As many names are all listed where one is wrong; so many are suggested."""
LEAST_LIKENESS, ABOUT_AS_LIKE, GOES_ON, ONLY_FIRST_WORD = 0.6, 0.05, 0.95, 0.2
"""The likeness of a name that is suggested; how much less than the best it may be; that of a name that begins with what
was said; what is taken off where only first words are alike."""
Wanted = TypeVar("Wanted")
_TYPES = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "object": "a table",
    "array": "a list",
    "null": "nothing",
}
_BOUNDS = {"<": "below", "<=": "at most", ">": "above", ">=": "at least"}


def read_toml(data: bytes | str) -> dict[str, Any]:
    """The table in a file. Raises ValueError, with the place."""
    try:
        return tomllib.loads(data.decode("utf-8-sig") if isinstance(data, bytes) else data)
    except UnicodeDecodeError:
        raise ValueError("this is not a text in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"this is not TOML: {_lower(str(error))}") from None


def converted(table: Any, wanted: type[Wanted], name: str = "") -> Wanted:
    """Plain data as what is wanted of it. `name` is what messages call it. Raises ValueError."""
    try:
        return msgspec.convert(table, wanted)
    except msgspec.ValidationError as error:
        raise ValueError(in_our_words(error, wanted, name)) from None


def in_our_words(error: Exception, wanted: Any, name: str = "") -> str:
    """What an error of msgspec's says about data that should have been what is wanted."""
    match = re.fullmatch(r"(.*?)(?: - at `\$(.*)`)?", str(error), re.DOTALL)
    what, path = (match[1], match[2] or "") if match else (str(error), "")
    at = name + path if name else path.lstrip(".")
    for pattern, tell in _PATTERNS:
        if found := re.fullmatch(pattern, what):
            return str(tell(at or "this", _types_at(wanted, path), *found.groups()))
    return _lower(what) + (f" in {at}" if at else "")


def nearest(said: str, known: Iterable[str], listed_by: str = "") -> str:
    """``did you mean rule? there are rule, resign``: at most three near names, and all if they are few.

    Where there are more, `listed_by` is the command that lists them. Without one they are listed only if none is near.

    >>> nearest("a", "bcdefghijklmnop", "kikashi presets")
    'kikashi presets lists all 15'
    """
    names = list(known)
    near = near_names(said, names)
    told = [f"did you mean {alternatives(near)}?"] if near else []
    if len(names) <= FEW_NAMES or not (near or listed_by):
        told.append(f"there are {', '.join(names)}")
    elif listed_by:
        told.append(f"{listed_by} lists all {len(names)}")
    return " ".join(told)


def near_names(said: str, names: Iterable[str]) -> list[str]:
    """The names that are most alike, three at most, the best first.

    A name that goes on from what was said is very near, and one whose first word is alike may be.

    >>> near_names("mogo", ["mogo-2006-zone", "mogo-2009", "mogo-2006", "lgrf2", "mogo-2006-fpu"])
    ['mogo-2006', 'mogo-2009', 'mogo-2006-fpu']
    """
    likeness = {name: _likeness(said.lower(), name) for name in names}
    least = max(LEAST_LIKENESS, max(likeness.values(), default=0.0) - ABOUT_AS_LIKE)
    near = [name for name, value in likeness.items() if value >= least]
    return sorted(near, key=lambda name: (-likeness[name], len(name), name))[:MOST_NEAR]


def _likeness(said: str, name: str) -> float:
    """How alike they are, from 0 to 1."""
    name = name.lower()
    if said and said != name and name.startswith(said):
        return GOES_ON
    first_word = difflib.SequenceMatcher(None, said, name.partition("-")[0]).ratio() - ONLY_FIRST_WORD
    return max(difflib.SequenceMatcher(None, said, name).ratio(), first_word)


def alternatives(words: Sequence[str]) -> str:
    """``a``, ``a or b``, ``a, b or c``."""
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


# --- patterns ---------------------------------------------------------------------------------------------------------


def _unknown(at: str, types: list[Any], said: str) -> str:
    known = [field.encode_name for kind in types if _is_struct(kind) for field in msgspec.structs.fields(kind)]
    return f"there is no setting {said!r}{_inside(at)}; {nearest(said, known)}"


def _missing(at: str, _types: list[Any], said: str) -> str:
    return f"the setting {said!r} is missing{_inside(at)}"


def _not_among(at: str, types: list[Any], said: str) -> str:
    known = [str(value) for kind in types if get_origin(kind) is Literal for value in get_args(kind)]
    return f"{at} cannot be {said}" + (f"; {nearest(said.strip(chr(39)), known)}" if known else "")


def _not_of_type(at: str, _types: list[Any], wanted: str, said: str) -> str:
    return f"{at} must be {_worded(wanted)}, not {_worded(said)}"


def _not_within(at: str, _types: list[Any], wanted: str, bound: str, limit: str) -> str:
    return f"{at} must be {_worded(wanted)} {_BOUNDS[bound]} {float(limit):g}"


_PATTERNS: list[tuple[str, Any]] = [
    (r"Object contains unknown field `(.*)`", _unknown),
    (r"Object missing required field `(.*)`", _missing),
    (r"Invalid (?:enum )?value (.*)", _not_among),
    (r"Expected `(.*)`, got `(.*)`", _not_of_type),
    (r"Expected `(.*)` (<|<=|>|>=) (.*)", _not_within),
]
"""What msgspec says, and how we tell it: with the path, the types wanted there, and what the pattern finds."""


def _worded(types: str) -> str:
    return " or ".join(_TYPES.get(name, name) for name in types.split(" | ") if name != "null" or types == "null")


def _inside(at: str) -> str:
    return "" if at == "this" else f" in {at}"


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


# --- types ------------------------------------------------------------------------------------------------------------


def _types_at(wanted: Any, path: str) -> list[Any]:
    """The types that data may have at a path such as ``.player[0].name``, inside of lists and unions too."""
    types = list(_plain(wanted))
    for name in re.findall(r"\.(\w+)", path):
        fields = (field for kind in types if _is_struct(kind) for field in msgspec.structs.fields(kind))
        types = [plain for field in fields if field.encode_name == name for plain in _plain(field.type)]
    return types


def _plain(kind: Any) -> Iterator[Any]:
    inner = get_args(kind)
    if get_origin(kind) is Annotated:
        yield from _plain(inner[0])
    elif get_origin(kind) is Literal or not inner:
        yield kind
    else:
        for each in inner:
            yield from _plain(each)


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def plural(count: int, noun: str, many: str = "") -> str:
    """A count with its noun; `many` is the noun for other counts than 1 where they do not only add an s.

    >>> plural(1, "game"), plural(2000, "game"), plural(0, "search", "searches")
    ('1 game', '2,000 games', '0 searches')
    """
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"


def counted(count: int, nouns: str) -> str:
    """A count with its noun, which is given in the plural: ``1 search`` of searches."""
    return plural(count, nouns.removesuffix("es" if nouns.endswith("ches") else "s"), nouns)


def missing_extra(what: str, extra: str, error: Exception) -> str:
    """A line about packages that are not installed, with the command that installs them.

    >>> missing_extra("the page", "web", ModuleNotFoundError("No module named 'uvicorn'", name="uvicorn"))
    "the page needs uvicorn, which is not installed: pip install 'kikashi[web]'"
    """
    package = (getattr(error, "name", None) or "").partition(".")[0]
    why = f"{package}, which is not installed" if package else f"what is not here ({reason(error)})"
    return f"{what} needs {why}: pip install 'kikashi[{extra}]'"


def reason(error: BaseException) -> str:
    """The message of an error in one line; of a want of memory, what can be done about it."""
    if isinstance(error, MemoryError):
        return NO_MEMORY
    return " ".join(str(error).split()) or type(error).__name__
