"""``hexmlir bench``: the corpus, measurements with their values checked, files, and what changed since an older one."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from binaries import needs_linker

from hexagon_mlir import targets
from hexagon_mlir.bench import measure, models, plain_c, plots, ways
from hexagon_mlir.bench.bounds import bound
from hexagon_mlir.bench.corpus import ENTRIES
from hexagon_mlir.bench.results import Measured, Results, compared, difference, encoded, markdown, read
from hexagon_mlir.cli.hexmlir import main
from hexagon_mlir.ir import HexError, parse
from hexagon_mlir.report.roofline import Bound
from hexagon_mlir.sim import Machine

OLD = Results("v75", {
    "a": Measured("8 f32", {"LLVM": 800, "C": 50, "Vec": 200, "+DB": 100, "hand": 90}, {}, 50, "DDR"),
    "b": Measured("8 f32", {"Vec": 100}, {"LLVM": "no code"}, 25, "HVX issue"),
    "gone": Measured("8 f32", {"Vec": 1}, {}, 1, "DDR"), "resized": Measured("8 f32", {"Vec": 1}, {}, 1, "DDR")})
NEW = Results("v75", {
    "a": Measured("8 f32", {"LLVM": 800, "C": 50, "Vec": 201, "+DB": 120, "hand": 90}, {}, 50, "DDR"),
    "b": Measured("8 f32", {}, {"Vec": "values are off", "LLVM": "no code"}, 0, ""),
    "new": Measured("8 f32", {"Vec": 1}, {}, 1, "DDR"), "resized": Measured("9 f32", {"Vec": 2}, {}, 1, "DDR")})


class TestCorpus:
    def test_names_are_unique(self):
        assert len({entry.name for entry in ENTRIES}) == len(ENTRIES) >= 31

    @pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
    def test_text_and_reference_fit_the_shapes(self, entry):
        if entry.grid is not None:
            pytest.importorskip("triton", reason="the kernel is written in Triton")
        parse(entry.text)
        arguments = entry.arguments()
        assert [argument.shape for argument in arguments] == [*entry.shapes[:-1]]
        assert [str(argument.dtype) for argument in arguments] == [*entry.dtypes[:-1]]
        expected = entry.reference(*(argument.astype(np.float64) for argument in arguments))
        assert expected.shape == entry.shapes[-1] and np.isfinite(expected).all() and expected.std() > 0
        assert all(map(np.array_equal, arguments, entry.arguments())), "the same each time"


class TestMeasured:
    ENTRY = next(entry for entry in ENTRIES if entry.name == "sum of rows")

    def test_every_way(self):
        wanted = [way for way in ways.WAYS if way != ways.PLAIN_C]
        found = measure.measure(self.ENTRY, targets.get("v75"), wanted=wanted)
        assert [*found.cycles] == [way for way in wanted if way != ways.ENGINE] and not found.failures
        assert found.cycles["+MT+DB"] < found.cycles["Vec"] < found.cycles["LLVM"]
        assert found.cycles["+MT+DB"] < found.cycles["scalar"] and found.ours == found.cycles["+MT+DB"]
        assert 0.5 < found.share <= 1 < found.ratio("LLVM")

    def test_wrong_values_are_no_result(self):
        wrong = replace(self.ENTRY, reference=lambda x: 1.001 * x.sum(axis=1))
        found = measure.measure(wrong, targets.get("v75"), wanted=("LLVM", "Vec"))
        assert found.cycles == {} and "values are off" in found.failures["Vec"] and found.ours is found.share is None

    def test_a_program_that_is_refused(self):
        refused = replace(self.ENTRY, source=lambda: "func.func @kernel(")
        found = measure.measure(refused, targets.get("v75"), wanted=("Vec",))
        assert found.failures.keys() == {"Vec"} and found.bound == 0


SHIFTS = """
f:
\t{ loop0(.L,#100) }
.L:
\t{ v0.w = vasl(v0.w,r0)
\t  v1.w = vadd(v1.w,v2.w) }
\t{ v3.w = vasl(v0.w,r0) }  :endloop0
\t{ jumpr r31 }
"""


def test_the_bound_is_of_the_busiest_unit():
    machine = Machine(SHIFTS, "v75")
    found = bound(SHIFTS, machine.run("f", [1]), targets.get("v75"))
    assert found == Bound(200 / 2, "HVX shifts"), "two clusters that issue a packet in a cycle"


class TestModels:
    def test_values_and_the_sum_of_bounds(self):
        pytest.importorskip("torch", reason="models are PyTorch programs")
        entry = models.MODELS[0]
        found = models.measure_model(entry, targets.get("v75"), ("Vec", "+DB"))
        assert [*found.cycles] == ["+DB"] and 0 < found.share < 1
        found = models.measure_model(replace(entry, tolerance=1e-9), targets.get("v75"), ("+DB",))
        assert found.cycles == {} and "values are off" in found.failures["+DB"] and found.bound == 0

    def test_without_pytorch(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "torch", None)
        found = models.measure_model(models.MODELS[0], targets.get("v75"), ("+DB",))
        assert "PyTorch" in found.failures["+DB"]


class TestPlainC:
    ENTRY = next(entry for entry in ENTRIES if entry.name == "sum of rows")

    def test_each_kernel_has_a_file(self):
        files = {file.stem for file in plain_c.FOLDER.glob("*.c")}
        assert files == {entry.symbol for entry in ENTRIES}

    @needs_linker
    def test_values_and_the_fastest_options(self, monkeypatch):
        options = plain_c.OPTIONS[0], ("-fno-vectorize",), ("--no-such-option",)
        monkeypatch.setattr(plain_c, "OPTIONS", options)
        best = plain_c.best_run(self.ENTRY, targets.get("v75"))
        assert best.result.hvx_packets > 0
        asm = plain_c.assembly(plain_c.source_of(self.ENTRY), targets.get("v75"), options[1])
        assert self.ENTRY.native_run(asm, "v75").cycles > best.result.cycles
        wrong = replace(self.ENTRY, reference=lambda x: 1.001 * x.sum(axis=1))
        monkeypatch.setattr(plain_c, "OPTIONS", options[:1])
        found = measure.measure(wrong, targets.get("v75"), wanted=(ways.PLAIN_C,))
        assert found.cycles == {} and "values are off" in found.failures["C"]
        monkeypatch.setattr(plain_c, "OPTIONS", options[2:])
        assert "no-such-option" in measure.measure(self.ENTRY, targets.get("v75"), wanted=(ways.PLAIN_C,)).failures["C"]

    def test_without_clang(self, monkeypatch):
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
        found = measure.measure(self.ENTRY, targets.get("v75"), wanted=(ways.PLAIN_C,))
        assert "ziglang" in found.failures["C"]


class TestResults:
    def test_there_and_back(self, tmp_path):
        (tmp_path / "old.json").write_bytes(encoded(OLD))
        assert read(tmp_path / "old.json") == OLD

    @pytest.mark.parametrize("text", [
        "", "[]", "{}", '{"target": 1}', "\xff", encoded(OLD).decode().replace("200", '"200"')])
    def test_no_results(self, text, tmp_path):
        (tmp_path / "old.json").write_bytes(text.encode("latin-1"))
        with pytest.raises(HexError, match="no results of hexmlir bench"):
            read(tmp_path / "old.json")

    def test_other_format(self, tmp_path):
        (tmp_path / "old.json").write_bytes(encoded(replace(OLD, format=99)))
        with pytest.raises(HexError, match="format 99"):
            read(tmp_path / "old.json")

    def test_what_changed(self):
        found = compared(OLD, NEW)
        assert [(one.kernel, one.way, one.before, one.now, one.significant) for one in found.changes] == [
            ("b", "Vec", 100, None, True), ("a", "+DB", 100, 120, True), ("a", "Vec", 200, 201, False)]
        assert found.ratio == pytest.approx((1.2 * 1.005) ** (1 / 5))
        assert "| a | +DB | 100 | 120 | +20.00% | yes |" in difference(found)
        assert difference(compared(OLD, OLD)) == "no cycles changed\n"

    def test_table(self):
        text = markdown(OLD)
        assert "| kernel | size | LLVM | C | Vec | +DB | hand | LLVM / ours | C / ours | hand / ours | bound |" in text
        assert "| a | 8 f32 | 800 | 50 | 200 | 100 | 90 | 8.0x | 0.5x | 0.9x | 50 (DDR) | 50% |" in text
        assert "| b | 8 f32 | - | - | 100 | - | - | - | - | - | 25 (HVX issue) | 25% |" in text
        assert "* b, LLVM: no code" in text and "+MT" not in text
        assert "LLVM over the fewest of ours, geometric mean of 1: 8.00; below 1: none" in text
        assert "C over the fewest of ours, geometric mean of 1: 0.50; below 1: a (0.50)" in text
        assert "| b | 8 f32 | - | - | - | - | - | - | - | - | - | - |" in markdown(NEW)

    def test_plots(self, tmp_path, monkeypatch):
        pytest.importorskip("matplotlib", reason="of the extra bench")
        monkeypatch.setattr(plots, "THEMES", plots.THEMES[1:])
        files = plots.of_results(OLD, tmp_path)
        assert [file.name for file in files] == ["speed-ups-dark.svg", "bounds-dark.svg"]
        assert files == plots.of_results(OLD, tmp_path), "the same bytes each time"
        assert all(plots.THEMES[0].page.encode() in content for content in files.values())


HAND_WRITTEN = """
sum_of_rows:
\t{ r2 = #0
\t  loop1(.Lrow,#256) }
.Lrow:
\t{ r2 = #0
\t  loop0(.Lone,#1000) }
.Lone:
\t{ r3 = memw(r0++#4) }
\t{ r2 = sfadd(r2,r3) }  :endloop0
\t{ memw(r1++#4) = r2 }  :endloop1
\t{ jumpr r31 }
"""


class TestCommand:
    def test_measure_and_compare(self, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "hand.s").write_text(HAND_WRITTEN)
        calls = []
        monkeypatch.setattr(measure, "measure", lambda entry, *rest, of=measure.measure: (
            calls.append(entry.name), of(entry, *rest, wanted=("Vec", "+MT+DB")))[1])
        words = ["bench", "sum of", "layer", "--against=hand.s"]
        assert main([*words, "--json=old.json", "--markdown", "t.md"]) == 0
        table = capsys.readouterr().out
        assert (tmp_path / "t.md").read_text() == table and "sum of rows" in table and "softmax" not in table
        found = read(tmp_path / "old.json").kernels
        assert found["sum of rows"].cycles["hand"] > found["sum of rows"].cycles["Vec"]
        assert "hand" not in found["layer norm"].cycles and not any(one.failures for one in found.values())
        assert main([*words, "--compare=old.json", "--json=old.json", "--resume"]) == 0
        assert capsys.readouterr().out == f"{table}\nno cycles changed\n"
        assert calls == ["sum of rows", "layer norm"], "what the file has is not measured again"

    def test_list(self, capsys):
        assert main(["bench", "--list", "matmul"]) == 0
        names = [line[:32].strip() for line in capsys.readouterr().out.splitlines()]
        assert names == [entry.name for entry in ENTRIES if "matmul" in entry.name]

    @pytest.mark.parametrize(("words", "message"), [
        (["none"], "no kernel is called none"), (["--burn"], "unknown option"), (["--json"], "needs a value"),
        (["--compare=none.json"], "none.json"), (["--target=v1"], "v1"),
        (["--compare=old.json", "--target=v79"], "v75"), (["--resume"], "--json"), (["--against=none.s"], "none.s"),
        (["--json=old.json", "--resume", "--target=v79"], "v75"), (["--against=Vec.s"], "Vec"),
        (["--against=x.s", "--against=x.s"], "two columns are called x")])
    def test_wrong_words(self, words, message, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "old.json").write_bytes(encoded(OLD))
        for name in ("Vec.s", "x.s"):
            (tmp_path / name).write_text("x:\n")
        assert main(["bench", *words]) == 1
        shown = capsys.readouterr()
        assert message in shown.err and not shown.out
