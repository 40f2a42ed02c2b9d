"""Parts of `hexagon-tcm-tiling`.

`groups` (which ops share a loop) and `region` (their tensors in numbers), `sizes` (pure decisions), `promote` (operands
of tiles into TCM), `place` (a kernel's own buffers), `maps` (indexing maps).
"""
