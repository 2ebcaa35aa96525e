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
} // namespace math
