"""A small part of ``python -m fuzz triton-floats``: generated arithmetic on the chip's numbers, and its bounds."""

import importlib

import pytest


@pytest.fixture
def fuzz(monkeypatch):
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    return importlib.import_module("fuzz.triton.floats")


@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(4, 12), marks=pytest.mark.full)])
@pytest.mark.parametrize("target", ["v75", "v79", "v75+hvx-ieee-fp"])
def test_no_element_is_further_away_than_its_bound(fuzz, tmp_path, target, seeds):
    machine = fuzz.Machine(target)
    shares = {}
    for seed in seeds:
        text, shares[seed] = fuzz.difference(seed, machine, tmp_path)
        assert not text, f"seed {seed}: {text}"
    assert max(shares.values()) > 0.05  # the bounds are not so wide that nothing could break them


def test_a_sum_that_may_be_zero_bounds_no_softmax(fuzz, tmp_path):
    """A sum of exponentials with an error of more than itself: the bound of the quotient was negative."""
    assert not fuzz.difference(770054, fuzz.Machine("v75"), tmp_path)[0]


def test_bounds_of_ieee_do_not_hold_on_v75(fuzz, tmp_path, monkeypatch):
    """Each kernel on v75, measured by what v79's operations may be wrong by."""
    monkeypatch.setattr(fuzz.Machine, "legacy", False)
    broken = [seed for seed in range(12) if fuzz.difference(seed, fuzz.Machine("v75"), tmp_path)[0]]
    assert broken
