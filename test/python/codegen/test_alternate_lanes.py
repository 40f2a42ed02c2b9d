"""Every second lane of a value of two native parts: of widened halves a part is just that."""

import numpy as np
import pytest

from hexagon_mlir import targets
from hexagon_mlir.codegen import emit
from hexagon_mlir.sim import Machine

EVEN, ODD = (", ".join(f"i32 {2 * lane + first}" for lane in range(32)) for first in (0, 1))


def text(element, value):
    """Stores the even lanes of ``%s``, then the odd ones."""
    return f"""
define void @f(ptr %x, ptr %y, ptr %o) {{
  {value}
  %e = shufflevector <64 x {element}> %s, <64 x {element}> poison, <32 x i32> <{EVEN}>
  %d = shufflevector <64 x {element}> %s, <64 x {element}> poison, <32 x i32> <{ODD}>
  store <32 x {element}> %e, ptr %o, align 128
  %p = getelementptr i8, ptr %o, i32 128
  store <32 x {element}> %d, ptr %p, align 128
  ret void
}}"""


WIDENED = """%a = load <64 x half>, ptr %x, align 128
  %b = load <64 x half>, ptr %y, align 128
  %v = fpext <64 x half> %a to <64 x float>
  %w = fpext <64 x half> %b to <64 x float>
  %m = fmul <64 x float> %v, splat (float 256.0)
  %s = fadd <64 x float> %m, %w"""
LOADED = "%s = load <64 x i32>, ptr %x, align 128"
ADDED = """%a = load <64 x float>, ptr %x, align 128
  %b = load <64 x float>, ptr %y, align 128
  %s = fadd <64 x float> %a, %b"""


def run(source, target, operands, dtype):
    assembly = emit(source, targets.get(target))
    machine = Machine(assembly, target)
    addresses = [machine.alloc_ddr(data.nbytes, 128) for data in operands] + [machine.alloc_ddr(256, 128)]
    for address, data in zip(addresses, operands, strict=False):
        machine.write(address, data)
    machine.run("f", addresses)
    return machine.read(addresses[-1], dtype, 64), assembly


@pytest.mark.parametrize("target", ["v68", "v75", "v79"])
def test_parts_of_widened_halves(target):
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal(64).astype(np.float16) for _ in range(2))
    found, assembly = run(text("float", WIDENED), target, [x, y], np.float32)
    exact = x.astype(np.float64) * 256 + y
    np.testing.assert_allclose(found, np.concatenate([exact[::2], exact[1::2]]), rtol=2e-6)
    assert "vshuff" not in assembly
    assert "vdeal" not in assembly


@pytest.mark.parametrize("target", ["v68", "v75", "v79"])
def test_lanes_in_memory_order_are_taken_apart(target):
    numbers = np.arange(64, dtype=np.int32) * 3 - 50
    found, _ = run(text("i32", LOADED), target, [numbers, numbers], np.int32)
    np.testing.assert_array_equal(found, np.concatenate([numbers[::2], numbers[1::2]]))
    x, y = (np.arange(64, dtype=np.float32) * scale for scale in (1.5, -7))
    found, _ = run(text("float", ADDED), target, [x, y], np.float32)
    np.testing.assert_allclose(found, np.concatenate([(x + y)[::2], (x + y)[1::2]]), rtol=2e-6)
