"""Quantized models: which layers compute with bytes, and with which numbers."""
