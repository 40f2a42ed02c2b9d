"""`hexagon-matrix-engine`: batches of products in groups: their order, their estimate, and values of every layout."""

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
from hexagon_mlir.passes.matrix_engine.batch_schedule import Groups, choose_groups, group_bytes
from hexagon_mlir.passes.matrix_engine.estimate import Rates, Sizes
from hexagon_mlir.passes.matrix_engine.schedule import LEFT, RIGHT, Fetch

pytestmark = pytest.mark.only_values

RATES = Rates.of(targets.get())
MIB = 1 << 20


def test_order_of_groups():
    """Both factors of the next group are transferred before a group is packed."""
    first, second, third = Groups((2, 3), outer=2).steps[:3]
    assert Groups((2, 3), outer=2).places == [(0, 0, 2), (0, 2, 3), (1, 0, 2), (1, 2, 3)]
    assert first.fetches == (Fetch(LEFT, 0), Fetch(RIGHT, 0), Fetch(LEFT, 1), Fetch(RIGHT, 1))
    assert second.fetches == third.factors == (Fetch(LEFT, 2), Fetch(RIGHT, 2))
    assert all(step.packs == step.factors for step in (first, second, third))
    assert not Groups((4,)).steps[0].fetches[2:]


@pytest.mark.parametrize(("outer", "count", "sizes", "groups"), [
    (1, 8, (96, 64, 64), 1), (1, 12, (197, 197, 64), 3), (2, 1, (64, 64, 64), 2), (1, 100, (64, 64, 64), 4)])
def test_every_choice_fits_and_covers(outer, count, sizes, groups):
    found, cycles = choose_groups(outer, count, Sizes(*sizes), 8 * MIB, RATES)
    assert (sum(found.counts), found.outer) == (count, outer)
    assert groups <= len(found.steps) <= 4 * groups
    assert group_bytes(found, Sizes(*sizes)) <= 8 * MIB
    rows, columns, steps = sizes
    moved = 2 * (rows * steps + steps * columns + rows * columns)
    assert cycles > outer * count * moved / RATES.dma.rate


def test_no_group_fits():
    """One product exceeds the TCM, or there are so many that each group would."""
    assert choose_groups(1, 2, Sizes(4096, 4096, 4096), 8 * MIB, RATES) is None
    assert choose_groups(1, 1000, Sizes(512, 512, 64), 8 * MIB, RATES) is None
    assert choose_groups(1000, 2, Sizes(32, 32, 32), 8 * MIB, RATES) is None


@pytest.mark.parametrize(("size", "engine"), [
    ((8, 96, 64, 64), 18086), ((64, 8, 16, 16), 51204), ((16, 32, 32, 32), 18950), ((12, 197, 197, 64), 58905),
    ((2, 64, 64, 64), 7929), ((30, 20, 20, 20), 43988), ((6, 77, 40, 13), 21789)])
def test_estimates(size, engine):
    """Within a fourth of what was measured."""
    count, *sizes = size
    assert choose_groups(1, count, Sizes(*sizes), 8 * MIB, RATES)[1] == pytest.approx(engine, rel=0.25)


def products(name: str, extents: dict[str, int], orders: tuple[str, str, str], reads: str = "",
             scale: float = 1.0, into: str = "") -> Program:
    """A sum over k for every other letter; rounded, then halved, plus a tensor in the order ``reads``, at least -1, as
    f32. Without ``reads`` it is only rounded, to the order ``into``."""
    rng = np.random.default_rng(len(name) + sum(extents.values()))
    loops = "".join(sorted(extents))
    left, right = (rng.normal(0, scale, [extents[loop] for loop in order]).astype(np.float16) for order in orders[:2])
    exact = np.einsum(f"{orders[0]},{orders[1]}->{orders[2]}", left.astype(np.float64), right.astype(np.float64))
    added = rng.normal(0, 1, [extents[loop] for loop in reads]).astype(np.float16)
    maps = [f"affine_map<({', '.join(loops)}) -> ({', '.join(order)})>" for order in orders]
    shapes = ["x".join(str(extents[loop]) for loop in order) for order in orders]
    kinds = ", ".join('"reduction"' if loop == "k" else '"parallel"' for loop in loops)
    into = into or orders[2]
    rounded = "x".join(str(extents[loop]) for loop in into)
    last, to = ", ".join(into), "f32" if reads else "f16"
    given = "x".join([*(str(extents[loop]) for loop in reads), "f16"])
    body = """
        %half = arith.constant 0.5 : f16
        %least = arith.constant -1.0 : f32
        %t = arith.truncf %x : f32 to f16
        %h = arith.mulf %t, %half : f16
        %y0 = arith.extf %h : f16 to f32
        %y1 = arith.extf %y : f16 to f32
        %s = arith.addf %y0, %y1 : f32
        %r = arith.maximumf %s, %least : f32
        linalg.yield %r : f32""" if reads else """
        %t = arith.truncf %x : f32 to f16
        linalg.yield %t : f16"""
    results, sums = (f"affine_map<({last}) -> ({', '.join(order)})>" for order in (into, orders[2]))
    text = f"""
      func.func @{name}(%a: tensor<{shapes[0]}xf16>, %b: tensor<{shapes[1]}xf16>
          {f", %c: tensor<{given}>" * bool(reads)})
          -> tensor<{rounded}x{to}> {{
        %zero = arith.constant 0.0 : f32
        %e = tensor.empty() : tensor<{shapes[2]}xf32>
        %o = tensor.empty() : tensor<{rounded}x{to}>
        %i = linalg.fill ins(%zero : f32) outs(%e : tensor<{shapes[2]}xf32>) -> tensor<{shapes[2]}xf32>
        %0 = linalg.generic {{indexing_maps = [{", ".join(maps)}], iterator_types = [{kinds}]}}
            ins(%a, %b : tensor<{shapes[0]}xf16>, tensor<{shapes[1]}xf16>) outs(%i : tensor<{shapes[2]}xf32>) {{
          ^bb0(%x: f16, %y: f16, %old: f32):
            %p = arith.extf %x : f16 to f32
            %q = arith.extf %y : f16 to f32
            %m = arith.mulf %p, %q : f32
            %s = arith.addf %old, %m : f32
            linalg.yield %s : f32
        }} -> tensor<{shapes[2]}xf32>
        %1 = linalg.generic {{indexing_maps = [{sums},
            {f"affine_map<({last}) -> ({', '.join(reads)})>, " * bool(reads)}{results}],
            iterator_types = [{", ".join(['"parallel"'] * len(orders[2]))}]}}
            ins(%0{", %c" * bool(reads)} : tensor<{shapes[2]}xf32>{f", tensor<{given}>" * bool(reads)})
            outs(%o : tensor<{rounded}x{to}>) {{
          ^bb0(%x: f32, {"%y: f16, " * bool(reads)}%old: {to}):{body}
        }} -> tensor<{rounded}x{to}>
        return %1 : tensor<{rounded}x{to}>
      }}"""
    size = np.einsum(f"{orders[0]},{orders[1]}->{orders[2]}", np.abs(left).astype(np.float64),
                     np.abs(right).astype(np.float64))
    bound = 2.0**-10 * np.abs(exact) + 2.0**-20 * size + 2.0**-16
    if not reads:
        turned = [orders[2].index(loop) for loop in into]
        return Program(name, text, [left, right], exact.transpose(turned), bound.transpose(turned),
                       np.dtype(np.float16))
    loops_of = {loop: number for number, loop in enumerate(orders[2])}
    shape = [1] * len(orders[2])
    for loop in reads:
        shape[loops_of[loop]] = extents[loop]
    whole = added.astype(np.float64).transpose(np.argsort([loops_of[loop] for loop in reads])).reshape(shape)
    return Program(name, text, [left, right, added], np.maximum(exact / 2 + whole, -1), bound, np.dtype(np.float32))


def sizes(b: int, m: int, n: int, k: int, a: int = 0) -> dict[str, int]:
    return {**({"a": a} if a else {}), "b": b, "m": m, "n": n, "k": k}


BMK = "bmk", "bkn", "bmn"


def programs() -> list[Program]:
    """Whole tiles and ragged ones, short rows, transposed operands, several batches, batches that are not first."""
    return [products("whole", sizes(8, 96, 64, 64), BMK), products("ragged", sizes(5, 35, 70, 45), BMK),
            products("one_tile", sizes(7, 32, 32, 32), BMK), products("short", sizes(6, 5, 7, 3), BMK),
            products("several", sizes(13, 64, 100, 200), BMK),
            products("turned", sizes(3, 33, 70, 45), ("bkm", "bnk", "bnm")),
            products("turned_left", sizes(3, 64, 64, 96), ("bkm", "bkn", "bmn")),
            products("turned_right", sizes(4, 40, 64, 96), ("bmk", "bnk", "bmn")),
            products("outer", sizes(3, 40, 50, 33, a=2), ("abmk", "abkn", "abmn")),
            products("inner_first", sizes(3, 40, 50, 33, a=2), ("bamk", "abkn", "bmna")),
            products("between", sizes(3, 40, 50, 33), ("mbk", "bkn", "bmn")),
            products("added", sizes(4, 40, 50, 33), BMK, "bmn"), products("masked", sizes(4, 40, 50, 33), BMK, "mn"),
            products("of_batch", sizes(4, 40, 50, 33), BMK, "bn"),
            products("rounded_into", sizes(4, 40, 50, 33), BMK, into="mnb"),
            products("large", sizes(3, 40, 40, 64), BMK, scale=15.0)]


def test_on_the_host():
    found = programs()
    module, context = after("".join(program.text for program in found),
                            [PassStep(registry.get("hexagon-matrix-engine")(always=True))])
    assert not context.log.entries
    texts = {program.name: part for program, part in zip(found, to_text(module).split("func.func @")[1:], strict=True)}
    loops = [name for name, part in texts.items() if "scf.for" in part]
    assert loops == ["between"]
    call = on_host(module, [program.name for program in found])
    for program in found:
        program.check(call(program.name, program.arguments)[0])


SIMULATED = {"v75": ("ragged", "several", "turned", "between", "rounded_into"), "v79": ("turned_left", "masked")}


@pytest.mark.parametrize("target", SIMULATED)
def test_on_the_simulator(target, sample):
    """With no more TCM than makes some of them several groups."""
    found = sample(programs(), SIMULATED[target])
    steps = list(pipelines.get("default", targets.get(target)))
    place = [step.title for step in steps].index("hexagon-matrix-engine")
    engine = registry.get("hexagon-matrix-engine")(always=True, tcm_bytes=MIB)
    module, _ = after("".join(program.text for program in found),
                      [*steps[:place], PassStep(engine), *steps[place + 1:]], target)
    asm = emit(translate_to_llvm_ir(module), targets.get(target))
    for program in found:
        result = program.place()
        launch(asm, program.name, [*program.arguments, result], None, target)
        program.check(result)
