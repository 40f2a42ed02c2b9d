"""Operations made without the bindings' builders are those that the builders make."""

from hexagon_mlir.ir import arith, ir, linalg, make, make_context, parse, to_text, vector

TEXT = """
func.func @f(%x: memref<8x32xf32>, %v: vector<32xf32>, %s: f32, %i: index, %n: index) {
  return
}
"""


def body(builder: object, arithmetic: object) -> str:
    """The function with one of each operation."""
    module = parse(TEXT, file="-", context=make_context())
    block = module.body.operations[0].regions[0].blocks[0]
    x, v, s, i, n = block.arguments
    with module.context, ir.Location.unknown(), ir.InsertionPoint(block.operations[0]):
        at = [arithmetic.muli(arithmetic.addi(i, n), n), arithmetic.subi(n, i)]
        loaded = builder.load(v.type, x, at, alignment=128)
        splat = builder.broadcast(v.type, s)
        low = builder.shuffle(loaded, splat, list(range(16, 48)))
        builder.store(low, x, [i, n], alignment=4)
    assert module.operation.verify()
    return str(module)


def test_same_operations():
    text = body(make, make)
    assert text == body(vector, arith)
    for expected in ("arith.muli", "arith.subi", "vector.load %arg0", "alignment = 128", "vector.broadcast %arg2",
                     "vector.shuffle", "vector.store"):
        assert expected in text


def test_fill_is_that_of_the_bindings():
    texts = []
    for fill in (lambda value, target: make.fill(value, target),
                 lambda value, target: linalg.fill(value, outs=[target])):
        module = parse("func.func @f(%x: memref<8xf32>, %t: tensor<4x?xf32>, %s: f32) { return }", file="-",
                       context=make_context())
        block = module.body.operations[0].regions[0].blocks[0]
        x, t, s = block.arguments
        with module.context, ir.Location.unknown(), ir.InsertionPoint(block.operations[0]):
            fill(s, x)
            fill(s, t)
        assert module.operation.verify()
        texts.append(to_text(module, generic=True))
    assert texts[0] == texts[1]
    assert texts[0].count('"linalg.fill"') == 2


def test_shuffle_has_as_many_lanes_as_asked_for():
    module = parse(TEXT, file="-", context=make_context())
    block = module.body.operations[0].regions[0].blocks[0]
    with module.context, ir.Location.unknown(), ir.InsertionPoint(block.operations[0]):
        both = make.shuffle(block.arguments[1], block.arguments[1], list(range(64)))
        assert str(both.type) == "vector<64xf32>"
        assert str(make.binary("arith.mulf", both, both).type) == "vector<64xf32>"
    assert module.operation.verify()
