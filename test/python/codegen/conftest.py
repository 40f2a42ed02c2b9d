"""Code generation tests start from an empty cache."""

import pytest

from hexagon_mlir.codegen import cache


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv(cache.ENVIRONMENT, str(tmp_path / "cache"))
    return tmp_path / "cache"
