"""Helpers of `coalesce-block-loads`: `growth` tells how an index moves from iteration to iteration, `read` what a loop
loads, `build` loads it at once."""
