"""Decisions of form-virtual-threads: numbers in, numbers out."""

from dataclasses import replace
from itertools import product
from math import ceil, prod

import pytest

from hexagon_mlir import targets
from hexagon_mlir.passes.lib.chunk_choice import Cut, choose_chunks, choose_cut, choose_split, refine_cut
from hexagon_mlir.passes.lib.thread_cost import Chunks, ForkCost
from hexagon_mlir.passes.lib.thread_shares import Shares, equal_shares

V75 = targets.get("v75")
COST = ForkCost.of(V75)


def test_costs_are_the_targets():
    assert COST.tasks == COST.contexts == int(V75.hvx_contexts.value)
    assert COST.fork_join(1) == 0
    assert COST.queue >= V75.task_queue_cycles.value
    for tasks in (2, 4):  # all are queued at once
        assert COST.fork_join(tasks) == COST.queue + V75.task_dispatch_cycles.value + V75.poll_cycles.value
        assert COST.beside_others().fork_join(tasks) == COST.queue + 2 * V75.task_dispatch_cycles.value


def test_threads_share_the_issue_ports():
    """Two clusters: two dense threads do not meet, four do; the formula is that of the simulator's scheduler."""
    assert COST.slowdown(1) == COST.slowdown(2) == 1
    assert COST.slowdown(4) == pytest.approx((1 + (1 + 4 * 0.25) ** 0.5) / 2)
    assert COST.slowdown(8) == 2 * COST.slowdown(4)  # on 4 contexts: one after the other


@pytest.mark.parametrize(("units", "chunk", "count"), [((8,), (2,), 4), ((7,), (2,), 4), ((5, 3), (2, 3), 3)])
def test_blocks(units, chunk, count):
    assert Chunks(units, chunk).count == count


@pytest.mark.parametrize(("units", "chunk", "tasks", "load"), [
    ((8,), (2,), 4, 2 / 8),  # one block each
    ((9,), (2,), 4, 3 / 9),  # five chunks: the first task also gets the last, half-empty one
    ((7,), (1,), 4, 2 / 7),
    ((5, 4), (1, 2), 4, 6 / 20),  # ten chunks of two: 3, 3, 2, 2
])
def test_load_is_the_largest_share(units, chunk, tasks, load):
    assert Chunks(units, chunk).load(tasks)[0] == pytest.approx(load)


def test_even_loops_get_one_block_each():
    for units in (4, 8, 1024):
        assert choose_chunks([units], 1e6, COST) == Chunks((units,), (units // 4,))


def test_every_unit_is_in_one_block():
    for units in [(1,), (2,), (3,), (17,), (3126,), (2, 2), (5, 3), (63, 512)]:
        chunks = choose_chunks(units, 1e7, COST)
        if chunks is None:
            assert units == (1,)
            continue
        covered = [0] * prod(units)
        for at in product(*[range(0, n, c) for n, c in zip(units, chunks.sizes, strict=True)]):
            for unit in product(*[range(a, min(a + c, n)) for a, c, n in zip(at, chunks.sizes, units, strict=True)]):
                covered[sum(u * prod(units[i + 1:]) for i, u in enumerate(unit))] += 1
        assert covered == [1] * prod(units)


def test_uneven_loops_are_dealt_in_turn_where_that_balances():
    """Five rows and three vectors of columns on four threads: chunks of one loop alone leave a third to one task."""
    chunks = choose_chunks((5, 3), 1e6, COST)
    assert chunks is not None and chunks.count > 4
    assert chunks.load(4)[0] == pytest.approx(4 / 15)
    assert min(Chunks((5, 3), cut).load(4)[0] for cut in ((2, 3), (5, 1))) >= 1 / 3


def test_never_far_from_the_best_balance():
    for units in range(4, 300):
        chunks = choose_chunks([units], 1e7, COST)
        assert chunks is not None
        assert chunks.load(min(4, chunks.count))[0] == pytest.approx(ceil(units / 4) / units, rel=0.02)


@pytest.mark.parametrize("cycles", [0, 10, 100, 500, 1000, 1300])
def test_small_work_stays_with_one_thread(cycles):
    """Below what forking and joining two threads costs there is nothing to gain, whatever the length."""
    for units in (1, 2, 4, 64, 4096):
        assert choose_chunks([units], cycles, COST) is None


def test_work_that_is_certain_is_spread_sooner():
    measured = replace(COST, certain=1.0)
    least, of_others = (next(cycles for cycles in range(1000, 9000, 10) if choose_chunks([64], cycles, cost))
                        for cost in (measured, COST))
    assert least < of_others / 2
    assert not measured.exceeds(least)
    chunks = choose_chunks([64], least, measured)
    assert chunks is not None and measured.shared_time(least, chunks) <= least <= measured.time(least, chunks)


def test_whoever_is_spread_gains():
    """What is spread promises to be done earlier, even if the work was overestimated twice."""
    for cycles in (4_000, 8_000, 20_000, 1e6):
        for units in (2, 3, 5, 64, 1000):
            chunks = choose_chunks([units], cycles, COST)
            if chunks is not None:
                assert COST.time(cycles, chunks) <= cycles
                assert COST.time(cycles / 2, chunks) <= cycles / 2


def test_more_expensive_threads_are_used_later():
    dear = replace(COST, dispatch=100 * COST.dispatch)
    assert choose_chunks([64], 20_000, COST) is not None
    assert choose_chunks([64], 20_000, dear) is None


@pytest.mark.parametrize("units", [(3126,), (63, 512), (63,)])
def test_all_the_threads_asked_for_take_part(units):
    chunks = choose_chunks(units, 1e7, ForkCost.of(V75, 7))
    assert chunks is not None
    assert chunks.count >= 7


def test_least_work_replaces_the_estimate():
    assert choose_chunks([64], 100, COST, least=100) is not None
    assert choose_chunks([64], 1e9, COST, least=2e9) is None


def test_neat_borders_are_taken_where_they_cost_little():
    """127 rows in units of 32, or of one row."""
    units = [(32,), (1,)]
    assert choose_cut([128], units, 1e6, COST).steps == [32]
    assert choose_cut([160], units, 1e6, COST).unit == (1,)  # five units of 32 leave two to one thread
    assert choose_cut([127], units, 1e6, ForkCost.of(V75, 7)).chunks.count >= 7
    assert choose_cut([127], [], 1e6, COST) is None


@pytest.mark.parametrize(("extents", "unit", "steps"), [
    ([7], 1, None), ([8], 1, [2]), ([6], 1, [2]), ([9], 1, [3]), ([16], 2, [4]), ([15], 2, None)])
def test_equal_chunks(extents, unit, steps):
    """Where chunks must have equal lengths of at least two, seven iterations are one chunk; a cut in units leaves no
    rest."""
    cut = choose_cut(extents, [(unit,)], 1e6, COST, lanes=[2], even=[True])
    assert (cut and cut.steps) == steps


@pytest.mark.parametrize(("extents", "chunks"), [
    ([16], None),  # less than a vector: four chunks of four columns take as long as all
    ([32], None), ([33], None), ([65], [33]), ([128], [32])])
def test_chunks_have_a_whole_vector(extents, chunks):
    cut = choose_cut(extents, [(1,)], 1e6, COST, lanes=[32])
    assert (cut and cut.steps) == chunks


@pytest.mark.parametrize(("units", "sizes", "lanes", "load"), [
    ((256,), (43,), (32,), 2 / 8),  # 43 columns are two vectors
    ((256,), (64,), (32,), 2 / 8),
    ((100,), (32,), (32,), 1 / 4),  # 100 columns are four vectors
    ((34, 256), (12, 32), (1, 32), (3 * 12 + 10) / (34 * 8)),  # 24 chunks, four of the first task
])
def test_part_of_a_vector_takes_as_long_as_a_vector(units, sizes, lanes, load):
    assert Chunks(units, sizes, lanes).load(6)[0] == pytest.approx(load)


def test_six_threads_cut_columns_into_whole_vectors():
    """Six chunks of 43 columns would take as long as four of 64."""
    cut = choose_cut([256], [(32,), (1,)], 1e6, ForkCost.of(targets.get("v79")), lanes=[32])
    assert cut is not None and cut.steps == [64]


@pytest.mark.parametrize(("units", "cycles", "combine", "count"), [
    (8192, 1e6, 8, 4),
    (3, 1e6, 8, 3),  # not more chunks than vectors
    (1, 1e6, 8, None),
    (8192, 1000, 8, None),  # the work does not pay for the tasks
    (8192, 1e6, 1e6, None)])  # nor for combining so many results
def test_split_reductions(units, cycles, combine, count):
    chunks = choose_split(units, cycles, combine, COST)
    assert (chunks and chunks.count) == count


def test_split_among_as_many_as_the_user_says():
    assert choose_split(8192, 1e6, 8, ForkCost.of(V75, 7)).count == 7
    assert choose_split(5, 1e6, 8, ForkCost.of(V75, 5)).count == 5
    assert choose_split(129, 10, 8, ForkCost.of(V75, 4), least=1).sizes == (33,)
    assert choose_split(129, 10, 8, ForkCost.of(V75, 4), least=11) is None


@pytest.mark.parametrize("cycles", [0, 1, 100, 1000, 2000, 3000, 10_000, 1e6])
@pytest.mark.parametrize("tasks", [1, 2, 4])
def test_what_tasks_exceed_is_never_cut(cycles, tasks):
    """Cutting is not even tried there; and what is worth cutting is not ruled out."""
    cost = replace(COST, tasks=tasks)
    found = [choose_chunks(units, cycles, cost) for units in ((4,), (64,), (7, 5), (1024,))]
    assert not (cost.exceeds(cycles) and any(found))
    assert cost.exceeds(cycles) or cycles >= 1000
    assert any(found) or cost.exceeds(cycles) or tasks == 1 or cycles < 1e5


def test_equal_shares_are_the_bound():
    """Just below the bound not even loops that give every task an equal share are cut, a little above it they are."""
    bound = next(cycles for cycles in range(100, 100_000) if not COST.exceeds(cycles))
    assert COST.fork_join(2) / 0.4 < bound  # two tasks also have their share of the work to do
    assert not any(choose_chunks((count,), bound - 1, COST) for count in range(2, COST.tasks + 1))
    assert any(choose_chunks((count,), 1.2 * bound, COST) for count in range(2, COST.tasks + 1))


@pytest.mark.parametrize("cycles", [100, 500, 1000, 2000, 10_000, 1e6])
@pytest.mark.parametrize("tasks", [2, 4, 6])
def test_the_main_thread_runs_more_where_all_is_done_sooner(cycles, tasks):
    """Never later than with equal shares, and nothing is left over; the main thread has at least an equal share."""
    cost = ForkCost.of(V75, tasks)
    for count in range(1, 24):
        shares, equal = cost.shares(count, tasks, cycles), equal_shares(count, tasks)
        assert shares.first >= equal.first and 0 <= shares.others < tasks
        assert shares.first + shares.others * shares.most(count) >= count
        ends = [cost.end(each, each.first * cycles, each.most(count) * cycles) for each in (shares, equal)]
        assert ends[0] <= ends[1]


def test_a_task_that_ends_last_resumes_the_main_thread():
    """The main thread's own work, after it has started the others; or their end and what its resumption takes."""
    slowdown = COST.slowdown(4)
    assert COST.end(Shares(1, 3), 5000, 1000) == pytest.approx(COST.queue + 5000 * slowdown)
    assert COST.end(Shares(1, 3), 1000, 1000) == pytest.approx(COST.fork_join(4) + 1000 * slowdown)
    assert COST.end(Shares(8, 0), 1000, 0) == 1000


@pytest.mark.parametrize("cycles", [1000, 3000, 6000, 9000, 60_000, 1e6])
@pytest.mark.parametrize(("units", "size"), [((240,), 60), ((32,), 8), ((32, 3), 8), ((30,), 8), ((7,), 2)])
def test_finer_chunks(units, size, cycles):
    """Equal chunks stay equal; those of which the last is smaller stay what they are."""
    cut = Cut(Chunks(units, (size, *units[1:])), (1,) * len(units))
    found = refine_cut(cut, cycles, COST, [1] * len(units))
    assert found == cut or not any(n % c for n, c in zip(found.chunks.units, found.chunks.sizes, strict=True))
    assert COST.shared_time(cycles, found.chunks) <= COST.shared_time(cycles, cut.chunks)
    assert found.chunks.count <= 16
    assert refine_cut(Cut(Chunks((240,), (60,)), (1,)), 9000, COST, [20]).chunks.sizes[0] % 20 == 0
