"""What `hexagon-split-products` decides and writes."""
