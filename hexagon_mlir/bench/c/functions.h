// What the kernels would take from math.h, in a form that a vectorizer can use: polynomials, and Newton's method from a
// first guess by the bits of a float. No division: LLVM computes one for HVX a lane at a time.

typedef _Float16 half;
typedef signed char byte;

static inline int bits_of(float x) {
  int bits;
  __builtin_memcpy(&bits, &x, 4);
  return bits;
}

static inline float of_bits(int bits) {
  float x;
  __builtin_memcpy(&x, &bits, 4);
  return x;
}

// A whole number in the order of the floats, and back: HVX has reductions of whole numbers only.
static inline int ordered(float x) {
  int bits = bits_of(x);
  return bits ^ ((bits >> 31) & 0x7fffffff);
}

static inline float of_ordered(int number) { return of_bits(number ^ ((number >> 31) & 0x7fffffff)); }

static inline float least(float x, float y) { return x < y ? x : y; }
static inline float largest(float x, float y) { return x > y ? x : y; }
static inline float magnitude(float x) { return of_bits(bits_of(x) & 0x7fffffff); }

// exp(x), relative error 3e-7; exp(-87) below -87. Adding 1.5 * 2^23 rounds to a whole number in the last bits. The
// coefficients are a least-squares fit of 2^f for |f| <= 1/2.
static inline float exponential(float x) {
#pragma clang fp reassociate(off)
  float t = largest(least(x, 88.0f), -87.0f) * 1.44269504f;
  float shifted = t + 12582912.0f;
  float f = t - (shifted - 12582912.0f);
  float p = 1.32669799e-3f;
  p = p * f + 9.6754694e-3f;
  p = p * f + 5.55074268e-2f;
  p = p * f + 2.40221216e-1f;
  p = p * f + 6.93146949e-1f;
  p = p * f + 1.0f;
  return of_bits(bits_of(p) + (bits_of(shifted) << 23));
}

// 1 / x, relative error 2e-7; not for zeros, infinities and denormals.
static inline float reciprocal(float x) {
  float r = of_bits(0x7ef311c7 - bits_of(x));
  r = r * (2.0f - x * r);
  r = r * (2.0f - x * r);
  return r * (2.0f - x * r);
}

// 1 / sqrt(x) of positive x.
static inline float reciprocal_root(float x) {
  float r = of_bits(0x5f3759df - (bits_of(x) >> 1));
  r = r * (1.5f - 0.5f * x * r * r);
  r = r * (1.5f - 0.5f * x * r * r);
  return r * (1.5f - 0.5f * x * r * r);
}

// x * (1 + erf(x / sqrt(2))) / 2; erf by formula 7.1.26 of Abramowitz and Stegun, absolute error 1.5e-7.
static inline float gelu_of(float x) {
  float z = magnitude(x) * 0.70710678f;
  float t = reciprocal(1.0f + 0.3275911f * z);
  float p = 1.061405429f;
  p = p * t - 1.453152027f;
  p = p * t + 1.421413741f;
  p = p * t - 0.284496736f;
  p = p * t + 0.254829592f;
  float tail = 0.5f * p * t * exponential(-z * z);  // of the normal distribution, beyond |x|
  return largest(x, 0.0f) - magnitude(x) * tail;
}
