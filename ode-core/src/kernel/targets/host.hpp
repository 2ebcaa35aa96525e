// Words of the prelude in C++ for a host's compiler, GCC or clang: one thread solves everything.

#include <cmath>
#include <cstring>

#define DEVICE inline __attribute__((always_inline))
#define COLD __attribute__((noinline, cold))
#define ELEMENTARY DEVICE
#define CONSTANT static constexpr
#define TABLE static constexpr
#define GLOBAL
#define UNROLL _Pragma("GCC unroll 64")
#define UNROLL_UNLESS(rolled) UNROLL
#define KERNEL(name, threads)                                         \
    extern "C" void name(                                             \
        const odes::KernelArguments<odes::Config::Number>* arguments, \
        const odes::Shared<odes::Config::Number>* shared              \
    ) {                                                               \
        odes::solve<odes::Config>(*arguments, *shared, 0u);           \
    }

typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;

namespace odes {

DEVICE u32 m_to_bits(float x) { u32 b; std::memcpy(&b, &x, 4); return b; }
DEVICE u64 m_to_bits(double x) { u64 b; std::memcpy(&b, &x, 8); return b; }
DEVICE float single_of_bits(u32 b) { float x; std::memcpy(&x, &b, 4); return x; }
DEVICE double double_of_bits(u64 b) { double x; std::memcpy(&x, &b, 8); return x; }

// GCC makes `fma(-a, b, -c)` of `-fma(a, b, c)`, which is a zero of the other sign where the operands
// cancel. It does not where it cannot see what is negated.
#if defined(__GNUC__) && !defined(__clang__) && (defined(__x86_64__) || defined(__aarch64__))
#define OPAQUE(x) __asm__("" : "+x"(x))
#else
#define OPAQUE(x)
#endif
DEVICE float m_mul_add(float a, float b, float c) {
    float fused = __builtin_fmaf(a, b, c);
    OPAQUE(fused);
    return fused;
}
DEVICE double m_mul_add(double a, double b, double c) {
    double fused = __builtin_fma(a, b, c);
    OPAQUE(fused);
    return fused;
}
DEVICE float m_sqrt(float x) { return std::sqrt(x); }
DEVICE double m_sqrt(double x) { return std::sqrt(x); }
DEVICE float m_round_even(float x) { return std::nearbyint(x); }
DEVICE double m_round_even(double x) { return std::nearbyint(x); }
DEVICE float m_floor(float x) { return std::floor(x); }
DEVICE double m_floor(double x) { return std::floor(x); }
DEVICE float m_abs(float x) { return std::fabs(x); }
DEVICE double m_abs(double x) { return std::fabs(x); }
DEVICE float m_copysign(float x, float s) { return std::copysign(x, s); }
DEVICE double m_copysign(double x, double s) { return std::copysign(x, s); }
template<class R> DEVICE R larger(R a, R b) { return a > b ? a : b; }
template<class R> DEVICE R smaller(R a, R b) { return a < b ? a : b; }

// Conversions of what does not fit are undefined.
template<class R> DEVICE int nearest_index(R x, int last) {
    return x > 0 ? (x < last ? (int)x : last) : 0;
}
template<class R> DEVICE R m_reciprocal(R x) { return m_mul_add(x, R(0), R(1) / x); }

DEVICE void converge() {}
DEVICE u32 votes(bool lane) { return lane ? 1u : 0u; }
DEVICE u32 next_of(u32* counter) { return (*counter)++; }

} // namespace odes
