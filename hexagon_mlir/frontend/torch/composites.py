"""Decompositions of PyTorch's composite operations in exported programs, as torch.compile decomposes them.

An export holds such operations whole. The importer, or a pass over the graph, takes some of them as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch._export.utils import _collect_all_valid_cia_ops_for_aten_namespace, _get_decomp_for_cia

_WHOLE = frozenset(f"aten.{name}" for name in (
    "linear.default", "matmul.default", "scaled_dot_product_attention.default", "softmax.int", "outer.default",
    "adaptive_avg_pool3d.default", "bilinear.default", "embedding_bag.padding_idx", "upsample_nearest1d.default",
    "upsample_nearest1d.vec", "upsample_nearest2d.default", "upsample_nearest2d.vec", "fliplr.default",
    "flipud.default", "isclose.default", "kl_div.default", "l1_loss.default", "linalg_det.default",
    "linalg_slogdet.default", "log_sigmoid.default", "max.other", "min.other", "one_hot.default",
    "repeat_interleave.self_int", "selu.default", "square.default", "tile.default", "type_as.default",
    "where.Scalar", "where.ScalarOther", "where.ScalarSelf", "hstack.default", "column_stack.default",
    "absolute.default", "special_expm1.default", "fix.default", "item.default",
    "float_power.Tensor_Tensor", "frobenius_norm.dim", "_cast_Float.default", "_cast_Long.default",
    "fake_quantize_per_channel_affine.default", "fake_quantize_per_tensor_affine.default",
    "fake_quantize_per_tensor_affine.tensor_qparams", "var_mean.default", "var_mean.dim"))
"""Those that stay whole, for the importer has a lowering, or a pass a rewrite of its own."""


def composites() -> dict[Any, Callable[..., Any]]:
    """The decompositions of all others."""
    return {op: _get_decomp_for_cia(op) for op in _collect_all_valid_cia_ops_for_aten_namespace()
            if str(op) not in _WHOLE}
