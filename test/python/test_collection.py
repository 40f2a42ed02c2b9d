"""The order in which the tests run."""

from types import SimpleNamespace

import conftest
from support import ROOT


def test_the_longest_come_first():
    names = ["a/test_b.py::test_c", "a/test_tutorial.py::test_every_step", "a/test_d.py::test_e",
             "a/test_style.py::test_mypy"]
    items = [SimpleNamespace(nodeid=f"test/python/{name}") for name in names]
    conftest.pytest_collection_modifyitems(items)
    assert [item.nodeid.removeprefix("test/python/") for item in items] == [names[1], names[3], names[0], names[2]]


def test_their_files_are_there():
    files = {str(file) for file in (ROOT / "test" / "python").rglob("test_*.py")}
    for name in conftest.LONG:
        assert any(file.endswith(f"/{name.split('::')[0]}") for file in files), name
