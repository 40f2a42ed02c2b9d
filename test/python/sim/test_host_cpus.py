"""Programs on hosts of fewer instructions: every host function resolves, and gives what it gives here."""

import itertools

import numpy as np
import pytest
from sim.qfloat_golden import programs
from sim.test_golden_qfloat import translated

from hexagon_mlir.sim import Arg64, Machine, SimError
from hexagon_mlir.sim.host_library.hostfns import INLINE, Inline
from hexagon_mlir.sim.semantics.value import Val
from hexagon_mlir.sim.translation import cached, half_functions, host
from hexagon_mlir.sim.translation.objects import symbols

CALLER = """
	.globl	f_{name}
	.type	f_{name},@function
f_{name}:
	{{ allocframe(#0); call {name} }}
	{{ dealloc_return }}
"""
NUMBERS = {"i": [3, 0x3E01, 0xFFFFFFF9], "l": [77, -5, 1 << 40], "f": [0.25, 1.5, -3.75], "d": [0.25, 65519.9, -3e-6]}
DOUBLES = np.array([0.0, -0.0, 1.5, 2.0 ** -24, 2.0 ** -25, 3 * 2.0 ** -25, 1e-9, 6.1e-5, 6.103515625e-05, 65503.9,
                    65504.0, 65519.999, 65520.0, 1e30, np.inf, np.nan, 1 + 2.0 ** -11, 1 + 3 * 2.0 ** -11,
                    1 + 2.0 ** -11 + 2.0 ** -40, *np.random.default_rng(1).normal(0, 1e3, 200),
                    *np.random.default_rng(2).normal(0, 1e-5, 200)])
POOREST = {"x86-64": "", "x86-64-v2": "", "f32 only": "+f16c,+avx2"}


@pytest.fixture(params=POOREST)
def poor(request, monkeypatch):
    """The host has what every x86-64 CPU has, and little else."""
    name = request.param if request.param.startswith("x86") else "x86-64"
    monkeypatch.setattr(host, "cpu", lambda: (name, f"{POOREST[request.param]},-avx512fp16"))
    cached.model_code.cache_clear()
    yield
    cached.model_code.cache_clear()


def argument(letter: str, value: float) -> object:
    if letter in "ld":
        return Arg64(int(np.float64(value).view(np.uint64)) if letter == "d" else int(value) & (1 << 64) - 1)
    return int(np.float32(value).view(np.uint32)) if letter == "f" else int(value)


def called(names: list[str]) -> dict[str, list[int]]:
    """What each function gives for some arguments."""
    machine = Machine("\t.text\n" + "".join(CALLER.format(name=name) for name in names))
    memory = [machine.alloc_ddr(128) for _ in range(2)]
    results: dict[str, list[int]] = {}
    for name in names:
        letters = INLINE[name].signature[1:]
        wide = INLINE[name].signature[0] in "ld"
        for row in zip(*(NUMBERS[letter][n:] + NUMBERS[letter][:n] for n, letter in enumerate(letters)), strict=True):
            arguments = [argument(letter, value) for letter, value in zip(letters, row, strict=True)]
            if "mem" in name:
                arguments = [*memory, 8] if name != "memset" else [memory[0], 7, 8]
            value = machine.run(f"f_{name}", arguments).return_value
            results.setdefault(name, []).append(value if wide else value & 0xFFFFFFFF)
    return results


def test_every_host_function_resolves_and_gives_the_same(poor, monkeypatch):
    names = sorted(INLINE)
    found = called(names)
    monkeypatch.undo()
    cached.model_code.cache_clear()
    here = called(names)
    assert {name: values for name, values in found.items() if values != here[name]} == {}
    assert len(found) == len(INLINE) > 100


def test_halves_are_rounded_once(poor):
    names = ["__truncdfhf2", "__truncsfhf2", "__extendhfsf2"]
    machine = Machine("\t.text\n" + "".join(CALLER.format(name=name) for name in names))
    with np.errstate(over="ignore"):
        singles = DOUBLES.astype(np.float32)
        expected = DOUBLES.astype(np.float16).view(np.uint16), singles.astype(np.float16).view(np.uint16)
    for place, (double, single) in enumerate(zip(DOUBLES, singles, strict=True)):
        wide = machine.run("f___truncdfhf2", [argument("d", double)]).return_value & 0xFFFF
        narrow = machine.run("f___truncsfhf2", [argument("f", single)]).return_value & 0xFFFF
        assert (wide, narrow) == (expected[0][place], expected[1][place]), double
    for bits in itertools.chain(range(0, 0x10000, 97), [0x7C00, 0xFC00, 0x3FF, 0x8001, 0x400]):
        back = machine.run("f___extendhfsf2", [bits]).return_value & 0xFFFFFFFF
        got, wanted = np.uint32(back).view(np.float32), np.uint16(bits).view(np.float16).astype(np.float32)
        assert got.tobytes() == wanted.tobytes() or (np.isnan(got) and np.isnan(wanted)), hex(bits)


def test_a_function_that_is_missing_is_named(monkeypatch):
    def emit(value: Val) -> Val:
        return value.code.call("no_such_function", value.ty, value)

    monkeypatch.setitem(INLINE, "isalpha", Inline("ii", emit, 1, "for this test"))
    with pytest.raises(SimError, match="no function 'no_such_function'"):
        Machine("\t.text\n" + CALLER.format(name="isalpha"))


def test_symbols_of_an_object():
    found = symbols(host.compile_object("declare void @away()\n" + half_functions.LLVM_IR
                                        + "define void @here() {\n  call void @away()\n  ret void\n}\n"))
    assert found.needed == {"away"} and found.defined >= {"here", *half_functions.NAMES}
    for damaged in (b"", b"\x7fELF\x02" + bytes(59), b"\x7fELF\x01" + bytes(100), host.compile_object("")[:100]):
        with pytest.raises(ValueError, match="no ELF object"):
            symbols(damaged)


@pytest.mark.parametrize("cpu", ["x86-64", "x86-64-v3"])
@pytest.mark.parametrize(("chip", "form"), [
    ("v75", "V.qf32=vadd(V.qf32,V.sf)"), ("v75", "VV.qf32=vmpy(V.hf,V.hf)"), ("v79", "V.qf32=vmpy(V.qf32,V.qf32)"),
    ("v79", "VV.qf32=vmpy(V.qf16,V.qf16)"),
])  # fmt: skip
def test_qfloat_with_narrow_registers(monkeypatch, cpu, chip, form):
    """A guest register takes 8 or 4 of the host's: some go to a routine, and come back, in memory."""
    golden = next(made for made in programs(chip) if made.form == form)
    monkeypatch.setattr(host, "cpu", lambda: (cpu, "-vzeroupper"))
    cached.routine_code.cache_clear()
    try:
        assert golden.wrong(translated(golden)) == ""
    finally:
        cached.routine_code.cache_clear()
