"""Predicated stores and loads: what the mask selects moves and nothing else is touched; memory ends where it does."""

import numpy as np
import pytest

import hexagon_mlir as hx
from hexagon_mlir.sim import Machine

pytestmark = pytest.mark.only_values

SIZE = 300
TYPES = {"f32": np.float32, "f16": np.float16, "bf16": np.uint16, "i32": np.int32, "i8": np.int8}


def function(type_: str, loads: bool) -> str:
    """x[start + i] = v[i] where mask[i] for i < n; with ``loads`` v[i] = x[start + i], and v is written back."""
    one, many = f"memref<1x{type_}, strided<[1], offset: ?>>", f"memref<{SIZE}x{type_}>"
    ends = (f"%place[%c0] : {one}", f"%value[%i] : {many}")
    source, target = ends if loads else ends[::-1]
    return f"""
func.func @{"load" if loads else "store"}_{type_}(%x: memref<1x{type_}>, %given: memref<{SIZE}xi32>, %v: {many},
                                                  %from: i32, %to: i32) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %no = arith.constant 0 : i32
  %low = arith.index_cast %from : i32 to index
  %high = arith.index_cast %to : i32 to index
  %mask = memref.alloc() : memref<{SIZE}xi32>
  %value = memref.alloc() : {many}
  memref.copy %given, %mask : memref<{SIZE}xi32> to memref<{SIZE}xi32>
  memref.copy %v, %value : {many} to {many}
  scf.for %i = %low to %high step %c1 {{
    %word = memref.load %mask[%i] : memref<{SIZE}xi32>
    %wanted = arith.cmpi ne, %word, %no : i32
    scf.if %wanted {{
      %place = memref.reinterpret_cast %x to offset: [%i], sizes: [1], strides: [1] : memref<1x{type_}> to {one}
      %e = memref.load {source}
      memref.store %e, {target}
    }}
  }}
  memref.copy %value, %v : {many} to {many}
  return
}}
"""


def masks(rng):
    yield np.zeros(SIZE, bool)
    yield np.ones(SIZE, bool)
    for place in (0, 31, 128, SIZE - 1):
        yield np.arange(SIZE) == place
    for share in (0.02, 0.5):
        yield rng.random(SIZE) < share
    yield np.arange(SIZE) < 97


@pytest.mark.parametrize("loads", [False, True])
def test_selected_elements_alone(loads):
    names = [f"{'load' if loads else 'store'}_{type_}" for type_ in TYPES]
    kernel = hx.compile("".join(function(type_, loads) for type_ in TYPES), entry=names[0])
    assert kernel.ir("hexagon-masked-copy-lowering").count("memref.store") == 0
    machine, rng = Machine(kernel.asm, "v75", check=True), np.random.default_rng(0)

    def put(array):
        address = machine.alloc_ddr(array.nbytes)
        machine.write(address, np.frombuffer(array.tobytes(), np.uint8))
        return address

    for name, dtype in zip(names, TYPES.values(), strict=True):
        for mask in masks(rng):
            low, high = sorted(int(i) for i in rng.integers(0, SIZE + 1, 2)) if mask.all() else (0, SIZE)
            chosen = np.flatnonzero(mask[low:high]) + low
            first, end = (chosen[0], chosen[-1] + 1) if len(chosen) else (0, 1)
            there = rng.integers(-99, 99, end - first).astype(dtype)  # memory is there for these alone
            values = rng.integers(-99, 99, SIZE).astype(dtype)
            places = put(there), put(mask.astype(np.int32)), put(values)
            reports = machine.run(name, [places[0] - int(first) * there.itemsize, *places[1:], low, high]).reports
            assert reports == []
            if loads:
                values[chosen] = there[chosen - first]
            else:
                there[chosen - first] = values[chosen]
            for address, expected in ((places[0], there), (places[2], values)):
                assert machine.read(address, np.uint8, expected.nbytes).tobytes() == expected.tobytes()
