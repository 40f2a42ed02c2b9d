"""Parts of `hexagon-tcm-tiling` and `hexagon-tcm-placement`.

`groups` (which ops share a loop), `region` (footprints of their tensors), `sizes` (pure decisions), `promote` (operands
of tiles into TCM), `place` (a kernel's own buffers).
"""
