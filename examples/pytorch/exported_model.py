"""A transformer layer from ``torch.export`` with a dynamic sequence length: compiled for each length it meets.

Run it: ``python examples/pytorch/exported_model.py``
"""

import torch
from torch import nn
from torch.export import Dim

import hexagon_mlir as hx
from hexagon_mlir.report.model import model_report


class Layer(nn.Module):
    """Attention and a residual."""

    def __init__(self, width: int = 64, heads: int = 4):
        super().__init__()
        self.heads = heads
        self.norm, self.inner, self.outer = nn.LayerNorm(width), nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Shape (1, length, width)."""
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.inner(self.norm(x)).chunk(3, -1))
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + self.outer(y.transpose(1, 2).flatten(2))


def compiled(layer: nn.Module) -> hx.SpecializedModel:
    """``layer`` for any length from 2 to 64."""
    shapes = ({1: Dim("length", max=64)},)
    model = hx.compile(torch.export.export(layer, (torch.randn(1, 8, 64),), dynamic_shapes=shapes))
    assert isinstance(model, hx.SpecializedModel)
    return model


def main() -> None:
    """Compare with eager PyTorch at two lengths, and print what the compiler did for the last."""
    torch.manual_seed(0)
    layer = Layer().eval()
    model = compiled(layer)
    for length in (12, 7):
        x = torch.randn(1, length, 64)
        with torch.no_grad():
            print(f"length {length}: max error {float((model(x) - layer(x)).abs().max()):.1e}")
    for remark in model.remarks:
        print(remark.message)
    print(model_report(model.specialize(x)))


if __name__ == "__main__":
    main()
