"""Small functions that verify: every op of arith and math with every type it takes, and basics of other dialects.

`programs` gives (name, level, text); the name tells the operation, its types and the form around it.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import product

from op_templates import TEMPLATES

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.context import make_context
from hexagon_mlir.ir.query import names_of

INTEGERS, FLOATS = ("i1", "i8", "i16", "i32", "i64", "index"), ("f16", "bf16", "f32", "f64")
TYPES = (*INTEGERS, *FLOATS)
SHAPES = ("", "5", "0", "?", "1x40", "3x1x2", "2x?", "0x?", "1")
_ATTRIBUTES = {"arith.cmpi": "<{predicate = 2 : i64}>", "arith.cmpf": "<{predicate = 4 : i64}>"}
_SKIPPED = frozenset({"arith.constant"})
"""Among the templates."""


def _body(name: str, operands: tuple[str, ...], results: tuple[str, ...], values: str) -> str:
    """``values`` are the names of the operands."""
    made = ", ".join(f"%r{k}" for k in range(len(results)))
    attributes = _ATTRIBUTES.get(name, "")
    return f'{made} = "{name}"({values}) {attributes} : ({", ".join(operands)}) -> ({", ".join(results)})'


def _names(count: int) -> str:
    return ", ".join(f"%a{k}" for k in range(count))


def _scalar(name: str, operands: tuple[str, ...], results: tuple[str, ...]) -> str:
    arguments = ", ".join(f"%a{k}: {t}" for k, t in enumerate(operands))
    made = ", ".join(f"%r{k}" for k in range(len(results)))
    return (f"func.func @f({arguments}) -> ({', '.join(results)}) {{\n  "
            f"{_body(name, operands, results, _names(len(operands)))}\n  return {made} : {', '.join(results)}\n}}")


@cache
def signatures(dialect: str) -> tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]:
    """(operation, operand types, result types) of scalars that verify."""
    found = []
    for name in sorted(set(names_of(dialect)) - _SKIPPED):
        for a in TYPES:
            tried = [((a,) * n, (a,)) for n in (1, 2, 3)] + [((a,) * n, ("i1",)) for n in (1, 2) if a != "i1"]
            tried += [((a, a), (a, a)), ((a,), (a, a)), ((a, a), (a, "i1")), ((a, "i32"), (a,)), (("i1", a, a), (a,))]
            tried += [((a,), (b,)) for b in TYPES if b not in (a, "i1")]
            for operands, results in dict.fromkeys(tried):
                if _verifies(_scalar(name, operands, results)):
                    found.append((name, operands, results))
    return tuple(found)


def _verifies(text: str) -> bool:
    try:
        ir.Module.parse(text, _context())
    except ir.MLIRError:
        return False
    return True


_context = cache(make_context)
"""One for all that is only looked at: to make one takes longer than to parse such a text."""


def _shaped(kind: str, shape: str, element: str) -> str:
    return f"{kind}<{shape}x{element}>" if shape else f"{kind}<{element}>"


def _whole(name: str, operands: tuple[str, ...], results: tuple[str, ...], kind: str, shape: str) -> str:
    """On whole tensors or vectors."""
    return _scalar(name, tuple(_shaped(kind, shape, t) for t in operands),
                   tuple(_shaped(kind, shape, t) for t in results))


def _generic(name: str, operands: tuple[str, ...], results: tuple[str, ...], kind: str, shape: str) -> str:
    """In the body of a linalg.generic on tensors or buffers."""
    ins, outs = ([_shaped(kind, shape, t) for t in types] for types in (operands, results))
    rank = len(shape.split("x")) if shape else 0
    dims = ", ".join(f"d{k}" for k in range(rank))
    maps = ", ".join([f"affine_map<({dims}) -> ({dims})>"] * (len(ins) + len(outs)))
    parallel = ", ".join(['"parallel"'] * rank)
    arguments = ", ".join([*(f"%x{k}: {t}" for k, t in enumerate(ins)), *(f"%y{k}: {t}" for k, t in enumerate(outs))])
    scalars = ", ".join([*(f"%a{k}: {t}" for k, t in enumerate(operands)),
                         *(f"%o{k}: {t}" for k, t in enumerate(results))])
    made = ", ".join(f"%r{k}" for k in range(len(results)))
    returned = kind == "tensor"
    names = ", ".join(f"%z{k}" for k in range(len(outs)))
    one = f"%z:{len(outs)}" if len(outs) > 1 else "%z"
    names = ", ".join(f"%z#{k}" for k in range(len(outs))) if len(outs) > 1 else "%z"
    return f"""func.func @f({arguments}){f" -> ({', '.join(outs)})" if returned else ""} {{
  {f"{one} = " if returned else ""}linalg.generic {{indexing_maps = [{maps}], iterator_types = [{parallel}]}}
      ins({', '.join(f'%x{k}' for k in range(len(ins)))} : {', '.join(ins)})
      outs({', '.join(f'%y{k}' for k in range(len(outs)))} : {', '.join(outs)}) {{
  ^bb0({scalars}):
    {_body(name, operands, results, _names(len(operands)))}
    linalg.yield {made} : {', '.join(results)}
  }}{f" -> ({', '.join(outs)})" if returned else ""}
  return{f" {names} : {', '.join(outs)}" if returned else ""}
}}"""


def _reduction(name: str, element: str, kind: str) -> str:
    """Of the rows of a matrix."""
    returned = kind == "tensor"
    matrix, row = f"{kind}<3x40x{element}>", f"{kind}<3x{element}>"
    return f"""func.func @f(%x: {matrix}, %y: {row}){f" -> {row}" if returned else ""} {{
  {"%z = " if returned else ""}linalg.generic {{
      indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>],
      iterator_types = ["parallel", "reduction"]}} ins(%x : {matrix}) outs(%y : {row}) {{
  ^bb0(%a0: {element}, %a1: {element}):
    {_body(name, (element, element), (element,), "%a0, %a1")}
    linalg.yield %r0 : {element}
  }}{f" -> {row}" if returned else ""}
  return{f" %z : {row}" if returned else ""}
}}"""


def _broadcast(name: str, operands: tuple[str, ...], results: tuple[str, ...], kind: str) -> str:
    """Of a column, a row and a transposed matrix."""
    forms = (("36", "(a)"), ("40", "(b)"), ("40x36", "(b, a)"))
    ins = [f"{kind}<{forms[k][0]}x{t}>" for k, t in enumerate(operands)]
    outs = [f"{kind}<36x40x{t}>" for t in results]
    maps = [*(f"affine_map<(a, b) -> {forms[k][1]}>" for k in range(len(ins))),
            *["affine_map<(a, b) -> (a, b)>"] * len(outs)]
    xs, ys = ([f"%{v}{k}" for k in range(len(types))] for v, types in (("x", ins), ("y", outs)))
    returned, made = kind == "tensor", ", ".join(f"%r{k}" for k in range(len(outs)))
    made_by = "" if not returned else f"%z:{len(outs)} = " if len(outs) > 1 else "%z = "
    names = ", ".join(f"%z#{k}" for k in range(len(outs))) if len(outs) > 1 else "%z"
    scalars = [*(f"%a{k}: {t}" for k, t in enumerate(operands)), *(f"%o{k}: {t}" for k, t in enumerate(results))]
    arguments = ", ".join(f"{v}: {t}" for v, t in zip((*xs, *ys), (*ins, *outs), strict=True))
    return f"""func.func @f({arguments}){f" -> ({', '.join(outs)})" if returned else ""} {{
  {made_by}linalg.generic {{indexing_maps = [{', '.join(maps)}],
      iterator_types = ["parallel", "parallel"]}}
      ins({', '.join(xs)} : {', '.join(ins)}) outs({', '.join(ys)} : {', '.join(outs)}) {{
  ^bb0({', '.join(scalars)}):
    {_body(name, operands, results, _names(len(operands)))}
    linalg.yield {made} : {', '.join(results)}
  }}{f" -> ({', '.join(outs)})" if returned else ""}
  return{f" {names} : {', '.join(outs)}" if returned else ""}
}}"""


def _template(text: str, element: str, shape: str) -> str:
    rank, real = len(shape.split("x")) if shape else 0, element in FLOATS
    words = {
        "T": element, "ADD": "arith.addf" if real else "arith.addi", "D": ", ".join(f"d{k}" for k in range(rank)),
        "MAX": "arith.maximumf" if real else "arith.maxsi", "LARGEST": "maximumf" if real else "maxsi", "NAMED": "max",
        "GREATER": "arith.cmpf ogt" if real else "arith.cmpi sgt", "I": ", ".join(["%0"] * rank),
        "REDUCTIONS": ", ".join(['"reduction"'] * rank), "N": "1.5" if real else "true" if element == "i1" else "1"}
    text = text.replace("Sx!", f"{shape}x!" if shape else "!").replace("!", element)
    return re.sub(r"\b[A-Z]+\b", lambda match: words[match[0]], text)


def programs() -> Iterator[tuple[str, str, str]]:
    """All of them; some templates do not verify for some types."""
    for level, templates in TEMPLATES.items():
        for (name, text), element in product(templates.items(), TYPES):
            for shape in SHAPES if "Sx!" in text else ("8",):
                yield f"{level} {name} {element} {shape or 'rank 0'}", level, _template(text, element, shape)
    for dialect in ("arith", "math"):
        for name, operands, results in signatures(dialect):
            told = f"{name} {','.join(operands)} -> {','.join(results)}"
            yield f"{told}, scalar", "buffer", _scalar(name, operands, results)
            for shape in SHAPES:
                at = shape or "rank 0"
                yield f"{told}, tensor {at}", "tensor", _whole(name, operands, results, "tensor", shape)
                yield f"{told}, generic on tensors {at}", "tensor", _generic(name, operands, results, "tensor", shape)
                yield f"{told}, generic on buffers {at}", "buffer", _generic(name, operands, results, "memref", shape)
            for kind, level in (("tensor", "tensor"), ("memref", "buffer")):
                if operands == (results * 2):
                    yield f"{told}, reduction of {kind}", level, _reduction(name, operands[0], kind)
                yield f"{told}, broadcast in {kind}", level, _broadcast(name, operands, results, kind)
            for shape in ("32", "1", "2x32", "40", ""):
                yield f"{told}, vector {shape or 'rank 0'}", "buffer", _whole(name, operands, results, "vector", shape)
