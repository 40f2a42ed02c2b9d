"""``hexmlir sim``: runs assembly files, prints costs, writes buffers back, lists forms."""

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from sim.forms_harness import function

from hexagon_mlir.cli.hexmlir import main
from hexagon_mlir.isa import listing
from hexagon_mlir.isa.form import FORMS

ROOT = Path(__file__).resolve().parents[3]
SCALE = function("scale", [["loop0(.Lbody,r1)"], ["@body"], ["r3 = memw(r0+#0)"], ["r3 = sfmpy(r3,r2)"],
                           ["memw(r0++#4) = r3"]])  # fmt: skip
SCALE = SCALE.replace("\t{\n\t\t@body\n\t}\n", ".Lbody:\n").replace("= r3\n\t}", "= r3\n\t}  :endloop0")
WIDE = function("wide", [["r1:0 = add(r1:0,r3:2)"]])
FILL = function("fill", [["r2 = #-1"], ["v0 = vsplat(r2)"], ["vmem(r0+#0) = v0"], ["vmem(r1+#0) = v0"]])
DOUBLE = function("twice", [["r1:0 = dfadd(r1:0,r1:0)"]])


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "a.s"
    path.write_text(SCALE + WIDE + FILL + DOUBLE)
    return str(path)


def sim(*words):
    return main(["sim", *map(str, words)])


def test_array_argument_and_output(source, tmp_path, capsys):
    data = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.save(tmp_path / "x.npy", data)
    out = tmp_path / "out"
    code = sim(source, "--entry", "scale", "--args", tmp_path / "x.npy", 12, "2.5", "--out", out)
    printed = capsys.readouterr().out
    assert code == 0
    result = np.load(out / "arg0.npy")
    assert result.dtype == np.float32
    np.testing.assert_array_equal(result, data * np.float32(2.5))
    assert re.search(r"^packets +38$", printed, re.MULTILINE)  # the set-up, 12 passes of 3, the return
    assert "stalls: memory-ddr" in printed


def test_buffers_in_both_memories(source, tmp_path, capsys):
    assert sim(source, "--entry", "fill", "--target", "v79", "--args", "buf:128", "tcm:0x100", "--out", tmp_path) == 0
    assert np.load(tmp_path / "arg0.npy").tolist() == [255] * 128
    assert np.load(tmp_path / "arg1.npy").tolist() == [255] * 128 + [0] * 128
    assert re.search(r"^TCM read, written +0 B, 128 B$", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.parametrize(
    ("entry", "words", "line"),
    [("wide", ["0x100000000i64", "-1i64"], "returned r0 = -1 (0xffffffff, as f32 nan), r1 = 0x0"),
     ("twice", ["0.75f64"], "returned r0 = 0 (0x0, as f32 0), r1 = 0x3ff80000"),
     ("scale", ["0x40000000", "1", "1e3"], "returned r0 = 1073741828")],
)  # fmt: skip
def test_numbers(source, capsys, entry, words, line):
    assert sim(source, "--entry", entry, "--args", *words) == 0
    assert line in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [(["none.s", "--entry", "f"], "none.s: error: cannot read"), (["@", "--entry", "g"], "no function 'g'"),
     (["@"], "no function to call"), (["@", "--entry", "scale", "--args", "x1"], "cannot read 'x1' as a number"),
     (["@", "--entry"], "--entry needs a value"), (["@", "--entry", "scale", "--fast"], "unknown option --fast"),
     (["@", "--entry", "scale", "--target=v1"], "unknown target 'v1'"),
     (["@", "--entry", "scale", "--timeout=soon"], "cannot read 'soon' as a number for --timeout"),
     (["@", "--entry", "scale", "--args", "no.npy"], "no.npy: error: cannot read")],
)  # fmt: skip
def test_errors(source, capsys, words, message):
    assert sim(*(source if word == "@" else word for word in words)) == 1
    assert message in capsys.readouterr().err


def test_unknown_form_is_named(tmp_path, capsys):
    path = tmp_path / "bad.s"
    path.write_text(function("f", [["r0 = frobnicate(r1)"]]))
    assert sim(path, "--entry", "f") == 1
    line = path.read_text().split("frobnicate")[0].count("\n") + 1
    assert capsys.readouterr().err == (f"{path}:{line}: error: unknown instruction form 'R=frobnicate(R)': "
                                       "'r0 = frobnicate(r1)' in function 'f'\n")


@pytest.mark.parametrize(("content", "message"), [
    (b"", ": error: no function 'f' in the program; it has: none"), (b"nop\n\xff", ": error: line 2 is not UTF-8 text"),
    (b"\n\nwhat is this", ":3: error: unknown assembly line: ")])
def test_files_that_are_no_assembly(tmp_path, capsys, content, message):
    path = tmp_path / "bad.s"
    path.write_bytes(content)
    assert sim(path, "--entry", "f") == 1
    assert capsys.readouterr().err.startswith(f"{path}{message}")


def test_list_forms(capsys):
    assert sim("--list-forms") == 0
    printed = capsys.readouterr().out
    rows = listing.rows()
    assert f"\n{len(rows)} forms" in printed
    assert f"the first chip that has it: {len(rows):,} today" in (ROOT / "docs" / "simulator.md").read_text()
    assert {row.template.removeprefix("if(Q) ") for row in rows} >= set(FORMS)
    assert len({row.template for row in rows}) == len(rows) > 1600
    assert re.search(r"^vx-dv +v79\+ +VV\.hf=vmpy\(V\.f8,V\.f8\)$", printed, re.MULTILINE)
    assert re.search(r"^v-load +all +vtmp\.w=vgather\(R,M,V\.w\)\.w$", printed, re.MULTILINE)


def test_check_finds_faults(source, tmp_path, capsys):
    assert sim(source, "--entry", "fill", "--args", "buf:128", "tcm:128", "--check") == 0
    assert capsys.readouterr().out.endswith("no faults found\n")
    assert sim(source, "--entry", "fill", "--args", "buf:128", "tcm:100", "--check") == 1
    printed = capsys.readouterr().out
    fault = "out-of-bounds: 0xd8000064 (0 bytes past TCM allocation 0xd8000000 of 100 bytes): writes 128 bytes"
    assert fault in printed
    assert "{ vmem(r1+#0) = v0 }" in printed
    assert printed.endswith("1 fault found\n")


def test_annotate_and_trace(source, tmp_path, capsys):
    out = tmp_path / "t.json"
    assert sim(source, "--entry", "scale", "--args", "buf:64", 16, "1.0", "--annotate", "--trace", out) == 0
    printed = capsys.readouterr().out
    assert re.search(r"^ +16 +\d+ +scalar-latency \d+ +r3 = sfmpy", printed, re.MULTILINE)
    assert re.search(r"^COMMITTED_PKT_ANY +50$", printed, re.MULTILINE)
    events = json.loads(out.read_text())["traceEvents"]
    assert [event["name"] for event in events if event["ph"] == "X"] == ["scale"]
    assert sim(source, "--entry", "scale", "--args", "buf:64", 1, "1.0", "--trace", tmp_path / "no" / "t.json") == 1
    assert "cannot write" in capsys.readouterr().err


def test_trace_does_not_replace_the_input(source, tmp_path, capsys):
    before = Path(source).read_bytes()
    (tmp_path / "link").symlink_to(source)
    for name in (source, tmp_path / "link", os.path.relpath(source)):
        assert sim(source, "--entry", "scale", "--args", "buf:64", 1, "1.0", "--trace", name) == 1
        assert f"the output would replace {source}" in capsys.readouterr().err
    assert Path(source).read_bytes() == before


def test_a_whole_c_program_prints_its_output_first(capsys):
    folder = Path(__file__).resolve().parents[2] / "c"
    assert sim(folder / "asm" / "calculator.s", "--entry", "_start", "--args", 0, 0) == 0
    printed = capsys.readouterr().out
    text, code = (folder / "expected" / "calculator.txt").read_text().rsplit("exit ", 1)
    assert printed.startswith(text + f"returned r0 = {code.strip()} ")
