"""The interpreter while code is compiled: it collects no cycles, and its threads switch often; as before afterwards."""

import gc
import sys

import pytest

from hexagon_mlir.codegen import compile
from hexagon_mlir.interpreter import switching_often, uncollected
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


@pytest.mark.parametrize("is_kept", [True, False])
def test_what_is_kept_is_old(is_kept):
    class Thing:
        pass

    gc.unfreeze()  # the tests' own
    gc.disable()
    try:
        with uncollected(is_kept):
            made = Thing()
        assert any(one is made for one in gc.get_objects(generation=2)) == is_kept
    finally:
        gc.enable()
        gc.freeze()


def test_what_others_have_frozen_stays_so():
    gc.freeze()
    count = gc.get_freeze_count()
    with uncollected(is_kept=True):
        pass
    assert gc.get_freeze_count() == count > 0


@pytest.mark.parametrize("before", [0.005, 0.0001])
def test_the_interval_is_short_and_then_as_before_in_any_order(before):
    own = sys.getswitchinterval()
    sys.setswitchinterval(before)
    try:
        one, other = switching_often(), switching_often()
        one.__enter__()
        other.__enter__()
        one.__exit__(None, None, None)  # two threads that compile do not end in order
        assert sys.getswitchinterval() == pytest.approx(min(0.0005, before), abs=1e-6)
        with pytest.raises(ValueError, match="stop"), switching_often():
            raise ValueError("stop")
        other.__exit__(None, None, None)
        assert sys.getswitchinterval() == pytest.approx(before, abs=1e-6)
    finally:
        sys.setswitchinterval(own)


def test_both_hold_while_a_module_is_compiled(monkeypatch):
    seen, lower, own = [], compile.lower_module, sys.getswitchinterval()

    def watched(*arguments, **named):
        seen.append((gc.isenabled(), sys.getswitchinterval() < own))
        return lower(*arguments, **named)

    monkeypatch.setattr(compile, "lower_module", watched)
    assert "copy:" in compile.compile_module(parse(COPY)).asm
    assert (seen, gc.isenabled(), sys.getswitchinterval()) == ([(False, True)], True, own)
