// HVX data movement: rotate, align, deal, shuffle, pack, tables, delta networks, element insertion.
#include "hvx.h"

int main(void) {
  HVX_Vector a = random_vector(), b = random_vector(), c = random_vector();
  for (int r = 1; r < 128; r = r * 3 + 1) {
    show("ror", Q6_V_vror_VR(a, r));
    show("align", Q6_V_valign_VVR(a, b, r));
    show("lalign", Q6_V_vlalign_VVR(a, b, r));
    show_pair("deal", Q6_W_vdeal_VVR(a, b, r));
    show_pair("shuff", Q6_W_vshuff_VVR(a, b, -r));
    show("splat", Q6_V_vsplat_R(r * 0x01010101));
    show("lut32", Q6_Vb_vlut32_VbVbR(a, b, r));
    show_pair("lut16", Q6_Wh_vlut16_VbVhR(a, b, r));
  }
  show("align#", Q6_V_valign_VVI(a, b, 3));
  show("deal.h", Q6_Vh_vdeal_Vh(a));
  show("shuff.b", Q6_Vb_vshuff_Vb(a));
  show("shuffe.h", Q6_Vh_vshuffe_VhVh(a, b));
  show("shuffo.b", Q6_Vb_vshuffo_VbVb(a, b));
  show_pair("shuffoe", Q6_Wh_vshuffoe_VhVh(a, b));
  show("packe.b", Q6_Vb_vpacke_VhVh(a, b));
  show("packo.h", Q6_Vh_vpacko_VwVw(a, b));
  show("delta", Q6_V_vdelta_VV(a, c));
  show("rdelta", Q6_V_vrdelta_VV(a, c));
  show("insert", Q6_Vw_vinsert_VwR(a, 0x12345678));
  printf("%08x\n", Q6_R_vextract_VR(a, 20));
  uint8_t bytes[512] __attribute__((aligned(128)));
  for (int i = 0; i < 512; i++) bytes[i] = (uint8_t)(i * 7 + (i >> 4));
  HVX_Vector odd;
  memcpy(&odd, bytes + 77, 128);
  show("unaligned", odd);
  memcpy(bytes + 201, &odd, 128);
  show("stored", *(HVX_Vector *)(bytes + 256));
  return 0;
}
