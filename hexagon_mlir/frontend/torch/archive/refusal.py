"""The reason for which a file of an exported program is refused."""

from __future__ import annotations


class Refused(Exception):
    """The file holds something that runs code when PyTorch reads it, or something PyTorch does not write."""
