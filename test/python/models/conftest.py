"""Tests of whole PyTorch models: skipped without torch, seeded, without its warnings."""

import functools

import pytest

torch = pytest.importorskip("torch")


@pytest.fixture(scope="session", autouse=True)
def quick_decompositions():
    """Half of the time that PyTorch takes for the decompositions of a small program goes to a list of its operators,
    which it makes again for each library of operators, and to annotations of thousands of functions.
    """
    from torch._export import utils

    class Annotation:
        __class_getitem__ = classmethod(lambda cls, types: cls)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(utils, "_materialize_cpp_cia_ops", functools.cache(utils._materialize_cpp_cia_ops))
        patch.setattr(torch._ops, "Callable", Annotation)
        yield


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)
    torch._dynamo.reset()


@pytest.fixture(autouse=True)
def quiet(recwarn):
    """PyTorch's own deprecation warnings are not ours to test."""
    return recwarn
