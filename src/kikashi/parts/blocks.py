"""Memory by its address: views of blocks as arrays, atomic addition, copies."""

from typing import Any, Protocol, SupportsIndex, TypeVar

import numba.extending
import numpy as np
from llvmlite import ir
from numba import carray, types
from numba.core import cgutils
from numpy.typing import NDArray

from kikashi.jit import inlined

intrinsic: Any = numba.extending.intrinsic

Row = TypeVar("Row")
Row_co = TypeVar("Row_co", covariant=True)


class Block(Protocol):
    """Place of an array: ``my.cells`` of a memory, or ``my.NAME`` of a memory or statistic that a part reads. `cells`
    and `records` show it as an array."""

    @property
    def address(self) -> int:
        """Address of the first element."""

    @property
    def length(self) -> int:
        """Number of elements."""


class Rows(Protocol[Row_co]):
    """An array of records."""

    def __getitem__(self, at: SupportsIndex, /) -> Row_co: ...
    def __len__(self) -> int: ...


BLOCK = np.dtype([("address", "u8"), ("length", "i8")], align=True)


def block_of(array: np.ndarray) -> tuple[int, int]:
    """Return a BLOCK for an array, which must outlive its use."""
    return int(array.ctypes.data), array.size


@intrinsic
def _pointer(context: Any, address: Any, example: Any) -> Any:
    """Return an address as a pointer to values of the type of `example`."""
    pointer = types.CPointer(example)

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.inttoptr(values[0], context.get_value_type(pointer))

    return pointer(address, example), codegen


@inlined
def cells(block: Block) -> NDArray[np.int32]:
    """Return the integers of a memory: ``cells(my.replies)`` in a heuristic, ``cells(my.cells)`` in the memory."""
    return carray(_pointer(block.address, np.int32(0)), (block.length,))


@inlined
def records(block: Block, example: Row) -> Rows[Row]:
    """Return a block as an array of records of the type of `example`."""
    return carray(_pointer(block.address, example), (block.length,))


@numba.extending.intrinsic(prefer_literal=True)
def atomic_add(context: Any, record: Any, field: Any, amount: Any) -> Any:
    """Add to an integer field of a record, whatever other threads do; return its value before."""
    name = field.literal_value
    integer = record.typeof(name)

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        base = builder.bitcast(values[0], ir.IntType(8).as_pointer())
        place = builder.gep(base, [ir.Constant(ir.IntType(64), record.offset(name))])
        place = builder.bitcast(place, context.get_value_type(integer).as_pointer())
        value = context.cast(builder, values[2], amount, integer)
        return builder.atomic_rmw("add", place, value, "monotonic")

    return integer(record, field, amount), codegen


@intrinsic
def _atomic_add_at(context: Any, address: Any, amount: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        place = builder.inttoptr(values[0], ir.IntType(32).as_pointer())
        return builder.atomic_rmw("add", place, context.cast(builder, values[1], amount, types.int32), "monotonic")

    return types.int32(address, amount), codegen


@inlined
def add_to_cell(block: Block, index: int, amount: int) -> int:
    """Add to one integer of a memory, whatever other threads do; return its value before."""
    if not 0 <= index < block.length:
        raise IndexError("a cell that the memory does not have")
    return np.int64(_atomic_add_at(np.int64(block.address) + 4 * np.int64(index), amount))


@intrinsic
def copy_record(context: Any, target: Any, source: Any) -> Any:
    """Copy all of one record into another of the same type."""

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        cgutils.raw_memcpy(builder, *values, context.get_constant(types.intp, source.size), 1)
        return context.get_dummy_value()

    if target != source:
        raise TypeError("copy_record copies between records of one type")
    return types.none(target, source), codegen


@intrinsic
def move_bytes(context: Any, target: Any, source: Any, count: Any) -> Any:
    """Copy bytes between addresses; the two areas may overlap."""

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        to, from_ = (builder.inttoptr(value, ir.IntType(8).as_pointer()) for value in values[:2])
        cgutils.raw_memmove(builder, to, from_, values[2], 1)
        return context.get_dummy_value()

    return types.none(types.int64, types.int64, types.int64), codegen


@intrinsic
def clear_bytes(context: Any, target: Any, count: Any) -> Any:
    """Set bytes from an address on to zero."""

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        cgutils.memset(builder, builder.inttoptr(values[0], ir.IntType(8).as_pointer()), values[1], 0)
        return context.get_dummy_value()

    return types.none(types.int64, types.int64), codegen
