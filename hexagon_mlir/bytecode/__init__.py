"""Operators that are never compiled: tile-level bytecode, and the machine on the NPU that executes it."""
