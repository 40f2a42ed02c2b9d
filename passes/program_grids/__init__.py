"""Grids of Triton programs: `order` (may programs run beside each other), `spread` (a function that runs a whole grid
on several threads), `share` (one code for programs with threads of their own and for those beside each other).
"""
