"""Every fault of LLVM that is worked around is still there, and the workaround cures it."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support import ROOT

from hexagon_mlir.codegen.faults.record import CAUTIOUS, Aborts, Contains, Found, Reports
from hexagon_mlir.codegen.faults.table import FAULTS
from hexagon_mlir.codegen.llvm import ALWAYS
from hexagon_mlir.codegen.steps import AFTER_O3, BEFORE_O3, BY_VARIANT, ON_ASSEMBLY
from hexagon_mlir.sim import Machine

NUMBERS = range(len(FAULTS))
NAMES = [fault.workaround.strip("-") for fault in FAULTS]


def code(number, *cured):
    script = Path(__file__).with_name("fault_code.py")
    return subprocess.run([sys.executable, "-P", str(script), str(number), *cured], capture_output=True, text=True)


def elements(numbers, lanes):
    kind, values = numbers
    return np.resize(np.array(values, kind), lanes)


def wrong(fault, done):
    """Whether the symptom of ``fault`` shows in what the compilation and a run of its code gave."""
    if isinstance(fault.symptom, Aborts):
        return done.returncode < 0 and done.stderr.startswith(fault.symptom.message) \
            and fault.symptom.contains in done.stderr
    assert done.returncode == 0, done.stderr
    if isinstance(fault.symptom, Contains):
        return fault.symptom.text in done.stdout
    if isinstance(fault.symptom, Found):
        (check,) = (check for check in ON_ASSEMBLY if check.name == fault.symptom.check)
        return bool(check.found(done.stdout))
    machine = Machine(done.stdout, fault.chip, check=isinstance(fault.symptom, Reports))
    if isinstance(fault.symptom, Reports):
        result = machine.run("f", [machine.alloc_ddr(128), machine.alloc_ddr(128)])
        return fault.symptom.rule in {report.rule for report in result.reports}
    right = elements(fault.symptom.right, fault.symptom.lanes)
    arrays = [elements(numbers, fault.symptom.lanes) for numbers in fault.symptom.inputs]
    allocate = machine.alloc_tcm if fault.symptom.tcm else machine.alloc_ddr
    places = [allocate(max(128, array.nbytes)) for array in (*arrays, right)]
    for place, array in zip(places, arrays, strict=False):
        machine.write(place, array.view(np.uint8))
    machine.run("f", places)
    got = machine.read(places[-1], right.dtype, right.size)
    return not np.array_equal(got, right, equal_nan=right.dtype.kind == "f")


@pytest.mark.parametrize("number", NUMBERS, ids=NAMES)
def test_the_fault_is_still_there(number):
    assert wrong(FAULTS[number], code(number)), "LLVM is right: the record and its workaround can go"


@pytest.mark.parametrize("number", NUMBERS, ids=NAMES)
def test_the_workaround_cures_it(number):
    done = code(number, "cured")
    assert done.returncode == 0 and not wrong(FAULTS[number], done)


NOT_FOR_FAULTS = {
    "separate-tcm-slots", "normal-form", "small-integers-as-conversions", "native-vectors", "lane-exchanges",
    "float-splats", "half-fabs", "copy-loops", "half-narrowings", "exchanged-sums", "loop-order", "unaligned-rows",
    "frame-pointers", "qfloat-spills", "-enable-pipeliner=true", "row-pointers"}
"""What makes code faster, follows the definition of the target, or is missing in MLIR; ``qfloat-spills`` finds
what `qfloat-lifetimes` left. The fault that ``row-pointers`` works around shows in no smaller code than the kernel of
`test_row_pointers`.
"""


def test_every_workaround_has_a_record():
    known = {step.name for step in (*BEFORE_O3, *AFTER_O3, *BY_VARIANT, *ON_ASSEMBLY)} | {*ALWAYS, CAUTIOUS}
    assert {fault.workaround for fault in FAULTS} == known - NOT_FOR_FAULTS
    assert known > NOT_FOR_FAULTS
    assert len({fault.wrong for fault in FAULTS}) == len(FAULTS)


def test_the_page_is_made_from_the_records():
    script = "from scripts.llvm_faults import page; print(page(), end='')"
    made = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert made == (ROOT / "docs" / "llvm_faults.md").read_text()
