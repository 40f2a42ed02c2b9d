"""Which tests run, and in which order."""

from itertools import product
from types import SimpleNamespace

import conftest
import pytest
from support import ROOT


def collected(names, expression=""):
    """Names of the tests that run, in order, and of those left out; a star is for the mark ``full``."""
    items = [SimpleNamespace(nodeid=f"test/python/{name.rstrip('*')}",
                             get_closest_marker=lambda mark, name=name: mark == "full" and name.endswith("*"))
             for name in names]
    left = []
    config = SimpleNamespace(option=SimpleNamespace(markexpr=expression),
                             hook=SimpleNamespace(pytest_deselected=lambda items: left.extend(items)))
    conftest.pytest_collection_modifyitems(config, items)
    return [[item.nodeid.removeprefix("test/python/") for item in part] for part in (items, left)]


def test_the_longest_come_first():
    names = ["a/test_b.py::test_c", "a/test_tutorial.py::test_every_step", "a/test_d.py::test_e",
             "a/test_style.py::test_mypy"]
    assert collected(names) == [[names[3], names[1], names[0], names[2]], []]


@pytest.mark.parametrize(("expression", "runs"), [("", False), ("not timed", False), ("full", True),
                                                  ("not timed and (full or not full)", True)])
def test_further_cases_run_where_their_mark_is_named(expression, runs):
    one, other = "a/test_b.py::test_c[1]", "a/test_b.py::test_c[2]"
    assert collected([one, f"{other}*"], expression=expression) == ([[one, other], []] if runs else [[one], [other]])


def test_each_value_is_in_a_chosen_case():
    sizes = [3, 7, 2]
    cases = list(product(*map(range, sizes)))
    found = [numbers for case, numbers in enumerate(cases) if conftest.chosen(case, sizes)]
    assert len(found) == 7
    assert [len(set(numbers)) for numbers in zip(*found, strict=True)] == sizes
    assert [conftest.chosen(case, [3]) for case in range(3)] == [True] * 3


@pytest.fixture(params=["x", "y"])
def kind(request):
    return request.param


@pytest.mark.each_value
@pytest.mark.parametrize("letter", "abc")
@pytest.mark.parametrize(("one", "other"), [(1, 2), (3, 4)])
def test_the_mark_of_the_other_cases(request, letter, one, other, kind):
    """Three of six run by default, with each parameter of a fixture: those whose marks are these."""
    full = request.node.get_closest_marker("full") is not None
    assert full == ((letter, one) not in {("a", 1), ("b", 3), ("c", 1)})


@pytest.mark.full_except("one", "three")
@pytest.mark.parametrize("number", [1, 2, 3], ids=["one", "two", "three"])
def test_the_mark_of_the_cases_that_are_not_named(request, number):
    assert (request.node.get_closest_marker("full") is not None) == (number == 2)


def test_their_files_are_there():
    files = {str(file) for file in (ROOT / "test" / "python").rglob("test_*.py")}
    for name in conftest.LONG:
        assert any(file.endswith(f"/{name.split('::')[0]}") for file in files), name
