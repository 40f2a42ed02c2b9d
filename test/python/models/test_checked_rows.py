"""A right model with ragged rows in TCM, in a checked run: vectors that end beyond a row load what is not written."""

import torch

from hexagon_mlir.exec import sim


def ordered(x: torch.Tensor, columns: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Each group of four chosen columns in order, and as it was."""
    groups = x.index_select(1, columns).unflatten(1, (-1, 4))
    return groups.sort(2)[0], groups


def test_rows_that_end_within_a_vector_are_right():
    generator = torch.Generator().manual_seed(1)
    x = torch.randn((8, 7, 16), generator=generator)
    columns = torch.randint(0, 7, (8,), generator=generator)
    with sim.checking() as reports, torch.no_grad():
        got = torch.compile(ordered, backend="hexagon", dynamic=False, options={"fallback": "error"})(x, columns)
    assert all(torch.equal(mine, eager) for mine, eager in zip(got, ordered(x, columns), strict=True))
    assert [str(report) for report in reports if report.certain] == []
