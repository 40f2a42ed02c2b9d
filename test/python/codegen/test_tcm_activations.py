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
    plan_activations,
    ports,
    slot_bytes,
    slot_lifetimes,
)
from hexagon_mlir.dialects.kernel_memory import slot_elements

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
    assert set(choose(calls, buffers, [3]).places) == {1, 2}


def test_a_kernel_has_one_port_in_all_calls():
    """Kernel 1 is called twice: its second result is one of the model, so that its first one is in DDR, too, and the
    argument that reads it."""
    buffers = [rows(64, 0), rows(64), rows(64), rows(64)]
    calls = [Call(0, (0,), (1,)), Call(1, (1,), (2,)), Call(1, (2,), (3,))]
    assert not choose(calls, buffers, [3]).places
    assert set(choose([*calls[:2], Call(2, (2,), (3,))], buffers, [3]).places) == {1, 2}


def test_refused_ports_and_short_rows():
    buffers = [rows(64, 0), rows(64), rows(64, columns=16), rows(64)]
    calls = [Call(0, (0,), (1, 2)), Call(1, (1, 2), (3,))]
    assert set(choose(calls, buffers, [3]).places) == {1}
    assert not choose(calls, buffers, [3], refused={(1, 0)}).places


def test_room_differs_by_call():
    """Buffer 1 lives during the second call, which has no room; buffer 2 does not."""
    buffers = [rows(64, 0), *(rows(64) for _ in range(4))]
    calls = [Call(0, (0,), (1,)), Call(1, (0,), (4,)), Call(2, (1,), (2,)), Call(3, (2, 4), (3,))]
    found = choose_activations(calls, buffers, [3, 4], (), [64 * KIB, 0, 64 * KIB, 64 * KIB], CHIP)
    assert set(found.places) == {2} and found.taken == (0, 0, 16 * KIB, 16 * KIB)
    assert found.taken_from(2, calls) == 16 * KIB and found.taken_from(0, calls) == 0
    assert Activations().taken_from(2, calls) == 0


def test_empty():
    assert not choose([], [], []).places
    assert not choose([Call(0, (0,), (1,)), Call(1, (1,), (2,))], [rows(4, 0), rows(0), rows(4)], [2]).places


@pytest.mark.parametrize(("shape", "elements"), [
    ((1, 197, 768), 224 * 768), ((50, 6, 64), 64 * 384), ((1, 50, 6, 64), 64 * 384), ((3, 64), 3 * 64), ((64,), 64),
    ((32, 64), 32 * 64), ((33, 64), 64 * 64)])
def test_room_after_a_buffer(shape, elements):
    assert slot_elements(shape) == elements


def test_random_schedules():
    """No two that live in one call overlap, none exceeds what is taken, nothing more than the room is."""
    random.seed(1)
    for _ in range(200):
        buffers, calls, made = [rows(random.randint(1, 300), 0)], [], [0]
        for kernel in range(random.randint(1, 12)):
            arguments = tuple(random.sample(made, min(len(made), random.randint(1, 3))))
            results = tuple(range(len(buffers), len(buffers) + random.randint(1, 2)))
            buffers += [rows(random.randint(1, 300)) for _ in results]
            calls.append(Call(kernel % random.randint(1, 12), arguments, results))
            made += results
        room = [random.choice((0, 64, 200)) * KIB for _ in calls]
        shapes = {}  # of a kernel's ports: calls with others are of another kernel
        calls = [call for call in calls if all(shapes.setdefault(port, buffers[number].shape) == buffers[number].shape
                                               for port, number in ports(call))]
        read = {number for call in calls for number in call.arguments}
        written = {0, *(number for call in calls for number in call.results)}
        calls = [call for call in calls if written.issuperset(call.arguments)]
        found = choose_activations(calls, buffers, [max(read | written)], (), room[:len(calls)], CHIP)
        lives = slot_lifetimes(calls, buffers, [max(read | written)])
        again = plan_activations(found.places, lives, len(calls), ALIGNMENT)
        assert again == found
        for step in range(len(calls)):
            spans = sorted((end - slot_bytes(buffers[number]), end) for number, end in found.places.items()
                           if lives[number].begin <= step <= lives[number].end)
            assert all(first[1] <= second[0] for first, second in pairwise(spans))
            assert max((end for _, end in spans), default=0) <= found.taken[step] <= room[step]
