"""The matrix engine of a simulated chip: its state, what its instructions compute, and when."""
