"""PyTorch's search for composite operators: once in a conversion, again in the next, as before afterwards."""

import pytest
import torch
from torch._export import utils
from torch._subclasses.fake_impls import op_implementations_dict
from torch.export import exported_program

from hexagon_mlir.frontend.torch.capture import from_exported
from hexagon_mlir.frontend.torch.decompositions import decompositions
from hexagon_mlir.frontend.torch.operator_search import _overridden, searched_once


def test_one_search_in_a_conversion(monkeypatch):
    found = []
    search = utils._materialize_cpp_cia_ops
    monkeypatch.setattr(utils, "_materialize_cpp_cia_ops", lambda: found.append(search()))
    program = torch.export.export(torch.nn.Linear(4, 3), (torch.ones(2, 4),))
    found.clear()
    graphs = [from_exported(program) for _ in range(2)]
    assert len(found) == 2
    texts = [str(graph.module.graph) for graph in graphs]
    assert "aten." in texts[0] and texts[0] == texts[1]


def test_as_before_afterwards():
    def patched():
        return (utils._materialize_cpp_cia_ops, torch._ops.Callable,
                exported_program._override_composite_implicit_decomp)

    before = patched()
    with pytest.raises(KeyError), searched_once():
        assert not set(patched()) & set(before)
        raise KeyError
    assert patched() == before


def test_operators_are_as_before_afterwards(monkeypatch):
    """Their kernels and rules, after a conversion and after one that fails; and inside, as PyTorch has them."""
    composite = {op: None for op in utils._collect_all_valid_cia_ops()}

    def found():
        return {op: (dict(op.py_kernels), op_implementations_dict.get(op)) for op in composite}

    with exported_program._override_composite_implicit_decomp(composite):
        inside = found()
    monkeypatch.setitem(op_implementations_dict, next(iter(composite)), "a rule")  # PyTorch itself would forget it
    before = found()
    for _ in range(2):
        with pytest.raises(KeyError), _overridden(composite):
            assert {op: (set(kernels), rule is None) for op, (kernels, rule) in found().items()} == {
                op: (set(kernels), rule is None) for op, (kernels, rule) in inside.items()}
            raise KeyError
        assert found() == before


def test_a_kernel_of_an_operator_is_seen_later():
    """A decomposition that is registered between two conversions."""
    op = torch.ops.aten.reshape.default
    with _overridden({op: None}):
        assert op.py_kernels[CPU] is not kernel
    op.py_kernels[CPU] = kernel
    try:
        with _overridden({op: None}):
            assert op.py_kernels[CPU] is kernel
        assert op.py_kernels == {CPU: kernel}
    finally:
        del op.py_kernels[CPU]
        op._dispatch_cache.clear()


CPU = torch._C.DispatchKey.CPU


def kernel(*arguments):
    """Of an operator."""


def test_an_operator_that_is_added_is_found():
    """Between two conversions, with a composite kernel: the graph is PyTorch's."""
    library = torch.library.Library("hexmlir_search_test", "DEF")
    try:
        from_exported(torch.export.export(torch.nn.ReLU(), (torch.ones(2),)))
        library.define("twice(Tensor x) -> Tensor")
        library.impl("twice", lambda x: x + x, "CompositeImplicitAutograd")

        class Twice(torch.nn.Module):
            def forward(self, x):
                return torch.ops.hexmlir_search_test.twice(x)

        program = torch.export.export(Twice(), (torch.ones(2),))
        expected = str(program.run_decompositions(decompositions()).graph)
        assert "hexmlir_search_test.twice" in expected
        assert str(from_exported(program).module.graph) == expected
    finally:
        library._destroy()
