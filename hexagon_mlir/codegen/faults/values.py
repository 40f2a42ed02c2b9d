"""Operations that LLVM selects other instructions for than they mean."""

from __future__ import annotations

from hexagon_mlir.codegen.faults.record import LANES, TWO, WORDS, Fault, Gives, Reports, function

VALUES = (
    Fault("scalar-selects", "a select by the comparison of its operands becomes sfmin, which drops NaN", function("""
        %x = load float, ptr %p, align 4
        %y = load float, ptr %q, align 4
        %less = fcmp olt float %x, %y
        %r = select i1 %less, float %x, float %y
        store float %r, ptr %out, align 4"""),
          Gives(1, (("f4", (1,)), ("f4", (float("nan"),))), ("f4", (float("nan"),))), "22.1"),
    Fault("zero-tests", "an equality with 0.0 compares bits: -0.0 is not 0.0", function("""
        %x = load <32 x float>, ptr %p, align 128
        %zero = fcmp oeq <32 x float> %x, zeroinitializer
        %r = zext <32 x i1> %zero to <32 x i32>
        store <32 x i32> %r, ptr %out, align 128""", TWO),
          Gives(32, (("f4", (-0.0, 0.0, 1e-40, float("nan"))),), ("i4", (1, 1, 0, 0))), "22.1"),
    Fault("bit-tests", "a truncation to i1 tests the lowest bit of every byte of a lane", function(f"""
        {WORDS}
        %odd = trunc <32 x i32> %x to <32 x i1>
        %more = icmp sgt <32 x i32> %x, %y
        %m = xor <32 x i1> %odd, %more
        %r = select <32 x i1> %m, <32 x i32> %x, <32 x i32> %y
        store <32 x i32> %r, ptr %out, align 128"""),
          Gives(32, (("i4", (1, 2, 65793, -1)), ("i4", (-1, 0, 127, 2))), ("i4", (-1, 2, 127, -1))), "22.1"),
    Fault("poison-halves", "the poison half of a vector is converted to qfloat too, from a register with an unrelated "
          "value", function(f"""
        %x = load <32 x float>, ptr %p, align 128
        %y = fadd <32 x float> %x, splat (float 1.0)
        %w = shufflevector <32 x float> %y, <32 x float> poison, <64 x i32> <{LANES}{", i32 poison" * 32}>
        %n = fptrunc <64 x float> %w to <64 x half>
        %r = shufflevector <64 x half> %n, <64 x half> poison, <32 x i32> <{LANES}>
        store <32 x half> %r, ptr %out, align 128""", TWO), Reports("float-kind"), "22.1"),
    Fault("-hvc-vi=false", "a product and a shift are computed at twice the width: the product no longer wraps",
          function(f"""
        {WORDS}
        %m = mul <32 x i32> %x, %y
        %r = lshr <32 x i32> %m, splat (i32 16)
        store <32 x i32> %r, ptr %out, align 128"""),
          Gives(32, (("i4", (65537,)), ("i4", (65537,))), ("i4", (2,))), "22.1"),
)
