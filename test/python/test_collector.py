"""The collector of reference cycles rests while code is compiled."""

import gc

import pytest

from hexagon_mlir.codegen import compile
from hexagon_mlir.collector import uncollected
from hexagon_mlir.ir import parse

COPY = """func.func @copy(%x: memref<64xf32>, %y: memref<64xf32>) {
  linalg.copy ins(%x : memref<64xf32>) outs(%y : memref<64xf32>)
  return
}"""


@pytest.mark.parametrize("before", [True, False])
def test_what_was_on_is_on_again(before):
    (gc.enable if before else gc.disable)()
    try:
        with pytest.raises(ValueError, match="stop"), uncollected():
            assert not gc.isenabled()
            raise ValueError("stop")
        assert gc.isenabled() == before
    finally:
        gc.enable()


def test_it_rests_while_a_module_is_compiled(monkeypatch):
    seen, lower = [], compile.lower_module

    def watched(*arguments, **named):
        seen.append(gc.isenabled())
        return lower(*arguments, **named)

    monkeypatch.setattr(compile, "lower_module", watched)
    assert "copy:" in compile.compile_module(parse(COPY)).asm
    assert (seen, gc.isenabled()) == ([False], True)
