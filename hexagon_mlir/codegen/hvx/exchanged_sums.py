"""Sums of exchanged lanes in legacy qfloat, without a conversion before each exchange.

The pairwise sums of vectors that leave in each lane the sum of one of them are exchanges of lanes (`lane_exchanges`),
each followed by a sum of its two halves. What is exchanged is a sum too: it is converted from qfloat, exchanged, and
the next sum reads IEEE numbers. A register of legacy qfloat is its 32 bits, and an exchange moves them: where nothing
but the next sum reads what is exchanged, it stays in qfloat.

Legacy qfloat has no zero: a sum of zeros is a few units of the least denormal, which each conversion between exchanges
would make 0. So what reads the last sums gets IEEE numbers whose denormals are 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hexagon_mlir.llvmir import Declarations, Function, Instruction, Module, rewrite

_WORDS = "<32 x i32>"
_CONVERT, _EXCHANGE, _IEEE_SUM = "V6.vconv.sf.qf32", "V6.vshuffvdd", "V6.vadd.sf"
_SUM, _MIXED_SUM = "V6.vadd.qf32", "V6.vadd.qf32.mix"
_HALVES = ("V6.lo", "V6.hi")
_EXPONENT = 0x7F800000
"""The bits of the exponent of an f32 number; 0 in those of denormals."""
_DECLARED = {f"@llvm.hexagon.{name}.128B": f"declare {_WORDS} @llvm.hexagon.{name}.128B({_WORDS}, {_WORDS})"
             for name in (_SUM, _MIXED_SUM)}


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
    exchanges = {}
    for exchange in definitions.values():
        if exchange.intrinsic == _EXCHANGE:
            sources = [definitions.get(name) for name in exchange.operands[:2]]
            total = _sum_of_halves(exchange, function)
            if total is not None and all(one is not None and one.intrinsic == _CONVERT for one in sources):
                exchanges[exchange] = total
    totals = {total.result: total for total in exchanges.values()}
    lines: dict[Instruction, list[str]] = {}
    for exchange, total in exchanges.items():
        operands = [definitions[name].operands[0] for name in exchange.operands[:2]]
        lines[exchange] = [_called(exchange, _EXCHANGE, [*operands, exchange.operands[2]])]
        lines[total] = [_called(total, _SUM, total.operands)]
    for total in totals.values():
        for user in function.users.get(total.result, ()):
            lines[user] = _reader(user, totals)
    return rewrite(function, ("call",), lines.get)


def _sum_of_halves(exchange: Instruction, function: Function) -> Instruction | None:
    """The sum of IEEE numbers that alone reads both halves of ``exchange``, and that conversions and sums read."""
    halves: Sequence[Instruction] = function.users.get(exchange.result, ())
    users = {user for half in halves for user in function.users.get(half.result, ())}
    if {half.intrinsic for half in halves} != {*_HALVES} or len(halves) != len(_HALVES) or len(users) != 1:
        return None
    total = users.pop()
    if total.intrinsic != _IEEE_SUM or {*total.operands} != {half.result for half in halves}:
        return None
    readers = function.users.get(total.result, ())
    return total if all(user.intrinsic in (_CONVERT, _SUM, _MIXED_SUM) for user in readers) else None


def _reader(user: Instruction, totals: Mapping[str, Instruction]) -> list[str]:
    """``user``, a conversion or a sum, with an IEEE number without denormals for each of ``totals`` that it reads."""
    if user.intrinsic == _CONVERT:
        return _without_denormals(user.result, user.operands[0], totals[user.operands[0]])
    lines, ieee = [], []
    for number, name in enumerate(user.operands):
        if name in totals:
            ieee.append(f"{user.result}.{number}.ieee")
            lines += _without_denormals(ieee[-1], name, totals[name])
        elif user.intrinsic == _MIXED_SUM and number == 1:
            ieee.append(name)
    if len(ieee) == len(user.operands):
        return [*lines, _called(user, _IEEE_SUM, ieee)]
    in_qfloat = next(name for number, name in enumerate(user.operands) if name not in totals)
    return [*lines, _called(user, _MIXED_SUM, [in_qfloat, *ieee])]


def _without_denormals(result: str, name: str, total: Instruction) -> list[str]:
    """``name``, the qfloat sum that ``total`` computes, as the IEEE numbers ``result``: 0 for denormals."""
    ieee, exponent, zero = (f"{result}.{part}" for part in ("number", "exponent", "zero"))
    return [f"  {ieee} = call {_WORDS} @llvm.hexagon.{_CONVERT}.128B({_WORDS} {name}){total.debug}",
            f"  {exponent} = and {_WORDS} {ieee}, splat (i32 {_EXPONENT})",
            f"  {zero} = icmp eq {_WORDS} {exponent}, zeroinitializer",
            f"  {result} = select <32 x i1> {zero}, {_WORDS} zeroinitializer, {_WORDS} {ieee}"]


def _called(i: Instruction, intrinsic: str, operands: Sequence[str]) -> str:
    """``i`` as a call of ``intrinsic`` with these ``operands``."""
    arguments = ", ".join(f"{type_} {operand}" for type_, operand in zip(i.types, operands, strict=True))
    return f"  {i.result} = call {i.type} @llvm.hexagon.{intrinsic}.128B({arguments}){i.debug}"
