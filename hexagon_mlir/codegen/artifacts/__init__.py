"""Artifacts for use outside of Python: C text, weights, linked programs."""
