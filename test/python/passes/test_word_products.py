"""Products of bytes by words: which contractions they are, and exact sums on the host and as Hexagon code."""

from __future__ import annotations

import numpy as np
import pytest
from batch import after, on_host, on_simulator
from linalg_programs import Program, run_all

from hexagon_mlir.ir import to_text
from hexagon_mlir.pass_infra import PassStep, UpstreamStep, registry
from hexagon_mlir.passes.contraction.plan import make_plan
from hexagon_mlir.passes.contraction.word_factors import with_one_reduction
from hexagon_mlir.passes.lib.contractions import Contraction, Index, OperandAccess
from hexagon_mlir.passes.lib.vector_loop import byte_loop, vector_loop
from hexagon_mlir.pipelines import BUFFERIZE

pytestmark = pytest.mark.only_values

STEPS = [*[UpstreamStep(e.text, e.why, e.label) for e in BUFFERIZE],
         PassStep(registry.get("hexagon-copy-lowering")(dma_bytes=-1)),
         PassStep(registry.get("hexagon-transpose-factors")()),
         PassStep(registry.get("hexagon-contraction-vectorization")())]


def contraction(rows=5, columns=70, words=9, byte=4, bits=8, combiner="arith.addi") -> Contraction:
    """Loops m, n, k, l."""
    def access(*loops, bits=bits):
        return OperandAccess(tuple(Index(((loop, 1),)) for loop in loops), bits, True)

    return Contraction((rows, columns, words, byte), (False, False, True, True),
                       (access(0, 2, 3), access(2, 1, 3), access(0, 1, bits=32)), (0, 1), combiner, bits)


def test_words_and_bytes_become_one_reduction():
    found = with_one_reduction(contraction())
    assert found is not None
    one, words = found
    assert words == 1 and one.extents == (5, 70, 36) and one.reduction == (False, False, True)
    assert [[i.plain for i in a.indices] for a in one.accesses] == [[0, 2], [2, 1], [0, 1]]


@pytest.mark.parametrize("other", [
    {"byte": 2}, {"byte": 8}, {"bits": 16}, {"combiner": "arith.maxsi"}, {"words": None}], ids=str)
def test_others_keep_their_reductions(other):
    assert with_one_reduction(contraction(**other)) is None


def test_words_need_no_copy_so_that_any_number_of_columns_is_multiplied():
    one, _ = with_one_reduction(contraction(rows=1, columns=None))
    assert make_plan(one, 128, words=True).dot_products and not make_plan(one, 128).dot_products


def test_the_words_are_the_lanes():
    reads, extents = [(0, 2, 3), (2, 1, 3), (0, 1)], (5, 70, 9, 4)
    assert (byte_loop(reads, extents), vector_loop(4, reads, extents)) == (3, 1)
    assert byte_loop([reads[1], reads[0], reads[2]], extents) == 3
    assert byte_loop(reads, (5, 70, 9, 8)) is None
    assert byte_loop([(0, 2), (2, 1), (0, 1)], (5, 70, 4)) is None and byte_loop([(0, 1), (0, 1)], (5, 4)) is None


def product(rows: int, columns: int, words: int, sign: str = "extsi") -> Program:
    """Rows of bytes widened by ``sign`` times words; it adds to sums of any size."""
    rng = np.random.default_rng(rows + columns + words)
    a = rng.integers(-128, 128, (rows, 4 * words)).astype(np.int8)
    b = rng.integers(-128, 128, (words, columns, 4)).astype(np.int8)
    c = rng.integers(-1 << 31, 1 << 31, (rows, columns)).astype(np.int32)
    a[0], b[:, 0] = -128, -128
    name = f"{sign}_{rows}_{columns}_{words}"
    given, factor, sums = (f"tensor<{'x'.join(map(str, v.shape))}x{kind}>" for v, kind in
                           ((a, "i8"), (b, "i8"), (c, "i32")))
    split = f"tensor<{rows}x{words}x4xi8>"
    text = f"""  func.func @{name}(%a: {given}, %b: {factor}, %c: {sums}) -> {sums} {{
    %s = tensor.expand_shape %a [[0], [1, 2]] output_shape [{rows}, {words}, 4] : {given} into {split}
    %r = linalg.generic {{indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>,
        affine_map<(m, n, k, l) -> (k, n, l)>, affine_map<(m, n, k, l) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction", "reduction"]}}
        ins(%s, %b : {split}, {factor}) outs(%c : {sums}) {{
      ^bb0(%p: i8, %q: i8, %old: i32):
        %u = arith.{sign} %p : i8 to i32
        %v = arith.extsi %q : i8 to i32
        %m = arith.muli %u, %v : i32
        %t = arith.addi %old, %m : i32
        linalg.yield %t : i32
    }} -> {sums}
    return %r : {sums}
  }}
"""
    wide = a.view(np.uint8 if sign == "extui" else np.int8).astype(np.int64)
    matrix = b.transpose(0, 2, 1).reshape(4 * words, columns).astype(np.int64)
    return Program(name, text, [a, b, c], (wide @ matrix + c).astype(np.int32))  # sums wrap


PROGRAMS = [product(*sizes, sign=sign) for sign in ("extsi", "extui") for sizes in (
    (1, 8, 1), (1, 100, 32), (2, 64, 33), (4, 240, 40), (5, 33, 9), (7, 31, 65), (16, 160, 8), (3, 130, 64))]


def test_sums_are_exact(sample):
    """Half of the sizes on the simulator, the others on the host, both signs in each."""
    text = "".join(p.text for p in PROGRAMS)
    module, context = after(text, STEPS)
    left = to_text(module)
    assert '"reduction"' not in left, [e.message for e in context.log.entries]
    assert "memref.alloc() :" not in left, "words are multiplied where they are"
    half = len(PROGRAMS) // 2
    one, other = (sample(PROGRAMS, [PROGRAMS[place + half * ((place // 2 + way) % 2)].name
                                    for place in range(way, half, 2)]) for way in (0, 1))
    run_all(other, on_host(after("".join(p.text for p in other), STEPS)[0], [p.name for p in other]))
    call, asm = on_simulator("".join(p.text for p in one))
    run_all(one, call)
    assert asm.count("vrmpy") >= len(one)


def test_large_factors_in_tiles_and_threads():
    programs = [product(1, 1000, 320), product(4, 960, 160, "extui"), product(64, 192, 8)]
    call, asm = on_simulator("".join(p.text for p in programs))
    run_all(programs, call)
    assert "vrmpy" in asm and "hexmlir_rt_fork" in asm
