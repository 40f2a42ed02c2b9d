"""Instructions of Hexagon: forms, operands, units, latencies, and the assembly text that they are read from."""
