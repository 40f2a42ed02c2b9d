"""`hexagon-engine-convolution` on bytes: schedules, and exact sums of every kind on the host and as Hexagon code."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from batch import after, on_host
from linalg_programs import Program

from hexagon_mlir import pipelines, targets
from hexagon_mlir.codegen.emission import emit
from hexagon_mlir.codegen.translate import translate_to_llvm_ir
from hexagon_mlir.dialects.byte_conversions import BIAS, SUM, WORD, conversion_text, low_word
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import to_text
from hexagon_mlir.pass_infra import PassStep, registry
from hexagon_mlir.passes.engine_convolution.byte_schedule import (
    ByteRates,
    ByteWork,
    byte_estimates,
    byte_places,
    bytes_pay,
    choose_byte_schedule,
)
from hexagon_mlir.passes.engine_convolution.read import Geometry, by_tiles, narrow
from hexagon_mlir.passes.engine_convolution.sizes import SharedTiles
from hexagon_mlir.passes.lib.thread_cost import ForkCost
from hexagon_mlir.passes.matrix_engine.estimate import schedule_cycles
from hexagon_mlir.sim.reference.matrix_bytes import IntegerBias, IntegerOptions, to_bytes

pytestmark = pytest.mark.only_values

MIB = 1 << 20
RATES = ByteRates.of(targets.get())
ALWAYS = PassStep(registry.get("hexagon-engine-convolution")(always=True))


@dataclass(frozen=True)
class Layer:
    """A convolution of (batches, high, wide, channels) bytes of ``kind`` with (window, window, channels, outputs):
    "signed", "unsigned", or "shifted": unsigned bytes from which the program subtracts 128. ``border`` surrounds the
    image. ``epilogue``: sums are "requantized" (scaled, rounded and limited to bytes), "converted" to bytes as the
    engine does it, added to a "residual", or stay as they are.
    """

    name: str
    shape: tuple[int, int, int, int]
    outputs: int
    window: tuple[int, int] = (3, 3)
    stride: int = 1
    padding: int = 1
    kind: str = "signed"
    border: int = 0
    bias: bool = True
    epilogue: str = ""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Rows and columns of the result."""
        return tuple((size + 2 * self.padding - taps) // self.stride + 1
                     for size, taps in zip(self.shape[1:3], self.window, strict=True))

    def geometry(self) -> Geometry:
        """As the pass reads it."""
        channels = self.shape[3]
        return by_tiles(Geometry(self.shape[0], *self.sizes, self.outputs, *self.window, channels, self.stride, 1,
                                 self.stride * channels, channels))


LAYERS = [
    Layer("whole_tiles", (1, 8, 8, 64), 64),
    Layer("ragged", (1, 9, 11, 96), 33, kind="unsigned", border=-3, epilogue="residual"),
    Layer("shifted", (1, 9, 13, 64), 160, kind="shifted", border=-11, epilogue="requantized"),
    Layer("strides", (1, 9, 13, 32), 32, stride=2, bias=False),
    Layer("window_1", (1, 9, 8, 128), 96, (1, 1), 2, 0, kind="shifted", epilogue="requantized"),
    Layer("window_1_of_a_tile", (1, 9, 12, 32), 40, (1, 1), 2, 0, kind="unsigned"),
    Layer("threads", (1, 28, 30, 64), 64, kind="shifted", border=5, epilogue="requantized"),
    Layer("wide_window", (1, 6, 20, 32), 256, (5, 2), padding=2, border=7),
    Layer("batches", (3, 5, 6, 64), 64, kind="shifted", epilogue="requantized"),
    Layer("rows", (1, 12, 24, 32), 32, (3, 1), padding=1),
    Layer("pieces", (1, 13, 14, 64), 96),
    Layer("two_columns", (1, 12, 2, 64), 64),
    Layer("three_channels", (1, 13, 77, 3), 40, (7, 7), 2, 3, border=9, epilogue="requantized"),
    Layer("four_channels", (2, 9, 33, 4), 64, (3, 3), 1, 1, kind="shifted", border=-7),
    Layer("few_channels_unsigned", (1, 7, 130, 5), 33, (2, 3), 3, 1, kind="unsigned", bias=False),
    Layer("bytes_of_three_channels", (1, 12, 60, 3), 32, (3, 3), 2, 1, kind="shifted", epilogue="converted"),
    Layer("bytes", (1, 9, 13, 64), 160, kind="shifted", border=-11, epilogue="converted"),
    Layer("bytes_of_few", (1, 10, 12, 32), 40, (1, 1), 2, 0, kind="unsigned", epilogue="converted"),
    Layer("bytes_of_batches", (2, 5, 6, 64), 64, epilogue="converted"),
    Layer("bytes_of_threads", (1, 28, 30, 64), 64, kind="shifted", bias=False, epilogue="converted"),
]


def program(layer: Layer) -> Program:
    """Padded; extreme bytes among those of the image and the weights."""
    n, high, wide, c = layer.shape
    p, (rows, columns) = layer.padding, layer.sizes
    rng = np.random.default_rng(sum(layer.shape) + layer.outputs)
    stored = rng.integers(-128, 128, layer.shape).astype(np.int8)
    weights = rng.integers(-128, 128, (*layer.window, c, layer.outputs)).astype(np.int8)
    stored[0, 0], weights[..., 0] = -128 if layer.kind == "signed" else -1, -128
    bias = rng.integers(-(1 << 31), 1 << 31, layer.outputs).astype(np.int32) >> (12 if layer.epilogue else 0)
    residual = rng.integers(-1000, 1000, (n, rows, columns, layer.outputs)).astype(np.int32)
    image = {"signed": stored, "unsigned": stored.view(np.uint8), "shifted": stored ^ np.int8(-128)}[layer.kind]
    border = np.array(layer.border, np.int8).view(image.dtype)
    padded = np.pad(image, ((0, 0), (p, p), (p, p), (0, 0)), constant_values=border).astype(np.float64)
    exact = np.zeros(residual.shape, np.int64) + (bias if layer.bias else 0)
    for y, x in np.ndindex(layer.window):
        part = padded[:, y:y + rows * layer.stride:layer.stride, x:x + columns * layer.stride:layer.stride]
        exact += (part[:, :rows, :columns] @ weights[y, x].astype(np.float64)).astype(np.int64)
    exact = exact.astype(np.uint32).view(np.int32)
    sums, frame = f"{n}x{rows}x{columns}x{layer.outputs}", f"tensor<{n}x{high + 2 * p}x{wide + 2 * p}x{c}xi8>"
    given, kernel = f"tensor<{n}x{high}x{wide}x{c}xi8>", f"tensor<{'x'.join(map(str, weights.shape))}xi8>"
    same, kinds = "affine_map<(n, y, x, o) -> (n, y, x, o)>", '["parallel", "parallel", "parallel", "parallel"]'
    flip = f"""%g = tensor.empty() : {given}
        %source = linalg.generic {{indexing_maps = [{same}, {same}], iterator_types = {kinds}}}
            ins(%image : {given}) outs(%g : {given}) {{
          ^bb0(%x: i8, %old: i8):
            %y = arith.xori %x, %first : i8
            linalg.yield %y : i8
        }} -> {given}""" if layer.kind == "shifted" else ""
    source = "%source" if flip else "%image"
    frames = f"""%border = arith.constant {layer.border} : i8
        %f = tensor.empty() : {frame}
        %z = linalg.fill ins(%border : i8) outs(%f : {frame}) -> {frame}
        %p = tensor.insert_slice {source} into %z[0, {p}, {p}, 0] [{n}, {high}, {wide}, {c}] [1, 1, 1, 1]
            : {given} into {frame}""" if p else ""
    start = (f"%i = linalg.broadcast ins(%bias : tensor<{layer.outputs}xi32>) outs(%e : tensor<{sums}xi32>) "
             "dimensions = [0, 1, 2]" if layer.bias else
             f"%i = linalg.fill ins(%zero : i32) outs(%e : tensor<{sums}xi32>) -> tensor<{sums}xi32>")
    loops = "(n, y, x, o, ky, kx, c)"
    body, element, expected = _epilogue(layer.epilogue.replace("converted", ""), exact, residual, sums, same, kinds)
    words, biases = _columns(layer.outputs, exact)
    if layer.epilogue == "converted":
        body, element, expected = _converted(exact, words, biases, sums, same, kinds)
    extra = {"residual": f", %r: tensor<{sums}xi32>", "converted": ", ".join(
        ["", *(f"%{name}: tensor<{layer.outputs}xi32>" for name in "wt")])}.get(layer.epilogue, "")
    text = f"""
      func.func @{layer.name}(%image: {given}, %weights: {kernel},
          %bias: tensor<{layer.outputs}xi32>{extra}) -> tensor<{sums}x{element}> {{
        %zero = arith.constant 0 : i32
        %first = arith.constant -128 : i8
        {flip}
        {frames}
        %e = tensor.empty() : tensor<{sums}xi32>
        {start}
        %0 = linalg.generic {{indexing_maps = [
              affine_map<{loops} -> (n, y * {layer.stride} + ky, x * {layer.stride} + kx, c)>,
              affine_map<{loops} -> (ky, kx, c, o)>, affine_map<{loops} -> (n, y, x, o)>],
            iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}}
            ins({"%p" if p else source}, %weights : {frame}, {kernel}) outs(%i : tensor<{sums}xi32>) {{
          ^bb0(%a: i8, %b: i8, %old: i32):
            %u = arith.{"extui" if layer.kind == "unsigned" else "extsi"} %a : i8 to i32
            %v = arith.extsi %b : i8 to i32
            %m = arith.muli %u, %v : i32
            %new = arith.addi %old, %m : i32
            linalg.yield %new : i32
        }} -> tensor<{sums}xi32>
        {body}
      }}"""
    more = {"residual": [residual], "converted": [words, biases]}.get(layer.epilogue, [])
    arguments = [stored, weights, bias, *more]
    return Program(layer.name, text, arguments, expected, dtype=expected.dtype)


def _epilogue(kind: str, exact: np.ndarray, residual: np.ndarray, sums: str, same: str, kinds: str):
    """The function's end, the result's elements, and the expected value."""
    if not kind:
        return f"return %0 : tensor<{sums}xi32>", "i32", exact
    if kind == "residual":
        body, element, inputs = "%s = arith.addi %x, %y : i32", "i32", "%0, %r"
        expected = (exact.astype(np.int64) + residual).astype(np.uint32).view(np.int32)
    else:
        element, inputs = "i8", "%0"
        body = """%half = arith.constant 1024 : i32
            %eleven = arith.constant 11 : i32
            %low = arith.constant -128 : i32
            %high = arith.constant 127 : i32
            %t = arith.addi %x, %half : i32
            %d = arith.shrsi %t, %eleven : i32
            %l = arith.maxsi %d, %low : i32
            %m = arith.minsi %l, %high : i32
            %s = arith.trunci %m : i32 to i8"""
        expected = np.clip(exact.astype(np.int64) + 1024 >> 11, -128, 127).astype(np.int8)
    count = inputs.count("%")
    types = ", ".join([f"tensor<{sums}xi32>"] * count)
    elements = "%x: i32" + ", %y: i32" * (count - 1)
    return f"""%h = tensor.empty() : tensor<{sums}x{element}>
        %1 = linalg.generic {{indexing_maps = [{', '.join([same] * (count + 1))}], iterator_types = {kinds}}}
            ins({inputs} : {types}) outs(%h : tensor<{sums}x{element}>) {{
          ^bb0({elements}, %old: {element}):
            {body}
            linalg.yield %s : {element}
        }} -> tensor<{sums}x{element}>
        return %1 : tensor<{sums}x{element}>""", element, expected


def _columns(outputs: int, exact: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Words and biases of tables that bring most sums between 0 and 255."""
    rng = np.random.default_rng(outputs)
    shifts = np.clip(np.log2(np.abs(exact.astype(np.int64)).max((0, 1, 2)) / 4000).astype(int), 1, 18)
    words = [low_word(int(rng.integers(2048, 4096)), int(shift)) for shift in shifts]
    return np.array(words, np.int32), rng.integers(-9000, 90_000, outputs).astype(np.int32)


def _converted(exact: np.ndarray, words: np.ndarray, biases: np.ndarray, sums: str, same: str, kinds: str):
    """As `_epilogue`, with a table for each channel."""
    tables = IntegerBias(words.astype(np.int64) & 0xFFFFFFFF, biases.astype(np.int64) & 0xFFFFFFFF)
    expected = to_bytes(exact.astype(np.int64), tables, IntegerOptions(wrap=False, sticky=True)) >> 4
    column, count = "affine_map<(n, y, x, o) -> (o)>", len(words)
    return f"""%h = tensor.empty() : tensor<{sums}xi8>
        %1 = linalg.generic {{indexing_maps = [{same}, {column}, {column}, {same}], iterator_types = {kinds}}}
            ins(%0, %w, %t : tensor<{sums}xi32>, tensor<{count}xi32>, tensor<{count}xi32>)
            outs(%h : tensor<{sums}xi8>) {{
          ^bb0(%x: i32, %word: i32, %added: i32, %old: i8):
{conversion_text({SUM: "%x", WORD: "%word", BIAS: "%added"}, "%s")}            linalg.yield %s : i8
        }} -> tensor<{sums}xi8>
        return %1 : tensor<{sums}xi8>""", "i8", expected.astype(np.uint8).view(np.int8)


def test_on_the_host():
    found = [program(layer) for layer in LAYERS if "threads" not in layer.name]
    module, context = after("".join(one.text for one in found), [ALWAYS])
    assert not context.log.entries
    in_planes = [layer for layer in LAYERS if layer.epilogue != "converted" and layer.name != "threads"]
    assert to_text(module).count("linalg.index") >= len(in_planes)
    call = on_host(module, [one.name for one in found])
    for one in found:
        one.check(call(one.name, one.arguments)[0])


@pytest.mark.only_values(False)
@pytest.mark.parametrize("target", ["v75", "v79"])
def test_on_the_simulator(target, sample):
    on_v75 = ("ragged", "window_1_of_a_tile", "batches", "threads", "pieces") if target == "v75" else ()
    found = [program(layer) for layer in LAYERS
             if layer.name in ("shifted", "three_channels", *on_v75) or layer.epilogue == "converted"]
    some = "ragged", "three_channels", "threads", "bytes_of_batches"
    found = sample(found, some if target == "v75" else ("bytes_of_few",))
    steps = list(pipelines.get("default", targets.get(target)))
    place = [step.title for step in steps].index("hexagon-engine-convolution")
    module, _ = after("".join(one.text for one in found), [*steps[:place], ALWAYS, *steps[place + 1:]], target)
    asm = emit(translate_to_llvm_ir(module), targets.get(target))
    for one in found:
        result = one.place()
        run = launch(asm, one.name, [*one.arguments, result], None, target)
        one.check(result)
        assert run.matrix is not None and run.matrix.macs > 0, one.name
        assert run.cycles < 60_000, one.name  # vector code, whatever the threads' parts are


REFUSED = {
    "narrow sums": (LAYERS[0], "xi32", "xi16", "its sums have not 32 bits"),
    "weights without sign": (LAYERS[0], "%v = arith.extsi", "%v = arith.extui", "its weights have no sign"),
    "channels": (Layer("f", (1, 8, 8, 40), 64), "", "", "bytes of groups of channels, of channels that are no whole "
                 "tiles, or of taps that are no neighbours"),
    "short rows": (Layer("f", (1, 8, 8, 3), 64), "", "", "rows of few bytes"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case):
    layer, old, new, why = REFUSED[case]
    text = program(layer).text
    if case == "narrow sums":
        text = text.replace("to i32", "to i16").replace(": i32", ": i16")
    module, context = after(text.replace(old, new) if old else text, [ALWAYS])
    assert [entry.message for entry in context.log.entries] == [f"left to HVX: {why}"]
    assert "linalg.index" not in to_text(module)


def test_older_engines_keep_their_convolutions():
    module, context = after(program(LAYERS[0]).text, [ALWAYS], "v73")
    assert [entry.message for entry in context.log.entries] == ["left to HVX: sums of 32 bits need v75"]
    assert "linalg.index" not in to_text(module)


def test_tiles_side_by_side():
    """Places of all taps, and those between them; at least as many as a vector packs."""
    assert byte_places(LAYERS[0].geometry(), 2, 3) == SharedTiles(2 + 2, 2 * (3 + 2), 1, 32)
    strides = Layer("", (1, 56, 56, 64), 64, stride=2).geometry()
    assert byte_places(strides, 2, 4) == SharedTiles(2 * 2 + 1, 2 * (2 * 4 + 1), 1, 32)
    assert byte_places(Layer("", (1, 8, 8, 32), 32, (1, 1), 2, 0).geometry(), 3, 4) == SharedTiles(3, 7, 2, 32)
    assert byte_places(Layer("", (1, 8, 8, 32), 32).geometry(), 1, 1).columns == 4
    few = narrow(Layer("", (1, 224, 224, 3), 64, (7, 7), 2, 3).geometry())
    assert byte_places(few, 2, 14) == SharedTiles(2 + 7, 14, 1, 6)


@pytest.mark.parametrize("seed", range(20))
def test_every_schedule_covers_the_result_and_fits(seed):
    rng = np.random.default_rng(seed)
    shape = (1, *(int(rng.integers(3, 90)) for _ in range(2)), 32 * int(rng.integers(1, 9)))
    geometry = Layer("", shape, int(rng.integers(1, 600)), stride=int(rng.integers(1, 3))).geometry()
    budget, ready = int(rng.integers(1 << 18, 8 * MIB)), bool(rng.integers(2))
    found = choose_byte_schedule(geometry, budget, 4, ready, RATES)
    if found is None:
        return
    schedule, cycles = found
    assert ByteWork(geometry, schedule, 4, ready, RATES).bytes() <= budget
    assert sum(schedule.grid.columns) == geometry.outputs
    assert all(count % (64 if ready else 128) == 0 for count in schedule.grid.columns[:-1])
    covered = sum(schedule.grid.rows) * schedule.height
    assert geometry.rows <= covered < geometry.rows + schedule.height
    assert schedule.height * schedule.width == 64
    assert cycles > 0


def test_results_leave_in_pieces():
    """Where the DMA engine would wait for them: those before the last ones of a large image; none of a small one, which
    a transfer would only start for."""
    def halved(size: int, channels: int, epilogue_bytes: int = 0) -> tuple[int, ...]:
        geometry = Layer("", (1, size, size, channels), channels).geometry()
        return choose_byte_schedule(geometry, 7 * MIB, epilogue_bytes, True, RATES)[0].halved

    assert halved(56, 64) == (1,)
    assert halved(16, 64) == ()
    assert halved(14, 256) == ()
    assert halved(56, 64, 1) == ()


def test_steps_are_halved_where_that_takes_less_time():
    geometry = Layer("", (1, 56, 56, 64), 64).geometry()
    schedule, _ = choose_byte_schedule(geometry, 7 * MIB, 0, True, RATES)
    work = ByteWork(geometry, schedule, 0, True, RATES)
    whole, halved, later = (
        schedule_cycles(schedule.grid, work, RATES.others, 1, steps) for steps in ((), (1,), (0, 1)))
    assert halved < min(whole, later)


@pytest.mark.parametrize(("shape", "outputs", "stride", "engine", "hvx"), [
    ((16, 16, 64), 64, 1, 23303, 53415), ((56, 56, 64), 64, 1, 100657, 493629), ((56, 56, 64), 128, 2, 63213, 226639),
    ((14, 14, 256), 256, 1, 53582, 486422), ((7, 7, 512), 512, 1, 108241, 575547), ((8, 8, 64), 64, 1, 17922, 23221),
    ((12, 12, 32), 32, 1, 16138, 19774)])
def test_the_faster_one_is_chosen(shape, outputs, stride, engine, hvx):
    """Cycles measured both ways, sums requantized."""
    geometry = Layer("", (1, *shape), outputs, stride=stride).geometry()
    found = choose_byte_schedule(geometry, 7 * MIB, 1, False, RATES)
    assert found is not None
    assert bytes_pay(geometry, found[1]) == (engine < hvx)


@pytest.mark.parametrize(("image", "outputs", "window", "stride", "engine", "hvx"), [
    ((16, 24, 192), 2, 3, 1, 23852, 222767), ((20, 12, 160), 75, 3, 1, 22571, 268623),
    ((5, 8, 32), 4, 1, 2, 4282, 2547), ((8, 5, 64), 16, 5, 2, 19548, 24522), ((11, 3, 32), 172, 3, 1, 10240, 17672)])
def test_estimates_without_constants(image, outputs, window, stride, engine, hvx):
    """The lesser one is right, or both are close to each other: HVX makes words of the weights' bytes, and few outputs
    take as long as a vector of them."""
    geometry = Layer("", (1, *image), outputs, (window, window), stride, 0).geometry()
    found = choose_byte_schedule(geometry, 7 * MIB, 0, False, RATES)
    assert found is not None
    estimated = byte_estimates(geometry, found[1], ForkCost.of(targets.get()))
    assert (estimated[0] < estimated[1]) == (engine < hvx)
    assert engine / 1.9 < estimated[0] < engine * 1.9 and hvx / 2.1 < estimated[1] < hvx * 2.1
