"""Kernels of these tests run on the host: the meaning of the IR, without code generation."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def triton_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRITON_CACHE_DIR", str(tmp_path_factory.mktemp("triton")))
        yield


@pytest.fixture(autouse=True)
def on_host(monkeypatch):
    from hexagon_mlir.frontend.triton import activate

    monkeypatch.setenv("HEXMLIR_EXECUTOR", "host")
    activate()
