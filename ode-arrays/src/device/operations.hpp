// Operations on whole arrays, with the operations and the order of host.rs: a struct has what a launch is
// given, and `at` what is done to number `i`. device/work.rs has the same layouts.
//
// OPERATION(name, Work) is the kernel that calls `at` for all numbers from 0 to `n`, and TOGETHER(name, Work,
// threads) one whose threads, all of one block, call `run` and wait for each other.

#define OPERATION(name, Work)                                                              \
    extern "C" __global__ void __launch_bounds__(256) name(const Work work, const u64 n) { \
        const u64 threads = (u64)gridDim.x * blockDim.x;                                   \
        for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {    \
            work.at(i);                                                                    \
        }                                                                                  \
    }

#define TOGETHER(name, Work, threads)                                                      \
    extern "C" __global__ void __launch_bounds__(threads) name(                            \
        const Work work, const u64, const u64                                              \
    ) {                                                                                    \
        work.run();                                                                        \
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

// `out = scale I - of`, of matrices of `rows` rows.
template<class R> struct Shifted {
    GLOBAL R* out;
    const GLOBAL R* of;
    u64 rows;
    R scale;
    DEVICE void at(u64 i) const {
        const R minus = -of[i];
        out[i] = i % (rows + 1u) == 0u ? minus + scale : minus;
    }
};

#ifdef PANEL_THREADS
// The factors of the columns from `from` on of a matrix of `rows` rows, `width` of them, from the diagonal on:
// the greatest number of a column becomes its pivot, whose row is exchanged in these columns.
template<class R> struct Panel {
    GLOBAL R* a;
    GLOBAL u32* pivots;
    u64 rows, from;
    u32 width;
    static constexpr u32 THREADS = PANEL_THREADS, AHEAD = 8u;
    DEVICE void run() const {
        __shared__ R greatest[THREADS];
        __shared__ u32 places[THREADS];
        __shared__ R top[WIDTH];
        const u32 t = threadIdx.x;
        GLOBAL R* const panel = a + from * rows;
        for (u32 j = 0u; j < width; j++) {
            const u64 diagonal = from + j;
            GLOBAL R* const column = panel + j * rows;
            R most = R(-1);
            u32 place = (u32)diagonal;
            for (u64 i = diagonal + t; i < rows; i += THREADS) {
                const R x = m_abs(column[i]);
                if (x > most) {
                    most = x;
                    place = (u32)i;
                }
            }
            greatest[t] = most;
            places[t] = place;
            __syncthreads();
            for (u32 half = THREADS / 2u; half > 0u; half /= 2u) {
                if (t < half) {
                    const u32 other = t + half;
                    const bool same = greatest[other] == greatest[t] && places[other] < places[t];
                    if (greatest[other] > greatest[t] || same) {
                        greatest[t] = greatest[other];
                        places[t] = places[other];
                    }
                }
                __syncthreads();
            }
            const u32 pivot = places[0];
            if (t == 0u) pivots[diagonal] = pivot;
            for (u32 k = t; k < width; k += THREADS) {
                GLOBAL R* const of = panel + k * rows;
                top[k] = of[pivot];
                of[pivot] = of[diagonal];
                of[diagonal] = top[k];
            }
            __syncthreads();
            for (u64 i = diagonal + 1u + t; i < rows; i += THREADS) {
                const R factor = column[i] / top[j];
                column[i] = factor;
                for (u32 first = j + 1u; first < width; first += AHEAD) {
                    // What is loaded together is waited for once.
                    R rest[AHEAD];
                    UNROLL for (u32 k = 0u; k < AHEAD; k++) {
                        if (first + k < width) rest[k] = panel[(first + k) * rows + i];
                    }
                    UNROLL for (u32 k = 0u; k < AHEAD; k++) {
                        if (first + k < width) {
                            panel[(first + k) * rows + i] = m_mul_add(-factor, top[first + k], rest[k]);
                        }
                    }
                }
            }
            __syncthreads();
        }
    }
};
#endif

// Exchanges the rows of column `i` as those of a panel were; the column after the last one has the numbers of
// rows.
template<class R> struct Exchange {
    GLOBAL R* a;
    GLOBAL u32* order;
    const GLOBAL u32* pivots;
    u64 rows, from;
    u32 width;
    DEVICE void at(u64 i) const {
        // Those of the panel are.
        if (i >= from && i < from + width) return;
        for (u64 row = from; row < from + width; row++) {
            if (i < rows) {
                exchange(a[i * rows + row], a[i * rows + pivots[row]]);
            } else {
                exchange(order[row], order[pivots[row]]);
            }
        }
    }
    template<class X> DEVICE void exchange(X& x, X& y) const {
        const X was = x;
        x = y;
        y = was;
    }
};

// `order = 0, 1, 2, …`.
template<class R> struct Count {
    GLOBAL u32* order;
    DEVICE void at(u64 i) const { order[i] = (u32)i; }
};

// `out = of`, in another order.
template<class R> struct Reorder {
    GLOBAL R* out;
    const GLOBAL R* of;
    const GLOBAL u32* order;
    DEVICE void at(u64 i) const { out[i] = of[order[i]]; }
};

// The number of changes of the sign of the determinant, by pivots and by exchanges.
template<class R> struct Signs {
    const GLOBAL R* a;
    const GLOBAL u32* pivots;
    GLOBAL u32* count;
    u64 rows;
    DEVICE void at(u64 i) const {
        if (a[i * rows + i] < R(0)) next_of(count);
        if (pivots[i] != i) next_of(count);
    }
};

} // namespace odes
