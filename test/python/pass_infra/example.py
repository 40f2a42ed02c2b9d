"""A pass with an option of every type, and one that always raises."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from hexagon_mlir.ir import ir
from hexagon_mlir.pass_infra import Pass, PassContext


class Tail(StrEnum):
    GUARD = "guard"
    CUT = "cut"


@dataclass(frozen=True)
class ExamplePass(Pass):
    """Tags the module with its options."""

    name: ClassVar[str] = "example"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"
    tile_bytes: int = 4
    scale: float = 1.0
    sizes: tuple[int, ...] = ()
    tail: Tail = Tail.GUARD
    label: str = "x"
    verbose: bool = False

    def run(self, module: ir.Module, context: PassContext) -> None:
        module.operation.attributes["example.bytes"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(32),
                                                                         self.tile_bytes)
        self.remark(context, module.operation, "nothing to do")


@dataclass(frozen=True)
class RequiredPass(Pass):
    """Has an option without a default."""

    name: ClassVar[str] = "required"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"
    count: int


@dataclass(frozen=True)
class RefusingPass(Pass):
    """Changes the module and then refuses it."""

    name: ClassVar[str] = "refusing"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"

    def run(self, module: ir.Module, context: PassContext) -> None:
        module.operation.attributes["example.touched"] = ir.UnitAttr.get()
        raise self.refuse(module.body.operations[0], "no such luck", "try again")
