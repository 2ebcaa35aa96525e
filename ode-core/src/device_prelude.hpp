// What lane programs translated from Rust stand on: numbers of one lane.
//
// Compiled by NVRTC for a GPU thread, and by a host C++ compiler in tests. The two differ in the
// macros below and in nothing else, so that a test on the host is a test of the translation.
// Products and sums are never contracted here (--fmad=false, -ffp-contract=off): fused operations
// are written where they are meant.

#if defined(__CUDACC_RTC__) || defined(__CUDACC__)
#define DEVICE __device__ __forceinline__
#define COLD __device__ __noinline__
// Elementary functions: called where there are many, which takes less time to compile.
#ifdef MANY_FUNCTIONS
#define ELEMENTARY __device__ __noinline__
#else
#define ELEMENTARY DEVICE
#endif
#define CONSTANT __device__ constexpr
// Arrays of f64. Where numbers are f64 they lie in constant memory, and their elements are operands;
// as immediates they would take two more instructions each (measured at 5% of a step). Where numbers
// are f32 they are immediates, converted by the compiler.
#ifdef NUMBER_IS_DOUBLE
#define TABLE __constant__
#else
#define TABLE __device__ constexpr
#endif
#define PRAGMA(text) _Pragma(#text)
#define UNROLL _Pragma("unroll")
// More rounds than any unrolled loop has.
#define UNROLL_UNLESS(rolled) PRAGMA(unroll((rolled) ? 1 : 4096))
#define ON_DEVICE 1
#else
#include <cmath>
#include <cstring>
#define DEVICE inline __attribute__((always_inline))
#define COLD __attribute__((noinline, cold))
#define ELEMENTARY DEVICE
#define CONSTANT static constexpr
#define TABLE static constexpr
#define UNROLL _Pragma("GCC unroll 64")
#define UNROLL_UNLESS(rolled) UNROLL
#define ON_DEVICE 0
#endif

typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;

namespace odes {

// Arrays by value.
template<class T, int N> struct Arr {
    T at[N > 0 ? N : 1];
    DEVICE T& operator[](int i) { return at[i]; }
    DEVICE const T& operator[](int i) const { return at[i]; }
};
template<int N, class T> DEVICE Arr<T, N> repeat(T x) {
    Arr<T, N> out;
    UNROLL for (int i = 0; i < N; i++) out.at[i] = x;
    return out;
}
template<class T, class... Rest> DEVICE Arr<T, 1 + (int)sizeof...(Rest)> array(T first, Rest... rest) {
    return {{first, rest...}};
}

// Bit patterns.
DEVICE u32 as_bits(float x) {
#if ON_DEVICE
    return __float_as_uint(x);
#else
    u32 b; std::memcpy(&b, &x, 4); return b;
#endif
}
DEVICE u64 as_bits(double x) {
#if ON_DEVICE
    return (u64)__double_as_longlong(x);
#else
    u64 b; std::memcpy(&b, &x, 8); return b;
#endif
}
DEVICE float as_float(u32 b) {
#if ON_DEVICE
    return __uint_as_float(b);
#else
    float x; std::memcpy(&x, &b, 4); return x;
#endif
}
DEVICE double as_double(u64 b) {
#if ON_DEVICE
    return __longlong_as_double((long long)b);
#else
    double x; std::memcpy(&x, &b, 8); return x;
#endif
}

// Arithmetic. The host's names are in std, the device's are built in.
#if ON_DEVICE
DEVICE float m_mul_add(float a, float b, float c) { return __fmaf_rn(a, b, c); }
DEVICE double m_mul_add(double a, double b, double c) { return __fma_rn(a, b, c); }
DEVICE float m_sqrt(float x) { return __fsqrt_rn(x); }
DEVICE double m_sqrt(double x) { return __dsqrt_rn(x); }
DEVICE float m_round_even(float x) { return rintf(x); }
DEVICE double m_round_even(double x) { return rint(x); }
DEVICE float m_floor(float x) { return floorf(x); }
DEVICE double m_floor(double x) { return floor(x); }
DEVICE float m_abs(float x) { return fabsf(x); }
DEVICE double m_abs(double x) { return fabs(x); }
DEVICE float m_copysign(float x, float s) { return copysignf(x, s); }
DEVICE double m_copysign(double x, double s) { return copysign(x, s); }
// One instruction where `a > b ? a : b` is two; equal to it as far as Real promises.
DEVICE float larger(float a, float b) { return fmaxf(a, b); }
DEVICE double larger(double a, double b) { return a > b ? a : b; }
DEVICE float smaller(float a, float b) { return fminf(a, b); }
DEVICE double smaller(double a, double b) { return a < b ? a : b; }
#else
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
#endif

// Tables that are looked up lie in global memory, and are read through the read-only cache: where lanes
// of a warp read different addresses, constant memory serves one after the other. A lookup is three
// instructions: convert, clamp, load.
//
// The nearest index, of `last + 1` of them, to an integer; of a NaN the first. Conversions saturate on a
// device, and are undefined on a host.
#if ON_DEVICE
DEVICE int nearest_index(float x, int last) { return max(0, min(__float2int_rz(x), last)); }
DEVICE int nearest_index(double x, int last) { return max(0, min(__double2int_rz(x), last)); }
#else
template<class R> DEVICE int nearest_index(R x, int last) {
    return x > 0 ? (x < last ? (int)x : last) : 0;
}
#endif

// A division without its branch: an approximation by the device, and two iterations, the last of which
// rounds correctly (all numbers of f32 and 2^34 of f64, the worst ones among them, were compared). Numbers
// beyond the bounds have no reciprocal.
#if ON_DEVICE
DEVICE float m_reciprocal(float x) {
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    r = __fmaf_rn(r, __fmaf_rn(-x, r, 1.0f), r);
    return (as_bits(x) << 1) - 0x02000000u < 0xfa000000u ? r : as_float(0x7fc00000u);
}
DEVICE double m_reciprocal(double x) {
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    u32 upper = (u32)(as_bits(x) >> 32);
    // As the device's own division begins. With zeros in the lower half, what follows is a unit off where
    // all bits of the mantissa are ones.
    r = as_double((as_bits(r) & 0xffffffff00000000ull) | (upper + 0x300402u));
    double e = __fma_rn(-x, r, 1.0);
    r = __fma_rn(r, __fma_rn(e, e, e), r);
    r = __fma_rn(r, __fma_rn(-x, r, 1.0), r);
    return (upper << 1) - 0x00400000u < 0xff400000u ? r : as_double(0x7ff8000000000000ull);
}
#else
template<class R> DEVICE R m_reciprocal(R x) { return m_mul_add(x, R(0), R(1) / x); }
#endif
template<class R> DEVICE R m_neg_mul_add(R a, R b, R c) { return m_mul_add(-a, b, c); }

DEVICE bool m_lt(float a, float b) { return a < b; }
DEVICE bool m_lt(double a, double b) { return a < b; }
DEVICE bool m_le(float a, float b) { return a <= b; }
DEVICE bool m_le(double a, double b) { return a <= b; }
DEVICE bool m_gt(float a, float b) { return a > b; }
DEVICE bool m_gt(double a, double b) { return a > b; }
DEVICE bool m_ge(float a, float b) { return a >= b; }
DEVICE bool m_ge(double a, double b) { return a >= b; }
DEVICE bool m_equals(float a, float b) { return a == b; }
DEVICE bool m_equals(double a, double b) { return a == b; }
DEVICE bool m_equals(u32 a, u32 b) { return a == b; }
DEVICE bool m_equals(u64 a, u64 b) { return a == b; }
DEVICE bool m_less_than(u32 a, u32 b) { return a < b; }
DEVICE bool m_less_than(u64 a, u64 b) { return a < b; }
DEVICE float m_min(float a, float b) { return a < b ? a : b; }
DEVICE double m_min(double a, double b) { return a < b ? a : b; }
DEVICE float m_max(float a, float b) { return a > b ? a : b; }
DEVICE double m_max(double a, double b) { return a > b ? a : b; }
template<class R> DEVICE R m_max_magnitude(R a, R b) { return larger(m_abs(a), m_abs(b)); }
template<class R> DEVICE R m_at_most(R a, R cap) { return smaller(a, cap); }
template<class R> DEVICE R m_at_least(R a, R floor) { return larger(a, floor); }
DEVICE u32 m_to_bits(float x) { return as_bits(x); }
DEVICE u64 m_to_bits(double x) { return as_bits(x); }
// `fabs` may return a NaN of either sign.
DEVICE float m_bits_to_single(float x) { return (float)(i32)(as_bits(x) & 0x7fffffffu); }
DEVICE float m_bits_to_single(double x) { return (float)(i32)((u32)(as_bits(x) >> 32) & 0x7fffffffu); }
DEVICE float m_to_single(float x) { return x; }
DEVICE float m_to_single(double x) { return (float)x; }
DEVICE bool m_any(bool m) { return m; }
DEVICE u32 m_wrapping_add(u32 a, u32 b) { return a + b; }
DEVICE u64 m_wrapping_add(u64 a, u64 b) { return a + b; }
DEVICE u32 m_wrapping_sub(u32 a, u32 b) { return a - b; }
DEVICE u64 m_wrapping_sub(u64 a, u64 b) { return a - b; }
template<int BY> DEVICE u32 m_shl(u32 a) { return a << BY; }
template<int BY> DEVICE u64 m_shl(u64 a) { return a << BY; }
template<int BY> DEVICE u32 m_shr(u32 a) { return a >> BY; }
template<int BY> DEVICE u64 m_shr(u64 a) { return a >> BY; }

// `&` of two bool is an int in C++, and `~` of a bool is never false.
DEVICE constexpr bool op_and(bool a, bool b) { return a && b; }
DEVICE constexpr bool op_or(bool a, bool b) { return a || b; }
DEVICE constexpr bool op_xor(bool a, bool b) { return a != b; }
DEVICE constexpr bool op_not(bool a) { return !a; }
DEVICE constexpr u32 op_and(u32 a, u32 b) { return a & b; }
DEVICE constexpr u32 op_or(u32 a, u32 b) { return a | b; }
DEVICE constexpr u32 op_xor(u32 a, u32 b) { return a ^ b; }
DEVICE constexpr u32 op_not(u32 a) { return ~a; }
DEVICE constexpr u64 op_and(u64 a, u64 b) { return a & b; }
DEVICE constexpr u64 op_or(u64 a, u64 b) { return a | b; }
DEVICE constexpr u64 op_xor(u64 a, u64 b) { return a ^ b; }
DEVICE constexpr u64 op_not(u64 a) { return ~a; }

// The static items of the traits.
template<class M> struct Mask;
template<> struct Mask<bool> {
    static DEVICE bool splat(bool x) { return x; }
};
template<class B> struct Bits;
template<> struct Bits<u32> {
    static DEVICE u32 lit(u64 x) { return (u32)x; }
    static DEVICE u32 select(bool m, u32 a, u32 b) { return m ? a : b; }
};
template<> struct Bits<u64> {
    static DEVICE u64 lit(u64 x) { return x; }
    static DEVICE u64 select(bool m, u64 a, u64 b) { return m ? a : b; }
};
template<class R> struct Real;
template<> struct Real<float> {
    typedef bool Mask;
    typedef u32 Bits;
    typedef float Single;
    static constexpr int LANES = 1;
    static constexpr bool DOUBLE = false;
    static DEVICE float lit(double x) { return (float)x; }
    template<int N, int K> static DEVICE Arr<Arr<float, N>, K> blank() { Arr<Arr<float, N>, K> out; return out; }
    static DEVICE float lit_of(double, double x) { return (float)x; }
    static DEVICE float select(bool m, float a, float b) { return m ? a : b; }
    static DEVICE float from_bits(u32 b) { return as_float(b); }
    static DEVICE float single_to_bits(float x) { return as_float((u32)(i32)x); }
    static DEVICE float from_single(float x) { return x; }
    static DEVICE bool single_mask(bool m) { return m; }
    template<int L> static DEVICE float lookup(const float (&table)[L], float index) {
        return table[nearest_index(index, L - 1)];
    }
};
template<> struct Real<double> {
    typedef bool Mask;
    typedef u64 Bits;
    typedef float Single;
    static constexpr int LANES = 1;
    static constexpr bool DOUBLE = true;
    static DEVICE double lit(double x) { return x; }
    template<int N, int K> static DEVICE Arr<Arr<double, N>, K> blank() { Arr<Arr<double, N>, K> out; return out; }
    static DEVICE double lit_of(double x, double) { return x; }
    static DEVICE double select(bool m, double a, double b) { return m ? a : b; }
    static DEVICE double from_bits(u64 b) { return as_double(b); }
    static DEVICE double single_to_bits(float x) { return as_double((u64)(u32)(i32)x << 32); }
    static DEVICE double from_single(float x) { return (double)x; }
    static DEVICE bool single_mask(bool m) { return m; }
    template<int L> static DEVICE double lookup(const double (&table)[L], double index) {
        return table[nearest_index(index, L - 1)];
    }
};

// What a system is unless it says otherwise.
struct SystemDefaults {
    static constexpr bool STEPWISE = false;
    static constexpr bool MASS = false;
    static constexpr int ALGEBRAIC = 0;
    static constexpr bool HAS_DOMAIN = false;
};

} // namespace odes
