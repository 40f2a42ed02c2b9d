"""What a file of an exported program is refused for."""

from __future__ import annotations


class Refused(Exception):
    """The file holds something that runs code when PyTorch reads it, or something PyTorch does not write."""
