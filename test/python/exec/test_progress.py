"""The bar in a terminal: drawn for what takes long, taken away at its end and after errors, nothing elsewhere."""

import io
from types import SimpleNamespace

import pytest
import torch
from torch import nn

import hexagon_mlir as hx
from hexagon_mlir.exec import model as exec_model
from hexagon_mlir.exec import progress
from hexagon_mlir.exec.progress import ProgressBar


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=screen))
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", -1.0)
    monkeypatch.setenv("TERM", "xterm")
    return screen


def test_compiling_and_simulating(terminal):
    model = hx.compile(torch.export.export(nn.Sequential(nn.Linear(9, 5), nn.Linear(5, 3)), (torch.randn(2, 9),)))
    assert "compiling" in terminal.getvalue() and "simulating" not in terminal.getvalue()
    model(torch.randn(2, 9))
    assert "simulating" in terminal.getvalue()
    assert terminal.getvalue().count("\x1b[?25l") == terminal.getvalue().count("\x1b[?25h") == 2  # the cursor is back


def test_an_error_takes_it_away(terminal, monkeypatch):
    model = hx.compile(torch.export.export(nn.Linear(9, 5), (torch.randn(2, 9),)))
    monkeypatch.setattr(exec_model, "launch", None)
    with pytest.raises(TypeError):
        model(torch.randn(2, 9))
    assert terminal.getvalue().count("\x1b[?25l") == terminal.getvalue().count("\x1b[?25h") == 2


@pytest.mark.parametrize("patience", [-1.0, 60.0])
def test_nothing_for_what_is_quick_and_nothing_elsewhere(terminal, monkeypatch, patience):
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", patience)
    if patience < 0:
        monkeypatch.setattr(terminal, "isatty", lambda: False)
    bar = ProgressBar()
    for done in range(4):
        bar("simulating", done, 3)
    assert terminal.getvalue() == ""
