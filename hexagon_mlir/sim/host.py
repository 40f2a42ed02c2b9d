"""The host LLVM: initialisation in one place, the JIT target machine, object code."""

from __future__ import annotations

import functools
from typing import Any


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


def target_machine(opt: int) -> Any:
    """A JIT target machine of this host at codegen level ``opt``."""
    llvm = binding()
    name, features = cpu()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=name, features=features, opt=opt, jit=True, codemodel="jitdefault", reloc="default"
    )


def compile_object(ir: str, opt: int = 1) -> bytes:
    """Host object code of an LLVM IR module, after scalar replacement and control-flow clean-up."""
    llvm = binding()
    machine = target_machine(opt)
    module = llvm.parse_assembly(ir)
    module.data_layout = str(machine.target_data)
    module.triple = machine.triple
    manager = llvm.create_new_module_pass_manager()
    manager.add_sroa_pass()
    manager.add_simplify_cfg_pass()
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(1))
    manager.run(module, builder)
    return machine.emit_object(module)


class Loaded:
    """Object code in this process, linked together; keeps the engine alive."""

    def __init__(self, *codes: bytes) -> None:
        llvm = binding()
        self.engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine(1))
        self.objects = [llvm.ObjectFileRef.from_data(code) for code in codes]
        for item in self.objects:
            self.engine.add_object_file(item)
        self.engine.finalize_object()

    def address(self, name: str) -> int:
        return self.engine.get_function_address(name)
