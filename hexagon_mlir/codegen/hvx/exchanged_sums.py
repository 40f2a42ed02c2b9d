"""Sums of exchanged lanes in legacy qfloat, without a conversion before each exchange.

The pairwise sums of vectors that leave in each lane the sum of one of them are exchanges of lanes (`lane_exchanges`),
each followed by a sum of its two halves. What is exchanged is a sum too: it is converted from qfloat, exchanged, and
the next sum reads IEEE numbers. A register of legacy qfloat is its 32 bits, and an exchange moves them: where nothing
but the next sum reads what is exchanged, it stays in qfloat. A sum that was not normalised may be the operand of a sum,
but not of a product, so that of the last sums conversions, or sums that are converted, are all that reads them.
"""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.llvmir import Declarations, Function, Instruction, Module, rewrite

_WORDS = "<32 x i32>"
_CONVERT, _EXCHANGE, _IEEE_SUM, _SUM = "V6.vconv.sf.qf32", "V6.vshuffvdd", "V6.vadd.sf", "V6.vadd.qf32"
_SUMS = (_IEEE_SUM, _SUM, "V6.vadd.qf32.mix")
_HALVES = ("V6.lo", "V6.hi")
_DECLARED = {f"@llvm.hexagon.{_SUM}.128B": f"declare {_WORDS} @llvm.hexagon.{_SUM}.128B({_WORDS}, {_WORDS})"}


def exchanged_sums_in_qfloat(module: Module) -> Module:
    """``module`` with the operands of each such exchange, and the sum of its halves, in qfloat."""
    declared: Declarations = {}

    def rewritten(function: Function) -> Function:
        if _EXCHANGE not in function.text or _CONVERT not in function.text:
            return function
        changed = _rewritten(function)
        if changed is not function:
            declared.update(_DECLARED)
        return changed

    return module.map(rewritten).declaring(declared)


def _rewritten(function: Function) -> Function:
    definitions = {i.result: i for i in function.by_opcode.get("call", ()) if i.result}
    lines: dict[Instruction, list[str]] = {}
    for exchange in definitions.values():
        if exchange.intrinsic != _EXCHANGE:
            continue
        sources = [definitions.get(name) for name in exchange.operands[:2]]
        total = _sum_of_halves(exchange, function)
        if total is None or not _is_converted(total, function):
            continue
        first, second = sources
        if first is None or second is None or {first.intrinsic, second.intrinsic} != {_CONVERT}:
            continue
        lines[exchange] = [_called(exchange, _EXCHANGE, [first.operands[0], second.operands[0], exchange.operands[2]])]
        lines[total] = [_called(total, _SUM, total.operands)]
    return rewrite(function, ("call",), lines.get)


def _sum_of_halves(exchange: Instruction, function: Function) -> Instruction | None:
    """The sum of IEEE numbers that alone reads both halves of ``exchange``."""
    halves: Sequence[Instruction] = function.users.get(exchange.result, ())
    users = {user for half in halves for user in function.users.get(half.result, ())}
    if {half.intrinsic for half in halves} != {*_HALVES} or len(halves) != len(_HALVES) or len(users) != 1:
        return None
    total = users.pop()
    return total if total.intrinsic == _IEEE_SUM and {*total.operands} == {half.result for half in halves} else None


def _is_converted(total: Instruction, function: Function) -> bool:
    """Whether conversions read the sum, or sums that only conversions read."""
    return all(user.intrinsic == _CONVERT or (user.intrinsic in _SUMS and all(
        next_.intrinsic == _CONVERT for next_ in function.users.get(user.result, ())))
        for user in function.users.get(total.result, ()))


def _called(i: Instruction, intrinsic: str, operands: Sequence[str]) -> str:
    """``i`` as a call of ``intrinsic`` with these ``operands``."""
    arguments = ", ".join(f"{type_} {operand}" for type_, operand in zip(i.types, operands, strict=True))
    return f"  {i.result} = call {i.type} @llvm.hexagon.{intrinsic}.128B({arguments}){i.debug}"
