"""The Python interface: what it accepts, what it gives back, and each of its errors."""

import numpy as np
import pytest
from stage_cases import example, triton_cases

import hexagon_mlir as hx
from hexagon_mlir import pipelines
from hexagon_mlir.ir import HexError, ir, make_context, parse, to_text
from hexagon_mlir.ir.query import element_bytes

ADD = """func.func @add(%x: tensor<{n}xf32>, %y: tensor<{n}xf32>) -> tensor<{n}xf32> {{
  %0 = arith.addf %x, %y : tensor<{n}xf32>
  return %0 : tensor<{n}xf32>
}}
"""
TEXT = ADD.format(n=100)
X, Y = np.arange(100, dtype=np.float32), np.full(100, 0.5, np.float32)
SIGNATURE = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}


@pytest.fixture(scope="module")
def kernel():
    return hx.compile(TEXT)


class TestSources:
    @pytest.mark.ieee_arithmetic
    def test_text_path_and_module(self, tmp_path):
        path = tmp_path / "add.mlir"
        path.write_text(TEXT)
        module = parse(TEXT)
        before = to_text(module)
        for source in (TEXT, path, str(path), module):
            np.testing.assert_array_equal(hx.compile(source).run(X, Y).outputs[0], X + Y)
        assert to_text(module) == before, "the caller's module was changed"

    @pytest.mark.parametrize("writable", [False, True])
    def test_tensor_arguments_are_values(self, writable):
        """The header says ``const``: an update in place would write a caller's weights."""
        attribute = " {bufferization.writable = true}" if writable else ""
        kernel = hx.compile(f"""
func.func @insert(%x: tensor<20x20xf32>{attribute}, %y: tensor<20xf32>) -> tensor<20x20xf32> {{
  %0 = tensor.insert_slice %y into %x[3, 0] [1, 20] [1, 1] : tensor<20xf32> into tensor<20x20xf32>
  return %0 : tensor<20x20xf32>
}}
""")
        x, y = np.ones((20, 20), np.float32), np.zeros(20, np.float32)
        result, = kernel.run(x, y).outputs
        assert (result[3] == 0).all() and result.sum() == 380
        assert x.sum() == (380 if writable else 400) and kernel.interface.arguments[0].by_value != writable

    @pytest.mark.ieee_arithmetic
    def test_triton_kernel(self):
        kernel = hx.compile(example("vector_add").vector_add, signature=SIGNATURE, constants={"BLOCK": 64})
        out = np.zeros(100, np.float32)
        run = kernel.run(X, Y, out, 100, grid=(2,))
        assert run.outputs == ()
        np.testing.assert_array_equal(out, X + Y)

    @pytest.mark.ieee_arithmetic
    def test_entry(self):
        two = TEXT + TEXT.replace("@add", "@sub").replace("arith.addf", "arith.subf")
        np.testing.assert_array_equal(hx.compile(two, entry="sub").run(X, Y).outputs[0], X - Y)


class TestRuns:
    @pytest.mark.ieee_arithmetic
    @pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 127, 129, 513])
    @pytest.mark.parametrize("pipeline", pipelines.names())
    def test_ragged(self, n, pipeline):
        x = np.linspace(-1, 1, n, dtype=np.float32)
        run = hx.compile(ADD.format(n=n), pipeline=pipeline).run(x, x)
        np.testing.assert_array_equal(run.outputs[0], x + x)

    @pytest.mark.parametrize("pipeline", pipelines.names())
    def test_tensor_arguments_are_left_alone(self, pipeline):
        x, y = X.copy(), Y.copy()
        hx.compile(TEXT, pipeline=pipeline).run(x, y)
        assert x.tobytes() == X.tobytes() and y.tobytes() == Y.tobytes()

    def test_two_results(self):
        text = ("func.func @f(%x: tensor<40xi32>) -> (tensor<40xi32>, tensor<40xi32>) {\n"
                "  %0 = arith.addi %x, %x : tensor<40xi32>\n  %1 = arith.muli %x, %x : tensor<40xi32>\n"
                "  return %0, %1 : tensor<40xi32>, tensor<40xi32>\n}\n")
        x = np.arange(-20, 20, dtype=np.int32)
        double, square = hx.compile(text).run(x).outputs
        np.testing.assert_array_equal(double, x + x)
        np.testing.assert_array_equal(square, x * x)

    @pytest.mark.ieee_arithmetic
    def test_torch(self, kernel):
        torch = pytest.importorskip("torch")
        run = kernel.run(torch.from_numpy(X.copy()), torch.from_numpy(Y.copy()))
        np.testing.assert_array_equal(run.outputs[0], X + Y)

    def test_same_input_same_cycles(self, kernel):
        assert kernel.run(X, Y).cycles == kernel.run(X, Y).cycles > 0


class TestViews:
    def test_stages(self, kernel):
        assert kernel.stages[0] == "source"
        assert "arith.addf" in kernel.ir("source") and "tensor<100xf32>" in kernel.ir("source")
        assert "memory_space = 1" in kernel.ir("hexagon-tcm-tiling")
        assert "vector.maskedstore" in kernel.ir("hexagon-vectorization")

    def test_assembly_and_llvm(self, kernel):
        assert "\nadd:" in kernel.asm and "vadd(" in kernel.asm
        assert "define void @add(ptr" in kernel.llvm_ir
        assert kernel.target == "v75"

    def test_report(self, tmp_path):
        kernel = hx.compile(TEXT)
        before = kernel.report()
        cycles = kernel.run(X, Y).cycles
        text = kernel.report(tmp_path / "r.txt")
        assert (tmp_path / "r.txt").read_text() == text != before
        assert str(cycles) in text.replace(",", "")

    def test_dump(self, tmp_path):
        hx.compile(TEXT, dump_dir=tmp_path, verify_levels=True)
        names = sorted(p.name for p in tmp_path.iterdir())
        assert any("hexagon-vectorization.before" in n for n in names)
        assert any("hexagon-vectorization.after" in n for n in names)


SCALAR = "func.func @f(%x: f32) -> f32 {\n  return %x : f32\n}\n"


def taking(type_):
    """A function that does nothing with an argument of ``type_``."""
    return f"func.func @f(%x: {type_}) {{\n  return\n}}\n"


@pytest.mark.parametrize(("call", "message"), [
    (lambda: hx.compile(3), "cannot compile a int"),
    (lambda: hx.compile("/no/such/file.mlir"), "cannot read the file"),
    (lambda: hx.compile("not\nmlir"), "error"),
    (lambda: hx.compile(TEXT, pipeline="fast"), "unknown pipeline 'fast'"),
    (lambda: hx.compile(TEXT, target="v1"), "unknown target 'v1'"),
    (lambda: hx.compile(TEXT, entry="sub"), "no public function 'sub'"),
    (lambda: hx.compile(TEXT + TEXT.replace("@add", "@b")), "the module has 2 public functions"),
    (lambda: hx.compile("module {\n}\n"), "the module has 0 public functions"),
    (lambda: hx.compile(SCALAR), "a function that returns a scalar"),
    (lambda: hx.compile(taking("tensor<7xi4>")), "argument 0 has elements of type i4"),
    (lambda: hx.compile(taking("tensor<8xui8>")), "argument 0 has elements of type ui8"),
    (lambda: hx.compile(taking("memref<8xf32, strided<[1], offset: 3>>")), "argument 0 has a layout"),
    (lambda: hx.compile(taking("tensor<65536x65536xf32>")), "argument 0 of 17179869184 bytes"),
    (lambda: hx.compile(taking("memref<2147483648xi8>")), "argument 0 of 2147483648 bytes"),
    (lambda: hx.compile(example("vector_add").vector_add), "needs a signature"),
], ids=range(15))
def test_compile_errors(call, message):
    with pytest.raises(HexError) as caught:
        call()
    assert message in str(caught.value)


@pytest.mark.parametrize(("type_", "size"), [("i1", 1), ("i8", 1), ("i12", 2), ("f16", 2), ("i24", 4), ("index", 4),
                                             ("f32", 4), ("i48", 8), ("f64", 8), ("i128", 16)])
def test_bytes_of_elements(type_, size):
    """As LLVM lays arrays out: 12 bits take two bytes, not one."""
    with make_context():
        assert element_bytes(ir.Type.parse(type_)) == size


@pytest.mark.parametrize(("arguments", "message"), [
    ((X,), "add takes 2 arguments, 1 given"),
    ((X, 3.0), "argument 1 of add is a tensor, not a float"),
    ((X, Y.astype(np.float64)), "argument 1 of add has elements of type float64, compiled for f32"),
    ((X, Y[:50]), "argument 1 of add has shape (50,), compiled for (100,)"),
    ((np.zeros(200, np.float32)[::2], Y), "argument 0 of add is not contiguous"),
])
def test_run_errors(kernel, arguments, message):
    with pytest.raises(HexError) as caught:
        kernel.run(*arguments)
    assert message in str(caught.value)


def test_unknown_stage(kernel):
    with pytest.raises(HexError, match="no stage 'nothing'"):
        kernel.ir("nothing")


def test_a_triton_kernel_needs_a_grid():
    case = triton_cases()[0]
    kernel = hx.compile(case.text())
    with pytest.raises(HexError, match="needs a grid"):
        kernel.run(*case.arguments)
    with pytest.raises(HexError, match="argument 3 of vector_add is a scalar of type i32, not a ndarray"):
        kernel.run(*case.arguments[:3], X, grid=(1,))
    for grid in (1.5, (-1,), (), (1, 1, 1, 1)):
        with pytest.raises(HexError, match=r"vector_add: a grid of \(.*\) programs"):
            kernel.run(*case.arguments, grid=grid)


def test_only_a_triton_kernel_has_a_grid(kernel):
    with pytest.raises(HexError, match="add is no Triton kernel and has no grid"):
        kernel.run(X, Y, grid=(2,))
