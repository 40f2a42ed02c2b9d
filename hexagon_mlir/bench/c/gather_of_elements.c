void gather_of_elements(const float *restrict table, const int *restrict numbers, float *restrict out) {
  for (int i = 0; i < 65536; i++) out[i] = table[numbers[i]];
}
