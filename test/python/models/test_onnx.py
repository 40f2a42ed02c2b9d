"""ONNX files: what is imported against ONNX's own reference implementation, whole models on the simulator."""

import sys

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from support import ROOT

import hexagon_mlir as hx
from hexagon_mlir.cli.hexmlir import main
from hexagon_mlir.frontend.onnx.model import read

sys.path.insert(0, str(ROOT))
from bench.corpus.model_zoo import PreNorm

pytestmark = pytest.mark.only_values

RANDOM = np.random.default_rng(0)


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def model_of(text, **weights):
    """A model in ONNX's text form, with ``weights`` as initializers."""
    model = onnx.parser.parse_model(f'<ir_version: 9, opset_import: ["" : 19]> g {text}')
    model.graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in weights.items())
    return model


def saved(model, folder, **options):
    onnx.save_model(model, folder / "model.onnx", **options)
    return folder / "model.onnx"


def tensors(arrays):
    return [torch.from_numpy(a) for a in arrays]


GRAPHS = {
    "broadcast": ("(float[2,5] x, float[5] y) => (float[2,5] r) { a = Mul(x, y) r = Sub(a, x) }", {}),
    "quotient": ("(int64[6] x) => (int64[6] r) { c = Constant<value = int64 {-4}>() r = Div(x, c) }", {}),
    "sizes": ("(float[2,6] x) => (float[a,b] r) { s = Shape(x) two = Constant<value = int64[1] {2}>() h = Div(s, two)"
              " i = Constant<value = int64 {1}>() w = Gather<axis=0>(h, i) one = Constant<value = int64[1] {1}>()"
              " w1 = Reshape(w, one) r = Slice(x, one, w1, one) }", {}),
    "slope of the last dimension": ("(float[2,3,4] x) => (float[2,3,4] r) { r = PRelu(x, w) }", {"w": floats(4)}),
    "slope of channels": ("(float[2,3,4] x) => (float[2,3,4] r) { r = PRelu(x, w) }", {"w": floats(3, 1)}),
    "convolution": ("(float[1,3,9] x) => (float[1,5,5] r) { r = Conv<pads=[1,1],strides=[2],kernel_shape=[3]>(x, w) }",
                    {"w": floats(5, 3, 3)}),
    "transposed convolution": ("(float[1,3,4,3] x) => (float[a,b,c,d] r) { r = ConvTranspose<strides=[2,2],"
                               "output_padding=[1,1]>(x, w) }", {"w": floats(3, 2, 3, 3)}),
    "gemm": ("(float[4,9] x, float[3,9] y) => (float[4,3] r) { r = Gemm<transB=1,alpha=0.5,beta=2.0>(x, y, b) }",
             {"b": floats(3)}),
    "resize": ("(float[1,2,3,4] x) => (float[1,2,6,8] r) { r = Resize<mode=\"nearest\",nearest_mode=\"floor\","
               "coordinate_transformation_mode=\"asymmetric\">(x, , s) }", {"s": np.float32([1, 1, 2, 2])}),
    "recurrent": ("(float[3,2,5] x) => (float[3,1,2,4] r, float[1,2,4] h) { r, h = GRU<hidden_size=4,"
                  "linear_before_reset=1>(x, w, u, b) }",
                  {"w": floats(1, 12, 5), "u": floats(1, 12, 4), "b": floats(1, 24)}),
    "norm, softmax": ("(float[2,3,5] x) => (float[2,3,5] r) { n = LayerNormalization(x, w, b) r = Softmax(n) }",
                      {"w": floats(5), "b": floats(5)}),
    "extremes": ("(float[3,7] x) => (float[3,2] r, int64[3,2] i) { k = Constant<value = int64[1] {2}>()"
                 " r, i = TopK(x, k) }", {}),
    "halves": ("(float16[2,5] x) => (float16[2,5] r) { r = Add(x, w) }", {"w": floats(5).astype(np.float16)}),
    "both directions": ("(float[4,2,3] x, float[2,2,5] h) => (float[4,2,2,5] r, float[2,2,5] e) { r, e = GRU<"
                        "hidden_size=5,direction=\"bidirectional\">(x, w, u, b, , h) }",
                        {"w": floats(2, 15, 3), "u": floats(2, 15, 5), "b": floats(2, 30)}),
    "gates in another order": ("(float[4,2,3] x, float[2,2,5] h, float[2,2,5] s) => (float[4,2,2,5] r, float[2,2,5] e,"
                               " float[2,2,5] c) { r, e, c = LSTM<hidden_size=5,direction=\"bidirectional\">"
                               "(x, w, u, b, , h, s) }",
                               {"w": floats(2, 20, 3), "u": floats(2, 20, 5), "b": floats(2, 40)}),
    "plain steps": ("(float[4,2,3] x) => (float[4,1,2,5] r, float[1,2,5] h) { r, h = RNN<hidden_size=5,"
                    "direction=\"reverse\">(x, w, u) }", {"w": floats(1, 5, 3), "u": floats(1, 5, 5)}),
    "ends and peepholes": ("(float[4,2,3] x) => (float[4,1,2,5] r, float[1,2,5] h, float[1,2,5] c) { n = Constant<value"
                           " = int32[2] {4, 2}>() r, h, c = LSTM<hidden_size=5,direction=\"reverse\">(x, w, u, b, , , ,"
                           " p) }", {"w": floats(1, 20, 3), "u": floats(1, 20, 5), "b": floats(1, 40),
                                     "p": floats(1, 15)}),
    "backwards": ("(float[7,5] x) => (float[a,b] r) { s = Constant<value = int64[2] {-1, 3}>() e = Constant<value = "
                  "int64[2] {-9, 0}>() a = Constant<value = int64[2] {0, 1}>() t = Constant<value = int64[2] {-2, -1}"
                  ">() r = Slice(x, s, e, a, t) }", {}),
    "parts": ("(float[7,2] x) => (float[3,2] r, float[4,2] q) { s = Constant<value = int64[2] {3, 4}>()"
              " r, q = Split(x, s) }", {}),
    "edges": ("(float[2,5] x) => (float[a,b] r) { p = Constant<value = int64[4] {1, 2, 0, 3}>()"
              " r = Pad<mode=\"reflect\">(x, p) }", {}),
    "uneven windows": ("(float[1,2,7,6] x) => (float[a,b,c,d] r, float[a,b,e,f] m) { r = AveragePool<kernel_shape="
                       "[3,2],strides=[2,2],pads=[1,0,0,1]>(x) m = MaxPool<kernel_shape=[3,3],strides=[2,2],auto_pad="
                       "\"SAME_UPPER\">(x) }", {}),
    "cubic": ("(float[1,2,3,4] x) => (float[1,2,7,9] r) { z = Constant<value = int64[4] {1, 2, 7, 9}>()"
              " r = Resize<mode=\"cubic\">(x, , , z) }", {}),
    "quantized": ("(float[1,3,6,6] x) => (float[1,4,6,6] r) { s = Constant<value = float {0.25}>() z = Constant<value ="
                  " uint8 {117}>() t = Constant<value = float {1.7}>() q = QuantizeLinear(x, s, z)"
                  " y = QLinearConv<pads=[1,1,1,1]>(q, s, z, w, v, o, t, z, b)"
                  " r = DequantizeLinear(y, t, z) }",
                  {"w": RANDOM.integers(-128, 128, (4, 3, 3, 3)).astype(np.int8),
                   "v": np.float32([.1, .02, .3, .04]),
                   "o": np.int8([0, 0, 0, 0]), "b": RANDOM.integers(-99, 99, 4).astype(np.int32)}),
    "sums, one-hot": ("(int64[3,4] x) => (int64[3,4] r, float[3,4,5] o) { a = Constant<value = int64 {1}>() r = CumSum<"
                      "reverse=1,exclusive=1>(x, a) d = Constant<value = int64 {5}>() v = Constant<value = float[2] "
                      "{-1.0, 2.0}>() o = OneHot(x, d, v) }", {}),
    "bounds": ("(float[9] x) => (float[9] r) { l = Constant<value = float {-0.5}>() r = Clip(x, l) }", {}),
    "what is given is given back": ("(float[3] x) => (float[3] x, float[2] c) "
                                    "{ c = Constant<value = float[2] {1.5, -2.0}>() }", {}),
}


def examples(model):
    kinds = {TensorProto.FLOAT: np.float32, TensorProto.FLOAT16: np.float16, TensorProto.INT64: np.int64}
    return [(RANDOM.standard_normal([d.dim_value for d in i.type.tensor_type.shape.dim]) * 9)
            .astype(kinds[i.type.tensor_type.elem_type]) for i in model.graph.input]


@pytest.mark.parametrize("name", GRAPHS)
def test_import(name, tmp_path):
    text, weights = GRAPHS[name]
    model = model_of(text, **weights)
    inputs = examples(model)
    got = read(saved(model, tmp_path)).export().module()(*tensors(inputs))
    expected = ReferenceEvaluator(model).run(None, dict(zip((i.name for i in model.graph.input), inputs, strict=True)))
    for ours, theirs in zip(got, expected, strict=True):
        assert ours.numpy().dtype == theirs.dtype
        np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-4, atol=1e-5)


def test_operators_of_old_files(tmp_path):
    """Version 11: attributes for inputs, and softmax over everything behind an axis."""
    model = model_of("(float[2,3,5] x) => (float[2,3,5] r, float[2,3,5] s, float[2,1] e) { u = Unsqueeze<axes=[1]>(x)"
                     " r = Squeeze<axes=[1]>(u) s = LogSoftmax(x) t = ReduceSum<axes=[1],keepdims=0>(x)"
                     " p = ReduceMax<axes=[1]>(t) e = Erf(p) }")
    model.opset_import[0].version = 11
    (x,) = examples(model)
    got = read(saved(model, tmp_path)).export().module()(torch.from_numpy(x))
    logs = torch.from_numpy(x).flatten(1).log_softmax(1).reshape(2, 3, 5)
    np.testing.assert_array_equal(got[0].numpy(), x)
    torch.testing.assert_close(got[1], logs, rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(got[2], torch.from_numpy(x).sum(1).amax(1, keepdim=True).erf())


HEADS = """(float[1,10,32] x) => (float[1,10,32] r) {
  s = Constant<value = int64[4] {0, 0, 2, 16}>()  t = Constant<value = int64[3] {0, 0, -1}>()
  n = LayerNormalization(x, g, h)  a = MatMul(n, w)  q, k, v = Split<axis=-1,num_outputs=3>(a)
  q1 = Reshape(q, s)  q2 = Transpose<perm=[0,2,1,3]>(q1)
  k1 = Reshape(k, s)  k2 = Transpose<perm=[0,2,3,1]>(k1)
  v1 = Reshape(v, s)  v2 = Transpose<perm=[0,2,1,3]>(v1)
  z = MatMul(q2, k2)  z1 = Mul(z, f)  p = Softmax<axis=-1>(z1)  o = MatMul(p, v2)
  o1 = Transpose<perm=[0,2,1,3]>(o)  o2 = Reshape(o1, t)  r = Add(x, o2) }"""
MODELS = {
    "perceptron": ("(float[3,20] x) => (float[3,5] r) { a = Gemm<transB=1>(x, w, b) c = Relu(a) r = MatMul(c, v) }",
                   {"w": floats(33, 20), "b": floats(33), "v": floats(33, 5)}),
    "convolutions": ("(float[1,3,9,9] x) => (float[1,10] r) { a = Conv<pads=[1,1,1,1]>(x, w, b)"
                     " n = BatchNormalization(a, g, h, m, v) c = Relu(n)"
                     " p = MaxPool<kernel_shape=[3,3],strides=[2,2]>(c)"
                     " q = GlobalAveragePool(p) f = Flatten(q) r = Gemm(f, u) }",
                     {"w": floats(8, 3, 3, 3), "b": floats(8), "g": floats(8), "h": floats(8), "m": floats(8),
                      "v": floats(8) ** 2 + 1, "u": floats(8, 10)}),
    "attention": (HEADS, {"g": floats(32), "h": floats(32), "w": floats(32, 96) / 6, "f": np.float32(0.25)}),
}


@pytest.mark.full_except("convolutions", "attention")
@pytest.mark.parametrize("name", MODELS)
def test_model(name, tmp_path):
    text, weights = MODELS[name]
    model = model_of(text, **weights)
    x = examples(model)[0] / 9
    compiled = hx.compile(saved(model, tmp_path))
    (got,) = compiled(torch.from_numpy(x))
    (expected,) = ReferenceEvaluator(model).run(None, {"x": x})
    np.testing.assert_allclose(got.numpy(), expected, rtol=0, atol=2e-5)
    if name == "attention":
        assert any("attention" in kernel.name for kernel in compiled.schedule.kernels)


def test_weights_beside_the_file_are_not_copied(tmp_path):
    table = floats(300, 16)
    model = model_of("(int64[3] x) => (float[3,16] r) { r = Gather(w, x) }", w=table)
    file = saved(model, tmp_path, save_as_external_data=True, location="weights.bin", size_threshold=0)
    program = read(file).export()
    places = {t.data_ptr() for t in program.state_dict.values()}
    compiled = hx.compile(program)
    assert {t.data_ptr() for t in compiled.signature.constants.values() if t.numel() == table.size} <= places
    (got,) = compiled(torch.tensor([299, 0, 7]))
    np.testing.assert_array_equal(got.numpy(), table[[299, 0, 7]])
    for location, message in (("../weights.bin", "outside the model's folder"), ("none.bin", "No such file")):
        moved = onnx.load(file, load_external_data=False)
        moved.graph.initializer[0].external_data[0].value = location
        onnx.save(moved, tmp_path / "moved.onnx")
        with pytest.raises(hx.HexError, match=message):
            read(tmp_path / "moved.onnx")
    (tmp_path / "weights.bin").write_bytes(b"short")
    with pytest.raises(hx.HexError, match="the bytes of 'w' end too early"):
        read(file)


@pytest.mark.ieee_arithmetic
def test_sizes_known_later(tmp_path, monkeypatch, capsys):
    model = model_of("(float[n,4] x, float[n,1] y) => (float[n,4] r) { r = Add(x, y) }")
    monkeypatch.chdir(tmp_path)
    compiled = hx.compile(saved(model, tmp_path))
    for rows in (2, 5):
        (got,) = compiled(torch.ones(rows, 4), torch.full((rows, 1), 2.0))
        assert torch.equal(got, torch.full((rows, 4), 3.0))
    for wrong, message in (((3, 1), "input 'y' of sizes (3, 1) is declared with n, 1"), ((2,), "with 2 dimensions")):
        with pytest.raises(hx.HexError) as caught:
            compiled(torch.ones(2, 4), torch.ones(wrong))
        assert message in str(caught.value)
    np.save("x.npy", np.ones((2, 4), np.float32)), np.save("y.npy", np.full((2, 1), -3.0, np.float32))
    assert main(["run", "model.onnx", "--args", "x.npy", "y.npy", "--out=out"]) == 0
    assert np.array_equal(np.load("out/result0.npy"), np.full((2, 4), -2.0))
    assert main(["compile", "model.onnx", "-o", "dir", "--shapes=5x4,5x1"]) == 0
    (got,) = hx.load("dir")(torch.ones(5, 4), torch.ones(5, 1))
    assert torch.equal(got, torch.full((5, 4), 2.0))
    capsys.readouterr()
    for words, message in (([], "hint: say which: --shapes="), (["--shapes=5x4"], "2 inputs, 1 shapes are given"),
                           (["--shapes=5*4,1"], "cannot read '5*4' in --shapes")):
        assert main(["compile", "model.onnx", "-o", "other", *words]) == 1
        error = capsys.readouterr().err
        assert message in error and "Traceback" not in error


def test_shapes_computed_from_sizes(tmp_path):
    model = model_of("(float[n,6] x) => (float[a,b,c] r, float[d,e] z) { s = Shape(x) i = Constant<value = int64 {0}>()"
                     " n0 = Gather(s, i) n1 = Unsqueeze(n0, i) l = Constant<value = int64[2] {2, -1}>()"
                     " t = Concat<axis=0>(n1, l) r = Reshape(x, t) k = Constant<value = int64[2] {0, 6}>()"
                     " z = Reshape<allowzero=0>(x, k) }")
    source = read(saved(model, tmp_path))
    for rows in (1, 5):
        x = torch.randn(rows, 6)
        got = source.export((x,)).module()(x)
        assert torch.equal(got[0], x.reshape(rows, 2, 3)) and torch.equal(got[1], x)


class Gpt(torch.nn.Module):
    """A layer of GPT-2, with positions."""

    def __init__(self):
        super().__init__()
        self.words, self.places = torch.nn.Embedding(50, 32), torch.nn.Embedding(16, 32)
        self.layer = PreNorm(32, 2, causal=True)

    def forward(self, tokens):
        return self.layer(self.words(tokens) + self.places(torch.arange(tokens.shape[1])))


def test_what_pytorch_exports_with_dynamic_axes(tmp_path):
    """The exporter that needs nothing but PyTorch: its files compute shapes from sizes everywhere."""
    module, file = Gpt().eval(), str(tmp_path / "gpt.onnx")
    torch.onnx.export(module, (torch.zeros(2, 5, dtype=torch.int64),), file, dynamo=False, input_names=["tokens"],
                      dynamic_axes={"tokens": {0: "batch", 1: "length"}})
    source, compiled = read(file), hx.compile(file)
    for shape in ((3, 1), (1, 7)):
        tokens = torch.randint(0, 50, shape)
        with torch.no_grad():
            expected = module(tokens)
            torch.testing.assert_close(source.export((tokens,)).module()(tokens), (expected,), rtol=0, atol=2e-6)
    torch.testing.assert_close(compiled(tokens)[0], expected, rtol=0, atol=1e-5)
    assert [remark.message for remark in compiled.remarks] == [
        "compiled for each combination of sizes: it is not defined at other sizes: index out of range in self",
        "compiled for 1x7, sizes number 1"]


def test_as_many_arguments_as_inputs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    saved(model_of("(float[3] x) => (float[3] r) { r = Relu(x) }"), tmp_path)
    np.save("x.npy", np.array([-1, 0, 2], np.float32))
    for words in ([], ["--args", "x.npy", "x.npy"]):
        assert main(["run", "model.onnx", *words]) == 1
        assert f"takes 1 arguments, {len(words[1:])} given" in capsys.readouterr().err


def unknown():
    model = model_of("(float[3] x) => (float[3] r) { r = Relu(x) }")
    model.graph.node[0].op_type, model.graph.node[0].name = "Rectify", "first"
    return model


WRONG = {
    "unknown operator": (unknown, "No Op registered for Rectify"),
    "no lowering": (lambda: model_of("(int64[9] x) => (float[a] r) { r = TfIdfVectorizer<mode=\"TF\",min_gram_length"
                                     "=1,max_gram_length=1,max_skip_count=0,ngram_counts=[0],ngram_indexes=[0]>(x) }"),
                    "no lowering for 'TfIdfVectorizer'"),
    "depends on values": (lambda: model_of("(float[6] x, int64[1] n) => (float[a] r) { z = Constant<value = int64[1]"
                                           " {0}>() r = Slice(x, z, n) }"),
                          "depends on the values of inputs (node 'Slice number 0')"),
    "text": (lambda: model_of("(string[3] x) => (string[3] r) { r = Identity(x) }"),
             "'x' has elements of type STRING"),
    "no order": (lambda: model_of("(float[3] x) => (float[3] r) { r = Relu(y) y = Relu(x) }"), "sorted"),
}


@pytest.mark.parametrize("name", WRONG)
def test_errors(name, tmp_path):
    make, message = WRONG[name]
    with pytest.raises(hx.HexError) as caught:
        hx.compile(saved(make(), tmp_path))
    assert message in str(caught.value) and str(caught.value).startswith(f"{tmp_path}/model.onnx: error: onnx-import: ")


@pytest.mark.parametrize("content", [b"", b"not a model", b"\x08\x09\xff\xff", None])
def test_files_that_hold_no_model(content, tmp_path):
    if content is not None:
        (tmp_path / "model.onnx").write_bytes(content)
    with pytest.raises(hx.HexError, match=r"model\.onnx: error: onnx-import: cannot read"):
        hx.compile(tmp_path / "model.onnx")


def test_local_functions_are_inlined(tmp_path):
    model = model_of("(float[3] x) => (float[3] r) { r = Relu(x) }")
    body = [helper.make_node("Mul", ["a", "a"], ["b"])]
    model.functions.append(helper.make_function("own", "square", ["a"], ["b"], body, [helper.make_opsetid("", 19)]))
    model.opset_import.append(helper.make_opsetid("own", 1))
    model.graph.node[0].CopyFrom(helper.make_node("square", ["x"], ["r"], domain="own"))
    (got,) = read(saved(model, tmp_path)).export().module()(torch.tensor([1.0, -2.0, 3.0]))
    assert got.tolist() == [1.0, 4.0, 9.0]


CASES = {
    "constant end": ("(float[n, 4] x) => (float[m, 4] r) { z = Constant<value = int64[1] {0}>() "
                     "e = Constant<value = int64[1] {64}>() s = Slice(x, z, e, z) r = Relu(s) }", lambda x: x[:64]),
    "end from the end": ("(float[n, 4] x) => (float[m, 4] r) { z = Constant<value = int64[1] {0}>() "
                         "e = Constant<value = int64[1] {-9}>() s = Slice(x, z, e, z) r = Relu(s) }", lambda x: x[:-9]),
    "least": ("(float[n, 4] x) => (float[m, 4] r) { z = Constant<value = int64[1] {0}>() "
              "o = Constant<value = int64[1] {1}>() k = Constant<value = int64[1] {40}>() h = Shape(x) "
              "b = Slice(h, z, o) e = Min(b, k) s = Slice(x, z, e, z) r = Relu(s) }", lambda x: x[:40]),
    "even": ("(float[n, 4] x) => (float[m, 4] r) { z = Constant<value = int64[1] {0}>() "
             "o = Constant<value = int64[1] {1}>() k = Constant<value = int64[1] {2}>() h = Shape(x) "
             "b = Slice(h, z, o) q = Div(b, k) e = Mul(q, k) s = Slice(x, z, e, z) r = Relu(s) }",
             lambda x: x[:len(x) // 2 * 2]),
    "even in floats": ("(float[n, 4] x) => (float[m, 4] r) { z = Constant<value = int64[1] {0}>() "
                       "o = Constant<value = int64[1] {1}>() k = Constant<value = float[1] {2.0}>() h = Shape(x) "
                       "b = Slice(h, z, o) f = Cast<to = 1>(b) q = Div(f, k) i = Cast<to = 7>(q) "
                       "e = Add(i, i) s = Slice(x, z, e, z) r = Relu(s) }", lambda x: x[:len(x) // 2 * 2]),
    "constant columns": ("(float[n, 4] x) => (float[n, 2] r) { z = Constant<value = int64[1] {1}>() "
                         "e = Constant<value = int64[1] {3}>() s = Slice(x, z, e, z) r = Relu(s) }",
                         lambda x: x[:, 1:3]),
}


@pytest.mark.full_except("even", "end from the end", "constant columns")
@pytest.mark.parametrize("name", CASES)
def test_sizes_with_several_cases(name, tmp_path):
    """No formula gives them: they are compiled for each size. A slice of constant columns is one for any rows."""
    text, expected = CASES[name]
    model = hx.compile(saved(model_of(text), tmp_path))
    for rows in (5, 8, 11, 40, 41, 100):
        x = torch.randn(rows, 4)
        found = model(x)
        torch.testing.assert_close(found[0] if isinstance(found, tuple | list) else found, expected(x).relu(), rtol=0,
                                   atol=0)
    once = [remark.message for remark in model.remarks if "compiled once for any sizes" in remark.message]
    assert bool(once) == (name == "constant columns")
