"""What is measured and swept: kernels, models, single operations and functions, with the values that they should give.

How it is measured stands in the scripts of `bench/`.
"""
