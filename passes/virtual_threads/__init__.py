"""Parts of `form-virtual-threads`.

`cost` decides (pure functions over numbers), `nests` reads linalg ops into numbers, `groups` finds ops that one
parallel loop can hold, `build` writes that loop, `reductions` the one of a
reduction that is split.
"""
