"""LLVM IR kernels, compiled for each chip and compared with numpy: the code, not a chip's floats."""

import numpy as np
import pytest
from sim.kernels import CONTROL, SAXPY, assembly, elementwise

from hexagon_mlir.sim import Arg64, Machine, SimError

TARGETS = ("v68", "v73", "v75", "v79")
F16, F32, F64 = np.float16, np.float32, np.float64
I8, I16, I32, I64, U8, U32 = np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint32

ELEMENTS = {"float": F32, "half": F16, "double": F64, "i8": I8, "i16": I16, "i32": I32, "i64": I64}


def reverse(n):
    return ", ".join(f"i32 {n - 1 - i}" for i in range(n))


def interleaved(n):
    return ", ".join(f"i32 {i // 2 + (n if i % 2 else 0)}" for i in range(n))


def declare(name, ty, count):
    return f"declare {ty} @{name}({', '.join([ty] * count)})"


KERNELS = {
    # name: element, lanes, IR of %r from %a and %b, numpy, extra declarations
    "add_f32": ("float", 32, "%r = fadd T %a, %b", lambda a, b: a + b),
    "mul_sub_f32": ("float", 32, "%m = fmul T %a, %b\n %r = fsub T %m, %a", lambda a, b: a * b - a),
    "relu_f32": ("float", 32, "%c = fcmp ogt T %a, zeroinitializer\n"
                 "%r = select <32 x i1> %c, T %a, T zeroinitializer", lambda a, b: np.where(a > 0, a, 0)),
    "add_f16": ("half", 64, "%r = fadd T %a, %b", lambda a, b: a + b),
    "mul_f16": ("half", 64, "%r = fmul T %a, %b", lambda a, b: a * b),
    "widen_f16": ("half", 64, "%x = fpext T %a to <64 x float>\n%y = fpext T %b to <64 x float>\n"
                  "%m = fmul <64 x float> %x, %y\n%r = fptrunc <64 x float> %m to <64 x half>",
                  lambda a, b: (a.astype(F32) * b.astype(F32)).astype(F16)),
    "add_i8": ("i8", 128, "%r = add T %a, %b", lambda a, b: a + b),
    "max_i8": ("i8", 128, "%c = icmp sgt T %a, %b\n%r = select <128 x i1> %c, T %a, T %b", np.maximum),
    "mul_i8": ("i8", 128, "%r = mul T %a, %b", lambda a, b: a * b),
    "mul_i16": ("i16", 64, "%m = mul T %a, %b\n%r = sub T %m, %b", lambda a, b: a * b - b),
    "mul_i32": ("i32", 32, "%r = mul T %a, %b", lambda a, b: a * b),
    "bits_i32": ("i32", 32, "%x = xor T %a, %b\n%y = and T %x, %a\n%r = or T %y, splat (i32 77)",
                 lambda a, b: ((a ^ b) & a) | 77),
    "shift_i32": ("i32", 32, "%s = and T %b, splat (i32 31)\n%x = shl T %a, %s\n%y = ashr T %a, %s\n"
                  "%z = lshr T %a, %s\n%p = xor T %x, %y\n%r = add T %p, %z",
                  lambda a, b: ((a << (b & 31)) ^ (a >> (b & 31)))
                  + (a.view(U32) >> (b & 31).astype(U32)).astype(I32)),
    "shift_i16": ("i16", 64, "%x = shl T %a, splat (i16 3)\n%y = ashr T %b, splat (i16 5)\n%r = xor T %x, %y",
                  lambda a, b: (a << 3) ^ (b >> 5)),
    "select_i32": ("i32", 32, "%c = icmp ult T %a, %b\n%d = icmp eq T %a, %b\n"
                   "%x = select <32 x i1> %c, T %b, T %a\n%r = select <32 x i1> %d, T splat (i32 1), T %x",
                   lambda a, b: np.where(a == b, 1, np.where(a.view(U32) < b.view(U32), b, a))),
    "reverse_i32": ("i32", 32, f"%r = shufflevector T %a, T %b, <32 x i32> <{reverse(32)}>",
                    lambda a, b: a.reshape(-1, 32)[:, ::-1].ravel()),
    "interleave_i32": ("i32", 32, f"%r = shufflevector T %a, T %b, <32 x i32> <{interleaved(32)}>",
                       lambda a, b: np.stack(
                           [a.reshape(-1, 32)[:, :16], b.reshape(-1, 32)[:, :16]], 2).ravel()),
    "interleave_i16": ("i16", 64, f"%r = shufflevector T %a, T %b, <64 x i32> <{interleaved(64)}>",
                       lambda a, b: np.stack(
                           [a.reshape(-1, 64)[:, :32], b.reshape(-1, 64)[:, :32]], 2).ravel()),
    "rotate_f32": ("float", 32, "%r = shufflevector T %a, T poison, <32 x i32> <"
                   + ", ".join(f"i32 {(i + 5) % 32}" for i in range(32)) + ">",
                   lambda a, b: np.roll(a.reshape(-1, 32), -5, 1).ravel()),
    "narrow_i32": ("i32", 32, "%t = trunc T %a to <32 x i16>\n%s = sext <32 x i16> %t to <32 x i32>\n"
                   "%u = trunc T %b to <32 x i8>\n%z = zext <32 x i8> %u to <32 x i32>\n%r = sub T %s, %z",
                   lambda a, b: a.astype(I16).astype(I32) - b.astype(U8).astype(I32)),
    "abs_i16": ("i16", 64, "%neg = sub T zeroinitializer, %a\n%c = icmp slt T %a, zeroinitializer\n"
                "%r = select <64 x i1> %c, T %neg, T %a", lambda a, b: np.where(a < 0, -a, a)),
    "sat_i16": ("i16", 64, "%r = call T @llvm.sadd.sat.v64i16(T %a, T %b)",
                lambda a, b: np.clip(a.astype(I32) + b, -32768, 32767),
                declare("llvm.sadd.sat.v64i16", "<64 x i16>", 2)),
    "ctlz_i32": ("i32", 32, "%r = call T @llvm.ctlz.v32i32(T %a, i1 false)",
                 lambda a, b: np.array([32 - int(x).bit_length() for x in a.view(U32)]),
                 "declare <32 x i32> @llvm.ctlz.v32i32(<32 x i32>, i1)"),
    "float_int_f32": ("float", 32, "%x = fptosi T %a to <32 x i32>\n%r = sitofp <32 x i32> %x to T ",
                      lambda a, b: a.astype(I32)),
    "high_product_i32": ("i32", 32, "%x = sext T %a to <32 x i64>\n%y = sext T %b to <32 x i64>\n"
                         "%m = mul <32 x i64> %x, %y\n%h = lshr <32 x i64> %m, splat (i64 32)\n"
                         "%r = trunc <32 x i64> %h to T ", lambda a, b: (a.astype(I64) * b) >> 32),
    "divide_by_7_i32": ("i32", 32, "%r = sdiv T %a, splat (i32 7)",
                        lambda a, b: np.trunc(a.astype(F64) / 7)),
    "unsigned_to_float": ("i32", 32, "%f = uitofp T %a to <32 x float>\n%r = bitcast <32 x float> %f to T ",
                          lambda a, b: a.view(U32).astype(F32).view(I32)),
    "splice_i8": ("i8", 128, "%r = shufflevector T %a, T %b, <128 x i32> <"
                  + ", ".join(f"i32 {i + 7}" for i in range(128)) + ">",
                  lambda a, b: np.concatenate(
                      [a.reshape(-1, 128)[:, 7:], b.reshape(-1, 128)[:, :7]], 1).ravel()),
    # vectors shorter than HVX's live in scalar registers
    "short_mul_i8": ("i8", 4, "%r = mul T %a, %b", lambda a, b: a * b),
    "short_mul_add_i16": ("i16", 2, "%m = mul T %a, %b\n%r = add T %m, %a", lambda a, b: a * b + a),
    "short_widen_i8": ("i8", 4, "%x = sext T %a to <4 x i16>\n%y = zext T %b to <4 x i16>\n"
                       "%m = mul <4 x i16> %x, %y\n%q = lshr <4 x i16> %m, splat (i16 3)\n"
                       "%r = trunc <4 x i16> %q to T ",
                       lambda a, b: (a.astype(I16) * b.astype(U8).astype(I16)).view(np.uint16) >> 3),
    "short_widen_i16": ("i16", 2, "%x = sext T %a to <2 x i32>\n%y = zext T %b to <2 x i32>\n"
                        "%m = mul <2 x i32> %x, %y\n%q = ashr <2 x i32> %m, splat (i32 5)\n"
                        "%r = trunc <2 x i32> %q to T ",
                        lambda a, b: (a.astype(I32) * b.view(np.uint16).astype(I32)) >> 5),
    "short_min_i16": ("i16", 4, "%c = icmp ult T %a, %b\n%r = select <4 x i1> %c, T %a, T %b",
                      lambda a, b: np.minimum(a.view(np.uint16), b.view(np.uint16))),
    "short_min_i32": ("i32", 2, "%c = icmp ult T %a, %b\n%r = select <2 x i1> %c, T %a, T %b",
                      lambda a, b: np.minimum(a.view(U32), b.view(U32))),
    # scalar
    "scalar_div_f32": ("float", 1, "%r = fdiv T %a, %b", lambda a, b: a / b),
    "scalar_fma_f32": ("float", 1, "%m = fmul contract T %a, %b\n%r = fadd contract T %m, %a", None),
    "scalar_f64": ("double", 1, "%m = fmul T %a, %b\n%r = fsub T %m, %b", lambda a, b: a * b - b),
    "scalar_div_f64": ("double", 1, "%r = fdiv T %a, %b", lambda a, b: a / b),
    "scalar_i64": ("i64", 1, "%m = mul T %a, %b\n%s = ashr T %m, 7\n%c = icmp slt T %a, %b\n"
                   "%t = select i1 %c, T %s, T %m\n%r = xor T %t, %b",
                   lambda a, b: np.where(a < b, (a * b) >> 7, a * b) ^ b),
    "scalar_i32": ("i32", 1, "%x = mul T %a, 2654435\n%h = lshr T %x, 13\n%y = xor T %h, %b\n"
                   "%c = icmp ugt T %y, %a\n%m = select i1 %c, T %y, T %a\n%b2 = shl T %m, 5\n%r = add T %b2, %a",
                   lambda a, b: (np.where(((a * 2654435).view(U32) >> 13).view(I32).__xor__(b).view(U32)
                                          > a.view(U32),
                                          ((a * 2654435).view(U32) >> 13).view(I32) ^ b, a) << 5) + a),
    "scalar_sdiv_i32": ("i32", 1, "%d = or T %b, 1\n%q = sdiv T %a, %d\n%m = srem T %a, 1000\n%r = add T %q, %m",
                        lambda a, b: np.fix(a.astype(F64) / (b | 1)).astype(I32) + np.fmod(a, 1000)),
    "scalar_i16": ("i16", 1, "%x = mul T %a, %b\n%r = lshr T %x, 3",
                   lambda a, b: ((a * b).view(np.uint16) >> 3).view(I16)),
    "scalar_i8": ("i8", 1, "%x = sub T %a, %b\n%c = icmp slt T %x, 10\n%r = select i1 %c, T %x, T 10",
                  lambda a, b: np.minimum(a - b, I8(10))),
    "scalar_f16": ("half", 1, "%r = fmul T %a, %b", lambda a, b: a * b),
}  # fmt: skip


def source(name):
    element, lanes, expression, _, *extra = KERNELS[name]
    return "\n".join(extra) + elementwise(name, element, lanes, expression)


def inputs(element, count, rng):
    kind = np.dtype(ELEMENTS[element])
    if kind.kind == "f":
        return tuple((rng.standard_normal(count) * 30).astype(kind) for _ in range(2))
    info = np.iinfo(kind)
    return tuple(rng.integers(info.min, info.max, count, kind, endpoint=True) for _ in range(2))


@pytest.mark.full_except("plain-v68", "plain-v73", "plain-v75", "unrolled-v79")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("unroll", (False, True), ids=("plain", "unrolled"))
def test_elementwise(target, unroll):
    """All kernels of the table in one module."""
    kernels = {name: kernel for name, kernel in KERNELS.items() if (name, target) != ("float_int_f32", "v68")}
    text = assembly("\n".join(source(name) for name in kernels), target, unroll)  # LLVM takes an instruction of v73
    machine = Machine(text, target, arithmetic="ieee")
    rng = np.random.default_rng(5)
    for name, (element, lanes, _, reference, *_) in kernels.items():
        machine.reset()
        steps = 9 if lanes > 1 else 77
        a, b = inputs(element, steps * lanes, rng)
        pa, pb, po = (machine.alloc_ddr(a.nbytes) for _ in range(3))
        machine.write(pa, a)
        machine.write(pb, b)
        result = machine.run(name, [pa, pb, po, steps])
        got = machine.read(po, a.dtype, a.size)
        with np.errstate(all="ignore"):
            want = (a * b + a if reference is None else np.asarray(reference(a, b))).astype(a.dtype)
        if a.dtype.kind == "f":
            tolerance = 2e-6 if reference is None or "div" in name else 0
            np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * 100, err_msg=name)
        else:
            np.testing.assert_array_equal(got, want, err_msg=name)
        assert result.cycles == result.packets + sum(result.stalls.values()), name


@pytest.fixture(scope="module", params=TARGETS)
def control(request):
    return Machine(assembly(CONTROL, request.param), request.param)


def low(result):
    value = result.return_value & 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


def test_recursion(control):
    assert low(control.run("fib", [15])) == 610


def test_endless_recursion_is_an_error(control):
    with pytest.raises(SimError, match="stack overflow in 'endless'"):
        control.run("endless", [1])


def test_endless_loop_can_be_stopped(control):
    with pytest.raises(SimError, match="did not finish"):
        control.run("spin", [control.alloc_ddr(4)], timeout=0.2)


def test_jump_table(control):
    control.reset()
    expected = {0: 15, 1: 100, 2: 333333, 3: 8, 4: 1, 5: 2, 6: -1, 77: -1}
    for which, value in expected.items():
        assert low(control.run("jumptable", [which, 3])) == value
    assert low(control.run("jumptable", [3, 10])) == 18
    control.reset()
    assert low(control.run("jumptable", [3, 10])) == 15, "reset restores initial data"


def test_function_pointers(control):
    assert low(control.run("choose", [0, 21])) == 43
    assert low(control.run("choose", [1, 9])) == 82


def test_64_bit_arguments(control):
    a, b, shift = 123456789012345, -987654321, 5
    product = (a * b + 81985529216486895) & (2**64 - 1)
    want = (product >> shift) // 1000003 ^ a
    assert control.run("wide", [Arg64(a), Arg64(b), shift]).return_value == want


def test_arguments_on_the_stack(control):
    want = sum(x * y for x, y in zip((1, 2, 3, 4, 5, 6, 7, 8, 9, 10), (2, 3, 5, 7, 11, 13, 17, 19, 23, 29),
                                     strict=True))
    assert low(control.run("many", [1, 2, 3, 4, 5, 6, 7, Arg64(9 << 32 | 8), 10])) == want


def test_math_calls(control):
    x = np.float32(1.25)
    value = np.uint32(control.run("callsmath", [float(x)]).return_value & 0xFFFFFFFF).view(np.float32)
    np.testing.assert_allclose(value, np.exp(x) + x, rtol=1e-6)


def test_nested_loops(control):
    control.reset()
    n = 9
    a, b = (np.arange(n * n, dtype=I32).reshape(n, n) * k for k in (3, -7))
    pa, pb, pc = (control.alloc_ddr(a.nbytes) for _ in range(3))
    control.write(pa, a)
    control.write(pb, b)
    control.run("matmul", [pa, pb, pc, n])
    np.testing.assert_array_equal(control.read(pc, I32, n * n).reshape(n, n), a @ b)


def test_histogram(control):
    control.reset()
    x = np.random.default_rng(1).integers(0, 256, 1000, np.uint8)
    px, ph = control.alloc_ddr(1000), control.alloc_ddr(1024)
    control.write(px, x)
    control.run("histogram", [px, ph, 1000])
    np.testing.assert_array_equal(control.read(ph, I32, 256), np.bincount(x, minlength=256))


@pytest.mark.parametrize("n", (1, 31, 32, 33, 100, 256))
@pytest.mark.parametrize("target", TARGETS)
def test_saxpy_with_tail(target, n):
    machine = Machine(assembly(SAXPY, target, True), target, arithmetic="ieee")
    x = np.linspace(-3, 3, n, dtype=F32)
    y = np.linspace(5, -5, n, dtype=F32)
    px, py = machine.alloc_ddr(x.nbytes), machine.alloc_ddr(y.nbytes)
    machine.write(px, x)
    machine.write(py, y)
    machine.run("saxpy", [px, py, 1.5, n])
    np.testing.assert_allclose(machine.read(py, F32, n), x * F32(1.5) + y, rtol=1e-6)


def test_scalar_division_special_values():
    machine = Machine(assembly(source("scalar_div_f32")))
    special = np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 3e38, -3e38, 1e-38, 1e-44, 7, 1e30, 1e-30], F32)
    a, b = (v.ravel().astype(F32) for v in np.meshgrid(special, special))
    rng = np.random.default_rng(3)
    a, b = (np.concatenate([v, np.exp(rng.uniform(-80, 80, 3000)).astype(F32)]) for v in (a, b))
    pa, pb, po = (machine.alloc_ddr(a.nbytes) for _ in range(3))
    machine.write(pa, a)
    machine.write(pb, b)
    machine.run("scalar_div_f32", [pa, pb, po, a.size])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(machine.read(po, F32, a.size), a / b)
