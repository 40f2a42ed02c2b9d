"""Helpers of `hexagon-layout-propagation`: `chain` finds what stays in tiles, `operands` brings the rest into tiles,
`build` writes it, and `layouts` has the shapes."""
