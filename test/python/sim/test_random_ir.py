"""Random LLVM IR vector functions on the host and on the simulator; each known fault of LLVM shown once."""

import numpy as np
import pytest

from hexagon_mlir import targets
from hexagon_mlir.sim import Machine
from hexagon_mlir.sim.reference.random_ir import (
    FAULTS,
    Function,
    Generator,
    HostCode,
    check,
    hexagon_assembly,
    mismatch,
)


@pytest.mark.parametrize(("seed", "target"), [(1, "v68"), (2, "v73"), (3, "v75"), (4, "v79")])
def test_random_functions_agree(seed, target):
    generator = Generator(seed)
    functions = [generator.function(f"f{i}") for i in range(25)]
    found = check(functions, seed, target)
    assert not found, "\n".join(str(m) for m in found[:3])


def test_every_difference_has_a_known_fault():
    generator = Generator(7, faulty=True)
    functions = [generator.function(f"f{i}") for i in range(50)]
    found = check(functions, 7)
    assert found
    assert all(m.function.faults for m in found), next(str(m) for m in found if not m.function.faults)


NAN, ONE, TWO = 0x7FC00000, 0x3F800000, 0x40000000
ZERO, MINUS_ZERO = 0, 0x80000000


def select(predicate, yes="%a", no="%b"):
    return (f"  %c = fcmp {predicate} <32 x float> %a, %b\n"
            f"  %r = select <32 x i1> %c, <32 x float> {yes}, <32 x float> {no}")  # fmt: skip


REPEATED = np.random.default_rng(0).integers(0, 32, 32)
CASES = {
    "shuffle-repeated": ("  %r = shufflevector <32 x float> %a, <32 x float> poison, <32 x i32> <"
                         + ", ".join(f"i32 {i}" for i in REPEATED) + ">", np.arange(32) * 0x01010101 + 0x0A141E28,
                         np.zeros(32)),
    "equal-bits": (select("oeq", "%k"), [NAN, ZERO, ONE, ONE] * 8, [NAN, MINUS_ZERO, ONE, TWO] * 8),
    "never-unordered": (select("uno", "%k"), [NAN, ONE] * 16, [ONE, ONE] * 16),
    "nan-order": (select("oge", "%k"), [NAN, TWO] * 16, [ONE, ONE] * 16),
    "minmax-nan": (select("olt"), [NAN, ONE] * 16, [ONE, NAN] * 16),
    "fixed-point-product": ("""  %x = bitcast <32 x float> %a to <32 x i32>
  %y = bitcast <32 x float> %b to <32 x i32>
  %m = mul <32 x i32> %x, %y
  %s = lshr <32 x i32> %m, splat (i32 15)
  %r = bitcast <32 x i32> %s to <32 x float>""", [0x12345678] * 32, [0x00010001] * 32),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_the_fault_is_still_there(fault):
    """When this fails, LLVM is fixed: the fault can leave `FAULTS`, the docs and the passes that avoid it."""
    body, a, b = CASES[fault]
    ir = f"""define void @f(ptr %p0, ptr %p1, ptr %p2, ptr %out) {{
  %a = load <32 x float>, ptr %p0, align 128
  %b = load <32 x float>, ptr %p1, align 128
  %k = load <32 x float>, ptr %p2, align 128
{body}
  store <32 x float> %r, ptr %out, align 128
  ret void
}}"""
    function = Function("f", "float", 32, ir)
    vectors = [np.asarray(x).astype(np.uint32) for x in (a, b, [0x42280000] * 32)]
    machine = Machine(hexagon_assembly(ir, targets.get("v75")), memory="fast", arithmetic="ieee")
    addresses = [machine.alloc_ddr(128) for _ in range(4)]
    for address, vector in zip(addresses, vectors, strict=False):
        machine.write(address, vector)
    machine.run("f", addresses)
    got = machine.read(addresses[3], np.uint32, 32)
    assert mismatch(function, HostCode(ir).run(function, vectors), got) is not None
