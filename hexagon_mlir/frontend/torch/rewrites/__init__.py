"""Graph-level passes: each takes a `TorchGraph` and rewrites it in place."""
