"""Parts of `form-virtual-threads`: `nests` reads linalg ops into numbers, `groups` finds ops that one parallel loop can
hold, `build` writes that loop, `reductions` splits a reduction. `lib.thread_cost` decides.
"""
