"""Lines of `bench/matrix_engine.py`: verdicts, bounds, measurements that are kept; which convolutions are asked for."""

import pytest
import torch

from bench.attention import Attention
from bench.convolution import LAYERS, Bytes, Layer, on_engine
from bench.engine_choice_kinds import products
from bench.matrix_engine import GROUPS
from bench.requantized_products import RequantizedProduct
from bench.requirements import choice, models
from bench.requirements.convolutions import asked, verdict
from bench.requirements.line import HEADINGS, Bound, Kept, Line, faster
from bench.requirements.simulator import golden, programs


def test_cells_of_a_line():
    held = Line("product", "85%", "96%", True, 200, Bound(150.0, "MACs"))
    assert held.cells == ("product", "85%", "96%", "150 (MACs)", "75%", "held")
    assert Line("a", "b", "c", False, limit="DDR").cells == ("a", "b", "c", "", "", "missed: DDR")
    assert Line("a", "", "c", None).cells[-1] == "" and len(held.cells) == len(HEADINGS)


def test_the_largest_resource_bounds():
    assert Bound.largest({"MACs": 3.0, "DDR": 7.0, "HVX": 5.0}) == Bound(7.0, "DDR")


def test_convolutions_that_their_bound_keeps_below_the_rate():
    assert verdict(0.3, 100.0, Bound(60.0, "DDR")) == "at most 50%, DDR; 60% of its bound: held"
    assert verdict(0.3, 100.0, Bound(59.0, "DDR")) == "at most 51%, DDR; 60% of its bound: missed"
    assert verdict(0.3, 100.0, Bound(50.0, "DDR")) == verdict(0.7, 100.0, Bound(80.0, "MACs")) == ""


@pytest.mark.parametrize(("engine", "held"), [(100.0, True), (101.0, False)])
def test_times_fewer(engine, held):
    line = faster("x", {"cycles": engine, "MACs": 10.0, "DDR": 2.0, "HVX": 0.0}, {"cycles": 500.0}, 5.0, "HVX")
    assert line.held == held and line.bound == Bound(10.0, "MACs")


def test_a_measurement_is_kept(tmp_path, capsys):
    path = tmp_path / "kept.json"
    assert Kept(path).numbers("a", lambda: {"cycles": 3}) == {"cycles": 3}
    assert Kept(path).numbers("a", lambda: pytest.fail("measured again")) == {"cycles": 3}
    assert capsys.readouterr().err.startswith("a ... ")


def test_a_wrong_case_misses(tmp_path):
    kept = Kept()
    kept.numbers("golden cases, Interpreter", lambda: {"equal": 49})
    kept.numbers("golden cases, Machine", lambda: {"equal": 50})
    assert [line.held for line in golden(kept)] == [False, True]


def test_fewer_programs_than_asked_hold_nothing():
    kept = Kept()
    kept.numbers("random programs 0 to 99", lambda: {"wrong": 0})
    kept.numbers("random programs 0 to 49", lambda: {"wrong": 2})
    assert [(line.held, line.measured) for line in programs(kept, 100)] == [(None, "100 of 100")]
    assert [(line.held, line.measured) for line in programs(kept, 50)] == [(False, "48 of 50")]


def test_attention_says_for_what_threads_wait():
    """The shares are of the time of all threads: together with HVX's packets at most all of it."""
    kept = Kept()
    found = models._run(Attention(False), tuple(torch.randn(1, 4, 32, 32).half() for _ in range(3)), waits=True)
    shares = [found[name] for name in ("engine", "memory", "operands", "calls")]
    assert min(shares) > 0 and sum(shares) + found["HVX"] / found["cycles"] <= 1
    for which in ("engine", "HVX"):
        kept.numbers(f"attention 8 x 1,024 x 64 f16, {which}", lambda: found)
    told = [line.measured for line in models.attention(kept) if "waits" in line.what]
    assert told == [", ".join(f"{name} {found[name]:.0%}" for name in ("engine", "memory", "operands", "calls"))]


def test_a_wrong_choice_misses():
    kept = Kept()
    for number, product in enumerate(products(3, "f16", 0)):
        times = {"engine": 100, "HVX": 200, "chosen": number != 2}
        kept.numbers(f"choice {product.name}", lambda times=times: times)
    right, wrong = next(choice.lines(kept, 2)), next(choice.lines(kept, 3))
    assert (right.held, right.measured) == (None, "2 of 2, 0.0% longer than the best")
    assert (wrong.held, wrong.measured) == (False, "2 of 3, 33.3% longer than the best")


def test_convolutions_that_are_asked_for():
    names = [layer.name for layer in LAYERS if asked(layer)]
    assert "resnet 3x3 64 to 64, 56x56 f16" in names and "resnet 1x1 64 to 256, 56x56 i8" in names
    others = ("7x7/2", "depthwise", "dilated", "grouped", "pool", "vit")
    assert not any(word in name for name in names for word in others)


def test_bounds_of_bytes_count_tiles_of_bytes():
    layer = Layer("bytes", lambda: Bytes(64, 96, 3, padding=1), (64, 10, 13), torch.int8)
    bounds = layer.engine_bounds
    assert bounds["MACs"] == 3 * 3 * 2 * 9 * 4  # 130 pixels are 3 tiles of 64; 96 channels 3, 64 2, 9 taps
    assert bounds["sums"] == 3 * 3 * 4 * 40
    assert layer.macs_per_cycle == 64 * 32 * 32 / 4


SMALL = [
    Layer("f16", lambda: torch.nn.Conv2d(64, 64, 3, 1, 1), (64, 16, 16), torch.float16),
    Layer("f32", lambda: torch.nn.Conv2d(40, 33, 3, 1, 1), (40, 9, 9)),
    Layer("pointwise", lambda: torch.nn.Conv2d(96, 160, 1), (96, 7, 9), torch.float16),
    Layer("stride", lambda: torch.nn.Conv2d(64, 64, 1, 2), (64, 15, 15)),
    Layer("bytes", lambda: Bytes(64, 64, 3, padding=1), (64, 8, 8), torch.int8),
]


@pytest.mark.parametrize("layer", SMALL, ids=lambda layer: layer.name)
def test_no_run_takes_less_than_a_bound(layer):
    cycles, rate, error = on_engine(layer)
    assert cycles and 0 < rate < 1 and error < 0.01
    assert 0.1 * cycles < max(layer.engine_bounds.values()) <= cycles


def test_ends_bound_small_layers():
    """The first result waits for 32 pixels of 64 channels and the weights of 32 channels, copied until transfers come;
    16 tiles of results, 18 steps of 8 cycles, of which two tiles may be begun; 60 cycles, 16 vectors packed before and
    16 stored after."""
    small = SMALL[0].engine_bounds
    first = 2 * 32 * 64 + 2 * 32 * 9 * 64
    waits = 1650 + (first - 1650 * 17.3) / 51.2
    assert small["ends"] == pytest.approx(waits + 14 * 18 * 8 + 60 + 8 + 8)
    assert Bound.largest(small).resource == "ends"


def test_operands_bound_layers_of_few_pixels():
    """Weights of 512 to 512 channels, 3x3, come at the peak of the memory's interface; results stay in the cache."""
    layer = Layer("weights", lambda: torch.nn.Conv2d(512, 512, 3, 1, 1), (512, 2, 2))
    operands = 2 * 512 * 512 * 9 + 4 * 512 * 4 + 4 * 512
    expected = 1650 + (operands - 1650 * 17.3) / 51.2 + 8 + 8 + 60 + 4 * 32 * 4 / 128 * 0.5
    assert layer.engine_bounds["DDR"] == pytest.approx(expected)
    assert Bound.largest(layer.engine_bounds).resource == "DDR"


def test_pixels_between_windows_are_not_read():
    plain, apart = (Layer("", lambda stride=stride: torch.nn.Conv2d(64, 64, 1, stride), (64, 15, 15))
                    for stride in (1, 2))
    assert plain.engine_bounds["DDR"] > apart.engine_bounds["DDR"]
    operands = 4 * 64 * 64 + 2 * 64 * 64 + 4 * 64  # less than is copied until a transfer starts
    assert apart.engine_bounds["DDR"] == pytest.approx(operands / 17.3 + 8 + 8 + 60 + 32 * 0.5)


def test_groups():
    assert list(GROUPS) == ["golden", "programs", "products", "convolutions", "attention", "models", "qwen3", "choice"]


def test_products_whose_sums_become_bytes():
    product = RequantizedProduct(130, 70, 45)
    assert product.moved == 130 * 70 + 70 * 45 + 130 * 45
    cycles, error = product.run()
    assert error == 0 and cycles > product.bound
