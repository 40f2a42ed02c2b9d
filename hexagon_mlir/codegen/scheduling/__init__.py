"""The order of instructions in loops, and what assembly costs."""
