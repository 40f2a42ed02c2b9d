"""Functions in modules of their own: which are taken out, what stays behind, and what the parts compile to."""

import re
from dataclasses import replace

import numpy as np
import pytest

from hexagon_mlir import codegen, pipelines, targets
from hexagon_mlir.codegen import compile_module
from hexagon_mlir.codegen.compile import lower_module
from hexagon_mlir.codegen.function_modules import name_apart, take_out
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import parse
from hexagon_mlir.pass_infra.runner import RunOptions

APART = 'attributes {llvm.passthrough = ["noinline"]}'
CALLS = f"""
func.func private @long(%x: memref<4xf32> {{llvm.noalias}}, %v: f32) attributes {{llvm.no_inline}} {{
  %c0 = arith.constant 0 : index
  %w = memref.load %x[%c0] : memref<4xf32>
  call @short(%x, %w) : (memref<4xf32>, f32) -> ()
  return
}}
func.func private @short(%x: memref<4xf32>, %v: f32) {APART} {{
  %c0 = arith.constant 0 : index
  memref.store %v, %x[%c0] : memref<4xf32>
  return
}}
func.func private @seen_through(%v: f32) -> f32 {{
  return %v : f32
}}
func.func @f(%x: memref<4xf32>, %v: f32) {{
  %w = call @seen_through(%v) : (f32) -> f32
  call @long(%x, %w) : (memref<4xf32>, f32) -> ()
  return
}}
"""


def taken(text):
    module = parse(text)
    with module.context:
        apart = take_out(module)
    for one in (*apart.values(), module):
        one.operation.verify()
    return {name: str(one) for name, one in apart.items()}, str(module)


def test_what_is_not_inlined_gets_a_module_of_its_own():
    apart, rest = taken(CALLS)
    assert list(apart) == ["short", "long"]  # the shortest first
    assert re.findall(r"@(\w+)\(.*\{$", apart["long"], re.MULTILINE) == ["long"]
    assert "func.func private @short(memref<4xf32>, f32)" in apart["long"]
    assert re.findall(r"@(\w+)\(.*\{$", apart["short"], re.MULTILINE) == ["short"]
    assert re.findall(r"func @(\w+)\(|private @(\w+)\(.*\{$", rest, re.MULTILINE) == [("", "seen_through"), ("f", "")]
    assert "func.func private @long(memref<4xf32> {llvm.noalias}, f32) attributes {llvm.no_inline}" in rest
    assert "@short" not in rest


@pytest.mark.parametrize("function", [
    "func.func private @g(%x: memref<?xf32>) attributes {llvm.no_inline} { return }",
    """memref.global "private" @table : memref<4xf32> = dense<1.0>
    func.func private @g(%x: memref<4xf32>) attributes {llvm.no_inline} {
      %t = memref.get_global @table : memref<4xf32>
      memref.copy %t, %x : memref<4xf32> to memref<4xf32>
      return
    }""",
    """func.func private @g(%x: memref<4xf32>, %v: f32) attributes {llvm.no_inline} {
      scf.forall (%i) in (4) { memref.store %v, %x[%i] : memref<4xf32> }
      return
    }
    func.func @told(%fork: i1 {hexagon.may_fork}) { return }""",
    "func.func private @g(memref<4xf32>) attributes {llvm.no_inline}",
], ids=["sizes to come", "names a table", "was not told whether it may fork", "declared only"])
def test_what_stays(function):
    assert taken(function)[0] == {}


def test_a_declaration_is_not_told_whether_it_may_fork():
    apart, rest = taken("""
    func.func private @g(%v: f32, %fork: i1 {hexagon.may_fork}) attributes {llvm.no_inline} { return }
    func.func @f(%v: f32, %fork: i1 {hexagon.may_fork}) {
      call @g(%v, %fork) : (f32, i1) -> ()
      return
    }""")
    assert "func.func private @g(f32, i1)" in rest
    assert "hexagon.may_fork" in apart["g"]


def test_names_of_what_passes_made_do_not_meet():
    module = parse("""
    llvm.func @made(%x: i32) -> i32 { llvm.return %x : i32 }
    llvm.func @f(%x: i32) -> i32 {
      %0 = llvm.call @made(%x) : (i32) -> i32
      %1 = llvm.call @runtime(%0) : (i32) -> i32
      llvm.return %1 : i32
    }
    llvm.func @runtime(i32) -> i32
    """)
    with module.context:
        name_apart(module, "f")
    assert re.findall(r"@[\w.]+", str(module)) == ["@f.made", "@f", "@f.made", "@runtime", "@runtime"]


ROWS = """
func.func @f(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) {
  call @add(%a, %b, %c) : (memref<64x64xf32>, memref<64x64xf32>, memref<64x64xf32>) -> ()
  call @add(%c, %b, %c) : (memref<64x64xf32>, memref<64x64xf32>, memref<64x64xf32>) -> ()
  call @scale(%c) : (memref<64x64xf32>) -> ()
  return
}
func.func private @add(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>)
    attributes {llvm.no_inline} {
  scf.forall (%i) in (64) {
    %x = memref.subview %a[%i, 0] [1, 64] [1, 1] : memref<64x64xf32> to memref<64xf32, strided<[1], offset: ?>>
    %y = memref.subview %b[%i, 0] [1, 64] [1, 1] : memref<64x64xf32> to memref<64xf32, strided<[1], offset: ?>>
    %z = memref.subview %c[%i, 0] [1, 64] [1, 1] : memref<64x64xf32> to memref<64xf32, strided<[1], offset: ?>>
    linalg.add ins(%x, %y : memref<64xf32, strided<[1], offset: ?>>, memref<64xf32, strided<[1], offset: ?>>)
               outs(%z : memref<64xf32, strided<[1], offset: ?>>)
  }
  return
}
func.func private @scale(%c: memref<64x64xf32>) attributes {llvm.no_inline} {
  %two = arith.constant 2.0 : f32
  scf.forall (%i) in (64) {
    %z = memref.subview %c[%i, 0] [1, 64] [1, 1] : memref<64x64xf32> to memref<64xf32, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        outs(%z : memref<64xf32, strided<[1], offset: ?>>) {
      ^bb0(%o: f32):
        %1 = arith.mulf %o, %two : f32
        linalg.yield %1 : f32
    }
  }
  return
}
"""


def values(assembly):
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 64, 64), dtype=np.float32)
    c = np.zeros_like(a)
    launch(assembly, "f", [a, b, c], None, "v75")
    np.testing.assert_allclose(c, 2 * (a + b + b), rtol=1e-6)


@pytest.fixture(autouse=True)
def end_of_the_pipeline(monkeypatch):
    """The default pipeline from where functions go their own way, as "end"."""
    end = replace(pipelines.PIPELINES["default"], entries=pipelines.BY_FUNCTION)
    monkeypatch.setitem(pipelines.PIPELINES, "end", end)


@pytest.mark.ieee_arithmetic
def test_a_program_in_modules_computes_the_same():
    whole = lower_module(parse(ROWS), pipeline="end")
    compiled = compile_module(parse(ROWS), pipeline="end")
    assert len(whole.modules) == 1
    assert [re.findall(r"^define .*@(add|scale|f)\(", text, re.MULTILINE) for text in compiled.modules] == \
        [["scale"], ["add"], ["f"]]
    assert len(compiled.steps) == len(whole.steps)
    assert all(step.seconds > 0 for step in compiled.steps)
    values(compiled.asm)
    values(whole.finish().asm)
    values(codegen.emit(compiled.llvm_ir, targets.get()))
    assert sorted(re.findall(r"^define .*@(add|scale|f)\(", compiled.llvm_ir, re.MULTILINE)) == ["add", "f", "scale"]


def test_who_looks_at_the_ir_between_passes_sees_all_of_it():
    seen = []
    options = RunOptions(verify_each=False, observers=[lambda index, step, when, module: seen.append(str(module))])
    compiled = compile_module(parse(ROWS), pipeline="end", options=options)
    assert len(compiled.modules) == 1
    assert all("@add" in text and "@scale" in text and "@f" in text for text in seen)
