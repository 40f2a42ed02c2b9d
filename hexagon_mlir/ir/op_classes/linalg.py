"""The classes of linalg's operations, without the language in which the bindings define named ones."""

from torch_mlir.dialects._linalg_ops_gen import *  # noqa: F403
