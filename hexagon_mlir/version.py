"""The version, alone in a file so that reading it imports nothing."""

from importlib.metadata import PackageNotFoundError, version

try:
    VERSION = version("hexagon-mlir")
except PackageNotFoundError:  # run from a source tree that was never installed
    VERSION = "0.0.0"
