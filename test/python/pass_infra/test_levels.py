"""The contract of each level."""

import pytest

from hexagon_mlir import levels
from hexagon_mlir.ir import HexError, parse

TENSOR = "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }"
BUFFER = "func.func @f(%a: memref<4xf32>) { return }"
LLVM = "llvm.func @f() { llvm.return }"
MARKED = "func.func @f() attributes {hexagon.progams = \"ordered\"} { return }"
CAST = "llvm.func @f(%a: i32) {\n  %0 = builtin.unrealized_conversion_cast %a : i32 to index\n  llvm.return }"


@pytest.mark.parametrize(("text", "level"), [
    (TENSOR, "source"), (TENSOR, "tensor"), (TENSOR, "tiled"), (BUFFER, "tensor"), (BUFFER, "buffer"),
    (LLVM, "llvm"), ('"tt.return"() : () -> ()', "source")])
def test_allowed(text, level):
    levels.check(parse(text), level, "test")


@pytest.mark.parametrize(("text", "level", "reason"), [
    (TENSOR, "buffer", "a tensor"),
    (TENSOR, "llvm", "dialect 'func'"),
    (BUFFER, "llvm", "dialect 'func'"),
    (LLVM, "tensor", "dialect 'llvm'"),
    (CAST, "llvm", "an unrealized cast"),
    (MARKED, "tensor", "attribute 'hexagon.progams'"),
    ('"tt.return"() : () -> ()', "tensor", "dialect 'tt'")])
def test_refused(text, level, reason):
    with pytest.raises(HexError, match=f"test: level '{level}' does not allow {reason}") as caught:
        levels.check(parse(text), level, "test")
    assert caught.value.diagnostics[0].place.line > 0
