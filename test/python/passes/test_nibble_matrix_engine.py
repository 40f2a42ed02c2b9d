"""Products of bytes by weights of 4 bits, two in a byte: exact sums of every shape on the host and as Hexagon code."""

import numpy as np
import pytest
import torch
from batch import after, on_host
from linalg_programs import Program

from hexagon_mlir import pipelines, targets
from hexagon_mlir.codegen.emission import emit
from hexagon_mlir.codegen.translate import translate_to_llvm_ir
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.frontend.torch.packed_weights import column_sums, nibbles
from hexagon_mlir.ir import to_text
from hexagon_mlir.pass_infra import PassStep, registry
from hexagon_mlir.passes.matrix_engine.byte_schedule import ByteRates, ByteSizes, bytes_of, choose_byte_grid

pytestmark = pytest.mark.only_values

SHAPES = [(3, 7, 45), (65, 129, 31), (64, 200, 96), (130, 300, 290)]
SMALL = 600_000
"""Bytes of TCM in which fewer blocks have room."""


def product(name: str, sizes: tuple[int, int, int], left: type = np.int8, start: bool = False,
            summed: bool = True) -> Program:
    """Weights -8 to 7, both in the first rows and columns. ``start``: sums of each column start from a vector.
    ``summed``: the sums of the columns are given."""
    m, n, k = sizes
    rng = np.random.default_rng(m * 7 + n * 3 + k)
    limits = np.iinfo(left)
    a = rng.integers(limits.min, limits.max + 1, (m, k)).astype(left)
    b = rng.integers(-8, 8, (k, n)).astype(np.int8)
    a[0], a[-1], b[:, 0], b[:, -1] = limits.min, limits.max, -8, 7
    v = rng.integers(-(1 << 31), 1 << 31, n).astype(np.int32)
    weights = torch.from_numpy(b)
    tiles, sums = nibbles(weights).numpy(), column_sums(weights).numpy()
    shape = "x".join(map(str, tiles.shape))
    exact = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.int64) + (v if start else 0)
    begin = (f"%i = linalg.broadcast ins(%v : tensor<{n}xi32>) outs(%e : tensor<{m}x{n}xi32>) dimensions = [0]"
             if start else f"%i = linalg.fill ins(%zero : i32) outs(%e : tensor<{m}x{n}xi32>) -> tensor<{m}x{n}xi32>")
    given, kinds = ("%t, %s", f"tensor<{shape}xi8>, tensor<{n}xi32>") if summed else ("%t", f"tensor<{shape}xi8>")
    text = f"""
      func.func @{name}(%a: tensor<{m}x{k}xi8>, %t: tensor<{shape}xi8>, %s: tensor<{n}xi32>, %v: tensor<{n}xi32>)
          -> tensor<{m}x{n}xi32> {{
        %w = "hexagon.weight_matrix"({given}) : ({kinds}) -> tensor<{k}x{n}xi8>
        %zero = arith.constant 0 : i32
        %e = tensor.empty() : tensor<{m}x{n}xi32>
        {begin}
        %0 = linalg.generic {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
            affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}}
            ins(%a, %w : tensor<{m}x{k}xi8>, tensor<{k}x{n}xi8>) outs(%i : tensor<{m}x{n}xi32>) {{
          ^bb0(%x: i8, %y: i8, %old: i32):
            %p = arith.{'extsi' if left == np.int8 else 'extui'} %x : i8 to i32
            %q = arith.extsi %y : i8 to i32
            %m = arith.muli %p, %q : i32
            %u = arith.addi %old, %m : i32
            linalg.yield %u : i32
        }} -> tensor<{m}x{n}xi32>
        return %0 : tensor<{m}x{n}xi32>
      }}"""
    return Program(name, text, [a, tiles, sums, v], exact.astype(np.uint32).view(np.int32), dtype=np.dtype(np.int32))


def programs() -> list[Program]:
    found = [product(f"signed_{'_'.join(map(str, shape))}", shape) for shape in SHAPES]
    found += [product(f"unsigned_{'_'.join(map(str, shape))}", shape, left=np.uint8) for shape in SHAPES[1:]]
    return [*found, product("started", (70, 150, 64), start=True), product("both", (9, 256, 64), np.uint8, start=True)]


@pytest.mark.parametrize("tcm_bytes", [0, SMALL])
@pytest.mark.parametrize("engine", [True, False])
def test_on_the_host(tcm_bytes, engine):
    """Several blocks, and the matrix that HVX multiplies."""
    found = programs()
    steps = [PassStep(registry.get("hexagon-matrix-engine")(always=True, tcm_bytes=tcm_bytes, matrix_engine=engine))]
    module, _ = after("".join(program.text for program in found), steps)
    products = to_text(module).count(", tensor<2xi8>)")
    assert products > len(found) if engine else products == 0
    call = on_host(module, [program.name for program in found])
    for program in found:
        program.check(call(program.name, program.arguments)[0])


@pytest.mark.parametrize(("target", "tcm_bytes", "names"), [
    ("v75", 0, ("signed_3_7_45", "unsigned_65_129_31", "signed_64_200_96", "started")),
    ("v75", SMALL, ("signed_130_300_290", "both")), ("v79", 0, ("signed_64_200_96",))])
def test_on_the_simulator(target, tcm_bytes, names, sample):
    found = sample(programs() if target == "v75" else programs()[2:3], names)
    steps = list(pipelines.get("default", targets.get(target)))
    place = [step.title for step in steps].index("hexagon-matrix-engine")
    made = PassStep(registry.get("hexagon-matrix-engine")(always=True, tcm_bytes=tcm_bytes))
    module, _ = after("".join(program.text for program in found), [*steps[:place], made, *steps[place + 1:]], target)
    asm = emit(translate_to_llvm_ir(module), targets.get(target))
    assert "weight.n" in asm and "weight.b" not in asm
    for program in found:
        result = program.place()
        run = launch(asm, program.name, [*program.arguments, result], None, target)
        program.check(result)
        assert run.matrix is not None and run.matrix.macs > 0, program.name


def test_half_the_bytes_are_transferred():
    cycles = {}
    for given in (True, False):
        sizes = ByteSizes(64, 1024, 1024, packed=True, nibbles=given)
        grid, cycles[given] = choose_byte_grid(sizes, 8 << 20, ByteRates.of(targets.get()))
        assert bytes_of(grid, sizes) < 8 << 20
    assert cycles[True] < 0.8 * cycles[False]


def test_places_of_nibbles():
    """Weight (k, n) is in byte [n / 32][k / 32][k / 8 % 4][n % 32][k % 4], in the upper half if k / 4 is odd."""
    weight = torch.from_numpy(np.random.default_rng(0).integers(-8, 8, (70, 150)).astype(np.int8))
    tiles = nibbles(weight)
    assert tuple(tiles.shape) == (8, 4, 4, 32, 4) and tiles.is_contiguous() and tiles.dtype == torch.int8
    for k, n in np.ndindex(*weight.shape):
        byte = int(tiles[n // 32, k // 32, k // 8 % 4, n % 32, k % 4])
        assert ((byte >> 4 * (k // 4 % 2) & 15) ^ 8) - 8 == weight[k, n]
    assert nibbles(torch.tensor([[-8]], dtype=torch.int8)).count_nonzero() == 1
    assert column_sums(weight).tolist() == [-128 * int(column.sum()) for column in weight.T.to(torch.int32)]
