"""What the tests of real binaries need, and how they say that it is missing."""

import resource
import shutil
import subprocess
import sys
from contextlib import contextmanager

import pytest

from hexagon_mlir.codegen.artifacts import link

needs_linker = pytest.mark.skipif(not link.available(), reason="the 'elf' extra (ziglang) is not installed")
needs_qemu = pytest.mark.skipif(shutil.which("qemu-hexagon") is None or not link.available(),
                                reason="qemu-hexagon (apt-get install qemu-user) or the 'elf' extra is not installed")

PARALLEL = """
func.func @f(%x: tensor<100003xi32>, %o: tensor<100003xi32>) -> tensor<100003xi32> {
  %r = scf.forall (%i) = (0) to (100003) step (9000) shared_outs(%acc = %o) -> (tensor<100003xi32>) {
    %size = affine.min affine_map<(d0) -> (9000, 100003 - d0)>(%i)
    %s = tensor.extract_slice %x[%i] [%size] [1] : tensor<100003xi32> to tensor<?xi32>
    %d = tensor.extract_slice %acc[%i] [%size] [1] : tensor<100003xi32> to tensor<?xi32>
    %m = linalg.mul ins(%s, %s : tensor<?xi32>, tensor<?xi32>) outs(%d : tensor<?xi32>) -> tensor<?xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %acc[%i] [%size] [1] : tensor<?xi32> into tensor<100003xi32>
    }
  }
  return %r : tensor<100003xi32>
}
"""
"""A kernel of several threads, with a ragged end."""


@contextmanager
def files_of_at_most(nbytes: int):
    """Writes behind that fail half-way, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (nbytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def compiled(compiler, folder, text, *more):
    """The program of C ``text`` and of what ``more`` names, in ``folder``; the runtime's header is found."""
    (folder / "main.c").write_text(text)
    done = subprocess.run([*compiler, "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror",
                           f"-I{link.runtime_folder() / 'include'}", "main.c", *more, "-o", "main"],
                          capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "main"


def hexagon_compiler():
    """The command that links programs for ``qemu-hexagon``; without symbols, as `link.program`: for others zig builds
    the C library once more, which takes two minutes.
    """
    return [sys.executable, "-m", "ziglang", "cc", "-target", link.TRIPLE, f"-mcpu={link.CPU}", *link.FLAGS, "-static",
            "-s"]
