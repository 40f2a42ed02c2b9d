"""bf16 vectors that are only moved: integers in code generation, and masks that hold."""

import ml_dtypes
import numpy as np
import pytest

import hexagon_mlir as hx
from hexagon_mlir.codegen.rewrites.bfloat_moves import bfloat_vectors_as_bits
from hexagon_mlir.llvmir import Module

MOVES = """define void @f(ptr %p, <64 x i1> %m) {
entry:
  %1 = load <64 x bfloat>, ptr %p, align 2
  %2 = select <64 x i1> %m, <64 x bfloat> %1, <64 x bfloat> splat (bfloat 0xRFF80)
  %3 = bitcast <64 x bfloat> %2 to <64 x i16>
  call void @llvm.masked.store.v64bf16.p0(<64 x bfloat> %2, ptr align 2 %p, <64 x i1> %m)
  %4 = load bfloat, ptr %p, align 2
"""
END = "  ret void\n}\n"


def rewritten(text):
    return bfloat_vectors_as_bits(Module.parse(text)).text



def test_moves_become_integers():
    text = rewritten(MOVES + END)
    assert "x bfloat>" not in text and "splat (i16 65408)" in text
    assert "@llvm.masked.store.v64i16.p0(<64 x i16> %n2" in text
    assert "%n4 = load bfloat, ptr %p" in text


def test_nothing_is_declared_twice():
    declare = "declare void @llvm.masked.store.v64{}.p0(<64 x {}>, ptr, <64 x i1>) #1"
    both = f"{declare.format('i16', 'i16')}\n{declare.format('bf16', 'bfloat')}"
    assert rewritten(both).split() == declare.format("i16", "i16").split()
    assert rewritten(declare.format("bf16", "bfloat")).split() == declare.format("i16", "i16").split()


def test_scalars_go_in_and_out_as_integers():
    text = rewritten("""\
define void @f(bfloat %4) {
entry:
  %5 = insertelement <64 x bfloat> poison, bfloat %4, i64 0, !dbg !7
  %6 = insertelement <64 x bfloat> %5, bfloat 0xR3F80, i64 1
  %7 = extractelement <64 x bfloat> %6, i32 0
  ret void
}""")
    assert text == """\
define void @f(bfloat %n4) {
entry:
  %bits.n5 = bitcast bfloat %n4 to i16
  %n5 = insertelement <64 x i16> poison, i16 %bits.n5, i64 0, !dbg !7
  %n6 = insertelement <64 x i16> %n5, i16 16256, i64 1
  %bits.n7 = extractelement <64 x i16> %n6, i32 0
  %n7 = bitcast i16 %bits.n7 to bfloat
  ret void
}"""


@pytest.mark.parametrize("line", ["  %5 = fpext <64 x bfloat> %1 to <64 x float>\n",
                                  "  %5 = call <64 x bfloat> @f(<64 x bfloat> %1)\n"])
def test_other_uses_are_left_alone(line):
    module = Module.parse(MOVES + line + END)
    assert bfloat_vectors_as_bits(module) is module


def test_one_element_for_all_behind_a_mask():
    source = """
func.func @f(%x: memref<1xbf16>, %y: memref<100xbf16>, %out: memref<100xbf16>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (0)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                  iterator_types = ["parallel"]}
      ins(%x, %y : memref<1xbf16>, memref<100xbf16>) outs(%out : memref<100xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %o: bf16):
    %zero = arith.constant 0.0 : bf16
    %p = arith.cmpf ogt, %b, %zero : bf16
    %r = arith.select %p, %a, %b : bf16
    linalg.yield %r : bf16
  }
  return
}
"""
    x, y = np.full(1, 2.5, ml_dtypes.bfloat16), np.linspace(-3, 3, 100).astype(ml_dtypes.bfloat16)
    out = np.zeros(100, ml_dtypes.bfloat16)
    run = hx.compile(source).run(x, y, out)
    np.testing.assert_array_equal(out, np.where(y > 0, x, y))
    assert run.profile.packets < 150  # element by element it would be a thousand


@pytest.mark.parametrize("target", ["v68", "v75", "v79"])
def test_nothing_behind_the_mask_is_written(target):
    source = """
func.func @f(%x: memref<64xbf16>, %out: memref<64xbf16>, %n: i32) {
  %size = arith.index_cast %n : i32 to index
  %a = memref.subview %x[0] [%size] [1] : memref<64xbf16> to memref<?xbf16, strided<[1]>>
  %b = memref.subview %out[0] [%size] [1] : memref<64xbf16> to memref<?xbf16, strided<[1]>>
  linalg.add ins(%a, %a : memref<?xbf16, strided<[1]>>, memref<?xbf16, strided<[1]>>)
             outs(%b : memref<?xbf16, strided<[1]>>)
  return
}
"""
    kernel = hx.compile(source, target=target)
    x = np.linspace(-3, 3, 64).astype(ml_dtypes.bfloat16)
    for n in (1, 26, 27, 63, 64):
        out = np.full(64, 7, ml_dtypes.bfloat16)
        run = kernel.run(x, out, n)
        np.testing.assert_array_equal(out[:n].astype(np.float32), (x[:n].astype(np.float32) * 2))
        assert (out[n:] == 7).all()
        assert run.profile.packets < 1000
