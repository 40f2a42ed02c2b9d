"""Files of exported programs (``.pt2``): what they hold is looked at before PyTorch may read it.

PyTorch's reader trusts its file: it unpickles, evaluates expressions, resolves names of functions and writes Python
source out of names. `read` refuses whatever would make more of that than a program of PyTorch's own operators.
"""
