"""``hexmlir disassemble`` prints bytecode, and refuses what is none."""

import re

import pytest
from support import ROOT

from hexagon_mlir import targets
from hexagon_mlir.bench.size_groups import softmax
from hexagon_mlir.bytecode.encode import Encoder
from hexagon_mlir.cli import hexmlir


def test_text(tmp_path, capsys):
    """The docs show it."""
    file = tmp_path / "softmax.hxb"
    file.write_bytes(Encoder(softmax(), targets.get("v75")).encode([(200, 500)]))
    assert hexmlir.main(["disassemble", str(file)]) == 0
    printed = capsys.readouterr().out
    assert printed == re.search("```text\n(.*?)```", (ROOT / "docs/bytecode.md").read_text(), re.DOTALL)[1]


@pytest.mark.parametrize(("content", "message"), [
    (b"", "a program of 0 bytes"), (b"\0" * 400, "no bytecode"), (None, "cannot read")])
def test_refused(tmp_path, capsys, content, message):
    file = tmp_path / "file"
    if content is not None:
        file.write_bytes(content)
    assert hexmlir.main(["disassemble", str(file)]) == 1
    assert re.fullmatch(rf"{file}: error: .*{message}.*\n(  hint: .*\n)?", capsys.readouterr().err)
    assert hexmlir.main(["disassemble"]) != 0
