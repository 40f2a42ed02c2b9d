"""The module of ``import triton.language.extra.hexagon.libdevice``: `libdevice` under another name."""

import sys

from hexagon_mlir.frontend.triton import libdevice

sys.modules[__name__] = libdevice
