// HVX dot products: vrmpy, vdmpy, vtmpy, vrsad forms, and an 8-bit matrix-vector product with rotations.
#include "hvx.h"

static int8_t weights[64][128] __attribute__((aligned(128)));
static uint8_t input[128] __attribute__((aligned(128)));

__attribute__((noinline)) static int32_t dot(const uint8_t *x, const int8_t *w) {
  HVX_Vector sums = Q6_Vw_vrmpy_VubVb(*(const HVX_Vector *)x, *(const HVX_Vector *)w);
  for (int shift = 64; shift >= 4; shift /= 2) sums = Q6_Vw_vadd_VwVw(sums, Q6_V_vror_VR(sums, shift));
  int32_t out[32] __attribute__((aligned(128)));
  *(HVX_Vector *)out = sums;
  return out[0];
}
int main(void) {
  HVX_Vector a = random_vector(), b = random_vector(), c = random_vector();
  HVX_VectorPair p = Q6_W_vcombine_VV(a, b);
  show("rmpy.ubb", Q6_Vw_vrmpy_VubVb(a, b));
  show("rmpyacc", Q6_Vw_vrmpyacc_VwVubRb(c, a, 0x01fe7f80));
  show("rmpy.ub", Q6_Vuw_vrmpy_VubVub(a, b));
  show_pair("rmpyi", Q6_Ww_vrmpy_WubRbI(p, 0x10203040, 1));
  show("dmpy.ub", Q6_Vh_vdmpy_VubRb(a, 0x11223344));
  show("dmpy.h", Q6_Vw_vdmpy_VhVh_sat(a, b));
  show("dmpyacc", Q6_Vw_vdmpyacc_VwVhRh_sat(c, a, 0x7fff8000));
  show_pair("tmpy", Q6_Wh_vtmpy_WubRb(p, 0x01020304));
  show_pair("dsad", Q6_Wuw_vdsad_WuhRuh(p, 0x12345678));
  show_pair("mpa", Q6_Wh_vmpa_WubRb(p, 0x01ff0280));
  for (int i = 0; i < 128; i++) input[i] = (uint8_t)(i * 29 + 7);
  for (int r = 0; r < 64; r++) for (int i = 0; i < 128; i++) weights[r][i] = (int8_t)(r * 11 + i * 5 - 3 * (r ^ i));
  int wrong = 0;
  uint32_t hash = 0;
  for (int r = 0; r < 64; r++) {
    int32_t fast = dot(input, weights[r]), slow = 0;
    for (int i = 0; i < 128; i++) slow += input[i] * weights[r][i];
    wrong += fast != slow;
    hash = hash * 31 + (uint32_t)fast;
  }
  printf("%d %08x\n", wrong, hash);
  return 0;
}
