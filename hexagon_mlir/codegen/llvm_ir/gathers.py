"""Calls that gather a vector from TCM as the instruction that does, in LLVM IR text.

Calls until here: LLVM takes the instruction for one that reads nothing but the place it writes to, and would move it
above the stores that fill the table.
"""

from __future__ import annotations

import re

from hexagon_mlir.codegen.llvm_ir.names import VALUE

_FORMS = {"hexmlir_gather_words": ("vgathermw", 4), "hexmlir_gather_halfwords": ("vgathermh", 2)}
_NUMBER = rf"(?:{VALUE}|[^,]+?)"
_CALL = re.compile(rf"^ *(?:tail )?call void @(\w+)\(i32 ({_NUMBER}), i32 ({_NUMBER}), i32 ({_NUMBER}), "
                   rf"<(\d+) x i(?:32|16)> ({_NUMBER}), i32 ({VALUE}|\d+)\)(.*)$", re.MULTILINE)
_DONE = re.compile(rf"^ *(?:tail )?call void @hexmlir_gather_done\(i32 ({_NUMBER})\)(.*)$", re.MULTILINE)
_WORDS = "<32 x i32>"
_MASK = "<128 x i1>"
_DECLARED = {
    "pred.scalar2": f"{_MASK} @llvm.hexagon.V6.pred.scalar2.128B(i32)",
    **{form: f"void @llvm.hexagon.V6.{form}.128B(ptr, i32, i32, {_WORDS})" for form, _ in _FORMS.values()},
    **{f"{form}q": f"void @llvm.hexagon.V6.{form}q.128B(ptr, {_MASK}, i32, i32, {_WORDS})"
       for form, _ in _FORMS.values()},
}


def gathers_as_instructions(text: str) -> str:
    """``text`` with each call of ``hexmlir_gather_*`` as a vgather, masked where not all of its lanes are valid.

    A vector load waits for gathers to its place: one stands for ``hexmlir_gather_done``.
    """
    if not any(name in text for name in _FORMS):
        return text
    used: set[str] = set()
    count = 0

    def rewritten(match: re.Match[str]) -> str:
        nonlocal count
        symbol, to, table, last, lanes, offsets, valid, rest = match.groups()
        if symbol not in _FORMS:
            return match[0]
        form, width = _FORMS[symbol]
        count += 1
        name = f"%gather{count}"
        lines = [f"  {name}.to = inttoptr i32 {to} to ptr",
                 f"  {name}.offsets = bitcast <{lanes} x i{8 * width}> {offsets} to {_WORDS}"]
        arguments = f"i32 {table}, i32 {last}, {_WORDS} {name}.offsets"
        if valid == lanes:
            used.add(form)
            call = f"  call void @llvm.hexagon.V6.{form}.128B(ptr {name}.to, {arguments}){rest}"
        else:
            used.update((f"{form}q", "pred.scalar2"))
            lines += [f"  {name}.bytes = mul i32 {valid}, {width}",
                      f"  {name}.mask = call {_MASK} @llvm.hexagon.V6.pred.scalar2.128B(i32 {name}.bytes)"]
            call = f"  call void @llvm.hexagon.V6.{form}q.128B(ptr {name}.to, {_MASK} {name}.mask, {arguments}){rest}"
        return "\n".join([*lines, call])

    def load(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return (f"  %gather{count}.to = inttoptr i32 {match[1]} to ptr\n"
                f"  %gather{count}.seen = load volatile {_WORDS}, ptr %gather{count}.to, align 128{match[2]}")

    text = _DONE.sub(load, _CALL.sub(rewritten, text))
    return text + "".join(f"declare {_DECLARED[name]}\n" for name in sorted(used)
                          if f"declare {_DECLARED[name]}" not in text)
