"""Running steps: records, checks, dumps."""

import pytest
from pass_infra.example import ExamplePass, RefusingPass

from hexagon_mlir import levels, targets
from hexagon_mlir.ir import HexError, parse, to_text
from hexagon_mlir.pass_infra import GENERALIZE, PassContext, PassStep, UpstreamStep, registry
from hexagon_mlir.pass_infra.runner import RunOptions, count_ops, run_steps

ADD = """func.func @add(%a: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %sum = arith.addi %a, %zero : i32
  return %sum : i32
}
"""


@pytest.fixture
def module():
    return parse(ADD, file="add.mlir")


@pytest.fixture
def context():
    return PassContext(targets.get())


def test_records(module, context):
    steps = [UpstreamStep("canonicalize"), PassStep(ExamplePass())]
    records = run_steps(module, steps, context, RunOptions(count_ops=True))
    assert [(r.title, r.ops_before, r.ops_after) for r in records] == [("canonicalize", 5, 3), ("example", 3, 3)]
    assert all(0 < r.seconds < 10 for r in records)


def test_count_ops(module):
    assert count_ops(module) == {"builtin.module": 1, "func.func": 1, "arith.constant": 1, "arith.addi": 1,
                                 "func.return": 1}


def test_options_reach_the_pass_and_remarks_the_log(module, context):
    run_steps(module, [PassStep(ExamplePass(tile_bytes=64))], context)
    assert "example.bytes = 64 : i32" in to_text(module)
    assert [(d.severity, d.origin, d.message) for d in context.log.entries] == [
        ("remark", "example", "nothing to do")]


def test_a_refusal_names_place_pass_reason_and_hint(module, context):
    with pytest.raises(HexError) as caught:
        run_steps(module, [PassStep(RefusingPass())], context)
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.origin, diagnostic.message, diagnostic.hint) == ("refusing", "no such luck", "try again")
    assert (diagnostic.place.line, diagnostic.place.column) == (1, 1)
    assert "func.func @add" in diagnostic.op_text or '"func.func"' in diagnostic.op_text


def test_input_is_on_disk_when_a_pass_raises(module, context, tmp_path):
    with pytest.raises(HexError):
        run_steps(module, [UpstreamStep("cse"), PassStep(RefusingPass())], context, RunOptions(dump_dir=tmp_path))
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "00-cse.after.mlir", "00-cse.before.mlir", "01-refusing.before.mlir"]
    left = (tmp_path / "01-refusing.before.mlir").read_text()
    assert "arith.addi" in left
    assert "example.touched" not in left, "the dump is what the pass got, not what it left"
    assert to_text(parse(left)) == left


def test_observers_see_each_step_twice(module, context):
    seen = []
    options = RunOptions(observers=[lambda i, step, when, m: seen.append((i, step.title, when))], first_index=5)
    run_steps(module, [UpstreamStep("cse"), UpstreamStep("canonicalize")], context, options)
    assert seen == [(5, "cse", "before"), (5, "cse", "after"), (6, "canonicalize", "before"),
                    (6, "canonicalize", "after")]


class BreakingStep:
    """Leaves invalid IR: a function without its terminator."""

    title, text, why = "breaking", "breaking", ""

    def run(self, module, context):
        module.body.operations[0].regions[0].blocks[0].operations[2].erase()


def test_verify_each(context):
    with pytest.raises(HexError, match=r"breaking: .*terminator"):
        run_steps(parse(ADD), [BreakingStep()], context)
    assert len(run_steps(parse(ADD), [BreakingStep()], context, RunOptions(verify_each=False))) == 1


def test_what_is_handed_on_is_verified(context):
    """Where no step follows that asks for it, it is not."""
    options = RunOptions(verify_each=False, verify_boundaries=True, first_index=3)

    class Repairing(BreakingStep):
        title = "repairing"

        def run(self, module, context):
            module.body.operations[0].operation.erase()

    careful = UpstreamStep("cse", verified=True)
    assert len(run_steps(parse(ADD), [BreakingStep(), Repairing(), careful], context, options)) == 3
    assert len(run_steps(parse(ADD), [BreakingStep(), UpstreamStep("symbol-dce")], context, options)) == 2
    for rest in ([], [careful]):
        with pytest.raises(HexError, match=r"breaking: .*terminator"):
            run_steps(parse(ADD), [BreakingStep(), *rest], context, options)


def test_what_upstream_passes_left_is_verified_at_the_end(context, monkeypatch):
    monkeypatch.setattr(UpstreamStep, "run", BreakingStep.run)
    with pytest.raises(HexError, match=r"cse: .*terminator"):
        run_steps(parse(ADD), [UpstreamStep("cse")], context)
    with pytest.raises(HexError, match=r"cse: .*terminator"):
        run_steps(parse(ADD), [PassStep(ExamplePass()), UpstreamStep("cse")], context, RunOptions(first_index=7))


@pytest.mark.parametrize("left", [False, True])
def test_a_conversion_of_a_dialect_that_is_gone_folds_nothing(context, left):
    fill = "linalg.fill ins(%a : i32) outs(%y : memref<4xi32>)" if left else ""
    module = parse(f"""func.func @f(%a: i32, %y: memref<4xi32>) -> i32 {{
      %zero = arith.constant 0 : i32
      %sum = arith.addi %a, %zero : i32
      {fill}
      return %sum : i32
    }}""")
    run_steps(module, [UpstreamStep("convert-linalg-to-loops", dialect="linalg")], context)
    counts = count_ops(module)
    assert (counts["arith.addi"], counts["scf.for"], counts["linalg.fill"]) == ((0, 1, 0) if left else (1, 0, 0))


def test_loop_nests_that_are_generic_are_left_alone(context):
    module = parse("""func.func @f(%a: i32, %y: memref<i32>) -> i32 {
      %zero = arith.constant 0 : i32
      %sum = arith.addi %a, %zero : i32
      linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
          ins(%a : i32) outs(%y : memref<i32>) {
      ^bb0(%in: i32, %out: i32):
        linalg.yield %in : i32
      }
      return %sum : i32
    }""")
    before = to_text(module)
    run_steps(module, [GENERALIZE], context)
    assert to_text(module) == before


def test_levels_are_checked_before_and_after(context):
    program = parse("llvm.func @f()")
    run_steps(program, [PassStep(ExamplePass())], context)
    with pytest.raises(HexError, match="before example: level 'tensor' does not allow dialect 'llvm'"):
        run_steps(program, [PassStep(ExamplePass())], context, RunOptions(verify_levels=True))


def test_what_was_just_checked_is_not_checked_again(module, context, monkeypatch):
    """Unless an upstream pass, which promises no level, has run since."""
    checked = []
    monkeypatch.setattr(levels, "check", lambda module, level, origin: checked.append(origin))
    own, upstream = PassStep(ExamplePass()), UpstreamStep("cse")
    run_steps(module, [own, own, upstream, own], context, RunOptions(verify_levels=True))
    assert checked == ["before example", "example", "example", "before example", "example"]


@pytest.mark.parametrize(("name", "level", "wrong"), [
    ("hexagon.in_model", "source", None), ("hexagon.may_fork", "tiled", "tensor"),
    ("hexagon.db_loop", "buffer", "tensor"), ("hexagon.tcm_slot", "runtime", "tiled"),
    ("hexagon.db_loup", None, "buffer")])
def test_a_level_knows_which_attributes_may_stand(name, level, wrong):
    module = parse(f"func.func @f() attributes {{{name}}} {{ return }}")
    if level is not None:
        levels.check(module, level, "here")
    if wrong is not None:
        with pytest.raises(HexError, match=f"here: level '{wrong}' does not allow attribute '{name}'"):
            levels.check(module, wrong, "here")


def test_an_attribute_that_the_bindings_cannot_read_is_named(context):
    module = parse("func.func @f() attributes {hexagon.in_model = array<bf16>} { return }")
    with pytest.raises(HexError, match=r"hexagon-weight-streaming: .*array<bf16>"):
        run_steps(module, [PassStep(registry.get("hexagon-weight-streaming")())], context)
