"""Parts of `form-virtual-threads`: `nests` reads linalg ops into numbers, `groups` finds ops that one parallel loop can
hold, `build` writes that loop, `run_time_chunks` its step where a count is known
at run time only, `reductions` splits a reduction. `lib.chunk_choice` decides.
"""
