"""``hexmlir sim FILE.s``: run a function of an assembly file on the simulator and print what it cost."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from threading import TIMEOUT_MAX
from typing import TYPE_CHECKING

from hexagon_mlir.cli.arguments import UsageError
from hexagon_mlir.cli.arrays import array_bytes, read_array
from hexagon_mlir.cli.inputs import read_text
from hexagon_mlir.cli.options import OneFile, keep_input, read_options
from hexagon_mlir.ir.diagnostics import Diagnostic, HexError, Place

if TYPE_CHECKING:
    import numpy as np

    from hexagon_mlir.sim import Machine, RunResult

HINT = "hexmlir sim --help"
LONGEST_NUMBER = 80
"""Characters: 64 bits have room in them, in any base."""
USAGE = """usage: hexmlir sim FILE.s --entry FUNCTION [options]
       hexmlir sim --list-forms

  --entry NAME     the function to call; _start runs a whole C program: constructors, main, exit
  --args A B ...   its arguments:
                     7  -1  0x10     32-bit integers; 7i64 is 64 bits wide
                     2.5  1e-3       f32; 2.5f64 is a double
                     buf:4096        a zeroed buffer of that many bytes in DDR, passed by address
                     tcm:4096        the same in TCM
                     data.npy        a buffer with the array's bytes
  --out FOLDER     write every buffer back as FOLDER/argN.npy (buf and tcm buffers as bytes)
  --target NAME    the chip, see 'hexmlir targets' (default v75)
  --timeout S      end a program that does not finish in S seconds
  --check          find faults: bounds, uninitialised memory, DMA, races, leaks, ...; exit code 1 if there are any
  --arithmetic=A   of HVX floating point: chip (as the target computes it) or ieee
  --annotate       print the assembly with the count, cycles and stalls of every packet, and PMU counters
  --trace FILE     write a timeline of threads, DMA and TCM as JSON that Perfetto opens
  --list-forms     every instruction form the simulator knows: unit, chips, template
"""


@dataclass
class Options(OneFile):
    """The command line."""

    entry: str = ""
    args: list[str] = field(default_factory=list)
    out: str = ""
    target: str = ""
    timeout: float = 0.0
    check: bool = False
    annotate: bool = False
    trace: str = ""
    arithmetic: str = ""


@dataclass
class Buffer:
    """An argument in guest memory."""

    index: int
    address: int
    dtype: np.dtype
    shape: tuple[int, ...]


def simulate(words: Sequence[str]) -> int:
    """The exit code of ``hexmlir sim`` with ``words`` after it."""
    if not words or "--help" in words or "-h" in words:
        sys.stdout.write(USAGE)
        return 0
    if "--list-forms" in words:
        sys.stdout.write(list_forms())
        return 0
    return run(read(words))


def read(words: Sequence[str]) -> Options:
    """The command line ``words``; raises `UsageError`."""
    options = read_options(Options(), words, [option.name for option in fields(Options)], HINT)
    if not options.entry:
        raise UsageError("no function to call", f"hexmlir sim {options.file} --entry NAME")
    if not 0 <= options.timeout <= TIMEOUT_MAX:
        raise UsageError(f"--timeout {options.timeout:g} is no time to wait", "a number of seconds; 0 is any time")
    keep_input(options.file, [options.trace], "--trace FILE")
    return options


def _float(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise UsageError(f"cannot read '{word}' as a number for an argument", HINT) from None


def _integer(word: str, bits: int, what: str) -> int:
    """The number ``word``, which ``bits`` hold with a sign or without; ``what`` is it for?"""
    if len(word) > LONGEST_NUMBER:
        raise UsageError(f"cannot read '{word[:LONGEST_NUMBER]}...' as a number for {what}", HINT)
    try:
        number = int(word, 0)
    except ValueError:
        raise UsageError(f"cannot read '{word}' as a number for {what}", HINT) from None
    if not -1 << (bits - 1) <= number < 1 << bits:
        raise UsageError(f"'{word}' does not fit the {bits} bits of {what}", HINT)
    return number


def run(options: Options) -> int:
    """Load, run, print, write buffers back."""
    text = read_text(options.file, "assembly is text; is this an object?")
    from hexagon_mlir import targets
    from hexagon_mlir.report import text as report
    from hexagon_mlir.sim import DEFAULT_ARITHMETIC, Machine, SimError
    from hexagon_mlir.sim.host_library.c_start import ENTRY, with_start
    from hexagon_mlir.sim.trace import timeline
    from hexagon_mlir.whole_files import write_files

    if options.entry == ENTRY and f"\n{ENTRY}:" not in text:
        text = with_start(text)
    try:
        machine = Machine(text, options.target or targets.DEFAULT, check=options.check,
                          arithmetic=options.arithmetic or DEFAULT_ARITHMETIC)
        arguments, buffers = place(machine, options.args)
        result = machine.run(options.entry, arguments, timeout=options.timeout or None,
                             trace=bool(options.trace))
    except targets.TargetError as error:
        raise UsageError(str(error), "hexmlir targets") from None
    except SimError as error:
        raise HexError(Diagnostic("error", Place(options.file, error.asm_line), "", error.reason,
                                  hint=error.hint)) from None
    if options.out:  # first: a reader that stops (| head) must not cost the results
        write_back(machine, buffers, Path(options.out))
    if options.trace:
        write_files({Path(options.trace): json.dumps(timeline(machine)).encode()})
    sys.stdout.write(machine.output.decode(errors="replace"))
    sys.stdout.flush()
    sys.stderr.write(machine.error_output.decode(errors="replace"))
    sys.stdout.write(return_line(result.return_value) + report.run(result))
    return explain(machine, result, options)


def explain(machine: Machine, result: RunResult, options: Options) -> int:
    """What ``--annotate`` and ``--check`` add; the exit code."""
    from hexagon_mlir.report.text import faults, table
    from hexagon_mlir.sim import trace

    if options.annotate:
        counts = trace.counters(machine, result)
        sys.stdout.write("\n" + trace.annotate(machine) + "\n")
        sys.stdout.write(table(("event", "count"), [(name, str(count)) for name, count in counts.items()]))
    if options.check:
        sys.stdout.write(faults(result.reports))
    return int(any(report.certain for report in result.reports))


def return_line(value: int) -> str:
    """r1:0 in the readings it may have."""
    import numpy as np

    words = np.array([value], np.uint64).view(np.uint32)
    low = words[:1]
    return (f"returned r0 = {int(low.view(np.int32)[0])} ({int(low[0]):#x}, as f32 {low.view(np.float32)[0]:.9g}), "
            f"r1 = {int(words[1]):#x}\n\n")


def place(machine: Machine, words: Sequence[str]) -> tuple[list, list[Buffer]]:
    """Arguments as the machine takes them, with buffers put in guest memory."""
    import numpy as np

    from hexagon_mlir.sim import Arg64

    arguments: list = []
    buffers = []
    for index, word in enumerate(words):
        if found := re.fullmatch(r"(buf|tcm):(\w+)", word):
            allocate = machine.alloc_tcm if found.group(1) == "tcm" else machine.alloc_ddr
            nbytes = _integer(found.group(2), 33, "a size in bytes")
            arguments.append(allocate(max(nbytes, 1)))
            machine.view(arguments[-1], nbytes)[:] = 0
            buffers.append(Buffer(index, arguments[-1], np.dtype(np.uint8), (nbytes,)))
            continue
        if word.endswith(".npy"):
            data = read_array(word)
        elif word.endswith("i64"):
            arguments.append(Arg64(_integer(word[:-3], 64, "an argument") & (1 << 64) - 1))
            continue
        elif word.endswith("f64"):
            bits = np.float64(_float(word[:-3])).view(np.uint64)
            arguments.append(Arg64(int(bits)))
            continue
        else:
            integer = re.fullmatch(r"-?(0[xXbBoO])?[0-9a-fA-F_]+", word) and not re.fullmatch(r"-?\d+[eE]\d+", word)
            arguments.append(_integer(word, 32, "an argument") if integer else _float(word))
            continue
        address = machine.alloc_ddr(max(data.nbytes, 1))
        machine.write(address, data)
        arguments.append(address)
        buffers.append(Buffer(index, address, data.dtype, data.shape))
    return arguments, buffers


def write_back(machine: Machine, buffers: Sequence[Buffer], folder: Path) -> None:
    """Each buffer as the program left it."""
    import math

    from hexagon_mlir.whole_files import Content, write_files

    files: dict[Path, Content] = {}
    for buffer in buffers:
        data = machine.read(buffer.address, buffer.dtype, math.prod(buffer.shape)).reshape(buffer.shape)
        files[folder / f"arg{buffer.index}.npy"] = array_bytes(data)
    write_files(files, folders=[folder])


def list_forms() -> str:
    """A line per form, then counts."""
    from hexagon_mlir.isa import listing
    from hexagon_mlir.report.text import table

    rows = listing.rows()
    return (table(("unit", "chips", "form"), [(row.unit, row.range, row.template) for row in rows])
            + f"{len(rows)} forms (R register, RR pair, V vector, VV vector pair, P predicate, Q vector predicate, "
            "M modifier, C control, I immediate, L label)\n")
