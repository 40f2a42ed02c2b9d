"""What Triton's interpreter lacks: scalar functions of blocks, reductions of descriptors, places of NaN.

Call `complete` in a process with ``TRITON_INTERPRET=1`` before the first kernel.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def complete() -> None:
    """Give the interpreter what it lacks."""
    import triton.language as tl
    from triton.runtime import interpreter

    tl.map_elementwise = map_elementwise
    interpreter.InterpreterBuilder.create_descriptor_reduce = descriptor_reduce
    interpreter.ReduceOps.min_max = extremes


def map_elementwise(function: Any, *blocks: Any, pack: int = 1) -> Any:
    """`tl.map_elementwise` by one call for each ``pack`` elements of the broadcast ``blocks``."""
    import triton.language as tl
    from triton.runtime.interpreter import TensorHandle

    def tensor(data: np.ndarray, scalar: Any) -> Any:
        return tl.tensor(TensorHandle(data, scalar), tl.block_type(scalar, list(data.shape)) if data.shape else scalar)

    scalars = [block.type.scalar for block in blocks]
    spread = np.broadcast_arrays(*(block.handle.data for block in blocks))
    flat = [array.reshape(-1, pack) for array in spread]
    calls = []
    for row in range(len(flat[0])):
        given = [tensor(array[row, k: k + 1].reshape(()), scalar)
                 for array, scalar in zip(flat, scalars, strict=True) for k in range(pack)]
        results = function(*given)
        calls.append(results if isinstance(results, tuple) else (results,))
    joined = []
    for place in range(0, len(calls[0]), pack):
        data = np.array([[result.handle.data.item() for result in results[place: place + pack]] for results in calls])
        first = calls[0][place]
        joined.append(tensor(data.astype(first.handle.data.dtype).reshape(spread[0].shape), first.type.scalar))
    return tuple(joined) if isinstance(results, tuple) else joined[0]


def descriptor_reduce(builder: Any, kind: Any, descriptor: Any, value: Any, offsets: Any) -> None:
    """A reduction of a descriptor as the atomic operation on its pointers."""
    from triton._C.libtriton import ir

    pointers, mask = descriptor.materialize_pointers(offsets)
    name, scalar = kind.name, pointers.get_element_ty()
    if scalar.is_floating():
        name = {"ADD": "FADD"}[name]
    elif not scalar.is_int_signed():
        name = {"MAX": "UMAX", "MIN": "UMIN"}.get(name, name)
    pointers.data, mask.data = (np.ascontiguousarray(part.data) for part in (pointers, mask))
    value = type(value)(np.ascontiguousarray(value.data.reshape(pointers.data.shape)), value.dtype)
    builder.create_atomic_rmw(getattr(ir.ATOMIC_OP, name), pointers, value, mask, ir.MEM_SEMANTIC.RELAXED,
                              ir.MEM_SYNC_SCOPE.GPU)


def extremes(self: Any, input: Any, val_reduce_op: Any, idx_reduce_op: Any = None) -> Any:
    """Extremes pass over NaN; with their places, the first NaN is one, as PyTorch has it."""
    import triton.language as tl

    block = input[0] if isinstance(input, tuple) else input
    data = block.handle.data
    if idx_reduce_op is None:
        return self.to_tensor(val_reduce_op(data, axis=self.axis, keepdims=self.keep_dims), block.dtype)
    value, place = (np.max, np.argmax) if val_reduce_op is np.nanmax else (np.min, np.argmin)
    return (self.to_tensor(value(data, axis=self.axis, keepdims=self.keep_dims), block.dtype),
            self.to_tensor(place(data, axis=self.axis, keepdims=self.keep_dims), tl.int32))
