"""Code generation tests start from an empty cache: the folder of its entries."""

import pytest

from hexagon_mlir import disk_cache


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv(disk_cache.ENVIRONMENT, str(tmp_path / "cache"))
    return tmp_path / "cache" / "code"
