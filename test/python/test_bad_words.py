"""Every command with every bad file, number, place and name: one error with exit code 1, never a traceback."""

import contextlib
import io
import signal

import numpy as np
import pytest
from support import Outcome, call_opt

import hexagon_mlir as hx
from hexagon_mlir import targets
from hexagon_mlir.cli import hexmlir
from hexagon_mlir.ir import HexError
from hexagon_mlir.settings import Settings

KERNEL = """
func.func @twice(%x: tensor<64xi32>, %n: i32, %s: f32) -> tensor<64xi32> {
  %0 = linalg.add ins(%x, %x : tensor<64xi32>, tensor<64xi32>) outs(%x : tensor<64xi32>) -> tensor<64xi32>
  return %0 : tensor<64xi32>
}
"""
LONG = "9" * 5000
DEADLINE_SECONDS = 60


def npy(header: bytes) -> bytes:
    return b"\x93NUMPY\x01\x00v\x00" + header.ljust(117) + b"\n"


BINARIES = {
    "NUL bytes": b"module {\0}", "invalid UTF-8": b"x = '\xff\xfe'\n\xff", "an ELF file": b"\x7fELF\x01\x01\0\0" * 10,
    "an archive": b"PK\x03\x04" + bytes(100)}
"""Bad for every reader."""
ARRAYS = {
    "an empty file": b"", "text": b"1 2 3\n", "a header alone": npy(b"{'descr': '<f4', 'fortran_order': False, 'shape'"
                                                                    b": (4,), }"),
    "a shape beyond memory": npy(b"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999,), }"),
    "a negative shape": npy(b"{'descr': '<f4', 'fortran_order': False, 'shape': (-4,), }"),
    "no header": npy(b"((((("), "code in the header": npy(b"{'descr': '<f4', 'shape': (print(), ), }"),
    "a future version": b"\x93NUMPY\x09\x00v\x00", "another program's": b"\x93NUMPY"}
READERS = {
    "hexmlir-opt": (["hexmlir-opt", "FILE.mlir"], {}),
    "hexmlir-opt --emit": (["hexmlir-opt", "FILE.mlir", "--emit=asm"], {}),
    "hexmlir-opt of TTIR": (["hexmlir-opt", "FILE.ttir"], {}),
    "--schedule": (["hexmlir-opt", "k.mlir", "--schedule=FILE.mlir"], {"an empty file": b""}),
    "compile": (["hexmlir", "compile", "FILE.mlir", "-o", "out"], {"an empty file": b""}),
    "compile a .pt2": (["hexmlir", "compile", "FILE.pt2", "-o", "out"], {"an empty file": b""}),
    "compile a .onnx": (["hexmlir", "compile", "FILE.onnx", "-o", "out"], {"an empty file": b""}),
    "run": (["hexmlir", "run", "FILE.mlir"], {"an empty file": b""}),
    "run a .pt2": (["hexmlir", "run", "FILE.pt2"], {"an empty file": b""}),
    "run --args": (["hexmlir", "run", "k.mlir", "--args", "FILE.npy", "1", "1"], ARRAYS),
    "sim": (["hexmlir", "sim", "FILE.s", "--entry=twice"], {"an empty file": b""}),
    "sim --args": (["hexmlir", "sim", "k.s", "--entry=twice", "--args", "FILE.npy"], ARRAYS),
    "profile": (["hexmlir", "profile", "FILE.py"], {}),
}
PLACES = ("missing", "folder", "unreadable", "loop", "missing/folder", "k.mlir/below")
"""What is there instead of a file; others are made by the fixture."""
RUN = ["hexmlir", "run", "k.mlir", "--args", "x.npy", "1", "1"]
SIM = ["hexmlir", "sim", "k.s", "--entry=twice", "--args", "x.npy", "1", "1", "x.npy"]
OUTPUTS = {
    "compile -o": (["hexmlir", "compile", "k.mlir", "-o", "PLACE"], ("folder", ".", "/", "missing/f", "k.mlir/f")),
    "compile --emit -o": (["hexmlir", "compile", "k.mlir", "--emit=asm", "-o", "PLACE"],
                          ("folder", ".", "", "n" * 300)),
    "hexmlir-opt -o": (["hexmlir-opt", "k.mlir", "-o", "PLACE"], ("folder", ".", "missing/f", "k.mlir/f", "", "loop")),
    "--dump-ir": (["hexmlir-opt", "k.mlir", "--cse", "--dump-ir=PLACE"], ("k.mlir", "k.mlir/f", "", "loop")),
    "run --out": ([*RUN, "--out=PLACE"], ("k.mlir", "k.mlir/f", "")),
    "run --report": ([*RUN, "--report=PLACE"], ("folder", "missing/f.html", "")),
    "run --trace": ([*RUN, "--trace=PLACE"], ("folder", "missing/f", "")),
    "sim --out": ([*SIM, "--out=PLACE"], ("k.mlir", "k.mlir/f", "")),
    "sim --trace": ([*SIM, "--trace=PLACE"], ("folder", "missing/f", "")),
    "profile --report": (["hexmlir", "profile", "--report=PLACE", "s.py"], ("k.mlir", "k.mlir/f")),
}
WORDS = {
    "--timeout": ([*SIM, "--timeout=WORD"], ("nan", "inf", "-inf", "-1", "1e400", "99999999999", "x", "", LONG)),
    "sim --args": (["hexmlir", "sim", "k.s", "--entry=twice", "--args", "WORD"],
                   ("buf:-1", "buf:99999999999999999999", "buf:x", f"buf:{LONG}", "tcm:9999999999", "4294967296", LONG,
                    "18446744073709551616i64", "xi64", "xf64", "", "--")),
    "sim --entry": (["hexmlir", "sim", "k.s", "--entry=WORD"], ("", "nope")),
    "sim --target": ([*SIM, "--target=WORD"], ("", "v99", "../v75", LONG)),
    "run --args of i32": (["hexmlir", "run", "k.mlir", "--args", "x.npy", "WORD", "1"],
                          ("1.5", "nan", "inf", "4294967296", "-2147483649", "0xg", "x", "x.npy", LONG)),
    "run --args of f32": (["hexmlir", "run", "k.mlir", "--args", "x.npy", "1", "WORD"], ("x", "9" * 400, "x.npy", "")),
    "run --args": (["hexmlir", "run", "k.mlir", "--args", "WORD"], ("1", "x.npy", "")),
    "--grid": ([*RUN, "--grid=WORD"], ("1", "1,2", "-1", "x", "", "1,,1", f"{LONG},1,1", "1,1,1,1")),
    "--executor": ([*RUN, "--executor=WORD"], ("", "gpu")),
    "--numerics": ([*RUN, "--numerics=WORD"], ("", "mixed", "x")),
    "compile --emit": (["hexmlir", "compile", "k.mlir", "--emit=WORD"], ("", "exe", "ASM", "asm,obj", "=")),
    "hexmlir-opt --emit": (["hexmlir-opt", "k.mlir", "--emit=WORD"], ("", "exe", "ASM", "asm,obj", "=")),
    "hexmlir-opt --pipeline": (["hexmlir-opt", "k.mlir", "--pipeline=WORD"], ("", "x", "default ")),
    "hexmlir-opt --pass-pipeline": (["hexmlir-opt", "k.mlir", "--pass-pipeline=WORD"],
                                    ("", "(", "builtin.module(", "cse{", "cse)", "cse{x", "cse{{}", "a" * 5000)),
    "an option of a pass": (["hexmlir-opt", "k.mlir", "--hexagon-tcm-tiling=tcm-bytes=WORD"],
                            ("-2", "nan", "1.5", "", "x", "2147483648", LONG, f"0x{'f' * 300}", "'", "{", "1 2")),
    "a list of a pass": (["hexmlir-opt", "k.mlir", "--hexagon-tcm-tiling=tile-sizes=WORD"],
                         ("-2", "1,x", "1,9" + LONG)),
    "an upstream option": (["hexmlir-opt", "k.mlir", "--canonicalize=max-iterations=WORD"], ("x", "", "1.5", "{", "}")),
}
for flag in ("threads", "tcm-bytes"):
    numbers = ("-1", "-2", "nan", "inf", "1.5", "x", "", "٣", "2147483648", LONG)
    WORDS |= {f"compile --{flag}": (["hexmlir", "compile", "k.mlir", "-o", "out", f"--{flag}=WORD"], numbers),
              f"run --{flag}": ([*RUN, f"--{flag}=WORD"], numbers),
              f"hexmlir-opt --{flag}": (["hexmlir-opt", "k.mlir", "--pipeline=default", f"--{flag}=WORD"], numbers)}
for flag in ("target", "pipeline", "entry", "accuracy", "qfloat", "line-info"):
    WORDS |= {f"compile --{flag}": (["hexmlir", "compile", "k.mlir", "-o", "out", f"--{flag}=WORD"], ("", "x y", LONG)),
              f"run --{flag}": ([*RUN, f"--{flag}=WORD"], ("", "../x", "\1"))}


@pytest.fixture
def room(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.mlir").write_text(KERNEL)
    (tmp_path / "k.s").write_text(hx.compile(KERNEL).asm)
    (tmp_path / "s.py").write_text("import hexagon_mlir as hx, numpy as np\n"
                                   "hx.compile('k.mlir').run(np.ones(64, np.int32), 1, 1.0)\n")
    np.save(tmp_path / "x.npy", np.ones(64, np.int32))
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    return tmp_path


def run(words) -> Outcome:
    """The outcome of a command, which must come before a deadline."""
    if words[0] == "hexmlir-opt":
        return call_opt(*words[1:])
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = hexmlir.main(words[1:])
    return Outcome(code, out.getvalue(), err.getvalue())


def assert_one_error(words) -> None:
    def late(*_):
        raise AssertionError("no answer in time")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(DEADLINE_SECONDS)
    try:
        done = run(words)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    assert done.code == 1, done
    assert "Traceback" not in done.err and "internal" not in done.err and "no answer" not in done.err, done.err
    lines = done.err.splitlines()
    assert sum("error: " in line for line in lines) == 1 and "error: " in lines[0], done.err
    assert len(lines) <= 4, done.err


@pytest.mark.parametrize(("reader", "kind"), [(reader, kind) for reader, (_, own) in READERS.items()
                                              for kind in (*BINARIES, *own, *PLACES)])
def test_file(reader, kind, room):
    words, own = READERS[reader]
    if reader == "hexmlir-opt of TTIR":
        pytest.importorskip("triton")
    if any(word.endswith((".pt2", ".onnx")) for word in words):
        pytest.importorskip("torch")
        pytest.importorskip("onnx")
    (pattern,) = (word for word in words if "FILE" in word)
    name = pattern[pattern.index("FILE"):].replace("FILE", kind if kind in PLACES else "bad")
    file = room / name
    if kind == "folder":
        file.mkdir()
    elif kind == "unreadable":  # for root, too
        file.symlink_to("/proc/self/mem")
    elif kind == "loop":
        file.symlink_to(name)
    elif kind not in PLACES:
        file.write_bytes({**BINARIES, **own}[kind])
    assert_one_error([word.replace(pattern, pattern[:pattern.index("FILE")] + name) for word in words])
    assert not (room / "out").exists()


@pytest.mark.parametrize(("command", "place"), [(command, place) for command, (_, places) in OUTPUTS.items()
                                                for place in places])
def test_place(command, place, room):
    before = sorted(room.rglob("*"))
    assert_one_error([word.replace("PLACE", place) for word in OUTPUTS[command][0]])
    assert sorted(room.rglob("*")) == before


@pytest.mark.parametrize(("command", "number"), [(command, n) for command, (_, given) in WORDS.items()
                                                 for n in range(len(given))])
def test_word(command, number, room):
    words, given = WORDS[command]
    before = sorted(room.rglob("*"))
    assert_one_error([word.replace("WORD", given[number]) for word in words])
    assert sorted(room.rglob("*")) == before


@pytest.mark.parametrize("words", [
    ["sim", "k.s"], ["sim", "k.s", "--entry"], ["sim", "k.s", "--entry", "twice", "--args", "zz:1"], ["run", "--args"],
    ["run", "k.mlir", "--args"], ["run", "k.mlir", "k.mlir"], ["compile", "--emit=asm"], ["compile", "k.mlir", "-o"],
    ["profile", "--"], ["profile", "--report"], ["targets", "show", ""], ["targets", "show", "../v75"], ["-x"], [""],
    ["compile", ""], ["run", ""], ["profile", ""], ["compile", "k.mlir", "-o", "k.mlir"]])
def test_words_of_hexmlir(words, room):
    assert_one_error(["hexmlir", *words])


class TestSettings:
    @pytest.mark.parametrize("changes", [{"threads": -2}, {"threads": 1 << 31}, {"tcm_bytes": -1},
                                         {"tcm_bytes": 10 ** 30}])
    def test_of_the_python_interface(self, changes):
        with pytest.raises(HexError):
            Settings(**changes)

    @pytest.mark.parametrize("threads", ["0", "7", "3000", "2147483647"])
    def test_more_threads_than_any_chip_has_are_no_more_work(self, threads, room):
        assert run(["hexmlir", "compile", "k.mlir", "-o", "out.o", f"--threads={threads}"]).code == 0
        assert call_opt("k.mlir", f"--form-virtual-threads=threads={threads}").code == 0


@pytest.mark.parametrize(("kind", "good", "bad"), [
    ("i1", (0, 1, True), (2, -1, 0.5)), ("i8", (-128, 255, np.int8(3)), (256, -129, 1.0)),
    ("i32", (-1 << 31, (1 << 32) - 1), (1 << 32, float("nan"), np.float32(1))),
    ("i64", (-1 << 63, (1 << 64) - 1), (1 << 64, float("inf"))), ("index", (0, 1 << 31), (1 << 32, 2.5)),
    ("f32", (0, 1.5, float("nan"), np.int64(3)), (10 ** 400,))])
def test_numbers_that_a_type_does_not_hold(kind, good, bad):
    """An argument is what was given, or an error: never its lowest bits."""
    convert = {"i64": "arith.addi %n, %zero : i64", "index": "arith.index_castui %n : index to i64",
               "f32": "arith.fptosi %n : f32 to i64"}.get(kind, f"arith.extui %n : {kind} to i64")
    kernel = hx.compile(f"""
func.func @f(%x: tensor<8xi64>, %n: {kind}) -> tensor<8xi64> {{
  %zero = arith.constant 0 : i64
  %i = {convert}
  %0 = linalg.fill ins(%i : i64) outs(%x : tensor<8xi64>) -> tensor<8xi64>
  return %0 : tensor<8xi64>
}}
""", target=targets.DEFAULT)
    x = np.zeros(8, np.int64)
    for value in good:
        found, = kernel.run(x, value).outputs
        if kind != "f32":
            bits = {"index": 32}.get(kind) or int(kind[1:])
            assert int(found[0]) & (1 << bits) - 1 == int(value) & (1 << bits) - 1
        elif value == value:
            assert found[0] == int(value)
    for value in bad:
        with pytest.raises(HexError, match=f"argument 1 of f is a scalar of type {kind}"):
            kernel.run(x, value)
