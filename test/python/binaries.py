"""What the tests of real binaries need, and how they say that it is missing."""

import shutil

import pytest

from hexagon_mlir.codegen import link

needs_linker = pytest.mark.skipif(not link.available(), reason="the 'elf' extra (ziglang) is not installed")
needs_qemu = pytest.mark.skipif(shutil.which("qemu-hexagon") is None or not link.available(),
                                reason="qemu-hexagon (apt-get install qemu-user) or the 'elf' extra is not installed")
