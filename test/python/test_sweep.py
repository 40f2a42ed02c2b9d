"""``hexmlir sweep``: every combination once, tables that a further run goes on with, processes that end."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time

import msgspec
import pytest
from support import ROOT

from hexagon_mlir.cli.hexmlir import main
from hexagon_mlir.ir import HexError
from hexagon_mlir.sweep import measure, workers
from hexagon_mlir.sweep.measure import Row, measured, with_sizes
from hexagon_mlir.sweep.points import Point, Program, points
from hexagon_mlir.sweep.table import SweepTable

ADD = """func.func @kernel(%a: tensor<${M}x${N}xf32>) -> tensor<${M}x${N}xf32> {
  %e = tensor.empty() : tensor<${M}x${N}xf32>
  %r = linalg.add ins(%a, %a : tensor<${M}x${N}xf32>, tensor<${M}x${N}xf32>)
    outs(%e : tensor<${M}x${N}xf32>) -> tensor<${M}x${N}xf32>
  return %r : tensor<${M}x${N}xf32>
}
"""
KERNEL = Program("add.mlir", "kernel", ADD)
SCRIPT = """import sys
import numpy as np
import hexagon_mlir as hx
sizes = dict(word[2:].split("=") for word in sys.argv[1:])
n = int(sizes["N"])
if n == 13:
    sys.exit("unlucky")
text = open({kernel!r}).read().replace("${{M}}", "4").replace("${{N}}", str(n))
for _ in range(2):
    hx.compile(text).run(np.ones((4, n), np.float32))
print("not in the table")
"""
DIES = """import os, sys
if "--N=2" in sys.argv:
    os.kill(os.getpid(), 9)
exec(open({script!r}).read())
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "add.mlir").write_text(ADD)
    return tmp_path


def rows(path="sweep.sqlite"):
    connection = sqlite3.connect(path)
    found = connection.execute("SELECT program, target, settings, sizes, cycles, error FROM runs").fetchall()
    connection.close()
    return {(program, target, *json.loads(settings).items(), *json.loads(sizes).items()): (cycles, error)
            for program, target, settings, sizes, cycles, error in found}


def execute(statements, path="t.sqlite"):
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


class TestPoints:
    def test_every_combination_once(self):
        found = points([KERNEL], ["v73", "v75"], {"threads": [1, 4]}, {"M": [2, 3], "N": [8]})
        assert len(found) == len({point.key for point in found}) == 8
        assert found[1] == Point(KERNEL, "v73", (("threads", 1),), (("M", 3), ("N", 8)))

    def test_keys_are_of_all_that_counts(self):
        one = points([KERNEL], ["v75"], {}, {"N": [8]})[0]
        assert one.key == points([KERNEL], ["v75"], {}, {"N": [8]})[0].key
        others = [Program("add.mlir", "kernel", ADD + " "), Program("add.mlir", "script", ADD)]
        assert len({one.key, *(points([other], ["v75"], {}, {"N": [8]})[0].key for other in others)}) == 3

    def test_kernels_of_the_corpus_have_their_sizes(self):
        assert points([Program("softmax", "corpus", "softmax")], ["v75"], {}, {"N": [1, 2]})[0].sizes == ()

    @pytest.mark.parametrize(("sizes", "message"), [
        ({"M": 1}, r"\$N has no size"), ({"M": 1, "N": 2, "K": 3}, r"there is no \$K"), ({}, r"\$M has no size")])
    def test_sizes_and_places_fit(self, sizes, message):
        with pytest.raises(HexError, match=message):
            with_sizes(ADD, sizes)

    def test_a_lone_dollar(self):
        with pytest.raises(HexError, match="begins no name"):
            with_sizes("$ $M", {"M": 1})
        assert with_sizes("$$ $M ${M}x", {"M": 1}) == "$ 1 1x"


class TestMeasured:
    def of(self, point):
        return msgspec.json.decode(measured(msgspec.json.encode(point)), type=Row)

    def test_numbers_are_those_of_a_run(self):
        import numpy as np

        import hexagon_mlir as hx
        found = self.of(points([KERNEL], ["v73"], {"threads": [1]}, {"M": [8], "N": [100]})[0])
        kernel = hx.compile(with_sizes(ADD, {"M": 8, "N": 100}), target="v73", threads=1)
        result = kernel.run(np.ones((8, 100), np.float32)).result
        assert (found.cycles, found.packets, found.hvx_packets) == (result.cycles, result.packets, result.hvx_packets)
        assert found.ddr_bytes == result.ddr_read_bytes + result.ddr_write_bytes and found.error == ""

    @pytest.mark.parametrize(("point", "error"), [
        (Point(KERNEL, "v75"), "has no size"), (Point(Program("x", "kernel", "func.func @"), "v75"), "expected"),
        (Point(Program("x", "kernel", __file__), "v75"), "expected"),
        (Point(Program("s", "script", "/nowhere.py"), "v75"), "No such file"),
        (Point(Program("x", "kernel", ADD), "v9", (), (("M", 1), ("N", 1))), "v9")])
    def test_what_fails_says_why(self, point, error):
        found = self.of(point)
        assert error in found.error and found.cycles is None

    @pytest.mark.parametrize("data", [b"", b"{}", b"\xff", b'{"program": 1, "target": "v75"}'])
    def test_what_is_no_point(self, data):
        assert msgspec.json.decode(measured(data), type=Row).error

    def test_wrong_values_of_the_corpus(self, monkeypatch):
        from dataclasses import replace

        from hexagon_mlir.bench import corpus
        entry = next(entry for entry in corpus.ENTRIES if entry.name == "sum of rows")
        point = Point(Program("corpus:sum of rows", "corpus", "sum of rows"), "v75")
        assert self.of(point).error == ""
        monkeypatch.setattr(corpus, "ENTRIES", [replace(entry, reference=lambda x: 1.001 * x.sum(axis=1))])
        assert "values are off" in self.of(point).error


class TestTable:
    POINT = points([KERNEL], ["v75"], {}, {"M": [2], "N": [8]})[0]

    def test_a_row_stays_unless_it_failed(self, folder):
        table = SweepTable(folder / "t.sqlite")
        table.add(self.POINT, Row(error="no memory"))
        table.add(self.POINT, Row(7, 6, 5, 4, 3, 0.5))
        table.add(self.POINT, Row(8))
        table.close()
        assert SweepTable(folder / "t.sqlite").known([self.POINT.key, "other"]) == {
            self.POINT.key: Row(7, 6, 5, 4, 3, 0.5)}

    @pytest.mark.parametrize("content", [b"text", b"SQLite format 3\0" + bytes(200)])
    def test_other_files_are_refused_and_left(self, folder, content):
        path = folder / "t.sqlite"
        path.write_bytes(content)
        with pytest.raises(HexError, match=r"t\.sqlite"):
            SweepTable(path)
        assert path.read_bytes() == content

    @pytest.mark.parametrize(("statements", "message"), [
        (["CREATE TABLE mine (x)"], "no table of hexmlir sweep"),
        (["PRAGMA user_version = 9"], "another format")])
    def test_other_tables_are_refused(self, folder, statements, message):
        if "mine" not in statements[0]:
            SweepTable(folder / "t.sqlite").close()
        execute(statements)
        with pytest.raises(HexError, match=message):
            SweepTable(folder / "t.sqlite")

    def test_rows_of_other_types_are_refused(self, folder):
        """A table that says it is ours, without types of columns."""
        columns = ", ".join(("key", "program", "target", "settings", "sizes", *Row.__struct_fields__))
        SweepTable(folder / "t.sqlite").close()
        execute(["DROP TABLE runs", f"CREATE TABLE runs ({columns})",
                 f"INSERT INTO runs (key, cycles) VALUES ('{self.POINT.key}', 'many')"])
        with pytest.raises(HexError, match="cannot use the table"):
            SweepTable(folder / "t.sqlite").known([self.POINT.key])

    def test_two_that_write_at_the_same_time(self, folder):
        every = points([KERNEL], ["v75"], {}, {"M": [*range(40)], "N": [8]})

        def fill(number):
            table = SweepTable(folder / "t.sqlite")
            for point in every:
                table.add(point, Row(number))
            table.close()

        threads = [threading.Thread(target=fill, args=(number,)) for number in (1, 2)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        found = SweepTable(folder / "t.sqlite").known(point.key for point in every)
        assert len(found) == 40 and {row.cycles for row in found.values()} <= {1, 2}


class TestCommand:
    def test_a_further_run_measures_what_is_new(self, folder, capsys, monkeypatch):
        assert main(["sweep", "add.mlir", "--threads=1,4", "--size", "M=64", "--size=N=1000", "--jobs=1"]) == 0
        first = rows()
        text = capsys.readouterr().out
        assert len(first) == 2 and all(f"| {cycles:,} |" in text for cycles, _ in first.values())
        begun = []
        processes = workers.on_processes
        monkeypatch.setattr(workers, "on_processes", lambda left, jobs: begun.extend(left) or processes(left, jobs))
        assert main(["sweep", "add.mlir", "--threads=1,4", "--size", "M=64", "--size=N=1000,3", "--jobs=2"]) == 0
        assert [point.sizes for point in begun] == [(("M", 64), ("N", 3))] * 2
        assert first.items() <= rows().items() and len(rows()) == 4
        assert main(["sweep", "add.mlir", "--threads=1,4", "--size", "M=64", "--size=N=1000,3"]) == 0
        assert len(begun) == 2

    def test_a_script_gets_sizes(self, folder, capsys):
        (folder / "run.py").write_text(SCRIPT.format(kernel=str(folder / "add.mlir")))
        assert main(["sweep", "run.py", "add.mlir", "--size", "N=8,13", "--size", "M=4", "--jobs=1"]) == 1
        found = rows()
        sizes = (("N", 8), ("M", 4))
        assert found["run.py", "v75", *sizes][0] == 2 * found["add.mlir", "v75", *sizes][0]
        assert found["run.py", "v75", ("N", 13), ("M", 4)] == (None, "the script ends with 'unlucky'")
        output = capsys.readouterr()
        assert "not in the table" not in output.out and "unlucky" in output.out

    def test_a_process_that_ends_loses_its_point_alone(self, folder):
        (folder / "run.py").write_text(SCRIPT.format(kernel=str(folder / "add.mlir")))
        (folder / "dies.py").write_text(DIES.format(script=str(folder / "run.py")))
        assert main(["sweep", "dies.py", "--size", "N=1,2,3", "--jobs=2"]) == 1
        found = {key[-1][1]: value for key, value in rows().items()}
        assert {n: bool(error) for n, (_, error) in found.items()} == {1: False, 2: True, 3: False}
        assert "process that measured it ended" in found[2][1] and found[3][0] > 0

    def test_killed_and_resumed(self, folder):
        words = [sys.executable, "-m", "hexagon_mlir.cli.hexmlir", "sweep", "add.mlir", "--size", "M=2",
                 "--size", f"N={','.join(map(str, range(1, 9)))}", "--jobs=1"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        process = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and not ((folder / "sweep.sqlite").exists() and _count() > 1):
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)  # its workers, which have its output, end too
        before = rows()
        assert 1 < len(before) < 8
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=240)
        assert done.returncode == 0, done.stderr
        assert before.items() <= rows().items() and len(rows()) == 8

    @pytest.mark.parametrize(("words", "message"), [
        ([], "no program"), (["add.mlir", "--size", "M"], "names no size"), (["nothing.txt"], "no kernel"),
        (["add.mlir", "--size=M=x"], "is a number"), (["corpus:nothing"], "no kernel of the corpus"),
        (["add.mlir", "--thread=1"], "unknown option"), (["add.mlir", "--qfloat=maybe"], "true or false"),
        (["add.mlir", "--size=M=1", "--size=M=2"], "given twice"), (["add.mlir", "--plot=p.svg"], "over a size"),
        (["gone.mlir"], "cannot read"), (["add.mlir", "--target=v9"], "v9"), (["add.mlir", "--jobs"], "needs a value"),
        (["run.py", "--threads=1"], "chooses its target")])
    def test_wrong_words(self, folder, capsys, words, message):
        (folder / "run.py").write_text("pass\n")
        assert main(["sweep", "--jobs=1", *words]) == 1
        assert message in capsys.readouterr().err
        assert not (folder / "sweep.sqlite").exists()

    def test_a_folder_as_table(self, folder, capsys):
        assert main(["sweep", "add.mlir", "--size=M=1", "--size=N=1", "-o", str(folder)]) == 1
        assert "cannot use the table" in capsys.readouterr().err


def _count():
    try:
        connection = sqlite3.connect("sweep.sqlite")
        return connection.execute("SELECT count(*) FROM runs").fetchone()[0]
    except sqlite3.Error:
        return 0


def test_plot(folder):
    assert main(["sweep", "add.mlir", "--size=N=32,64", "--size=M=1,8", "--plot=p.svg", "--jobs=1"]) == 0
    text = (folder / "p.svg").read_text()
    assert text.startswith("<?xml") and text.count("M=") + text.count("<!-- ") > 4


def test_a_worker_of_a_cluster_is_killed(folder):
    """Two workers, of which one is killed while points are measured: every point is there, once."""
    import distributed

    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None,
                                  local_directory=str(folder)) as cluster:
        def kill():
            deadline = time.monotonic() + 120
            while time.monotonic() < deadline and not ((folder / "sweep.sqlite").exists() and _count()):
                time.sleep(0.05)
            os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)

        thread = threading.Thread(target=kill)
        thread.start()
        sizes = ",".join(map(str, range(1, 6)))
        assert main(["sweep", "add.mlir", "--size=M=2", f"--size=N={sizes}", "--threads=1,4",
                     f"--scheduler={cluster.scheduler_address}"]) == 0, rows()
        thread.join()
    assert len(rows()) == 10 and not any(error for _, error in rows().values())
    assert len({key[2:] for key in rows()}) == 10


def test_no_scheduler_there(folder, capsys, monkeypatch):
    monkeypatch.setattr(workers, "CONNECT_SECONDS", 1)
    assert main(["sweep", "add.mlir", "--size=M=1", "--size=N=1", "--scheduler=tcp://127.0.0.1:9"]) == 1
    assert "no scheduler at" in capsys.readouterr().err


def test_rows_from_a_worker_are_checked():
    assert workers._row(b"\x80pickle").error and workers._row(b'{"cycles": "many"}').error
    assert measure.Row(1) == workers._row(b'{"cycles": 1}')
