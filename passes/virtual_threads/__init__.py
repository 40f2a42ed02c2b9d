"""Parts of `form-virtual-threads`.

`cost` decides (pure functions over numbers), `nests` reads linalg ops into numbers, `groups` finds ops that one
parallel loop can hold, `build` writes that loop.
"""
