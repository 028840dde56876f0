"""Words for messages: near names, plurals, and the errors of libraries about a user's file."""

import difflib
import re
import tomllib
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

import msgspec

NO_MEMORY = "there is not enough memory: try fewer --megabytes"
FEW_NAMES, MAX_SUGGESTIONS = 12, 3
"""The most names that are all listed, and the most that are suggested."""
MIN_SIMILARITY, MAX_DISTANCE = 0.6, 0.05
"""The least similarity of a suggested name, and the most that it may be below the best."""
PREFIX_SIMILARITY, FIRST_WORD_PENALTY = 0.95, 0.2
"""The similarity of a name that begins with the text; the deduction if only the first words are similar."""
T = TypeVar("T")
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
    """Read a TOML file. Raises ValueError, with the place."""
    try:
        return tomllib.loads(data.decode("utf-8-sig") if isinstance(data, bytes) else data)
    except UnicodeDecodeError:
        raise ValueError("this is not a text in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"this is not TOML: {_lower(str(error))}") from None


def convert(table: Any, target: type[T], name: str = "") -> T:
    """Convert plain data to a type; messages call it `name`. Raises ValueError."""
    try:
        return msgspec.convert(table, target)
    except msgspec.ValidationError as error:
        raise ValueError(explain(error, target, name)) from None


def nearest(text: str, known: Iterable[str], listed_by: str = "") -> str:
    """Suggest at most three near names, and list all if they are few: ``did you mean rule? there are rule, resign``.

    If there are more, `listed_by` is the command that lists them. Without one they are listed only if none is near.

    >>> nearest("a", "bcdefghijklmnop", "kikashi presets")
    'kikashi presets lists all 15'
    """
    names = list(known)
    near = near_names(text, names)
    *others, last = near or [""]
    sentences = [f"did you mean {', '.join(others) + ' or ' if others else ''}{last}?"] if near else []
    if len(names) <= FEW_NAMES or not (near or listed_by):
        sentences.append(f"there are {', '.join(names)}")
    elif listed_by:
        sentences.append(f"{listed_by} lists all {len(names)}")
    return " ".join(sentences)


def near_names(text: str, names: Iterable[str]) -> list[str]:
    """Return the most similar names, three at most, the best first.

    >>> near_names("mogo", ["mogo-2006-zone", "mogo-2009", "mogo-2006", "lgrf2", "mogo-2006-fpu"])
    ['mogo-2006', 'mogo-2009', 'mogo-2006-fpu']
    """
    similarity = {name: _similarity(text.lower(), name.lower()) for name in names}
    least = max(MIN_SIMILARITY, max(similarity.values(), default=0.0) - MAX_DISTANCE)
    near = [name for name, value in similarity.items() if value >= least]
    return sorted(near, key=lambda name: (-similarity[name], len(name), name))[:MAX_SUGGESTIONS]


def _similarity(text: str, name: str) -> float:
    """Return the similarity of two texts, from 0 to 1; a name that begins with the text is very near."""
    if text and text != name and name.startswith(text):
        return PREFIX_SIMILARITY
    first_word = difflib.SequenceMatcher(None, text, name.partition("-")[0]).ratio() - FIRST_WORD_PENALTY
    return max(difflib.SequenceMatcher(None, text, name).ratio(), first_word)


# --- errors of libraries ----------------------------------------------------------------------------------------------


def explain(error: Exception, target: Any, name: str = "") -> str:
    """Return the message of a msgspec error in our words: the setting, its possible values, and the nearest name."""
    match = re.fullmatch(r"(.*?)(?: - at `\$(.*)`)?", str(error), re.DOTALL)
    message, path = (match[1], match[2] or "") if match else (str(error), "")
    at = name + path if name else path.lstrip(".")
    inside = f" in {at}" if at else ""
    types = _types_at(target, path)
    if found := re.fullmatch(r"Object contains unknown field `(.*)`", message):
        names = [field.encode_name for field in _fields(types)]
        return f"there is no setting {found[1]!r}{inside}; {nearest(found[1], names)}"
    if found := re.fullmatch(r"Object missing required field `(.*)`", message):
        return f"the setting {found[1]!r} is missing{inside}"
    if found := re.fullmatch(r"Invalid (?:enum )?value (.*)", message):
        values = [str(value) for kind in types if get_origin(kind) is Literal for value in get_args(kind)]
        hint = f"; {nearest(found[1].strip(chr(39)), values)}" if values else ""
        return f"{at or 'this'} cannot be {found[1]}{hint}"
    if found := re.fullmatch(r"Expected `(.*)`, got `(.*)`", message):
        return f"{at or 'this'} must be {_type_names(found[1])}, not {_type_names(found[2])}"
    if found := re.fullmatch(r"Expected `(.*)` (<|<=|>|>=) (.*)", message):
        return f"{at or 'this'} must be {_type_names(found[1])} {_BOUNDS[found[2]]} {float(found[3]):g}"
    return _lower(message) + inside


def _type_names(types: str) -> str:
    return " or ".join(_TYPES.get(name, name) for name in types.split(" | ") if name != "null" or types == "null")


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _types_at(target: Any, path: str) -> list[Any]:
    """Return the types that data may have at a path such as ``.player[0].name``, inside of lists and unions too."""
    types = list(_plain(target))
    for name in re.findall(r"\.(\w+)", path):
        types = [plain for field in _fields(types) if field.encode_name == name for plain in _plain(field.type)]
    return types


def _fields(types: list[Any]) -> Iterator[Any]:
    for kind in types:
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            yield from msgspec.structs.fields(kind)


def _plain(kind: Any) -> Iterator[Any]:
    inner = get_args(kind)
    if get_origin(kind) is Annotated:
        yield from _plain(inner[0])
    elif get_origin(kind) is Literal or not inner:
        yield kind
    else:
        for each in inner:
            yield from _plain(each)


def plural(count: int, noun: str, many: str = "") -> str:
    """Return a count with its noun; `many` is the plural if it is not the noun with an s.

    >>> plural(1, "game"), plural(2000, "game"), plural(0, "search", "searches")
    ('1 game', '2,000 games', '0 searches')
    """
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"


def counted(count: int, nouns: str) -> str:
    """Return a count with its noun, given in the plural: ``1 search`` of searches."""
    return plural(count, nouns.removesuffix("es" if nouns.endswith("ches") else "s"), nouns)


def missing_extra(what: str, extra: str, error: Exception) -> str:
    """Return a line about packages that are not installed, with the command that installs them.

    >>> missing_extra("the page", "web", ModuleNotFoundError("No module named 'uvicorn'", name="uvicorn"))
    "the page needs uvicorn, which is not installed: pip install 'kikashi[web]'"
    """
    package = (getattr(error, "name", None) or "").partition(".")[0]
    why = f"{package}, which is not installed" if package else f"more packages ({reason(error)})"
    return f"{what} needs {why}: pip install 'kikashi[{extra}]'"


def reason(error: BaseException) -> str:
    """Return the message of an error in one line; for a want of memory, a remedy."""
    if isinstance(error, MemoryError):
        return NO_MEMORY
    return " ".join(str(error).split()) or type(error).__name__
