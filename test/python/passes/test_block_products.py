"""Products of a few rows with weights of 4, 6 and 8 bits that share scales in blocks, on the simulator."""

import numpy as np
import pytest
import torch

from hexagon_mlir.codegen import compile_module
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.frontend.torch.block_weights import BlockWeights, named
from hexagon_mlir.frontend.torch.stored_weights import StoredWeights
from hexagon_mlir.ir import parse
from hexagon_mlir.passes.block_products.words import planes_of_words

pytestmark = pytest.mark.only_values


def random_weights(depth, columns, block, bits, scales=torch.float16, zeros=False, seed=0):
    """Weights with random codes; the first block of the first column has the scale zero. ``zeros`` may be the type of
    minima; scales of bytes are E8M0; those of bytes with sign, and minima, have factors of superblocks."""
    generator = torch.Generator().manual_seed(seed)
    blocks = -(-depth // block)
    codes = torch.randint(0, 1 << bits, (depth, columns), generator=generator, dtype=torch.uint8)
    if scales == torch.uint8:
        of_blocks = torch.randint(100, 140, (blocks, columns), generator=generator, dtype=scales)
        of_blocks[0, :3] = torch.tensor([0, 1, 2])
        return BlockWeights(codes, of_blocks, block, bits)
    if scales == torch.int8:
        of_blocks, minima = (torch.randint(least, 128, (blocks, columns), generator=generator, dtype=scales)
                             for least in (-128, 0))
        of_blocks[0, 0] = 0
        shared = tuple(torch.randn(-(-depth // 256), columns, generator=generator).half() / 64
                       for _ in range(2 if zeros else 1))
        return BlockWeights(codes, of_blocks, block, bits, minima if zeros else None, shared)
    of_blocks = (torch.rand(blocks, columns, generator=generator) - 0.5).to(scales)
    of_blocks[0, 0] = 0
    if isinstance(zeros, torch.dtype):
        minima = torch.randn(blocks, columns, generator=generator).to(zeros)
        return BlockWeights(codes, of_blocks, block, bits, minima)
    points = torch.randint(0, 1 << bits, (blocks, columns), generator=generator, dtype=torch.uint8) if zeros else None
    return BlockWeights(codes, of_blocks, block, bits, points)


def kernel(rows, weights, element):
    """``rows`` times the weights, as MLIR."""
    (depth, columns), parts = weights.codes.shape, weights.packed()
    names = {torch.int8: "i8", torch.float16: "f16", torch.float32: "f32"}
    types = [f"tensor<{'x'.join(map(str, part.shape))}x{names[part.dtype]}>" for part in parts]
    arguments = ", ".join(f"%w{number}: {type_}" for number, type_ in enumerate(types))
    values, scales = [f"%w{number}" for number in range(len(types))], ""
    operands = types[:len(types) - len(weights.shared)]
    first = weights.format.names.index("scales")
    for number in range(first, first + len(weights.shared)):
        of_blocks, shared = types[number], number + len(weights.shared)
        values[number], operands[number] = f"%s{number}", of_blocks.replace("xi8>", "xf32>")
        scales += (f'%s{number} = "hexagon.block_scales"(%w{number}, %w{shared}) : ({of_blocks}, {types[shared]}) -> '
                   f'{operands[number]}\n      ')
    if first > 1:
        tiles, blocks, steps, *others = parts[0].shape
        codes = f"tensor<{'x'.join(map(str, (tiles, blocks, 2 * steps, *others)))}xi8>"
        scales += f'%c = "hexagon.split_codes"(%w0, %w1) : ({types[0]}, {types[1]}) -> {codes}\n      '
        values, operands = ["%c", *values[2:]], [codes, *operands[2:]]
    x, w, y = (f"tensor<{a}x{b}x{element}>" for a, b in ((rows, depth), (depth, columns), (rows, columns)))
    return f"""func.func @kernel(%x: {x}, {arguments}) -> {y} {{
      {scales}%w = "hexagon.block_matrix"({', '.join(values[:len(operands)])}) {{bits = {weights.bits} : i64}}
          : ({', '.join(operands)}) -> {w}
      %init = tensor.empty() : {y}
      %zero = arith.constant 0.0 : {element}
      %sums = linalg.fill ins(%zero : {element}) outs(%init : {y}) -> {y}
      %0 = linalg.matmul ins(%x, %w : {x}, {w}) outs(%sums : {y}) -> {y}
      return %0 : {y}
    }}"""


def multiplied(x, weights, target="v75"):
    """``x`` times the weights, simulated; the assembly."""
    element = {torch.float16: "f16", torch.float32: "f32"}[x.dtype]
    asm = compile_module(parse(kernel(len(x), weights, element), file="product.mlir"), target).asm
    result = np.zeros((len(x), weights.codes.shape[1]), x.numpy().dtype)
    launch(asm, "kernel", [x.numpy(), *(part.numpy() for part in weights.packed()), result], None, target=target)
    return torch.from_numpy(result), asm


@pytest.mark.parametrize(("rows", "depth", "columns", "block", "bits", "scales", "zeros"), [
    (1, 96, 64, 32, 4, torch.float16, False),
    (3, 130, 70, 128, 8, torch.float32, True),
    (1, 64, 262, 32, 4, torch.float16, False),  # parts of two tiles, the last of one
    (1, 96, 70, 32, 4, torch.float16, torch.float16),
    (3, 130, 70, 64, 4, torch.float32, torch.float32),
    (1, 48, 130, 16, 4, torch.float16, True),
    (1, 96, 70, 32, 4, torch.uint8, False),
    (1, 512, 70, 32, 4, torch.int8, True),
    (2, 768, 130, 16, 6, torch.int8, False),
    (1, 130, 70, 128, 6, torch.float16, True),
    *(pytest.param(*case, marks=pytest.mark.full) for case in (
        (2, 96, 700, 32, 8, torch.float16, True), (3, 768, 70, 16, 8, torch.int8, False),
        (2, 96, 70, 32, 6, torch.float32, torch.float32), (1, 200, 70, 64, 6, torch.float16, False),
        (1, 256, 70, 128, 8, torch.float32, torch.float16),
        (2, 100, 70, 16, 8, torch.float32, False), (3, 200, 70, 32, 4, torch.uint8, False),
        (3, 300, 64, 128, 8, torch.int8, True), (1, 288, 64, 32, 4, torch.int8, False)))])
def test_products_are_as_close_as_in_f32(rows, depth, columns, block, bits, scales, zeros):
    weights = random_weights(depth, columns, block, bits, scales, zeros)
    x = torch.randn(rows, depth, generator=torch.Generator().manual_seed(1))
    found, asm = multiplied(x, weights)
    exact, size = x.double() @ weights.matrix(), x.double().abs() @ weights.matrix().abs()
    assert "vrmpy" in asm
    assert float(((found - exact).abs() / size.clamp(min=1e-30)).max()) < 5e-7


def test_rows_of_f16_are_off_by_a_part_of_the_largest_of_a_block():
    """2^-14 of it at most, and of normal numbers less than a result of f16 is rounded by."""
    weights = random_weights(1024, 64, 32, 4)
    x = torch.randn(2, 1024, generator=torch.Generator().manual_seed(2)).half()
    x[1, 100] = 500  # its block alone has larger units
    found, _ = multiplied(x, weights)
    exact = x.double() @ weights.matrix()
    largest = x.double().abs().reshape(2, -1, 32).amax(2).repeat_interleave(32, 1)
    rounding, error = exact.abs() * 2.0**-11, (found - exact).abs()
    assert float((error - rounding - 2.0**-14 * largest @ weights.matrix().abs()).max()) <= 0
    rounded = (exact.half().double() - exact).square().mean(1)
    assert bool((error.square().mean(1) < 1.2 * rounded).all()), (error.square().mean(1), rounded)


def test_rows_of_f16_whose_numbers_have_near_exponents_are_exact():
    """Those from an eighth of the largest on keep all bits: a result is rounded once."""
    weights = random_weights(64, 64, 32, 4)
    x = (0.25 + 1.7 * torch.rand(2, 64, generator=torch.Generator().manual_seed(2))).half()
    x[1] *= torch.tensor([1, -1]).repeat(32)
    found, _ = multiplied(x, weights)
    exact = x.double() @ weights.matrix()
    assert float(((found - exact).abs() - exact.abs() * 2.0**-11).max()) < 1e-5


def test_blocks_have_units_of_their_own():
    """A number 2^20 times as small as the largest one of its block keeps 11 bits; those of other blocks keep all."""
    weights = random_weights(64, 64, 32, 8)
    weights.codes[32] = 128  # the large number times 0
    x = torch.full((2, 64), 1e-12)
    x[0, 32:], x[0, 32], x[1, 32:] = 1, 2.0**20, 0
    found, _ = multiplied(x, weights)
    exact, size = x.double() @ weights.matrix(), x.double().abs() @ weights.matrix().abs()
    error = ((found - exact).abs() / size.clamp(min=1e-30)).amax(1)
    assert error[0] < 2.0**-11
    assert error[1] < 5e-7


def test_words_join_planes_that_fit():
    assert planes_of_words(3, 32, 8) == [range(3)]
    assert planes_of_words(3, 64, 8) == [range(2), range(2, 3)]  # 64 * 8 * 2^22 = 2^31
    assert planes_of_words(3, 32, None) == [range(2), range(2, 3)]
    assert planes_of_words(4, 128, 128) == [range(2), range(2, 4)]


@pytest.mark.parametrize("block", [32, 64])
def test_the_largest_sums_of_a_block_fit_their_words(block):
    weights = BlockWeights(torch.zeros(block, 64, dtype=torch.uint8), torch.ones(1, 64).half(), block, 4)
    x = torch.full((1, block), 65504.0)
    for sign in (1, -1):
        found, _ = multiplied(sign * x / 65536, weights)
        assert float((found + sign * 8 * block * 65504 / 65536).abs().max()) < 1e-4
        half, _ = multiplied((sign * x / 65536).half(), weights)
        assert float((half + sign * 8 * block * 65504 / 65536).abs().max()) <= 0.125  # half a unit of f16


def test_a_last_block_that_nothing_follows():
    """Its words are scaled and added after the loop."""
    weights = random_weights(32, 64, 32, 4)
    x = torch.randn(1, 32, generator=torch.Generator().manual_seed(5))
    for part in (x, x.half()):
        found, _ = multiplied(part, weights)
        exact = part.double() @ weights.matrix()
        assert float((found - exact).abs().max()) < (1e-5 if part.dtype == torch.float32 else 2e-2)


def test_zeros_denormal_and_special_numbers():
    weights = random_weights(64, 64, 32, 8)
    x = torch.zeros(2, 64)
    x[0, 3], x[1, 5], x[1, 40] = 1e-40, float("inf"), float("nan")
    found, _ = multiplied(x, weights)
    assert found[0].abs().max() < 1e-43  # qfloat has no zero
    assert found[1].isnan().all()


def test_a_chip_without_conversions_of_words():
    weights = random_weights(64, 64, 32, 4)
    x = torch.randn(1, 64, generator=torch.Generator().manual_seed(3))
    found, _ = multiplied(x, weights, "v68")
    exact, size = x.double() @ weights.matrix(), x.double().abs() @ weights.matrix().abs()
    assert float(((found - exact).abs() / size).max()) < 5e-7


@pytest.mark.full_except("scales1-zeros1-34", "scales0-True-9")
@pytest.mark.parametrize("rows", [9, 34])
@pytest.mark.parametrize(("scales", "zeros"), [(torch.float16, True), (torch.float16, torch.float32),
                                               (torch.uint8, False)])
def test_more_rows_are_multiplied_by_codes_too(scales, zeros, rows):
    weights = random_weights(32, 32, 32, 4, scales, zeros)
    x = torch.randn(rows, 32, generator=torch.Generator().manual_seed(4))
    found, asm = multiplied(x, weights)
    exact, size = x.double() @ weights.matrix(), x.double().abs() @ weights.matrix().abs()
    assert "vrmpy" in asm
    assert float(((found - exact).abs() / size.clamp(min=1e-30)).max()) < 2e-6


@pytest.mark.parametrize("bits", [6, pytest.param(4, marks=pytest.mark.full), pytest.param(8, marks=pytest.mark.full)])
def test_each_code_in_each_place_of_a_block(bits):
    """Rows of one number each are multiplied by 256 columns: the products are the weights, to the bit."""
    codes = (torch.arange(32)[:, None] * 37 + torch.arange(256)) % (1 << bits)
    weights = BlockWeights(codes.to(torch.uint8), torch.full((2, 256), 0.375).half(), 16, bits)
    found, _ = multiplied(torch.eye(32), weights, "v79")
    exact = weights.matrix().float()
    assert torch.equal(found, exact)
    rows = StoredWeights(**named(weights.packed(), weights.format), columns=256, depth=32, dtype=torch.float32,
                         block=16).blocks()
    assert torch.equal(rows.codes, weights.codes)


def test_weights_take_the_bytes_of_their_scheme():
    for bits, of_block in ((4, 18), (6, 26), (8, 34)):
        packed = random_weights(64, 128, 32, bits).packed()
        assert sum(part.numel() * part.element_size() for part in packed) == 2 * 128 * of_block
