"""Random Triton kernels."""

LAUNCH = "FUZZ_LAUNCH"
"""The environment variable that holds options of every launch, as JSON."""
