"""Fixtures for every test."""

from __future__ import annotations

import functools
import gc
import os
import sys
from math import prod

import hypothesis
import pytest
from forks import Forks

from hexagon_mlir.codegen import cache, emission
from hexagon_mlir.exec import sim
from hexagon_mlir.sim import Arithmetic, Machine

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # rewritten assertions and hundreds of processes: half of their start
sys.dont_write_bytecode = False


def pytest_ignore_collect(collection_path, config):
    """``-m timed`` imports only the files that say it: to import all takes longer than to run what is timed."""
    if config.option.markexpr == "timed" and collection_path.match("test_*.py"):
        return True if "pytest.mark.timed" not in collection_path.read_text() else None
    return None


LONG = ("test_regressions.py::test_costs", "test_artifacts.py::TestCompile::test_kinds_are_whole",
        "test_style.py::test_mypy", "test_determinism.py", "test_tutorial.py", "examples/test_models.py",
        "test_operations_page.py", "test_dynamic_models.py", "test_first_pass.py",
        "test_contraction_values.py::test_as_hex", "test_generated.py::test_generated_kernels",
        "test_programs.py::test_baselines", "models/test_dynamic.py::test_batch", "test_every_op.py::test_passes",
        "test_quantized_networks.py::test_bytes", "test_experts.py::test_only", "test_reference.py::test_random",
        "test_fuzz.py::test_kind", "test_recurrent_layers.py::test_training", "test_generate.py::test_greedy",
        "test_byte_grids.py::test_values", "test_engine_convolution.py::test_on_the_simulator")
"""Parts of the names of tests that take longer than ten seconds, the longest first. Of those that link, only one: it
builds the C library, for a minute, which others would wait for."""


UNMET = pytest.StashKey[dict[str, set[str]]]()
"""By test, the names in its mark ``full_except`` that no case has had."""


def everything(config):
    """Whether ``-m`` names ``full``: tests that have this mark run, and the mark ``only_values`` changes nothing."""
    return "full" in config.option.markexpr


def chosen(case, sizes):
    """Whether a case of a grid is on its diagonal: there each value of each parameter is in a case, and those of the
    longest list are in one each. ``case``: its number; ``sizes``: how many values parameters have, the slowest first.
    """
    numbers = []
    for size in reversed(sizes):
        case, number = divmod(case, size)
        numbers.insert(0, number)
    longest = numbers[sizes.index(max(sizes))]
    return all(number == longest % size for number, size in zip(numbers, sizes, strict=True))


def pytest_itemcollected(item):
    """Cases of grids with the mark ``each_value`` that are not `chosen` have the mark ``full``, and so have those of
    lists with the mark ``full_except`` that it does not name.
    """
    if item.get_closest_marker("each_value"):
        sizes = [len(mark.args[1]) for mark in item.iter_markers("parametrize")]
        case = max(item.callspec.indices.values())  # those of fixtures' parameters are smaller: they vary the slowest
        if not chosen(case % prod(sizes), sizes):
            item.add_marker("full")
    named = item.get_closest_marker("full_except")
    if named:
        if item.callspec.id not in named.args:
            item.add_marker("full")
        unmet = item.session.stash.setdefault(UNMET, {}).setdefault(item.nodeid.partition("[")[0], set(named.args))
        unmet.discard(item.callspec.id)


def pytest_configure(config):
    """hypothesis draws 120 examples for each of its tests, and more where ``-m`` names ``full``; none is too slow."""
    hypothesis.settings.register_profile("tests", max_examples=400 if everything(config) else 120, deadline=None)
    hypothesis.settings.load_profile("tests")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """The longest tests come first, so that no process of several (``-n``) is still at one when the others are done."""
    if not everything(config):
        left = [item for item in items if item.get_closest_marker("full")]
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if not item.get_closest_marker("full")]
    items.sort(key=lambda item: next((n for n, name in enumerate(LONG) if f"/{name}" in item.nodeid), len(LONG)))


def pytest_collection_finish(session):
    """Names in marks ``full_except`` are those of cases. The collector of reference cycles leaves the modules and the
    thousands of tests alone from here on, and starts more rarely: it took a tenth of the time of tests of models.
    """
    unmet = {test: names for test, names in session.stash.get(UNMET, {}).items() if names}
    if unmet and not any("::" in word for word in session.config.args):
        raise pytest.UsageError(f"full_except names no case: {unmet}")
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(scope="session")
def forks():
    """Its `run` runs a tool or a script in a process that has imported everything."""
    made = Forks()
    yield made
    made.close()


@pytest.fixture(autouse=True)
def arithmetic(request, monkeypatch):
    """The simulator computes as the chip, but in tests with the mark ``ieee_arithmetic``, which tell right code from
    wrong by bits: there vector floats are IEEE numbers.
    """
    if not request.node.get_closest_marker("ieee_arithmetic"):
        return
    monkeypatch.setattr(sim.SESSION, "arithmetic", Arithmetic.IEEE)
    made = Machine.__init__

    def make(self, *arguments, **options):
        made(self, *arguments, **{"arithmetic": Arithmetic.IEEE, **options})

    monkeypatch.setattr(Machine, "__init__", make)


@pytest.fixture(autouse=True)
def only_values(request, monkeypatch):
    """Of tests with this mark: code generation takes the first correct variant, the one that it expects to be the best,
    and searches for none faster; the simulator runs without its model of caches. ``only_values(False)`` is for tests of
    a file with this mark that assert on cycles or bytes moved.
    """
    mark = request.node.get_closest_marker("only_values")
    if mark is None or False in mark.args or everything(request.config):
        return
    requested = emission._request
    monkeypatch.setattr(emission, "_request", lambda *given: {**requested(*given), "patience": 0})
    monkeypatch.setattr(sim, "Machine", functools.partial(sim.Machine, memory="fast"))
    # no other test may find a program made for this one, or what was measured with it
    monkeypatch.setattr(sim, "_machines", type(sim._machines)())
    compiler = cache.whole_compiler()
    monkeypatch.setattr(cache, "whole_compiler", lambda: f"{compiler}, first variant")
