"""What the tests of real binaries need, and how they say that it is missing."""

import resource
import shutil
from contextlib import contextmanager

import pytest

from hexagon_mlir.codegen import link

needs_linker = pytest.mark.skipif(not link.available(), reason="the 'elf' extra (ziglang) is not installed")
needs_qemu = pytest.mark.skipif(shutil.which("qemu-hexagon") is None or not link.available(),
                                reason="qemu-hexagon (apt-get install qemu-user) or the 'elf' extra is not installed")


@contextmanager
def files_of_at_most(nbytes: int):
    """Writes behind that fail half-way, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (nbytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
