"""Which activations stay in TCM, and where."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from hexagon_mlir import targets
from hexagon_mlir.codegen.model_calls import Buffer, Call
from hexagon_mlir.codegen.tcm_activations import (
    Activations,
    choose_activations,
    padded_bytes,
    padded_lifetimes,
    plan_activations,
)
from hexagon_mlir.dialects.kernel_memory import padded_elements

CHIP = targets.get("v75")
KIB = 1024
ALIGNMENT = int(CHIP.tcm_alignment.value)


def rows(count: int, argument: int | None = None, columns: int = 64) -> Buffer:
    """``count`` rows of f32."""
    return Buffer((count, columns), "f32", count * columns * 4, argument)


def choose(calls, buffers, outputs, refused=(), room=256 * KIB):
    return choose_activations(calls, buffers, outputs, refused, [room] * len(calls), CHIP)


def test_only_what_kernels_make_and_read():
    """The argument (0), the result (3) and what is changed in place (4) are in DDR."""
    buffers = [rows(64, 0), rows(64), rows(64), rows(64), rows(64)]
    calls = [Call(0, (0,), (1, 4)), Call(1, (1,), (2,)), Call(2, (4,), (4,)), Call(3, (2, 4), (3,))]
    assert set(choose(calls, buffers, [3]).from_end) == {1, 2}


def test_a_kernel_has_one_port_in_all_calls():
    """Kernel 1 is called twice: its second result is one of the model, so that its first one is in DDR, too, and the
    argument that reads it."""
    buffers = [rows(64, 0), rows(64), rows(64), rows(64)]
    calls = [Call(0, (0,), (1,)), Call(1, (1,), (2,)), Call(1, (2,), (3,))]
    assert not choose(calls, buffers, [3]).from_end
    assert set(choose([*calls[:2], Call(2, (2,), (3,))], buffers, [3]).from_end) == {1, 2}


def test_refused_ports_and_short_rows():
    buffers = [rows(64, 0), rows(64), rows(64, columns=16), rows(64)]
    calls = [Call(0, (0,), (1, 2)), Call(1, (1, 2), (3,))]
    assert set(choose(calls, buffers, [3]).from_end) == {1}
    assert not choose(calls, buffers, [3], refused={(1, 0)}).from_end


def test_twice_in_one_call():
    """As two shapes of one tensor: a kernel that writes the padding of one argument would write that of the other."""
    buffers = [rows(64, 0), rows(64), rows(64)]
    calls = [Call(0, (0,), (1,)), Call(1, (1, 1), (2,))]
    assert not choose(calls, buffers, [2]).from_end


def test_room_differs_by_call():
    """Buffer 1 lives during the second call, which has no room; buffer 2 does not."""
    buffers = [rows(64, 0), *(rows(64) for _ in range(4))]
    calls = [Call(0, (0,), (1,)), Call(1, (0,), (4,)), Call(2, (1,), (2,)), Call(3, (2, 4), (3,))]
    found = choose_activations(calls, buffers, [3, 4], (), [64 * KIB, 0, 64 * KIB, 64 * KIB], CHIP)
    assert set(found.from_end) == {2} and found.taken == (0, 0, 16 * KIB, 16 * KIB)
    assert found.taken_from(2, calls) == 16 * KIB and found.taken_from(0, calls) == 0
    assert Activations().taken_from(2, calls) == 0


def test_empty():
    assert not choose([], [], []).from_end
    assert not choose([Call(0, (0,), (1,)), Call(1, (1,), (2,))], [rows(4, 0), rows(0), rows(4)], [2]).from_end


@pytest.mark.parametrize(("shape", "elements"), [
    ((1, 197, 768), 224 * 768), ((50, 6, 64), 64 * 384), ((1, 50, 6, 64), 64 * 384), ((3, 64), 3 * 64), ((64,), 64),
    ((32, 64), 32 * 64), ((33, 64), 64 * 64)])
def test_room_after_a_buffer(shape, elements):
    assert padded_elements(shape) == elements


def test_random_schedules():
    """No two that live in one call overlap, none exceeds what is taken, nothing more than the room is."""
    random.seed(1)
    for _ in range(200):
        buffers, calls = [rows(random.randint(1, 300), 0)], []
        for _ in range(random.randint(1, 12)):
            arguments = tuple(random.sample(range(len(buffers)), min(len(buffers), random.randint(1, 3))))
            results = tuple(range(len(buffers), len(buffers) + random.randint(1, 2)))
            buffers += [rows(random.randint(1, 300)) for _ in results]
            calls.append(Call(random.randint(0, 20), arguments, results))
        outputs, room = [len(buffers) - 1], [random.choice((0, 64, 200)) * KIB for _ in calls]
        found = choose_activations(calls, buffers, outputs, (), room, CHIP)
        lives = padded_lifetimes(calls, buffers, outputs)
        assert plan_activations(found.from_end, lives, len(calls), ALIGNMENT) == found
        for step in range(len(calls)):
            spans = sorted((end - padded_bytes(buffers[number]), end) for number, end in found.from_end.items()
                           if lives[number].begin <= step <= lives[number].end)
            assert all(first[1] <= second[0] for first, second in pairwise(spans))
            assert max((end for _, end in spans), default=0) <= found.taken[step] <= room[step]
