"""Upstream passes run by one manager for each pipeline of a context."""

import gc

import pytest

from hexagon_mlir.ir import ir, make_context, parse, to_text
from hexagon_mlir.pass_infra import upstream
from hexagon_mlir.pass_infra.upstream import run_upstream

SUM = """func.func @f() -> i32 {
  %a = arith.constant 2 : i32
  %b = arith.addi %a, %a : i32
  return %b : i32
}"""


@pytest.fixture
def canonical():
    """The text of a program after canonicalization in a context, which ends here."""
    def run(context, text, pipeline="canonicalize"):
        module = parse(text, file="<test>", context=context)
        run_upstream(pipeline, module.operation)
        return to_text(module)

    yield run
    gc.collect()


def test_a_manager_serves_every_module_of_its_context(canonical):
    context = make_context()
    assert "constant 4" in canonical(context, SUM) and "constant 14" in canonical(context, SUM.replace("2 :", "7 :"))
    assert list(upstream._managers[context]) == ["builtin.module(canonicalize)"]
    first = upstream._managers[context]["builtin.module(canonicalize)"]
    canonical(context, SUM)
    assert upstream._managers[context]["builtin.module(canonicalize)"] is first


def test_managers_end_with_their_context(canonical):
    gc.collect()
    before = len(upstream._managers)
    for _ in range(3):
        canonical(make_context(), SUM)
    gc.collect()
    assert len(upstream._managers) == before


def test_a_failed_run_does_not_spoil_the_next(canonical):
    context, bufferize = make_context(), "one-shot-bufferize{bufferize-function-boundaries=1}"
    with pytest.raises(ValueError, match="no-such-pass"):
        canonical(context, SUM, "no-such-pass")
    body = '"test.unknown"(%x) : (tensor<4xf32>) -> ()\n return %x : tensor<4xf32>'
    identity = "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n BODY\n}"
    with pytest.raises(ir.MLIRError, match="was not bufferized"):
        canonical(context, identity.replace("BODY", body), bufferize)
    assert "memref<4xf32" in canonical(context, identity.replace("BODY", "return %x : tensor<4xf32>"), bufferize)
