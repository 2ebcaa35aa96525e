// Words of the prelude in CUDA C++, for NVRTC: a thread solves a trajectory, and the threads of a warp vote.

#define DEVICE __device__ __forceinline__
#define COLD __device__ __noinline__
// Elementary functions: called where there are many, which takes less time to compile.
#ifdef MANY_FUNCTIONS
#define ELEMENTARY __device__ __noinline__
#else
#define ELEMENTARY DEVICE
#endif
#define CONSTANT __device__ constexpr
// Where numbers are f64 arrays of f64 lie in constant memory, and their elements are operands; as
// immediates they would take two more instructions each (measured at 5% of a step). Where numbers
// are f32 they are immediates, converted by the compiler.
#ifdef NUMBER_IS_DOUBLE
#define TABLE __constant__
#else
#define TABLE __device__ constexpr
#endif
#define GLOBAL
#define PRAGMA(text) _Pragma(#text)
#define UNROLL _Pragma("unroll")
// More rounds than any unrolled loop has.
#define UNROLL_UNLESS(rolled) PRAGMA(unroll((rolled) ? 1 : 4096))
// Arguments come by value. That one block a multiprocessor suffices lets the compiler take the registers it
// likes best.
#define KERNEL(name, threads)                                                                \
    extern "C" __global__ void __launch_bounds__(threads, 1) name(                           \
        const odes::KernelArguments<odes::Config::Number> arguments,                         \
        const odes::Shared<odes::Config::Number> shared                                      \
    ) {                                                                                      \
        odes::solve<odes::Config>(arguments, shared, blockIdx.x * blockDim.x + threadIdx.x); \
    }

typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;

namespace odes {

DEVICE u32 m_to_bits(float x) { return __float_as_uint(x); }
DEVICE u64 m_to_bits(double x) { return (u64)__double_as_longlong(x); }
DEVICE float single_of_bits(u32 b) { return __uint_as_float(b); }
DEVICE double double_of_bits(u64 b) { return __longlong_as_double((long long)b); }

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
// One instruction where `a > b ? a : b` is two.
DEVICE float larger(float a, float b) { return fmaxf(a, b); }
DEVICE double larger(double a, double b) { return a > b ? a : b; }
DEVICE float smaller(float a, float b) { return fminf(a, b); }
DEVICE double smaller(double a, double b) { return a < b ? a : b; }

// Conversions saturate, and make zero of a NaN. A lookup is three instructions: convert, clamp, load. Tables lie
// in global memory, and are read through the read-only cache: where lanes of a warp read different addresses,
// constant memory serves one after the other.
DEVICE int nearest_index(float x, int last) { return max(0, min(__float2int_rz(x), last)); }
DEVICE int nearest_index(double x, int last) { return max(0, min(__double2int_rz(x), last)); }

// A division without its branch: an approximation by the device, and two iterations, the last of which
// rounds correctly (all numbers of f32 and 2^34 of f64, the worst ones among them, were compared). Numbers
// beyond the bounds have no reciprocal.
DEVICE float m_reciprocal(float x) {
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    r = __fmaf_rn(r, __fmaf_rn(-x, r, 1.0f), r);
    return (m_to_bits(x) << 1) - 0x02000000u < 0xfa000000u ? r : single_of_bits(0x7fc00000u);
}
DEVICE double m_reciprocal(double x) {
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    u32 upper = (u32)(m_to_bits(x) >> 32);
    // As the device's own division begins. With zeros in the lower half, what follows is a unit off where
    // all bits of the mantissa are ones.
    r = double_of_bits((m_to_bits(r) & 0xffffffff00000000ull) | (upper + 0x300402u));
    double e = __fma_rn(-x, r, 1.0);
    r = __fma_rn(r, __fma_rn(e, e, e), r);
    r = __fma_rn(r, __fma_rn(-x, r, 1.0), r);
    return (upper << 1) - 0x00400000u < 0xff400000u ? r : double_of_bits(0x7ff8000000000000ull);
}

// A loop with an atomic operation contains YIELD, after which the convergence barrier of a branch around the
// loop no longer waits (seen on an H200; measured at 1.12 times the instructions of a step).
DEVICE void converge() { __syncwarp(); }
DEVICE u32 votes(bool lane) { return __popc(__ballot_sync(0xffffffffu, lane)); }
DEVICE u32 next_of(u32* counter) { return atomicAdd(counter, 1u); }

} // namespace odes
