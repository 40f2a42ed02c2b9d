"""Random Triton kernels over pointer expressions and masks."""

from __future__ import annotations

import random

from fuzz.triton import LAUNCH
from fuzz.triton.ranges import touched

ELEMENTS = 1 << 20
"""The largest offset; kernels that would go beyond get a mask against it."""
PROGRAMS = 2


class Generator:
    """The source of one kernel: loads and stores at generated offsets, masked so that every access is inside."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.count = 0
        self.arguments = {"n": self.random.choice([0, 1, 5, 13, 16, 31, 40]), "s": self.random.choice([0, 1, 2, 3, 17]),
                          "w": self.random.choice([1, 2, 3, 7, 8, 16, 20]), "low": self.random.choice([-3, 0, 2, 9])}

    def name(self, value: str) -> str:
        self.count += 1
        self.lines.append(f"v{self.count} = {value}")
        return f"v{self.count}"

    def scalar(self, positive: bool = False) -> str:
        pick = self.random.choice
        if positive:
            return pick(["w", "3", "4", "8", "5", "w + 1"])
        return pick(["n", "s", "w", "low", "1", "2", "7", "p", "p * 8", "-1", "n - 3"])

    def index(self, dim: str, depth: int) -> str:
        """An integer tensor along ``dim`` (its range is bound to that name)."""
        pick = self.random.choice
        if depth == 0:
            return dim
        a = self.index(dim, depth - 1)
        form = self.random.randrange(13)
        simple = [f"{a} + {self.scalar()}", f"{a} * {self.scalar()}", f"{self.scalar()} - {a}",
                  f"{a} % {self.scalar(True)}", f"{a} // {self.scalar(True)}", f"tl.minimum({a}, {self.scalar()})",
                  f"tl.maximum({a}, {self.scalar()})", f"tl.where({a} < {self.scalar()}, {a}, {self.scalar()})",
                  f"tl.where({dim} >= {self.scalar()}, {a}, {self.index(dim, depth - 1)})",
                  f"({a}) % {self.scalar(True)} + ({a}) // {self.scalar(True)} * {self.scalar()}",
                  f"{a} + {self.index(dim, depth - 1)}", f"{a} << {pick([0, 1, 2])}", f"tl.abs({a})"]
        return self.name(simple[form])

    def condition(self, dims: list[str]) -> str:
        """A mask over ``dims``."""
        pick, dim = self.random.choice, self.random.choice(dims)
        left = self.index(dim, self.random.choice([0, 0, 1]))
        compare = f"({left} {pick(['<', '<=', '>', '>=', '!='])} {self.scalar()})"
        kind = self.random.randrange(10)
        if kind < 4:
            return self.name(compare)
        if kind == 8:  # a mask from memory
            return self.name(f"tl.load(table + tl.abs({left}) % 64) % 3 {pick(['==', '!='])} {pick([0, 1])}")
        if kind == 9:
            return self.name(f"(tl.load(table + tl.abs({dim}) % 64) > 1500) & {self.condition(dims)}")
        if kind == 4:
            return self.name(f"{compare} & {self.condition(dims)}")
        if kind == 5:
            return self.name(f"{compare} | {self.condition(dims)}")
        if kind == 6 and len(dims) > 1:
            return self.name(f"{dims[0]} + {self.scalar()} >= {dims[1]}")
        return self.name(f"({dims[0]} + {dim}) % 3 != 1")

    def offsets(self, dims: list[str]) -> str:
        parts = []
        for dim in dims:
            part = self.index(dim, self.random.choice([0, 1, 1, 2]))
            parts.append(f"({part}) * {self.random.choice(['1', '1', 's', 'w', '16', '33'])}")
        kind = self.random.random()
        if kind < 0.15:
            parts[0] = f"tl.load(table + tl.abs({dims[0]}) % 64)"
        elif kind < 0.3:  # rows of a table, or columns: one dimension gathered, the others as they are
            place = self.random.randrange(len(dims))
            scale = self.random.choice(["1", "16", "s", "w"])
            parts[place] = f"tl.load(table + tl.abs({dims[place]} + {self.scalar()}) % 64) * {scale}"
        return self.name(" + ".join([*parts, self.random.choice(["0", "p * 64", "low", "100"])]))

    def body(self, bounded: bool) -> str:
        """The kernel's lines; ``bounded`` masks wild offsets."""
        rank = self.random.choice([1, 1, 2, 2, 3])
        sizes = [self.random.choice([1, 2, 4, 8, 16] if rank > 1 else [1, 8, 32, 64]) for _ in range(rank)]
        dims = []
        for place, size in enumerate(sizes):
            spread = ", ".join(":" if d == place else "None" for d in range(rank))
            dims.append(self.name(f"tl.arange(0, {size})[{spread}]" if rank > 1 else f"tl.arange(0, {size})"))
        shape = f"({', '.join(map(str, sizes))},)"
        zero = self.name(f"tl.zeros({shape}, tl.int32)")
        total = self.name(f"tl.zeros({shape}, tl.float32)")
        for _ in range(self.random.choice([1, 2])):
            at = self.offsets(dims)
            mask = self.condition(dims) if self.random.random() < 0.8 else self.name(f"{zero} == 0")
            if bounded:
                mask = self.name(f"({mask}) & ({at} >= -{ELEMENTS}) & ({at} < {ELEMENTS})")
            mask = self.name(f"{mask} & ({zero} == 0)")
            other = self.random.choice(["0.0", "-1.5", "2.5"])
            value = self.name(f"tl.load(x + ({at} + {zero}), mask={mask}, other={other})")
            if self.random.random() < 0.2:
                loops = self.random.choice([1, 2, 3])
                step = self.random.choice(["1", "w", "64"])
                pointer = self.name(f"x + ({at} + {zero})")
                self.lines.append(f"for k in range({loops}):")
                self.lines.append(f"    {total} += tl.load({pointer}, mask={mask}, "
                                  f"other={other}) * (k + 1)")
                self.lines.append(f"    {pointer} += {step}")
            self.lines.append(f"{total} = {total} * 0.5 + {value}")
        # unique addresses: which of several writers to one wins is not defined
        place, flat = "0", 1
        for dim, size in reversed(list(zip(dims, sizes, strict=True))):
            place = f"({self.random.choice([dim, dim, f'({size - 1} - {dim})'])}) * {flat} + {place}"
            flat *= size
        gap = self.random.choice([1, 1, 2])
        where = self.name(f"({place}) * {gap} + p * {flat * gap}")
        if self.random.random() < 0.3 and rank == 1:
            where = self.name(f"({where} + {self.random.choice(['3', 'n'])}) % {2 * flat * gap * 2}")
        mask = self.condition(dims) if self.random.random() < 0.7 else "True"
        self.lines.append(f"tl.store(out + ({where} + {zero}), {total}, mask=({mask}) & ({zero} == 0))")
        return "\n".join(f"    {line}" for line in ["p = tl.program_id(0)", *self.lines])


_DRIVER = """
import json, os, torch, triton, triton.language as tl

@triton.jit
def kernel(x, table, out, n, s, w, low, first_read, first_write):
    x -= first_read
    out -= first_write
{body}

def run():
    generator = torch.Generator().manual_seed(0)
    table = torch.randint(0, 4096, (64,), generator=generator).to(torch.int32)
    x = torch.randn({reads}, generator=generator)
    out = torch.full(({writes},), 7.0)
    kernel[({programs},)](x, table, out, **{arguments}, first_read={first_read}, first_write={first_write},
                          **json.loads(os.environ.get("{launch}", "{{}}")))
    return out
"""


def source(seed: int) -> str:
    """The module of one generated kernel; ``run()`` launches it and gives the whole output."""
    import torch

    table = torch.randint(0, 4096, (64,), generator=torch.Generator().manual_seed(0)).numpy()
    for bounded in (False, True):
        generator = Generator(seed)
        body = generator.body(bounded)
        reads, writes = touched(body, generator.arguments, PROGRAMS, table)
        if max(abs(n) for n in (reads.start, reads.stop, writes.start, writes.stop)) <= 2 * ELEMENTS:
            break
    return _DRIVER.format(body=body, reads=len(reads), writes=len(writes), first_read=reads.start,
                          first_write=writes.start, programs=PROGRAMS, arguments=generator.arguments, launch=LAUNCH)
