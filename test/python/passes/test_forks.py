"""Frames of forks: their layout, and that of the runtime."""

import re

import pytest
from support import ROOT

from hexagon_mlir.ir import ir, make_context
from hexagon_mlir.passes.async_lowering.frames import RUNTIME_BYTES, bytes_of, is_stored, offsets


def test_the_runtime_has_its_bytes():
    header = (ROOT / "runtime" / "include" / "hexmlir_rt.h").read_text()
    assert int(re.search(r"HEXMLIR_RT_FORK_BYTES = (\d+)", header)[1]) == RUNTIME_BYTES


@pytest.mark.parametrize("sizes", [[], [1], [1, 2, 4, 8], [8, 1, 8, 1], [128, 4, 128], [4, 6, 4], [4] * 40])
def test_values_do_not_overlap_and_are_aligned(sizes):
    places, size, alignment = offsets(sizes)
    ends = [at + nbytes for at, nbytes in zip(places, sizes, strict=True)]
    assert all(end <= at for end, at in zip([RUNTIME_BYTES, *ends], places, strict=False))
    assert size == max(ends, default=RUNTIME_BYTES)
    for at, nbytes in zip(places, sizes, strict=True):
        natural = next(1 << n for n in range(12) if 1 << n >= nbytes)
        assert at % natural == 0 and alignment % natural == 0


@pytest.mark.parametrize(("text", "nbytes"), [
    ("index", 4), ("i1", 1), ("i8", 1), ("i64", 8), ("f16", 2), ("f32", 4), ("memref<8xf32>", 8), ("memref<f32>", 8),
    ("vector<32xf32>", 128), ("vector<3xf16>", 6), ("vector<32xi1>", None), ("memref<?xf32>", None),
    ("memref<8xf32, strided<[2]>>", None), ("memref<8xf32, 1>", None), ("!async.token", None),
])
def test_types(text, nbytes):
    with make_context():
        type_ = ir.Type.parse(text)
        assert is_stored(type_) == (nbytes is not None)
        if nbytes is not None:
            assert bytes_of(type_) == nbytes
