"""Standard streams that are closed, full or have no reader: the tools end quietly, with the usual exit code."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hexagon_mlir.cli.hexmlir import main
from hexagon_mlir.disk_cache import ENVIRONMENT

BIN = Path(sys.executable).parent
KERNEL = """
func.func @twice(%x: tensor<64xi32>) -> tensor<64xi32> {
  %0 = linalg.add ins(%x, %x : tensor<64xi32>, tensor<64xi32>) outs(%x : tensor<64xi32>) -> tensor<64xi32>
  return %0 : tensor<64xi32>
}
"""
COMMANDS = ["hexmlir version", "hexmlir --help", "hexmlir targets", "hexmlir targets show v75", "hexmlir cache",
            "hexmlir sim --list-forms", "hexmlir run k.mlir --args x.npy", "hexmlir compile k.mlir --emit=asm",
            "hexmlir sim k.s --entry twice --args x.npy x.npy --annotate", "hexmlir profile s.py", "hexmlir-opt k.mlir",
            "hexmlir-opt --list-passes", "hexmlir-opt --help", "hexmlir-opt --print-pipeline=default",
            "hexmlir-opt k.mlir --emit=asm"]
BROKEN_PIPE = 128 + 13


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    folder = tmp_path_factory.mktemp("streams")
    (folder / "k.mlir").write_text(KERNEL)
    (folder / "s.py").write_text("import sys\nfor i in range(100000):\n    print(i)\n")
    np.save(folder / "x.npy", np.ones(64, np.int32))
    assert main(["compile", str(folder / "k.mlir"), "--emit=asm"]) == 0
    return folder


def shell(command: str, folder: Path) -> tuple[int, bytes, bytes]:
    """With a cache of its own for ``hexmlir cache``, whose entries other tests would add to meanwhile."""
    own = {ENVIRONMENT: str(folder / "cache")} if command.startswith("hexmlir cache") else {}
    done = subprocess.run(["bash", "-c", f"{BIN}/{command}"], cwd=folder, capture_output=True, timeout=120,
                          env={**os.environ, **own})
    return done.returncode, done.stdout, done.stderr


def every_second(first):
    """The commands, every second of which, from ``first`` on, runs by default; each meets two of the four streams."""
    return [pytest.param(command, marks=[pytest.mark.full] * ((number - first) % 2))
            for number, command in enumerate(COMMANDS)]


class TestOutput:
    @pytest.mark.parametrize("command", every_second(0))
    def test_closed(self, command, room):
        assert shell(f"{command} >&-", room) == (BROKEN_PIPE, b"", b"")

    @pytest.mark.parametrize("command", every_second(1))
    def test_without_reader(self, command, room):
        assert shell(f"{command} | true; exit ${{PIPESTATUS[0]}}", room) == (BROKEN_PIPE, b"", b"")

    @pytest.mark.parametrize("command", every_second(0))
    def test_errors_closed(self, command, room):
        expected = shell(command, room)
        assert expected[0] == 0 and expected[1]
        assert shell(f"{command} 2>&-", room) == expected

    @pytest.mark.parametrize("command", every_second(1))
    def test_full(self, command, room):
        code, out, err = shell(f"{command} >/dev/full", room)
        assert (code, out) == (1, b"") and err.count(b"error: No space left on device") == 1
        if "profile" not in command:  # the script's own error is a traceback
            assert err.count(b"\n") == 1


@pytest.mark.parametrize(("command", "code"), [
    ("hexmlir-opt k.mlir --cse -o out.mlir >&-", 0), ("hexmlir-opt k.mlir -o out.mlir <&- >&- 2>&-", 0),
    ("hexmlir-opt no.mlir 2>&-", 1), ("hexmlir frob >&- 2>&-", 1), ("hexmlir-opt <&- 2>&-", 1),
    ("hexmlir-opt no.mlir 2>&1 | true; exit ${PIPESTATUS[0]}", 1)])
def test_what_prints_nothing_ends_as_ever(command, code, room):
    (room / "out.mlir").unlink(missing_ok=True)
    assert shell(command, room) == (code, b"", b"")
    assert (room / "out.mlir").exists() == ("-o out" in command)


def test_an_error_says_so_without_output(room):
    assert shell("hexmlir-opt no.mlir >&-", room) == (
        1, b"", b"no.mlir: error: cannot read: No such file or directory\n")


def test_results_are_written_before_they_are_printed(room):
    for command in ("hexmlir run k.mlir --args x.npy --out=o1 --trace=t1", "hexmlir profile --report=o2 r.py",
                    "hexmlir sim k.s --entry twice --args x.npy x.npy --out=o3 --trace=t3"):
        (room / "r.py").write_text("import hexagon_mlir as hx, numpy as np\n"
                                   "hx.compile('k.mlir').run(np.ones(64, np.int32))\n")
        assert shell(f"{command} >&-", room) == (BROKEN_PIPE, b"", b"")
    np.testing.assert_array_equal(np.load(room / "o1" / "result0.npy"), np.full(64, 2))
    np.testing.assert_array_equal(np.load(room / "o3" / "arg1.npy"), np.full(64, 2))
    for name in ("t1", "t3", "o2/index.html", "o2/kernels/twice.html"):
        assert (room / name).stat().st_size > 0


def test_a_script_sees_the_end_of_its_reader(room):
    """As under Python itself, but for the traceback."""
    code, out, err = shell("hexmlir profile s.py | head -1; exit ${PIPESTATUS[0]}", room)
    assert (code, out, err) == (BROKEN_PIPE, b"0\n", b"")
    (room / "own.py").write_text("import os\nr, w = os.pipe()\nos.close(r)\nos.write(w, b'x')\n")
    code, out, err = shell("hexmlir profile own.py", room)
    assert code == 1 and b"BrokenPipeError" in err and err.startswith(b"Traceback")


def test_names_of_files_may_be_any_bytes(room):
    name = b"k\xff.mlir"
    (room / name.decode(errors="surrogateescape")).write_text(KERNEL)
    code, out, err = shell("hexmlir compile $'k\\xff.mlir' --emit=asm", room)
    assert (code, out, err) == (0, b"k\xff.s\n", b"")
