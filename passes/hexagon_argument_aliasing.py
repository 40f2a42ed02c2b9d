"""What the types of arguments say about aliasing and writes, kept for bufferization and LLVM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import functions
from hexagon_mlir.pass_infra import Pass, PassContext

_NOALIAS, _WRITABLE = "llvm.noalias", "bufferization.writable"
_SAME_BUFFER = ("memref.assume_alignment", "memref.cast")


@dataclass(frozen=True)
class HexagonArgumentAliasingPass(Pass):
    """Marks arguments that nothing else points to, so that loads of one iteration may move before stores of another.

    A tensor argument is a value: its buffer overlaps that of no other argument, and a public function does not change
    it (weights are mapped read-only, activations have later readers), unless the argument is marked writable. A memref
    argument is marked if the program states the same, by reading it only through ``bufferization.to_tensor ...
    restrict``. Pointers of Triton kernels may alias each other and are not marked.

    Before:
        func.func @f(%x: tensor<8xf32>, %p: memref<8xf32>) -> tensor<8xf32> {
          return %x : tensor<8xf32>
        }

    After:
        func.func @f(%x: tensor<8xf32> {bufferization.writable = false, llvm.noalias},
                     %p: memref<8xf32>) -> tensor<8xf32> {
          return %x : tensor<8xf32>
        }

    Options: none.

    Refuses: nothing.

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "hexagon-argument-aliasing"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Mark the arguments of every function with a body."""
        for function in functions(module):
            arguments = list(function.regions[0].blocks[0].arguments)
            private = "private" in str(function.attributes.get("sym_visibility", ""))
            given = "arg_attrs" in function.attributes
            old = list(function.attributes["arg_attrs"]) if given else [()] * len(arguments)
            new = []
            for argument, attributes in zip(arguments, old, strict=True):
                kept = {named.name: named.attr for named in attributes}
                if isinstance(argument.type, ir.RankedTensorType) or _restricted(argument):
                    kept[_NOALIAS] = ir.UnitAttr.get()
                if isinstance(argument.type, ir.RankedTensorType) and not private:
                    kept.setdefault(_WRITABLE, ir.BoolAttr.get(False))
                new.append(ir.DictAttr.get(kept))
            function.attributes["arg_attrs"] = ir.ArrayAttr.get(new)


def _restricted(value: ir.Value) -> bool:
    """True when every use of memref ``value`` is a ``to_tensor restrict``, or the store back into that tensor."""
    if not isinstance(value.type, ir.MemRefType):
        return False
    users = [use.owner.operation for use in value.uses]
    return bool(users) and all(
        (user.name == "bufferization.to_tensor" and "restrict" in user.attributes)
        or (user.name == "bufferization.materialize_in_destination" and "restrict" in user.attributes)
        or (user.name in _SAME_BUFFER and _restricted(user.results[0])) for user in users)
