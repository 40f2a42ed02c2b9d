"""Examples are loaded from their files, as a user would run them."""

import importlib.util

import pytest
from support import ROOT


@pytest.fixture(scope="session", autouse=True)
def triton_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRITON_CACHE_DIR", str(tmp_path_factory.mktemp("triton")))
        yield


@pytest.fixture(params=["host", "sim"])
def example(request, monkeypatch):
    """Loads an example by name; every test runs on the host executor and on the simulator."""
    from hexagon_mlir.frontend.triton import activate

    monkeypatch.setenv("HEXMLIR_EXECUTOR", request.param)
    activate()

    def load(name):
        spec = importlib.util.spec_from_file_location(f"example_{name}", ROOT / "examples" / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load
