"""Files of exported programs (``.pt2``): their content is checked before PyTorch reads it.

PyTorch's reader trusts its file: it unpickles, evaluates expressions, resolves names of functions and writes Python
source out of names. `read` refuses any content beyond a program of PyTorch's own operators.
"""
