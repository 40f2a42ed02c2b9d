"""Assembly text to functions, packets, instructions and basic blocks, and what can be seen from them alone."""
