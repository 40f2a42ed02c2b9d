"""Workers that poll when the next kernel of a model begins."""

import torch

import hexagon_mlir as hx
from hexagon_mlir import targets
from hexagon_mlir.exec import model
from hexagon_mlir.exec.sim import launch

V75 = targets.get("v75")
DISPATCH, POLL, SLOWLY = (int(getattr(V75, name).value)
                          for name in ("task_dispatch_cycles", "poll_cycles", "poll_slowly_cycles"))


class Products(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(96, 96) for _ in range(2))

    def forward(self, x):
        for layer in self.layers:
            x = torch.softmax(layer(x), -1)
        return x


def test_only_the_first_kernel_wakes_workers(monkeypatch):
    """Between two calls of a model they sleep."""
    torch.manual_seed(0)
    module, x = Products().eval(), torch.randn(61, 96)
    compiled = hx.compile(torch.export.export(module, (x,)))

    def begins():
        torch.testing.assert_close(compiled(x), module(x), atol=1e-5, rtol=1e-5)
        launches = [record.result for record in compiled.last_run.launches]
        return [result.threads[1].begin for result in launches if result.threads]

    polling = begins()
    assert begins() == polling
    monkeypatch.setattr(model, "launch", lambda *values, idle_q8, **named: launch(*values, **named))
    sleeping = begins()
    saved = [asleep - awake for asleep, awake in zip(sleeping, polling, strict=True)]
    assert len(saved) >= 2
    assert saved[0] == 0
    assert {DISPATCH - POLL, DISPATCH - SLOWLY} >= set(saved[1:])
