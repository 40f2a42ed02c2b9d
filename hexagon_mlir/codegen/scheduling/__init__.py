"""The order of instructions in loops, and the cost of assembly."""
