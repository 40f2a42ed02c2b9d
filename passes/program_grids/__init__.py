"""Grids of Triton programs: `order` (may programs run beside each other), `marks` (that, written on the function) and
`spread` (a function that runs a whole grid on several threads).
"""
