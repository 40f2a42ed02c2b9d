"""What instructions take of a packet, and the packets that a loop needs at least."""

from collections import Counter

import pytest

from hexagon_mlir.isa.resources import OCCUPIES, PER_PACKET, needed_packets, occupied_by


@pytest.mark.parametrize(("line", "taken"), [
    ("r1 = add(r2,#4)", {"slot": 1}),
    ("r1 = memw(r2+#4)", {"slot": 1, "load": 1}),
    ("v1 = vmem(r2+#0)", {"slot": 1, "load": 1, "pipe": 1}),
    ("v1.cur = vmem(r2+#0)", {"slot": 1, "load": 1, "pipe": 1}),
    ("v1.tmp = vmem(r2+#0)", {"slot": 1, "load": 1}),
    ("v1 = vmemu(r2+#0)", {"slot": 1, "load": 1, "store": 1, "pipe": 1, "permute": 1}),
    ("vmem(r2+#0) = v1", {"slot": 1, "store": 1, "pipe": 1}),
    ("vmem(r2+#0) = v1.new", {"slot": 1, "store": 1}),
    ("v1.qf32 = vmpy(v2.sf,v3.sf)", {"slot": 1, "pipe": 2, "multiply": 2}),
    ("v1.h = vmpy(v2.h,v3.h):<<1:rnd:sat", {"slot": 1, "pipe": 1, "multiply": 1}),
    ("v1.qf32 = vadd(v2.qf32,v3.qf32)", {"slot": 1, "pipe": 1, "shift": 1}),
    ("v1 = vdelta(v2,v3)", {"slot": 1, "pipe": 1, "permute": 1}),
    ("v1:0 = vshuff(v2,v3,r4)", {"slot": 1, "pipe": 2, "shift": 1, "permute": 1}),
    ("if (q0) v1.w += v2.w", {"slot": 1, "pipe": 1}),
    ("v1 = vxor(v2,v3)", {"slot": 1, "pipe": 1}),
    ("p0 = cmp.gt(r1,r2); if (p0.new) jump:t .LBB0_1", {"slot": 2}),
    ("no instruction", {"slot": 1}),
])
def test_taken(line, taken):
    assert occupied_by(line) == Counter(taken)


def test_the_busiest_resource_bounds():
    adds, products = occupied_by("v1.qf32 = vadd(v2.qf32,v3.qf32)"), occupied_by("v1.qf32 = vmpy(v2.sf,v3.sf)")
    assert needed_packets([adds] * 3 + [products]) == {"slot": 1.0, "pipe": 1.25, "shift": 3.0, "multiply": 1.0}
    assert needed_packets([]) == {}


def test_every_resource_is_in_a_packet():
    assert {resource for taken in OCCUPIES.values() for resource in taken} == set(PER_PACKET)
