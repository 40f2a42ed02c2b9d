"""bench/architectures.py: how results are compared, and the page that is made of rows."""

import json
import sys

import pytest
import torch

from bench import architectures
from bench.corpus.architecture_row import error_of, run, tensors
from bench.corpus.architecture_table import KINDS, page, without_folders
from bench.corpus.architectures import TRANSFORMERS
from bench.corpus.image_architectures import IMAGES


def test_errors():
    x = torch.tensor([2.0, -4.0])
    assert error_of([x], [x]) == 0.0
    assert error_of([x + 0.5], [x]) == 0.125
    assert error_of([x, x], [x]) == error_of([], []) == error_of([x[:1]], [x]) == float("inf")
    inf, nan = torch.tensor([float("inf"), 1.0]), torch.tensor([float("nan"), 1.0])
    assert error_of([inf], [inf]) == error_of([nan], [nan]) == 0.0
    assert error_of([nan], [x]) == error_of([x], [nan]) == error_of([-inf], [inf]) == float("inf")


def test_tensors_of_a_result():
    x = torch.zeros(2)
    found = list(tensors({"a": [x, (x, None)], "b": torch.zeros(2, dtype=torch.int64), "c": object()}))
    assert len(found) == 2 and all(one is x for one in found)


class _Vanishing(torch.nn.Module):
    def forward(self, x):
        return x, x * 1e-9


def test_models_whose_values_vanish_are_no_rows():
    with pytest.raises(ValueError, match="vanish"):
        run(_Vanishing(), {"x": torch.ones(2)})


def test_the_first_row_of_a_kind(monkeypatch, tmp_path):
    monkeypatch.setattr(architectures, "RESULTS", tmp_path / "results.json")
    monkeypatch.setattr(architectures, "measured", lambda name, kind, simulator: {"state": "whole"})
    monkeypatch.setattr(architectures, "_fill_cache", lambda cache: None)
    monkeypatch.setattr(architectures, "load_libraries", lambda: None)
    monkeypatch.setattr(architectures, "_compile_sources", lambda: None)
    monkeypatch.setattr(sys, "argv", ["architectures.py", "--kind=train", "--only=BERT"])
    architectures.main()
    assert json.loads(architectures.RESULTS.read_text()) == {"train": {"BERT": {"state": "whole"}}}


def test_page():
    names = [*TRANSFORMERS, *IMAGES]
    assert len(names) > 71 and all(set(chosen) <= set(names) for chosen in KINDS.values())
    text = page({"run": {"BERT": {"state": "whole", "error": 2e-7, "graphs": 1, "compile_seconds": 7.0,
                                  "compiler_seconds": 3.0, "simulator_seconds": 1.0, "wall_seconds": 9.0,
                                  "slowness": 2.0},
                         "ResNet": {"state": "failed", "reason": "a|b /x/site-packages/torch/f.py:3"}}}, names)
    assert "| BERT | whole | 2.0e-07 | 1 | 3.5 | 1.5 | 0.5 | 9.0 |" in text
    assert "* **ResNet**: a\\|b torch/f.py:3" in text
    assert f"2 of {len(names)} models were run: 1 whole, 1 failed." in text


def test_reasons_have_no_folder_of_this_machine():
    given = "HexError: /home/me/.venv/lib/python3.11/site-packages/lib/models/a.py:7: error: no lowering"
    assert without_folders(given) == "HexError: lib/models/a.py:7: error: no lowering"
