"""Support of ``triton-to-linalg``: how TTIR values are understood, and what each operation becomes."""
