"""A call of every op of PyTorch's core ATen opset that inference can contain: what `scripts/single_ops.py core` sweeps.

Arguments are on odd shapes, with negative and special values where the op has a meaning for them. `UNUSED` names the
core ops without a call here, each with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

_INFINITY, _NAN = float("inf"), float("nan")
_BACKWARD = "a gradient: models are compiled for inference"
_RANDOM = "draws random numbers, which are inputs of a compiled model"
_SIZE = "gives a size or a number to Python, not a tensor"
UNUSED: dict[str, str] = {
    **dict.fromkeys(("_adaptive_avg_pool2d_backward.default", "avg_pool2d_backward.default",
                     "convolution_backward.default", "embedding_dense_backward.default",
                     "max_pool2d_with_indices_backward.default", "native_group_norm_backward.default",
                     "native_layer_norm_backward.default"), _BACKWARD),
    **dict.fromkeys(("rand.default", "randn.default", "randperm.default"), _RANDOM),
    **dict.fromkeys(("sym_is_contiguous.default", "sym_numel.default", "sym_size.int", "sym_storage_offset.default",
                     "sym_stride.int", "_local_scalar_dense.default"), _SIZE),
    **dict.fromkeys(("empty.memory_format", "empty_strided.default"), "has no values to compare"),
    "resize_.default": "changes the storage of its argument, which torch.export refuses",
    "atan2.out": "an out variant, which torch.export refuses",
}


def core_aten() -> list[OpOverload]:
    """The ops that PyTorch tags as core, in the order of their names."""
    found = []
    for name in sorted(torch._C._dispatch_get_all_op_names()):
        space, _, rest = name.partition("::")
        base, _, overload = rest.partition(".")
        op = getattr(getattr(torch.ops.aten, base, None), overload or "default", None) if space == "aten" else None
        if op is not None and torch.Tag.core in op.tags:
            found.append(op)
    return found


def short_name(op: OpOverload) -> str:
    """``add.Tensor`` of ``aten.add.Tensor``."""
    return str(op).removeprefix("aten.")


def _floats(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape) + seed)) * 3


def _special(*shape: int, seed: int = 0) -> Tensor:
    x = _floats(*shape, seed=seed)
    odd = torch.tensor([0.0, -0.0, _INFINITY, -_INFINITY, _NAN, 1e-40, 1.0, -1.0, 0.5, 2.5, -2.5, 1e30])
    x.view(-1)[: len(odd)] = odd[: x.numel()]
    return x


def _positive(*shape: int) -> Tensor:
    return _floats(*shape).abs() + 0.1


def _numbers(*shape: int, below: int = 100, low: int = 0, dtype: torch.dtype = torch.int64) -> Tensor:
    generator = torch.Generator().manual_seed(sum(shape) + below)
    return torch.randint(low, below, shape, generator=generator).to(dtype)


_X, _Y = _special(3, 33), _special(3, 33, seed=1).flip(-1)
_UNIT = torch.cat((torch.tensor([0.0, -0.0, 1.0, -1.0, 1.5, _NAN, _INFINITY, -_INFINITY]),
                   torch.linspace(-0.99, 0.99, 25)))
_N, _M = _numbers(3, 33, low=-50, below=50), _numbers(3, 33, low=1, below=9)
_B, _C = _numbers(3, 33, below=2) > 0, _numbers(1, 33, below=2) > 0
_IMAGE, _VOLUME = _floats(2, 3, 8, 10), _floats(1, 2, 5, 6, 7)
Arguments = tuple[Any, ...]
CALLS: dict[str, list[Arguments]] = {
    **{f"{name}.default": [(_X,)] for name in (
        "abs", "acosh", "asinh", "atan", "ceil", "cos", "cosh", "elu", "erf", "exp", "expm1", "floor", "isinf",
        "isnan", "leaky_relu", "log", "log10", "log1p", "log2", "neg", "reciprocal", "relu", "round", "rsqrt",
        "sigmoid", "sign", "sin", "sinh", "sqrt", "tan", "tanh", "trunc", "hardtanh", "clone", "alias",
        "logical_not", "mean", "prod")},
    **{f"{name}.default": [(_UNIT,)] for name in ("acos", "asin", "atanh")},
    **{f"{name}.{kind}": [(_X, 0.5 if kind == "Scalar" else _Y), (_N, 3 if kind == "Scalar" else _M)]
       for name in ("add", "sub", "mul", "eq", "ne", "lt", "le", "gt", "ge") for kind in ("Scalar", "Tensor")},
    **{f"bitwise_{name}.{kind}": [(_N, 12 if kind == "Scalar" else _M), (_B, True if kind == "Scalar" else _C)]
       for name in ("and", "or", "xor") for kind in ("Scalar", "Tensor")},
    **{f"logical_{name}.default": [(_B, _C), (_X, _N)] for name in ("and", "or", "xor")},
    "bitwise_not.default": [(_N,), (_B,)],
    "gelu.default": [(_floats(3, 33),)],
    "atan2.default": [(_X, _Y)],
    "maximum.default": [(_X, _Y), (_N, _M)], "minimum.default": [(_X, _Y), (_N, _M)],
    "div.Tensor": [(_X, _Y), (_N, _M)], "div.Scalar": [(_X, 0.7), (_N, 3)],
    **{f"div.{kind}_mode": [(x, y if kind == "Tensor" else number, {"rounding_mode": mode})
                            for x, y, number in ((_floats(3, 33), _positive(3, 33), 0.7), (_N, _M, -3))
                            for mode in ("floor", "trunc")] for kind in ("Tensor", "Scalar")},
    "fmod.Tensor": [(_floats(3, 33), _positive(1, 33)), (_N, _M)], "fmod.Scalar": [(_X, 1.5), (_N, -7)],
    "remainder.Tensor": [(_floats(3, 33), _floats(1, 33)), (_N, _M)], "remainder.Scalar": [(_X, -1.5), (_N, -7)],
    "pow.Tensor_Tensor": [(_positive(3, 33), _floats(3, 33)), (_special(3, 33), _M.float()), (_N, _M)],
    "pow.Tensor_Scalar": [(_X, 3), (_positive(3, 33), -1.7), (_N, 5), (_X, 0.5), (_X, -2), (_X, 0)],
    "pow.Scalar": [(2.0, _floats(3, 33)), (-2.0, _M), (3, _M)],
    "clamp.default": [(_X, -1, 1), (_N, 3), (_X, None, 0.5)], "clamp.Tensor": [(_X, _floats(33), _floats(33) + 2)],
    "where.self": [(_B, _X, _Y), (_C, _N, torch.tensor(7))],
    "_to_copy.default": [(_floats(3, 33), {"dtype": torch.float16}), (_X, {"dtype": torch.bool}),
                         (_N, {"dtype": torch.float32}), (_B, {"dtype": torch.int64}),
                         (_floats(3, 33), {"dtype": torch.int64})],
    "copy.default": [(_X, _floats(33))], "fill.Scalar": [(_X, 2.5)],
    "full.default": [([3, 5], 2.5)], "full_like.default": [(_X, -1.5)], "scalar_tensor.default": [(2.5,)],
    "arange.start_step": [(3, 20, 4), (0.5, 4, 0.75)],
    # reductions
    "amax.default": [(_X, [-1]), (_floats(3, 5, 7), [0, 2], True)], "amin.default": [(_X, [0]), (_N, [1])],
    "any.default": [(_B,), (_X,)], "any.dim": [(_B, 1), (_X, 0, True)], "any.dims": [(_B, [0, 1]), (_C, [0])],
    "argmax.default": [(_X, -1), (_floats(3, 33),), (_N, 0, True)], "argmin.default": [(_X, -1), (_N, 1)],
    "max.dim": [(_X, 1), (_N, 0, True)], "min.dim": [(_X, 1), (_N, 0)],
    "mean.dim": [(_floats(3, 5, 7), [0, 2]), (_X, [1], True)],
    "sum.dim_IntList": [(_floats(3, 5, 7), [1], True), (_N, [0]), (_B, [1])],
    "prod.dim_int": [(_floats(3, 9), 1), (_numbers(3, 9, low=-4, below=5), 0)],
    "var.correction": [(_floats(3, 5, 7), [1, 2], {"correction": 0}), (_floats(3, 33), [0])],
    "var.dim": [(_floats(3, 33), [1]), (_floats(3, 33), [0], False, True)],
    "cumsum.default": [(_floats(3, 33), 1), (_N, 0), (_B, 1)],
    "_softmax.default": [(_floats(3, 33), 1, False)], "_log_softmax.default": [(_floats(3, 33), 0, False)],
    "sort.default": [(_X,), (_N, 0, True)], "topk.default": [(_X, 5), (_N, 2, 0, False)],
    "_cdist_forward.default": [(_floats(2, 5, 4), _floats(2, 7, 4), p, None) for p in (2.0, 1.0, _INFINITY)],
    "_pdist_forward.default": [(_floats(5, 4), p) for p in (2.0, 1.0, _INFINITY, 1.5)],
    # products, layers
    "mm.default": [(_floats(5, 33), _floats(33, 7))], "bmm.default": [(_floats(3, 5, 17), _floats(3, 17, 33))],
    "addmm.default": [(_floats(33), _floats(5, 17), _floats(17, 33), {"beta": 0.5, "alpha": -2})],
    "convolution.default": [
        (_IMAGE, _floats(4, 3, 3, 3), _floats(4), [2, 1], [1, 2], [1, 2], False, [0, 0], 1),
        (_floats(1, 4, 5, 6), _floats(4, 3, 3, 2), None, [2, 3], [1, 0], [1, 1], True, [1, 2], 1),
        (_floats(1, 6, 4, 5), _floats(6, 2, 3, 3), None, [2, 2], [1, 1], [1, 1], True, [0, 1], 3),
        (_floats(1, 6, 9), _floats(6, 1, 3), None, [1], [1], [1], False, [0], 6),
        (_VOLUME, _floats(3, 2, 3, 3, 3), _floats(3), [1, 2, 1], [1, 0, 1], [1, 1, 1], False, [0, 0, 0], 1),
        (_floats(0, 3, 4, 5), _floats(4, 3, 1, 1), None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)],
    "embedding.default": [(_floats(11, 19), _numbers(3, 5, below=11))],
    "_embedding_bag.default": [(_floats(11, 19), _numbers(8, below=11), torch.tensor([0, 3, 3]))],
    "native_layer_norm.default": [(_floats(3, 5, 7), [5, 7], _floats(5, 7), _floats(5, 7, seed=1), 1e-5)],
    "native_group_norm.default": [(_floats(2, 6, 15), _floats(6), None, 2, 6, 15, 2, 1e-5)],
    "_native_batch_norm_legit.default": [
        (_floats(4, 5, 21), _floats(5), None, _floats(5), _positive(5), train, 0.1, 1e-5) for train in (True, False)],
    "_native_batch_norm_legit.no_stats": [(_floats(4, 5, 21), None, _floats(5), True, 0.1, 1e-5)],
    "_native_batch_norm_legit_no_training.default": [
        (_floats(4, 5, 21), _floats(5), _floats(5), _floats(5), _positive(5), 0.1, 1e-5)],
    "native_dropout.default": [(_X, 0.5, False)],
    "avg_pool1d.default": [(_floats(2, 3, 11), [3], [2], [1])],
    "avg_pool2d.default": [(_IMAGE, [3, 2], [2, 2], [1, 1], True, False), (_IMAGE, [3, 3], [2, 2], [0, 0], True),
                           (_IMAGE, [2, 2], [], [0, 0], False, True, 3)],
    "avg_pool3d.default": [(_VOLUME, [2, 3, 2], [2, 1, 2])],
    "adaptive_avg_pool1d.default": [(_floats(2, 3, 11), [4])],
    "_adaptive_avg_pool2d.default": [(_IMAGE, [3, 4]), (_IMAGE, [1, 1]), (_IMAGE, [11, 13])],
    "_adaptive_avg_pool3d.default": [(_VOLUME, [1, 1, 1]), (_VOLUME, [2, 3, 4])],
    "max_pool2d_with_indices.default": [(_IMAGE, [3, 2], [2, 2], [1, 1]), (_special(1, 1, 5, 7), [2, 2]),
                                        (_IMAGE, [3, 3], [2, 2], [0, 0], [1, 2], True)],
    "max_pool3d_with_indices.default": [(_VOLUME, [2, 2, 2]), (_VOLUME, [3, 2, 3], [2, 2, 2], [1, 1, 1])],
    "upsample_bilinear2d.vec": [(_IMAGE, [11, 7], False, None), (_IMAGE, None, True, [1.5, 0.7])],
    "upsample_nearest2d.vec": [(_IMAGE, [11, 7], None), (_IMAGE, None, [1.5, 0.7])],
    "grid_sampler_2d.default": [(_IMAGE, _floats(2, 4, 3, 2) * 0.3, mode, border, align)
                                for mode, border, align in ((0, 0, False), (1, 1, True), (2, 0, False), (0, 2, True))],
    "_fft_r2c.default": [(_floats(3, 8), [1], 0, True)],
    "_fft_c2r.default": [(torch.complex(_floats(3, 5), _floats(3, 5, seed=1)), [1], 2, 8)],
    # moves
    "as_strided.default": [(_floats(3, 33), [5, 4], [7, 2], 3)],
    "cat.default": [([_X, _floats(3, 5)], 1), ([_floats(0), _floats(4), _floats(7)],), ([_N, _M],)],
    "col2im.default": [(_floats(2, 18, 24), [6, 7], [3, 2], [1, 1], [0, 0], [1, 1])],
    "constant_pad_nd.default": [(_IMAGE, [1, 2, 0, 3], 2.5), (_floats(5, 7), [-1, 2, 1, -3]), (_N, [2, 1], 7)],
    "diagonal.default": [(_floats(5, 7),), (_floats(3, 5, 7), -1, 2, 0)],
    "expand.default": [(_floats(5, 1), [3, 5, 7]), (_floats(3, 1), [-1, 4])],
    "flip.default": [(_X, [0, 1]), (_N, [1])],
    "gather.default": [(_X, 1, _numbers(3, 4, below=33)), (_N, 0, _numbers(2, 33, below=3))],
    "index.Tensor": [(_floats(9, 5), [_numbers(7, below=9)]), (_floats(4, 9, 5), [None, _numbers(3, 2, below=9)]),
                     (_floats(4, 9, 5), [_numbers(3, below=4), None, _numbers(3, below=5)])],
    "index_put.default": [(_floats(9, 5), [torch.tensor([2, -1, 7])], _floats(3, 5)),
                          (_floats(9, 5), [torch.tensor([2, 2]), torch.tensor([4, 4])], _floats(2), True)],
    "index_select.default": [(_X, 1, _numbers(4, below=33)), (_N, 0, _numbers(5, below=3))],
    "masked_scatter.default": [(_X, _B, _floats(99))],
    "nonzero.default": [(_N,)],
    "permute.default": [(_floats(3, 5, 7), [2, 0, 1])],
    "reflection_pad1d.default": [(_floats(2, 3, 9), [3, 2])], "reflection_pad2d.default": [(_IMAGE, [3, 2, 1, 4])],
    "reflection_pad3d.default": [(_VOLUME, [1, 2, 3, 0, 2, 1])],
    "replication_pad2d.default": [(_IMAGE, [3, 2, 1, 4])], "replication_pad3d.default": [(_VOLUME, [1, 2, 3, 0, 2, 1])],
    "repeat.default": [(_floats(3, 5), [2, 1, 3])],
    "scatter.src": [(_floats(3, 9), 1, torch.tensor([[0, 5], [8, 1], [2, 3]]), _floats(3, 2))],
    "scatter.value": [(_floats(3, 9), 0, _numbers(2, 4, below=3), -7.5)],
    "scatter_add.default": [(_floats(3, 9), 1, _numbers(3, 12, below=9), _floats(3, 12))],
    "scatter_reduce.two": [(_floats(3, 9), 1, _numbers(3, 12, below=9), _floats(3, 12), mode,
                            {"include_self": whole}) for mode in ("sum", "prod", "mean", "amax", "amin")
                           for whole in (True, False)],
    "select.int": [(_floats(3, 5, 7), 1, -2)], "select_scatter.default": [(_floats(3, 5, 7), _floats(3, 7), 1, -2)],
    "slice.Tensor": [(_X, 1, 2, 30, 3), (_X, 1, -9, 2**63 - 1), (_X, 0, 2, 1)],
    "slice_scatter.default": [(_floats(3, 9), _floats(3, 3), 1, 1, 9, 3)],
    "split_with_sizes.default": [(_X, [5, 0, 28], 1)],
    "squeeze.dim": [(_floats(3, 1, 5), 1), (_floats(3, 5), 0)], "squeeze.dims": [(_floats(1, 3, 1, 5), [0, 2, 3])],
    "unsqueeze.default": [(_X, -1)], "view.default": [(_X, [9, -1]), (_floats(2, 0, 3), [0, 6])],
}


def core_calls() -> Iterator[tuple[str, OpOverload, tuple[Any, ...], dict[str, Any]]]:
    """Name, op, positional and named arguments of each call."""
    ops = {short_name(op): op for op in core_aten()}
    for name, calls in CALLS.items():
        for number, call in enumerate(calls):
            named = call[-1] if isinstance(call[-1], dict) else {}
            yield f"core {name} {number}", ops[name], call[:-1] if named else call, named
