// Operations on whole arrays, with the operations and the order of host.rs: a struct has what a launch is
// given, and `at` what is done to number `i`. device/work.rs has the same layouts.
//
// OPERATION(name, Work) is the kernel that calls `at` for all numbers from 0 to `n`.

#define OPERATION(name, Work)                                                              \
    extern "C" __global__ void __launch_bounds__(256) name(const Work work, const u64 n) { \
        const u64 threads = (u64)gridDim.x * blockDim.x;                                   \
        for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {    \
            work.at(i);                                                                    \
        }                                                                                  \
    }

namespace odes {

// `out = u + h Σ c k`, or without `u` the sum alone, which goes on from `begun` where that is.
template<class R> struct Combine {
    GLOBAL R* out;
    const GLOBAL R* u;
    const GLOBAL R* begun;
    const GLOBAL R* k[TERMS];
    R c[TERMS];
    R h;
    u32 terms;
    DEVICE void at(u64 i) const {
        R sum = begun ? begun[i] : R(0);
        // Known places among the arguments, which cost no load.
        UNROLL for (int j = 0; j < TERMS; j++) {
            if ((u32)j < terms) {
                sum = j == 0 && !begun ? c[0] * k[0][i] : m_mul_add(k[j][i], c[j], sum);
            }
        }
        out[i] = u ? m_mul_add(h, sum, u[i]) : sum;
    }
};

template<class R> struct Fill {
    GLOBAL R* out;
    R value;
    DEVICE void at(u64 i) const { out[i] = value; }
};

template<class R> struct Scale {
    GLOBAL R* out;
    const GLOBAL R* of;
    R by;
    DEVICE void at(u64 i) const { out[i] = by * of[i]; }
};

template<class R> struct Multiply {
    GLOBAL R* out;
    const GLOBAL R* by;
    DEVICE void at(u64 i) const { out[i] = out[i] * by[i]; }
};

template<class R> struct AddToColumns {
    GLOBAL R* out;
    const GLOBAL R* b;
    u64 rows;
    DEVICE void at(u64 i) const { out[i] = out[i] + b[i % rows]; }
};

#ifdef FUNCTION
template<class R> struct Map {
    GLOBAL R* out;
    DEVICE void at(u64 i) const { out[i] = function::FUNCTION<R>(out[i]); }
};
#endif

// Sum number `i` of squared errors: each block of BLOCK numbers has SUMS, one after the other.
template<class R> struct Squares {
    GLOBAL R* sums;
    const GLOBAL R* error;
    const GLOBAL R* u;
    const GLOBAL R* end;
    const GLOBAL R* abstol;
    u64 len;
    R reltol;
    u32 own; // whether each number has an absolute tolerance of its own
    DEVICE void at(u64 i) const {
        const u64 first = i / SUMS * BLOCK;
        const u64 end_of_block = first + BLOCK < len ? first + BLOCK : len;
        R sum = R(0);
        for (u64 from = first + i % SUMS; from < end_of_block; from += SUMS * AHEAD) {
            // What is loaded together is waited for once.
            R scaled[AHEAD];
            UNROLL for (u32 j = 0u; j < AHEAD; j++) {
                const u64 at = from + j * SUMS;
                if (at < end_of_block) {
                    R scale = m_mul_add(reltol, m_max_magnitude(u[at], end[at]), abstol[own ? at : 0u]);
                    scaled[j] = error[at] * norm::reciprocal<R>(scale);
                }
            }
            UNROLL for (u32 j = 0u; j < AHEAD; j++) {
                if (from + j * SUMS < end_of_block) sum = m_mul_add(scaled[j], scaled[j], sum);
            }
        }
        sums[i] = sum;
    }
    static constexpr u32 AHEAD = 16u;
};

// Whether a number is not finite.
template<class R> struct NonFinite {
    const GLOBAL R* x;
    GLOBAL u32* found;
    DEVICE void at(u64 i) const {
        if (!(x[i] * R(0) == R(0))) *found = 1u;
    }
};

// `out = scale I - of`, of matrices of `rows` rows, in their own order and without an exchange.
template<class R> struct Shifted {
    GLOBAL R* out;
    const GLOBAL R* of;
    GLOBAL u32* order;
    GLOBAL u32* negative;
    u64 rows;
    R scale;
    DEVICE void at(u64 i) const {
        const R minus = -of[i];
        out[i] = i % (rows + 1u) == 0u ? minus + scale : minus;
        if (i < rows) order[i] = (u32)i;
        if (i == 0u) *negative = 0u;
    }
};

} // namespace odes
