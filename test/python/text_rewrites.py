"""The rewrites of LLVM IR on text: tests give it and read it."""

from collections.abc import Callable
from typing import Any

from hexagon_mlir.codegen import module_splitting
from hexagon_mlir.codegen.hvx import conversions_before_calls as before_calls
from hexagon_mlir.codegen.hvx import (
    exchanged_sums,
    exponent_numbers,
    half_narrowing,
    lane_exchanges,
    native_vectors,
    qfloat_lifetimes,
    unaligned_rows,
)
from hexagon_mlir.codegen.rewrites import (
    copy_loops,
    float_splats,
    half_fabs,
    loop_entries,
    poison_halves,
    scalar_selects,
    store_order,
)
from hexagon_mlir.codegen.scheduling import loop_order
from hexagon_mlir.codegen.scheduling import traits as of_module
from hexagon_mlir.llvmir import Function, Module


def on_text(rewrite: Callable[..., Module]) -> Callable[..., str]:
    """``rewrite`` of a module as one of its text."""
    def rewritten(text: str, *arguments: Any, **options: Any) -> str:
        return rewrite(Module.parse(text), *arguments, **options).text

    return rewritten


def printed(text: str) -> str:
    """``text`` as a rewrite prints it: without blank lines in functions, with a name for everything."""
    return Module([Function(records=part.records) if isinstance(part, Function) else part
                   for part in Module.parse(text).parts]).text


conversions_before_calls = on_text(before_calls.conversions_before_calls)
exchanged_sums_in_qfloat = on_text(exchanged_sums.exchanged_sums_in_qfloat)
exchanges_as_instructions = on_text(lane_exchanges.exchanges_as_instructions)
float_splats_as_words = on_text(float_splats.float_splats_as_words)
half_fabs_as_bits = on_text(half_fabs.half_fabs_as_bits)
keep_copies_in_order = on_text(copy_loops.keep_copies_in_order)
keep_loops_after_stores = on_text(loop_entries.keep_loops_after_stores)
keep_stores_in_order = on_text(store_order.keep_stores_in_order)
narrowings_as_instructions = on_text(half_narrowing.narrowings_as_instructions)
order_loops = on_text(loop_order.order_loops)
poison_halves_as_others = on_text(poison_halves.poison_halves_as_others)
rows_apart = on_text(unaligned_rows.rows_apart)
scalar_selects_as_bits = on_text(scalar_selects.scalar_selects_as_bits)
shorten_lifetimes = on_text(qfloat_lifetimes.shorten_lifetimes)
small_integers_as_conversions = on_text(exponent_numbers.small_integers_as_conversions)
use_native_vectors = on_text(native_vectors.use_native_vectors)


def loops_apart(text: str) -> list[str]:
    """The text of each module."""
    return [module.text for module in module_splitting.loops_apart(Module.parse(text))]


def traits(text: str) -> of_module.Traits:
    """The traits of the functions in ``text``."""
    return of_module.traits(Module.parse(text))
