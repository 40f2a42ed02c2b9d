"""Runs PyTorch's own samples of its operations through the front end and writes docs/operations.md.

``python bench/operations.py [FIRST:LAST] [WORD]`` prints the outcome of the operations whose names hold WORD, of those
from number FIRST to before LAST. Each is compiled as far as linalg, and PyTorch runs the decomposed graph; with
``--run``, the simulator runs the compiled code. ``--write`` writes the page, of all operations.
"""

from __future__ import annotations

import re
import sys
import types
import unittest
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._functorch import config as functorch
from torch._functorch.aot_autograd import make_boxed_func
from torch.fx import Graph, GraphModule
from torch.utils import _pytree as pytree

from hexagon_mlir import HexError
from hexagon_mlir.frontend.torch.capture import from_aot
from hexagon_mlir.frontend.torch.complex_numbers import in_real_numbers
from hexagon_mlir.frontend.torch.decompositions import decompositions
from hexagon_mlir.frontend.torch.importer import to_linalg
from hexagon_mlir.frontend.torch.passes import run_passes
from hexagon_mlir.frontend.torch.random_keys import drawing, take_keys

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/operations.md"
TYPES = (torch.float32, torch.int64, torch.bool, torch.complex64)
"""Element types of samples: the first one that an operation takes."""
LARGEST = 4096
"""Elements of the tensors of a sample at most."""
TOLERANCE = 1e-4
"""Of the largest value of the result."""
EQUAL, DRAWN = "equal", "drawn"
_RUN: dict[str, Any] = {"backend": "hexagon", "options": {"fallback": "error"}}


def database() -> dict[str, Any]:
    """PyTorch's records of operations with sample inputs, by name; its tests' own dependency is not needed."""
    if "expecttest" not in sys.modules:
        sys.modules["expecttest"] = stand_in = types.ModuleType("expecttest")
        stand_in.TestCase = unittest.TestCase  # type: ignore[attr-defined]
    from torch.testing._internal.common_methods_invocations import op_db

    return {f"{op.name} {op.variant_test_name}".strip(): op for op in op_db}


def sample(op: Any) -> tuple[Callable[..., Any], list[torch.Tensor]] | None:
    """The operation as a function of tensors alone, and tensors; None where it has no small sample."""
    torch.manual_seed(0)
    for dtype in TYPES:
        if dtype not in op.dtypes:
            continue
        for number, one in enumerate(op.sample_inputs("cpu", dtype)):
            leaves, spec = pytree.tree_flatten(((one.input, *one.args), one.kwargs))
            places = [place for place, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
            tensors = [leaves[place].detach() for place in places]
            if all(0 < tensor.numel() <= LARGEST for tensor in tensors) and (tensors or number == 0):
                return _function(op.op, leaves, places, spec), tensors
    return None


def _function(op: Callable[..., Any], leaves: list[Any], places: list[int], spec: Any) -> Callable[..., Any]:
    def function(*tensors: torch.Tensor) -> Any:
        filled = list(leaves)
        for place, tensor in zip(places, tensors, strict=True):
            filled[place] = tensor
        args, kwargs = pytree.tree_unflatten(filled, spec)
        return op(*args, **kwargs)

    return function


def decomposed(module: GraphModule, example_inputs: list[Any]) -> Callable[..., Any]:
    """A backend: imports the graph, and has PyTorch compute what the front end made of it."""
    def compile_forward(graph: GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        run = drawing(graph, take_keys(graph))

        def call(*arguments: Any) -> Any:
            copy = Graph()
            copy.output(copy.graph_copy(graph.graph, {}))
            made = from_aot(in_real_numbers(GraphModule(graph, copy)), {})
            run_passes(made)
            to_linalg(made)
            return run(*arguments)

        return make_boxed_func(call)

    with functorch.patch(unlift_effect_tokens=True):
        return aot_autograd(fw_compiler=compile_forward, decompositions=decompositions())(module, example_inputs)


def outcome(op: Any, run: bool = False) -> str:
    """`EQUAL`, `DRAWN` (random numbers: sizes and types are equal), or what is different or refused.

    With ``run``, of the compiled code, otherwise of the decomposed graph.
    """
    try:
        made = sample(op)
    except Exception as error:
        return f"no sample: {_first_line(error)}"
    if made is None:
        return "no sample"
    function, tensors = made
    torch._dynamo.reset()
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        try:
            torch.manual_seed(1)
            wanted = function(*_copies(tensors))
            torch.manual_seed(2)
            drawn = bool(differences(function(*_copies(tensors)), wanted))
        except Exception as error:
            return f"no sample: {_first_line(error)}"
        try:
            compiled = torch.compile(function, **_RUN if run else {"backend": decomposed, "dynamic": False})
            got = compiled(*_copies(tensors))
        except Exception as error:
            return f"refused: {_reason(error)}"
    found = differences(got, wanted, drawn)
    return f"differs: {found[0]}" if found else DRAWN if drawn else EQUAL


def _copies(tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    return [tensor.clone() for tensor in tensors]


def differences(got: Any, wanted: Any, sizes_only: bool = False) -> list[str]:
    """What differs between two results; NaN equals NaN."""
    ours, theirs = (pytree.tree_leaves(value) for value in (got, wanted))
    if len(ours) != len(theirs):
        return [f"{len(ours)} results instead of {len(theirs)}"]
    found = []
    for mine, his in zip(ours, theirs, strict=True):
        if not isinstance(his, torch.Tensor):
            found += [] if mine == his else [f"{mine} instead of {his}"]
        elif mine.dtype != his.dtype or mine.shape != his.shape:
            found.append(f"{mine.dtype} {tuple(mine.shape)} instead of {his.dtype} {tuple(his.shape)}")
        elif not sizes_only and his.numel():
            kind = torch.complex128 if his.is_complex() else torch.float64
            mine, his = mine.to(kind), his.to(kind)
            largest = his[torch.isfinite(his)].abs().max().item() if torch.isfinite(his).any() else 1.0
            if not torch.allclose(mine, his, rtol=TOLERANCE, atol=TOLERANCE * max(largest, 1e-6), equal_nan=True):
                found.append("values")
    return found


def _reason(error: BaseException) -> str:
    """The compiler's message without its place, or the first line of what PyTorch says."""
    while not isinstance(error, HexError):
        inner = getattr(error, "inner_exception", None) or error.__cause__
        if inner is None:
            break
        error = inner
    if isinstance(error, HexError):
        return error.diagnostics[0].message.splitlines()[0][:160]
    return _first_line(error)


def _first_line(error: BaseException) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0][:120]}" if lines else type(error).__name__


def page(results: dict[str, str]) -> str:
    """The text of docs/operations.md."""
    groups: dict[str, list[str]] = {}
    for name, found in sorted(results.items()):
        groups.setdefault(found.partition(":")[0], []).append(name)
    right, drawn, refused = (groups.get(one, []) for one in (EQUAL, DRAWN, "refused"))
    different = groups.get("differs", [])
    tried = len(right) + len(drawn) + len(refused) + len(different)
    text = f"""# Operations, one by one

`python bench/operations.py --write` writes this page. It compiles each operation of PyTorch's own test database
(`op_db`, by its names) alone as far as linalg, for the first of PyTorch's sample inputs with at most {LARGEST:,}
elements, and compares what the front end made of it, as PyTorch computes it, with the operation itself: the largest
difference is {TOLERANCE:g} of the largest value. With `--run`, the simulator runs the compiled code instead. Samples
are f32 where the operation takes it, otherwise i64, truths or complex numbers.

Of {tried} operations, {len(right)} are equal, {len(drawn)} draw random numbers of the right size and type,
{len(refused)} are refused by name, and {len(different)} differ. With `torch.compile`, an operation that is refused runs
in eager PyTorch.

## Refused

| operation | why |
|---|---|
"""
    for name in refused:
        text += f"| `{name}` | {_cell(results[name].partition(': ')[2])} |\n"
    text += "\n## Different\n\n"
    text += "".join(f"* `{name}`: {_cell(results[name].partition(': ')[2])}\n" for name in different) or "None.\n"
    text += f"\n## Random\n\n{_names(drawn)}\n\n## Equal\n\n{_names(right)}\n"
    return text


def _cell(text: str) -> str:
    return re.sub(r"'([^']*)'", r"`\1`", text.replace("|", "\\|").replace("<", "&lt;"))


def _names(names: list[str]) -> str:
    lines = [""]
    for name in names:
        word = f"`{name}`" + ("," if name != names[-1] else ".")
        if len(lines[-1]) + len(word) > 118:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)


def _chosen(arguments: list[str]) -> Iterator[tuple[str, Any]]:
    first, last, word = 0, None, ""
    for argument in arguments:
        if match := re.fullmatch(r"(\d*):(\d*)", argument):
            first, last = int(match[1] or 0), int(match[2]) if match[2] else None
        else:
            word = argument
    yield from [(name, op) for name, op in sorted(database().items()) if word in name][first:last]


def main() -> int:
    """Exit code 1 when a result differs."""
    options = [argument for argument in sys.argv[1:] if argument.startswith("--")]
    results = {}
    for name, op in _chosen([argument for argument in sys.argv[1:] if argument not in options]):
        results[name] = outcome(op, "--run" in options)
        print(f"{name}: {results[name]}", flush=True)
    if "--write" in options:
        PAGE.write_text(page(results))
    return 1 if any(found.startswith("differs") for found in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
