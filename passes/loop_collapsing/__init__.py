"""Parts of `collapse-loops`: `pairs` (which loops become one, decided), `rewrite` (one op, and reshapes around it)."""
