// CUDA's elementary functions in place of our own: an overload that is not a template is preferred. Included in
// namespace odes.

namespace math {
DEVICE float exp(float x) { return ::expf(x); }
DEVICE double exp(double x) { return ::exp(x); }
DEVICE float ln(float x) { return ::logf(x); }
DEVICE double ln(double x) { return ::log(x); }
DEVICE float sin(float x) { return ::sinf(x); }
DEVICE double sin(double x) { return ::sin(x); }
DEVICE float cos(float x) { return ::cosf(x); }
DEVICE double cos(double x) { return ::cos(x); }
DEVICE float tan(float x) { return ::tanf(x); }
DEVICE double tan(double x) { return ::tan(x); }
DEVICE float tanh(float x) { return ::tanhf(x); }
DEVICE double tanh(double x) { return ::tanh(x); }
DEVICE float powf(float x, float y) { return ::powf(x, y); }
DEVICE double powf(double x, double y) { return ::pow(x, y); }
DEVICE float exp2(float x) { return ::exp2f(x); }
DEVICE double exp2(double x) { return ::exp2(x); }
DEVICE float exp_m1(float x) { return ::expm1f(x); }
DEVICE double exp_m1(double x) { return ::expm1(x); }
DEVICE float ln_1p(float x) { return ::log1pf(x); }
DEVICE double ln_1p(double x) { return ::log1p(x); }
DEVICE float log2(float x) { return ::log2f(x); }
DEVICE double log2(double x) { return ::log2(x); }
DEVICE float log10(float x) { return ::log10f(x); }
DEVICE double log10(double x) { return ::log10(x); }
DEVICE float cbrt(float x) { return ::cbrtf(x); }
DEVICE double cbrt(double x) { return ::cbrt(x); }
DEVICE float asin(float x) { return ::asinf(x); }
DEVICE double asin(double x) { return ::asin(x); }
DEVICE float acos(float x) { return ::acosf(x); }
DEVICE double acos(double x) { return ::acos(x); }
DEVICE float atan(float x) { return ::atanf(x); }
DEVICE double atan(double x) { return ::atan(x); }
DEVICE float sinh(float x) { return ::sinhf(x); }
DEVICE double sinh(double x) { return ::sinh(x); }
DEVICE float cosh(float x) { return ::coshf(x); }
DEVICE double cosh(double x) { return ::cosh(x); }
DEVICE float asinh(float x) { return ::asinhf(x); }
DEVICE double asinh(double x) { return ::asinh(x); }
DEVICE float acosh(float x) { return ::acoshf(x); }
DEVICE double acosh(double x) { return ::acosh(x); }
DEVICE float atanh(float x) { return ::atanhf(x); }
DEVICE double atanh(double x) { return ::atanh(x); }
DEVICE float atan2(float y, float x) { return ::atan2f(y, x); }
DEVICE double atan2(double y, double x) { return ::atan2(y, x); }
DEVICE float hypot(float x, float y) { return ::hypotf(x, y); }
DEVICE double hypot(double x, double y) { return ::hypot(x, y); }
} // namespace math
