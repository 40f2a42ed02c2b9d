"""What LLVM does wrong for Hexagon, each as a record: what goes wrong, the step or option that works around it, and
the smallest IR that shows it.

Two tests are made of each: the fault is still there without the workaround, and gone with it. The first fails when an
LLVM is right: its record and its step can go then. ``docs/llvm_faults.md`` is made from the records.
"""

from __future__ import annotations

from dataclasses import dataclass

Numbers = tuple[str, tuple[float, ...]]
"""An element type of numpy, and elements that repeat up to `Gives.lanes`."""


@dataclass(frozen=True)
class Aborts:
    """LLVM ends the process with a message that begins with ``message`` and has ``contains`` in it."""

    message: str
    contains: str = ""


@dataclass(frozen=True)
class Gives:
    """``f`` of the pointers to ``inputs`` and to a result gives other numbers than ``right``; zeros stand there before.
    """

    lanes: int
    inputs: tuple[Numbers, ...]
    right: Numbers


@dataclass(frozen=True)
class Reports:
    """A checked run of ``f`` on two pointers reports this rule."""

    rule: str


@dataclass(frozen=True)
class Found:
    """The assembly has what this check of `codegen.steps` searches for."""

    check: str


CAUTIOUS = "cautious"
"""The workaround for aborts: the same once more without the passes that do (`codegen.llvm.Library`)."""


@dataclass(frozen=True)
class Fault:
    """One fault. ``workaround`` is the name of a step or check (`codegen.steps`), an option that is set
    (`codegen.llvm`), or `CAUTIOUS`.
    """

    workaround: str
    wrong: str
    ir: str
    symptom: Aborts | Gives | Reports | Found
    seen: str
    """Versions of LLVM."""
    chip: str = "v75"
    qfloat: bool = False
    """Seen where the chip's qfloat is asked for in place of its IEEE arithmetic."""
    issue: str = ""
    """Public, where there is one."""


def _function(body: str, parameters: str = "ptr align 128 %p, ptr align 128 %q, ptr align 128 %out") -> str:
    lines = "\n".join(f"  {line.strip()}" for line in body.strip().splitlines())
    return f"define void @f({parameters}) {{\n{lines}\n  ret void\n}}\n"


_TWO = "ptr align 128 %p, ptr align 128 %out"
_WORDS = """%x = load <32 x i32>, ptr %p, align 128
            %y = load <32 x i32>, ptr %q, align 128"""
_LANES = ", ".join(f"i32 {lane}" for lane in range(32))

FAULTS = (
    Fault("mask-selects", "a select between two vectors of i1 by a third one cannot be selected", _function(f"""
        {_WORDS}
        %a = icmp sgt <32 x i32> %x, %y
        %b = icmp eq <32 x i32> %x, splat (i32 7)
        %c = icmp slt <32 x i32> %y, splat (i32 9)
        %m = select <32 x i1> %a, <32 x i1> %b, <32 x i1> %c
        %r = select <32 x i1> %m, <32 x i32> %x, <32 x i32> %y
        store <32 x i32> %r, ptr %out, align 128"""), Aborts("LLVM ERROR: Cannot select"), "22.1"),
    Fault("scalar-selects", "a select by the comparison of its operands becomes sfmin, which drops NaN", _function("""
        %x = load float, ptr %p, align 4
        %y = load float, ptr %q, align 4
        %less = fcmp olt float %x, %y
        %r = select i1 %less, float %x, float %y
        store float %r, ptr %out, align 4"""),
          Gives(1, (("f4", (1,)), ("f4", (float("nan"),))), ("f4", (float("nan"),))), "22.1"),
    Fault("zero-tests", "an equality with 0.0 compares bits: -0.0 is not 0.0", _function("""
        %x = load <32 x float>, ptr %p, align 128
        %zero = fcmp oeq <32 x float> %x, zeroinitializer
        %r = zext <32 x i1> %zero to <32 x i32>
        store <32 x i32> %r, ptr %out, align 128""", _TWO),
          Gives(32, (("f4", (-0.0, 0.0, 1e-40, float("nan"))),), ("i4", (1, 1, 0, 0))), "22.1"),
    Fault("bit-tests", "a truncation to i1 tests the lowest bit of every byte of a lane", _function(f"""
        {_WORDS}
        %odd = trunc <32 x i32> %x to <32 x i1>
        %more = icmp sgt <32 x i32> %x, %y
        %m = xor <32 x i1> %odd, %more
        %r = select <32 x i1> %m, <32 x i32> %x, <32 x i32> %y
        store <32 x i32> %r, ptr %out, align 128"""),
          Gives(32, (("i4", (1, 2, 65793, -1)), ("i4", (-1, 0, 127, 2))), ("i4", (-1, 2, 127, -1))), "22.1"),
    Fault("poison-halves", "the poison half of a vector is converted to qfloat too, from a register with an unrelated "
          "value", _function(f"""
        %x = load <32 x float>, ptr %p, align 128
        %y = fadd <32 x float> %x, splat (float 1.0)
        %w = shufflevector <32 x float> %y, <32 x float> poison, <64 x i32> <{_LANES}{", i32 poison" * 32}>
        %n = fptrunc <64 x float> %w to <64 x half>
        %r = shufflevector <64 x half> %n, <64 x half> poison, <32 x i32> <{_LANES}>
        store <32 x half> %r, ptr %out, align 128""", _TWO), Reports("float-kind"), "22.1"),
    Fault("store-order", "a scalar store is packed with an earlier vector store to the same bytes, and is executed "
          "first", "declare void @llvm.masked.store.v32i32.p0(<32 x i32>, ptr, <32 x i1>)\n" + _function("""
        %x = load <32 x i32>, ptr %p, align 128
        %m = icmp sgt <32 x i32> %x, zeroinitializer
        %two = load i64, ptr %p, align 8
        call void @llvm.masked.store.v32i32.p0(<32 x i32> splat (i32 5), ptr align 128 %out, <32 x i1> %m)
        store i64 %two, ptr %out, align 8""", _TWO),
          Gives(4, (("i4", (1, 2, 3, 4)),), ("i4", (1, 2, 5, 5))), "22.1"),
    Fault("bfloat-vectors-as-bits", "masked stores of bf16 are split into elements, and write twice as many",
          "declare void @llvm.masked.store.v64bf16.p0(<64 x bfloat>, ptr, <64 x i1>)\n" + _function("""
        %x = load <64 x bfloat>, ptr %p, align 128
        %i = load <64 x i16>, ptr %p, align 128
        %m = icmp sgt <64 x i16> %i, splat (i16 3)
        call void @llvm.masked.store.v64bf16.p0(<64 x bfloat> %x, ptr align 2 %out, <64 x i1> %m)""", _TWO),
          Gives(64, (("i2", (1, 9)),), ("i2", (0, 9))), "22.1"),
    Fault("-hvc-vi=false", "a product and a shift are computed at twice the width: the product no longer wraps",
          _function(f"""
        {_WORDS}
        %m = mul <32 x i32> %x, %y
        %r = lshr <32 x i32> %m, splat (i32 16)
        store <32 x i32> %r, ptr %out, align 128"""),
          Gives(32, (("i4", (65537,)), ("i4", (65537,))), ("i4", (2,))), "22.1"),
    Fault("shared-vectors", "neighbouring stores become stores of aligned vectors, which also write bytes after them",
          """define void @f(ptr %p, i32 %n) {
  %row = getelementptr i32, ptr %p, i32 %n
  store <128 x i32> splat (i32 7), ptr %row, align 4
  %next = getelementptr i8, ptr %row, i32 516
  store <128 x i32> splat (i32 7), ptr %next, align 4
  ret void
}
""", Found("shared-vectors"), "22.1"),
    Fault("qfloat-lifetimes", "a qfloat value is spilled to the stack, where its hidden bits are lost",
          """declare void @g()
declare <32 x i32> @llvm.hexagon.V6.vmpy.qf32.sf.128B(<32 x i32>, <32 x i32>)
declare <32 x i32> @llvm.hexagon.V6.vconv.sf.qf32.128B(<32 x i32>)
define void @f(ptr align 128 %p, ptr align 128 %out) {
entry:
  %x = load <32 x i32>, ptr %p, align 128
  %product = call <32 x i32> @llvm.hexagon.V6.vmpy.qf32.sf.128B(<32 x i32> %x, <32 x i32> %x)
  call void @g()
  br label %next
next:
  %r = call <32 x i32> @llvm.hexagon.V6.vconv.sf.qf32.128B(<32 x i32> %product)
  store <32 x i32> %r, ptr %out, align 128
  ret void
}
""", Found("qfloat-spills"), "22.1", chip="v79", qfloat=True, issue="llvm/llvm-project#204825"),
    Fault(CAUTIOUS, "the reuse of vectors between iterations expects an instruction after every phi of a vector",
          """define void @f(ptr align 128 %p, ptr align 128 %q, i32 %n) {
entry:
  %start = load <32 x i32>, ptr %q, align 128
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %c = phi <32 x i32> [ %start, %entry ], [ zeroinitializer, %loop ]
  %at = getelementptr <32 x i32>, ptr %p, i32 %i
  %old = load <32 x i32>, ptr %at, align 128
  %new = add <32 x i32> %old, %c
  store <32 x i32> %new, ptr %at, align 128
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
""", Aborts("", "over the backedge"), "22.1"),
)


def table() -> list[str]:
    """The faults as lines of a Markdown table."""
    rows = [f"| {fault.wrong} | {_shown(fault.symptom)} | `{fault.workaround}` | {fault.seen} | {fault.issue} |"
            for fault in FAULTS]
    return ["| what LLVM does | what is seen | worked around by | LLVM | issue |", "|---|---|---|---|---|", *rows]


def _shown(symptom: Aborts | Gives | Reports | Found) -> str:
    if isinstance(symptom, Aborts):
        return f"aborts: {symptom.message.removeprefix('LLVM ERROR: ') or symptom.contains}"
    if isinstance(symptom, Found):
        return f"the check `{symptom.check}` finds it in the assembly"
    return f"`--check` reports {symptom.rule}" if isinstance(symptom, Reports) else "wrong numbers"
