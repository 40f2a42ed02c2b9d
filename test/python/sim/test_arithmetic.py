"""``arithmetic``: floats of HVX as the chip computes them, or as IEEE numbers; reports say which."""

import json

import numpy as np
import pytest
from sim.forms_harness import function

import hexagon_mlir as hx
from hexagon_mlir import targets
from hexagon_mlir.cli.hexmlir import main
from hexagon_mlir.exec.sim import SESSION, computing, launch
from hexagon_mlir.ir import HexError
from hexagon_mlir.report import text
from hexagon_mlir.sim import Arithmetic, Machine, SimError
from hexagon_mlir.sim.arithmetic import IEEE_NOTE
from hexagon_mlir.sim.trace import annotate, timeline
from hexagon_mlir.sim.translation import host
from hexagon_mlir.sim.translation.cached import obtain

SQUARE = function("square", [["v0 = vmem(r0+#0)"], ["v1.qf32 = vmpy(v0.sf,v0.sf)"], ["v2.sf = v1.qf32"],
                             ["vmem(r0+#0) = v2"]])  # fmt: skip
RESULTS = {Arithmetic.CHIP: 0x40800001, Arithmetic.IEEE: 0x40800000}
"""2 * 2 in qf32 of v75: the significand 4 cannot be written, the next one up can."""
KERNEL = """
func.func @square(%x: tensor<64xf32>) -> tensor<64xf32> {
  %empty = tensor.empty() : tensor<64xf32>
  %r = linalg.mul ins(%x, %x : tensor<64xf32>, tensor<64xf32>) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}
"""


def twos():
    return np.full(32, 2, np.float32)


@pytest.mark.parametrize("arithmetic", Arithmetic)
@pytest.mark.parametrize("level", [host.QUICK, host.FAST])
def test_machine(arithmetic, level):
    machine = Machine(SQUARE, "v75", arithmetic=str(arithmetic))
    machine._code._load(obtain(SQUARE, targets.get("v75"), level=level, arithmetic=arithmetic))
    address = machine.alloc_ddr(128)
    machine.write(address, twos())
    result = machine.run("square", [address])
    assert set(machine.read(address, np.uint32, 32).tolist()) == {RESULTS[arithmetic]}
    assert result.arithmetic is arithmetic
    ieee = arithmetic is Arithmetic.IEEE
    assert (IEEE_NOTE in text.run(result)) == (IEEE_NOTE in annotate(machine)) == ieee
    assert json.loads(json.dumps(timeline(machine)))["otherData"]["arithmetic"] == arithmetic


def test_unknown():
    with pytest.raises(SimError, match="arithmetic is 'chip' or 'ieee', not 'fast'"):
        Machine(SQUARE, arithmetic="fast")
    with pytest.raises(HexError, match="unknown arithmetic 'fast'"), computing("fast"):
        pass


@pytest.mark.parametrize("arithmetic", Arithmetic)
def test_launch(arithmetic):
    for given, around in ((arithmetic, None), (None, arithmetic)):
        data = twos()
        with computing(around):
            result = launch(SQUARE, "square", [data], arithmetic=given)
        assert set(data.view(np.uint32).tolist()) == {RESULTS[arithmetic]}
        assert result.arithmetic is arithmetic


@pytest.mark.parametrize("arithmetic", Arithmetic)
def test_compiled_kernel(arithmetic):
    run = hx.compile(KERNEL).run(np.full(64, 2, np.float32), arithmetic=arithmetic)
    assert set(run.outputs[0].view(np.uint32).tolist()) == {RESULTS[arithmetic]}
    assert run.profile.arithmetic is arithmetic


@pytest.mark.parametrize("arithmetic", Arithmetic)
def test_commands(arithmetic, tmp_path, capsys):
    np.save(tmp_path / "x.npy", twos())
    np.save(tmp_path / "y.npy", np.full(64, 2, np.float32))
    (tmp_path / "a.s").write_text(SQUARE)
    (tmp_path / "a.mlir").write_text(KERNEL)
    (tmp_path / "a.py").write_text(
        "import hexagon_mlir as hx, numpy as np, pathlib\n"
        f"run = hx.compile({str(tmp_path / 'a.mlir')!r}).run(np.full(64, 2, np.float32))\n"
        "print(hex(run.outputs[0].view(np.uint32)[0]))\n")  # fmt: skip
    flag, out = f"--arithmetic={arithmetic}", str(tmp_path / "out")
    given = ["--args", str(tmp_path / "x.npy"), "--out", out]
    for words in (["sim", str(tmp_path / "a.s"), "--entry", "square", *given, flag],
                  ["run", str(tmp_path / "a.mlir"), "--args", str(tmp_path / "y.npy"), "--out", out, flag],
                  ["profile", flag, str(tmp_path / "a.py")]):  # fmt: skip
        assert main(words) == 0
        printed = capsys.readouterr().out
        assert (IEEE_NOTE in printed) == (arithmetic is Arithmetic.IEEE)
        values = {"sim": "arg0.npy", "run": "result0.npy"}.get(words[0])
        if values:
            found = np.load(tmp_path / "out" / values).view(np.uint32)
            assert set(found.ravel().tolist()) == {RESULTS[arithmetic]}
        else:
            assert hex(RESULTS[arithmetic]) in printed


def test_launches_of_both():
    """Equal but for their numbers: the report counts them apart."""
    with SESSION.recording() as records:
        for arithmetic in (Arithmetic.IEEE, Arithmetic.CHIP, Arithmetic.CHIP):
            launch(SQUARE, "square", [twos()], arithmetic=arithmetic)
    lines = text.launches(records).split("\n")
    assert [line.split()[:2] for line in lines[1:3]] == [["square", "1"], ["square", "2"]]
    assert f"{IEEE_NOTE}, in 1 of 3 launches." in lines
    assert IEEE_NOTE not in text.launches(records[1:])


@pytest.mark.parametrize("arithmetic", Arithmetic)
def test_qemu_computes_in_its_own(arithmetic, tmp_path, capsys):
    """Also where it is not installed: the run would be another than the one asked for."""
    kernel, message = hx.compile(KERNEL), f"arithmetic '{arithmetic}' is one of the simulator, not of qemu"
    with pytest.raises(HexError, match=message):
        kernel.run(np.full(64, 2, np.float32), executor="qemu", arithmetic=arithmetic)
    (tmp_path / "a.mlir").write_text(KERNEL)
    np.save(tmp_path / "y.npy", np.full(64, 2, np.float32))
    words = ["run", str(tmp_path / "a.mlir"), "--args", str(tmp_path / "y.npy"), "--executor=qemu"]
    assert main([*words, f"--arithmetic={arithmetic}"]) == 1
    assert "--arithmetic is an option of the simulator" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["sim", "a.s", "--entry", "f"], ["run", "a.mlir"], ["profile", "a.py"]])
def test_unknown_in_a_command(words, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, source in (("a.s", SQUARE), ("a.mlir", KERNEL), ("a.py", "")):
        (tmp_path / name).write_text(source)
    command, *rest = words
    assert main([command, "--arithmetic=best", *rest]) != 0
    assert "best" in capsys.readouterr().err
