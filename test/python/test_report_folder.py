"""``hexmlir report``: an index with every kernel and its share, a page for each, of kernels, scripts and models."""

import re
import shutil
import subprocess
import time
from types import SimpleNamespace
from urllib.parse import unquote

import numpy as np
import pytest
import torch
from test_report import SIZE, TEXT, Page, X

import hexagon_mlir as hx
from hexagon_mlir import targets
from hexagon_mlir.cli.hexmlir import main
from hexagon_mlir.codegen.schedule import Buffer, Call, Kernel, ModelSchedule
from hexagon_mlir.report.graph import drawing, needed
from hexagon_mlir.report.roofline import bound, roofline

MEBIBYTE = 1 << 20


def run_of(cycles=1000, hvx=500, read=4000, written=0, tiles=None):
    matrix = None if tiles is None else SimpleNamespace(tile_cycles=tiles)
    return SimpleNamespace(cycles=cycles, hvx_packets=hvx, ddr_read_bytes=read, ddr_write_bytes=written, matrix=matrix)


class TestRoofline:
    TARGET = targets.get("v75")

    @pytest.mark.parametrize(("run", "cycles", "by"), [
        (run_of(), 250, "HVX issue"), (run_of(read=30_000, written=10_000), 1000, "DDR"),
        (run_of(tiles=900), 900, "matrix engine"), (run_of(hvx=0, read=0), 0, "HVX issue")])
    def test_bound(self, run, cycles, by):
        assert (bound(run, self.TARGET).cycles, bound(run, self.TARGET).by) == (cycles, by)

    def test_no_kernel_is_above_the_roof(self):
        """Those whose cycles are their bound lie on it; y grows downwards."""
        figure = roofline([("compute", run_of(cycles=250)), ("memory", run_of(cycles=1000, hvx=10, read=40_000)),
                           ("slow", run_of(cycles=99_999)), ("scalar", run_of(hvx=0))], self.TARGET)
        compute, memory, slow = figure.points
        (_, _), (bend, top), (right, same) = figure.roof
        assert compute.y == pytest.approx(top) == same and bend < compute.x < right
        (x0, y0), (x1, y1), _ = figure.roof
        assert memory.y == pytest.approx(y0 + (memory.x - x0) / (x1 - x0) * (y1 - y0))
        assert slow.y > compute.y and slow.x == compute.x

    def test_of_no_kernel(self):
        assert roofline([], self.TARGET).points == []


class TestGraph:
    SCHEDULE = ModelSchedule("v75", [Buffer((4,), "f32", 16)] * 6,
                             [Call(0, (0,), (1,)), Call(1, (1,), (2,)), Call(1, (1,), (3,)), Call(2, (2, 3), (4,))],
                             [4], [(4,)], [Kernel("a", ""), Kernel("b", ""), Kernel("c" * 40, "")])

    def test_calls_stand_below_those_they_need(self):
        assert needed(self.SCHEDULE) == [[], [0], [0], [1, 2]]
        boxes = drawing(self.SCHEDULE).boxes
        first, left, right, last = boxes
        assert first.y < left.y == right.y < last.y and left.x < right.x and len(drawing(self.SCHEDULE).edges) == 4
        assert last.kernel == "c" * 40 and last.text.endswith("…") and len(last.text) < 40

    def test_empty(self):
        empty = drawing(ModelSchedule("v75", [], [], [], []))
        assert (empty.boxes, empty.edges) == ([], [])


def links(page):
    return [unquote(attributes["href"]) for tag, attributes in page.elements if tag == "a"]


def check_pages(folder):
    """Every link leads to a file, every label to an element, every id is there once; nothing is of a network."""
    index = Page((folder / "index.html").read_text())
    assert links(index) and all((folder / link).is_file() for link in links(index))
    for path in (folder / "index.html", *(folder / "kernels").glob("*.html")):
        text = path.read_text()
        page = Page(text)
        ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
        assert len(ids) == len(set(ids))
        for tag, attributes in page.elements:
            assert attributes.get("aria-labelledby", ids[0]) in ids and attributes.get("data-from", ids[0]) in ids
            assert "src" not in attributes and tag != "link", "pages need no other file"
            if attributes.get("role") in ("img", "region", "group"):
                assert attributes.keys() & {"aria-label", "aria-labelledby"}
        assert "http" not in re.sub(r"(?s)<script type.*?</script>", "", text)
        assert "prefers-color-scheme: dark" in text and '<html lang="en">' in text
        for show in ("text", "diff", "assembly"):
            page.opened(show)
    return index


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.mlir").write_text(TEXT)
    np.save(tmp_path / "x.npy", X)
    return tmp_path


class TestCommand:
    def test_kernel(self, here, capsys):
        assert main(["report", "k.mlir", "-o", "out"]) == 0
        assert capsys.readouterr().out == "out/index.html\nout/kernels/twice.html\n"
        index = check_pages(here / "out")
        assert "100.0%" in index.text["td"] and "DDR" in index.text["td"] and "roofline" in index.text["style"] + str(
            index.elements)
        page = Page((here / "out" / "kernels" / "twice.html").read_text())
        assert "../index.html" in links(page) and "k.mlir:4" in page.text["tr"]

    def test_a_second_report_leaves_nothing_of_the_first(self, here, capsys):
        """But files that are none of its pages."""
        assert main(["report", "k.mlir", "-o", "out"]) == 0
        own = here / "out" / "kernels" / "mine.html"
        own.write_text("<p>mine</p>")
        (here / "k.mlir").write_text(TEXT.replace("@twice", "@other"))
        for _ in range(2):
            assert main(["report", "k.mlir", "-o", "out", "--args", "x.npy"]) == 0
            assert {path.name for path in (here / "out" / "kernels").iterdir()} == {"other.html", "mine.html"}

    def test_script(self, here, capsys):
        """Kernels with the same code are one, whatever they are called, and their launches add up."""
        (here / "s.py").write_text(
            "import hexagon_mlir as hx, numpy as np\n"
            "x, text = np.load('x.npy'), open('k.mlir').read()\n"
            "for source in (text, text.replace('@twice', '@again'), text.replace('linalg.add', 'linalg.mul')):\n"
            "    hx.compile(source).run(x)\n")
        assert main(["report", "s.py", "-o", "out"]) == 0
        index = check_pages(here / "out")
        rows = [attributes for tag, attributes in index.elements if tag == "tr"]
        assert len(rows) == 3 and "twice, again" in index.text["th"]
        shares = [float(share) for share in re.findall(r"([\d.]+)% *(?=\d|$|[A-Z])", index.text["td"])][::2]
        assert sum(shares) == pytest.approx(100, abs=0.2)

    def test_nothing_launched(self, here, capsys):
        (here / "s.py").write_text("print('no kernel')\n")
        assert main(["report", "s.py"]) == 0
        assert "No kernel was launched" in Page((here / "report" / "index.html").read_text()).text["p"]

    @pytest.mark.parametrize(("words", "hint"), [
        (["k.mlir", "-o", "x.npy"], "is a file"), (["k.mlir", "--trust"], "are for models"), (["none.mlir"], "cannot "),
        (["s.py", "--grid=2"], "itself"), (["k.mlir", "--burn"], "unknown option"), (["p.mlir"], "cannot be made up")])
    def test_wrong_words(self, words, hint, here, capsys):
        (here / "s.py").write_text("")
        (here / "p.mlir").write_text(TEXT.replace(str(SIZE), "?").replace("tensor.empty()", "tensor.empty(%n)").replace(
            "%e =", "%c = arith.constant 0 : index\n  %n = tensor.dim %x, %c : tensor<?xf32>\n  %e ="))
        assert main(["report", *words]) == 1
        assert hint in capsys.readouterr().err and not (here / "report").exists()


LAYERS = 6


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.wide, self.narrow, self.norm = torch.nn.Linear(64, 256), torch.nn.Linear(256, 64), torch.nn.LayerNorm(64)
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x):
        self.calls.add_(1)
        return self.norm(x + self.narrow(torch.nn.functional.gelu(self.wide(x))))


@pytest.fixture(scope="module")
def compiled():
    torch.manual_seed(0)
    model = torch.nn.Sequential(*(Layer() for _ in range(LAYERS))).eval()
    return hx.compile(torch.export.export(model, (torch.randn(4, 64),)))


class TestModel:
    def test_layers(self, compiled, tmp_path):
        """Small, with equal kernels together, and the graph of all calls; the states are as before."""
        before = [state.clone() for state in compiled.signature.states.values()]
        text = compiled.report(tmp_path / "out")
        assert "graph pass" in text and compiled.report() == text
        assert before and all(map(torch.equal, compiled.signature.states.values(), before))
        start = time.process_time()
        index = check_pages(tmp_path / "out")
        assert time.process_time() - start < 20, "parsing in Python; a browser is faster"
        assert sum(path.stat().st_size for path in (tmp_path / "out").rglob("*.html")) < 15 * MEBIBYTE
        calls = [attributes for tag, attributes in index.elements if attributes.get("class") == "node"]
        assert len(calls) == len(compiled.schedule.calls) >= LAYERS
        pages = [*(tmp_path / "out" / "kernels").iterdir()]
        assert len(pages) <= len(compiled.schedule.kernels) < len(calls)
        page = Page(next(path for path in pages if "0.wide" in path.read_text()).read_text())
        assert all(f"{layer}.wide" in page.text["p"] for layer in range(LAYERS)), "the modules that a kernel computes"
        assert "0.wide" in index.text["td"] and "more" in index.text["td"] and not compiled.modules
        assert all("hexagon-vectorization" in path.read_text() for path in pages)

    def test_ir_and_assembly(self, compiled):
        assert all(kernel.asm in compiled.asm for kernel in compiled.schedule.kernels)
        assert compiled.stages[0] == "source" and "hexagon-fusion" in compiled.stages
        first, *_ = (kernel.name for kernel in compiled.schedule.kernels)
        one = compiled.ir("hexagon-fusion", first)
        assert f"@{first}" in one and "linalg" in one and one in compiled.ir("hexagon-fusion")
        with pytest.raises(hx.HexError, match="no stage 'none'"):
            compiled.ir("none")
        with pytest.raises(hx.HexError, match="no kernel 'none'"):
            compiled.ir("source", "none")

    def test_saved(self, compiled, tmp_path, capsys):
        compiled.save(tmp_path / "saved")
        assert main(["report", str(tmp_path / "saved"), "-o", str(tmp_path / "out")]) == 0
        index = check_pages(tmp_path / "out")
        assert "Graph" in index.text["h2"]
        with pytest.raises(hx.HexError, match="keeps no IR"):
            hx.load(tmp_path / "saved").ir("source")
        assert main(["report", str(tmp_path / "saved"), "--threads=1"]) == 1

    def test_exported_program(self, tmp_path, capsys):
        program = torch.export.export(torch.nn.Linear(8, 8).eval(), (torch.randn(2, 8),))
        torch.export.save(program, tmp_path / "m.pt2")
        assert main(["report", str(tmp_path / "m.pt2"), "-o", str(tmp_path / "out")]) == 0
        assert "m.pt2 on v75" in check_pages(tmp_path / "out").text["h1"]


class TestNotebook:
    def test_kernel_and_run(self):
        kernel = hx.compile(TEXT)
        assert "Not run yet" in kernel._repr_html_() and "twice" in kernel._repr_html_()
        run = kernel.run(X)
        for shown in (run._repr_html_(), run.profile._repr_html_(), kernel._repr_html_()):
            page = Page(shown)
            assert f"{run.cycles:,} cycles" in page.text["b"] and "packets issued" in page.text["td"]
        shares = [float(share) for share in re.findall(r">([\d.]+)%<", run._repr_html_())]
        assert sum(shares) == pytest.approx(100, abs=0.1 * len(shares))

    def test_model(self):
        model = hx.compile(torch.export.export(torch.nn.Linear(8, 8).eval(), (torch.randn(2, 8),)))
        assert "Not run yet" in model._repr_html_()
        model(torch.randn(2, 8))
        name = model.schedule.kernels[0].name
        for shown in (model._repr_html_(), model.last_run._repr_html_()):
            page = Page(shown)
            assert name in page.text["td"] and "100.0%" in page.text["td"]

    def test_names_are_escaped(self):
        from hexagon_mlir import display

        assert display.heading("<i>") == "<p><b>&lt;i&gt;</b></p>"
        assert "<i>" not in display.table(("<i>",), [("<i>",)], "<i>")


BROWSER = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chrome"))), None)
ACTIONS = """<script>
(async () => {
  const wait = async found => { while (!found()) await new Promise(done => setTimeout(done, 10)); };
  const details = elements("details").filter(each => each.querySelector(":scope > [data-from]"));
  for (const each of details) each.open = true;
  await wait(() => details.every(each => elements(":scope > [data-from]", each).every(place => place.children.length)));
  const line = document.querySelector("#lines [data-line]");
  line.focus();
  const marked = elements("#assembly .hot").length;
  const of = elements(`#assembly [data-line="${line.dataset.line}"]`).length;
  const packet = document.querySelector(`#assembly [data-line="${line.dataset.line}"]`);
  line.dispatchEvent(new Event("mouseleave"));
  packet.dispatchEvent(new Event("mouseenter"));
  const back = elements("#lines .hot").length;
  document.body.innerHTML = `<p id="seen">${[details.length > 5, marked > 0 && marked === of, back === 1,
    document.documentElement.scrollWidth <= innerWidth].join(" ")}</p>`;
})();
</script>"""


@pytest.mark.skipif(BROWSER is None, reason="no browser is installed")
def test_in_a_browser(here, capsys):
    """What is folded opens, a line marks its packets and a packet its line, and nothing is wider than the window."""
    assert main(["report", "k.mlir", "-o", "out"]) == 0
    page = here / "out" / "kernels" / "twice.html"
    acting = here / "acting.html"
    acting.write_text(page.read_text().replace("</body>", f"{ACTIONS}</body>"))
    done = subprocess.run([BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu",
                           f"--user-data-dir={here}/profile", "--window-size=1280,900",
                           "--virtual-time-budget=20000", "--dump-dom", f"file://{acting}"],
                          capture_output=True, text=True, timeout=300)
    assert '<p id="seen">true true true true</p>' in done.stdout, done.stderr[-2000:]
