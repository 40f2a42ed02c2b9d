"""Helpers of `form-block-products` and `hexagon-block-products`."""
