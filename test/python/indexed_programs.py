"""Random programs whose bodies compute with indices: masks of them, and look-ups of tables, as numpy does both."""

from __future__ import annotations

import numpy as np
from linalg_programs import NUMPY, RAGGED, VECTOR_TYPES, Program, is_float, tensor, values

_PREDICATES = {"slt": np.less, "sle": np.less_equal, "sgt": np.greater, "sge": np.greater_equal, "eq": np.equal,
               "ne": np.not_equal}
_ROWS = (1, 15, 16, 17, 33, 64, 100, 127, 200, 256, 257, 300)


def random_indexed(seed: int) -> Program:
    """``select(mask, table[place], x)`` over two loops, from either loop's index, rows' bounds and conditions."""
    rng = np.random.default_rng(seed)
    type_ = str(rng.choice(VECTOR_TYPES))
    extents = (int(rng.choice((1, 3, 7, 20))), int(rng.choice(RAGGED)))
    rows = int(rng.choice(_ROWS))
    place_type = str(rng.choice(("i8", "i16", "i32") if rows <= 128 else ("i16", "i32")))
    x, old, table = values(rng, type_, extents), values(rng, type_, extents), values(rng, type_, (rows,))
    place = rng.integers(0, rows, extents).astype(NUMPY[place_type])
    bound = rng.choice((0, 1, 5, 64, -7, 1000, 2 ** 31 - 1, -2 ** 31), extents[0]).astype(np.int32)
    index = [np.arange(extents[0])[:, None], np.arange(extents[1])[None, :]]
    lines = ["%d0 = linalg.index 0 : index", "%d1 = linalg.index 1 : index",
             "%w0 = arith.index_cast %d0 : index to i32", "%w1 = arith.index_cast %d1 : index to i32"]
    conditions = []
    for number in range(int(rng.integers(1, 4))):
        predicate, name = str(rng.choice(list(_PREDICATES))), f"%p{number}"
        kind = int(rng.integers(4))
        step, shift = int(rng.integers(1, 40)), int(rng.integers(-50, 50))
        compare = _PREDICATES[predicate]
        if kind == 0:  # a line through the rows
            lines += [f"%s{number} = arith.constant {step} : index", f"%h{number} = arith.constant {shift} : index",
                      f"%m{number} = arith.muli %d0, %s{number} : index",
                      f"%l{number} = arith.addi %m{number}, %h{number} : index",
                      f"{name} = arith.cmpi {predicate}, %l{number}, %d1 : index"]
            holds = compare(index[0] * step + shift, index[1])
        elif kind == 1:  # a bound of the row
            lines.append(f"{name} = arith.cmpi {predicate}, %w1, %bound : i32")
            holds = compare(index[1], bound[:, None].astype(np.int64))
        elif kind == 2:  # a condition of the row
            lines.append(f"{name} = arith.cmpi {predicate}, %bound, %w0 : i32")
            holds = compare(bound[:, None].astype(np.int64), index[0])
        else:  # one of the elements
            word = "f" if is_float(type_) else "i"
            text = {"eq": "oeq", "ne": "une"}.get(predicate, "o" + predicate[1:]) if word == "f" else predicate
            lines.append(f"{name} = arith.cmp{word} {text}, %x, %z : {type_}")
            holds = compare(x, np.zeros((), x.dtype))
        conditions.append((name, np.broadcast_to(holds, extents)))
    name, mask = conditions[0]
    for number, (other, holds) in enumerate(conditions[1:]):
        op = str(rng.choice(("andi", "ori", "xori")))
        lines.append(f"%q{number} = arith.{op} {name}, {other} : i1")
        name, mask = f"%q{number}", {"andi": np.logical_and, "ori": np.logical_or,
                                     "xori": np.logical_xor}[op](mask, holds)
    lines += [f"%k = arith.index_castui %place : {place_type} to index",
              f"%v = tensor.extract %table[%k] : {tensor(type_, (rows,))}",
              f"%r = arith.select {name}, %v, %x : {type_}"]
    function, body = f"indexed_{seed}", "\n      ".join(lines)
    whole, row = "affine_map<(d0, d1) -> (d0, d1)>", "affine_map<(d0, d1) -> (d0)>"
    result = tensor(type_, extents)
    text = f"""
func.func @{function}(%a: {result}, %b: {tensor(place_type, extents)}, %c: {tensor("i32", extents[:1])},
    %table: {tensor(type_, (rows,))}, %y: {result}) -> {result} {{
  %z = arith.constant {"0.0" if is_float(type_) else "0"} : {type_}
  %0 = linalg.generic {{indexing_maps = [{whole}, {whole}, {row}, {whole}], iterator_types = ["parallel", "parallel"]}}
      ins(%a, %b, %c : {result}, {tensor(place_type, extents)}, {tensor("i32", extents[:1])}) outs(%y : {result}) {{
    ^bb0(%x: {type_}, %place: {place_type}, %bound: i32, %o: {type_}):
      {body}
      linalg.yield %r : {type_}
  }} -> {result}
  return %0 : {result}
}}"""
    return Program(function, text, [x, place, bound, table, old], np.where(mask, table[place], x))
