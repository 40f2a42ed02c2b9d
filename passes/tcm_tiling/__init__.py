"""Parts of `hexagon-tcm-tiling` and `hexagon-tcm-placement`.

`groups` (which ops share a loop), `region` (footprints of their tensors), `sizes` (pure decisions), `run_time_tiles`
(sizes that are computed at launch), `promote` (operands of tiles into TCM), `place` (a kernel's own buffers).
"""
