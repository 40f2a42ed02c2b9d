"""Run a multi-threaded kernel under qemu-hexagon with 1, 2, 4 and 7 threads, 200 times each.

Stops at the first wrong value, hang or leak. Usage: ``python scripts/stress_threads.py [--count N]``.
"""

from __future__ import annotations

import argparse

import numpy as np
from rich.progress import track

import hexagon_mlir as hx
from hexagon_mlir.exec import qemu

SIZE, CHUNK = 100_003, 9_000
KERNEL = f"""
func.func @square(%x: tensor<{SIZE}xi32>, %o: tensor<{SIZE}xi32>) -> tensor<{SIZE}xi32> {{
  %r = scf.forall (%i) = (0) to ({SIZE}) step ({CHUNK}) shared_outs(%acc = %o) -> (tensor<{SIZE}xi32>) {{
    %size = affine.min affine_map<(d0) -> ({CHUNK}, {SIZE} - d0)>(%i)
    %s = tensor.extract_slice %x[%i] [%size] [1] : tensor<{SIZE}xi32> to tensor<?xi32>
    %d = tensor.extract_slice %acc[%i] [%size] [1] : tensor<{SIZE}xi32> to tensor<?xi32>
    %m = linalg.mul ins(%s, %s : tensor<?xi32>, tensor<?xi32>) outs(%d : tensor<?xi32>) -> tensor<?xi32>
    scf.forall.in_parallel {{
      tensor.parallel_insert_slice %m into %acc[%i] [%size] [1] : tensor<?xi32> into tensor<{SIZE}xi32>
    }}
  }}
  return %r : tensor<{SIZE}xi32>
}}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200, help="runs per number of threads (default 200)")
    count = parser.parse_args().count
    kernel = hx.compile(KERNEL, target="v67")
    assert isinstance(kernel, hx.CompiledKernel)
    program = kernel.program()
    x = np.arange(-50_000, SIZE - 50_000, dtype=np.int32)
    for threads in (1, 2, 4, 7):
        for _ in track(range(count), description=f"{threads} threads"):
            out = np.zeros_like(x)
            counters = qemu.run(program, "v67", [x, np.zeros_like(x), out], threads=threads, timeout=60)
            if not np.array_equal(out, x * x):
                raise SystemExit(f"{threads} threads: wrong values")
            if counters.tcm_in_use or counters.dma_pending:
                raise SystemExit(f"{threads} threads: {counters} left behind")
    print(f"{4 * count} runs: no wrong value, no hang, no leak")


if __name__ == "__main__":
    main()
