"""A pipelined loop that reads what the block before it stores: its first iterations were put in front of the stores."""

import numpy as np
from linalg_programs import random_transpose
from text_rewrites import keep_loops_after_stores, printed

from hexagon_mlir import pipelines, targets
from hexagon_mlir.codegen.backend import optimize_and_emit
from hexagon_mlir.codegen.rewrites.store_order import BARRIER
from hexagon_mlir.codegen.translate import translate_to_llvm_ir
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import parse, set_index_bits
from hexagon_mlir.pass_infra import PassContext
from hexagon_mlir.pass_infra.runner import run_steps


def test_a_transpose_through_a_buffer():
    program, chip = random_transpose(400274), targets.get("v75")
    module = parse(program.text)
    set_index_bits(module)
    run_steps(module, pipelines.get("default", chip), PassContext(chip), None)
    asm = optimize_and_emit(translate_to_llvm_ir(module), chip.cpu, chip.features, "asm", patience=0)
    result = np.zeros(program.expected.shape, program.arguments[-1].dtype)
    launch(asm.decode(), program.name, [*program.arguments, result], None, chip.name)
    program.check(result)


LOOP = """define void @f(ptr %x, ptr %y) {{
  %buffer = alloca [64 x <32 x i32>], align 128
  %row = getelementptr i8, ptr %buffer, i32 128
  {before}
{barrier}  br label %loop

loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %at = phi ptr [ {start}, %0 ], [ %far, %loop ]
  %v = load <32 x i32>, ptr %at, align 128
  %far = getelementptr i8, ptr %at, i32 4096
  {inside}
  %next = add i32 %i, 1
  %more = icmp ne i32 %next, 3
  br i1 %more, label %loop, label %end

end:
  store <32 x i32> zeroinitializer, ptr %buffer, align 128
  ret void
}}"""
STORE = "store <32 x i32> zeroinitializer, ptr {}, align 128"
MASKED = "call void @llvm.masked.store.v32i32.p0(<32 x i32> zeroinitializer, ptr nonnull align 4 {}, <32 x i1> %m)"


def ordered(before: str, start: str, inside: str, barrier: bool) -> bool:
    """True when the block before the loop ends with a barrier, or not, as ``barrier`` says; the rest is unchanged."""
    lines = {"before": before, "start": start, "inside": inside}
    after = keep_loops_after_stores(LOOP.format(barrier="", **lines))
    return printed(after) == printed(LOOP.format(barrier=BARRIER + "\n" if barrier else "", **lines))


def test_barriers_behind_stores_to_what_the_loop_accesses():
    nothing = "%u = add <32 x i32> %v, %v"
    assert ordered(STORE.format("%row"), "%buffer", nothing, True)
    assert ordered(MASKED.format("%row"), "%buffer", nothing, True)
    assert ordered(STORE.format("%x"), "%buffer", STORE.format("%x"), True)
    assert ordered(STORE.format("%x"), "%buffer", STORE.format("%y"), False)
    assert ordered("%w = load <32 x i32>, ptr %row, align 128", "%buffer", nothing, False)
