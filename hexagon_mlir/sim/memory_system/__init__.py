"""Guest memory, the cache model, and the user-DMA engines."""
