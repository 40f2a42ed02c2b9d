"""Random PyTorch modules of a few operations each: `torch.compile` for Hexagon against eager.

``python -m fuzz torch --seeds 200`` tells the seeds that differ, fail, or are refused; ``--check`` runs with the
simulator's memory checks; ``--show`` prints a module; ``--options '{"threads": 4}'`` compiles with them.
Floating-point values stay near one, so that sums in another order stay within 1e-4.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import warnings
from collections.abc import Callable

import torch

ELEMENTS = 20000
SIZES = (1, 2, 3, 4, 5, 7, 8, 13, 16, 19, 31, 33, 40, 65)
Shape = tuple[int, ...]


class Generator:
    """The code of one function of tensors, with its inputs; values are (name, shape, type)."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.seed = seed
        self.lines: list[str] = []
        self.inputs: dict[str, torch.Tensor] = {}
        self.pool: list[tuple[str, torch.Tensor]] = []
        for _ in range(self.random.choice([1, 1, 2])):
            self.pool.append(self.input(self.shape()))

    def shape(self) -> Shape:
        rank = self.random.choice([1, 2, 2, 3, 3, 4])
        while True:
            shape = tuple(self.random.choice(SIZES) for _ in range(rank))
            if math.prod(shape) <= ELEMENTS // 4:
                return shape

    def input(self, shape: Shape, kind: str = "float") -> tuple[str, torch.Tensor]:
        """A new input; floats are sometimes f16, and sometimes laid out in another order."""
        name, generator = f"x{len(self.inputs)}", torch.Generator().manual_seed(self.seed + len(self.inputs))
        if kind == "float":
            value = torch.randn(shape, generator=generator)
            if len(shape) > 1 and self.random.random() < 0.2:
                value = value.transpose(0, -1).contiguous().transpose(0, -1)
        else:
            value = torch.randint(-40, 40, shape, generator=generator).to(getattr(torch, kind))
        self.inputs[name] = value
        return name, value

    def like(self, x: torch.Tensor) -> str:
        """The name of a value that broadcasts with ``x`` and has its type."""
        fitting = [n for n, v in self.pool if v.dtype == x.dtype and v.shape == x.shape]
        if fitting and self.random.random() < 0.6:
            return self.random.choice(fitting)
        shape = [1 if self.random.random() < 0.3 else n for n in x.shape]
        shape = shape[self.random.randrange(len(shape)):] if shape else shape
        kind = "float" if x.dtype == torch.float32 else str(x.dtype).removeprefix("torch.")
        return self.input(tuple(shape), kind)[0]

    def dim(self, x: torch.Tensor) -> int:
        return self.random.randrange(x.dim())

    def code(self, name: str, x: torch.Tensor) -> str:
        """An operation on ``name``."""
        kinds: list[Callable[[str, torch.Tensor], str]] = [self.elementwise] * 5
        if x.dim():
            kinds += [self.view] * 8 + [self.reduction] * 3 + [self.indexing] * 3
        if x.dtype == torch.float32 and x.dim():
            kinds += [self.product] * 2 + [self.normal] * 2
            kinds += [self.image] * 6 if x.dim() >= 3 else []
        return self.random.choice(kinds)(name, x)

    def elementwise(self, name: str, x: torch.Tensor) -> str:
        pick, other = self.random.choice, self.like(x)
        if x.dtype == torch.bool:
            return pick([f"~{name}", f"{name} & {other}", f"{name}.float()", f"{name}.to(torch.int32) * 3"])
        if not x.is_floating_point():
            return pick([f"{name} + {other}", f"{name} - {other}", f"{name} * 3", f"{name}.float() * 0.1",
                         f"torch.where(({name} & 1) != 0, {name}, {other})", f"{name} // 3", f"{name} % 5",
                         f"torch.maximum({name}, {other})", f"-{name}", f"{name}.abs()", f"{name} > {other}",
                         f"{name}.clamp(-20, 11)", f"({name} >> 1) ^ 5"])
        return pick([f"{name} + {other}", f"{name} - {other} * 0.5", f"torch.tanh({name}) * {other}",
                     f"{name} / ({other}.abs() + 1)", f"torch.where({name} > 0, {name}, {other})",
                     f"torch.maximum({name}, {other})", f"F.gelu({name})", f"torch.sigmoid({name})", f"F.silu({name})",
                     f"{name}.relu()", f"-{name}.abs()", f"{name}.clamp(-1, 1)", f"torch.exp(-{name}.abs())",
                     f"({name} > 0.1)", f"({name}.tanh() * 40).round().to(torch.int32)", f"{name}.square().tanh()",
                     f"{name}.tanh().half().float()", f"torch.sqrt({name}.abs())", f"F.softplus({name})",
                     f"{name}.masked_fill({name} < -0.5, 0.25)", f"torch.sin({name})",
                     f"{name}.to(torch.bfloat16).float()"])

    def view(self, name: str, x: torch.Tensor) -> str:
        pick, rank, dim = self.random.choice, x.dim(), self.dim(x)
        size = x.shape[dim]
        order = self.random.sample(range(rank), rank)
        first = self.random.randrange(size)
        last = self.random.randrange(first, size) + 1
        forms = [f"{name}.permute({order})", f"{name}.permute({order}).contiguous()", f"{name}.flatten()",
                 f"{name}.transpose({dim}, -1)", f"{name}.narrow({dim}, {first}, {last - first})",
                 f"{name}.flip({dim})", f"{name}.roll({first}, {dim})", f"torch.cat(({name}, {name}), {dim})",
                 f"torch.stack(({name}, {name} + {name}), {dim})" if x.dtype != torch.bool else f"{name}[None]",
                 f"{name}.unsqueeze({dim})", f"{name}.select({dim}, {first})",
                 f"{name}[{':, ' * dim}{first}:{size}:{pick([1, 2, 3])}]",
                 f"{name}.repeat_interleave(2, {dim})", f"{name}.chunk(2, {dim})[0]",
                 f"F.pad({name}, ({pick([0, 1, 2])}, {pick([0, 1, 3])}))" if x.dtype == torch.float32 else
                 f"{name}.squeeze()"]
        if rank < 4:
            forms.append(f"{name}.unsqueeze(0).expand(3, *{name}.shape)")
            factors = [n for n in (2, 3, 4, 5, 7, 8) if size % n == 0 and n < size]
            if factors:
                forms += [f"{name}.unflatten({dim}, (-1, {pick(factors)}))"] * 3
        if rank > 1:
            at = self.random.randrange(rank - 1)
            forms += [f"{name}.flatten({at}, {at + 1})"] * 2 + [f"{name}.tril({pick([-1, 0, 2])})"]
        same = [(n, v) for n, v in self.pool if v.dtype == x.dtype and v.dim() == rank
                and all(a == b for d, (a, b) in enumerate(zip(v.shape, x.shape, strict=True)) if d != dim)]
        if same:
            forms += [f"torch.cat(({name}, {pick(same)[0]}), {dim})"] * 2
        return pick(forms)

    def reduction(self, name: str, x: torch.Tensor) -> str:
        pick, dim = self.random.choice, self.dim(x)
        keep = f", keepdim={self.random.random() < 0.5}"
        if x.dtype == torch.bool:
            return pick([f"{name}.any({dim}{keep})", f"{name}.all({dim}{keep})", f"{name}.sum({dim}{keep})"])
        if not x.is_floating_point():
            return pick([f"{name}.sum({dim}{keep})", f"{name}.amax({dim}{keep})", f"{name}.cumsum({dim})",
                         f"{name}.argmin({dim}{keep})", f"{name}.sort({dim})[0]"])
        forms = [f"{name}.mean({dim}{keep})", f"{name}.amax({dim}{keep})", f"{name}.amin({dim}{keep})",
                 f"{name}.softmax({dim})", f"{name}.argmax({dim}{keep})", f"{name}.cumsum({dim}) * 0.1",
                 f"{name}.log_softmax({dim}) * 0.1", f"{name}.sum({dim}{keep}) * 0.1", f"{name}.mean()",
                 f"{name}.sort({dim})[0]", f"{name}.topk({min(3, x.shape[dim])}, {dim})[0]",
                 f"{name}.max({dim}{keep})[0]", f"{name}.var({dim}, correction=0{keep})"]
        return pick(forms)

    def indexing(self, name: str, x: torch.Tensor) -> str:
        dim = self.dim(x)
        size, count = x.shape[dim], self.random.choice([1, 3, 8, 17])
        indices = torch.randint(0, size, (count,), generator=torch.Generator().manual_seed(self.seed + len(self.lines)))
        places = f"x{len(self.inputs)}"
        self.inputs[places] = indices
        forms = [f"{name}.index_select({dim}, {places})", f"{name}[{':, ' * dim}{places}]"]
        if x.numel() < ELEMENTS // 8:
            shape = [count if d == dim else 1 for d in range(x.dim())]
            whole = [count if d == dim else n for d, n in enumerate(x.shape)]
            forms.append(f"{name}.gather({dim}, {places}.view({shape}).expand({whole}))")
            if x.dtype == torch.float32:
                forms.append(f"torch.zeros_like({name}).index_add({dim}, {places}, "
                             f"{name}.index_select({dim}, {places}))")
        return self.random.choice(forms)

    def product(self, name: str, x: torch.Tensor) -> str:
        pick, inner = self.random.choice, x.shape[-1]
        out = pick(SIZES)
        scale = 1 / math.sqrt(inner)
        weight, _ = self.input((out, inner))
        if x.dim() == 1 or pick([True, False]):
            bias = f", {self.input((out,))[0]}" if pick([True, False]) else ""
            return f"F.linear({name}, {weight} * {scale:.4f}{bias})"
        forms = [f"{name} @ {weight}.mT * {scale:.4f}", f"torch.matmul({weight} * {scale:.4f}, {name}.mT)",
                 f"{name} @ {name}.mT * {scale:.4f}"]
        if x.dim() == 3:
            forms += [f"torch.einsum('bij,kj->bki', {name}, {weight}) * {scale:.4f}",
                      f"F.scaled_dot_product_attention({name}, {name}, {name})",
                      f"F.scaled_dot_product_attention({name}, {name}, {name}, is_causal=True)"]
        return pick(forms)

    def normal(self, name: str, x: torch.Tensor) -> str:
        return self.random.choice([f"F.layer_norm({name}, {name}.shape[-1:], eps=0.1)",
                                   f"F.normalize({name}, dim=-1, eps=0.1)",
                                   f"F.rms_norm({name}, {name}.shape[-1:], eps=0.1)"])

    def image(self, name: str, x: torch.Tensor) -> str:
        pick = self.random.choice
        if x.dim() == 3:
            channels, out = x.shape[1], pick([1, 2, 5, 8])
            k = min(pick([1, 2, 3, 5]), x.shape[2])
            weight = self.input((out, channels, k))[0]
            return pick([f"F.conv1d({name}, {weight} * {1 / math.sqrt(channels * k):.4f}, stride={pick([1, 2])}, "
                         f"padding={pick([0, 1, 2])})",
                         f"F.max_pool1d({name}, {k}, stride={pick([1, 2])})", f"F.avg_pool1d({name}, {k})",
                         f"F.adaptive_avg_pool1d({name}, {pick([1, 2, 3])})"])
        channels, out = x.shape[1], pick([1, 3, 4, 8])
        high, wide = min(pick([1, 2, 3]), x.shape[2]), min(pick([1, 2, 3, 5]), x.shape[3])
        groups = pick([1, 1, channels])
        weight = self.input((out * (groups if groups > 1 else 1), channels // groups, high, wide))[0]
        scale = 1 / math.sqrt(channels // groups * high * wide)
        return pick([f"F.conv2d({name}, {weight} * {scale:.4f}, stride={pick([1, 1, 2, (2, 1)])}, "
                     f"padding={pick([0, 1, (0, 2)])}, groups={groups})"] * 3 +
                    [f"F.max_pool2d({name}, ({high}, {wide}), stride={pick([1, 2])})",
                     f"F.avg_pool2d({name}, ({high}, {wide}), stride={pick([1, 2])})",
                     f"F.adaptive_avg_pool2d({name}, {pick([1, 2, (3, 1)])})",
                     f"F.interpolate({name}, scale_factor=2)"])

    def grow(self) -> None:
        """Append operations; each is tried eagerly, and left out when it is wrong or gives too much."""
        count, tries = self.random.randrange(3, 9), 0
        while count and tries < 60:
            tries += 1
            back = min(int(self.random.expovariate(0.9)), len(self.pool) - 1)
            name, x = self.pool[-1 - back]
            given = dict(self.inputs)
            code = self.code(name, x)
            space = {"torch": torch, "F": torch.nn.functional, **dict(self.pool), **self.inputs}
            try:
                value = eval(code, space)
            except (RuntimeError, IndexError):
                self.inputs = given
                continue
            fits = 0 < value.numel() <= ELEMENTS and value.dim() <= 5
            if not fits or (value.is_floating_point() and not value.abs().amax() < 50):
                self.inputs = given
                continue
            self.lines.append(f"v{len(self.lines)} = {code}")
            self.pool.append((f"v{len(self.lines) - 1}", value))
            count -= 1

    def source(self) -> str:
        """Python code of ``function``."""
        outputs = [name for name, _ in {name: v for name, v in [self.pool[-1], self.random.choice(self.pool)]}.items()
                   if name.startswith("v")]
        return (f"def function({', '.join(self.inputs)}):\n" + "\n".join(f"    {line}" for line in self.lines)
                + f"\n    return {', '.join(outputs)}\n")


def generated(seed: int) -> tuple[str, list[torch.Tensor]]:
    """The code of a function and its arguments."""
    generator = Generator(seed)
    generator.grow()
    return generator.source(), list(generator.inputs.values())


def difference(source: str, arguments: list[torch.Tensor], options: dict[str, object]) -> str:
    """What differs from eager, or the error; empty when nothing does."""
    space: dict[str, Callable[..., object]] = {}
    exec(source, {"torch": torch, "F": torch.nn.functional}, space)
    expected = space["function"](*arguments)
    torch._dynamo.reset()
    compiled = torch.compile(space["function"], backend="hexagon", dynamic=False,
                             options={"fallback": "error", **options})
    try:
        torch.testing.assert_close(compiled(*[x.clone() for x in arguments]), expected, rtol=1e-4, atol=1e-4,
                                   equal_nan=True)
    except AssertionError as error:
        return "differs: " + " ".join(str(error).split())[:300]
    except Exception as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())[:600]}"
    return ""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Those of this kind."""
    parser.add_argument("--check", action="store_true", help="the simulator's memory checks")
    parser.add_argument("--options", default="{}", help="of torch.compile, as JSON")
    parser.add_argument("--show", action="store_true", help="print the module of the first seed")


def run(options: argparse.Namespace) -> int:
    """A module for each seed."""
    warnings.simplefilter("ignore")
    if options.show:
        source, arguments = generated(options.seeds.start)
        print(source, *[f"# {tuple(a.shape)} {a.stride()} {a.dtype}" for a in arguments], sep="\n")
        return 0
    from functools import partial

    from hexagon_mlir.exec import sim

    reports: list[str] = []
    sim.SESSION.checked = options.check
    sim.Machine = partial(sim.Machine, memory="fast")  # type: ignore[assignment,misc]
    if options.check:
        sim.SESSION.observers.append(lambda record: reports.extend(str(r) for r in record.result.reports if r.certain))
    failed = 0
    with torch.no_grad():
        for seed in options.seeds:
            reports.clear()
            text = difference(*generated(seed), json.loads(options.options)) or "".join(reports[:1])
            failed += bool(text)
            if text:
                print(f"seed {seed}: {text}", flush=True)
            elif seed % 20 == 0:
                print(f"{seed} done", file=sys.stderr, flush=True)
    print(f"{len(options.seeds)} modules, {failed} failed")
    return 1 if failed else 0
