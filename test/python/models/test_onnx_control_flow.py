"""If and Loop of ONNX files, whose conditions depend on the values of inputs, against ONNX's own implementation."""

import numpy as np
import onnx
import pytest
import torch
from models.test_onnx import model_of, saved
from onnx.reference import ReferenceEvaluator

import hexagon_mlir as hx
from hexagon_mlir.frontend.onnx.model import read

pytestmark = pytest.mark.only_values

BRANCHES = ("zero = Constant<value = float {0}>() s = ReduceSum<keepdims=KEEP>(x) c = Greater(s, zero) r, q = If(c)<"
            "then_branch = t () => (float[3] a, float[3] d) { a = Add(x, y) d = Identity(a) }, "
            "else_branch = e () => (float[3] b, float[3] f) { b = Mul(x, y) f = Identity(y) }>")
GRAPHS = {
    "branches": f"(float[3] x, float[3] y) => (float[3] r, float[3] q) {{ {BRANCHES.replace('KEEP', '0')} }}",
    "one truth of a dimension": f"(float[3] x, float[3] y) => (float[3] r, float[3] q) "
                                f"{{ {BRANCHES.replace('KEEP', '1')} }}",
    "within a branch": "(float[3] x, float[3] y) => (float[3] r) { zero = Constant<value = float {0}>() "
                       "s = ReduceSum<keepdims=0>(x) p = ReduceSum<keepdims=0>(y) c = Greater(s, zero) "
                       "g = Greater(p, s) r = If(c)<then_branch = t () => (float[3] a) { a = If(g)<then_branch = u () "
                       "=> (float[3] h) { h = Sub(x, y) }, else_branch = v () => (float[3] i) { i = Add(x, y) }> }, "
                       "else_branch = e () => (float[3] b) { b = Neg(y) }> }",
    "loop": "(float[3] x, float[3] y) => (float[3] r) { n = Constant<value = int64 {5}>() "
            "go = Constant<value = bool {1}>() most = Constant<value = float {10}>() r = Loop(n, go, x)<body = b "
            "(int64 i, bool c, float[3] v) => (bool d, float[3] w) { w = Add(v, v) a = Abs(w) "
            "s = ReduceSum<keepdims=0>(a) d = Less(s, most) }> }",
    "loop that may not begin": "(float[3] x, float[3] y) => (float[3] r) { n = Constant<value = int64 {2}>() "
                               "zero = Constant<value = float {0}>() s = ReduceSum<keepdims=0>(x) "
                               "go = Greater(s, zero) r = Loop(n, go, x)<body = b (int64 i, bool c, float[3] v) => "
                               "(bool d, float[3] w) { w = Add(v, y) d = Identity(c) }> }",
    "no loop": "(float[3] x, float[3] y) => (float[3] r) { n = Constant<value = int64 {2}>() go = Constant<value = "
               "bool {0}>() t = Loop(n, go, x)<body = b (int64 i, bool c, float[3] v) => (bool d, float[3] w) "
               "{ w = Add(v, y) d = Identity(c) }> r = Neg(t) }",
}
INPUTS = [(sign * np.float32([.5, 3.0, -1.0]), np.float32([2.0, -.5, factor]))
          for sign in (1, -1, .01) for factor in (7, -7)]


@pytest.mark.parametrize("name", GRAPHS)
def test_values(name, tmp_path):
    model = model_of(GRAPHS[name])
    program, reference = read(saved(model, tmp_path)).export().module(), ReferenceEvaluator(model)
    different = set()
    for x, y in INPUTS:
        got = [one.numpy() for one in program(torch.from_numpy(x), torch.from_numpy(y))]
        expected = reference.run(None, {"x": x, "y": y})
        for ours, theirs in zip(got, expected, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-5)
        different.add(got[0].tobytes())
    assert len(different) > 2


@pytest.mark.parametrize("name", ["branches", "loop"])
def test_compiled(name, tmp_path):
    model = model_of(GRAPHS[name])
    compiled, reference = hx.compile(saved(model, tmp_path)), ReferenceEvaluator(model)
    for x, y in INPUTS[:4]:
        got, expected = compiled(torch.from_numpy(x), torch.from_numpy(y)), reference.run(None, {"x": x, "y": y})
        for ours, theirs in zip(got if isinstance(got, tuple | list) else [got], expected, strict=True):
            np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-5)


REFUSED = {
    "branches of other sizes": ("(float[3] x) => (float[n] r) { zero = Constant<value = float {0}>() s = ReduceSum<"
                                "keepdims=0>(x) c = Greater(s, zero) r = If(c)<then_branch = t () => (float[3] a) "
                                "{ a = Neg(x) }, else_branch = e () => (float[6] b) { b = Concat<axis=0>(x, x) }> }",
                                "the size of a result depends on the values of inputs"),
    "many steps": ("(float[3] x) => (float[3] r) { n = Constant<value = int64 {129}>() go = Constant<value = bool "
                   "{1}>() most = Constant<value = float {10}>() r = Loop(n, go, x)<body = b (int64 i, bool c, "
                   "float[3] v) => (bool d, float[3] w) { w = Add(v, v) s = ReduceSum<keepdims=0>(w) "
                   "d = Less(s, most) }> }",
                   "a loop of more than 128 steps ends where values of inputs say so")}


@pytest.mark.parametrize(("text", "reason"), REFUSED.values(), ids=REFUSED)
def test_refused(text, reason, tmp_path):
    with pytest.raises(hx.HexError, match=reason):
        read(saved(model_of(text), tmp_path)).export()


@pytest.mark.parametrize("go", [0, 1])
def test_rows_of_a_loop_are_refused(go, tmp_path):
    model = model_of("(float[3] x) => (float[3] t, float[n,3] r) { n = Constant<value = int64 {5}>() "
                     f"go = Constant<value = bool {{{go}}}>() t, r = Loop(n, go, x)<body = b (int64 i, bool c, "
                     "float[3] v) => (bool d, float[3] w, float[3] u) { w = Add(v, v) u = Neg(w) d = Identity(c) }> }")
    onnx.checker.check_model(model)
    with pytest.raises(hx.HexError, match="no lowering for 'Loop'"):
        read(saved(model, tmp_path)).export()
