"""Rows at known distances that begin elsewhere within a vector: each is brought into line by itself."""

import re

import numpy as np
import pytest
from text_rewrites import rows_apart

from hexagon_mlir import targets
from hexagon_mlir.codegen import backend
from hexagon_mlir.codegen.llvm import binding
from hexagon_mlir.sim import Machine


def rows(starts: list[int], vectors: int) -> str:
    """A loop in which each output vector is the sum of the ``vectors`` of a row; rows begin at byte ``starts[i]``."""
    body: list[str] = []
    for row, start in enumerate(starts):
        for number in range(vectors):
            name = f"{row}.{number}"
            body += [f"  %p{name} = getelementptr i8, ptr %base, i32 {start + 128 * number}",
                     f"  %v{name} = load <32 x i32>, ptr %p{name}, align 4",
                     f"  %s{name} = add <32 x i32> %v{name}, " + (f"%s{row}.{number - 1}" if number else f"%v{name}")]
        body += [f"  %o{row} = getelementptr i8, ptr %y, i32 {128 * row}",
                 f"  store <32 x i32> %s{row}.{vectors - 1}, ptr %o{row}, align 128"]
    lines = "\n".join(body)
    return f"""
define void @f(ptr %x, ptr noalias %y, i32 %n) {{
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = mul i32 %i, 52
  %base = getelementptr i8, ptr %x, i32 %at
{lines}
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}}
"""


@pytest.mark.parametrize(("starts", "vectors", "hidden"), [
    ([0, 1200, 2400], 9, [1200, 2400]),
    ([48, 1248], 9, [1248]),
    ([0, 400, 800], 3, []),  # short: one load more for each row
    ([0, 1280, 2560], 9, []),  # they begin at the same place
    ([0, 4, 8], 9, []),  # a window that slides
], ids=["rows", "behind the base", "short", "whole vectors", "window"])
def test_rows_that_share_no_vectors_are_apart(starts, vectors, hidden):
    text = rows_apart(rows(starts, vectors))
    assert [int(d) for d in re.findall(r'= call i32 asm "", "=r,0"\(i32 (\d+)\)', text)] == hidden
    assert (text == rows(starts, vectors)) == (not hidden)
    numbered = rows(starts, vectors).replace("%base", "%1").replace("%at", "%0")
    binding().parse_assembly(rows_apart(numbered)).verify()


def test_two_blocks_may_read_the_same_rows():
    loop = rows([0, 1200, 2400], 9)
    block = loop[loop.index("  %p0.0 "):loop.index("  %next")]
    again = re.sub(r"%([pvso])(?=\d)", r"%again.\1", block)
    text = rows_apart(loop.replace("end:\n", f"end:\n{again}"))
    assert text.count("getelementptr i8, ptr %base, i32 %row1200.distance") == 2
    binding().parse_assembly(text).verify()


def test_one_shift_for_each_vector():
    starts, vectors = [0, 1200, 2400, 3600], 9
    chip = targets.get("v75")
    asm = backend.optimize_and_emit(rows(starts, vectors), chip.cpu, chip.features, "asm").decode()
    assert len(re.findall(r"= v[l]?align\(", asm)) <= len(starts) * vectors
    machine = Machine(asm, check=True)
    x = np.random.default_rng(0).integers(-999, 999, 1500).astype(np.int32)
    data, out = machine.alloc_ddr(x.nbytes), machine.alloc_ddr(128 * len(starts))
    machine.write(data, x)
    assert not machine.run("f", [data, out, 2]).reports
    for row, start in enumerate(starts):
        values = x[(start + 52) // 4:][:32 * vectors].reshape(vectors, 32)
        np.testing.assert_array_equal(machine.read(out + 128 * row, np.int32, 32), values.sum(0) + values[0])
