"""Assembly text to host LLVM IR and the tables that explain its counters."""

from __future__ import annotations

from hexagon_mlir.interpreter import uncollected
from hexagon_mlir.isa.blocks import Graph, build
from hexagon_mlir.isa.decode import FormError
from hexagon_mlir.isa.form import EXTENDED
from hexagon_mlir.isa.reader import AsmError, Module, parse
from hexagon_mlir.isa.timing import Model
from hexagon_mlir.sim import layout
from hexagon_mlir.sim.arithmetic import DEFAULT_ARITHMETIC, Arithmetic
from hexagon_mlir.sim.checking import check_model, library, variables
from hexagon_mlir.sim.host_library.hostfns import CALLBACKS, INLINE, wrapper
from hexagon_mlir.sim.memory_system import cache_model
from hexagon_mlir.sim.semantics.float_model import FloatModel
from hexagon_mlir.sim.semantics.routines import PREFIX
from hexagon_mlir.sim.semantics.sticky import USR
from hexagon_mlir.sim.translation import matrix
from hexagon_mlir.sim.translation.accesses import AccessModel
from hexagon_mlir.sim.translation.float_kinds import faults as float_faults
from hexagon_mlir.sim.translation.image import Image, site_of
from hexagon_mlir.sim.translation.link import CONSTRUCTORS, assign_addresses, data_image
from hexagon_mlir.sim.translation.liveness import ALL, read_after_return
from hexagon_mlir.sim.translation.lower import ADDRESSES, FunctionLowering
from hexagon_mlir.sim.translation.program import BlockInfo, Program, SimError
from hexagon_mlir.sim.translation.reach import hvx_functions
from hexagon_mlir.targets import Target


def _dispatcher(image: Image) -> str:
    """``g__dispatch(state, address)``: call the function at a guest address."""
    functions = [*((name, f"g_{number}") for name, number in image.guest_functions.items()),
                 *((name, f"h_{name}") for name in sorted(set(image.host_used)))]
    cases = []
    bodies = []
    for index, (name, code) in enumerate(functions):
        cases.append(f"i32 {image.symbols[name]}, label %c{index}")
        bodies.append(f'c{index}:\n  call void @"{code}"(ptr %st)\n  ret void')
    trap = image.trap("call of an address that is no function: {argument:#x}")
    return f"""define void @g__dispatch(ptr %st, i32 %address) {{
  switch i32 %address, label %unknown [ {' '.join(cases)} ]
{chr(10).join(bodies)}
unknown:
  %a = getelementptr i8, ptr %st, i32 {layout.ARGUMENT}
  store i32 %address, ptr %a
  %t = getelementptr i8, ptr %st, i32 {layout.TRAP}
  store i32 {trap}, ptr %t
  ret void
}}"""


def _graphs(module: Module, taken: set[str]) -> list[Graph]:
    graphs = []
    for function in module.functions.values():
        if not function.packets:
            raise SimError(f"function '{function.name}' has no instructions", function.line)
        try:
            graphs.append(build(function, taken))
        except FormError as error:
            raise SimError(f"{error.reason} in function '{function.name}'", error.line, error.hint) from error
    return graphs


def _address_taken_hosts(module: Module) -> set[str]:
    """Host functions whose address is in data or in an immediate."""
    hosts = {r.symbol for section in module.sections for r in section.relocations}
    for function in module.functions.values():
        for packet in function.packets:
            for _, text in packet.lines:
                if "##" in text:
                    hosts.update(part.split(")")[0].split(",")[0].strip() for part in text.split("##")[1:])
    return {name for name in hosts if name in INLINE or name in CALLBACKS}


@uncollected()
def translate(
    text: str, target: Target, memory_model: bool, check: bool = False, keep_vectors: bool = False, quick: bool = False,
    hot: int | None = None, arithmetic: Arithmetic = DEFAULT_ARITHMETIC,
) -> tuple[str, Program]:
    """Host IR of a module and its tables (without object code).

    With ``keep_vectors`` the state record has all vector registers after a return, whether or not the program reads
    them. ``quick`` is for `host.QUICK`: less IR for the same values and cycles. With the number of a block as ``hot``,
    its function is translated a second time as ``r_<hot>``, entered from quick code at that block.
    """
    try:
        module = parse(text)
    except AsmError as error:
        raise SimError(error.reason, error.line, error.hint) from error
    if check:
        variables.apart(module, (CONSTRUCTORS,))
    symbols, bases, taken = assign_addresses(module, variables.GAP_BYTES if check else 0)
    program = Program(b"", data=data_image(module, symbols, bases), functions=list(module.functions))
    image = Image(
        symbols, {name: number for number, name in enumerate(module.functions)}, taken, program.traps, program.branches,
        _address_taken_hosts(module), AccessModel(target) if memory_model else None, FloatModel.of(target, arithmetic),
        program.matrix, program.forms, program.sites if check else None, quick,
    )  # fmt: skip
    program.data_end = max((bases[i] + len(s.data) for i, s in enumerate(module.sections)), default=layout.DATA_BASE)
    if check:
        program.globals = variables.table(module, bases)
        last = max((symbols[name] for name in module.functions), default=layout.CODE_BASE)
        program.code_end = last + layout.CODE_STEP
    model = Model(target)
    declarations: set[str] = set()
    helpers = [cache_model.declarations(memory_model)]
    if check:
        helpers.append(library.declarations(target))
    pieces = []
    graphs = _graphs(module, taken)
    image.sticky = any(
        insn.key in ("R=C", "RR=CC") and USR in source.units()
        for graph in graphs for block in graph.blocks for packet in block.packets for insn in packet.insns
        for source in insn.sources
    )  # fmt: skip
    for insn in (i for graph in graphs for block in graph.blocks for packet in block.packets for i in packet.insns):
        if insn.form is not None and (lacking := insn.form.lacking(target.version)):
            raise SimError(f"'{insn.text}' {lacking}, not on {target.name}", insn.line)
        if insn.kind == "matrix" and (reason := matrix.not_modelled(insn, target.version)):
            raise SimError(f"'{insn.text}': {reason}", insn.line)
    program.extended = image.extended = image.floats.extended and any(
        f".{suffix}" in insn.key for suffix in EXTENDED
        for graph in graphs for block in graph.blocks for packet in block.packets for insn in packet.insns
    )  # fmt: skip
    reaching, indirect = hvx_functions(graphs)
    program.hvx_functions, program.indirect_functions = sorted(reaching), sorted(indirect)
    returned = read_after_return(graphs)
    for graph in graphs:
        if check:
            for packet, message in float_faults(graph):
                program.float_kinds.append((len(program.sites), message))
                program.sites.append(site_of(graph.function.name, packet.packet))
        costs = model.function(graph)
        first = len(program.blocks)
        for block, cost in zip(graph.blocks, costs, strict=True):
            loc = block.packets[0].packet.loc
            program.blocks.append(
                BlockInfo(
                    graph.function.name, block.label, cost.packets, cost.hvx_packets, cost.stalls,
                    f"{loc[0]}:{loc[1]}" if loc else "",
                )
            )  # fmt: skip
        visible = ALL if keep_vectors else returned[graph.function.name]
        begin = image.mark()
        try:
            pieces.append(FunctionLowering(graph, first, image, declarations, visible).lower())
            if hot is not None and first <= hot < len(program.blocks):
                pieces.append(FunctionLowering(graph, first, image.since(begin), declarations, visible).lower(hot))
        except FormError as error:
            reason = f"{error.reason} in function '{graph.function.name}'"
            raise SimError(reason, error.line, error.hint) from error
    if image.model:
        pieces += image.model.tables
        program.memos = image.model.memos
    program.callbacks = sorted(name for name in image.host_used if name in CALLBACKS)
    for name in sorted(image.host_used):
        index = program.callbacks.index(name) if name in CALLBACKS else 0
        pieces.append(wrapper(name, index, declarations, check_model.COPIES.get(name) if check else None))
    pieces.append(_dispatcher(image))
    if quick:
        pieces.append(f"{ADDRESSES} = internal constant [{len(image.addresses)} x ptr] "
                      f"[{', '.join(f'ptr {symbol}' for symbol in image.addresses)}]")
    program.symbols = {
        name: address
        for name, address in symbols.items()
        if name in program.functions or address >= layout.DATA_BASE
    }
    program.routines = any(f" @{PREFIX}" in text for text in declarations)
    return "\n".join([*pieces, _declared_once([*helpers, *sorted(declarations)])]), program


def _declared_once(pieces: list[str]) -> str:
    """``pieces`` without the second and later declarations of a function."""
    seen: set[str] = set()
    lines = []
    for line in "\n".join(pieces).split("\n"):
        if line.startswith("declare "):
            name = line.split("@", 1)[1].split("(", 1)[0]
            if name in seen:
                continue
            seen.add(name)
        lines.append(line)
    return "\n".join(lines)
