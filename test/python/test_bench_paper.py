"""``bench/paper.py``: the page and the plots of given numbers; its kernels are measured where others test them."""

import pytest

pytest.importorskip("triton", reason="bench/paper.py runs kernels in Triton")
pytest.importorskip("torch", reason="bench/paper.py runs kernels in Triton on tensors")

from bench import combinations, paper

CYCLES = {"Vec": 1000, "+DB": 800, "+MT": 300, "+MT+DB": 250}
MEASURED = paper.Measured(
    [paper.Vectors("GELU", "16384 f32", 16.1, 1_638_400, 163_840, 16384)],
    [(8192, 100, 50), (32768, 400, 160), (65536, 800, 300)],
    {name: paper.Passes(CYCLES, 0.25) for name in paper.PASSES})


def test_page():
    text = paper.page(MEASURED)
    for row in ("| GELU, 16384 f32 | 16.1x | 10.0x | 100.00 | 10.00 |", "| 8,192 | below 1x | 2.00x | 100 | 50 |",
                "| 32,768 | 2.28x | 2.50x | 400 | 160 |", "| 65,536 |  | 2.67x | 800 | 300 |",
                "| exponent series | 0.25 | 1.33x | 1.25x | 1.02x |", "| vec-add 2D | 0.25 | 1.33x | 1.25x |  |",
                "| GELU, +MT+DB | 0.34 | 0.25 | 250 |"):
        assert row in text.splitlines(), row
    assert "vec-add 2D, +DB" not in text, "the paper has no time of it"


def test_its_kernels_exist():
    assert set(paper.OURS.values()) <= {kernel.name for kernel in combinations.kernels()}
    assert paper.OURS.keys() == paper.PASSES.keys()


def test_the_page_of_the_docs_has_these_tables_and_plots():
    def fixed(text: str) -> list[str]:
        return [line for line in text.splitlines() if not line.startswith("| ") or "---" in line]

    assert fixed((paper.DOCS / "paper.md").read_text()) == fixed(paper.page(MEASURED))


def test_plots():
    pytest.importorskip("matplotlib", reason="of the extra bench")
    files = paper.figures(MEASURED)
    assert {*files} == {*(paper.DOCS / "plots").glob("paper-*.svg")}
    assert {file.stem.rpartition("-")[2] for file in files} == {"light", "dark"}
