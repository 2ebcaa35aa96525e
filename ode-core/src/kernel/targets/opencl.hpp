// Words of the prelude in C++ for OpenCL 2021: a work-item solves a trajectory, and those of a sub-group vote.
// To be compiled with -cl-std=CLC++2021 and, for f32, with -cl-fp32-correctly-rounded-divide-sqrt.

#pragma OPENCL FP_CONTRACT OFF

#define DEVICE inline __attribute__((always_inline))
#define COLD __attribute__((noinline))
#ifdef MANY_FUNCTIONS
#define ELEMENTARY __attribute__((noinline))
#else
#define ELEMENTARY DEVICE
#endif
#define CONSTANT constexpr
#define TABLE constexpr
#define GLOBAL __global
#define UNROLL _Pragma("unroll")
#define PRAGMA(text) _Pragma(#text)
#define UNROLL_UNLESS(rolled) PRAGMA(unroll((rolled) ? 1 : 64))
// A kernel's arguments cannot have pointers in them, so they come as bytes.
#define KERNEL(name, threads)                                                      \
    __attribute__((reqd_work_group_size(threads, 1, 1)))                           \
    kernel void name(global const uchar* arguments, global const uchar* shared) {  \
        odes::solve<odes::Config>(                                                 \
            *(global const odes::KernelArguments<odes::Config::Number>*)arguments, \
            *(global const odes::Shared<odes::Config::Number>*)shared,             \
            (u32)get_global_id(0)                                                  \
        );                                                                         \
    }

typedef uint u32;
typedef int i32;
typedef ulong u64;

namespace odes {

DEVICE u32 m_to_bits(float x) { return as_uint(x); }
DEVICE u64 m_to_bits(double x) { return as_ulong(x); }
DEVICE float single_of_bits(u32 b) { return as_float(b); }
DEVICE double double_of_bits(u64 b) { return as_double(b); }

template<class R> DEVICE R m_mul_add(R a, R b, R c) { return ::fma(a, b, c); }
template<class R> DEVICE R m_sqrt(R x) { return ::sqrt(x); }
template<class R> DEVICE R m_round_even(R x) { return ::rint(x); }
template<class R> DEVICE R m_floor(R x) { return ::floor(x); }
template<class R> DEVICE R m_abs(R x) { return ::fabs(x); }
template<class R> DEVICE R m_copysign(R x, R s) { return ::copysign(x, s); }
template<class R> DEVICE R larger(R a, R b) { return a > b ? a : b; }
template<class R> DEVICE R smaller(R a, R b) { return a < b ? a : b; }

// Conversions of what does not fit are undefined.
template<class R> DEVICE int nearest_index(R x, int last) {
    return x > 0 ? (x < last ? (int)x : last) : 0;
}
template<class R> DEVICE R m_reciprocal(R x) { return m_mul_add(x, R(0), R(1) / x); }

DEVICE void converge() {}
DEVICE u32 votes(bool lane) { return sub_group_ballot_bit_count(sub_group_ballot(lane)); }
DEVICE u32 next_of(global u32* counter) { return atomic_inc(counter); }

} // namespace odes
