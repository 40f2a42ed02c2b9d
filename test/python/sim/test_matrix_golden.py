"""Every golden case of the matrix engine, see ``test/golden/hmx/README.md``."""

import numpy as np
import pytest

from bench.engine_golden import RUNNERS, cases, results


def test_the_file_is_whole():
    assert len(cases()) == 50
    assert {case["chip"] for case in cases()} == {"v75", "v81"}
    registers = {name for case in cases() for step in case["steps"] for name in step["regs"]}
    assert registers <= {"r0", "r1", "r2", "r3", "r6", "r7", "r8", "r9"}


@pytest.mark.parametrize("make", RUNNERS)
@pytest.mark.parametrize("case", cases(), ids=lambda case: case["name"])
def test_case(case, make):
    for (offset, expected), got in zip(case["out"], results(make, case), strict=True):
        np.testing.assert_array_equal(got, expected, err_msg=f"at {offset:#x}")
