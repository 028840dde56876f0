"""Calls through addresses, and views of memory: the few places that speak LLVM.

A part is compiled once by `kikashi.compiling.native_address` and called from the loop with Numba's own calling
convention, so an error raised inside a part ends the loop and reaches Python like any other. Such a call costs about
2.5 ns. Records are passed by reference; a part's own record (`my`) is passed by its address alone, since the loop does
not know its type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba.extending
from llvmlite import ir
from numba import carray, types
from numba.core import cgutils

from kikashi.compiling import kernel

intrinsic: Any = numba.extending.intrinsic

_ANY_RECORD = types.Record([("_", {"type": types.int64, "offset": 0})], 8, True)
"""Stands for a record of a type that the caller does not know: all records are passed as pointers."""


def _call(result: Any, passed: tuple[Any, ...]) -> Callable[..., Any]:
    """Code that calls the address in the first argument with `passed`, and the address of `my` in the last."""

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        address, *arguments, own = values
        argument_types = (*passed, _ANY_RECORD)
        pointer_type = context.get_value_type(_ANY_RECORD)
        function_type = context.call_conv.get_function_type(result, argument_types)
        function = builder.inttoptr(address, function_type.as_pointer())
        arguments.append(builder.inttoptr(own, pointer_type))
        status, value = context.call_conv.call_function(builder, function, result, argument_types, arguments)
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        return value

    return codegen


@intrinsic
def call_propose(context: Any, address: Any, sim: Any, moves: Any, own: Any) -> Any:
    """``propose(sim, moves, my)``"""
    return types.none(address, sim, moves, own), _call(types.none, (sim, moves))


@intrinsic
def call_review(context: Any, address: Any, sim: Any, moves: Any, point: Any, own: Any) -> Any:
    """``review(sim, moves, point, my) -> point or REDRAW``"""
    return types.int64(address, sim, moves, types.int64, own), _call(types.int64, (sim, moves, types.int64))


@intrinsic
def call_memory(context: Any, address: Any, sim: Any, own: Any) -> Any:
    """``learn(sim, my)`` or ``observe(sim, my)``"""
    return types.none(address, sim, own), _call(types.none, (sim,))


@intrinsic
def call_inherit(context: Any, address: Any, sim: Any, parent: Any, own: Any) -> Any:
    """``inherit(sim, parent, my) -> slot``"""
    return types.int64(address, sim, types.int64, own), _call(types.int64, (sim, types.int64))


@intrinsic
def call_feasibility(context: Any, address: Any, sim: Any, point: Any, own: Any) -> Any:
    """``feasibility(sim, point, my) -> bool``"""
    return types.boolean(address, sim, types.int64, own), _call(types.boolean, (sim, types.int64))


@intrinsic
def call_region(context: Any, address: Any, sim: Any, own: Any) -> Any:
    """``region(sim, my)``"""
    return types.none(address, sim, own), _call(types.none, (sim,))


@intrinsic
def call_select(context: Any, address: Any, sim: Any, tree: Any, node: Any, own: Any) -> Any:
    """``select(sim, tree, node, my) -> child or BY_PLAYOUT``"""
    return types.int64(address, sim, tree, types.int64, own), _call(types.int64, (sim, tree, types.int64))


@intrinsic
def call_expand(context: Any, address: Any, sim: Any, tree: Any, node: Any, own: Any) -> Any:
    """``expand_now(sim, tree, node, my) -> bool``"""
    return types.boolean(address, sim, tree, types.int64, own), _call(types.boolean, (sim, tree, types.int64))


@intrinsic
def call_back_up(context: Any, address: Any, sim: Any, tree: Any, node: Any, own: Any) -> Any:
    """``back_up(sim, tree, node, my)``"""
    return types.none(address, sim, tree, types.int64, own), _call(types.none, (sim, tree, types.int64))


@numba.extending.intrinsic(prefer_literal=True)
def atomic_add(context: Any, record: Any, field: Any, amount: Any) -> Any:
    """Add to an integer field of a record, whatever other threads do; returns what was there before."""
    name = field.literal_value
    integer = record.typeof(name)

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = context.get_value_type(integer)
        base = builder.bitcast(values[0], ir.IntType(8).as_pointer())
        place = builder.gep(base, [ir.Constant(ir.IntType(64), record.offset(name))])
        place = builder.bitcast(place, kind.as_pointer())
        value = context.cast(builder, values[2], amount, integer)
        return builder.atomic_rmw("add", place, value, "monotonic")

    return integer(record, field, amount), codegen


@intrinsic
def record_pointer(context: Any, address: Any, example: Any) -> Any:
    """The address as a pointer to records of the type of `example`."""
    pointer = types.CPointer(example)

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.inttoptr(values[0], context.get_value_type(pointer))

    return pointer(address, example), codegen


@intrinsic
def _cell_pointer(context: Any, address: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.inttoptr(values[0], context.get_value_type(types.CPointer(types.int32)))

    return types.CPointer(types.int32)(address), codegen


@kernel
def cells(block: Any) -> Any:
    """The integers of a memory as an array: ``cells(my.replies)`` in a heuristic, ``cells(my.cells)`` in the memory."""
    return carray(_cell_pointer(block.address), (block.length,))


@intrinsic
def copy_record(context: Any, target: Any, source: Any) -> Any:
    """Copy all of one record into another of the same type."""

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        cgutils.raw_memcpy(builder, *values, context.get_constant(types.intp, source.size), 1)
        return context.get_dummy_value()

    if target != source:
        raise TypeError("copy_record copies between records of one type")
    return types.none(target, source), codegen
