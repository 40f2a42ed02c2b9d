"""Random PyTorch modules whose sizes change: one compilation for all sizes against eager at each of them.

``python -m fuzz torch-sizes --seeds 200`` tells the seeds that differ, fail, or are refused. Modules of even seeds are
exported with dynamic shapes, 0 and 1 among the sizes; those of odd seeds go through ``torch.compile(dynamic=True)``.
``--sizes`` says at how many sizes each runs, ``--show`` prints a module, ``--numerics`` and ``--target`` compile so.
"""

from __future__ import annotations

import argparse
import collections
import random
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.export import Dim

import hexagon_mlir as hx
from hexagon_mlir.frontend.torch import dynamo
from hexagon_mlir.frontend.torch.dynamic import SpecializedModel

Dims = tuple[str, ...]
"""A dimension is Python code over ``b`` and ``n``, or a number."""
_FIXED = "3", "5", "8", "16", "33"
_SIZES = 0, 1, 2, 3, 7, 16, 31, 33, 64, 65, 100
_MOST = 30_000


class Generator:
    """The code of one function; values are (name, dimensions), all f32."""

    def __init__(self, seed: int) -> None:
        self.random, self.seed = random.Random(seed), seed
        self.lines: list[str] = []
        self.weights: dict[str, torch.Tensor] = {}
        self.inputs: list[tuple[str, Dims]] = []
        fixed = self.random.choice(_FIXED)
        self.inputs.append(("x", self.random.choice([("b", fixed), ("b", "n"), ("b", "n", fixed), ("n", "b"), ("n",),
                                                     ("b", fixed, "n"), ("b", "2", "n", fixed)])))
        if self.random.random() < 0.4:
            self.inputs.append(("y", self.random.choice([self.inputs[0][1], ("b",), self.inputs[0][1][-1:]])))
        self.pool = [*self.inputs]

    def weight(self, *shape: int) -> str:
        """A new constant."""
        generator = torch.Generator().manual_seed(self.seed + len(self.weights))
        name = f"w{len(self.weights)}"
        self.weights[name] = torch.randn(shape, generator=generator) / max(shape[-1], 1) ** 0.5
        return name

    def code(self, name: str, dims: Dims) -> tuple[str, Dims]:
        """An operation on ``name``, and the dimensions of what it gives."""
        forms = [self.elementwise] * 4 + ([self.row, self.reduction, self.view, self.view] if dims else [])
        forms += [self.product] * 2 if len(dims) > 1 else []
        return self.random.choice(forms)(name, dims)

    def elementwise(self, name: str, dims: Dims) -> tuple[str, Dims]:
        same = [other for other, found in self.pool if found == dims]
        other = self.random.choice(same)
        forms = [f"{name} + {other}", f"{name} * torch.tanh({other})", f"F.gelu({name})", f"torch.exp(-{name}.abs())",
                 f"torch.where({name} > 0, {name}, {other} * 0.5)", f"torch.maximum({name}, {other})",
                 f"{name} / ({other}.abs() + 1)", f"torch.sqrt({name}.abs())", f"F.silu({name})",
                 f"{name}.clamp(-1, 1)"]
        for value, found in self.pool:
            if 0 < len(found) < len(dims) and dims[-len(found):] == found:
                forms += [f"{name} + {value}"] * 3
        if dims and dims[-1].isdigit():
            forms.append(f"{name} * {self.weight(int(dims[-1]))}")
        if dims:
            forms.append(f"{name} + torch.arange({name}.shape[-1]) * 0.01")
        return self.random.choice(forms), dims

    def row(self, name: str, dims: Dims) -> tuple[str, Dims]:
        axis = self.random.randrange(len(dims))
        forms = [f"{name}.softmax({axis})", f"F.rms_norm({name}, {name}.shape[-1:], eps=0.1)",
                 f"F.layer_norm({name}, {name}.shape[-1:], eps=0.1)", f"{name}.cumsum({axis}) * 0.1"]
        return self.random.choice(forms), dims

    def reduction(self, name: str, dims: Dims) -> tuple[str, Dims]:
        axis, keep = self.random.randrange(len(dims)), self.random.random() < 0.3
        form = self.random.choice([f"{name}.sum({axis}, keepdim={keep}) * 0.1", f"{name}.mean({axis}, keepdim={keep})"])
        return form, (*dims[:axis], *(["1"] if keep else []), *dims[axis + 1:])

    def view(self, name: str, dims: Dims) -> tuple[str, Dims]:
        rank = len(dims)
        axis, order = self.random.randrange(rank), self.random.sample(range(rank), rank)
        forms = [(f"{name}.permute({order})", tuple(dims[one] for one in order)),
                 (f"torch.cat(({name}, {name} * 2), {axis})", (*dims[:axis], f"2*({dims[axis]})", *dims[axis + 1:])),
                 (f"{name}.unsqueeze({axis})", (*dims[:axis], "1", *dims[axis:])),
                 (f"F.pad({name}, (1, 2))", (*dims[:-1], f"({dims[-1]})+3")),
                 (f"{name}.flip({axis})", dims)]
        if rank > 1:
            forms.append((f"{name}.flatten(0, 1)", (f"({dims[0]})*({dims[1]})", *dims[2:])))
        if dims[axis].isdigit() and int(dims[axis]) > 1:
            forms.append((f"{name}.narrow({axis}, 1, {int(dims[axis]) - 1})",
                          (*dims[:axis], str(int(dims[axis]) - 1), *dims[axis + 1:])))
        return self.random.choice(forms)

    def product(self, name: str, dims: Dims) -> tuple[str, Dims]:
        inner, rows = dims[-1], dims[-2]
        forms = [(f"{name} @ {name}.mT * 0.05", (*dims[:-1], rows)),
                 (f"{name}.mT @ {name} * 0.05", (*dims[:-2], inner, inner))]
        if inner.isdigit():
            size = int(self.random.choice(_FIXED))
            forms += [(f"F.linear({name}, {self.weight(size, int(inner))}, {self.weight(size)})",
                       (*dims[:-1], str(size)))] * 4
        if len(dims) > 2:
            causal = self.random.random() < 0.5
            forms += [(f"F.scaled_dot_product_attention({name}, {name}, {name}, is_causal={causal})", dims)] * 2
        return self.random.choice(forms)

    def grow(self) -> None:
        """Append operations; each is tried at two sizes, and left out when it is wrong or gives too much."""
        values = [self.arguments({"b": 3, "n": 5}), self.arguments({"b": 7, "n": 2})]
        spaces = [dict(zip((name for name, _ in self.inputs), one, strict=True)) for one in values]
        count, tries = self.random.randrange(2, 7), 0
        while count and tries < 60:
            tries += 1
            name, dims = self.random.choice(self.pool[-3:])
            code, found = self.code(name, dims)
            results = []
            for space in spaces:
                try:
                    results.append(eval(code, {"torch": torch, "F": torch.nn.functional, **space, **self.weights}))
                except (RuntimeError, IndexError):
                    break
            fits = len(results) == len(spaces) and all(value.dim() <= 4 and value.abs().amax() < 50 if value.numel()
                                                       else True for value in results)
            if not fits:
                continue
            new = f"v{len(self.lines)}"
            self.lines.append(f"{new} = {code}")
            self.pool.append((new, found))
            for space, value in zip(spaces, results, strict=True):
                space[new] = value
            count -= 1

    def arguments(self, sizes: Mapping[str, int]) -> list[torch.Tensor]:
        """Random inputs of these ``sizes``."""
        generator = torch.Generator().manual_seed(self.seed + 17 * sizes["b"] + sizes["n"])
        return [torch.randn([eval(one, dict(sizes)) for one in dims], generator=generator)
                for _, dims in self.inputs]

    def source(self) -> str:
        """Python code of ``function``, which gives the last value and another one."""
        other = random.Random(self.seed).choice(self.pool[len(self.inputs):])[0]
        return (f"def function({', '.join(name for name, _ in self.inputs)}):\n"
                + "\n".join(f"    {line}" for line in self.lines) + f"\n    return {self.pool[-1][0]}, {other} * 2\n")

    def dynamic_shapes(self) -> dict[str, dict[int, Dim]]:
        """As `torch.export.export` takes them."""
        names = {name: Dim(name, min=0, max=128) for name in ("b", "n")}
        return {f"a{place}": {axis: names[one] for axis, one in enumerate(dims) if one in names}
                for place, (_, dims) in enumerate(self.inputs)}


class _Module(torch.nn.Module):
    """Calls ``function``, with as many arguments as it takes."""

    def __init__(self, function: Callable[..., Any], count: int) -> None:
        super().__init__()
        self.function, self.count = function, count

    def forward(self, a0: torch.Tensor, a1: torch.Tensor | None = None) -> Any:
        """The results."""
        return self.function(*(a0, a1)[:self.count])


def generated(seed: int) -> Generator:
    """A module of one to six operations."""
    generator = Generator(seed)
    while not generator.lines:
        generator.grow()
    return generator


def sizes_of(generator: Generator, count: int) -> list[dict[str, int]]:
    """Sizes to run at, the first of them usual ones, none too large; no 0 where a mean is divided by a size: the chip
    multiplies by an infinite number there, which gives any."""
    divides = any(name in line for line in generator.lines for name in (".mean(", "_norm("))
    found = [{"b": 6, "n": 9}]
    for _ in range(200):
        one = {name: generator.random.choice(_SIZES[divides:]) for name in ("b", "n")}
        most = max(eval("*".join(f"({dim})" for dim in dims) or "1", dict(one)) for _, dims in generator.pool)
        if len(found) < count and most <= _MOST and one not in found:
            found.append(one)
    return found


def difference(generator: Generator, sizes: Sequence[Mapping[str, int]], options: argparse.Namespace,
               reasons: collections.Counter[str]) -> str:
    """What differs from eager at one of ``sizes``, or the error; empty when nothing does. ``reasons`` counts why
    modules are compiled for each combination of sizes."""
    space: dict[str, Callable[..., Any]] = {}
    exec(generator.source(), {"torch": torch, "F": torch.nn.functional, **generator.weights}, space)
    module = _Module(space["function"], len(generator.inputs))
    at = sizes[0]
    fast: Any
    try:
        if generator.seed % 2:
            torch._dynamo.reset()
            fast = torch.compile(module, backend="hexagon", dynamic=True, options={
                "fallback": "error", "numerics": options.numerics, "target": options.target})
        else:
            shapes = generator.dynamic_shapes()
            program = torch.export.export(module, tuple(generator.arguments(sizes[0])), dynamic_shapes=shapes)
            fast = hx.compile(program, numerics=options.numerics, target=options.target)
        for at in sizes:
            arguments = generator.arguments(at)
            error = 3e-4 if options.numerics == "f32" else 3e-2
            torch.testing.assert_close(fast(*arguments), module(*arguments), rtol=error, atol=error, equal_nan=True)
            if at is sizes[0]:
                remarks = fast.remarks if isinstance(fast, SpecializedModel) else dynamo.models[-1].remarks
                reasons.update(one.message for one in remarks if one.origin == "torch-specialize")
    except AssertionError as wrong:
        return f"{dict(at)}: differs: " + " ".join(str(wrong).split())[:300]
    except Exception as wrong:
        return f"{dict(at)}: {type(wrong).__name__}: {' '.join(str(wrong).split())[:600]}"
    return ""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Those of this kind."""
    parser.add_argument("--sizes", type=int, default=10, help="at how many sizes each module runs")
    parser.add_argument("--numerics", default="f32")
    parser.add_argument("--target", default="v75")
    parser.add_argument("--reasons", action="store_true", help="print why modules are compiled for each size")
    parser.add_argument("--show", action="store_true", help="print the module of the first seed")


def run(options: argparse.Namespace) -> int:
    """A module for each seed."""
    warnings.simplefilter("ignore")
    if options.show:
        generator = generated(options.seeds.start)
        print(generator.source(), *[f"# {name} {dims}" for name, dims in generator.inputs], sep="\n")
        return 0
    failed = pairs = 0
    reasons: collections.Counter[str] = collections.Counter()
    with torch.no_grad():
        for seed in options.seeds:
            generator = generated(seed)
            sizes = sizes_of(generator, options.sizes)
            pairs += len(sizes)
            if text := difference(generator, sizes, options, reasons):
                failed += 1
                print(f"seed {seed}: {text}", flush=True)
            elif seed % 20 == 0:
                print(f"{seed} done", file=sys.stderr, flush=True)
    for reason, count in reasons.most_common() if options.reasons else ():
        print(f"{count:4} {reason}")
    print(f"{len(options.seeds)} modules at {pairs} sizes, {failed} failed")
    return 1 if failed else 0
