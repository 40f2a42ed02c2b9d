"""Keeps the loads of loops that only move vectors in order.

LLVM's software pipeliner reorders the loads of a copy without a gain; the hardware prefetches ascending addresses. In
loops that also permute vectors, LLVM's scheduler reorders the loads as well; loads from DDR are marked volatile there,
which keeps their order and has no other cost.
"""

from __future__ import annotations

from hexagon_mlir.llvmir import Block, Function, Instruction, Module

REARRANGING = frozenset({"load", "store", "shufflevector"})
"""Opcodes of loops that move and permute vectors."""
_MASKED = ("@llvm.masked.load.", "@llvm.masked.store.")
MOVING = frozenset(f"V6.{name}" for name in ("vdealvdd", "vshuffvdd", "lo", "hi", "vcombine", "vdelta", "vrdelta",
                                             "valignb", "vlalignb", "valignbi", "vlalignbi", "vror"))
_LOOP = ", !llvm.loop "


def keep_copies_in_order(module: Module) -> Module:
    """``module`` with ``llvm.loop.pipeline.disable`` on every one-block loop whose vectors are only loaded and stored.
    """
    disable = module.next_metadata
    loops: list[int] = []

    def marked(function: Function) -> Function:
        blocks = [_marked(block, disable, loops) if block.is_loop else block for block in function.blocks]
        return function if all(a is b for a, b in zip(blocks, function.blocks, strict=True)) else \
            function.with_blocks(blocks)

    found = module.map(lambda function: marked(function) if " = load <" in function.text else function)
    return found.with_lines(["", f'!{disable} = !{{!"llvm.loop.pipeline.disable", i1 true}}',
                             *(f"!{loop} = distinct !{{!{loop}, !{disable}}}" for loop in loops)]) if loops else found


def _marked(block: Block, disable: int, loops: list[int]) -> Block:
    """``block``, a loop, with metadata, whose number is added to ``loops``; unchanged where it does more than move."""
    branch = block.instructions[-1]
    if branch.opcode != "br" or _LOOP in branch.text:
        return block
    moves, calls = set(), 0
    for i in block.instructions:
        if i.opcode == "call":
            moving = i.flags.startswith(_MASKED) or i.intrinsic in MOVING
            if i.result and _has_vectors(i) and not moving:
                return block
            calls += moving
        elif _has_vectors(i):
            moves.add(i.opcode)
    copies = moves == {"load", "store"} and not calls
    if not copies and not (moves <= REARRANGING and any(map(_is_from_ddr, block.instructions))):
        return block
    loops.append(disable + len(loops) + 1)
    lines = (i.text.replace("= load ", "= load volatile ", 1) if not copies and _is_from_ddr(i) else i.text
             for i in block.instructions[:-1])
    return block.with_instructions(block.read((*lines, f"{branch.text}{_LOOP}!{loops[-1]}")))


def _has_vectors(i: Instruction) -> bool:
    return any(type_.startswith("<") for type_ in (i.type, *i.types))


def _is_from_ddr(i: Instruction) -> bool:
    """Whether it loads a vector by a pointer of the default address space."""
    return i.opcode == "load" and i.type.startswith("<") and not i.volatile and i.operands[0].startswith("%")
