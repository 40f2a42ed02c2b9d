"""What LLVM does wrong for Hexagon, as records with the smallest IR that shows it."""
