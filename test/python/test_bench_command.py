"""``hexmlir bench``: the corpus, measurements with their values checked, files, and what changed since an older one."""

from dataclasses import replace

import numpy as np
import pytest

from hexagon_mlir import targets
from hexagon_mlir.bench import measure
from hexagon_mlir.bench.corpus import ENTRIES
from hexagon_mlir.bench.results import Measured, Results, compared, difference, encoded, markdown, read
from hexagon_mlir.cli.hexmlir import main
from hexagon_mlir.ir import HexError, parse

OLD = Results("v75", {
    "a": Measured("8 f32", {"LLVM": 800, "Vec": 200, "+DB": 100}, {}, 50, "DDR"),
    "b": Measured("8 f32", {"Vec": 100}, {"LLVM": "no code"}, 25, "HVX issue"),
    "gone": Measured("8 f32", {"Vec": 1}, {}, 1, "DDR"), "resized": Measured("8 f32", {"Vec": 1}, {}, 1, "DDR")})
NEW = Results("v75", {
    "a": Measured("8 f32", {"LLVM": 800, "Vec": 201, "+DB": 120}, {}, 50, "DDR"),
    "b": Measured("8 f32", {}, {"Vec": "values are off", "LLVM": "no code"}, 0, ""),
    "new": Measured("8 f32", {"Vec": 1}, {}, 1, "DDR"), "resized": Measured("9 f32", {"Vec": 2}, {}, 1, "DDR")})


class TestCorpus:
    def test_names_are_unique(self):
        assert len({entry.name for entry in ENTRIES}) == len(ENTRIES) >= 14

    @pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
    def test_text_and_reference_fit_the_shapes(self, entry):
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
        found = measure.measure(self.ENTRY, targets.get("v75"))
        assert [*found.cycles] == [way for way in measure.WAYS if way != "+ME"] and not found.failures
        assert found.cycles["+MT+DB"] < found.cycles["Vec"] < found.cycles["LLVM"]
        assert 0.5 < found.share <= 1 < found.ratio

    def test_wrong_values_are_no_result(self, monkeypatch):
        wrong = replace(self.ENTRY, reference=lambda x: 1.001 * x.sum(axis=1))
        monkeypatch.setattr(measure, "WAYS", ("LLVM", "Vec"))
        found = measure.measure(wrong, targets.get("v75"))
        assert found.cycles == {} and "values are off" in found.failures["Vec"] and found.ours is found.share is None

    def test_a_program_that_is_refused(self, monkeypatch):
        monkeypatch.setattr(measure, "WAYS", ("Vec",))
        found = measure.measure(replace(self.ENTRY, text="func.func @kernel("), targets.get("v75"))
        assert found.failures.keys() == {"Vec"} and found.bound == 0


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
        assert found.ratio == pytest.approx((1.2 * 1.005) ** (1 / 3))
        assert "| a | +DB | 100 | 120 | +20.00% | yes |" in difference(found)
        assert difference(compared(OLD, OLD)) == "no cycles changed\n"

    def test_table(self):
        text = markdown(OLD, measure.WAYS)
        assert "| a | 8 f32 | 800 | 200 | 100 | 8.0x | 50 (DDR) | 50% |" in text and "+MT" not in text
        assert "| b | 8 f32 | - | 100 | - | - | 25 (HVX issue) | 25% |" in text and "* b, LLVM: no code" in text
        assert "geometric mean: 8.00" in text
        assert "| b | 8 f32 | - | - | - | - | - | - |" in markdown(NEW, measure.WAYS)


class TestCommand:
    def test_measure_and_compare(self, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(measure, "WAYS", ("Vec", "+MT+DB"))
        assert main(["bench", "sum", "--json=old.json", "--markdown", "t.md"]) == 0
        table = capsys.readouterr().out
        assert (tmp_path / "t.md").read_text() == table and "sum of rows" in table and "softmax" not in table
        assert main(["bench", "sum", "--compare=old.json"]) == 0
        assert capsys.readouterr().out == f"{table}\nno cycles changed\n"

    def test_list(self, capsys):
        assert main(["bench", "--list", "matmul"]) == 0
        names = [line[:32].strip() for line in capsys.readouterr().out.splitlines()]
        assert names == [entry.name for entry in ENTRIES if "matmul" in entry.name]

    @pytest.mark.parametrize(("words", "message"), [
        (["none"], "no kernel is called none"), (["--burn"], "unknown option"), (["--json"], "needs a value"),
        (["--compare=none.json"], "none.json"), (["--target=v1"], "v1"),
        (["--compare=old.json", "--target=v79"], "v75")])
    def test_wrong_words(self, words, message, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "old.json").write_bytes(encoded(OLD))
        assert main(["bench", *words]) == 1
        shown = capsys.readouterr()
        assert message in shown.err and not shown.out
