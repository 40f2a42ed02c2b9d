"""Tests of whole PyTorch models: skipped without torch, seeded, without its warnings."""

import pytest

torch = pytest.importorskip("torch")


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)
    torch._dynamo.reset()


@pytest.fixture(autouse=True)
def quiet(recwarn):
    """PyTorch's own deprecation warnings are not ours to test."""
    return recwarn
