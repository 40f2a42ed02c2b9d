"""Files of numpy arrays on the command line: numbers are read, anything else is one error that names the file."""

import io
import os
import pickle
import struct

import numpy as np
import pytest

from hexagon_mlir.cli.arrays import read_array
from hexagon_mlir.cli.hexmlir import main
from hexagon_mlir.ir import HexError

KERNEL = """func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
"""
HEADER = "{{'descr': {}, 'fortran_order': False, 'shape': {}, }}\n"


class Makes:
    """Pickled, it makes a folder when it is read."""

    def __reduce__(self):
        return os.mkdir, ("made",)


def npy(array, **named):
    stream = io.BytesIO()
    np.save(stream, array, **named)
    return stream.getvalue()


def raw(header, data=bytes(16), version=(1, 0)):
    return b"\x93NUMPY" + bytes(version) + struct.pack("<H", len(header)) + header.encode() + data


def shaped(shape):
    return raw(HEADER.format("'<f4'", shape))


BAD = {
    "shape of all memory": shaped("(4611686018427387904,)"),
    "shape larger than that": shaped("(9999999999999999999999,)"),
    "shape of a terabyte": shaped("(1099511627776,)"),
    "negative shape": shaped("(-4,)"),
    "shape of truths": shaped("(True,)"),
    "shape of floats": shaped("(4.0,)"),
    "many dimensions": shaped(f"({'1,' * 100})"),
    "shape that is code": shaped("(__import__('os').mkdir('made'),)"),
    "pickled objects": npy(np.array([Makes()], dtype=object), allow_pickle=True),
    "pickle": pickle.dumps(Makes()),
    "archive": b"PK\3\4" + bytes(100),
    "nothing": b"",
    "version": raw(HEADER.format("'<f4'", "(4,)"), version=(9, 0)),
    "code": raw("__import__('os').mkdir('made')\n"),
    "nested deeply": raw("[" * 9000),
    "long header": raw("{" + " " * 60000 + "}"),
    "no key": raw("{'descr': '<f4', 'shape': (4,)}\n"),
    "NUL": raw("\0" * 50),
    "text": npy(np.array(["a"])),
    "dates": npy(np.array(["2020"], "M8[D]")),
    "records": raw(HEADER.format("[('a', '<f4')]", "(4,)")),
    "no bytes": raw(HEADER.format("'|V0'", "(4,)")),
    "unknown type": raw(HEADER.format("'<q9'", "(4,)")),
    "huge type": raw(HEADER.format("('<f4', (1000000, 1000000))", "(4,)")),
    "cut short": npy(np.ones(4, np.float32))[:-3],
}


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.mlir").write_text(KERNEL)
    (tmp_path / "k.s").write_text("\t.type\tf,@function\nf:\n\t{\n\t\tjumpr r31\n\t}\n")


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("words", [["run", "k.mlir"], ["sim", "k.s", "--entry", "f"]], ids=lambda words: words[0])
def test_bad_arrays(capsys, name, words):
    with open("a.npy", "wb") as file:
        file.write(BAD[name])
    assert main([*words, "--args", "a.npy"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("a.npy: error: cannot read: ") and error.count("\n") == 2
    assert error.endswith("hint: numpy.save(path, array) writes one\n")
    assert not os.path.exists("made")


def test_files_that_cannot_be_opened():
    os.mkdir("d.npy")
    for name, reason in (("d.npy", "Is a directory"), ("none.npy", "No such file"), ("\0.npy", "embedded null")):
        with pytest.raises(HexError, match=f"cannot read: {reason}"):
            read_array(name)


@pytest.mark.parametrize("array", [np.arange(6, dtype=np.int16).reshape(2, 3), np.float32(2.5), np.zeros((0, 3)),
                                   np.arange(6.0).reshape(2, 3).T, np.array([True, False])], ids=repr)
def test_arrays_of_numbers(array):
    np.save("a.npy", array)
    read = read_array("a.npy")
    assert read.shape == np.shape(array) and read.dtype == array.dtype and np.array_equal(read, array)
    assert read.flags.c_contiguous


@pytest.mark.ieee_arithmetic
def test_bytes_in_another_order(capsys):
    """The machine has its own."""
    np.save("a.npy", np.array([1, 2, 3, 4], ">f4"))
    assert main(["run", "k.mlir", "--args", "a.npy", "--out=o"]) == 0
    assert np.load("o/result0.npy").tolist() == [2, 4, 6, 8]
