"""The ``hexmlir`` tool and the text tables it prints."""

import contextlib
import io
import os
import re
import subprocess
import sys

import pytest
from support import Outcome, run_opt

from hexagon_mlir import targets
from hexagon_mlir.cli import hexmlir
from hexagon_mlir.exec.sim import LaunchRecord
from hexagon_mlir.report import text
from hexagon_mlir.sim import BlockStat, RunResult
from hexagon_mlir.sim.results import Profile

TRITON_SCRIPT = """
import sys
import torch, triton
import triton.language as tl

@triton.jit
def double(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)

n = int(sys.argv[1])
x, out = torch.arange(n, dtype=torch.float32), torch.empty(n)
for _ in range(2):
    double[(triton.cdiv(n, 512),)](x, out, n, BLOCK=512)
assert torch.allclose(out, 2 * x)
print("right for", n)
"""


def call(*argv) -> Outcome:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = hexmlir.main(list(argv))
    return Outcome(code, out.getvalue(), err.getvalue())


def result(cycles=1000, **changes) -> RunResult:
    values = dict(cycles=cycles, packets=400, hvx_packets=100, stalls={"copy": 500, "branch": 100, "none": 0},
                  ddr_read_bytes=4096, ddr_write_bytes=100, tcm_read_bytes=3 << 20, tcm_write_bytes=0,
                  tcm_high_water=1536, return_value=0)
    return RunResult(**{**values, **changes})


def record(kernel="k", cycles=1000, **changes) -> LaunchRecord:
    return LaunchRecord(kernel, "v75", (2, 1, 1), ((64, 8), ()), result(cycles, **changes), 0.25)


class TestTargets:
    def test_list(self):
        out = call("targets").out
        assert [line.split()[0] for line in out.splitlines()[1:]] == [*targets.names()]
        assert re.search(rf"^{targets.DEFAULT} .*default$", out, re.MULTILINE)

    @pytest.mark.parametrize("name", targets.names())
    def test_show_gives_every_fact_with_its_source(self, name):
        out = call("targets", "show", name).out
        for fact_name, fact in targets.get(name).facts().items():
            (line,) = re.findall(rf"^{fact_name} .*$", out, re.MULTILINE)
            assert f"{fact.value:,.12g} " in line
            assert f" {fact.unit} " in line and f" {fact.confidence.value} " in line
            assert line.endswith(fact.source)

    def test_unknown(self):
        done = call("targets", "show", "v99")
        assert (done.code, done.out) == (1, "")
        assert done.err.startswith("hexmlir: error: unknown target 'v99'")


class TestCache:
    def test_clear_removes_its_own_files_only(self, tmp_path, monkeypatch):
        monkeypatch.setenv("HEXAGON_MLIR_CACHE_DIR", str(tmp_path))
        from hexagon_mlir.codegen import cache

        cache.store(cache.key("a") + ".asm", b"x" * (2 << 20))
        cache.store(cache.key("b"), b"y")
        (tmp_path / "thesis.txt").write_text("precious")
        assert call("cache").out == f"{tmp_path}: 2 entries, 2.0 MiB\n"
        assert call("cache", "clear").out == f"removed 2 entries from {tmp_path}\n"
        assert [p.name for p in tmp_path.iterdir()] == ["thesis.txt"]

    def test_sees_everything(self, tmp_path, monkeypatch):
        """What the simulator keeps, and what a process that was killed left half-written."""
        monkeypatch.setenv("HEXAGON_MLIR_CACHE_DIR", str(tmp_path))
        from hexagon_mlir import disk_cache
        from hexagon_mlir.codegen import cache

        cache.store(cache.key("a") + ".asm", bytes(100 - 32))
        disk_cache.store("sim", "b", bytes(1000 - 32))
        write = "import os, hexagon_mlir.disk_cache as d; d.os.replace = lambda *a, **k: os._exit(9); d.store("
        subprocess.run([sys.executable, "-c", write + "'sim', 'c', bytes(924 - 32))"])
        assert call("cache").out == f"{tmp_path}: 2 entries, 1 unfinished, 2.0 KiB\n"
        assert call("cache", "clear").out == f"removed 3 entries from {tmp_path}\n"
        assert list(tmp_path.iterdir()) == []
        assert call("cache").out == f"{tmp_path}: 0 entries, 0 B\n"

    def test_folder_of_another_user(self, tmp_path, monkeypatch):
        monkeypatch.setenv("HEXAGON_MLIR_CACHE_DIR", str(tmp_path))
        (tmp_path / "code").mkdir()
        monkeypatch.setattr("os.geteuid", lambda: 12345)
        error = f"{tmp_path}/code: error: the folder belongs to another user, nothing is kept in it\n"
        assert call("cache").err == error

    @pytest.mark.parametrize("home", ["", ".", None])
    def test_no_home(self, monkeypatch, home):
        monkeypatch.delenv("HEXAGON_MLIR_CACHE_DIR", raising=False)
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        monkeypatch.delenv("HOME", raising=False)
        monkeypatch.setattr("pwd.getpwuid", {}.__getitem__)
        if home is not None:
            monkeypatch.setenv("HOME", home)
        error = "hexmlir: error: no folder for the cache: neither HOME nor XDG_CACHE_HOME is set\n"
        assert (call("cache").err, call("cache", "clear").err) == (error, error)

    def test_no_folder_yet(self, tmp_path, monkeypatch):
        monkeypatch.setenv("HEXAGON_MLIR_CACHE_DIR", str(tmp_path / "none"))
        assert call("cache").out == f"{tmp_path}/none: 0 entries, 0 B\n"
        assert call("cache", "clear").code == 0


@pytest.mark.parametrize("home", [
    *(pytest.param(home, marks=pytest.mark.full) for home in (None, "")), "relative", "/dev/null"])
def test_commands_without_a_home(tmp_path, home):
    """They work, and keep nothing."""
    (tmp_path / "k.mlir").write_text("func.func @f(%x: tensor<4xi32>) -> tensor<4xi32> { return %x : tensor<4xi32> }")
    script = ("import pwd, sys\npwd.getpwuid = {}.__getitem__\nfrom hexagon_mlir.cli.hexmlir import main\n"
              "sys.exit(main(['compile', 'k.mlir', '--emit=asm']) or main(['sim', 'k.s', '--entry', 'f', '--args', "
              "'buf:16', 'buf:16']) or main(['cache']))\n")
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("HOME", "XDG_CACHE_HOME", "HEXAGON_MLIR_CACHE_DIR")}
    environment |= {"HOME": home} if home is not None else {}
    command = [sys.executable, "-Pc", script]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.stdout.startswith("k.s\nreturned r0 = ")
    assert done.stderr == ("/dev/null/.cache/hexagon-mlir/code: error: Not a directory\n" if home == "/dev/null" else
                           "hexmlir: error: no folder for the cache: neither HOME nor XDG_CACHE_HOME is set\n")
    assert sorted(os.listdir(tmp_path)) == ["k.mlir", "k.s"]


class TestUsage:
    def test_help_names_every_command(self):
        assert call() == call("--help")
        assert all(word in call("--help").out for word in ("targets", "profile", "cache", "version"))

    def test_version(self):
        assert call("version").out.startswith("hexagon-mlir ")

    @pytest.mark.parametrize(("argv", "message"), [
        (("frob",), "unknown command 'frob'\n  hint: hexmlir --help"),
        (("complie", "k.mlir"), "unknown command 'complie'\n  hint: did you mean compile?"),
        (("targets", "hide"), "cannot read 'hide' after 'hexmlir targets'\n  hint: hexmlir --help"),
        (("targets", "show"), "no target is named\n  hint: hexmlir targets show v75"),
        (("cache", "burn"), "cannot read 'burn' after 'hexmlir cache'\n  hint: hexmlir --help")])
    def test_wrong_commands(self, argv, message):
        done = call(*argv)
        assert (done.code, done.out, done.err) == (1, "", f"hexmlir: error: {message}\n")

    @pytest.mark.parametrize("command", hexmlir.COMMANDS)
    def test_every_command_has_help(self, command):
        done = call(command, "--help")
        assert (done.code, done.err) == (0, "") and "usage: hexmlir" in done.out and command in done.out


class TestDebug:
    @pytest.mark.parametrize("words", [["--debug", "sim", "no.s"], ["sim", "no.s", "--debug"],
                                       ["compile", "no.mlir", "--debug"]])
    def test_shows_the_traceback(self, words):
        err = call(*words).err
        assert "Traceback" in err and "unknown option" not in err

    def test_is_a_profiled_scripts_own(self, tmp_path):
        script = tmp_path / "s.py"
        script.write_text("import sys\nassert sys.argv[1:] == ['--debug']\n")
        assert call("profile", str(script), "--debug").code == 0


class TestProfile:
    def test_triton_script(self, tmp_path, forks):
        pytest.importorskip("triton")
        pytest.importorskip("torch")
        script = tmp_path / "double.py"
        script.write_text(TRITON_SCRIPT)
        done = forks.run("hexmlir", "profile", script, "1000")
        assert (done.code, done.err) == (0, "")
        assert done.out.startswith("right for 1000\n")
        row = re.search(r"^double +2 +2x1x1 +1000 1000 +([\d,]+) +([\d,]+) +(\d+)% .* s$", done.out, re.MULTILINE)
        assert row, done.out
        cycles, packets = (int(row.group(i).replace(",", "")) for i in (1, 2))
        assert cycles > packets > 0
        assert f"2 launches on {targets.DEFAULT}: {2 * cycles:,} cycles" in done.out
        assert text.NOTE in done.out

    def test_script_without_kernels(self, tmp_path):
        script = tmp_path / "plain.py"
        script.write_text("import sys\nprint(sys.argv[1:], __name__)\n")
        done = run_opt("profile", str(script), "a", "--b", tool="hexmlir")
        assert done.out == "['a', '--b'] __main__\n\nno kernel was launched on the simulator\n"

    @pytest.mark.parametrize(("words", "passed"), [
        (["s.py"], []), (["s.py", "a", "--", "--check", "--"], ["a", "--check", "--"]),
        (["--", "s.py", "--report=x", "--"], ["--report=x", "--"]), (["s.py", "--checked", "--help"],
                                                                    ["--checked", "--help"])])
    def test_what_the_script_gets(self, words, passed, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "s.py").write_text("import sys\nprint(sys.argv)\n")
        assert call("profile", *words).out.splitlines()[0] == str(["s.py", *passed])

    @pytest.mark.parametrize("word", ["--check", "--report=pages", "--report"])
    def test_flags_behind_the_script_are_not_ignored(self, word, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "s.py").write_text("raise SystemExit('it ran')\n")
        done = call("profile", "s.py", "a", word)
        ours = word if word != "--report" else "--report=FOLDER"
        assert (done.code, done.out) == (1, "")
        assert done.err == (f"hexmlir: error: {word} after the script's name\n"
                            f"  hint: hexmlir profile {ours} s.py; for the script: hexmlir profile s.py -- {word}\n")

    def test_debug_before_the_script_is_ours(self, tmp_path):
        (tmp_path / "s.py").write_text("import sys\nprint(sys.argv[1:])\n")
        assert call("profile", "--debug", str(tmp_path / "s.py")).out.startswith("[]\n")

    @pytest.mark.parametrize(("body", "code", "error"), [
        ("raise SystemExit(3)", 3, ""),
        ("raise SystemExit('bye')", 1, "bye\n"),
        ("import sys; sys.exit()", 0, ""),
        ("def f():\n    return 1 / 0\nf()", 1, "ZeroDivisionError: division by zero\n"),
        ("def f(:", 1, "SyntaxError: invalid syntax\n"),
        ("from hexagon_mlir.ir import HexError\nraise HexError.plain('no', hint='yes')", 1,
         "hexmlir: error: no\n  hint: yes\n"),
    ])
    def test_exit_code_and_errors_are_the_scripts(self, body, code, error, tmp_path):
        script = tmp_path / "s.py"
        script.write_text(body)
        done = call("profile", str(script))
        assert done.code == code
        assert done.err.endswith(error)
        assert "hexagon_mlir/cli" not in done.err
        assert ("Traceback" in done.err) == ("Error: " in error and "hexmlir" not in error)

    def test_state_is_restored(self, tmp_path):
        script = tmp_path / "s.py"
        script.write_text("import sys\nsys.path.append('/nowhere')\n")
        argv, path = list(sys.argv), list(sys.path)
        call("profile", str(script))
        assert (sys.argv, sys.path) == (argv, path)

    def test_missing_script(self, tmp_path):
        done = call("profile", str(tmp_path / "no.py"))
        assert (done.code, done.out) == (1, "")
        assert done.err.endswith("no.py: error: cannot read: no such script\n")


class TestTables:
    @pytest.mark.parametrize(("count", "shown"), [
        (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (8 << 20, "8.0 MiB"),
        (3 << 30, "3.0 GiB")])
    def test_size(self, count, shown):
        assert text.size(count) == shown

    def test_columns_are_aligned(self):
        assert text.table(("name", "n"), [("a", "1,000"), ("long", "7")]) == (
            "name      n\na     1,000\nlong      7\n")

    def test_run(self):
        blocks = [BlockStat("f", ".LBB0_1", 10, 600, 200), BlockStat("g", "g", 1, 4, 2)]
        shown = text.run(result(profile=lambda: Profile(blocks, {"f": 700, "g": 300})))
        assert re.search(r"^cycles +1,000$", shown, re.MULTILINE)
        assert re.search(r"^packets with HVX +100 \(25\.0%\)$", shown, re.MULTILINE)
        assert re.search(r"^stalls: copy +500 \(50\.0%\)\nstalls: branch +100 \(10\.0%\)$", shown, re.MULTILINE)
        assert "stalls: none" not in shown
        assert re.search(r"^TCM read, written +3\.0 MiB, 0 B$", shown, re.MULTILINE)
        assert re.search(r"^ +700  f\n +300  g$", shown, re.MULTILINE)
        assert shown.index("f .LBB0_1") < shown.index("g g")
        assert shown.endswith(text.NOTE + "\n")

    def test_run_of_nothing(self):
        empty = result(0, packets=0, hvx_packets=0, stalls={})
        assert "0 (0.0%)" in text.run(empty)

    def test_equal_launches_are_counted(self):
        shown = text.launches([record(), record(), record("other", 2000), record()])
        assert re.findall(r"^(k|other) +(\d+) +2x1x1 +64x8 scalar +([\d,]+) ", shown, re.MULTILINE) == [
            ("k", "2", "1,000"), ("other", "1", "2,000"), ("k", "1", "1,000")]
        assert "4 launches on v75: 5,000 cycles, compiled in 0.50 s" in shown
        assert "copy 50%, branch 10%" in shown
        assert text.NOTE in shown

        assert "\n1 launch on v75: 1,000 cycles, compiled in" in text.launches([record()])

    def test_no_launches(self):
        assert text.launches([]) == "no kernel was launched on the simulator\n"
