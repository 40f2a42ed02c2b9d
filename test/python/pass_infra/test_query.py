"""Operations found by name are those that a walk finds, in its order."""

import sys
from types import SimpleNamespace

import pytest

from hexagon_mlir.ir import make_context, parse
from hexagon_mlir.ir.query import find_ops, functions, ops_named

NESTED = """
func.func private @outside(f32)
func.func @f(%x: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %i step %c1 {
      %v = memref.load %x[%j] : memref<8xf32>
      func.call @outside(%v) : (f32) -> ()
    }
    "tt.print"() : () -> ()
  }
  return
}
"""


@pytest.mark.parametrize("names", [("scf.for",), ("arith.constant", "scf.for", "memref.load"), ("tt.print",),
                                   ("memref.alloc",), ("func.func",), (), ("builtin.module",)])
def test_as_a_walk(names):
    module = parse(NESTED)
    before = str(module)
    for root in (module, module.body.operations[1], find_ops(module, lambda op: op.name == "scf.for")[0]):
        assert ops_named(root, *names) == find_ops(root, lambda op: op.name in names)
    assert str(module) == before


def test_what_was_found_before_is_not_found_again():
    context = make_context()
    first, second = (parse(NESTED, context=context) for _ in range(2))
    assert len(ops_named(first, "scf.for")) == len(ops_named(first, "scf.for")) == 2
    assert ops_named(second, "scf.for") == find_ops(second, lambda op: op.name == "scf.for")


def test_in_dialects_that_are_loaded_later():
    context = make_context()
    assert ops_named(parse(NESTED, context=context), "shape.shape_of", "scf.for")[0].name == "scf.for"
    module = parse("func.func @f(%x: tensor<?xf32>) {\n  %0 = shape.shape_of %x : tensor<?xf32> -> tensor<1xindex>\n"
                   "  return\n}\n", context=context)
    assert [op.name for op in ops_named(module, "shape.shape_of", "scf.for")] == ["shape.shape_of"]


def test_what_is_never_reached():
    module = parse("func.func @f() {\n  %0 = arith.constant 1 : i32\n  return\n^never:\n  %1 = arith.constant 2 : i32\n"
                   "  return\n}\n")
    assert [str(op.attributes["value"]) for op in ops_named(module, "arith.constant")] == ["1 : i32"]


def test_functions_with_bodies():
    assert [op.attributes["sym_name"].value for op in functions(parse(NESTED))] == ["f"]


def test_no_file_is_searched_for_an_operation_without_a_module(monkeypatch):
    module = parse("""
        func.func @f() {
          %0 = async.execute {
            async.yield
          }
          async.await %0 : !async.token
          return
        }
        "tt.return"() : () -> ()
    """)
    asked = []
    finder = SimpleNamespace(find_spec=lambda name, path=None, target=None: asked.append(name))
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    names = [op.operation.name for op in module.body.operations[0].regions[0].blocks[0].operations]
    assert names == ["async.execute", "async.await", "func.return"]
    assert module.body.operations[1].operation.name == "tt.return"
    assert asked == []
