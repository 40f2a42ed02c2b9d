"""The front ends: Triton kernels, PyTorch programs, ONNX files."""

MODEL_FILES = (".pt2", ".onnx")
"""Suffixes of files that hold whole models."""
