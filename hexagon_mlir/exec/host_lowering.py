"""A module at any stage -> LLVM IR text for this machine, with upstream passes only."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir import targets
from hexagon_mlir.codegen.translate import translate_to_llvm_ir
from hexagon_mlir.exec.host_engine import engine_to_linalg
from hexagon_mlir.exec.host_intrinsics import define_intrinsics
from hexagon_mlir.exec.host_tables import define_gathers
from hexagon_mlir.ir import HexError, error_at, ir, linalg, make_context, parse, set_index_bits, to_text
from hexagon_mlir.pass_infra import PassContext, PassStep, UpstreamStep
from hexagon_mlir.pass_infra.registry import get

ORIGIN = "run-on-host"
_HOST_INDEX_BITS = 64
_RESULTS = "buffer-results-to-out-params{modify-public-functions=1}"
_BUFFERIZE = (  # without eliminate-empty-tensors: see hexagon-separate-destinations
    "convert-elementwise-to-linalg,"
    "one-shot-bufferize{bufferize-function-boundaries=1 function-boundary-type-conversion=identity-layout-map "
    "allow-return-allocs-from-loops=1 copy-before-write=0},"
    f"{_RESULTS},"
    "canonicalize,cse"  # no deallocation: the executor frees everything after each call
)
_TO_LOOPS = "convert-linalg-to-loops,func.func(scf-forall-to-for),func.func(convert-vector-to-scf{full-unroll=1})"
_TO_LLVM = (
    "expand-strided-metadata,lower-affine,arith-expand,convert-scf-to-cf,canonicalize,cse,"
    "convert-math-to-llvm,convert-math-to-libm,"  # in this order: LLVM expands rsqrt, libm has none
    "convert-to-llvm{dynamic=1 filter-dialects=arith,memref,vector,cf,index,ub,math},"
    "convert-func-to-llvm{use-bare-ptr-memref-call-conv=1},reconcile-unrealized-casts"
)


@dataclass(frozen=True)
class HostProgram:
    """LLVM IR text and the entry's MLIR types: its arguments, then its results."""

    llvm_ir: str
    arguments: tuple[str, ...]
    results: tuple[str, ...]


def lower(module: ir.Module, entry: str) -> HostProgram:
    """Lower a copy of ``module``; raises `HexError` for what upstream passes cannot lower."""
    copy = parse(to_text(module, elide=False, locations=True), file="<module>", context=make_context())
    context = PassContext(targets.get())
    names = {op.name for op in _operations(copy)}
    if any(name.startswith("tt.") for name in names):
        PassStep(get("triton-to-linalg")()).run(copy, context)
    with copy.context:
        set_index_bits(copy, _HOST_INDEX_BITS)
    arguments, results = _signature(copy, entry)
    if any(op.name == "func.func" for op in _operations(copy)):  # there may also be coroutines' llvm.func
        if _has_tensors(copy):
            UpstreamStep(_BUFFERIZE).run(copy, context)
        elif any(result.startswith("memref") for result in results):
            UpstreamStep(_RESULTS).run(copy, context)
        _copies_to_loops(copy)
        engine_to_linalg(copy)
        PassStep(get("hexagon-dma-lowering")()).run(copy, context)
        if _uses_runtime(copy):  # one address space here, and one allocator: the runtime's
            PassStep(get("hexagon-memory-lowering")()).run(copy, context)
        UpstreamStep(_TO_LOOPS).run(copy, context)
        PassStep(get("hexagon-async-lowering")()).run(copy, context)
        PassStep(get("lower-look-ups")()).run(copy, context)
        UpstreamStep(_TO_LLVM).run(copy, context)
    return HostProgram(define_intrinsics(define_gathers(translate_to_llvm_ir(copy))), arguments, results)


def _operations(module: ir.Module) -> list[ir.Operation]:
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found


def _signature(module: ir.Module, entry: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    for view in module.body.operations:
        op = view.operation
        if op.name not in ("func.func", "llvm.func") or ir.StringAttr(op.attributes["sym_name"]).value != entry:
            continue
        if op.name == "llvm.func":
            block = op.regions[0].blocks[0]
            return tuple(str(a.type) for a in block.arguments), ()
        type = ir.FunctionType(ir.TypeAttr(op.attributes["function_type"]).value)
        for one in (*type.inputs, *type.results):
            if isinstance(one, ir.ShapedType) and not one.has_static_shape:
                raise error_at(op, ORIGIN, f"argument or result of dynamic shape ({one})",
                               "only static shapes and bare pointers (memref<1xT>) can be called on the host")
        return tuple(str(t) for t in type.inputs), tuple(str(t) for t in type.results)
    raise HexError.plain(f"no function '{entry}' in the module", origin=ORIGIN)


def _has_tensors(module: ir.Module) -> bool:
    def is_tensor(value: ir.Value) -> bool:
        return isinstance(value.type, ir.RankedTensorType)

    return any(is_tensor(v) for op in _operations(module) for v in (*op.operands, *op.results)) or any(
        is_tensor(a) for view in module.body.operations for region in view.operation.regions
        for block in region.blocks for a in block.arguments)


def _uses_runtime(module: ir.Module) -> bool:
    """True with buffers in TCM and with pointers made of integers."""
    return any(isinstance(r.type, ir.MemRefType) and (
        r.type.memory_space is not None or op.name == "builtin.unrealized_conversion_cast")
        for op in _operations(module) for r in op.results)


def _copies_to_loops(module: ir.Module) -> None:
    """Replace ``memref.copy`` of strided views, which would need a runtime library, by linalg."""
    for op in _operations(module):
        if op.name == "memref.copy":
            with op.location, ir.InsertionPoint(op):
                linalg.copy(op.operands[0], outs=[op.operands[1]])
            op.erase()
