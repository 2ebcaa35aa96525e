// What lane programs translated from Rust stand on: numbers of one lane.
//
// The same text for every target. What differs is in the target's header (targets/), which comes first: it
// is all that a test on one target leaves open about another. It defines
//
//   DEVICE, COLD, ELEMENTARY      before functions: inlined, called, called where there are many of them
//   CONSTANT, TABLE               before constants, and before arrays of f64
//   GLOBAL                        in types of pointers to what a launch is given, and of references to tables
//   UNROLL, UNROLL_UNLESS(rolled) before loops
//   KERNEL(name, threads)         the kernel, of so many threads in a block, that calls `solve<Config>`
//   u32, i32, u64
//   m_to_bits, single_of_bits, double_of_bits
//   m_mul_add, m_sqrt, m_round_even, m_floor, m_abs, m_copysign, m_reciprocal
//   larger, smaller               of two numbers, as far as `at_least` and `at_most` of Real promise
//   nearest_index(x, last)        `x` as an index from 0 to `last`, of a NaN 0
//   votes(lane)                   for how many of the threads that run in step `lane` is true
//   converge()                    brings the threads that run in step together again, where paths parted
//   next_of(counter)              the value of the counter, which one more then has: no two threads get the same
//
// Products and sums are never contracted (--fmad=false, -ffp-contract=off): fused operations are
// written where they are meant.

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
DEVICE bool m_reaches(u32 a, u32 b) { return a >= b; }
DEVICE bool m_reaches(u64 a, u64 b) { return a >= b; }
DEVICE float m_min(float a, float b) { return a < b ? a : b; }
DEVICE double m_min(double a, double b) { return a < b ? a : b; }
DEVICE float m_max(float a, float b) { return a > b ? a : b; }
DEVICE double m_max(double a, double b) { return a > b ? a : b; }
template<class R> DEVICE R m_max_magnitude(R a, R b) { return larger(m_abs(a), m_abs(b)); }
template<class R> DEVICE R m_at_most(R a, R cap) { return smaller(a, cap); }
template<class R> DEVICE R m_at_least(R a, R floor) { return larger(a, floor); }
// `fabs` may return a NaN of either sign.
DEVICE float m_bits_to_single(float x) { return (float)(i32)(m_to_bits(x) & 0x7fffffffu); }
DEVICE float m_bits_to_single(double x) { return (float)(i32)((u32)(m_to_bits(x) >> 32) & 0x7fffffffu); }
DEVICE float m_to_single(float x) { return x; }
DEVICE float m_to_single(double x) { return (float)x; }
DEVICE bool m_any(bool m) { return m; }
DEVICE u32 m_wrapping_add(u32 a, u32 b) { return a + b; }
DEVICE u64 m_wrapping_add(u64 a, u64 b) { return a + b; }
DEVICE u32 m_wrapping_sub(u32 a, u32 b) { return a - b; }
DEVICE u64 m_wrapping_sub(u64 a, u64 b) { return a - b; }
DEVICE u32 m_mul_low(u32 a, u32 b) { return a * b; }
DEVICE u64 m_mul_low(u64 a, u64 b) { return (u32)a * (u32)b; }
DEVICE u32 m_mul_high(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }
DEVICE u64 m_mul_high(u64 a, u64 b) { return (u64)(u32)a * (u32)b >> 32; }
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
    static DEVICE float from_bits(u32 b) { return single_of_bits(b); }
    static DEVICE float single_to_bits(float x) { return single_of_bits((u32)(i32)x); }
    static DEVICE float from_single(float x) { return x; }
    static DEVICE bool single_mask(bool m) { return m; }
    template<int L> static DEVICE float lookup(const GLOBAL float (&table)[L], float index) {
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
    static DEVICE double from_bits(u64 b) { return double_of_bits(b); }
    static DEVICE double single_to_bits(float x) { return double_of_bits((u64)(u32)(i32)x << 32); }
    static DEVICE double from_single(float x) { return (double)x; }
    static DEVICE bool single_mask(bool m) { return m; }
    template<int L> static DEVICE double lookup(const GLOBAL double (&table)[L], double index) {
        return table[nearest_index(index, L - 1)];
    }
};

} // namespace odes
