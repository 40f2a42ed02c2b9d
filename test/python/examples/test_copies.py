"""Copies between a kernel's own buffers: each is counted here with its reason. Loads and stores are not among them."""

import pytest
import torch

from hexagon_mlir import pipelines, targets
from hexagon_mlir.frontend.triton import lower
from hexagon_mlir.ir import ir, parse
from hexagon_mlir.ir.query import GRID_SUFFIX, find_ops
from hexagon_mlir.pass_infra import PassContext
from hexagon_mlir.pass_infra.runner import run_steps

V75 = targets.get("v75")
_VIEWS = ("memref.subview", "memref.reinterpret_cast", "memref.cast", "memref.view", "memref.expand_shape",
          "memref.collapse_shape")


def own(value):
    """True for a buffer that is no part of an argument's memory, nor of what an address points to."""
    while not isinstance(value.owner, ir.Block) and value.owner.operation.name in _VIEWS:
        value = value.owner.operation.operands[0]
    if isinstance(value.owner, ir.Block):
        return value.owner.owner.operation.name != "func.func"
    return value.owner.operation.name != "builtin.unrealized_conversion_cast"


def copies(text):
    """{function: copies between its own buffers} once ``text`` (linalg) is on buffers."""
    module = parse(text, file="<linalg>")
    steps = pipelines.get("default", V75)
    last = next(i for i, step in enumerate(steps) if step.text.startswith("hexagon-results-in-place"))
    run_steps(module, steps[: last + 1], PassContext(V75))
    found = {}
    for function in find_ops(module, lambda op: op.name == "func.func"):
        name = ir.StringAttr(function.attributes["sym_name"]).value
        if not name.endswith(GRID_SUFFIX):
            found[name] = sum(own(op.operands[0]) and own(op.operands[1]) and op.operands[0] != op.operands[1]
                              for op in find_ops(function, lambda op: op.name == "memref.copy"))
    return found


@pytest.fixture
def compiled(monkeypatch, tmp_path):
    """The linalg text of every kernel that is compiled."""
    texts = []
    original = lower.to_binary

    def capture(text, *rest):
        texts.append(text)
        return original(text, *rest)

    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(lower, "to_binary", capture)
    return texts


def matrix(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


def attention(module):
    q, k, v = (matrix(1, 40, 32).requires_grad_() for _ in range(3))
    module.run(q, k, v).sum().backward()


def layer_norm(module):
    x, weight, bias = (t.requires_grad_() for t in (matrix(3, 300), matrix(300), matrix(300)))
    module.run(x, weight, bias).sum().backward()


@pytest.mark.parametrize(("name", "run", "expected"), [
    ("vector_add", lambda m: m.run(matrix(40), matrix(40)), {"vector_add": 0}),
    ("softmax", lambda m: m.run(matrix(3, 40)), {"softmax": 0}),
    ("rms_norm", lambda m: m.run(matrix(3, 40), matrix(40), 1e-6), {"rms_norm": 0}),
    ("matmul", lambda m: m.run(matrix(40, 70), matrix(70, 30)), {"matmul": 0, "matmul.program": 0}),
    ("gelu", lambda m: m.run(matrix(40)), {"gelu": 0, "gelu.program": 0}),
    ("dropout", lambda m: m.run(matrix(40), 0.5, 1), {"dropout": 0, "dropout.program": 0}),
    ("libdevice", lambda m: m.run(matrix(40)), {"arc_sine": 0, "mixed": 0, "mixed.program": 0}),
    ("grouped_matmul", lambda m: m.run([(matrix(40, 70), matrix(70, 30))]), {"grouped_matmul": 0}),
    ("persistent_matmul", lambda m: m.run(matrix(40, 72), matrix(32, 72)),
     {"persistent_matmul": 0, "persistent_matmul.program": 0}),
    # sums start from the same zeros; a branch hands on what it did not change
    ("layer_norm", layer_norm, {"forward": 1, "backward_rows": 2, "backward_weights": 3}),
    # the maximum of the rows is read beside its successor
    ("attention", attention,
     {"attend": 0, "attend.program": 1, "row_products": 0, "backward": 0, "backward.program": 0}),
])
@pytest.mark.parametrize("example", ["host"], indirect=True)
def test_no_copies_between_own_buffers(example, compiled, name, run, expected):
    run(example(name))
    found = {}
    for text in compiled:
        found.update(copies(text))
    assert found == expected
