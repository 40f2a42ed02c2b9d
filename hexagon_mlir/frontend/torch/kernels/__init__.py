"""Operations of our own in the graph, and the linalg functions that compute them."""
