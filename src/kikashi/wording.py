"""What libraries say about a user's file, in words of ours: the setting, what it may be, and the nearest name."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

import msgspec

NO_MEMORY = "there is not enough memory: try fewer --megabytes"
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


def nearest(said: str, known: Iterable[str]) -> str:
    """``did you mean rule? there are rule, resign``, or only what there is."""
    names = list(known)
    close = difflib.get_close_matches(said, names, 1)
    return (f"did you mean {close[0]}? " if close else "") + f"there are {', '.join(names)}"


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


def reason(error: BaseException) -> str:
    """The message of an error in one line; of a want of memory, what can be done about it."""
    if isinstance(error, MemoryError):
        return NO_MEMORY
    return " ".join(str(error).split()) or type(error).__name__
