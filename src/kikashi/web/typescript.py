"""The TypeScript types of all messages, made from their structures: ``python -m kikashi.web.typescript FILE``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, get_args

import msgspec
from msgspec import inspect

from kikashi.files import write_whole
from kikashi.web.messages import AnyEvent, Event, Hello
from kikashi.web.page import AnyRequest

HEAD = "// Made by `make messages` from src/kikashi/web: do not edit.\n"
_PLAIN: dict[Any, str] = {
    inspect.StrType: "string",
    inspect.BytesType: "string",
    inspect.IntType: "number",
    inspect.FloatType: "number",
    inspect.BoolType: "boolean",
    inspect.NoneType: "null",
}


def types() -> str:
    """Return the declarations of all messages."""
    structures: dict[str, str] = {}
    messages = {"AnyRequest": [Hello, *get_args(AnyRequest)], "AnyEvent": get_args(AnyEvent)}
    for kinds in messages.values():
        for each in kinds:
            _declare(inspect.type_info(each), structures)
    unions = [
        f"export type {name} =\n" + "\n".join(f"  | {each.__name__}" for each in kinds) + ";\n"
        for name, kinds in messages.items()
    ]
    return "\n".join([HEAD, *structures.values(), *unions])


def _declare(info: Any, known: dict[str, str]) -> None:
    """Add the declaration of a structure, after those of its fields."""
    for field in info.fields:
        for inner in _structures_in(field.type):
            if inner.cls.__name__ not in known:
                _declare(inner, known)
    name = info.cls.__name__
    if info.array_like:
        items = ", ".join(f"{field.name}: {_type(field.type)}" for field in info.fields)
        known[name] = f"export type {name} = [{items}];\n"
        return
    is_request = not issubclass(info.cls, Event)
    lines = [f"  type: {_quoted(info.tag)};"] if info.tag is not None else []
    for field in info.fields:
        optional = "?" if is_request and not field.required else ""
        lines.append(f"  {field.encode_name}{optional}: {_type(field.type)};")
    known[name] = f"export interface {name} {{\n" + "\n".join(lines) + "\n}\n"


def _structures_in(info: Any) -> Iterator[Any]:
    if isinstance(info, inspect.StructType):
        yield info
    for inner in _inner(info):
        yield from _structures_in(inner)


def _inner(info: Any) -> list[Any]:
    if isinstance(info, inspect.UnionType):
        return list(info.types)
    if isinstance(info, inspect.ListType | inspect.VarTupleType):
        return [info.item_type]
    if isinstance(info, inspect.TupleType):
        return list(info.item_types)
    return [info.key_type, info.value_type] if isinstance(info, inspect.DictType) else []


def _type(info: Any) -> str:
    if type(info) in _PLAIN:
        return _PLAIN[type(info)]
    if isinstance(info, inspect.LiteralType):
        return " | ".join(_quoted(value) for value in info.values)
    if isinstance(info, inspect.UnionType):
        return " | ".join(_type(each) for each in info.types)
    if isinstance(info, inspect.ListType | inspect.VarTupleType):
        inner = _type(info.item_type)
        return f"({inner})[]" if " " in inner else f"{inner}[]"
    if isinstance(info, inspect.TupleType):
        return f"[{', '.join(_type(each) for each in info.item_types)}]"
    if isinstance(info, inspect.DictType):
        return f"Record<string, {_type(info.value_type)}>"
    if isinstance(info, inspect.StructType):
        return info.cls.__name__
    raise TypeError(f"no TypeScript for {info}")


def _quoted(text: object) -> str:
    return msgspec.json.encode(text).decode()


if __name__ == "__main__":
    write_whole(sys.argv[1], types())
