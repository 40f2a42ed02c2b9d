"""What ``import triton.language.extra.hexagon.libdevice`` finds: `libdevice`, the same module by another name."""

import sys

from hexagon_mlir.frontend.triton import libdevice

sys.modules[__name__] = libdevice
