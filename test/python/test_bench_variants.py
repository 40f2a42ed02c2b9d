"""`bench/variants.py` knows every number that decides between variants, and measures it."""

import dataclasses
from functools import partial

import pytest

from bench import kernels
from bench.corpus.tcm_kernels import KERNELS
from bench.variants import NUMBERS, VARIANTS, choose, collect, described, main, measure
from hexagon_mlir.codegen.variants import LIMITS, Limits, Variant, variants


@pytest.fixture(scope="module")
def functions():
    kernel = next(k for k in KERNELS if k.name == "exp" and k.element == "f32")
    return collect([(kernel.name, partial(kernels.assembly, kernel))], "v75")


def test_every_number_is_known():
    assert [*NUMBERS] == [field.name for field in dataclasses.fields(Limits)]
    assert all(getattr(LIMITS, name) not in values for name, values in NUMBERS.items())


def test_the_choice_is_the_compilers(functions):
    (function,) = functions
    every = [function.generate(variant)[0][0].packets for variant in variants(function.code.traits)]
    assert choose(function, dataclasses.replace(LIMITS, patience=10**9)).packets == min(every)
    assert choose(function, dataclasses.replace(LIMITS, patience=0)).packets == every[0]


def test_a_table_of_a_number(functions):
    grid = measure("patience", functions)
    assert grid.row_count == 1 + len(NUMBERS["patience"])
    assert [next(iter(column.cells)) for column in grid.columns][:4:2] == ["1e+05 (now)", "+0.000 %"]
    assert measure(VARIANTS, functions).row_count == 1 + len(variants(functions[0].code.traits))


def test_variants_in_words():
    assert described(Variant()) == "as it is" and described(Variant(scheduled=True, bits=False)) == "scheduled, no bits"
    assert described(Variant(ordered=True, realigned=False)) == "ordered, loads apart"


def test_the_command_line(capsys):
    main([])
    printed = capsys.readouterr().out
    assert all(name in printed for name in NUMBERS)
    with pytest.raises(SystemExit):
        main(["crowd"])
    assert "no number crowd" in capsys.readouterr().err
