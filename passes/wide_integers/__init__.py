"""The decisions and the rewriting of `hexagon-wide-integers`."""
