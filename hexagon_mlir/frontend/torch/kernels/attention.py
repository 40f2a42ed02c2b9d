"""Attention by tiles with an online softmax (Milakov and Gimelshein, 2018; Dao et al., 2022): the matrix of scores is
never stored, one tile of it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import args_of, dtype_of, shape_of
from hexagon_mlir.frontend.torch.importer import BUILDERS

QUERY_ROWS, KEY_ROWS = 32, 128
"""Rows of a tile of scores and its columns: the columns fill vectors, the rows share each key that is loaded."""
_TRANSPOSE_FROM = 8  # query rows from which transposing the keys once pays
_LOWEST = "-3.40282347E+38"  # instead of -inf: the difference of two of them is 0, not NaN
_ELEMENTS = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16"}


def attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor | None, causal: bool,
              scale: float, hidden: torch.Tensor | None = None, safe: bool = True, sink: torch.Tensor | None = None,
              cap: float = 0.0) -> torch.Tensor:
    """softmax(query key^T * scale + mask) value; shapes (G, S, D), (H, T, D), (H, T, E) with G a multiple of H.

    ``mask`` and ``hidden`` are (P or 1, Q or 1, S or 1, T) of float32 with P Q = G. What ``hidden`` has below inf
    stands in the place of product and mask. ``causal`` lets query i see keys 0..i. A query that sees
    no key has zeros when ``safe``, and NaN otherwise. With a ``cap``, tanh(query key^T * scale) * cap stands for the
    product; ``sink``, (G) of float32, is one more score in each row of a head, whose value is 0.
    """
    repeat = query.shape[0] // key.shape[0]
    scores = query.float() @ key.float().repeat_interleave(repeat, 0).transpose(1, 2) * scale
    if cap:
        scores = torch.tanh(scores) * cap
    if mask is not None:
        scores = scores + _per_head(mask, scores.shape)
    if hidden is not None:
        hidden = _per_head(hidden, scores.shape)
        scores = torch.where(hidden == float("inf"), scores, hidden)
    if causal:
        allowed = torch.ones(scores.shape[1:], dtype=torch.bool).tril()
        scores = scores.masked_fill(~allowed, float("-inf"))
    if sink is not None:
        scores = torch.cat([scores, sink[:, None, None].expand(*scores.shape[:2], 1)], -1)
    weights = torch._safe_softmax(scores, -1) if safe else scores.softmax(-1)
    weights = weights[..., :key.shape[1]]
    return (weights @ value.float().repeat_interleave(repeat, 0)).to(query.dtype)


def _per_head(mask: torch.Tensor, shape: torch.Size) -> torch.Tensor:
    return mask.expand(*_groups(tuple(mask.shape), shape[0]), *shape[1:]).reshape(shape)


def _groups(mask: tuple[int, ...], heads: int) -> tuple[int, int]:
    """P and Q for a mask of these sizes."""
    return (mask[0], heads // mask[0]) if mask[0] > 1 else (heads // mask[1], mask[1])


@dataclass(frozen=True)
class _Shape:
    heads: int
    key_heads: int
    queries: int
    keys: int
    depth: int
    width: int
    mask: tuple[int, ...]
    hidden: tuple[int, ...]
    element: str
    causal: bool
    scale: float
    safe: bool
    sink: bool
    cap: float


def build(node: Node) -> str:
    """The function for one ``attention`` node."""
    query, key, value, mask, causal, scale, hidden, safe, sink, cap = (*args_of(node), None, 0.0)[:10]
    heads, queries, depth = shape_of(query)
    key_heads, keys, _ = shape_of(key)
    width = shape_of(value)[2]
    masks = [shape_of(m) if isinstance(m, Node) else () for m in (mask, hidden)]
    element = _ELEMENTS[dtype_of(query)]
    return _Text(_Shape(heads, key_heads, queries, keys, depth, width, masks[0], masks[1], element, bool(causal),
                        float(scale), bool(safe), sink is not None, float(cap))).function()


BUILDERS[attention] = build


def _type(sizes: tuple[int, ...]) -> str:
    return f"tensor<{'x'.join(map(str, sizes))}xf32>"


class _Text:
    """Writes the function; ``%h`` is the head, ``%qi`` and ``%kj`` the first row and column of a tile."""

    def __init__(self, shape: _Shape):
        self.s = shape
        self.transposed = shape.queries >= _TRANSPOSE_FROM
        self.names = self._fresh()

    @staticmethod
    def _fresh() -> Iterator[int]:
        number = 0
        while True:
            yield number
            number += 1

    def function(self) -> str:
        s = self.s
        e = s.element
        mask = "".join(f", %{name}: {_type(sizes)}" for name, sizes in self._masks())
        if s.sink:
            mask += f", %sink: {_type((s.heads,))}"
        out = f"tensor<{s.heads}x{s.queries}x{s.width}x{e}>"
        return f"""
func.func @kernel(%q: tensor<{s.heads}x{s.queries}x{s.depth}x{e}>, %k: tensor<{s.key_heads}x{s.keys}x{s.depth}x{e}>,
                  %v: tensor<{s.key_heads}x{s.keys}x{s.width}x{e}>{mask}) -> {out} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant {_LOWEST} : f32
  %nan = arith.constant 0x7FC00000 : f32
  %inf = arith.constant 0x7F800000 : f32
  %minus_inf = arith.constant 0xFF800000 : f32
  %scale = arith.constant {s.scale!r} : f32
  %heads = arith.constant {s.heads} : index
  %repeat = arith.constant {s.heads // s.key_heads} : index
  %none = tensor.empty() : {out}
  %result = scf.for %h = %c0 to %heads step %c1 iter_args(%o = %none) -> ({out}) {{
    %g = arith.divui %h, %repeat : index
{self._places()}{self._start()}    %key = tensor.extract_slice %k[%g, 0, 0] [1, {s.keys}, {s.depth}] [1, 1, 1]
        : tensor<{s.key_heads}x{s.keys}x{s.depth}x{e}> to tensor<{s.keys}x{s.depth}x{e}>
    %value = tensor.extract_slice %v[%g, 0, 0] [1, {s.keys}, {s.width}] [1, 1, 1]
        : tensor<{s.key_heads}x{s.keys}x{s.width}x{e}> to tensor<{s.keys}x{s.width}x{e}>
{self._keys()}{self._tiles("%o", out)}
    scf.yield %done : {out}
  }}
  return %result : {out}
}}
"""

    def _masks(self) -> list[tuple[str, tuple[int, ...]]]:
        """Names and sizes of the masks there are, in the order of the function's arguments."""
        return [(name, sizes) for name, sizes in (("mask", self.s.mask), ("hidden", self.s.hidden)) if sizes]

    def _places(self) -> str:
        """Where each mask has the head's: (h / Q, h % Q)."""
        text = ""
        for name, sizes in self._masks():
            _, inner = _groups(sizes, self.s.heads)
            text += f"""    %{name}_q = arith.constant {inner} : index
    %{name}_0 = arith.{"divui %h, %" + name + "_q" if sizes[0] > 1 else "muli %c0, %c0"} : index
    %{name}_1 = arith.{"remui %h, %" + name + "_q" if sizes[1] > 1 else "muli %c0, %c0"} : index
"""
        return text

    def _start(self) -> str:
        """Maximum and sum of a row before its first key: those of the sink."""
        if not self.s.sink:
            return ""
        return f"""    %sink_h = tensor.extract %sink[%h] : {_type((self.s.heads,))}
    %first_max = arith.maxnumf %sink_h, %lowest : f32
    %counts = arith.cmpf uge, %sink_h, %lowest : f32
    %one = arith.constant 1.0 : f32
    %first_sum = arith.select %counts, %one, %zero : f32
"""

    def _capped(self, n: int, current: str, scores: str) -> str:
        """``%s_cap{n}``: a tile of scores, softly bounded."""
        both = "affine_map<(i, j) -> (i, j)>"
        return f"""      %cap{n} = arith.constant {self.s.cap!r} : f32
      %s_cap{n} = linalg.generic {{indexing_maps = [{both}, {both}], iterator_types = ["parallel", "parallel"]}}
          ins({current} : {scores}) outs(%se{n} : {scores}) {{
        ^bb0(%a: f32, %c: f32):
          %t_ = math.tanh %a : f32
          %p = arith.mulf %t_, %cap{n} : f32
          linalg.yield %p : f32
      }} -> {scores}"""

    def _masked(self, n: int, name: str, sizes: tuple[int, ...], current: str, row: str, column: str, rows: int,
                columns: int) -> str:
        """``%s_{name}{n}``: a tile of scores with the mask in it."""
        scores = f"tensor<{rows}x{columns}xf32>"
        shared = sizes[2] == 1  # by all queries
        tile = _type((columns,)) if shared else scores
        both = "affine_map<(i, j) -> (i, j)>"
        read, map_ = ("0", "affine_map<(i, j) -> (j)>") if shared else (row, both)
        body = """%z = arith.cmpf oeq, %b, %inf : f32
          %p = arith.select %z, %a, %b : f32""" if name == "hidden" else """%z = arith.cmpf oeq, %b, %minus_inf : f32
          %t_ = arith.addf %a, %b : f32
          %p = arith.select %z, %b, %t_ : f32"""
        return f"""      %t_{name}{n} = tensor.extract_slice %{name}[%{name}_0, %{name}_1, {read}, {column}]
          [1, 1, {1 if shared else rows}, {columns}] [1, 1, 1, 1] : {_type(sizes)} to {tile}
      %s_{name}{n} = linalg.generic {{indexing_maps = [{both}, {map_}, {both}],
          iterator_types = ["parallel", "parallel"]}}
          ins({current}, %t_{name}{n} : {scores}, {tile}) outs(%se{n} : {scores}) {{
        ^bb0(%a: f32, %b: f32, %c: f32):
          {body}
          linalg.yield %p : f32
      }} -> {scores}"""

    def _keys(self) -> str:
        s = self.s
        if not self.transposed:
            return ""
        return f"""    %kt0 = tensor.empty() : tensor<{s.depth}x{s.keys}x{s.element}>
    %kt = linalg.transpose ins(%key : tensor<{s.keys}x{s.depth}x{s.element}>)
        outs(%kt0 : tensor<{s.depth}x{s.keys}x{s.element}>) permutation = [1, 0]
"""

    def _tiles(self, out: str, type_: str) -> str:
        """All query tiles of one head: a loop over whole ones and one for the rest."""
        s = self.s
        rows = min(QUERY_ROWS, s.queries)
        whole = s.queries - s.queries % rows
        text = f"""    %q_end = arith.constant {whole} : index
    %q_step = arith.constant {rows} : index
    %main = scf.for %qi = %c0 to %q_end step %q_step iter_args(%oo = {out}) -> ({type_}) {{
{self._query_tile("%qi", "%oo", rows, type_, "%t")}
      scf.yield %t : {type_}
    }}
"""
        if whole == s.queries:
            return text.replace("%main =", "%done =")
        return text + f"    %q_rest = arith.constant {whole} : index\n" + self._query_tile(
            "%q_rest", "%main", s.queries - whole, type_, "%done")

    def _query_tile(self, first: str, out: str, rows: int, type_: str, result: str) -> str:
        s = self.s
        n = next(self.names)
        e, tile = s.element, f"tensor<{rows}x{s.depth}xf32>"
        vector, acc = f"tensor<{rows}xf32>", f"tensor<{rows}x{s.width}xf32>"
        types = f"({acc}, {vector}, {vector})"
        columns = min(KEY_ROWS, s.keys)
        whole = s.keys - s.keys % columns
        cast = f"%w = arith.extf %x : {e} to f32\n        " if e != "f32" else ""
        loaded = "%w" if cast else "%x"
        shrink = f"%r = arith.truncf %m : f32 to {e}\n        linalg.yield %r : {e}" if e != "f32" else \
            "linalg.yield %m : f32"
        end = f"    %k_end{n} = arith.constant {whole} : index\n"
        if s.causal:  # keys behind the last query of the tile are not looked at
            end = f"""    %last{n} = arith.constant {rows + columns - 1} : index
    %reach{n} = arith.addi {first}, %last{n} : index
    %width{n} = arith.constant {columns} : index
    %count{n} = arith.divui %reach{n}, %width{n} : index
    %needed{n} = arith.muli %count{n}, %width{n} : index
    %whole{n} = arith.constant {whole} : index
    %k_end{n} = arith.minui %needed{n}, %whole{n} : index
"""
        text = f"""{end}    %qs{n} = tensor.extract_slice %q[%h, {first}, 0] [1, {rows}, {s.depth}] [1, 1, 1]
        : tensor<{s.heads}x{s.queries}x{s.depth}x{e}> to tensor<{rows}x{s.depth}x{e}>
    %qe{n} = tensor.empty() : {tile}
    %qt{n} = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]}} ins(%qs{n} : tensor<{rows}x{s.depth}x{e}>) outs(%qe{n} : {tile}) {{
      ^bb0(%x: {e}, %o_: f32):
        {cast}%p = arith.mulf {loaded}, %scale : f32
        linalg.yield %p : f32
    }} -> {tile}
    %ae{n} = tensor.empty() : {acc}
    %a0{n} = linalg.fill ins(%zero : f32) outs(%ae{n} : {acc}) -> {acc}
    %me{n} = tensor.empty() : {vector}
    %m0{n} = linalg.fill ins({"%first_max" if s.sink else "%lowest"} : f32) outs(%me{n} : {vector}) -> {vector}
    %le{n} = tensor.empty() : {vector}
    %l0{n} = linalg.fill ins({"%first_sum" if s.sink else "%zero"} : f32) outs(%le{n} : {vector}) -> {vector}
    %k_step{n} = arith.constant {columns} : index
    %acc{n}:3 = scf.for %kj{n} = %c0 to %k_end{n} step %k_step{n}
        iter_args(%a{n} = %a0{n}, %m{n} = %m0{n}, %l{n} = %l0{n}) -> {types} {{
{self._key_tile(n, f"%qt{n}", first, f"%kj{n}", (f"%a{n}", f"%m{n}", f"%l{n}"), rows, columns)}
      scf.yield %an{n + 1}, %mn{n + 1}, %ln{n + 1} : {types[1:-1]}
    }}
"""
        next(self.names)
        final = [f"%acc{n}#{i}" for i in range(3)]
        if whole < s.keys:
            text += f"    %k_rest{n} = arith.constant {whole} : index\n" + self._key_tile(
                n + 1, f"%qt{n}", first, f"%k_rest{n}", (final[0], final[1], final[2]), rows, s.keys - whole)
            next(self.names)
            final = [f"%an{n + 2}", f"%mn{n + 2}", f"%ln{n + 2}"]
        return text + f"""
    %os{n} = tensor.empty() : tensor<{rows}x{s.width}x{e}>
    %norm{n} = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
        affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}}
        ins({final[0]}, {final[2]} : {acc}, {vector}) outs(%os{n} : tensor<{rows}x{s.width}x{e}>) {{
      ^bb0(%x: f32, %sum: f32, %o_: {e}):
        %d = arith.divf %x, %sum : f32
        %empty = arith.cmpf oeq, %sum, %zero : f32
        %m = arith.select %empty, %{"zero" if s.safe else "nan"}, %d : f32
        {shrink}
    }} -> tensor<{rows}x{s.width}x{e}>
    {result} = tensor.insert_slice %norm{n} into {out}[%h, {first}, 0] [1, {rows}, {s.width}] [1, 1, 1]
        : tensor<{rows}x{s.width}x{e}> into {type_}
"""

    def _key_tile(self, n: int, query: str, row: str, column: str, state: tuple[str, str, str], rows: int,
                  columns: int) -> str:
        """One tile of scores; the new accumulator, maximum and sum are ``%an``, ``%mn`` and ``%ln``."""
        s = self.s
        n += 1
        old_acc, old_max, old_sum = state
        e, scores = s.element, f"tensor<{rows}x{columns}xf32>"
        vector, acc = f"tensor<{rows}xf32>", f"tensor<{rows}x{s.width}xf32>"
        both = "affine_map<(i, j) -> (i, j)>"
        left = "affine_map<(i, j) -> (i)>"
        kinds = 'iterator_types = ["parallel", "parallel"]'
        lines = [f"      %se{n} = tensor.empty() : {scores}",
                 f"      %sz{n} = linalg.fill ins(%zero : f32) outs(%se{n} : {scores}) -> {scores}"]
        q_type = f"tensor<{rows}x{s.depth}xf32>"
        if self.transposed:
            slice_ = f"tensor<{s.depth}x{columns}x{e}>"
            lines.append(f"""      %ks{n} = tensor.extract_slice %kt[0, {column}] [{s.depth}, {columns}] [1, 1]
          : tensor<{s.depth}x{s.keys}x{e}> to {slice_}
      %s{n} = linalg.matmul ins({query}, %ks{n} : {q_type}, {slice_}) outs(%sz{n} : {scores}) -> {scores}""")
        else:
            slice_ = f"tensor<{columns}x{s.depth}x{e}>"
            cast = f"%y = arith.extf %b : {e} to f32\n          " if e != "f32" else ""
            lines.append(f"""      %ks{n} = tensor.extract_slice %key[{column}, 0] [{columns}, {s.depth}] [1, 1]
          : tensor<{s.keys}x{s.depth}x{e}> to {slice_}
      %s{n} = linalg.generic {{indexing_maps = [affine_map<(i, j, d) -> (i, d)>, affine_map<(i, j, d) -> (j, d)>,
          affine_map<(i, j, d) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}}
          ins({query}, %ks{n} : {q_type}, {slice_}) outs(%sz{n} : {scores}) {{
        ^bb0(%a: f32, %b: {e}, %c: f32):
          {cast}%p = arith.mulf %a, {"%y" if cast else "%b"} : f32
          %t_ = arith.addf %c, %p : f32
          linalg.yield %t_ : f32
      }} -> {scores}""")
        current = f"%s{n}"
        if s.cap:
            lines.append(self._capped(n, current, scores))
            current = f"%s_cap{n}"
        for name, sizes in self._masks():
            lines.append(self._masked(n, name, sizes, current, row, column, rows, columns))
            current = f"%s_{name}{n}"
        if s.causal:
            lines.append(f"""      %sc{n} = linalg.generic {{indexing_maps = [{both}, {both}], {kinds}}}
          ins({current} : {scores}) outs(%se{n} : {scores}) {{
        ^bb0(%a: f32, %c: f32):
          %i = linalg.index 0 : index
          %j = linalg.index 1 : index
          %iq = arith.addi %i, {row} : index
          %jk = arith.addi %j, {column} : index
          %seen = arith.cmpi sle, %jk, %iq : index
          %p = arith.select %seen, %a, %minus_inf : f32
          linalg.yield %p : f32
      }} -> {scores}""")
            current = f"%sc{n}"
        lines.append(f"""      %vs{n} = tensor.extract_slice %value[{column}, 0] [{columns}, {s.width}] [1, 1]
          : tensor<{s.keys}x{s.width}x{e}> to tensor<{columns}x{s.width}x{e}>
      %mc{n} = tensor.empty() : {vector}
      %mi{n} = linalg.copy ins({old_max} : {vector}) outs(%mc{n} : {vector}) -> {vector}
      %mn{n} = linalg.generic {{indexing_maps = [{both}, {left}], iterator_types = ["parallel", "reduction"]}}
          ins({current} : {scores}) outs(%mi{n} : {vector}) {{
        ^bb0(%a: f32, %c: f32):
          %p = arith.maxnumf %a, %c : f32
          linalg.yield %p : f32
      }} -> {vector}
      %pe{n} = tensor.empty() : {scores}
      %p{n} = linalg.generic {{indexing_maps = [{both}, {left}, {both}], {kinds}}}
          ins({current}, %mn{n} : {scores}, {vector}) outs(%pe{n} : {scores}) {{
        ^bb0(%a: f32, %m: f32, %c: f32):
          %d = arith.subf %a, %m : f32
          %x = math.exp %d : f32
          linalg.yield %x : f32
      }} -> {scores}
      %fe{n} = tensor.empty() : {vector}
      %f{n} = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
          iterator_types = ["parallel"]}} ins({old_max}, %mn{n} : {vector}, {vector}) outs(%fe{n} : {vector}) {{
        ^bb0(%a: f32, %m: f32, %c: f32):
          %d = arith.subf %a, %m : f32
          %x = math.exp %d : f32
          linalg.yield %x : f32
      }} -> {vector}
      %lf{n} = linalg.mul ins({old_sum}, %f{n} : {vector}, {vector}) outs({old_sum} : {vector}) -> {vector}
      %ln{n} = linalg.generic {{indexing_maps = [{both}, {left}], iterator_types = ["parallel", "reduction"]}}
          ins(%p{n} : {scores}) outs(%lf{n} : {vector}) {{
        ^bb0(%a: f32, %c: f32):
          %t_ = arith.addf %a, %c : f32
          linalg.yield %t_ : f32
      }} -> {vector}
      %af{n} = linalg.generic {{indexing_maps = [{left}, {both}], {kinds}}}
          ins(%f{n} : {vector}) outs({old_acc} : {acc}) {{
        ^bb0(%x: f32, %c: f32):
          %t_ = arith.mulf %c, %x : f32
          linalg.yield %t_ : f32
      }} -> {acc}
      %an{n} = linalg.matmul ins(%p{n}, %vs{n} : {scores}, tensor<{columns}x{s.width}x{e}>)
          outs(%af{n} : {acc}) -> {acc}""")
        return "\n".join(lines)
