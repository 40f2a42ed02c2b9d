"""Translations of the tests go to a folder of their own."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def cache_directory(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HEXAGON_MLIR_CACHE_DIR", str(tmp_path_factory.mktemp("translations")))
        yield
