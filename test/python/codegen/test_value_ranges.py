"""`value_ranges`: which sums surely did not cancel."""

import math

import pytest

from hexagon_mlir.codegen.hvx.value_ranges import Ranges
from hexagon_mlir.llvmir import parse_line

MAGIC = "splat (float 0x4168000000000000)"  # 1.5 * 2^23


class TestRanges:
    def normal(self, *lines):
        ranges = Ranges()
        for line in lines:
            ranges.visit(parse_line("  " + line.replace("TYPE", "<32 x float>")))
        return ranges

    def test_a_difference_may_cancel(self):
        assert "%a" not in self.normal("%a = fsub TYPE %x, %y").normal

    def test_small_beside_large_does_not(self):
        ranges = self.normal("%n = call TYPE @llvm.fabs.v32f32(TYPE %x)", "%a = fadd TYPE %n, splat (float 1.0)",
                             "%b = fsub TYPE %n, splat (float 1.0)")
        assert "%a" in ranges.normal and "%b" not in ranges.normal

    def test_reduced_argument_of_exp_is_bounded(self):
        ranges = self.normal(
            "%y = fmul TYPE %x, splat (float 0x3FF7154760000000)", f"%t = fadd TYPE %y, {MAGIC}",
            f"%n = fsub TYPE %t, {MAGIC}", "%h = fmul TYPE %n, splat (float 0x3FE6300000000000)",
            "%a = fsub TYPE %x, %h", "%l = fmul TYPE %n, splat (float 0xBF2BD01060000000)", "%r = fsub TYPE %a, %l",
            "%p = fmul TYPE %r, splat (float 0x3FC5554920000000)", "%s = fadd TYPE %p, splat (float 0.5)")
        low, high = ranges.interval("%r")
        assert -0.74 < low < -0.34 and 0.34 < high < 0.74  # no even significand: off by a whole unit
        assert {"%t", "%s"} <= ranges.normal  # M + y, 1/2 + r/6
        assert not {"%n", "%a", "%r"} & ranges.normal

    @pytest.mark.parametrize(("integer", "low", "high"), [
        (("%i = and <32 x i32> %a, splat (i32 255)",), 0, 255),
        (("%b = and <32 x i32> %a, splat (i32 255)", "%i = sub <32 x i32> splat (i32 10), %b"), -245, 10),
        (("%b = ashr <32 x i32> %a, splat (i32 24)", "%i = mul <32 x i32> %b, splat (i32 -3)"), -381, 384),
        (("%b = ashr <32 x i32> %a, splat (i32 24)", "%i = shl <32 x i32> %b, splat (i32 7)"), -16384, 16256),
        (("%b = lshr <32 x i32> %a, splat (i32 30)", "%c = ashr <32 x i32> %d, splat (i32 31)",
          "%i = add <32 x i32> %b, %c"), -1, 3),
        (("%b = lshr <32 x i32> %a, splat (i32 1)", "%i = sub <32 x i32> splat (i32 -2), %b"), -2.0**31, 2.0**31 - 1),
        (("%b = and <32 x i32> %a, splat (i32 255)", "%i = add <32 x i32> %b, splat (i32 -128)"), -128, 127),
        (("%i = ashr <32 x i32> %a, splat (i32 24)",), -128, 127),
        (("%i = lshr <32 x i32> %a, splat (i32 24)",), 0, 255),
        (("%i = zext <32 x i16> %a to <32 x i32>",), 0, 65535),
        (("%i = sext <32 x i16> %a to <32 x i32>",), -32768, 32767),
        (("%i = and <32 x i32> %a, splat (i32 -256)",), -2.0**31, 2.0**31 - 1),
        (("%b = lshr <32 x i32> %a, splat (i32 1)", "%i = add <32 x i32> %b, splat (i32 1)"), -2.0**31, 2.0**31 - 1),
    ])
    def test_converted_integers_of_few_bits(self, integer, low, high):
        ranges = self.normal(*integer, "%f = sitofp <32 x i32> %i to TYPE")
        assert ranges.interval("%f") == (low, high)

    def test_a_converted_fraction_beside_a_larger_constant_does_not_cancel(self):
        ranges = self.normal(
            "%b = and <32 x i32> %a, splat (i32 8388607)", "%i = add <32 x i32> %b, splat (i32 -4194304)",
            "%f = sitofp <32 x i32> %i to TYPE", "%s = fmul TYPE %f, splat (float 0x3E80000000000000)",
            "%h = fadd TYPE %s, splat (float 1.0)", "%c = fadd TYPE %s, splat (float 0.5)")
        assert ranges.interval("%s") == (-0.5, 4194303 / 2**23)
        assert "%h" in ranges.normal and "%c" not in ranges.normal

    @pytest.mark.parametrize(("type_", "integer", "low", "high"), [
        ("<32 x float>", ("%b = lshr <32 x i32> %a, splat (i32 3)",
                          "%i = sub <32 x i32> splat (i32 1065353216), %b"), 2.0**-64, 1.0),
        ("<64 x half>", ("%b = and <64 x i16> %a, splat (i16 32767)", "%i = call <64 x i16> @llvm.smin.v64i16("
                         "<64 x i16> %b, <64 x i16> splat (i16 17869))"), 0.0, 5.80078125),
        ("<64 x half>", ("%b = and <64 x i16> %a, splat (i16 32767)", "%i = add <64 x i16> %b, splat (i16 1)"),
         -math.inf, math.inf),
        ("<32 x float>", ("%i = lshr <32 x i32> %a, splat (i32 1)",), -math.inf, math.inf),
        ("<32 x float>", ("%i = ashr <32 x i32> %a, splat (i32 9)",), -math.inf, math.inf),
    ])
    def test_bits_of_positive_floats(self, type_, integer, low, high):
        """Sums of 16 bits wrap; a pattern that may be infinity, NaN or negative has no bounds."""
        ranges = self.normal(*integer, f"%f = bitcast {type_.replace('float', 'i32').replace('half', 'i16')} %i "
                                       f"to {type_}")
        assert ranges.interval("%f") == pytest.approx((low, high))

    @pytest.mark.parametrize(("number", "factor"), [(8388608, 2.0), (-16777216, 0.25), (8388609, None)])
    def test_an_exponent_that_is_added_is_a_factor(self, number, factor):
        ranges = self.normal(
            "%b = and <32 x i32> %a, splat (i32 1023)", "%f = sitofp <32 x i32> %b to TYPE",
            "%i = bitcast TYPE %f to <32 x i32>", f"%j = add <32 x i32> %i, splat (i32 {number})",
            "%s = bitcast <32 x i32> %j to TYPE")
        assert ranges.interval("%s") == ((0, 1023 * factor) if factor else (-math.inf, math.inf))

    def test_rounding_in_fixed_point(self):
        ranges = self.normal(
            "%y = fmul TYPE %x, splat (float 0x4167154760000000)", "%f = fptosi TYPE %y to <32 x i32>",
            "%a = add <32 x i32> %f, splat (i32 4194304)", "%m = and <32 x i32> %a, splat (i32 -8388608)",
            "%s = ashr <32 x i32> %m, splat (i32 23)", "%b = add <32 x i32> %s, splat (i32 1262485504)",
            "%z = bitcast <32 x i32> %b to TYPE", f"%n = fsub TYPE %z, {MAGIC}",
            "%h = fmul TYPE %n, splat (float 0x3FE62E42E0000000)", "%r = fsub TYPE %x, %h",
            "%w = and <32 x i32> %f, splat (i32 8388607)", "%v = or <32 x i32> %w, splat (i32 1065353216)",
            "%u = bitcast <32 x i32> %v to TYPE")
        low, high = ranges.interval("%r")
        assert -0.74 < low < -0.34 and 0.34 < high < 0.74  # no even significand: off by a whole unit
        assert ranges.interval("%u") == (1.0, 2.0)

    def test_newton_steps_of_a_reciprocal(self):
        ranges = self.normal(
            "%b = bitcast TYPE %d to <32 x i32>", "%s = sub <32 x i32> splat (i32 2129859015), %b",
            "%z = bitcast <32 x i32> %s to TYPE", "%m = fmul TYPE %d, %z", "%t = fsub TYPE splat (float 2.0), %m",
            "%z2 = fmul TYPE %z, %t", "%m2 = fmul TYPE %d, %z2", "%e = fsub TYPE splat (float 1.0), %m2")
        assert "%t" in ranges.normal  # 2 - 1
        assert "%e" not in ranges.normal  # 1 - 1

    def test_newton_steps_from_the_bits_of_a_selected_divisor(self):
        """LLVM moves a change of sign into the select before it: the divisor is shown from integers."""
        ranges = self.normal(
            "%b = select <32 x i1> %q, <32 x i32> %i, <32 x i32> splat (i32 2113929216)",
            "%m = bitcast <32 x i32> %b to TYPE", "%s = sub <32 x i32> splat (i32 -17623609), %b",
            "%z = bitcast <32 x i32> %s to TYPE", "%p = fmul TYPE %m, %z", "%t = fadd TYPE %p, splat (float 2.0)",
            "%u = fmul TYPE %p, %t", "%v = fadd TYPE %u, splat (float 2.0)")
        assert {"%t", "%v"} <= ranges.normal

    def test_the_sign_of_an_exponential(self):
        ranges = self.normal(
            "%n = call TYPE @llvm.fabs.v32f32(TYPE %x)", "%p = fadd TYPE %n, splat (float 1.0)",
            "%b = bitcast TYPE %p to <32 x i32>", "%k = shl <32 x i32> %i, splat (i32 23)",
            "%c = add <32 x i32> %b, %k", "%e = bitcast <32 x i32> %c to TYPE", "%d = fadd TYPE %e, splat (float 1.0)")
        assert "%d" in ranges.normal

    def test_the_same_value_twice(self):
        ranges = self.normal("%s = fmul TYPE %x, %x", "%d = fadd TYPE %s, splat (float 1.0)")
        assert "%d" in ranges.normal
