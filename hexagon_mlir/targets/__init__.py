"""Facts about each Hexagon chip generation: the only place a hardware number may stand.

``get("v75")`` returns the `Target`; every number is a `Fact` with its source and confidence.
"""

from hexagon_mlir.targets.base import DEFAULT, Fact, Qfloat, Target, TargetError, get, names
from hexagon_mlir.targets.disputed import Disputed

__all__ = ["DEFAULT", "Disputed", "Fact", "Qfloat", "Target", "TargetError", "get", "names"]
