"""`hexagon-contraction-vectorization` keeps every value: on the host after the pass, and as Hexagon code."""

import numpy as np
import pytest
from batch import after, on_host, on_simulator
from contraction_programs import STARTS, convolution, mixed_signs, pooling, started
from linalg_programs import Program, contraction, run_all

import hexagon_mlir as hx
from hexagon_mlir.ir import to_text
from hexagon_mlir.pass_infra import CLEAN, PassStep, UpstreamStep, registry
from hexagon_mlir.pipelines import BUFFERIZE

pytestmark = pytest.mark.only_values

STEPS = [*[UpstreamStep(e.text, e.why, e.label) for e in BUFFERIZE],
         PassStep(registry.get("hexagon-copy-lowering")(dma_bytes=-1)),
         PassStep(registry.get("hexagon-transpose-factors")()),
         PassStep(registry.get("hexagon-contraction-vectorization")())]
ACCUMULATE = {"f32": "f32", "f16": "f32", "bf16": "f32", "i8": "i32", "i16": "i32", "i32": "i32"}


def run_on_host(programs: list[Program]):
    module, context = after("".join(p.text for p in programs), STEPS)
    run_all(programs, on_host(module, [p.name for p in programs]))
    assert '"reduction"' not in to_text(module), [e.message for e in context.log.entries]


def products(sizes: list[tuple[int, int, int]], types: tuple[str, ...]) -> list[Program]:
    return [contraction(f"matmul_{t}_{'_'.join(map(str, size))}", "matmul", sum(size), t, ACCUMULATE[t], size)
            for t in types for size in sizes]


LONG = [(5, 70, 201), (3, 140, 256), (9, 33, 130)]
"""Rows longer than a vector of their elements."""
RAGGED = [(1, 33, 1), (2, 8, 2), (5, 64, 31), (7, 127, 33), (13, 130, 65), (16, 32, 64)]


def convolutions() -> list[Program]:
    return [
        convolution("nhwc", "nhwc", "f32", "f32", (1, 6, 9, 5), (3, 3, 5, 40)),
        convolution("nhwc_strided", "nhwc", "f16", "f32", (2, 7, 11, 3), (3, 2, 3, 65), stride=2),
        convolution("nhwc_dilated", "nhwc", "f32", "f32", (1, 9, 9, 4), (3, 3, 4, 32), dilation=2, special=True),
        convolution("nhwc_one", "nhwc", "i8", "i32", (1, 4, 5, 33), (1, 1, 33, 130)),
        convolution("nhwc_few", "nhwc", "f32", "f32", (1, 5, 6, 4), (2, 2, 4, 3)),
        convolution("nchw", "nchw", "f32", "f32", (1, 3, 8, 37), (5, 3, 3, 3)),
        convolution("depthwise", "depthwise", "f32", "f32", (1, 6, 8, 70), (3, 3, 70), stride=2),
        convolution("depthwise_i8", "depthwise", "i8", "i32", (1, 5, 6, 130), (3, 3, 130)),
        convolution("multiplier", "multiplier", "f32", "f32", (1, 4, 4, 5), (2, 2, 5, 33)),
        convolution("nwc", "nwc", "i16", "i32", (2, 20, 7), (4, 7, 66), stride=3),
        pooling("pool_max", "max", "f32", (1, 7, 9, 40), (3, 3), 2),
        pooling("pool_sum", "sum", "f32", (2, 6, 6, 33), (2, 3), 1),
        pooling("pool_min_i8", "min", "i8", (1, 6, 6, 130), (2, 2), 2),
    ]


@pytest.mark.parametrize("types", [("f32",), ("f16", "bf16"), ("i8", "i16", "i32")], ids="-".join)
def test_products_of_every_type_and_ragged_sizes(types):
    run_on_host(products(RAGGED + LONG, types))


def test_other_products():
    batched = [contraction(f"batch_{t}_{m}", "batch_matmul", 1, t, ACCUMULATE[t], (2, m, 45, 17))
               for t in ("f32", "i8") for m in (1, 9)]
    transposed = [contraction(f"ta_{t}", "matmul_transpose_a", 2, t, ACCUMULATE[t], (9, 45, 17))
                  for t in ("f32", "f16")]
    half = [contraction("half", "matmul", 3, "f16", "f16", (5, 70, 12))]
    run_on_host([*batched, *transposed, *half])


@pytest.mark.full_except("bf16", "f32")
@pytest.mark.parametrize("type_", ["f32", "f16", "bf16"])
def test_few_rows_times_rows(type_):
    """Sums in lanes, then columns become lanes: of whole vectors, and ragged both ways; long rows in loops."""
    sizes = [(2, 64, 128), (7, 45, 70), (3, 78, 321), (1, 32, 64), (5, 131, 65), (6, 33, 160), (1, 77, 200)]
    sizes = sizes if type_ == "f32" else sizes[:3]  # the other types are widened to f32
    run_on_host([contraction(f"rows_{'_'.join(map(str, size))}", "matmul_transpose_b", sum(size), type_, "f32", size)
                 for size in sizes])


COLUMNS = [("matmul", "f32", (77, 5, 333)), ("matmul_transpose_b", "f32", (101, 3, 100)),
           ("batch_matmul", "f32", (3, 77, 2, 70)), ("matmul", "f16", (130, 16, 130))]


@pytest.mark.only_values(False)
@pytest.mark.parametrize(("kind", "type_", "size", "target", "cycles"), [
    (*COLUMNS[0], "v75", 22_000),  # 88,752 with the columns in lanes
    (*COLUMNS[1], "v75", 10_000),  # 150,000, one element at a time
    (*COLUMNS[2], "v75", 25_000), (*COLUMNS[3], "v68", 60_000)])
def test_few_columns(kind, type_, size, target, cycles):
    """Rows become lanes; their results are transposed and added to what the product adds to."""
    program = contraction("f", kind, 2, type_, "f32", size)
    run = hx.compile(program.text, target=target).run(*program.arguments)
    assert (np.abs(run.outputs[0] - program.expected) <= program.error).all()
    assert run.cycles < cycles


def test_sums_start_from_what_is_spread_over_the_result():
    """In registers, unless its vectors would have to be gathered; the result is written once."""
    programs = [started(f"{start}_{kind}", start, kind, sums, (5, 70, 33))
                for start in STARTS for kind, sums in (("f32", "f32"), ("i8", "i32"))]
    module, _ = after("".join(p.text for p in programs), STEPS)
    left = [line for line in to_text(module).splitlines() if "linalg.generic" in line]
    assert len(left) == 2, "the ones that are turned"
    run_all(programs, on_host(module, [p.name for p in programs]))


@pytest.mark.parametrize("bits", [8, 16])
def test_signed_and_unsigned_factors(bits, sample):
    programs = [mixed_signs(f"{left}_{right}_{m}", bits, left, right, (m, n, k))
                for m, n, k in ((5, 140, 9), (2, 40, 260))
                for left in ("extsi", "extui") for right in ("extsi", "extui")]
    run_on_host(programs)
    some = sample(programs, [programs[place].name for place in (0, 5, 6, 3)])  # every pair of signs, both sizes
    run_all(some, on_simulator("".join(p.text for p in some))[0])


def test_convolutions_and_poolings():
    run_on_host(convolutions())


def quantized(name: str, sizes: tuple[int, ...], points: tuple[int, int]) -> Program:
    """Bytes with zero points, one product or a batch; it adds to an output that is not zero."""
    *batch, m, k, n = sizes
    rng = np.random.default_rng(m)
    a, b = (rng.integers(-128, 128, (*batch, *shape), np.int8) for shape in ((m, k), (k, n)))
    c = rng.integers(-2**31, 2**31, (*batch, m, n)).astype(np.int32)
    shapes = ["tensor<" + "x".join(map(str, v.shape)) + f"x{e}>" for v, e in ((a, "i8"), (b, "i8"), (c, "i32"))]
    text = f"""func.func @{name}(%a: {shapes[0]}, %b: {shapes[1]}, %c: {shapes[2]}) -> {shapes[2]} {{
      %x = arith.constant {points[0]} : i32
      %y = arith.constant {points[1]} : i32
      %r = linalg.quantized_{"batch_" if batch else ""}matmul ins(%a, %b, %x, %y : {shapes[0]}, {shapes[1]}, i32, i32)
          outs(%c : {shapes[2]}) -> {shapes[2]}
      return %r : {shapes[2]}
    }}
    """
    product = (a.astype(np.int64) - points[0]) @ (b.astype(np.int64) - points[1]) + c
    return Program(name, text, [a, b, c], product.astype(np.int32))  # sums wrap


def test_quantized_products():
    programs = [quantized("one", (5, 33, 70), (5, -7)), quantized("row", (1, 64, 40), (-128, 127)),
                quantized("batch", (2, 3, 17, 33), (0, 3))]
    text = "".join(p.text for p in programs)
    module, _ = after(text, [PassStep(registry.get("hexagon-decompose-named-ops")()), *STEPS])
    run_all(programs, on_host(module, [p.name for p in programs]))
    call, asm = on_simulator(text)
    run_all(programs, call)
    assert asm.count("vrmpy") >= 3


@pytest.mark.parametrize(("type_", "size"), [("f32", (100, 64, 128)), ("f32", (64, 40, 130)), ("i32", (96, 64, 96))])
def test_large_first_factors_given_as_columns(type_, size):
    """x.T @ w, as for the gradient of weights: lines would leave the cache before all their elements were read."""
    program = contraction("ta", "matmul_transpose_a", 3, type_, type_, size)
    call, asm = on_simulator(program.text)
    run_all([program], call)
    assert "vshuff" in asm, "transposed in registers"


@pytest.mark.only_values(False)
def test_the_gradient_of_weights_takes_as_long_as_a_product():
    """128x128x128 in f32: 140,514 cycles when elements of columns were read one by one; rows take 54,840."""
    program = contraction("ta", "matmul_transpose_a", 3, "f32", "f32", (128, 128, 128))
    assert hx.compile(program.text).run(*program.arguments).cycles < 65_000


def test_factors_across_the_vectors_are_transposed_once():
    """x @ w.T; one row and a few columns do not pay for the copy, rows in threads share it."""
    programs = [contraction(f"tb_{t}_{size[0]}", "matmul_transpose_b", 3, t, ACCUMULATE[t], size)
                for t in ("f32", "f16", "i8") for size in ((8, 33, 45), (1, 12, 40))]
    programs.append(contraction("columns", "matmul_transpose_b", 3, "f32", "f32", (9, 7, 45)))
    module, _ = after("".join(p.text for p in programs), STEPS)
    text = to_text(module)
    assert text.count("linalg.transpose") == 3
    assert "memref<45x64xf32, 1>" in text and "memref<45x64xf16, 1>" in text and "memref<45x128xi8, 1>" in text
    run_all(programs, on_host(module, [p.name for p in programs]))
    program = contraction("f", "matmul_transpose_b", 3, "i8", "i32", (64, 128, 256))
    call, asm = on_simulator(program.text)
    run_all([program], call)
    assert "vrmpy" in asm and "hexmlir_rt_fork" in asm


WORDS = [(139, 185, 4), (5, 33, 132), (6, 70, 128), (4, 40, 260)]
"""Reductions that end with one word, and one of whole vectors of words."""


def test_a_single_word_is_multiplied_by_vrmpy():
    """As a loop of two words, the second one of zeros."""
    programs = products(WORDS, ("i8",))
    run_on_host(programs)
    run_all(programs, on_simulator("".join(p.text for p in programs))[0])


def test_rows_that_start_anywhere_are_packed():
    program = contraction("packed", "matmul", 7, "f32", "f32", (40, 77, 33))
    module, _ = after(program.text, STEPS)
    assert "memref<33x96xf32, 1>" in to_text(module)
    run_all([program], on_host(module, ["packed"]))


def tiles(name: str, before: str, inside: str, factor: str) -> Program:
    """Four tiles of three rows, every other one in a branch of its own; ``inside`` the loop stands before them."""
    rng = np.random.default_rng(1)
    a, b, c = (rng.integers(-128, 128, s, t) for s, t in (((12, 37), np.int8), ((37, 130), np.int8),
                                                         ((12, 130), np.int32)))
    row = "strided<[{0}, 1], offset: ?>"
    product = f"""linalg.matmul ins(%x, {factor} : memref<3x37xi8, {row.format(37)}>, memref<37x130xi8>)
                                outs(%y : memref<3x130xi32, {row.format(130)}>)"""
    arguments = ", ".join(f"%{n}: memref<{s}> {{llvm.noalias}}" for n, s in
                          (("a", "12x37xi8"), ("b", "37x130xi8"), ("c", "12x130xi32"), ("out", "12x130xi32")))
    text = f"""func.func @{name}({arguments}) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c12 = arith.constant 12 : index
      memref.copy %c, %out : memref<12x130xi32> to memref<12x130xi32>
      {before}
      scf.for %i = %c0 to %c12 step %c3 {{
        {inside}
        %x = memref.subview %a[%i, 0] [3, 37] [1, 1] : memref<12x37xi8> to memref<3x37xi8, {row.format(37)}>
        %y = memref.subview %out[%i, 0] [3, 130] [1, 1] : memref<12x130xi32> to memref<3x130xi32, {row.format(130)}>
        %parity = arith.remui %i, %c2 : index
        %odd = arith.cmpi eq, %parity, %c1 : index
        scf.if %odd {{
          {product}
        }} else {{
          {product}
        }}
      }}
      return
    }}
    """
    return Program(name, text, [a, b, c], a.astype(np.int32) @ b.astype(np.int32) + c)


COPY = "%own = memref.alloc() : memref<37x130xi8>\n"
FILL = "memref.copy %b, %own : memref<37x130xi8> to memref<37x130xi8>\n"


@pytest.mark.parametrize(("before", "inside", "factor", "copies"), [
    ("", "", "%b", (1, 0)),
    (COPY + FILL, "", "%own", (1, 0)),
    (COPY, FILL, "%own", (0, 2)),
    ("", COPY + FILL, "%own", (0, 2)),
    (COPY + FILL, "%zero = arith.constant 0 : i8\n %old = memref.load %own[%c0, %c0] : memref<37x130xi8>\n"
                  "memref.store %old, %own[%c0, %c0] : memref<37x130xi8>", "%own", (0, 2)),
], ids=["argument", "buffer", "filled-in-the-loop", "made-in-the-loop", "written-in-the-loop"])
def test_copies_that_loops_share_are_made_once(before, inside, factor, copies):
    program = tiles("f", before, inside, factor)
    module, _ = after(program.text, [*STEPS[len(BUFFERIZE):], CLEAN])
    outside, _, inner = to_text(module).partition("scf.for %arg4 = %c0 to %c12")
    made = " = memref.alloc() : memref<11x1024xi8, 1>"
    assert (outside.count(made), inner.count(made)) == copies
    run_all([program], on_host(module, ["f"]))


def test_a_buffer_that_may_overlap_another_is_copied_where_it_is_read():
    program = tiles("f", "", "", "%b")
    module, _ = after(program.text.replace("{llvm.noalias}", ""), STEPS[len(BUFFERIZE):])
    outside, _, inner = to_text(module).partition("scf.for")
    assert " = memref.alloc()" not in outside and inner.count(" = memref.alloc()") == 2
    run_all([program], on_host(module, ["f"]))


def test_dynamic_sizes():
    text = """func.func @f(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
      linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
      return
    }"""
    module, _ = after(text, STEPS[len(BUFFERIZE):])
    assert '"reduction"' not in to_text(module)
    assert "scf.if" in to_text(module)


@pytest.mark.ieee_arithmetic
def test_special_values():
    """One NaN, one infinity, one overflow: they reach their row or column and nothing else."""
    a, b = np.ones((6, 40), np.float32), np.ones((40, 70), np.float32)
    a[1, 3], a[2, 39], b[5, 69] = np.nan, np.inf, -np.inf
    a[4, 0], b[0, 0] = 3e38, 3e38
    c = np.zeros((6, 70), np.float32)
    text = contraction("f", "matmul", 0, "f32", "f32", (6, 70, 40)).text
    with np.errstate(all="ignore"):
        expected = a.astype(np.float64) @ b.astype(np.float64)
        expected = np.where(np.abs(expected) > np.finfo(np.float32).max, np.sign(expected) * np.inf, expected)
    program = Program("f", text, [a, b, c], expected, np.full(c.shape, 1e-3))
    program.error[4] = 1e33
    run_on_host([program])
    run_all([program], on_simulator(text)[0])


@pytest.mark.ieee_arithmetic
def test_as_hexagon_code(sample):
    """A size of each type, a long one of some, and convolutions that differ in more than the type."""
    ragged, long = products(RAGGED[2:5], tuple(ACCUMULATE)), products(LONG, ("f32", "f16", "i8"))
    programs = [*ragged, *long, *convolutions(), contraction("packed", "matmul", 7, "f32", "f32", (40, 77, 33)),
                contraction("batch", "batch_matmul", 1, "f16", "f32", (2, 9, 45, 17))]
    some = [ragged[3 * number + number % 3].name for number in range(len(ACCUMULATE))]
    programs = sample(programs, [*some, long[4].name, "nhwc_strided", "nchw", "depthwise_i8",
                                 "pool_max", "batch"])
    run_all(programs, on_simulator("".join(p.text for p in programs))[0])


@pytest.mark.ieee_arithmetic
def test_f16_products_are_added_in_f32():
    """1,000 products of 100 each overflow f16 and are exact in f32."""
    a, b = np.full((2, 1000), 10, np.float16), np.full((1000, 64), 10, np.float16)
    program = Program("f", contraction("f", "matmul", 0, "f16", "f32", (2, 64, 1000)).text,
                      [a, b, np.zeros((2, 64), np.float32)], np.full((2, 64), 100_000.0))
    run_on_host([program])
    run_all([program], on_simulator(program.text)[0])
