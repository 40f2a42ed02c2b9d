"""Parts of `hexagon-tcm-tiling`: `sizes` (pure decisions) and `promote` (operands of a tile into TCM)."""
