"""What is required of the matrix engine, each number with what was measured: groups of `bench/matrix_engine.py`."""
