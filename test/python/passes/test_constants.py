"""Constants that stand once in a function."""

from hexagon_mlir.ir import ir, make_context, parse
from hexagon_mlir.ir.constants import SharedConstants, constant, index
from hexagon_mlir.ir.query import ops_named

TEXT = """
func.func @f(%n: index) {
  "test.first"() : () -> ()
  "test.second"() : () -> ()
  return
}
func.func @g() {
  "test.third"() : () -> ()
  return
}
"""


def made() -> tuple[ir.Module, list[int]]:
    """The module after constants were asked for at each of its operations, and how many stand in each function."""
    module = parse(TEXT, file="-", context=make_context())
    shared = SharedConstants()
    with module.context, ir.Location.unknown():
        half = ir.FloatAttr.get(ir.F32Type.get(), 0.5)
        for name in ("test.first", "test.second", "test.third"):
            for op in ops_named(module, name):
                with ir.InsertionPoint(op), shared.around(op):
                    found = [index(3), index(4), index(3), constant(half), constant(half)]
                assert found[0] == found[2]
                assert found[3] == found[4]
                ir.Operation.create("test.use", operands=found, ip=ir.InsertionPoint(op))
    module.operation.verify()
    return module, [len(ops_named(view.operation, "arith.constant")) for view in module.body.operations]


def test_a_function_has_each_constant_once_and_no_other_functions() -> None:
    module, counts = made()
    assert counts == [3, 3]
    values = [[str(operand.owner.operation.attributes["value"]) for operand in op.operands]
              for op in ops_named(module, "test.use")]
    assert values == [["3 : index", "4 : index", "3 : index", "5.000000e-01 : f32", "5.000000e-01 : f32"]] * 3


def test_outside_each_one_is_new() -> None:
    module = parse(TEXT, file="-", context=make_context())
    with module.context, ir.Location.unknown(), ir.InsertionPoint(ops_named(module, "test.first")[0]):
        assert index(3) != index(3)
