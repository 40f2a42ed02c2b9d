"""`hexagon-engine-convolution`: sizes of blocks, and values of every kind on the host and as Hexagon code."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from batch import after, on_host
from linalg_programs import Program

from hexagon_mlir import pipelines, targets
from hexagon_mlir.codegen.emission import emit
from hexagon_mlir.codegen.translate import translate_to_llvm_ir
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import to_text
from hexagon_mlir.pass_infra import PassStep, registry
from hexagon_mlir.passes import hexagon_engine_convolution
from hexagon_mlir.passes.engine_convolution.read import Geometry, by_tiles
from hexagon_mlir.passes.engine_convolution.schedule import Schedule, _Work, choose_schedule
from hexagon_mlir.passes.engine_convolution.sizes import (
    ConvolutionCost,
    SharedTiles,
    block_bytes,
    choose_plan,
    estimates,
    image_size,
    packed_tiles,
    pays,
    shared_tiles,
    steps,
    tile_shape,
)
from hexagon_mlir.passes.matrix_engine.estimate import Rates
from hexagon_mlir.passes.matrix_engine.schedule import LEFT, RIGHT, Grid

pytestmark = pytest.mark.only_values

MIB = 1 << 20
RATES = Rates.of(targets.get())
COST = ConvolutionCost.of(targets.get("v75"), in_model=False)
ALWAYS = PassStep(registry.get("hexagon-engine-convolution")(always=True))


@dataclass(frozen=True)
class Layer:
    """A convolution of (batches, high, wide, channels) with (window, window, channels, outputs)."""

    name: str
    shape: tuple[int, int, int, int]
    outputs: int
    window: tuple[int, int] = (3, 3)
    stride: int = 1
    padding: int = 1
    dilation: int = 1
    epilogue: str = "relu"
    groups: int = 1
    wide: bool = False
    """The image is f32, rounded to f16 before."""

    @property
    def sizes(self) -> tuple[int, int]:
        """Rows and columns of the result."""
        return tuple((size + 2 * self.padding - self.dilation * (taps - 1) - 1) // self.stride + 1
                     for size, taps in zip(self.shape[1:3], self.window, strict=True))

    def geometry(self) -> Geometry:
        """With runs of a pixel's channels."""
        channels = self.shape[3]
        return Geometry(self.shape[0], *self.sizes, self.outputs, *self.window, channels, self.stride, self.dilation,
                        self.stride * channels, self.dilation * channels)

    def operation(self, types: str, sums: str) -> str:
        """The convolution of %p and %weights from %i on; each output of several groups finds its channels."""
        if self.groups == 1:
            return f"""linalg.conv_2d_nhwc_hwcf {{dilations = dense<{self.dilation}> : tensor<2xi64>,
            strides = dense<{self.stride}> : tensor<2xi64>}} ins(%p, %weights : {types}) outs(%i : {sums}) -> {sums}"""
        loops, kinds = "(n, y, x, o, ky, kx, c)", ", ".join(['"parallel"'] * 4 + ['"reduction"'] * 3)
        outputs, channels = self.outputs // self.groups, self.shape[3] // self.groups
        return f"""linalg.generic {{indexing_maps = [
              affine_map<{loops} -> (n, y * {self.stride} + ky * {self.dilation}, x * {self.stride} +
                kx * {self.dilation}, o floordiv {outputs} * {channels} + c)>,
              affine_map<{loops} -> (ky, kx, c, o)>, affine_map<{loops} -> (n, y, x, o)>], iterator_types = [{kinds}]}}
            ins(%p, %weights : {types}) outs(%i : {sums}) {{
          ^bb0(%a: f16, %b: f16, %old: f32):
            %u = arith.extf %a : f16 to f32
            %v = arith.extf %b : f16 to f32
            %m = arith.mulf %u, %v : f32
            %new = arith.addf %old, %m : f32
            linalg.yield %new : f32
        }} -> {sums}"""


LAYERS = [
    Layer("whole_tiles", (1, 8, 8, 64), 64),
    Layer("ragged", (1, 9, 11, 40), 33),
    Layer("few_channels", (1, 15, 14, 3), 40, (7, 7), 2, 3),
    Layer("strides", (1, 9, 13, 32), 32, stride=2),
    Layer("no_padding", (1, 7, 7, 32), 16, padding=0, epilogue="none"),
    Layer("window_1", (1, 9, 8, 64), 96, (1, 1), 2, 0, epilogue="residual"),
    Layer("wide_window", (1, 6, 20, 16), 32, (5, 2), padding=2, epilogue="two"),
    Layer("dilated", (1, 10, 12, 48), 33, padding=2, dilation=2, epilogue="reduction"),
    Layer("batches", (3, 5, 6, 32), 64, epilogue="residual"),
    Layer("dilated_rows", (1, 9, 9, 32), 32, (3, 1), padding=2, dilation=2),
    Layer("odd_columns", (1, 4, 40, 32), 32, (1, 3), padding=1),
    Layer("groups", (1, 9, 11, 64), 64, groups=2),
    Layer("groups_of_two_tiles", (2, 7, 6, 128), 64, stride=2, groups=2, epilogue="residual"),
    Layer("groups_window_1", (1, 5, 9, 96), 192, (1, 1), padding=0, groups=3, epilogue="none"),
    Layer("groups_of_rows", (1, 9, 9, 64), 64, (3, 1), padding=2, dilation=2, groups=2),
    Layer("many_outputs", (1, 3, 3, 192), 320, epilogue="two"),
    Layer("wide", (1, 12, 14, 64), 64, epilogue="residual", wide=True),
    Layer("wide_ragged", (1, 9, 11, 40), 33, wide=True),
    Layer("wide_unpadded", (1, 7, 9, 32), 32, padding=0, epilogue="none", wide=True),
    Layer("wide_window_1", (1, 9, 8, 64), 96, (1, 1), 2, 0, wide=True),
    Layer("wide_batches", (2, 5, 6, 32), 64, wide=True),
]


def program(layer: Layer) -> Program:
    """Padded, from a bias, the sums rounded and read by the layer's ``epilogue``."""
    n, high, wide, c = layer.shape
    p, (rows, columns) = layer.padding, layer.sizes
    rng = np.random.default_rng(sum(layer.shape) + layer.outputs)
    image, weights = (rng.normal(0, 1, shape).astype(np.float16)
                      for shape in (layer.shape, (*layer.window, c // layer.groups, layer.outputs)))
    given = image
    if layer.wide:
        given = rng.normal(0, 1, layer.shape).astype(np.float32)
        given.flat[:3] = 1.5 * 2.0**-24, -(2.0**-20), 1 + 2.0**-11
        given.view(np.uint32)[...] |= 1  # no ties: legacy qfloat does not round them to even
        image = given.astype(np.float16)
    bias = rng.normal(0, 3, layer.outputs).astype(np.float32)
    bias[0], bias[-1] = 0, 2.0**-20
    residual = rng.normal(0, 1, (n, rows, columns, layer.outputs)).astype(np.float32)
    padded = np.pad(image.astype(np.float64), ((0, 0), (p, p), (p, p), (0, 0)))
    exact, size = np.zeros(residual.shape), np.zeros(residual.shape)
    for ky, kx in np.ndindex(layer.window):
        y, x = ky * layer.dilation, kx * layer.dilation
        part = padded[:, y:y + rows * layer.stride:layer.stride, x:x + columns * layer.stride:layer.stride][
            :, :rows, :columns]
        of_groups = zip(np.split(part, layer.groups, 3), np.split(weights[ky, kx].astype(np.float64), layer.groups, 1),
                        np.split(exact, layer.groups, 3), np.split(size, layer.groups, 3), strict=True)
        for own, factor, total, magnitude in of_groups:
            total += own @ factor
            magnitude += np.abs(own) @ np.abs(factor)
    exact = exact + bias
    error = 2.0**-11 * np.abs(exact) + 2.0**-20 * size + 2.0**-15 * np.abs(bias) + 2.0**-16
    result, sums = f"{n}x{rows}x{columns}x{layer.outputs}", f"tensor<{n}x{rows}x{columns}x{layer.outputs}xf32>"
    frame = f"tensor<{n}x{high + 2 * p}x{wide + 2 * p}x{c}xf16>"
    kernel = f"tensor<{'x'.join(map(str, weights.shape))}xf16>"
    same = "affine_map<(n, y, x, o) -> (n, y, x, o)>"
    parallel = '["parallel", "parallel", "parallel", "parallel"]'
    body, outputs, arguments, expected = _epilogue(layer.epilogue, exact, residual, result, same, parallel)
    extra = f", %r: {sums}" if layer.epilogue == "residual" else ""
    rounding = f"""%narrow = tensor.empty() : tensor<{n}x{high}x{wide}x{c}xf16>
        %image = linalg.generic {{indexing_maps = [{same}, {same}], iterator_types = {parallel}}}
            ins(%wide : tensor<{n}x{high}x{wide}x{c}xf32>) outs(%narrow : tensor<{n}x{high}x{wide}x{c}xf16>) {{
          ^bb0(%x: f32, %old: f16):
            %t = arith.truncf %x : f32 to f16
            linalg.yield %t : f16
        }} -> tensor<{n}x{high}x{wide}x{c}xf16>"""
    text = f"""
      func.func @{layer.name}({"%wide" if layer.wide else "%image"}: tensor<{n}x{high}x{wide}x{c}x{
          "f32" if layer.wide else "f16"}>, %weights: {kernel},
          %bias: tensor<{layer.outputs}xf32>{extra}) -> {outputs} {{
        %zero = arith.constant 0.0 : f32
        %none = arith.constant 0.0 : f16
        {rounding if layer.wide else ""}
        %f = tensor.empty() : {frame}
        %z = linalg.fill ins(%none : f16) outs(%f : {frame}) -> {frame}
        %p = tensor.insert_slice %image into %z[0, {p}, {p}, 0] [{n}, {high}, {wide}, {c}] [1, 1, 1, 1]
            : tensor<{n}x{high}x{wide}x{c}xf16> into {frame}
        %e = tensor.empty() : {sums}
        %h = tensor.empty() : tensor<{result}xf16>
        %i = linalg.broadcast ins(%bias : tensor<{layer.outputs}xf32>) outs(%e : {sums}) dimensions = [0, 1, 2]
        %0 = {layer.operation(f"{frame}, {kernel}", sums)}
        {body}
      }}"""
    bound = error + 2.0**-22 * np.abs(expected) if layer.epilogue != "reduction" else error.sum((1, 2)) + 1e-5
    dtype = np.float16 if "f16" in outputs.split(",")[0] else np.float32
    return Program(layer.name, text, [given, weights, bias, *arguments(residual)], expected, bound, np.dtype(dtype))


def _epilogue(kind: str, exact: np.ndarray, residual: np.ndarray, result: str, same: str, parallel: str):
    """The function's end, its result type, its further arguments and the expected value."""
    def generic(name: str, inputs: str, types: str, out: str, element: str, body: str, maps: int) -> str:
        return f"""{name} = linalg.generic {{indexing_maps = [{', '.join([same] * maps)}], iterator_types = {parallel}}}
            ins({inputs} : {types}) outs({out} : tensor<{result}x{element}>) {{
          ^bb0({body}
        }} -> tensor<{result}x{element}>
        """

    sums = f"tensor<{result}xf32>"
    rounded = generic("%1", "%0", sums, "%h", "f16", """%x: f32, %old: f16):
            %t = arith.truncf %x : f32 to f16
            linalg.yield %t : f16""", 2)
    added = generic("%2", "%0, %r", f"{sums}, {sums}", "%e", "f32", """%x: f32, %y: f32, %old: f32):
            %t = arith.truncf %x : f32 to f16
            %w = arith.extf %t : f16 to f32
            %s = arith.addf %w, %y : f32
            linalg.yield %s : f32""", 3)
    positive = generic("%1", "%0", sums, "%h", "f16", """%x: f32, %old: f16):
            %t = arith.truncf %x : f32 to f16
            %w = arith.extf %t : f16 to f32
            %g = arith.cmpf ugt, %w, %zero : f32
            %m = arith.select %g, %w, %zero : f32
            %u = arith.truncf %m : f32 to f16
            linalg.yield %u : f16""", 2)
    halved = generic("%2", "%0", sums, "%e", "f32", """%x: f32, %old: f32):
            %t = arith.truncf %x : f32 to f16
            %w = arith.extf %t : f16 to f32
            %s = arith.mulf %w, %w : f32
            linalg.yield %s : f32""", 2)
    if kind == "none":
        return f"{rounded}return %1 : tensor<{result}xf16>", f"tensor<{result}xf16>", lambda _: [], exact
    if kind == "relu":
        largest = np.maximum(exact, 0)
        return f"{positive}return %1 : tensor<{result}xf16>", f"tensor<{result}xf16>", lambda _: [], largest
    if kind == "residual":
        return f"{added}return %2 : {sums}", sums, lambda r: [r], exact + residual
    if kind == "two":
        return (f"{rounded}{halved}return %1, %2 : tensor<{result}xf16>, {sums}", f"(tensor<{result}xf16>, {sums})",
                lambda _: [], exact)
    n, outputs = residual.shape[0], residual.shape[-1]
    total = f"tensor<{n}x{outputs}xf32>"
    body = f"""%d = tensor.empty() : {total}
        %j = linalg.fill ins(%zero : f32) outs(%d : {total}) -> {total}
        %1 = linalg.generic {{indexing_maps = [{same}, affine_map<(n, y, x, o) -> (n, o)>],
            iterator_types = ["parallel", "reduction", "reduction", "parallel"]}} ins(%0 : {sums}) outs(%j : {total}) {{
          ^bb0(%x: f32, %old: f32):
            %t = arith.truncf %x : f32 to f16
            %w = arith.extf %t : f16 to f32
            %s = arith.addf %old, %w : f32
            linalg.yield %s : f32
        }} -> {total}
        return %1 : {total}"""
    return body, total, lambda _: [], exact.sum((1, 2))


def _smallest_parts(geometry: Geometry, stays: int) -> Schedule | None:
    """Each row of tiles and each pair of tiles of channels for itself; all channels where they have groups. The last
    row has tiles of another shape."""
    if geometry.batches > 1:
        return None
    height, width = tile_shape(geometry.rows, geometry.columns)
    most = 64 if geometry.groups == 1 else geometry.outputs
    channels = [min(most, geometry.outputs - first) for first in range(0, geometry.outputs, most)]
    before = (geometry.rows - 1) // height
    last = (16, 2) if (height, width) != (16, 2) else (4, 8)
    rest = geometry.rows - before * height
    return Schedule(height, width, Grid((1,) * before + (-(-rest // last[0]),), tuple(channels), stays), last)


@pytest.mark.parametrize("forced", [None, "blocks", LEFT, RIGHT], ids=["chosen", "blocks", "left stays", "right stays"])
def test_on_the_host(forced, monkeypatch, sample):
    """Also in blocks, as images are that exceed the TCM, and in the smallest parts, half of the layers in either."""
    if forced is not None:
        monkeypatch.setattr(hexagon_engine_convolution, "choose_schedule", lambda geometry, *_: (
            None if forced == "blocks" else _smallest_parts(geometry, forced)))
    found = [program(layer) for layer in LAYERS]
    if forced in (LEFT, RIGHT):
        found = sample(found, [layer.name for layer in LAYERS[(LEFT, RIGHT).index(forced)::2]])
    module, context = after("".join(one.text for one in found), [ALWAYS])
    assert not context.log.entries
    assert "conv_2d" not in to_text(module)
    call = on_host(module, [one.name for one in found])
    for one in found:
        one.check(call(one.name, one.arguments)[0])


ON_EACH_CHIP = ("ragged", "window_1", "wide_ragged")
ON_V75 = ("ragged", "few_channels", "window_1", "dilated", "batches", "groups", "wide")


@pytest.mark.full_except("v75")
@pytest.mark.parametrize("target", ["v73", "v75", "v79"])
def test_on_the_simulator(target, sample):
    found = [program(layer) for layer in LAYERS if layer.epilogue != "two" and (
        target == "v75" or layer.name in ON_EACH_CHIP)]
    found = sample(found, ON_V75 if target == "v75" else ON_EACH_CHIP)
    steps = list(pipelines.get("default", targets.get(target)))
    place = [step.title for step in steps].index("hexagon-engine-convolution")
    module, _ = after("".join(one.text for one in found), [*steps[:place], ALWAYS, *steps[place + 1:]], target)
    asm = emit(translate_to_llvm_ir(module), targets.get(target))
    assert "activation.hf" in asm
    for one in found:
        result = one.place()
        launch(asm, one.name, [*one.arguments, result], None, target)
        one.check(result)


@pytest.mark.parametrize(("size", "shape"), [
    ((56, 56), (4, 8)), ((14, 14), (2, 16)), ((7, 7), (4, 8)), ((1, 100), (1, 32)), ((112, 112), (2, 16))])
def test_tiles_cover_the_result_with_few_pixels(size, shape):
    found = tile_shape(*size)
    cover = [-(-extent // side) * side for extent, side in zip(size, found, strict=True)]
    best = [-(-extent // side) * side for extent, side in zip(size, shape, strict=True)]
    assert np.prod(found) == 32
    assert np.prod(cover) == np.prod(best)


def test_the_image_has_what_its_tiles_read():
    layer = Layer("", (1, 9, 11, 40), 33, stride=2)
    geometry = layer.geometry()
    plan = choose_plan(geometry, 8 * MIB)
    assert plan is not None
    rows, row = image_size(geometry, plan)
    assert rows == (plan.tile_rows * plan.height - 1) * 2 + 3
    assert row % 64 == 0
    assert row >= (-(-6 // plan.width) * plan.width - 1) * 80 + 2 * 40 + 64 + 32


@pytest.mark.parametrize("seed", range(50))
def test_every_plan_fits(seed):
    rng = np.random.default_rng(seed)
    shape = (1, *(int(rng.integers(3, 120)) for _ in range(2)), int(rng.integers(1, 300)))
    geometry = Layer("", shape, int(rng.integers(1, 600)), stride=int(rng.integers(1, 3))).geometry()
    budget = int(rng.integers(1 << 18, 8 * MIB))
    plan = choose_plan(geometry, budget, 4)
    assert steps(geometry) == 9 * -(-shape[3] // 32)
    if plan is None:
        return
    assert block_bytes(geometry, plan, 4) <= budget
    assert plan.outputs == geometry.outputs or plan.outputs % 32 == 0
    assert (plan.tile_rows - 1) * plan.height < geometry.rows


@pytest.mark.parametrize("seed", range(20))
def test_every_schedule_covers_the_result_and_fits(seed):
    rng = np.random.default_rng(seed)
    shape = (1, *(int(rng.integers(3, 120)) for _ in range(2)), int(rng.integers(1, 300)))
    geometry = by_tiles(Layer("", shape, int(rng.integers(1, 600)), stride=int(rng.integers(1, 3))).geometry())
    budget, ready = int(rng.integers(1 << 18, 8 * MIB)), bool(rng.integers(2))
    schedule = choose_schedule(geometry, budget, 4, ready, False, RATES)
    if schedule is None:
        return
    assert _Work(geometry, schedule, 4, ready, RATES).bytes() <= budget
    assert sum(schedule.grid.columns) == geometry.outputs
    column = 2048 * steps(geometry)
    unit = 32 if column >= RATES.dma.break_even_bytes else 64
    assert all(count % unit == 0 for count in schedule.grid.columns[:-1])
    plans = [schedule.plan(block) for block in range(len(schedule.grid.rows))]
    covered = sum(plan.tile_rows * plan.height for plan in plans)
    assert geometry.rows <= covered < geometry.rows + plans[-1].height


def test_the_rest_of_the_rows_has_tiles_of_another_shape():
    """28 rows of 28 pixels: three rows of 7 tiles of 8 x 4, and 4 tiles of 2 x 16 for 4 rows, not 7."""
    geometry = by_tiles(Layer("", (1, 28, 28, 128), 128).geometry())
    found = choose_schedule(geometry, 8 * MIB, 0, True, False, RATES)
    plans = [found.plan(block) for block in range(len(found.grid.rows))]
    assert [(plan.height, plan.width, plan.tile_rows) for plan in plans] == [(8, 4, 1)] * 3 + [(2, 16, 2)]
    assert sum(plan.tile_rows * plan.across(geometry) for plan in plans) == 25


def test_schedules_of_known_layers():
    """Few channels: weights stay, parts of the image follow. Many: weights follow, which take longest. One image only.
    """
    first, last = (by_tiles(Layer("", (1, size, size, channels), channels).geometry())
                   for size, channels in ((56, 64), (7, 512)))
    found = choose_schedule(first, 8 * MIB, 0, True, False, RATES)
    assert len(found.grid.rows) > 2
    assert found.grid.columns == (64,)
    found = choose_schedule(last, 8 * MIB, 0, True, False, RATES)
    assert (len(found.grid.columns) > 3, found.grid.stays) == (True, LEFT)
    middle = by_tiles(Layer("", (1, 14, 14, 256), 256).geometry())
    found = choose_schedule(middle, 8 * MIB, 0, True, False, RATES)
    assert found.grid.columns == (32,) * 8, "the first weights come soon"
    few = by_tiles(Layer("", (1, 28, 28, 128), 128).geometry())
    found = choose_schedule(few, 8 * MIB, 0, True, False, RATES)
    assert found.grid.columns == (64, 64), "products take longer than weights"
    assert choose_schedule(by_tiles(Layer("", (2, 7, 7, 64), 64).geometry()), 8 * MIB, 0, True, False, RATES) is None


def test_neighbouring_windows_share_tiles():
    """Four rows and seven columns of result tiles, 3 x 3 taps, two tiles of channels: a tile for each row and column
    that they reach, not one for each tap."""
    geometry = by_tiles(Layer("", (1, 56, 56, 64), 64).geometry())
    assert (geometry.taps_x, geometry.run, geometry.column_tap, geometry.column_step) == (6, 32, 32, 64)
    assert shared_tiles(geometry, 4, 7) == SharedTiles(4 + 2, 2 * (7 + 2), 1, 32)
    assert packed_tiles(geometry, 4, 7) == 6 * 18
    strides = by_tiles(Layer("", (1, 56, 56, 64), 64, stride=2).geometry())
    assert shared_tiles(strides, 2, 4) == SharedTiles(2 * 2 + 1, 2 * (2 * 4 + 1), 1, 32)


def test_windows_that_share_nothing():
    one = by_tiles(Layer("", (1, 8, 8, 32), 32, (1, 1), 2, 0).geometry())
    assert shared_tiles(one, 2, 2) is None  # would pack the pixels between
    assert packed_tiles(one, 2, 2) == 4
    dilated = by_tiles(Layer("", (1, 12, 12, 48), 32, dilation=2, padding=2).geometry())
    assert shared_tiles(dilated, 2, 2) is None  # taps of a row are no neighbours
    assert packed_tiles(dilated, 2, 2) == 4 * 9 * 2
    assert by_tiles(dilated) == dilated


def test_small_convolutions_do_not_pay():
    assert not pays(Layer("", (1, 4, 4, 8), 8, padding=0).geometry(), 64, COST)  # 4,001 cycles, 3,341 on HVX
    assert pays(Layer("", (1, 4, 4, 8), 8).geometry(), 64, COST)  # 4,180, 4,581
    assert pays(Layer("", (1, 56, 56, 64), 64).geometry(), 64, COST)


@pytest.mark.parametrize(("image", "outputs", "window", "stride", "engine", "hvx"), [
    ((8, 5, 64), 16, 5, 2, 10992, 24328), ((6, 4, 64), 44, 3, 2, 11292, 13511), ((13, 6, 9), 76, 5, 2, 8873, 11473),
    ((20, 12, 160), 75, 3, 1, 29842, 1047026), ((6, 5, 1), 74, 5, 1, 7167, 2527),
    ((26, 23, 32), 104, 1, 1, 20992, 100770)])
def test_estimates(image, outputs, window, stride, engine, hvx):
    """Within a factor of 2.2 and 1.6 of what was measured: few results are computed by one thread."""
    layer = Layer("", (1, *image), outputs, (window, window), stride, 0)
    found = estimates(layer.geometry(), 64, COST)
    assert engine / 2.2 < found[0] < engine * 2.2 and hvx / 1.6 < found[1] < hvx * 1.6


def test_chips_without_an_engine_keep_their_convolutions():
    module, _ = after(program(LAYERS[0]).text, [ALWAYS], "v68")
    assert "conv_2d" in to_text(module)
