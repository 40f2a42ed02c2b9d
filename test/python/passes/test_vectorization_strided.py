"""Every k-th element as vectors, forwards and backwards: on the host against numpy, and nothing behind the last one
read, nor between two of them written, on the simulator."""

import numpy as np
import pytest
from batch import after, on_host, run_checked
from linalg_programs import NUMPY, Program, is_float, run_all, tensor, values

import hexagon_mlir as hx
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.pass_infra import PassStep, UpstreamStep, registry
from hexagon_mlir.pipelines import BUFFERIZE
from hexagon_mlir.sim import Machine

pytestmark = pytest.mark.only_values

STEPS = [*[UpstreamStep(e.text, e.why, e.label) for e in BUFFERIZE],
         PassStep(registry.get("hexagon-copy-lowering")(dma_bytes=-1)),
         PassStep(registry.get("hexagon-vectorization")())]
RAGGED = (1, 2, 31, 32, 33, 64, 100, 129, 257, 513)


def program(type_: str, rows: int, n: int, first: int, dim: int | None = None, stride: int = 2) -> Program:
    """x[:, first::stride] + y for rows of n; its sum along ``dim`` into y's row or column when there is one."""
    rng = np.random.default_rng(n)
    x = values(rng, type_, (rows, stride * n), special=False)
    y = values(rng, type_, (rows, n) if dim is None else ((rows, n)[1 - dim],), special=False)
    given, result = tensor(type_, x.shape), tensor(type_, y.shape)
    kinds = ", ".join('"reduction"' if d == dim else '"parallel"' for d in range(2))
    inner = "i, j" if dim is None else "ij"[1 - dim]
    name = f"every_{stride}_{type_}_{rows}_{n}_{first}_{dim}"
    text = f"""
func.func @{name}(%x: {given}, %y: {result}) -> {result} {{
  %a = tensor.extract_slice %x[0, {first}] [{rows}, {n}] [1, {stride}] : {given} to {tensor(type_, (rows, n))}
  %r = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ({inner})>],
                        iterator_types = [{kinds}]}}
      ins(%a : {tensor(type_, (rows, n))}) outs(%y : {result}) {{
  ^bb0(%v: {type_}, %o: {type_}):
    %s = arith.add{'f' if is_float(type_) else 'i'} %v, %o : {type_}
    linalg.yield %s : {type_}
  }} -> {result}
  return %r : {result}
}}
"""
    every = x[:, first::stride]
    with np.errstate(over="ignore"):
        total = every + y if dim is None else every.sum(axis=dim, dtype=NUMPY[type_]) + y
    size = np.abs(every.astype(np.float64)).sum(axis=dim) if dim is not None and is_float(type_) else None
    return Program(name, text, [x, y], total, None if size is None else 1e-5 * size + 1e-5)


def moved(type_: str, rows: int, n: int, source: int, target: int) -> Program:
    """out[::target] = x[::source] for each of ``rows``, strides of either sign; rows go backwards too if both do."""
    down = source < 0 and target < 0
    shape = (rows, abs(source) * n), (rows, abs(target) * n)
    x = values(np.random.default_rng(n), type_, shape[0])
    views = []
    for (_, pitch), stride in zip(shape, (source, target), strict=True):
        start = (n - 1) * -stride if stride < 0 else 0
        start, pitch = (start + (rows - 1) * pitch, -pitch) if down else (start, pitch)
        views.append((start, f"[{pitch}, {stride}]", f"memref<{rows}x{n}x{type_}, strided<[{pitch}, {stride}], "
                      f"offset: {start}>>"))
    (a, steps, given), (b, out_steps, to) = views
    sizes = [f"memref<{rows}x{columns}x{type_}>" for _, columns in shape]
    name = f"moved_{type_}_{rows}_{n}_{source}_{target}".replace("-", "m")
    text = f"""
func.func @{name}(%x: {sizes[0]}, %y: {sizes[1]}) {{
  %a = memref.reinterpret_cast %x to offset: [{a}], sizes: [{rows}, {n}], strides: {steps} : {sizes[0]} to {given}
  %b = memref.reinterpret_cast %y to offset: [{b}], sizes: [{rows}, {n}], strides: {out_steps} : {sizes[1]} to {to}
  linalg.copy ins(%a : {given}) outs(%b : {to})
  return
}}
"""
    expected = np.full(shape[1], 99, NUMPY[type_])
    every = [view[:, (abs(s) * (n - 1) if s < 0 else None)::s] for view, s in ((x, source), (expected, target))]
    every[1][...] = every[0]
    return Program(name, text, [x], expected)


def flipped(type_: str, rows: int, n: int, behind: int = 0) -> Program:
    """x[:, n - 1 - j], of rows with ``behind`` elements more."""
    x = values(np.random.default_rng(n), type_, (rows, n + behind))
    name, given, result = f"flipped_{type_}_{rows}_{n}_{behind}", tensor(type_, x.shape), tensor(type_, (rows, n))
    text = f"""
func.func @{name}(%x: {given}) -> {result} {{
  %e = tensor.empty() : {result}
  %last = arith.constant {n - 1} : index
  %r = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}}
      outs(%e : {result}) {{
  ^bb0(%o: {type_}):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.subi %last, %j : index
    %v = tensor.extract %x[%i, %k] : {given}
    linalg.yield %v : {type_}
  }} -> {result}
  return %r : {result}
}}
"""
    return Program(name, text, [x], x[:, n - 1::-1] if not behind else x[:, :n][:, ::-1])


def turned(n: int, columns: int) -> Program:
    """(x + y[:, :columns]).T: rows of x lie as near to each other as those of a strided operand."""
    rng = np.random.default_rng(n)
    x, y = values(rng, "f32", (n, columns), special=False), values(rng, "f32", (n, 32), special=False)
    name = f"turned_{n}_{columns}"
    given, wide, result = (tensor("f32", shape) for shape in (x.shape, y.shape, (columns, n)))
    text = f"""
func.func @{name}(%x: {given}, %y: {wide}) -> {result} {{
  %a = tensor.extract_slice %y[0, 0] [{n}, {columns}] [1, 1] : {wide} to {given}
  %e = tensor.empty() : {result}
  %r = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (j, i)>,
                                         affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}}
      ins(%x, %a : {given}, {given}) outs(%e : {result}) {{
  ^bb0(%v: f32, %w: f32, %o: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32
  }} -> {result}
  return %r : {result}
}}
"""
    return Program(name, text, [x, y], (x + y[:, :columns]).T)


def test_rows_that_are_turned_are_not_taken_apart():
    programs = [turned(n, columns) for n in (31, 50, 64) for columns in (3, 8)]
    module, _ = after("".join(p.text for p in programs), STEPS, "v75")
    run_all(programs, on_host(module, [p.name for p in programs]))


@pytest.mark.parametrize("type_", ["f32", "bf16", "i8"])
def test_reads_at_indices_that_go_down(type_):
    programs = [flipped(type_, rows, n, behind) for n in RAGGED for rows, behind in ((1, 0), (3, 7))]
    module, context = after("".join(p.text for p in programs), STEPS, "v75")
    run_all(programs, on_host(module, [p.name for p in programs]))
    assert [entry.message for entry in context.log.entries] == []
    assert "vector.load" in str(module)


@pytest.mark.parametrize("type_", ["f32", "f16", pytest.param("bf16", marks=pytest.mark.full), "i32", "i16", "i8"])
def test_every_stride_both_ways(type_):
    strides = [(-1, 1), (1, -1), (3, 1), (1, 3), (4, -2), (-5, 1), (1, 6), (7, 1), (8, -1), (1, -8), (1, 4), (-1, -1)]
    sizes = (1, 33, 129, 513) if type_ in ("f32", "i8") else (100,)
    programs = [moved(type_, rows, n, *pair) for n in sizes for rows, pair in zip((1, 3) * 6, strides, strict=True)]
    module, context = after("".join(p.text for p in programs), STEPS, "v75")
    run_all(programs, on_host(module, [p.name for p in programs]))
    assert [entry.message for entry in context.log.entries] == []


@pytest.mark.parametrize("type_", ["f32", "f16", "bf16", "i32", "i16", "i8"])
def test_sums(type_):
    programs = [program(type_, rows, n, first) for n in RAGGED for rows, first in ((1, 0), (3, 1))]
    if type_ in ("f32", "i8"):
        programs += [program(type_, 2, n, 1, dim, 3) for n in (1, 33, 300) for dim in (None, 0, 1)]
        programs += [program(type_, 5, n, first, dim) for n in RAGGED for first, dim in ((0, 0), (1, 1))]
    module, context = after("".join(p.text for p in programs), STEPS, "v75")
    run_all(programs, on_host(module, [p.name for p in programs]))
    assert [entry.message for entry in context.log.entries] == []


@pytest.mark.full_except("v68")
@pytest.mark.ieee_arithmetic
@pytest.mark.parametrize("target", ["v68", "v79"])
def test_nothing_else_is_touched(target):
    """Neither read behind the last element nor before the first, nor written between two."""
    cases = ("f32", 33), ("f16", 257), ("i8", 640), ("bf16", 100), ("f32", 1)
    chosen = [program(type_, 3, n, 1) for type_, n in cases]
    chosen += [moved("f32", 1, 97, 3, 1), moved("f32", 2, 64, -1, 1), moved("i16", 1, 200, 1, 3),
               flipped("f32", 2, 45), flipped("i8", 1, 600), moved("i8", 3, 130, 4, -1),
               moved("f32", 1, 50, 1, 8), moved("f16", 1, 1, -7, 5)]
    run_checked(chosen, target)


@pytest.mark.only_values(False)
@pytest.mark.ieee_arithmetic
def test_a_third_of_the_packets():
    chosen = program("f32", 1, 4096, 0)
    result = np.zeros((1, 4096), np.float32)
    assert launch(hx.compile(chosen.text).asm, chosen.name, [*chosen.arguments, result], None, "v75").packets < 1500
    chosen.check(result)


@pytest.mark.ieee_arithmetic
@pytest.mark.parametrize(("type_", "source", "target"),
                         [("i8", 2, 1), ("f32", 2, -1), ("i8", -1, 2), ("f16", -3, 1)])
def test_sizes_known_at_run_time(type_, source, target):
    """out[::target] = 2 * x[::source], n elements of each."""
    add, given = f"arith.add{'f' if is_float(type_) else 'i'}", f"memref<900x{type_}>"

    def part(stride: int) -> str:
        return f"memref<?x{type_}, strided<[{stride}], offset: ?>>"

    def view(name: str, stride: int) -> str:
        first = "%zero" if stride > 0 else f"%{name}_first"
        return f"""
  %{name}_step = arith.constant {abs(stride)} : index
  %{name}_first = arith.muli %above, %{name}_step : index
  %{name}_part = memref.reinterpret_cast %{name} to offset: [{first}], sizes: [%size], strides: [{stride}]
    : {given} to {part(stride)}"""

    kernel = hx.compile(f"""
func.func @f(%x: {given}, %out: {given}, %n: i32) {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %size = arith.index_cast %n : i32 to index
  %above = arith.subi %size, %one : index{view("x", source)}{view("out", target)}
  linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
      ins(%x_part : {part(source)}) outs(%out_part : {part(target)}) {{
  ^bb0(%v: {type_}, %o: {type_}):
    %s = {add} %v, %v : {type_}
    linalg.yield %s : {type_}
  }}
  return
}}
""")
    assert "vector.maskedstore" in kernel.ir("hexagon-vectorization")
    machine = Machine(kernel.asm, "v75", check=True)
    for n in (0, 1, 30, 31, 64, 100, 127, 128, 129, 192, 300):
        x = values(np.random.default_rng(n), type_, (abs(source) * n,), special=False)
        expected = np.full(abs(target) * n, 7, NUMPY[type_])
        addresses = [machine.alloc_ddr(x.nbytes), machine.alloc_ddr(expected.nbytes)]
        for address, array in zip(addresses, (x, expected), strict=True):
            machine.write(address, np.frombuffer(array.tobytes(), np.uint8))
        assert machine.run("f", [*addresses, n]).reports == []
        read = x[::abs(source)]
        expected[::abs(target)] = (read + read)[::1 if source * target > 0 else -1]
        assert machine.read(addresses[1], np.uint8, expected.nbytes).tobytes() == expected.tobytes()
