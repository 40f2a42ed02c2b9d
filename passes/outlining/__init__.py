"""Shared by passes: `functions` moves code into a function of its own."""
