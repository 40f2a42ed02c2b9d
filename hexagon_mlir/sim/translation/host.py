"""The host LLVM: initialisation in one place, the JIT target machine, object code."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Sequence
from typing import Any

from hexagon_mlir.sim.translation import half_functions
from hexagon_mlir.sim.translation.objects import symbols

QUICK, FAST = 0, 1
"""Code generation levels: soon ready, or three times as fast and three times as long in the making."""


@functools.cache
def binding() -> Any:
    """`llvmlite.binding`, with every target ready."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


@functools.cache
def cpu() -> tuple[str, str]:
    """Host CPU name and feature string."""
    llvm = binding()
    # without -vzeroupper LLVM zeroes the upper halves of vector registers on return from functions that promise to
    # preserve all registers (the memory model's)
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten() + ",-vzeroupper"


def lanes() -> int:
    """32-bit lanes of the widest vector register."""
    return 16 if "+avx512f" in cpu()[1].split(",") else 8


def routine_lanes() -> int:
    """Lanes that functions of `semantics.routines` compute at a time: two registers, whose operations overlap."""
    return min(2 * lanes(), 32)


def target_machine(level: int) -> Any:
    """A JIT target machine of this host at codegen ``level``. Code is far from data and from what it calls: guest
    memories lie between."""
    llvm = binding()
    name, features = cpu()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=name, features=features, opt=level, jit=True, codemodel="jitdefault", reloc="default"
    )


def compile_object(ir: str, level: int = FAST) -> bytes:
    """Host object code of an LLVM IR module: fast code after scalar replacement and clean-up of control flow."""
    llvm = binding()
    machine = target_machine(level)
    module = llvm.parse_assembly(ir)
    module.data_layout = str(machine.target_data)
    module.triple = machine.triple
    if level >= FAST:
        manager = llvm.create_new_module_pass_manager()
        manager.add_always_inliner_pass()
        manager.add_sroa_pass()
        manager.add_jump_threading_pass()  # fewer live values in a loop with several entries
        manager.add_simplify_cfg_pass()
        manager.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(level)))
    with _in_order():
        return machine.emit_object(module)


@contextlib.contextmanager
def _in_order() -> Iterator[None]:
    """LLVM keeps instructions in the order of the packets: their compiler has interleaved dependence chains already."""
    llvm = binding()
    llvm.set_option("", "-enable-misched=false")
    try:
        yield
    finally:
        llvm.set_option("", "-enable-misched=true")


class UnresolvedError(Exception):
    """Object code calls functions that neither it nor this process has: their names."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(", ".join(names))
        self.names = names


def resolved(codes: Sequence[bytes]) -> list[bytes]:
    """``codes`` and the `half_functions` they call; `UnresolvedError` for any other undefined function."""
    found = [symbols(code) for code in codes]
    missing = frozenset().union(*(each.needed for each in found)).difference(*(each.defined for each in found))
    unknown = sorted(name for name in missing - half_functions.NAMES if not binding().address_of_symbol(name))
    if unknown:
        raise UnresolvedError(unknown)
    return [*codes, *([_half_functions(*cpu())] if missing & half_functions.NAMES else [])]


@functools.cache
def _half_functions(name: str, features: str) -> bytes:
    """Object code of `half_functions` for `cpu`."""
    return compile_object(half_functions.LLVM_IR)


class Loaded:
    """Object code in this process, linked together; keeps the engine alive. Raises `UnresolvedError`."""

    def __init__(self, *codes: bytes) -> None:
        llvm = binding()
        self.engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine(FAST))
        self.objects = [llvm.ObjectFileRef.from_data(code) for code in resolved(codes)]
        for item in self.objects:
            self.engine.add_object_file(item)
        self.engine.finalize_object()

    def address(self, name: str) -> int:
        return self.engine.get_function_address(name)
