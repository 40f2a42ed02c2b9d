"""Translations of the tests go to a folder of their own, one for all processes of a run."""

import os

import pytest


@pytest.fixture(scope="session", autouse=True)
def cache_directory(tmp_path_factory):
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:  # it is of this process
        folder = folder.parent
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HEXAGON_MLIR_CACHE_DIR", str(folder / "translations"))
        yield
