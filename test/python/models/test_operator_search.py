"""PyTorch's search for composite operators: once in a conversion, again in the next, as before afterwards."""

import pytest
import torch
from torch._export import utils

from hexagon_mlir.frontend.torch.capture import from_exported
from hexagon_mlir.frontend.torch.decompositions import decompositions
from hexagon_mlir.frontend.torch.operator_search import searched_once


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
    before = utils._materialize_cpp_cia_ops, torch._ops.Callable
    with pytest.raises(KeyError), searched_once():
        assert utils._materialize_cpp_cia_ops is not before[0]
        raise KeyError
    assert (utils._materialize_cpp_cia_ops, torch._ops.Callable) == before


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
