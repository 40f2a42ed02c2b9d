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
from hexagon_mlir.report.ir_diff import ir_diff, side_by_side
from hexagon_mlir.report.lanes import WIDTH, lanes, ticks
from hexagon_mlir.report.packed import packed, unpacked

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

    def test_lines_stand_beside_each_other(self):
        rows = list(side_by_side("%0 = a\n%1 = b\n%2 = c\n", "%0 = a\n%1 = d\n%2 = e\n%3 = c\n"))
        assert rows == [(" ", "%0 = a", "%0 = a"), ("~", "%1 = b", "%1 = d"), ("+", "", "%2 = e"),
                        (" ", "%2 = c", "%3 = c")]

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
        assert [(bar.x, bar.width, bar.kind) for bar in thread.bars] == [
            (0, WIDTH / 4, "run"), (WIDTH / 4, WIDTH * 3 / 4, "wait")]
        assert tcm.curve == [(WIDTH / 4, 1), (WIDTH / 4, 0), (WIDTH / 2, 0), (WIDTH / 2, 0.75), (WIDTH, 0.75)]


class TestTicks:
    @pytest.mark.parametrize(("end", "last", "count"), [
        (9_600, 8_000, 5), (8, 8, 9), (1, 1, 2), (2_000_000, 2_000_000, 5)])
    def test_round_numbers(self, end, last, count):
        found = ticks(end)
        assert (found[0], found[-1][1], len(found)) == ((0, 0), last, count)
        assert found[-1][0] == pytest.approx(last / end * WIDTH)

    def test_of_nothing(self):
        assert ticks(0) == []


def test_packed():
    value = {"a": [1, "\u2212 </script> & text", None], "b": 2.5}
    assert unpacked(packed(value)) == value and re.fullmatch(r"[\w+/=]+", packed(value))


class Page(HTMLParser):
    """Text of a page by class of element; fails where tags do not close."""

    def __init__(self, text):
        super().__init__()
        self.open, self.pieces, self.elements, self.packed, self.script = [], defaultdict(list), [], {}, None
        self.feed(text)
        assert self.open == []
        self.text = {key: "".join(pieces) for key, pieces in self.pieces.items()}

    def opened(self, show):
        """What elements of this kind show when they are opened, one after the other."""
        return [unpacked(self.packed[attributes["data-from"]]) for _, attributes in self.elements
                if attributes.get("data-show") == show]

    def changes(self, kinds):
        """The lines before and after of all changes of these kinds."""
        return "\n".join(f"{before}\n{after}" for rows in self.opened("diff") for kind, before, after in rows
                         if kind in kinds)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.elements.append((tag, attributes))
        if tag != "meta":
            self.open.append((tag, attributes.get("class", "")))
        if tag == "script":
            self.script = attributes.get("id")

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag, self.getpos()

    def handle_data(self, data):
        if self.open and self.open[-1][0] == "script" and self.script:
            self.packed[self.script] = data
            return
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
        assert "memory_space = 1" in page.changes("+~") or "1 : i64" in page.changes("+~")
        assert "linalg.add" in page.changes("-~")
        assert "hexagon-vectorization" in page.text["stage"] and "whole HVX vectors" in page.text["why"]
        code, source, *others = page.opened("text")
        assert "define void @twice(ptr" in code and source == kernel.ir("source")
        assert kernel.ir("hexagon-vectorization") in others and len(set(others)) == len(others)
        (assembly,) = page.opened("assembly")
        assert "twice:" in [text for _, _, _, text, _ in assembly]
        assert "form-gathers" in page.text["quiet"] and "without a change" in page.text["summary"]

    def test_traced_run(self, tmp_path):
        kernel = hx.compile(TEXT.replace(f"linalg.add ins(%x, %x : {VECTOR},", "linalg.tanh ins(%x :"))
        cycles = kernel.run(X).cycles
        run = kernel.run(X, trace=True)
        assert run.cycles == cycles, "a trace costs no cycles"
        np.testing.assert_allclose(run.outputs[0], np.tanh(X), rtol=1e-6)
        page = Page(kernel.report(tmp_path / "k.html"))
        assert f"{cycles:,} cycles" in page.text["p"]
        assert "hardware thread 3" in page.text["span"] and "TCM, up to" in page.text["span"]
        assert "transfer" in page.text["title"] and "from cycle" in page.text["title"]
        assert "a transfer into TCM" in page.text["legend"] and "a DMA transfer" in page.text["legend"]
        assert any("hvx-issue" in stalls for _, _, stalls, _, _ in page.opened("assembly")[0])
        shares = [float(share) for share in re.findall(r"([\d.]+)%", page.text["stalls"])]
        assert len(shares) > 3 and abs(sum(shares) - 100) < 0.1 * len(shares)
        assert all(float(bar["x"]) + float(bar["width"]) < WIDTH + 2 for tag, bar in page.elements
                   if tag == "rect" and "x" in bar)

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

    def test_lines_and_packets_point_at_each_other(self, tmp_path):
        """The cycles of the packets that a line marks are those of the line."""
        file = tmp_path / "k.mlir"
        file.write_text(TEXT)
        kernel = hx.compile(file, line_info=True)
        run = kernel.run(X, trace=True)
        page = Page(kernel.report(tmp_path / "k.html"))
        (rows,) = page.opened("assembly")
        spent = defaultdict(int)
        for _, cycles, _, _, line in rows:
            spent[line] += int(cycles or 0)
        lines = [attributes for tag, attributes in page.elements if tag == "tr" and "data-line" in attributes]
        assert lines and all(line["tabindex"] == "0" for line in lines)
        for number, (place, cycles) in enumerate(run.trace.lines.items()):
            assert spent[number] == cycles, place

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
        first, *pages = out.split("\n")[:3]
        assert first == "pages/index.html" and {*pages} == {"pages/kernels/twice-2.html", "pages/kernels/twice.html"}
        for name, op in (("twice", "linalg.add"), ("twice-2", "linalg.sub")):
            page = Page((tmp_path / "pages" / "kernels" / f"{name}.html").read_text())
            assert op in page.changes("-~") and "hardware thread 0" in page.text["span"]
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
        (page,) = (tmp_path / "pages" / "kernels").iterdir()
        assert "hardware thread 3" in Page(page.read_text()).text["span"]

    @pytest.mark.parametrize("words", [["--report"], ["--burn", "s.py"], ["--check=3", "s.py"], ["--report=pages"]])
    def test_wrong_words(self, words, capsys):
        assert main(["profile", *words]) != 0
        assert "hexmlir profile --help" in capsys.readouterr().err
