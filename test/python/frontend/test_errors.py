"""Errors name the kernel's own line, leave the module alone, and never end the process."""

import inspect
import random
import re
from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl

from hexagon_mlir import targets
from hexagon_mlir.frontend.triton.kernel import from_kernel
from hexagon_mlir.ir import HexError, parse, to_text
from hexagon_mlir.pass_infra import PassContext, PassStep
from hexagon_mlir.pass_infra.registry import get

HERE = Path(__file__)


def line_of(text):
    return next(n for n, line in enumerate(HERE.read_text().splitlines(), 1) if text in line and "line_of" not in line)


def translate(text):
    module = parse(text)
    PassStep(get("triton-to-linalg")()).run(module, PassContext(targets.get()))
    module.operation.verify()
    return module


@triton.jit
def assembly_kernel(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    v = tl.inline_asm_elementwise("mov", "=r,r", [v], dtype=tl.float32, is_pure=True, pack=1)  # the refused line
    tl.store(x + i, v)


def test_error_has_the_line_of_the_kernel():
    with pytest.raises(HexError) as error:
        assembly_kernel[(1,)](torch.zeros(8), BLOCK=8)
    diagnostic = error.value.diagnostics[0]
    assert Path(diagnostic.place.file) == HERE
    assert diagnostic.place.line == line_of("# the refused line")
    assert str(error.value).startswith(f"{HERE}:{diagnostic.place.line}:")
    assert "error: triton-to-linalg: tt.elementwise_inline_asm: assembly of another machine" in str(error.value)


@triton.jit
def helper(v):
    return tl.inline_asm_elementwise("mov", "=r,r", [v], dtype=tl.float32, is_pure=True, pack=1)


@triton.jit
def calling_kernel(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, helper(tl.load(x + i)))  # the calling line


def test_error_in_a_helper_names_the_call():
    with pytest.raises(HexError) as error:
        calling_kernel[(1,)](torch.zeros(8), BLOCK=8)
    assert error.value.diagnostics[0].place.line == line_of("# the calling line")


def test_module_is_unchanged_by_an_error():
    module = parse(from_kernel(assembly_kernel, {"x": "*fp32"}, {"BLOCK": 8}))
    before = to_text(module, locations=True)
    with pytest.raises(HexError):
        PassStep(get("triton-to-linalg")()).run(module, PassContext(targets.get()))
    assert to_text(module, locations=True) == before


def test_one_bad_kernel_leaves_the_others_too():
    good = from_kernel(indirect, {"x": "*fp32", "i": "*i32"}, {"BLOCK": 8})
    bad = from_kernel(assembly_kernel, {"x": "*fp32"}, {"BLOCK": 8})
    module = parse(good)
    for view in parse(bad, context=module.context).body.operations:
        module.body.append(view.operation.clone())
    with pytest.raises(HexError):
        PassStep(get("triton-to-linalg")()).run(module, PassContext(targets.get()))
    assert to_text(module).count("tt.func") == 2


@triton.jit
def indirect(x, i, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    tl.store(x + o, tl.load(x + tl.load(i + o)))


def test_unknown_launch_option_is_an_error():
    with pytest.raises(KeyError, match="no_such_option"):
        indirect[(1,)](torch.zeros(8), torch.zeros(8, dtype=torch.int32), BLOCK=8, no_such_option=3)


@pytest.mark.parametrize(("wrong", "message"), [
    ({"x": torch.zeros(8, device="meta")}, "indirect: argument 'x' is a tensor on device 'meta'"),
    ({"pipeline": "nonsense"}, "unknown pipeline 'nonsense'"),
    ({"threads": -3}, "-3 threads"),
])
def test_a_wrong_launch_says_what_is_wrong_with_which_argument(wrong, message):
    arguments = {"x": torch.zeros(8), "i": torch.zeros(8, dtype=torch.int32), "BLOCK": 8, **wrong}
    with pytest.raises(HexError, match=message) as error:
        indirect[(1,)](**arguments)
    assert error.value.diagnostics[0].hint


@triton.jit
def wider(x, y, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    source = (x + o).to(tl.pointer_type(tl.int64), bitcast=True)  # the line that widens
    tl.store(y + o, tl.load(source))


def test_pointers_used_as_wider_ones_have_a_place_and_a_hint():
    with pytest.raises(HexError) as error:
        wider[(1,)](torch.zeros(8), torch.zeros(8, dtype=torch.int64), BLOCK=8)
    diagnostic = error.value.diagnostics[0]
    assert Path(diagnostic.place.file) == HERE
    assert diagnostic.place.line == line_of("# the line that widens")
    assert "before adding offsets" in diagnostic.hint


def mutations(text, count):
    """``text`` with one line dropped, doubled, swapped or with one token replaced."""
    lines = text.splitlines()
    body = [n for n, line in enumerate(lines) if " = \"" in line or line.strip().startswith("\"")]
    generator = random.Random(1)
    words = ["i32", "f32", "tensor<8xf32>", "tensor<8xi32>", "!tt.ptr<f32>", "tensor<8x!tt.ptr<f32>>", "i1", "8", "-1"]
    for _ in range(count):
        n = generator.choice(body)
        changed = list(lines)
        kind = generator.randrange(3)
        if kind == 0:
            del changed[n]
        elif kind == 1:
            tokens = re.findall(r"!?[\w.<>!]+", changed[n])
            changed[n] = changed[n].replace(generator.choice(tokens), generator.choice(words), 1)
        else:
            changed[n] = re.sub(r"<\{.*?\}>", "", changed[n])
        yield "\n".join(changed)


@pytest.mark.parametrize("kernel", [(indirect, {"x": "*fp32", "i": "*i32"})], ids=["indirect"])
def test_damaged_ttir_gives_an_error_or_valid_ir(kernel):
    text = from_kernel(*kernel, {"BLOCK": 8})
    refused = 0
    for damaged in mutations(text, 300):
        try:
            translate(damaged)
        except HexError as error:
            refused += 1
            assert "Traceback" not in str(error)
    assert refused > 100


def test_remark_says_what_runs_element_by_element():
    module = parse(from_kernel(indirect, {"x": "*fp32", "i": "*i32"}, {"BLOCK": 8}))
    context = PassContext(targets.get())
    PassStep(get("triton-to-linalg")()).run(module, context)
    remark, order = context.log.entries
    assert "every program stores to the same place" in order.message
    first = inspect.getsourcelines(indirect.fn)[1]
    assert remark.place.line == first + 3
    assert "a loop over 8 elements or rows" in remark.message
