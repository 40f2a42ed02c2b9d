"""Reports as pages: what a pass changed, bars of a timeline, a page with everything, and the commands that write it."""

import json
import re
from collections import defaultdict
from html.parser import HTMLParser

import numpy as np
import pytest

import hexagon_mlir as hx
from hexagon_mlir.cli.hexmlir import main
from hexagon_mlir.codegen import compile as codegen
from hexagon_mlir.exec import sim
from hexagon_mlir.report.ir_diff import ir_diff
from hexagon_mlir.report.lanes import WIDTH, lanes

SIZE = 100_003
VECTOR = f"tensor<{SIZE}xf32>"
TEXT = f"""
func.func @twice(%x: {VECTOR}) -> {VECTOR} {{
  %e = tensor.empty() : {VECTOR}
  %r = linalg.add ins(%x, %x : {VECTOR}, {VECTOR}) outs(%e : {VECTOR}) -> {VECTOR}
  return %r : {VECTOR}
}}
"""
X = np.linspace(-3, 3, SIZE, dtype=np.float32)


class TestDiff:
    def test_numbers_of_values_do_not_count(self):
        before = "%0 = f.a\n%1 = f.b %0\n%2 = f.c %1\n"
        after = "%0 = f.new\n%1 = f.a\n%2 = f.b %1\n%3 = f.c %2\n"
        assert list(ir_diff(before, after)) == [
            ("+", "%0 = f.new"), (" ", "%1 = f.a"), (" ", "%2 = f.b %1"), (" ", "%3 = f.c %2")]

    def test_equal(self):
        assert list(ir_diff("%0 = a\n", "%7 = a\n")) == list(ir_diff("", "")) == []

    def test_hunks_are_apart(self):
        same = "\n".join(f"line {n}" for n in range(20))
        lines = list(ir_diff(f"a\n{same}\nb", f"c\n{same}\nd"))
        assert [line for line in lines if line[0] in "+-@"] == [
            ("-", "a"), ("+", "c"), ("@", ""), ("-", "b"), ("+", "d")]
        assert (" ", "line 9") not in lines


class TestLanes:
    def test_none(self):
        assert lanes([]) == []

    def test_bars_and_the_use_of_tcm(self):
        events = [
            {"ph": "M", "pid": 1, "tid": 2, "name": "thread_name", "args": {"name": "hardware thread 2"}},
            {"ph": "X", "pid": 1, "tid": 2, "name": "f", "ts": 0.0, "dur": 1.0},
            {"ph": "X", "pid": 1, "tid": 2, "name": "f: waits", "ts": 1.0, "dur": 3.0},
            {"ph": "C", "pid": 3, "tid": 0, "name": "TCM bytes", "ts": 1.0, "args": {"bytes": 4096}},
            {"ph": "C", "pid": 3, "tid": 0, "name": "TCM bytes", "ts": 2.0, "args": {"bytes": 1024}},
        ]
        thread, tcm = lanes(events)
        assert thread.name == "hardware thread 2"
        assert [(bar.x, bar.width, bar.waits) for bar in thread.bars] == [
            (0, WIDTH / 4, False), (WIDTH / 4, WIDTH * 3 / 4, True)]
        assert tcm.curve == [(WIDTH / 4, 1), (WIDTH / 4, 0), (WIDTH / 2, 0), (WIDTH / 2, 0.75), (WIDTH, 0.75)]


class Page(HTMLParser):
    """Text of a page by class of element; fails where tags do not close."""

    def __init__(self, text):
        super().__init__()
        self.open, self.pieces = [], defaultdict(list)
        self.feed(text)
        assert self.open == []
        self.text = {key: "".join(pieces) for key, pieces in self.pieces.items()}

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "rect", "polyline"):
            self.open.append((tag, dict(attrs).get("class", "")))
        elif tag == "rect":
            self.open.append((tag, ""))

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag, self.getpos()

    def handle_data(self, data):
        for tag, kind in self.open:
            for key in {tag, kind}:
                self.pieces[key].append(data)


class TestPage:
    def test_before_a_run(self, tmp_path):
        kernel = hx.compile(TEXT)
        written = kernel.report(tmp_path / "k.html")
        assert (tmp_path / "k.html").read_text() == written
        page = Page(written)
        assert "Not run yet" in page.text["p"] and "svg" not in page.text
        assert "memory_space = 1" in page.text["added"] or "1 : i64" in page.text["added"]
        assert "linalg.add" in page.text["removed"]
        assert "hexagon-vectorization" in page.text["stage"] and "whole HVX vectors" in page.text["why"]
        assert "define void @twice(ptr" in page.text["pre"] and "\ntwice:" in page.text["pre"]
        assert "no change" in page.text["change same"]

    def test_traced_run(self, tmp_path):
        kernel = hx.compile(TEXT.replace(f"linalg.add ins(%x, %x : {VECTOR},", "linalg.tanh ins(%x :"))
        cycles = kernel.run(X).cycles
        run = kernel.run(X, trace=True)
        assert run.cycles == cycles, "a trace costs no cycles"
        np.testing.assert_allclose(run.outputs[0], np.tanh(X), rtol=1e-6)
        page = Page(kernel.report(tmp_path / "k.html"))
        assert f"{cycles:,} cycles" in page.text["p"]
        assert "hardware thread 3" in page.text["span"] and "TCM, up to" in page.text["span"]
        assert "transfer" in page.text["title"]
        assert "hvx-issue" in page.text["pre"]

    def test_source_lines(self, tmp_path):
        """The same code with and without, and the line with the work has the most cycles."""
        file = tmp_path / "k.mlir"
        file.write_text(TEXT)
        plain, told = hx.compile(file), hx.compile(file, line_info=True)
        run = told.run(X, trace=True)
        assert run.cycles == plain.run(X).cycles
        assert run.trace.annotated_asm.count("{") == plain.asm.count("{") > 20
        assert ".loc" not in plain.asm
        assert next(iter(run.trace.lines)).endswith("k.mlir:4")
        rows = Page(told.report(tmp_path / "k.html")).text["tr"]
        assert "k.mlir:4" in rows and str(tmp_path) not in rows and "%r = linalg.add ins(%x, %x" in rows

    def test_lines_of_other_files_are_not_read(self, tmp_path):
        """A place in a module may name any file."""
        other, file = tmp_path / "other.txt", tmp_path / "k.mlir"
        other.write_text("a secret\n" * 9)
        placed = TEXT.replace(f"-> {VECTOR}\n", f'-> {VECTOR} loc("{other}":3:1)\n')
        assert placed != TEXT
        file.write_text(placed)
        kernel = hx.compile(file, line_info=True)
        run = kernel.run(X, trace=True)
        assert any(place.endswith("other.txt:3") for place in run.trace.lines)
        page = kernel.report(tmp_path / "k.html")
        assert "other.txt:3" in page and "a secret" not in page

    def test_remarks_stand_with_their_pass(self, tmp_path):
        kernel = hx.compile("func.func @f(%x: tensor<3xf64>) -> tensor<3xf64> {\n"
                            "  %e = tensor.empty() : tensor<3xf64>\n"
                            "  %r = linalg.exp ins(%x : tensor<3xf64>) outs(%e : tensor<3xf64>) -> tensor<3xf64>\n"
                            "  return %r : tensor<3xf64>\n}\n")
        page = Page(kernel.report(tmp_path / "k.html"))
        remarks = [str(remark) for remark in kernel._compiled.remarks]
        assert remarks and all(remark in page.text["remark"] for remark in remarks)


class TestCommands:
    @pytest.fixture(autouse=True)
    def files(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "k.mlir").write_text(TEXT)
        np.save(tmp_path / "x.npy", X)

    def test_run(self, tmp_path, capsys):
        assert main(["run", "k.mlir", "--args", "x.npy", "--report=k.html", "--trace=t.json"]) == 0
        cycles = sim.history[-1].result.cycles
        assert f"{cycles:,} cycles" in (tmp_path / "k.html").read_text()
        events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
        assert {"hardware threads", "DMA", "TCM"} <= {e["args"].get("name") for e in events if e["ph"] == "M"}

    def test_text(self, tmp_path, capsys):
        assert main(["run", "k.mlir", "--args", "x.npy", "--report=k.txt"]) == 0
        assert f"{sim.history[-1].result.cycles:,}" in (tmp_path / "k.txt").read_text()

    @pytest.mark.parametrize("words", [["--report=no/k.html"], ["--trace=no/t.json"]])
    def test_no_such_folder(self, words, tmp_path, capsys):
        assert main(["run", "k.mlir", "--args", "x.npy", "--out=o", *words]) == 1
        assert capsys.readouterr().err.startswith(f"{words[0].partition('=')[2]}: error: cannot write")
        np.testing.assert_allclose(np.load(tmp_path / "o" / "result0.npy"), X + X, rtol=2**-22)

    @pytest.mark.parametrize("words", [["--check=no"], ["--trace=t.json", "--executor=qemu"]])
    def test_wrong_words_of_run(self, words, tmp_path, capsys):
        assert main(["run", "k.mlir", "--args", "x.npy", *words]) == 1
        assert "hint: " in capsys.readouterr().err and not (tmp_path / "t.json").exists()

    def test_profile(self, tmp_path, capsys):
        (tmp_path / "s.py").write_text(
            "import hexagon_mlir as hx, numpy as np\n"
            "x = np.load('x.npy')\n"
            "for text in (open('k.mlir').read(), open('k.mlir').read().replace('linalg.add', 'linalg.sub')):\n"
            "    k = hx.compile(text)\n"
            "    k.run(x); k.run(x)\n")
        assert main(["profile", "--report=pages", "s.py"]) == 0
        out = capsys.readouterr().out
        assert out.split("\n")[:2] == ["pages/twice-2.html", "pages/twice.html"]
        for name, op in (("twice", "linalg.add"), ("twice-2", "linalg.sub")):
            page = Page((tmp_path / "pages" / f"{name}.html").read_text())
            assert op in page.text["removed"] and "hardware thread 0" in page.text["span"]
        assert not codegen._EXPLAINED and not sim.SESSION.traced and not sim.SESSION.observers

    FAULTY = """
import torch, triton, triton.language as tl

@triton.jit
def read(x, out, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    tl.store(out + at, tl.load(x + at))

read[(1,)](torch.ones(32), torch.empty(1024), SIZE=1024)
"""

    def test_check(self, tmp_path, capsys):
        (tmp_path / "s.py").write_text(self.FAULTY)
        assert main(["profile", "--check", "s.py"]) == 1
        out = capsys.readouterr().out
        assert "out-of-bounds" in out and ", s.py:7:" in out and out.endswith("faults found\n")
        assert not sim.SESSION.checked and main(["profile", "s.py"]) == 0
        assert "fault" not in capsys.readouterr().out
        assert main(["run", "k.mlir", "--args", "x.npy", "--check"]) == 0
        assert capsys.readouterr().out.endswith("no faults found\n")
        assert main(["run", "k.mlir", "--args", "x.npy", "--check", "--executor=qemu"]) == 1
        assert "--executor=sim" in capsys.readouterr().err

    def test_model(self, tmp_path, capsys):
        """Kernels of a model, with threads: calls that no line of the model's stands for."""
        (tmp_path / "s.py").write_text(
            "import torch\n"
            "f = torch.compile(torch.nn.Sequential(torch.nn.Linear(300, 300), torch.nn.GELU()), backend='hexagon',\n"
            "                      options={'fallback': 'error'})\n"
            "with torch.no_grad():\n"
            "    f(torch.ones(64, 300))\n")
        assert main(["profile", "--check", "--report=pages", "s.py"]) == 0
        assert re.search(r"\nno faults found(, \d+ to look at)?\n$", capsys.readouterr().out)
        (page,) = (tmp_path / "pages").iterdir()
        assert "hardware thread 3" in Page(page.read_text()).text["span"]

    @pytest.mark.parametrize("words", [["--report"], ["--burn", "s.py"], ["--check=3", "s.py"], ["--report=pages"]])
    def test_wrong_words(self, words, capsys):
        assert main(["profile", *words]) != 0
        assert "hexmlir profile --help" in capsys.readouterr().err
