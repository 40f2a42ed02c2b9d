"""Sizes as formulas over symbols, found from their values at three examples."""

import pytest

from hexagon_mlir.codegen.generic_sizes.formulas import Formula, fit

KNOWN = {"batch": (5, 7, 11), "length": (13, 19, 17)}


@pytest.mark.parametrize(("of", "symbols"), [
    (lambda b, n: b, ("batch",)), (lambda b, n: 3 * n, ("length",)), (lambda b, n: b * n * 48, ("batch", "length")),
    (lambda b, n: n * n, ("length", "length")), (lambda b, n: n - 1, ("length",)), (lambda b, n: 2 * b * n + 7,
                                                                                   ("batch", "length")),
    (lambda b, n: 64, ()), (lambda b, n: b * b * n, ("batch", "batch", "length"))])
def test_formulas_are_found(of, symbols):
    formula = fit(tuple(map(of, *KNOWN.values())), KNOWN)
    assert formula.symbols == symbols
    for batch, length in ((1, 1), (0, 9), (8, 512), (33, 2)):
        assert formula.value({"batch": batch, "length": length}) == of(batch, length)


def test_quotients_are_exact():
    """Of an argument with 12 heads for each example, the number of examples."""
    formula = fit((5, 7, 11), {"heads": (60, 84, 132)})
    assert formula == Formula(("heads",), 1, 12)
    assert formula.value({"heads": 24}) == 2
    assert fit((6, 8, 12), {"heads": (60, 84, 132)}) is None  # a quotient plus one is no multiple at some sizes


@pytest.mark.parametrize("numbers", [(5, 7, 12), (16, 24, 17), (1, 2, 1)])
def test_other_numbers_have_none(numbers):
    assert fit(numbers, KNOWN) is None
    assert fit(numbers, {}) is None


def test_equal_symbols_count_once():
    assert fit((10, 14, 22), {"a": (5, 7, 11), "b": (5, 7, 11)}) == Formula(("a",), 2)
