// HVX predicates: comparisons, masks, selection, conditional sums and stores, prefix masks, carries.
#include "hvx.h"

int main(void) {
  HVX_Vector a = random_vector(), b = random_vector(), c = random_vector();
  HVX_VectorPred gt = Q6_Q_vcmp_gt_VwVw(a, b), eq = Q6_Q_vcmp_eq_VbVb(Q6_V_vand_VV(a, Q6_V_vsplat_R(0x03030303)), Q6_V_vand_VV(b, Q6_V_vsplat_R(0x03030303)));
  show("gt", Q6_V_vand_QR(gt, 0x01010101));
  show("eq", Q6_V_vand_QR(eq, 0x08040201));
  show("gtub", Q6_V_vand_QR(Q6_Q_vcmp_gt_VubVub(a, b), -1));
  show("and", Q6_V_vand_QR(Q6_Q_and_QQ(gt, eq), -1));
  show("or.n", Q6_V_vand_QR(Q6_Q_or_QQn(gt, eq), -1));
  show("xor", Q6_V_vand_QR(Q6_Q_xor_QQ(gt, eq), -1));
  show("not", Q6_V_vand_QR(Q6_Q_not_Q(gt), -1));
  show("cmpacc", Q6_V_vand_QR(Q6_Q_vcmp_gtand_QVhVh(eq, a, c), -1));
  show("mux", Q6_V_vmux_QVV(gt, a, b));
  show_pair("swap", Q6_W_vswap_QVV(gt, a, b));
  show("condadd", Q6_Vw_condacc_QVwVw(gt, a, b));
  show("condnac", Q6_Vh_condnac_QnVhVh(eq, a, b));
  for (int n = 0; n < 129; n += 31) {
    show("setq", Q6_V_vand_QR(Q6_Q_vsetq_R(n), -1));
    show("setq2", Q6_V_vand_QR(Q6_Q_vsetq2_R(n), -1));
  }
  HVX_Vector memory[2] = {c, c};
  Q6_vmem_QRIV(gt, &memory[0], a);
  Q6_vmem_QnRIV(eq, &memory[1], b);
  show("stored", memory[0]);
  show("stored", memory[1]);
  show("vandvq", Q6_V_vand_QV(gt, a));
  show("vandvnq", Q6_V_vand_QnV(gt, a));
  HVX_VectorPred carry = Q6_Q_vsetq_R(64);
  HVX_Vector sum = Q6_Vw_vadd_VwVwQ_carry(a, b, &carry);
  show("sum", sum);
  show("carry", Q6_V_vand_QR(carry, -1));
  HVX_VectorPred any = Q6_Q_vand_VR(a, 0x10101010);
  show("vandvr", Q6_V_vand_QR(any, -1));
  show("prefix", Q6_Vw_prefixsum_Q(gt));
  show("prefixb", Q6_Vb_prefixsum_Q(eq));
  return 0;
}
