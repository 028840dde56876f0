"""Calls of parts by address.

A part is compiled once by `kikashi.jit.native_address` and called with Numba's own calling convention, so an error
raised inside a part ends the loop and reaches Python like any other. Such a call costs about 2.5 ns. Records are passed
by reference; a part's own record (`my`) by its address alone, since the loop does not know its type.
"""

from typing import Any

import numba.extending
import numpy as np
from numba import types
from numba.core import cgutils

from kikashi.jit import inlined

RULE = np.dtype([("address", "i8"), ("own", "i8"), ("number", "i8")], align=True)
"""A part in a loop: addresses of its code and its own record, and its number among the worker's parts."""

_ANY_RECORD = types.Record([("_", {"type": types.int64, "offset": 0})], 8, True)
"""Stand-in for a record of an unknown type: all records are passed as pointers."""


def _caller(result: Any) -> Any:
    """Return an intrinsic ``call(address, arguments, own)`` for a type of result. Integers are passed as 64 bits."""

    def call(context: Any, address: Any, arguments: Any, own: Any) -> Any:
        given = tuple(arguments)
        passed = tuple(types.int64 if isinstance(each, types.Integer) else each for each in given)

        def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            target, packed, own_address = values
            unpacked = cgutils.unpack_tuple(builder, packed, len(given))
            pairs = zip(unpacked, given, passed, strict=True)
            actual = [context.cast(builder, value, from_, to) for value, from_, to in pairs]
            actual.append(builder.inttoptr(own_address, context.get_value_type(_ANY_RECORD)))
            declared = (*passed, _ANY_RECORD)
            function_type = context.call_conv.get_function_type(result, declared)
            function = builder.inttoptr(target, function_type.as_pointer())
            status, value = context.call_conv.call_function(builder, function, result, declared, actual)
            with cgutils.if_unlikely(builder, status.is_error):
                context.call_conv.return_status_propagate(builder, status)
            return value

        return result(address, arguments, own), codegen

    return numba.extending.intrinsic(call)


_call = _caller(types.none)
_call_int = _caller(types.int64)
_call_bool = _caller(types.boolean)
_call_float = _caller(types.float64)


@inlined
def ask(sim: Any, rule: Any, arguments: Any) -> None:
    """Call a part that returns nothing: ``ask(sim, rule, (sim, moves))`` calls ``part(sim, moves, my)``."""
    sim.called = rule.number
    _call(rule.address, arguments, rule.own)


@inlined
def ask_int(sim: Any, rule: Any, arguments: Any) -> int:
    """Call a part that returns a point, a node or a slot."""
    sim.called = rule.number
    return _call_int(rule.address, arguments, rule.own)


@inlined
def ask_bool(sim: Any, rule: Any, arguments: Any) -> bool:
    """Call a part that returns true or false."""
    sim.called = rule.number
    return _call_bool(rule.address, arguments, rule.own)


@inlined
def ask_float(sim: Any, rule: Any, arguments: Any) -> float:
    """Call a part that returns a value."""
    sim.called = rule.number
    return _call_float(rule.address, arguments, rule.own)
