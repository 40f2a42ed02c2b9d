"""Random programs of every kind against something else that computes them: ``python -m fuzz KIND --seeds N``."""
