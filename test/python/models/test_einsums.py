"""Products as torch.einsum through torch.compile, in f16 on the matrix engine."""

from math import prod

import pytest
import torch

from hexagon_mlir.exec import sim

pytestmark = pytest.mark.only_values

CASES = {
    "rows by columns": ("ik,kj->ij", (96, 128), (128, 160)),
    "transposed right": ("ik,jk->ij", (96, 128), (160, 128)),
    "transposed left": ("ki,kj->ij", (128, 96), (128, 160)),
    "transposed result": ("ik,kj->ji", (96, 128), (128, 160)),
    "batches": ("bik,bkj->bij", (2, 96, 128), (2, 128, 96)),
    "batches, transposed right": ("bik,bjk->bij", (2, 96, 128), (2, 96, 128)),
    "batches inside": ("ibk,kbj->bij", (96, 2, 128), (128, 2, 96)),
    "scores": ("bhqd,bhkd->bhqk", (1, 2, 96, 64), (1, 2, 128, 64)),
    "scores, heads inside": ("bqhd,bkhd->bhqk", (1, 96, 2, 64), (1, 128, 2, 64)),
    "values": ("bhqk,bhkd->bqhd", (1, 2, 96, 128), (1, 2, 128, 64)),
    "one operand shared": ("bhqd,kd->bhqk", (1, 2, 96, 64), (128, 64)),
    "two reductions": ("ikl,klj->ij", (96, 4, 32), (4, 32, 160)),
    "ragged": ("ik,kj->ij", (100, 77), (77, 130)),
}
ON_HVX = {
    "outer": ("i,j->ij", (96,), (160,)),
    "K of 1": ("ik,kj->ij", (96, 1), (1, 160)),
    "K of 3": ("ik,jk->ij", (96, 3), (160, 3)),
    "batches, K of 2": ("bik,bkj->bij", (2, 33, 2), (2, 2, 65)),
    "dot": ("i,i->", (200,), (200,)),
    "diagonal products": ("ij,ij->i", (70, 130), (70, 130)),
}


def check(spec, *shapes):
    """Within a rounding of f16 of the exact product; gives the launches."""
    torch.manual_seed(0)
    operands = [torch.randn(shape).half() for shape in shapes]
    torch._dynamo.reset()
    compiled = torch.compile(lambda *given: torch.einsum(spec, *given), backend="hexagon")
    with torch.no_grad(), sim.SESSION.recording() as records:
        found = compiled(*operands)
    wide = [operand.double() for operand in operands]
    exact = torch.einsum(spec, *wide)
    size = torch.einsum(spec, *(operand.abs() for operand in wide))
    assert found.dtype == torch.float16 and found.shape == exact.shape
    assert ((found.double() - exact).abs() <= 2**-11 * exact.abs() + 2**-20 * size + 2**-25).all()
    assert records, "compiled"
    return records


@pytest.mark.full_except("batches inside", "values")
@pytest.mark.parametrize("name", CASES)
def test_on_the_engine(name):
    spec, *shapes = CASES[name]
    records = check(spec, *shapes)
    letters = spec.partition("->")[0].split(",")
    sizes = {letter: size for names, shape in zip(letters, shapes, strict=True)
             for letter, size in zip(names, shape, strict=True)}
    macs = sum(record.result.matrix.macs for record in records if record.result.matrix is not None)
    assert macs >= prod(sizes.values()), "all products are the engine's"


@pytest.mark.full_except("outer", "K of 1", "batches, K of 2")
@pytest.mark.parametrize("name", ON_HVX)
def test_on_hvx(name):
    spec, *shapes = ON_HVX[name]
    check(spec, *shapes)
