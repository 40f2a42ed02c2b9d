"""A perceptron through ``torch.compile``: f32, and with f16 weights.

Run it: ``python examples/pytorch/torch_compile.py``
"""

import torch

from hexagon_mlir.frontend.torch.dynamo import models


def perceptron() -> torch.nn.Module:
    """64 numbers to 10, with 128 between."""
    return torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.GELU(), torch.nn.Linear(128, 10)).eval()


def run(model: torch.nn.Module, x: torch.Tensor, **options: str) -> torch.Tensor:
    """``model(x)`` on the simulator; what cannot be compiled is an error here, eager PyTorch by default."""
    fast = torch.compile(model, backend="hexagon", options={"fallback": "error", **options})
    with torch.no_grad():
        return fast(x)


def main() -> None:
    """Compare with eager PyTorch."""
    torch.manual_seed(0)
    model, x = perceptron(), torch.randn(5, 64)
    with torch.no_grad():
        expected = model(x)
    for numerics in ("f32", "mixed"):
        error = float((run(model, x, numerics=numerics) - expected).abs().max())
        torch.compiler.reset()  # the next options compile anew
        compiled = models[-1]
        assert compiled.last_run is not None
        print(f"{numerics:6} max error {error:.1e}, {compiled.last_run.cycles} cycles, "
              f"{compiled.result.weight_bytes} bytes of weights")


if __name__ == "__main__":
    main()
