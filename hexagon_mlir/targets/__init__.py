"""Facts about each Hexagon chip generation: the only place a hardware number may stand.

``get("v75")`` returns the `Target`; every number is a `Fact` with its source and confidence.
"""

from hexagon_mlir.targets.base import DEFAULT, Fact, Target, TargetError, get, names

__all__ = ["DEFAULT", "Fact", "Target", "TargetError", "get", "names"]
