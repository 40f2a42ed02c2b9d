"""Kernels in the styles people publish. They run on the host, which proves their meaning without code generation.

``HEXMLIR_EXECUTOR=sim pytest test/python/triton_kernels`` runs them all on the simulator instead.
"""

import os

import pytest
import torch


@pytest.fixture(scope="session", autouse=True)
def triton_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRITON_CACHE_DIR", str(tmp_path_factory.mktemp("triton")))
        yield


@pytest.fixture(autouse=True)
def executor(monkeypatch):
    from hexagon_mlir.frontend.triton import activate

    monkeypatch.setenv("HEXMLIR_EXECUTOR", os.environ.get("HEXMLIR_EXECUTOR", "host"))
    activate()
    torch.manual_seed(0)
