"""Exchanges of lanes between sums in qfloat, without a conversion before them.

Sums over lanes exchange halves of two vectors and add these. The exchange takes words, so that native vectors converts
sums to IEEE format first: for rows times rows a third of the instructions of the unit that also adds. A register of
legacy qfloat has no hidden bits (`hidden_bits`): its lanes can be exchanged as they are, and a sum is one of qfloat.
"""

from __future__ import annotations

from hexagon_mlir.llvmir import Function, Instruction, Module, rewrite

_CONVERSION, _EXCHANGE, _SUM = "V6.vconv.sf.qf32", "V6.vshuffvdd", "V6.vadd.sf"
_HALVES = ("V6.lo", "V6.hi")
_IEEE_SUM, _QFLOAT_SUM = (f"@llvm.hexagon.V6.vadd.{format_}.128B" for format_ in ("sf", "qf32"))
_WORDS = "<32 x i32>"


def exchanges_in_qfloat(module: Module) -> Module:
    """``module`` with exchanges of qfloat values where only sums of such exchanges read the result."""
    if f"@llvm.hexagon.{_EXCHANGE}" not in module.text or _IEEE_SUM not in module.text:
        return module
    exchanges = {function: pairs for function in module.functions if (pairs := _exchanges(function))}
    if not exchanges:
        return module
    return module.map(lambda function: _rewritten(function, exchanges[function]) if function in exchanges
                      else function).declaring({_QFLOAT_SUM: f"declare {_WORDS} {_QFLOAT_SUM}({_WORDS}, {_WORDS})"})


def _rewritten(function: Function, pairs: dict[str, Instruction]) -> Function:
    sums = {sum_ for pair in pairs.values() for sum_ in _sums(function, pair)}

    def in_qfloat(i: Instruction) -> list[str] | None:
        if i in sums:
            return [i.text.replace(_IEEE_SUM, _QFLOAT_SUM)]
        if i.result not in pairs:
            return None
        operands = [function.definitions[operand].operands[0] for operand in i.operands[:2]]
        before, arguments = i.text.split("(", 1)
        rest = arguments.split(",", 2)[2]
        return [f"{before}({_WORDS} {operands[0]}, {_WORDS} {operands[1]},{rest}"]

    return rewrite(function, ("call",), in_qfloat)


def _exchanges(function: Function) -> dict[str, Instruction]:
    """The exchanges of ``function``, by their results, of two converted values that sums alone read."""
    found = {i.result: i for i in function.by_opcode.get("call", ()) if i.intrinsic == _EXCHANGE and all(
        operand in function.definitions and function.definitions[operand].intrinsic == _CONVERSION
        for operand in i.operands[:2])}
    while lost := [name for name, pair in found.items() if not _only_summed(function, pair, found)]:
        for name in lost:
            del found[name]
    return found


def _only_summed(function: Function, pair: Instruction, found: dict[str, Instruction]) -> bool:
    """Whether all that reads ``pair`` is halves of it, and all that reads these is sums of halves of ``found``."""
    return all(half.intrinsic in _HALVES for half in function.users.get(pair.result, ())) and all(
        sum_.intrinsic == _SUM and all(_source(function, operand) in found for operand in sum_.operands)
        for sum_ in _sums(function, pair))


def _sums(function: Function, pair: Instruction) -> list[Instruction]:
    """What reads the halves of ``pair``."""
    return [user for half in function.users.get(pair.result, ()) for user in function.users.get(half.result, ())]


def _source(function: Function, value: str) -> str:
    """The pair that ``value`` is a half of; "" for any other value."""
    half = function.definitions.get(value)
    return half.operands[0] if half is not None and half.intrinsic in _HALVES else ""
