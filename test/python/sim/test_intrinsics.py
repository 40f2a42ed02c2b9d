"""One instruction of every form that clang emits for the intrinsics of its headers (`scripts/intrinsics.py`)."""

from pathlib import Path

import pytest

from hexagon_mlir.isa.decode import FormError, decode_one

EMITTED = (Path(__file__).parents[2] / "golden" / "intrinsics.txt").read_text().splitlines()
UNKNOWN = ("v0.f8 = v0.qf16", "v1:0.qf16 = v0.f8")
"""v81: the only source contradicts itself about the exponent of f8."""


def test_the_list_is_long_enough_to_mean_something():
    assert len(EMITTED) > 1400 and set(UNKNOWN) < set(EMITTED)


def test_every_other_instruction_decodes():
    for text in EMITTED:
        if text not in UNKNOWN:
            assert decode_one(1, text).text == text


@pytest.mark.parametrize("text", [*UNKNOWN, "z = vmem(r0+#0)", "v0 = zextract(r1)", "memcpy(r0,r1,m0)"])
def test_an_unknown_form_is_named(text):
    with pytest.raises(FormError, match=r"unknown instruction form '[VRzm]"):
        decode_one(1, text)
