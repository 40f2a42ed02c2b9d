"""The packets of the matrix engine's golden cases."""

import functools

from bench.engine_golden import cases


@functools.cache
def packets():
    """Text of each packet in any case -> its 32-bit words."""
    return {step["asm"]: tuple(int(word, 16) for word in step["words"]) for case in cases() for step in case["steps"]}
