// HVX integer arithmetic: wrapping and saturating sums, averages, differences, products, shifts, narrowing.
#include "hvx.h"

int main(void) {
  HVX_Vector a = random_vector(), b = random_vector(), c = random_vector();
  for (int round = 0; round < 2; round++) {
    show("add.b", Q6_Vb_vadd_VbVb(a, b));
    show("add.h", Q6_Vh_vadd_VhVh(a, b));
    show("add.w", Q6_Vw_vadd_VwVw(a, b));
    show("add.ub:s", Q6_Vub_vadd_VubVub_sat(a, b));
    show("add.h:s", Q6_Vh_vadd_VhVh_sat(a, b));
    show("add.w:s", Q6_Vw_vadd_VwVw_sat(a, b));
    show("sub.uh:s", Q6_Vuh_vsub_VuhVuh_sat(a, b));
    show("avg.h:r", Q6_Vh_vavg_VhVh_rnd(a, b));
    show("navg.ub", Q6_Vb_vnavg_VubVub(a, b));
    show("absdiff", Q6_Vub_vabsdiff_VubVub(a, b));
    show("abs.h:s", Q6_Vh_vabs_Vh_sat(a));
    show("max.w", Q6_Vw_vmax_VwVw(a, b));
    show("min.ub", Q6_Vub_vmin_VubVub(a, b));
    show_pair("mpy.h", Q6_Ww_vmpy_VhVh(a, b));
    show_pair("mpy.ub", Q6_Wuh_vmpy_VubVub(a, b));
    show("mpyi.h", Q6_Vh_vmpyi_VhVh(a, b));
    show("mpyie.w", Q6_Vw_vmpyieacc_VwVwVuh(c, a, b));
    show("mpy:rnd", Q6_Vh_vmpy_VhVh_s1_rnd_sat(a, b));
    show("asl.w", Q6_Vw_vasl_VwR(a, 5 + round));
    show("lsr.uh", Q6_Vuh_vlsr_VuhR(a, 3 + round));
    show("asr.wv", Q6_Vw_vasr_VwVw(a, b));
    show("asr.n", Q6_Vh_vasr_VwVwR_rnd_sat(a, b, 7 + round));
    show("asrhub", Q6_Vub_vasr_VhVhR_rnd_sat(a, b, 4));
    show_pair("unpack.b", Q6_Wh_vunpack_Vb(a));
    show("pack.h", Q6_Vh_vpack_VwVw_sat(a, b));
    show("sat.hub", Q6_Vub_vsat_VhVh(a, b));
    show("cl0.w", Q6_Vuw_vcl0_Vuw(a));
    show("popcount", Q6_Vh_vpopcount_Vh(a));
    show("normamt", Q6_Vw_vnormamt_Vw(a));
    a = Q6_V_vxor_VV(a, c);
    b = Q6_Vw_vadd_VwVw(b, c);
  }
  return 0;
}
