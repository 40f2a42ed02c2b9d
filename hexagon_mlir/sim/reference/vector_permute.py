"""HVX data movement in numpy (HVX V73 PRM 80-N2040-54, chapter 6)."""

from __future__ import annotations

import numpy as np

from hexagon_mlir.sim.reference.rules import DTYPES, rule
from hexagon_mlir.sim.reference.vector_int import VECTOR_BYTES, interleaved, narrow, saturated, wide

N = VECTOR_BYTES


@rule("V=v{|l}align(V,V,{R|I})")
def align(left, _, u, v, n):
    amount = n % N
    if left:
        amount = N - amount
    return np.concatenate([v, u])[amount : amount + N]


@rule("V=valign4(V,V,R)")
def align_words(u, v, r):
    """Words of u moved up by whole bytes, filled with the upper bytes of v (v81)."""
    amount = 8 * (r & 3)
    return narrow(wide(u, "uw") << amount | wide(v, "uw") << amount >> 32, "uw")


@rule("V=vror(V,R)")
def rotate(v, r):
    return np.roll(v, -(r % N))


@rule("VV=v{shuff|deal}(V,V,R)")
def shuffle_pair(name, u, v, r):
    """Swap byte k of the high with byte k + offset of the low register, for each offset bit of r."""
    low, high = v.copy(), u.copy()
    offsets = [1 << i for i in range(7)]
    for offset in offsets if name == "shuff" else offsets[::-1]:
        if r & offset:
            k = np.array([i for i in range(N) if not i & offset])
            low[k + offset], high[k] = high[k], low[k + offset]
    return low, high


@rule("V=v{|r}delta(V,V)")
def network(reverse, data, control):
    data = data.copy()
    offsets = [1 << i for i in range(7)]
    for offset in offsets if reverse else offsets[::-1]:
        data = np.where(control & offset, data[np.arange(N) ^ offset], data)
    return data


@rule("V.{b|h}=vdeal(V.{1})")
def deal(suffix, a):
    lanes = a.view(DTYPES[suffix])
    return np.concatenate([lanes[::2], lanes[1::2]])


@rule("V.{b|h}=vshuff(V.{1})")
def shuffle(suffix, a):
    lanes = a.view(DTYPES[suffix])
    return interleaved(lanes[: lanes.size // 2], lanes[lanes.size // 2 :])


@rule("V.{b|h}=vshuff{e|o}(V.{1},V.{1})")
def shuffle_half(suffix, which, u, v):
    start = "eo".index(which)
    return interleaved(v.view(DTYPES[suffix])[start::2], u.view(DTYPES[suffix])[start::2])


@rule("VV.{b|h}=vshuffoe(V.{1},V.{1})")
def shuffle_both(suffix, u, v):
    return shuffle_half(suffix, "e", u, v), shuffle_half(suffix, "o", u, v)


@rule("V.b=vdeale(V.b,V.b)")
def deal_even(u, v):
    return np.concatenate([v[::4], v[2::4], u[::4], u[2::4]])


@rule("V.{b|h}=vpack{e|o}(V.{h|w},V.{3})")
def pack(suffix, which, _, u, v):
    return np.concatenate([v, u]).view(DTYPES[suffix])["eo".index(which) :: 2]


@rule("V.{b|ub|h|uh}=vpack(V.{h|w},V.{2}):sat")
def pack_saturated(out, suffix, u, v):
    return np.concatenate([saturated(wide(v, suffix), out), saturated(wide(u, suffix), out)])


@rule("VV.{h|uh|w|uw}=vunpack(V.{b|ub|h|uh})")
def unpack(out, suffix, a):
    lanes = narrow(wide(a, suffix), out)
    return lanes[: lanes.size // 2], lanes[lanes.size // 2 :]


@rule("VV.{h|w}|=vunpacko(V.{b|h})")
def unpack_odd(out, suffix, old, a):
    lanes = wide(a, suffix) << np.iinfo(DTYPES[suffix]).bits
    both = narrow(wide(np.concatenate(old), out) | lanes, out)
    return both[: both.size // 2], both[both.size // 2 :]


@rule("VV.{h|uh|w|uw}=v{s|z}xt(V.{b|ub|h|uh})")
def extend(out, _, suffix, a):
    lanes = narrow(wide(a, suffix), out)
    return lanes[::2], lanes[1::2]


@rule("VV=vcombine(V,V)")
def combine(u, v):
    return v, u


@rule("VV=VV")
def move(a):
    return a


@rule("VV.w=vasrinto(V.w,V.w)")
def shift_into(old, u, v):
    fill = np.array([int(x) & 0xFFFFFFFF for x in old[0].view(np.uint32)], object)
    results = []
    for low, value, control in zip(fill, u.view(np.int32), v.view(np.uint32), strict=True):
        count = (int(control) & 63) - (int(control) & 64)
        word, echo, ones = int(value) << 32, low << 32 | low, 0xFFFFFFFF
        if low >> 31:
            echo -= 1 << 64
        if count == -64:
            result = 0
        elif count < 0:
            result = word << -count | echo & ones << -count
        else:
            result = word >> count | echo & ones >> count
        results.append(result & ((1 << 64) - 1))
    both = np.array(results, np.uint64)
    return (both & np.uint64(0xFFFFFFFF)).astype(np.uint32), (both >> np.uint64(32)).astype(np.uint32)
