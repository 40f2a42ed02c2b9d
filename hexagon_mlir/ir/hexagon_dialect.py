"""The operations of our own dialect ``hexagon``, in IRDL, which MLIR reads at run time: no C++ is compiled.

`load` takes 0.2 to 0.6 ms of a new context, a tenth of what making it takes. The wheel's verifier then checks numbers
and types of operands and attributes, and refuses other operations that are called ``hexagon.``; CSE, dead code
elimination and loop-invariant code motion ask Python about effects. The bindings' Python-defined dialects
(``torch_mlir.dialects.ext``) do the same by IRDL that they build: 0.9 to 1.8 ms of each context, and 10 to 15 ms to
import. They have no optional attributes or regions and generate builders, of which we need one. What IRDL cannot say,
shapes and where an operation may stand, `hexagon_mlir.ir.engine_operations` says of the matrix engine's operations.
"""

from __future__ import annotations

from torch_mlir import ir
from torch_mlir._mlir_libs import _mlirDialectsIRDL as irdl

from hexagon_mlir.ir.engine_operations import (
    ENGINE_CONVERT,
    ENGINE_MULTIPLY,
    ENGINE_PRODUCT,
    ENGINE_SCOPE,
    ENGINE_STORE,
    ENGINE_WAIT,
    problem_of,
)

LOOK_UP = "hexagon.look_up"
"""``(table, indices) {count} -> found``: the element of ``table`` for each index, see `hexagon_mlir.dialects.look_ups`.
"""
WEIGHT_MATRIX = "hexagon.weight_matrix"
"""``(tiles, sums?) -> matrix``: the matrix whose tiles, filled up with zeros, a tensor has: see
`hexagon_mlir.dialects.packed_weights`."""
ACTIVATION_TILES = "hexagon.activation_tiles"
"""``(matrix) -> tiles``: an f16 matrix as tiles of the matrix engine; columns are filled up with zeros, rows
with anything: see `hexagon_mlir.dialects.activation_tiles`."""
ACTIVATION_MATRIX = "hexagon.activation_matrix"
"""``(tiles) -> matrix``: the matrix that such tiles have."""
BLOCK_MATRIX = "hexagon.block_matrix"
"""``(codes, scales, zeros?) {bits} -> matrix``: the matrix of weights that share scales in blocks, see
`hexagon_mlir.dialects.block_weights`."""
ENGINE_MATRIX = "hexagon.engine_matrix"
"""``(codes, scales, zeros?) {bits} -> matrix``: the same matrix as a factor for the matrix engine, whose tiles are made
of the codes."""
SPLIT_CODES = "hexagon.split_codes"
"""``(lower, upper) -> codes``: codes of 6 bits, a byte each, in the layout of those of 8 bits, of their lower four and
upper two bits."""
BLOCK_SCALES = "hexagon.block_scales"
"""``(integers, factors) -> scales``: scales, or minima, of blocks: bytes times the f16 factor of their superblock."""
_ENGINE = (ENGINE_PRODUCT, ENGINE_WAIT, ENGINE_SCOPE, ENGINE_MULTIPLY, ENGINE_CONVERT, ENGINE_STORE)
_PURE = (LOOK_UP, WEIGHT_MATRIX, ACTIVATION_TILES, ACTIVATION_MATRIX, BLOCK_MATRIX, ENGINE_MATRIX, SPLIT_CODES,
         BLOCK_SCALES)
_IRDL = """
irdl.dialect @hexagon {
  irdl.operation @look_up {
    %table = irdl.base "!builtin.vector"
    %indices = irdl.base "!builtin.vector"
    %found = irdl.base "!builtin.vector"
    %count = irdl.base "#builtin.integer"
    irdl.operands(table: %table, indices: %indices)
    irdl.attributes {"count" = %count}
    irdl.results(found: %found)
  }
  irdl.operation @engine_product {
    %activations = irdl.base "!builtin.memref"
    %weights = irdl.base "!builtin.memref"
    %columns = irdl.base "!builtin.memref"
    %results = irdl.base "!builtin.memref"
    irdl.operands(activations: %activations, weights: %weights, columns: %columns, results: %results)
  }
  irdl.operation @engine_wait {}
  irdl.operation @engine_scope {
    %body = irdl.region() {size = 1 : i32}
    irdl.regions(body: %body)
  }
  irdl.operation @engine_multiply {
    %activations = irdl.base "!builtin.memref"
    %weights = irdl.base "!builtin.memref"
    irdl.operands(activations: %activations, weights: %weights)
  }
  irdl.operation @engine_convert {
    %table = irdl.base "!builtin.memref"
    %to = irdl.base "#builtin.type"
    irdl.operands(table: %table)
    irdl.attributes {"to" = %to}
  }
  irdl.operation @engine_store {
    %tile = irdl.base "!builtin.memref"
    irdl.operands(tile: %tile)
  }
  irdl.operation @weight_matrix {
    %tiles = irdl.base "!builtin.tensor"
    %columns = irdl.base "!builtin.tensor"
    %matrix = irdl.base "!builtin.tensor"
    irdl.operands(tiles: %tiles, columns: optional %columns)
    irdl.results(matrix: %matrix)
  }
  irdl.operation @activation_tiles {
    %matrix = irdl.base "!builtin.tensor"
    %tiles = irdl.base "!builtin.tensor"
    irdl.operands(matrix: %matrix)
    irdl.results(tiles: %tiles)
  }
  irdl.operation @activation_matrix {
    %tiles = irdl.base "!builtin.tensor"
    %matrix = irdl.base "!builtin.tensor"
    irdl.operands(tiles: %tiles)
    irdl.results(matrix: %matrix)
  }
  irdl.operation @block_matrix {
    %codes = irdl.base "!builtin.tensor"
    %scales = irdl.base "!builtin.tensor"
    %zeros = irdl.base "!builtin.tensor"
    %bits = irdl.base "#builtin.integer"
    %matrix = irdl.base "!builtin.tensor"
    irdl.operands(codes: %codes, scales: %scales, zeros: optional %zeros)
    irdl.attributes {"bits" = %bits}
    irdl.results(matrix: %matrix)
  }
  irdl.operation @split_codes {
    %lower = irdl.base "!builtin.tensor"
    %upper = irdl.base "!builtin.tensor"
    %codes = irdl.base "!builtin.tensor"
    irdl.operands(lower: %lower, upper: %upper)
    irdl.results(codes: %codes)
  }
  irdl.operation @block_scales {
    %integers = irdl.base "!builtin.tensor"
    %factors = irdl.base "!builtin.tensor"
    %scales = irdl.base "!builtin.tensor"
    irdl.operands(integers: %integers, factors: %factors)
    irdl.results(scales: %scales)
  }
  irdl.operation @engine_matrix {
    %codes = irdl.base "!builtin.tensor"
    %scales = irdl.base "!builtin.tensor"
    %zeros = irdl.base "!builtin.tensor"
    %bits = irdl.base "#builtin.integer"
    %matrix = irdl.base "!builtin.tensor"
    irdl.operands(codes: %codes, scales: %scales, zeros: optional %zeros)
    irdl.attributes {"bits" = %bits}
    irdl.results(matrix: %matrix)
  }
}
"""


class _NoEffects(ir.MemoryEffectsOpInterface):
    """Memory is neither read nor written."""

    @staticmethod
    def get_effects(op: ir.Operation, effects: object) -> None:
        """None."""


class _Speculatable(ir.ConditionallySpeculatable):
    """May run where it did not before."""

    @staticmethod
    def get_speculatability(op: ir.Operation) -> ir.Speculatability:
        """Always."""
        return ir.Speculatability.Speculatable


class _Verified(ir.DynamicOpTrait):
    """Checked by `problem_of` too."""

    @staticmethod
    def verify_invariants(op: ir.Operation) -> bool:
        """Whether ``op`` is as it must be; an error is reported where it is not."""
        problem = problem_of(op)
        if problem is not None:
            op.location.emit_error(f"'{op.name}' op {problem}")
        return problem is None

    @staticmethod
    def verify_region_invariants(op: ir.Operation) -> bool:
        """True: the operations in the region say what they are in."""
        return True


def load(context: ir.Context) -> None:
    """Make the dialect known to ``context``."""
    irdl.load_dialects(ir.Module.parse(_IRDL, context))
    for name in _PURE:
        _NoEffects.attach(name, context=context)
        _Speculatable.attach(name, context=context)
    ir.NoTerminatorTrait.attach(ENGINE_SCOPE, context=context)
    for name in _ENGINE:
        _Verified.attach(name, context=context)
