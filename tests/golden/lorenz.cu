#define NUMBER_IS_DOUBLE
// targets/cuda.hpp
// prelude.hpp

namespace odes {
namespace whole {
CONSTANT double MAX_DOUBLE = 4503599627370496.0;
CONSTANT double MAX_SINGLE = 8388608.0;
CONSTANT u64 BIAS_DOUBLE = 1023;
CONSTANT u64 BIAS_SINGLE = 127;
template<class R> DEVICE typename Real<R>::Bits to_bits(R x);
template<class R> DEVICE R from_bits(typename Real<R>::Bits x);
template<class R> DEVICE R unit();
template<class R> DEVICE typename Real<R>::Bits bias();
template<class R> DEVICE typename Real<R>::Bits exponent(R x);
template<class R> DEVICE R part(typename Real<R>::Bits n);

// whole.rs  Returns a whole number as an integer.
template<class R> DEVICE typename Real<R>::Bits to_bits(R x) {
    return m_wrapping_sub(m_to_bits((x + unit<R>())), m_to_bits(unit<R>()));
}

// whole.rs  Returns the inverse of [`to_bits`].
template<class R> DEVICE R from_bits(typename Real<R>::Bits x) {
    return (Real<R>::from_bits(m_wrapping_add(x, m_to_bits(unit<R>()))) - unit<R>());
}

// whole.rs  Returns the power of two that [`to_bits`] adds.
template<class R> DEVICE R unit() {
    if constexpr (Real<R>::DOUBLE) {
        return Real<R>::lit(MAX_DOUBLE);
    } else {
        return Real<R>::lit(MAX_SINGLE);
    }
}

// whole.rs  Returns the exponent of one, an integer.
template<class R> DEVICE typename Real<R>::Bits bias() {
    auto bias_1 = [&]() {
        if constexpr (Real<R>::DOUBLE) {
            return BIAS_DOUBLE;
        } else {
            return BIAS_SINGLE;
        }
    }();
    return Bits<typename Real<R>::Bits>::lit(bias_1);
}

// whole.rs  Returns the largest `n` with `2^n <= x`, for a normal number `x` of at least one.
template<class R> DEVICE typename Real<R>::Bits exponent(R x) {
    auto bits = m_to_bits(x);
    auto shifted = [&]() {
        if constexpr (Real<R>::DOUBLE) {
            return m_shr<52>(bits);
        } else {
            return m_shr<23>(bits);
        }
    }();
    return m_wrapping_sub(shifted, bias<R>());
}

// whole.rs  Returns `2^-n`, for a small integer `n`.
template<class R> DEVICE R part(typename Real<R>::Bits n) {
    auto exponent_1 = m_wrapping_sub(bias<R>(), n);
    return Real<R>::from_bits([&]() {
        if constexpr (Real<R>::DOUBLE) {
            return m_shl<52>(exponent_1);
        } else {
            return m_shl<23>(exponent_1);
        }
    }());
}
} // namespace whole




namespace path {
struct NoNodes;

// path.rs  An interval of time on a path.
template<class R> struct Path {
    Arr<typename Real<R>::Bits, 2> seed;
    Arr<typename Real<R>::Bits, 2> number;
    bool adaptive;
    typename Real<R>::Bits step;
    typename Real<R>::Bits node;
    u32 levels;
    R length;
    R reach;
    typename Real<R>::Mask ends_within;
};
template<class R> DEVICE Path<R> make_Path(const Arr<typename Real<R>::Bits, 2>& seed, const Arr<typename Real<R>::Bits, 2>& number, const bool& adaptive, const typename Real<R>::Bits& step, const typename Real<R>::Bits& node, const u32& levels, const R& length, const R& reach, const typename Real<R>::Mask& ends_within) { return {seed, number, adaptive, step, node, levels, length, reach, ends_within}; }
template<class R> DEVICE Path<R> path(Arr<typename Real<R>::Bits, 2> seed, Arr<typename Real<R>::Bits, 2> number, typename Real<R>::Bits step, u32 levels, R length);
template<class R> DEVICE Path<R> on_node(Arr<typename Real<R>::Bits, 2> seed, Arr<typename Real<R>::Bits, 2> number, typename Real<R>::Bits cell, typename Real<R>::Bits node, R length);
template<class R> DEVICE Path<R> none();

// path.rs  The [nodes](super::super::nodes) of systems without noise.
struct NoNodes {
    template<class R> static DEVICE NoNodes nodes() {
        return NoNodes{};
    }
};

// path.rs  Makes a [`Path`] of a whole step of a grid.
template<class R> DEVICE Path<R> path(Arr<typename Real<R>::Bits, 2> seed, Arr<typename Real<R>::Bits, 2> number, typename Real<R>::Bits step, u32 levels, R length) {
    auto node = Bits<typename Real<R>::Bits>::lit(1);
    auto ends_within = Mask<typename Real<R>::Mask>::splat(false);
    return make_Path<R>(seed, number, false, step, node, levels, length, length, ends_within);
}

// path.rs  Makes a [`Path`] of a `node` of a cell's tree; `length` is the length of the node.
template<class R> DEVICE Path<R> on_node(Arr<typename Real<R>::Bits, 2> seed, Arr<typename Real<R>::Bits, 2> number, typename Real<R>::Bits cell, typename Real<R>::Bits node, R length) {
    auto interval = path<R>(seed, number, cell, 0, length);
    interval.adaptive = true;
    interval.node = node;
    return interval;
}

// path.rs  Returns the path of a system without noise.
template<class R> DEVICE Path<R> none() {
    auto zero = Bits<typename Real<R>::Bits>::lit(0);
    return path<R>(array(zero, zero), array(zero, zero), zero, 0, Real<R>::lit(0.0));
}
} // namespace path


namespace code {
CONSTANT u64 SUCCESS = 0;
CONSTANT u64 TERMINATED = 1;
CONSTANT u64 MAX_STEPS = 2;
CONSTANT u64 DT_MIN = 3;
CONSTANT u64 NON_FINITE = 4;
CONSTANT u64 SINGULAR = 5;
CONSTANT u64 DIVERGED = 6;
CONSTANT u64 INCONSISTENT = 7;
CONSTANT u64 OUTSIDE = 8;
CONSTANT u64 TOO_MANY_EVENTS = 9;
CONSTANT u64 GRAZING = 11;
CONSTANT u64 RATE = 12;
CONSTANT u64 ANEW = 15;
} // namespace code

namespace timeline {

// timeline.rs  The times of a step and of its stages.
template<class R> struct At {
    R t;
    R low;
    R reach;
    R furthest;
    typename Real<R>::Mask run;
};
template<class R> DEVICE At<R> make_At(const R& t, const R& low, const R& reach, const R& furthest, const typename Real<R>::Mask& run) { return {t, low, reach, furthest, run}; }
CONSTANT double BEYOND = 2.0;

// timeline.rs  A time as an unevaluated sum of two numbers.
template<class R> struct Time {
    R t;
    R low;
};
template<class R> DEVICE Time<R> make_Time(const R& t, const R& low) { return {t, low}; }
CONSTANT double LEAST_DOUBLE = 8.881784197001252e-16;
CONSTANT double LEAST_SINGLE = 4.547473508864641e-13;
CONSTANT double LONGER = 1.0000152587890625;
CONSTANT double FEW_UNITS_DOUBLE = 8.881784197001252e-16;
CONSTANT double FEW_UNITS_SINGLE = 4.76837158203125e-7;
template<class R> DEVICE At<R> at(R t, R low, R reach, R furthest, typename Real<R>::Mask run);
template<class R, class S, int N, int P> DEVICE R stage(const At<R>& at_1, R node);
template<class R> DEVICE R time_of_node(const At<R>& at_1, R node);
template<class R> DEVICE Time<R> time(R t, R low);
template<class R> DEVICE Time<R> after(R t, R plan_1);
template<class R> DEVICE Time<R> grid(R t0, R i, R h);
template<class R> DEVICE R plan(R t, R low, R h, R factor);
template<class R> DEVICE R planned(R t, R low, R plan_1);
template<class R> DEVICE typename Real<R>::Mask stalls(R t, R low, R plan_1);
template<class R> DEVICE R least_step(R t);
template<class R> DEVICE R lengthened(R size);
template<class R> DEVICE R few_units();
template<class R> DEVICE R edge(R t, R h, R end);
template<class R> DEVICE R steps(R t0, R t1, R dt);
template<class R> DEVICE typename Real<R>::Bits whole_to_bits(R x);
template<class R> DEVICE R whole_from_bits(typename Real<R>::Bits x);

// timeline.rs  Makes an [`At`].
template<class R> DEVICE At<R> at(R t, R low, R reach, R furthest, typename Real<R>::Mask run) {
    return make_At<R>(t, low, reach, furthest, run);
}

// timeline.rs  Returns the time of a stage; any time if the system is autonomous.
template<class R, class S, int N, int P> DEVICE R stage(const At<R>& at_1, R node) {
    if constexpr ((S::AUTONOMOUS && op_not(S::STEPWISE))) {
        return at_1.t;
    } else {
        return time_of_node<R>(at_1, node);
    }
}

// timeline.rs  Returns the time of the stage with this node.
template<class R> DEVICE R time_of_node(const At<R>& at_1, R node) {
    if constexpr (Real<R>::DOUBLE) {
        return m_mul_add(at_1.reach, node, at_1.t);
    } else {
        return (at_1.t + m_mul_add(at_1.reach, node, at_1.low));
    }
}

// timeline.rs  Makes a [`Time`].
template<class R> DEVICE Time<R> time(R t, R low) {
    return make_Time<R>(t, low);
}

// timeline.rs  Returns the end of the [planned](plan) step.
template<class R> DEVICE Time<R> after(R t, R plan_1) {
    if constexpr (Real<R>::DOUBLE) {
        return time(plan_1, Real<R>::lit(0.0));
    } else {
        auto next = (t + plan_1);
        return time(next, (plan_1 - (next - t)));
    }
}

// timeline.rs  Returns the time `t0 + i h` for an integer `i`, rounded once.
template<class R> DEVICE Time<R> grid(R t0, R i, R h) {
    auto t = m_mul_add(i, h, t0);
    auto product = (i * h);
    auto rest = m_mul_add(i, h, (-product));
    auto sum = (t0 + product);
    auto part = (sum - t0);
    auto error = ((t0 - (sum - part)) + (product - part));
    return time(t, [&]() {
        if constexpr (Real<R>::DOUBLE) {
            return Real<R>::lit(0.0);
        } else {
            return (((sum - t) + error) + rest);
        }
    }());
}

// timeline.rs  Returns the plan of a step of `factor` times the last size `h`.
template<class R> DEVICE R plan(R t, R low, R h, R factor) {
    return m_mul_add(h, factor, [&]() {
        if constexpr (Real<R>::DOUBLE) {
            return t;
        } else {
            return low;
        }
    }());
}

// timeline.rs  Returns the size of the [planned](plan) step.
template<class R> DEVICE R planned(R t, R low, R plan_1) {
    return (plan_1 - [&]() {
        if constexpr (Real<R>::DOUBLE) {
            return t;
        } else {
            return low;
        }
    }());
}

// timeline.rs  Returns whether the [planned](plan) step does not advance time.
template<class R> DEVICE typename Real<R>::Mask stalls(R t, R low, R plan_1) {
    return m_equals(plan_1, [&]() {
        if constexpr (Real<R>::DOUBLE) {
            return t;
        } else {
            return low;
        }
    }());
}

// timeline.rs  Returns the smallest first step at `t`, which does not [stall](stalls).
template<class R> DEVICE R least_step(R t) {
    return (m_abs(t) * Real<R>::lit_of(LEAST_DOUBLE, LEAST_SINGLE));
}

// timeline.rs  Returns the largest last step that replaces a step of this `size`.
template<class R> DEVICE R lengthened(R size) {
    return (size * Real<R>::lit(LONGER));
}

// timeline.rs  Returns a few units in the last place, relative to a number.
template<class R> DEVICE R few_units() {
    return Real<R>::lit_of(FEW_UNITS_DOUBLE, FEW_UNITS_SINGLE);
}

// timeline.rs  Returns the distance from a segment's ends at which right-hand sides are evaluated.
template<class R> DEVICE R edge(R t, R h, R end) {
    auto units = ((m_abs(t) + m_abs(end)) * few_units<R>());
    return m_copysign(m_at_most(units, (m_abs(h) * Real<R>::lit(0.25))), h);
}

// timeline.rs  Returns the number of fixed steps of size `dt` (positive) from `t0` to `t1`.
template<class R> DEVICE R steps(R t0, R t1, R dt) {
    auto one = Real<R>::lit(1.0);
    auto ratio = (m_abs((t1 - t0)) / dt);
    auto grace = m_at_most((((m_abs(t0) + m_abs(t1)) / dt) * few_units<R>()), Real<R>::lit(0.5));
    auto whole = m_round_even(ratio);
    auto more = m_gt((ratio - whole), grace);
    return m_max(Real<R>::select(more, (whole + one), whole), one);
}

// timeline.rs  Returns a whole number as an integer.
template<class R> DEVICE typename Real<R>::Bits whole_to_bits(R x) {
    return whole::to_bits<R>(x);
}

// timeline.rs  Returns the inverse of [`whole_to_bits`].
template<class R> DEVICE R whole_from_bits(typename Real<R>::Bits x) {
    return whole::from_bits<R>(x);
}
} // namespace timeline

namespace norm {

// norm.rs  The tolerances that scale errors.
template<class R, int N> struct Tolerances {
    Arr<R, N> abstol;
    R reltol;
    R slack;
};
template<class R, int N> DEVICE Tolerances<R, N> make_Tolerances(const Arr<R, N>& abstol, const R& reltol, const R& slack) { return {abstol, reltol, slack}; }
CONSTANT double TIGHT = 1e-4;
CONSTANT double SQUARE_MAX = 1e30;
CONSTANT u64 RECIPROCAL_DOUBLE = 9213914475919310848ull;
CONSTANT u64 RECIPROCAL_SINGLE = 2129867571;
CONSTANT double RECIPROCAL_NEWTON = 2.0013;
CONSTANT double SHARE_OF_SECOND = 0.01;
CONSTANT double BOTH_LEAST = 1e-30;
template<class R, int N> DEVICE Tolerances<R, N> tolerances(Arr<R, N> abstol, R reltol);
template<class R, int N> DEVICE Tolerances<R, N> tight(const Tolerances<R, N>& given);
template<class R> DEVICE R reciprocal(R x);
template<class R, int N> DEVICE R scaled_error_sq(const Arr<R, N>& error, const Arr<R, N>& u, const Arr<R, N>& new_, const Tolerances<R, N>& tolerances_1);
template<class R> DEVICE R both(R first, R second);
template<class R, int N> DEVICE typename Real<R>::Mask is_finite(const Arr<R, N>& u);

// norm.rs  Makes [`Tolerances`].
template<class R, int N> DEVICE Tolerances<R, N> tolerances(Arr<R, N> abstol, R reltol) {
    return make_Tolerances<R, N>(abstol, reltol, Real<R>::lit(0.0));
}

// norm.rs  Returns the tolerances of iterations in solves with fixed steps.
template<class R, int N> DEVICE Tolerances<R, N> tight(const Tolerances<R, N>& given) {
    auto tight_1 = given;
    UNROLL for (int d = 0; d < N; d++) {
        tight_1.abstol[d] = (given.abstol[d] * Real<R>::lit(TIGHT));
    }
    tight_1.reltol = (given.reltol * Real<R>::lit(TIGHT));
    tight_1.slack = Real<R>::lit((1.0 / TIGHT));
    return tight_1;
}

// norm.rs  Returns about `1/x`, within 0.14%.
template<class R> DEVICE R reciprocal(R x) {
    auto seed = [&]() {
        if constexpr (Real<R>::DOUBLE) {
            return Real<R>::from_bits(m_wrapping_sub(Bits<typename Real<R>::Bits>::lit(RECIPROCAL_DOUBLE), m_to_bits(x)));
        } else {
            return Real<R>::from_bits(m_wrapping_sub(Bits<typename Real<R>::Bits>::lit(RECIPROCAL_SINGLE), m_to_bits(x)));
        }
    }();
    return (seed * m_mul_add((-seed), x, Real<R>::lit(RECIPROCAL_NEWTON)));
}

// norm.rs  Returns the sum over components of `(error / (abstol + reltol max(|u|, |u_new|)))²`.
template<class R, int N> DEVICE R scaled_error_sq(const Arr<R, N>& error, const Arr<R, N>& u, const Arr<R, N>& new_, const Tolerances<R, N>& tolerances_1) {
    auto sum = Real<R>::lit(0.0);
    UNROLL for (int d = 0; d < N; d++) {
        auto size = m_max_magnitude(u[d], new_[d]);
        auto scale = m_mul_add(tolerances_1.reltol, size, tolerances_1.abstol[d]);
        auto scaled = (error[d] * reciprocal(scale));
        sum = m_mul_add(scaled, scaled, sum);
    }
    return sum;
}

// norm.rs  Returns the squared norm `e₁² / √(e₁² + 0.01 e₂²)` of two error estimates.
template<class R> DEVICE R both(R first, R second) {
    auto sum = m_mul_add(second, Real<R>::lit(SHARE_OF_SECOND), first);
    return (first * (first / m_at_least(sum, Real<R>::lit(BOTH_LEAST))));
}

// norm.rs  Returns whether all components are finite.
template<class R, int N> DEVICE typename Real<R>::Mask is_finite(const Arr<R, N>& u) {
    auto sum = Real<R>::lit(0.0);
    UNROLL for (int d = 0; d < N; d++) {
        sum = m_mul_add(u[d], Real<R>::lit(0.0), sum);
    }
    return m_equals(sum, Real<R>::lit(0.0));
}
} // namespace norm

namespace vector {
TABLE double LARGEST_OF_TERM[3] = {0.25, (4.0 / 27.0), (27.0 / 256.0)};
CONSTANT double SHARE_OF_TERM = 0.1;
CONSTANT double MARGIN_OF_TERM = 32.0;
template<class R, int N> DEVICE Arr<R, N> add(Arr<R, N> v, R weight, const Arr<R, N>& x);
template<class R, int N, int K> DEVICE Arr<R, N> combine(const Arr<R, N>& v, const Arr<R, K>& weights, const Arr<Arr<R, N>, K>& x, int count);
template<class R, int N> DEVICE Arr<R, N> choose(typename Real<R>::Mask mask, Arr<R, N> a, Arr<R, N> b);
template<class R, int N> DEVICE Arr<R, N> hermite(const Arr<R, N>& u, const Arr<R, N>& k1, const Arr<R, N>& new_, const Arr<R, N>& last, R h, R theta);
template<class R, int N> DEVICE Arr<R, N> slope_off(const Arr<R, N>& u, const Arr<R, N>& k1, const Arr<R, N>& new_, const Arr<R, N>& last, const Arr<R, N>& slope, R h, R theta);

// vector.rs  Returns `v + weight x`.
template<class R, int N> DEVICE Arr<R, N> add(Arr<R, N> v, R weight, const Arr<R, N>& x) {
    auto sum = v;
    UNROLL for (int d = 0; d < N; d++) {
        sum[d] = m_mul_add(x[d], weight, v[d]);
    }
    return sum;
}

// vector.rs  Returns `v + Σ weights_j x_j` over the first `count` of `x`.
template<class R, int N, int K> DEVICE Arr<R, N> combine(const Arr<R, N>& v, const Arr<R, K>& weights, const Arr<Arr<R, N>, K>& x, int count) {
    auto sums = v;
    int d = 0;
    while (((d + 8) <= N)) {
        auto part = repeat<8>(Real<R>::lit(0.0));
        UNROLL for (int e = 0; e < 8; e++) {
            part[e] = v[(d + e)];
        }
        int j = 0;
        while ((j < count)) {
            UNROLL for (int e_1 = 0; e_1 < 8; e_1++) {
                part[e_1] = m_mul_add(x[j][(d + e_1)], weights[j], part[e_1]);
            }
            j = (j + 1);
        }
        UNROLL for (int e_2 = 0; e_2 < 8; e_2++) {
            sums[(d + e_2)] = part[e_2];
        }
        d = (d + 8);
    }
    while ((d < N)) {
        auto sum = v[d];
        int j_1 = 0;
        while ((j_1 < count)) {
            sum = m_mul_add(x[j_1][d], weights[j_1], sum);
            j_1 = (j_1 + 1);
        }
        sums[d] = sum;
        d = (d + 1);
    }
    return sums;
}

// vector.rs  Returns `a` if the mask is true, else `b`.
template<class R, int N> DEVICE Arr<R, N> choose(typename Real<R>::Mask mask, Arr<R, N> a, Arr<R, N> b) {
    auto out = b;
    UNROLL for (int d = 0; d < N; d++) {
        out[d] = Real<R>::select(mask, a[d], b[d]);
    }
    return out;
}

// vector.rs  Returns the cubic Hermite polynomial at fraction `theta` of a step of size `h`.
template<class R, int N> DEVICE Arr<R, N> hermite(const Arr<R, N>& u, const Arr<R, N>& k1, const Arr<R, N>& new_, const Arr<R, N>& last, R h, R theta) {
    auto rest = (theta - Real<R>::lit(1.0));
    auto middle = (Real<R>::lit(1.0) - (theta + theta));
    auto out = u;
    UNROLL for (int d = 0; d < N; d++) {
        auto change = (new_[d] - u[d]);
        auto ends = m_mul_add(rest, k1[d], (theta * last[d]));
        auto bend = m_mul_add(middle, change, (h * ends));
        out[d] = m_mul_add((theta * rest), bend, m_mul_add(theta, change, u[d]));
    }
    return out;
}

// vector.rs  Returns `h` times the difference of the [`hermite`] polynomial's derivative and a slope.
template<class R, int N> DEVICE Arr<R, N> slope_off(const Arr<R, N>& u, const Arr<R, N>& k1, const Arr<R, N>& new_, const Arr<R, N>& last, const Arr<R, N>& slope, R h, R theta) {
    auto one = Real<R>::lit(1.0);
    auto three = (Real<R>::lit(3.0) * theta);
    auto change = ((Real<R>::lit(6.0) * theta) * (one - theta));
    auto of_first = ((three - one) * (theta - one));
    auto of_last = ((three - Real<R>::lit(2.0)) * theta);
    auto out = u;
    UNROLL for (int d = 0; d < N; d++) {
        auto ends = m_mul_add(of_first, k1[d], (of_last * last[d]));
        out[d] = m_mul_add(change, (new_[d] - u[d]), (h * (ends - slope[d])));
    }
    return out;
}
} // namespace vector

namespace guard {
CONSTANT u32 OFF = 0;
CONSTANT u32 REPORT = 1;
CONSTANT u32 REJECT = 2;

// guard.rs  The growth test of a step.
template<class R> struct Watch {
    bool far;
    typename Real<R>::Mask odd;
};
template<class R> DEVICE Watch<R> make_Watch(const bool& far, const typename Real<R>::Mask& odd) { return {far, odd}; }
CONSTANT double SOON = 0.4;
CONSTANT u64 COUNT = 65535;
CONSTANT u64 CAPPED = 65536;
CONSTANT u64 CAUTION = 67108864;
CONSTANT u64 CAREFUL = 268435456;
CONSTANT u64 RELEASED = 1073741824;
CONSTANT u64 HELD_BIT = 2147483648ull;
CONSTANT u64 CONTENT = 3;
CONSTANT u64 HELD = 745;
CONSTANT u64 HELD_AGAIN = 46;
CONSTANT double GROWTH = 2.0;
CONSTANT double SHOWN = 0.8;
CONSTANT double FAR_FACTOR = 0.25;
CONSTANT double NEAR_FACTOR = 0.5;

// guard.rs  The verdict of the guard on a step.
template<class R> struct Judged {
    typename Real<R>::Mask refused;
    typename Real<R>::Mask anew;
    R factor;
    typename Real<R>::Bits state;
};
template<class R> DEVICE Judged<R> make_Judged(const typename Real<R>::Mask& refused, const typename Real<R>::Mask& anew, const R& factor, const typename Real<R>::Bits& state) { return {refused, anew, factor, state}; }
template<class R> DEVICE Watch<R> watch(bool far, typename Real<R>::Mask odd);
template<class R, class S, int N, int P> DEVICE typename Real<R>::Mask is_beyond(S system, const typename S::template Factors<R>& w, typename Real<R>::Mask odd);
template<class R, class S, int N, int P> DEVICE typename Real<R>::Mask grows(S system, const typename S::template Factors<R>& w, const Watch<R>& watch_1);
template<class R, class S, int N, int P> DEVICE typename Real<R>::Mask is_negative(S system, const Arr<R, N>& u, const Arr<R, P>& p, R t, R scale);
template<class R, class S, int N, int P> COLD typename Real<R>::Mask would_pass(S system, Arr<R, N> u, Arr<R, P> p, R t, R scale, typename Real<R>::Mask odd);
template<class R> DEVICE typename Real<R>::Bits reported(typename Real<R>::Bits state);
template<class R> DEVICE typename Real<R>::Bits next_part(typename Real<R>::Bits state);
template<class R> DEVICE typename Real<R>::Bits begun_anew(typename Real<R>::Bits state);
template<class R> DEVICE typename Real<R>::Mask is_careful(typename Real<R>::Bits state);
template<class R> DEVICE typename Real<R>::Mask has_let_go(typename Real<R>::Bits state);
template<class R> DEVICE typename Real<R>::Mask is_cautious(typename Real<R>::Bits state);
template<class R> DEVICE typename Real<R>::Bits counted(typename Real<R>::Bits state);
template<class R> DEVICE typename Real<R>::Bits after_refusal(typename Real<R>::Bits state);
template<class R> DEVICE typename Real<R>::Bits advanced(typename Real<R>::Bits state, typename Real<R>::Mask longer);
template<class R> DEVICE Judged<R> judge(typename Real<R>::Bits state, typename Real<R>::Mask grows_1, typename Real<R>::Mask soon, typename Real<R>::Mask accept, typename Real<R>::Mask run, R factor, bool refuse);

// guard.rs  Makes a [`Watch`].
template<class R> DEVICE Watch<R> watch(bool far, typename Real<R>::Mask odd) {
    return make_Watch<R>(far, odd);
}

// guard.rs  Returns whether the determinant's sign differs from the sign for short steps.
template<class R, class S, int N, int P> DEVICE typename Real<R>::Mask is_beyond(S system, const typename S::template Factors<R>& w, typename Real<R>::Mask odd) {
    auto negative = system.negative(w);
    return op_or(op_and(negative, op_not(odd)), op_and(odd, op_not(negative)));
}

// guard.rs  Returns whether a step with this factorised matrix is beyond the pole.
template<class R, class S, int N, int P> DEVICE typename Real<R>::Mask grows(S system, const typename S::template Factors<R>& w, const Watch<R>& watch_1) {
    auto grows_1 = Mask<typename Real<R>::Mask>::splat(false);
    if (watch_1.far) {
        grows_1 = is_beyond<R, S, N, P>(system, w, watch_1.odd);
    }
    return grows_1;
}

// guard.rs  Returns whether the determinant is negative at a state, for steps of this `scale`.
template<class R, class S, int N, int P> DEVICE typename Real<R>::Mask is_negative(S system, const Arr<R, N>& u, const Arr<R, P>& p, R t, R scale) {
    return system.negative(system.factor(u, p, t, scale));
}

// guard.rs  Returns whether a step from this state, of this `scale`, is beyond the pole.
template<class R, class S, int N, int P> COLD typename Real<R>::Mask would_pass(S system, Arr<R, N> u, Arr<R, P> p, R t, R scale, typename Real<R>::Mask odd) {
    return is_beyond<R, S, N, P>(system, system.factor(u, p, t, scale), odd);
}

// guard.rs  Returns the report of a state, without the fields of a single segment.
template<class R> DEVICE typename Real<R>::Bits reported(typename Real<R>::Bits state) {
    return op_and(state, Bits<typename Real<R>::Bits>::lit(((COUNT + (3 * CAREFUL)) + HELD_BIT)));
}

// guard.rs  Returns the state at the beginning of the next segment.
template<class R> DEVICE typename Real<R>::Bits next_part(typename Real<R>::Bits state) {
    return op_and(state, op_not(Bits<typename Real<R>::Bits>::lit(((3 * CAUTION) + RELEASED))));
}

// guard.rs  Returns the state of a trajectory that restarts from its beginning.
template<class R> DEVICE typename Real<R>::Bits begun_anew(typename Real<R>::Bits state) {
    auto kept = op_and(counted<R>(state), Bits<typename Real<R>::Bits>::lit((COUNT + (3 * CAREFUL))));
    return m_wrapping_add(kept, Bits<typename Real<R>::Bits>::lit(CAREFUL));
}

// guard.rs  Returns whether the guard tests for growth on the way to the pole.
template<class R> DEVICE typename Real<R>::Mask is_careful(typename Real<R>::Bits state) {
    return m_equals(op_and(state, Bits<typename Real<R>::Bits>::lit((CAREFUL + RELEASED))), Bits<typename Real<R>::Bits>::lit(CAREFUL));
}

// guard.rs  Returns whether the guard has switched off.
template<class R> DEVICE typename Real<R>::Mask has_let_go(typename Real<R>::Bits state) {
    auto bit = Bits<typename Real<R>::Bits>::lit(RELEASED);
    return m_equals(op_and(state, bit), bit);
}

// guard.rs  Returns whether steps grow by a factor of at most [`GROWTH`].
template<class R> DEVICE typename Real<R>::Mask is_cautious(typename Real<R>::Bits state) {
    return op_not(m_equals(op_and(state, Bits<typename Real<R>::Bits>::lit((3 * CAUTION))), Bits<typename Real<R>::Bits>::lit(0)));
}

// guard.rs  Returns the state with one more step beyond the pole counted.
template<class R> DEVICE typename Real<R>::Bits counted(typename Real<R>::Bits state) {
    auto max_count = Bits<typename Real<R>::Bits>::lit(COUNT);
    auto count = op_and(state, max_count);
    auto more = m_wrapping_add(count, Bits<typename Real<R>::Bits>::lit(1));
    return op_or(op_and(state, op_not(max_count)), Bits<typename Real<R>::Bits>::select(m_equals(count, max_count), count, more));
}

// guard.rs  Returns the state after the guard's rejection.
template<class R> DEVICE typename Real<R>::Bits after_refusal(typename Real<R>::Bits state) {
    return op_or(counted<R>(state), Bits<typename Real<R>::Bits>::lit((CONTENT * CAUTION)));
}

// guard.rs  Returns the state after a cautious step.
template<class R> DEVICE typename Real<R>::Bits advanced(typename Real<R>::Bits state, typename Real<R>::Mask longer) {
    auto kept = op_and(state, Bits<typename Real<R>::Bits>::lit(((COUNT + (3 * CAREFUL)) + HELD_BIT)));
    auto again = m_wrapping_add(state, Bits<typename Real<R>::Bits>::lit(CAPPED));
    auto capped = op_and(again, Bits<typename Real<R>::Bits>::lit((CAUTION - CAPPED)));
    auto enough = op_not(m_less_than(capped, Bits<typename Real<R>::Bits>::lit((HELD * CAPPED))));
    auto let_go = ((((HELD - HELD_AGAIN) * CAPPED) + RELEASED) + HELD_BIT);
    auto let_go_1 = op_or(kept, Bits<typename Real<R>::Bits>::lit(let_go));
    auto again_1 = Bits<typename Real<R>::Bits>::select(enough, let_go_1, again);
    auto calmer = m_wrapping_sub(state, Bits<typename Real<R>::Bits>::lit(CAUTION));
    auto stage = op_and(state, Bits<typename Real<R>::Bits>::lit((3 * CAREFUL)));
    auto relaxed = m_wrapping_add(kept, Bits<typename Real<R>::Bits>::lit(CAREFUL));
    auto first = m_equals(stage, Bits<typename Real<R>::Bits>::lit(CAREFUL));
    auto content = Bits<typename Real<R>::Bits>::select(first, relaxed, kept);
    auto calmer_1 = Bits<typename Real<R>::Bits>::select(is_cautious<R>(calmer), calmer, content);
    return Bits<typename Real<R>::Bits>::select(longer, again_1, calmer_1);
}

// guard.rs  Returns the guard's verdict on a step.
template<class R> DEVICE Judged<R> judge(typename Real<R>::Bits state, typename Real<R>::Mask grows_1, typename Real<R>::Mask soon, typename Real<R>::Mask accept, typename Real<R>::Mask run, R factor, bool refuse) {
    auto cautious = is_cautious<R>(state);
    auto longer = m_gt(factor, Real<R>::lit(GROWTH));
    auto refused = Mask<typename Real<R>::Mask>::splat(false);
    auto passed = counted<R>(state);
    if (refuse) {
        refused = op_and(op_and(run, op_or(grows_1, soon)), op_not(has_let_go<R>(state)));
        passed = state;
    }
    auto anew = op_and(refused, op_not(is_careful<R>(state)));
    auto taken = op_and(op_and(run, accept), op_not(refused));
    auto less = Real<R>::select(grows_1, Real<R>::lit(FAR_FACTOR), Real<R>::lit(NEAR_FACTOR));
    auto capped = Real<R>::select(op_and(cautious, longer), Real<R>::lit(GROWTH), factor);
    auto factor_1 = Real<R>::select(refused, less, capped);
    auto after = advanced<R>(state, longer);
    auto next = Bits<typename Real<R>::Bits>::select(op_and(cautious, taken), after, state);
    auto held = op_or(passed, Bits<typename Real<R>::Bits>::lit(HELD_BIT));
    auto next_1 = Bits<typename Real<R>::Bits>::select(op_and(grows_1, taken), held, next);
    auto again = after_refusal<R>(state);
    auto next_2 = Bits<typename Real<R>::Bits>::select(refused, again, next_1);
    auto state_1 = Bits<typename Real<R>::Bits>::select(anew, begun_anew<R>(state), next_2);
    return make_Judged<R>(refused, anew, factor_1, state_1);
}
} // namespace guard

namespace stepper {

// stepper.rs  The state of a trajectory at the beginning of a step.
template<class R, int N, int P> struct State {
    Arr<R, N> u;
    Arr<R, P> p;
    Arr<R, N> du;
    norm::Tolerances<R, N> tolerances;
};
template<class R, int N, int P> DEVICE State<R, N, P> make_State(const Arr<R, N>& u, const Arr<R, P>& p, const Arr<R, N>& du, const norm::Tolerances<R, N>& tolerances) { return {u, p, du, tolerances}; }

// stepper.rs  The arguments of a step besides the [`State`] at its beginning.
template<class R> struct Ask {
    timeline::At<R> at;
    R h;
    typename Real<R>::Bits memory;
    guard::Watch<R> watch;
    path::Path<R> path;
};
template<class R> DEVICE Ask<R> make_Ask(const timeline::At<R>& at, const R& h, const typename Real<R>::Bits& memory, const guard::Watch<R>& watch, const path::Path<R>& path) { return {at, h, memory, watch, path}; }

// stepper.rs  The result of one step of a method with [`Kept`](Stepper::Kept) `V`.
template<class R, int N, class V> struct Step {
    Arr<R, N> u;
    V k;
    typename Real<R>::Bits code;
    typename Real<R>::Bits memory;
    typename Real<R>::Mask grows;
};
template<class R, int N, class V> DEVICE Step<R, N, V> make_Step(const Arr<R, N>& u, const V& k, const typename Real<R>::Bits& code, const typename Real<R>::Bits& memory, const typename Real<R>::Mask& grows) { return {u, k, code, memory, grows}; }
struct Nothing;
template<class R, int N, int P> DEVICE State<R, N, P> state(Arr<R, N> u, Arr<R, P> p, Arr<R, N> du, norm::Tolerances<R, N> tolerances);
template<class R> DEVICE Ask<R> ask(timeline::At<R> at, R h, typename Real<R>::Bits memory, guard::Watch<R> watch);
template<class R, int N, class V> DEVICE Step<R, N, V> step(Arr<R, N> u, V k, typename Real<R>::Bits code);
template<class R, int N, class V> DEVICE Step<R, N, V> made(Arr<R, N> u, V k);
template<class R, int N> DEVICE typename Real<R>::Bits unsolved(const Arr<R, N>& solution, const Arr<R, N>& f, const Arr<R, N>& dfdt);

// stepper.rs  Makes a [`State`].
template<class R, int N, int P> DEVICE State<R, N, P> state(Arr<R, N> u, Arr<R, P> p, Arr<R, N> du, norm::Tolerances<R, N> tolerances) {
    return make_State<R, N, P>(u, p, du, tolerances);
}

// stepper.rs  Makes an [`Ask`] of a system without noise.
template<class R> DEVICE Ask<R> ask(timeline::At<R> at, R h, typename Real<R>::Bits memory, guard::Watch<R> watch) {
    return make_Ask<R>(at, h, memory, watch, path::none<R>());
}

// stepper.rs  Makes a [`Step`].
template<class R, int N, class V> DEVICE Step<R, N, V> step(Arr<R, N> u, V k, typename Real<R>::Bits code) {
    auto no = Mask<typename Real<R>::Mask>::splat(false);
    return make_Step<R, N, V>(u, k, code, Bits<typename Real<R>::Bits>::lit(0), no);
}

// stepper.rs  Makes a [`Step`] with a new state.
template<class R, int N, class V> DEVICE Step<R, N, V> made(Arr<R, N> u, V k) {
    return step<R, N, V>(u, k, Bits<typename Real<R>::Bits>::lit(code::SUCCESS));
}

// stepper.rs  Returns [`code::SINGULAR`] if linear equations had no finite solution.
template<class R, int N> DEVICE typename Real<R>::Bits unsolved(const Arr<R, N>& solution, const Arr<R, N>& f, const Arr<R, N>& dfdt) {
    auto given = op_and(norm::is_finite<R, N>(f), norm::is_finite<R, N>(dfdt));
    auto unsolved_1 = op_and(given, op_not(norm::is_finite<R, N>(solution)));
    auto singular = Bits<typename Real<R>::Bits>::lit(code::SINGULAR);
    return Bits<typename Real<R>::Bits>::select(unsolved_1, singular, Bits<typename Real<R>::Bits>::lit(code::SUCCESS));
}

// stepper.rs  The [`Memory`] of a method that is not a pair.
struct Nothing {
    static constexpr bool SWITCHES = false;
    template<class R> static DEVICE typename Real<R>::Mask is_implicit(typename Real<R>::Bits _memory) {
        return Mask<typename Real<R>::Mask>::splat(false);
    }
    template<class R> static DEVICE typename Real<R>::Mask was_implicit(typename Real<R>::Bits _memory) {
        return Mask<typename Real<R>::Mask>::splat(false);
    }
    template<class R> static DEVICE typename Real<R>::Mask has_switched(typename Real<R>::Bits _before, typename Real<R>::Bits _after) {
        return Mask<typename Real<R>::Mask>::splat(false);
    }
    template<class R> static DEVICE typename Real<R>::Bits reported(typename Real<R>::Bits _memory) {
        return Bits<typename Real<R>::Bits>::lit(0);
    }
};
} // namespace stepper

namespace control {
CONSTANT double ROOT_SLOPE = 0.12253226793356839;
CONSTANT double ROOT_ONE = 0.7071067811865476;
CONSTANT double OCTAVE_DOUBLE = 0.00000095367431640625;
CONSTANT double OCTAVE_SINGLE = 0.00000011920928955078125;
CONSTANT double PER_OCTAVE_DOUBLE = 1048576.0;
CONSTANT double PER_OCTAVE_SINGLE = 8388608.0;

// control.rs  A step-size control law, for one method and number of components.
template<class R> struct Law {
    typename Real<R>::Single cap;
    typename Real<R>::Single beta1;
    typename Real<R>::Single beta2;
    typename Real<R>::Single beta3;
    typename Real<R>::Single level;
    typename Real<R>::Single base;
    typename Real<R>::Single fresh;
    typename Real<R>::Single floor;
    typename Real<R>::Single min_root;
    typename Real<R>::Single max_root;
};
template<class R> DEVICE Law<R> make_Law(const typename Real<R>::Single& cap, const typename Real<R>::Single& beta1, const typename Real<R>::Single& beta2, const typename Real<R>::Single& beta3, const typename Real<R>::Single& level, const typename Real<R>::Single& base, const typename Real<R>::Single& fresh, const typename Real<R>::Single& floor, const typename Real<R>::Single& min_root, const typename Real<R>::Single& max_root) { return {cap, beta1, beta2, beta3, level, base, fresh, floor, min_root, max_root}; }
CONSTANT int LAW_NUMBERS = 10;
CONSTANT u32 KIND_PI = 0;
CONSTANT u32 KIND_PID = 1;
CONSTANT u32 KIND_PREDICTIVE = 2;

// control.rs  The memory of a controller of accepted steps.
template<class R> struct Memory {
    typename Real<R>::Single root;
    typename Real<R>::Single last;
};
template<class R> DEVICE Memory<R> make_Memory(const typename Real<R>::Single& root, const typename Real<R>::Single& last) { return {root, last}; }

// control.rs  The decision on an attempted step.
template<class R> struct Decision {
    typename Real<R>::Mask accept;
    typename Real<R>::Single factor;
    Memory<R> memory;
};
template<class R> DEVICE Decision<R> make_Decision(const typename Real<R>::Mask& accept, const typename Real<R>::Single& factor, const Memory<R>& memory) { return {accept, factor, memory}; }
template<class R> DEVICE typename Real<R>::Single octave();
template<class R> DEVICE typename Real<R>::Single pattern(R square, typename Real<R>::Single cap);
template<class R> DEVICE typename Real<R>::Single log2_of_mean(R square, R n);
template<class R> DEVICE R factor_of_root(R root);
template<class R> DEVICE R exp2_wide(typename Real<R>::Single x);
template<class R> DEVICE typename Real<R>::Single per_octave();
template<class R> DEVICE Law<R> law(Arr<typename Real<R>::Single, LAW_NUMBERS> numbers);
template<class R> DEVICE Memory<R> fresh(const Law<R>& law_1);
template<class R> DEVICE Memory<R> choose_memory(typename Real<R>::Mask mask, const Memory<R>& a, const Memory<R>& b);
template<class R> DEVICE Law<R> choose_law(typename Real<R>::Mask mask, const Law<R>& a, const Law<R>& b);
template<class R> DEVICE Decision<R> decide(R square, R n, const Memory<R>& memory, const Law<R>& law_1, u32 kind);

// control.rs  Returns the reciprocal of the bit pattern's units per octave.
template<class R> DEVICE typename Real<R>::Single octave() {
    if constexpr (Real<R>::DOUBLE) {
        return Real<typename Real<R>::Single>::lit(OCTAVE_DOUBLE);
    } else {
        return Real<typename Real<R>::Single>::lit(OCTAVE_SINGLE);
    }
}

// control.rs  Returns the bit pattern of a squared norm: a scaled and shifted logarithm.
template<class R> DEVICE typename Real<R>::Single pattern(R square, typename Real<R>::Single cap) {
    return m_at_most(m_bits_to_single(square), cap);
}

// control.rs  Returns the binary logarithm of `square / n`, piecewise linear.
template<class R> DEVICE typename Real<R>::Single log2_of_mean(R square, R n) {
    auto cap = m_bits_to_single(Real<R>::lit(norm::SQUARE_MAX));
    return ((pattern(square, cap) - m_bits_to_single(n)) * octave<R>());
}

// control.rs  Returns about `2^x` from its root.
template<class R> DEVICE R factor_of_root(R root) {
    auto y = m_mul_add(root, root, Real<R>::lit(0.5));
    auto y_1 = (y * y);
    return (y_1 * y_1);
}

// control.rs  Returns about `2^x` for any `x`, piecewise linear: within 6%.
template<class R> DEVICE R exp2_wide(typename Real<R>::Single x) {
    auto one = m_bits_to_single(Real<R>::lit(1.0));
    return Real<R>::single_to_bits(m_mul_add(x, per_octave<R>(), one));
}

// control.rs  Returns the bit pattern's units per octave.
template<class R> DEVICE typename Real<R>::Single per_octave() {
    if constexpr (Real<R>::DOUBLE) {
        return Real<typename Real<R>::Single>::lit(PER_OCTAVE_DOUBLE);
    } else {
        return Real<typename Real<R>::Single>::lit(PER_OCTAVE_SINGLE);
    }
}

// control.rs  Makes a [`Law`] from its numbers, in the order of its fields.
template<class R> DEVICE Law<R> law(Arr<typename Real<R>::Single, LAW_NUMBERS> numbers) {
    auto parts = numbers;
    auto cap = parts[0];
    auto beta1 = parts[1];
    auto beta2 = parts[2];
    auto beta3 = parts[3];
    auto level = parts[4];
    auto base = parts[5];
    auto fresh_1 = parts[6];
    auto floor = parts[7];
    auto min_root = parts[8];
    auto max_root = parts[9];
    return make_Law<R>(cap, beta1, beta2, beta3, level, base, fresh_1, floor, min_root, max_root);
}

// control.rs  Returns the memory before the first step.
template<class R> DEVICE Memory<R> fresh(const Law<R>& law_1) {
    return make_Memory<R>(law_1.fresh, law_1.floor);
}

// control.rs  Returns the memory `a` if the mask is true, else `b`.
template<class R> DEVICE Memory<R> choose_memory(typename Real<R>::Mask mask, const Memory<R>& a, const Memory<R>& b) {
    auto mask_1 = Real<R>::single_mask(mask);
    return make_Memory<R>(Real<typename Real<R>::Single>::select(mask_1, a.root, b.root), Real<typename Real<R>::Single>::select(mask_1, a.last, b.last));
}

// control.rs  Returns the law `a` if the mask is true, else `b`.
template<class R> DEVICE Law<R> choose_law(typename Real<R>::Mask mask, const Law<R>& a, const Law<R>& b) {
    auto mask_1 = Real<R>::single_mask(mask);
    return make_Law<R>(Real<typename Real<R>::Single>::select(mask_1, a.cap, b.cap), Real<typename Real<R>::Single>::select(mask_1, a.beta1, b.beta1), Real<typename Real<R>::Single>::select(mask_1, a.beta2, b.beta2), Real<typename Real<R>::Single>::select(mask_1, a.beta3, b.beta3), Real<typename Real<R>::Single>::select(mask_1, a.level, b.level), Real<typename Real<R>::Single>::select(mask_1, a.base, b.base), Real<typename Real<R>::Single>::select(mask_1, a.fresh, b.fresh), Real<typename Real<R>::Single>::select(mask_1, a.floor, b.floor), Real<typename Real<R>::Single>::select(mask_1, a.min_root, b.min_root), Real<typename Real<R>::Single>::select(mask_1, a.max_root, b.max_root));
}

// control.rs  Returns the decision on a step, by a law of this `kind`.
template<class R> DEVICE Decision<R> decide(R square, R n, const Memory<R>& memory, const Law<R>& law_1, u32 kind) {
    auto accept = m_le(square, n);
    auto good = Real<R>::single_mask(accept);
    auto bits = pattern(square, law_1.cap);
    auto remembered = law_1.level;
    if ((kind != KIND_PREDICTIVE)) {
        remembered = Real<typename Real<R>::Single>::select(good, memory.root, law_1.level);
    }
    auto root = m_mul_add(bits, (-law_1.beta1), remembered);
    if ((kind == KIND_PREDICTIVE)) {
        auto trend = m_mul_add(bits, (-law_1.beta1), (root + memory.root));
        root = Real<typename Real<R>::Single>::select(good, m_min(root, trend), root);
    }
    if ((kind != KIND_PI)) {
        root = m_at_least(root, law_1.min_root);
    }
    auto root_1 = m_at_most(root, law_1.max_root);
    auto factor = factor_of_root(root_1);
    auto next = m_at_least(m_mul_add(bits, law_1.beta2, law_1.base), law_1.fresh);
    auto last = memory.last;
    if ((kind == KIND_PID)) {
        auto kept = m_at_least(bits, law_1.floor);
        next = m_mul_add(kept, law_1.beta2, m_mul_add(law_1.beta3, memory.last, law_1.base));
        last = Real<typename Real<R>::Single>::select(good, kept, last);
    }
    if ((kind == KIND_PREDICTIVE)) {
        auto change = (root_1 - Real<typename Real<R>::Single>::lit(ROOT_ONE));
        next = m_mul_add(m_at_least(bits, law_1.floor), law_1.beta1, change);
        auto refused = (memory.root + change);
        next = Real<typename Real<R>::Single>::select(good, next, refused);
    } else {
        next = Real<typename Real<R>::Single>::select(good, next, memory.root);
    }
    auto memory_1 = make_Memory<R>(next, last);
    return make_Decision<R>(accept, factor, memory_1);
}
} // namespace control

namespace switching {
CONSTANT u64 STIFF = 128;
CONSTANT u64 EVER = 64;
CONSTANT u64 USED = 32;
CONSTANT u64 STEP = 256;
CONSTANT u64 STEPS_TO_STIFF = 10;
CONSTANT u64 STEPS_BACK = 3;
CONSTANT double SHARE = 0.9;
struct Mode;
template<class R> DEVICE typename Real<R>::Mask has(typename Real<R>::Bits mode, u64 which);
template<class R> DEVICE typename Real<R>::Bits next(typename Real<R>::Bits mode, typename Real<R>::Mask suggests);

// switching.rs  Returns whether the bit `which` of a mode is set.
template<class R> DEVICE typename Real<R>::Mask has(typename Real<R>::Bits mode, u64 which) {
    auto bit = Bits<typename Real<R>::Bits>::lit(which);
    return m_equals(op_and(mode, bit), bit);
}

// switching.rs  Returns the mode after a step that `suggests` the other method, or does not.
template<class R> DEVICE typename Real<R>::Bits next(typename Real<R>::Bits mode, typename Real<R>::Mask suggests) {
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    auto stiff = has<R>(mode, STIFF);
    auto counts = op_not(Bits<typename Real<R>::Bits>::lit((STEP - 1)));
    auto count = m_wrapping_add(op_and(mode, counts), Bits<typename Real<R>::Bits>::lit(STEP));
    auto count_1 = Bits<typename Real<R>::Bits>::select(suggests, count, none);
    auto there = Bits<typename Real<R>::Bits>::lit((STEPS_TO_STIFF * STEP));
    auto back = Bits<typename Real<R>::Bits>::lit((STEPS_BACK * STEP));
    auto turns = op_not(m_less_than(count_1, Bits<typename Real<R>::Bits>::select(stiff, back, there)));
    auto count_2 = Bits<typename Real<R>::Bits>::select(turns, none, count_1);
    auto then = op_or(op_and(stiff, op_not(turns)), op_and(turns, op_not(stiff)));
    auto ever = op_and(mode, Bits<typename Real<R>::Bits>::lit(EVER));
    auto bits = Bits<typename Real<R>::Bits>::select(then, Bits<typename Real<R>::Bits>::lit((STIFF + EVER)), ever);
    auto used = Bits<typename Real<R>::Bits>::select(stiff, Bits<typename Real<R>::Bits>::lit(USED), none);
    return op_or(op_or(count_2, bits), used);
}

// switching.rs  The [`Memory`] of methods that switch.
struct Mode {
    static constexpr bool SWITCHES = true;
    template<class R> static DEVICE typename Real<R>::Mask is_implicit(typename Real<R>::Bits memory) {
        return has<R>(memory, STIFF);
    }
    template<class R> static DEVICE typename Real<R>::Mask was_implicit(typename Real<R>::Bits memory) {
        return has<R>(memory, USED);
    }
    template<class R> static DEVICE typename Real<R>::Mask has_switched(typename Real<R>::Bits before, typename Real<R>::Bits after) {
        return has<R>(op_xor(before, after), STIFF);
    }
    template<class R> static DEVICE typename Real<R>::Bits reported(typename Real<R>::Bits memory) {
        return op_and(memory, Bits<typename Real<R>::Bits>::lit((STIFF + EVER)));
    }
};
} // namespace switching

namespace tsit5 {
TABLE double C[7] = {0.0, 0.161, 0.327, 0.9, 0.9800255409045097, 1.0, 1.0};
TABLE double A[6][6] = {{0.161, 0.0, 0.0, 0.0, 0.0, 0.0}, {(-0.008480655492356989), 0.335480655492357, 0.0, 0.0, 0.0, 0.0}, {2.8971530571054935, (-6.359448489975075), 4.3622954328695815, 0.0, 0.0, 0.0}, {5.325864828439257, (-11.748883564062828), 7.4955393428898365, (-0.09249506636175525), 0.0, 0.0}, {5.86145544294642, (-12.92096931784711), 8.159367898576159, (-0.071584973281401), (-0.028269050394068383), 0.0}, {0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, (-3.290069515436081), 2.324710524099774}};
TABLE double E[7] = {(-0.001780011052225777), (-0.0008164344596567469), 0.007880878010261995, (-0.1447110071732629), 0.5823571654525552, (-0.45808210592918697), 0.015151515151515152};
TABLE double B[7][4] = {{1.0, (-2.763706197274826), 2.9132554618219126, (-1.0530884977290216)}, {0.0, 0.13169999999999998, (-0.2234), 0.1017}, {0.0, 3.9302962368947516, (-5.941033872131505), 2.490627285651253}, {0.0, (-12.411077166933676), 30.33818863028232, (-16.548102889244902)}, {0.0, 37.50931341651104, (-88.1789048947664), 47.37952196281928}, {0.0, (-27.896526289197286), 65.09189467479366, (-34.87065786149661)}, {0.0, 1.5, (-4.0), 2.5}};
struct Tsit5;

// explicit.rs  Tsitouras' explicit method of order 5(4): the first choice for non-stiff systems.
struct Tsit5 {
    static constexpr int ORDER = 5;
    static constexpr bool ADAPTIVE = true;
    static constexpr bool FSAL = true;
    static constexpr bool GUARDS = false;
    static constexpr double DIAGONAL = 0.0;
    static constexpr bool ITERATES = false;
    static constexpr bool NEEDS_DU = false;
    template<class R, int N> using Kept = Arr<Arr<R, N>, 7>;
    using Memory = stepper::Nothing;
    template<class R, class S, int N, int P> static DEVICE stepper::Step<R, N, Arr<Arr<R, N>, 7>> step(S system, const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask) {
        const auto& u = state.u;
        const auto& p = state.p;
        const auto& at = ask.at;
        auto h = ask.h;
        auto k = repeat<7>(repeat<N>(Real<R>::lit(0.0)));
        if constexpr (true) {
            k[0] = state.du;
        } else {
            k[0] = system.rhs(u, p, at.t);
        }
        auto w = u;
        UNROLL for (int d = 0; d < N; d++) {
            auto sum = (Real<R>::lit(A[(1 - 1)][0]) * k[0][d]);
            w[d] = m_mul_add(h, sum, u[d]);
        }
        auto time = timeline::stage<R, S, N, P>(at, Real<R>::lit(C[1]));
        k[1] = system.rhs(w, p, time);
        UNROLL for (int d_1 = 0; d_1 < N; d_1++) {
            auto sum_1 = (Real<R>::lit(A[(2 - 1)][0]) * k[0][d_1]);
            sum_1 = m_mul_add(k[1][d_1], Real<R>::lit(A[(2 - 1)][1]), sum_1);
            w[d_1] = m_mul_add(h, sum_1, u[d_1]);
        }
        auto time_1 = timeline::stage<R, S, N, P>(at, Real<R>::lit(C[2]));
        k[2] = system.rhs(w, p, time_1);
        UNROLL for (int d_2 = 0; d_2 < N; d_2++) {
            auto sum_2 = (Real<R>::lit(A[(3 - 1)][0]) * k[0][d_2]);
            sum_2 = m_mul_add(k[1][d_2], Real<R>::lit(A[(3 - 1)][1]), sum_2);
            sum_2 = m_mul_add(k[2][d_2], Real<R>::lit(A[(3 - 1)][2]), sum_2);
            w[d_2] = m_mul_add(h, sum_2, u[d_2]);
        }
        auto time_2 = timeline::stage<R, S, N, P>(at, Real<R>::lit(C[3]));
        k[3] = system.rhs(w, p, time_2);
        UNROLL for (int d_3 = 0; d_3 < N; d_3++) {
            auto sum_3 = (Real<R>::lit(A[(4 - 1)][0]) * k[0][d_3]);
            sum_3 = m_mul_add(k[1][d_3], Real<R>::lit(A[(4 - 1)][1]), sum_3);
            sum_3 = m_mul_add(k[2][d_3], Real<R>::lit(A[(4 - 1)][2]), sum_3);
            sum_3 = m_mul_add(k[3][d_3], Real<R>::lit(A[(4 - 1)][3]), sum_3);
            w[d_3] = m_mul_add(h, sum_3, u[d_3]);
        }
        auto time_3 = timeline::stage<R, S, N, P>(at, Real<R>::lit(C[4]));
        k[4] = system.rhs(w, p, time_3);
        UNROLL for (int d_4 = 0; d_4 < N; d_4++) {
            auto sum_4 = (Real<R>::lit(A[(5 - 1)][0]) * k[0][d_4]);
            sum_4 = m_mul_add(k[1][d_4], Real<R>::lit(A[(5 - 1)][1]), sum_4);
            sum_4 = m_mul_add(k[2][d_4], Real<R>::lit(A[(5 - 1)][2]), sum_4);
            sum_4 = m_mul_add(k[3][d_4], Real<R>::lit(A[(5 - 1)][3]), sum_4);
            sum_4 = m_mul_add(k[4][d_4], Real<R>::lit(A[(5 - 1)][4]), sum_4);
            w[d_4] = m_mul_add(h, sum_4, u[d_4]);
        }
        auto time_4 = timeline::stage<R, S, N, P>(at, Real<R>::lit(C[5]));
        k[5] = system.rhs(w, p, time_4);
        UNROLL for (int d_5 = 0; d_5 < N; d_5++) {
            auto sum_5 = (Real<R>::lit(A[(6 - 1)][0]) * k[0][d_5]);
            sum_5 = m_mul_add(k[1][d_5], Real<R>::lit(A[(6 - 1)][1]), sum_5);
            sum_5 = m_mul_add(k[2][d_5], Real<R>::lit(A[(6 - 1)][2]), sum_5);
            sum_5 = m_mul_add(k[3][d_5], Real<R>::lit(A[(6 - 1)][3]), sum_5);
            sum_5 = m_mul_add(k[4][d_5], Real<R>::lit(A[(6 - 1)][4]), sum_5);
            sum_5 = m_mul_add(k[5][d_5], Real<R>::lit(A[(6 - 1)][5]), sum_5);
            w[d_5] = m_mul_add(h, sum_5, u[d_5]);
        }
        auto time_5 = timeline::stage<R, S, N, P>(at, Real<R>::lit(C[6]));
        k[6] = system.rhs(w, p, time_5);
        return stepper::made<R, N, Arr<Arr<R, N>, 7>>(w, k);
    }
    template<class R, class S, int N, int P> static DEVICE stepper::Step<R, N, Arr<Arr<R, N>, 7>> step_on(S system, const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask, const typename S::Noise::template Wiener<R>& _wiener) {
        return Tsit5::step<R, S, N, P>(system, state, ask);
    }
    template<class R, int N, int P> static DEVICE R scaled_error_sq(const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask, const stepper::Step<R, N, Arr<Arr<R, N>, 7>>& step) {
        const auto& u = state.u;
        auto h = ask.h;
        auto error = repeat<N>(Real<R>::lit(0.0));
        auto square = Real<R>::lit(0.0);
        UNROLL for (int d = 0; d < N; d++) {
            auto sum = (Real<R>::lit(E[0]) * step.k[0][d]);
            sum = m_mul_add(step.k[1][d], Real<R>::lit(E[1]), sum);
            sum = m_mul_add(step.k[2][d], Real<R>::lit(E[2]), sum);
            sum = m_mul_add(step.k[3][d], Real<R>::lit(E[3]), sum);
            sum = m_mul_add(step.k[4][d], Real<R>::lit(E[4]), sum);
            sum = m_mul_add(step.k[5][d], Real<R>::lit(E[5]), sum);
            sum = m_mul_add(step.k[6][d], Real<R>::lit(E[6]), sum);
            error[d] = (h * sum);
        }
        square = norm::scaled_error_sq<R, N>(error, u, step.u, state.tolerances);
        return square;
    }
    template<class R, int N, int P> static DEVICE R dense_error_sq(const stepper::State<R, N, P>& _state, const stepper::Ask<R>& _ask, const stepper::Step<R, N, Arr<Arr<R, N>, 7>>& _step) {
        return Real<R>::lit(0.0);
    }
    template<class R, int N> static DEVICE Arr<R, N> du_before(const Arr<Arr<R, N>, 7>& kept) {
        return kept[0];
    }
    template<class R, int N> static DEVICE Arr<R, N> du_after(const Arr<Arr<R, N>, 7>& kept) {
        return kept[6];
    }
    template<class R, class S, int N, int P> static DEVICE stepper::Step<R, N, Arr<Arr<R, N>, 7>> complete(S system, const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask, const stepper::Step<R, N, Arr<Arr<R, N>, 7>>& step) {
        const auto& u = state.u;
        const auto& p = state.p;
        const auto& at = ask.at;
        auto h = ask.h;
        auto out = step;
        return out;
    }
    template<class R, int N, int P> static DEVICE Arr<R, N> interpolate(const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask, const stepper::Step<R, N, Arr<Arr<R, N>, 7>>& step, R theta) {
        const auto& u = state.u;
        auto h = ask.h;
        auto sum = repeat<N>(Real<R>::lit(0.0));
        auto weight = Real<R>::lit(B[0][(4 - 1)]);
        UNROLL for (int j = 1; j < 4; j++) {
            weight = m_mul_add(weight, theta, Real<R>::lit(B[0][((4 - 1) - j)]));
        }
        UNROLL for (int d = 0; d < N; d++) {
            sum[d] = m_mul_add(step.k[0][d], weight, sum[d]);
        }
        auto weight_1 = Real<R>::lit(B[1][(4 - 1)]);
        UNROLL for (int j_1 = 1; j_1 < 4; j_1++) {
            weight_1 = m_mul_add(weight_1, theta, Real<R>::lit(B[1][((4 - 1) - j_1)]));
        }
        UNROLL for (int d_1 = 0; d_1 < N; d_1++) {
            sum[d_1] = m_mul_add(step.k[1][d_1], weight_1, sum[d_1]);
        }
        auto weight_2 = Real<R>::lit(B[2][(4 - 1)]);
        UNROLL for (int j_2 = 1; j_2 < 4; j_2++) {
            weight_2 = m_mul_add(weight_2, theta, Real<R>::lit(B[2][((4 - 1) - j_2)]));
        }
        UNROLL for (int d_2 = 0; d_2 < N; d_2++) {
            sum[d_2] = m_mul_add(step.k[2][d_2], weight_2, sum[d_2]);
        }
        auto weight_3 = Real<R>::lit(B[3][(4 - 1)]);
        UNROLL for (int j_3 = 1; j_3 < 4; j_3++) {
            weight_3 = m_mul_add(weight_3, theta, Real<R>::lit(B[3][((4 - 1) - j_3)]));
        }
        UNROLL for (int d_3 = 0; d_3 < N; d_3++) {
            sum[d_3] = m_mul_add(step.k[3][d_3], weight_3, sum[d_3]);
        }
        auto weight_4 = Real<R>::lit(B[4][(4 - 1)]);
        UNROLL for (int j_4 = 1; j_4 < 4; j_4++) {
            weight_4 = m_mul_add(weight_4, theta, Real<R>::lit(B[4][((4 - 1) - j_4)]));
        }
        UNROLL for (int d_4 = 0; d_4 < N; d_4++) {
            sum[d_4] = m_mul_add(step.k[4][d_4], weight_4, sum[d_4]);
        }
        auto weight_5 = Real<R>::lit(B[5][(4 - 1)]);
        UNROLL for (int j_5 = 1; j_5 < 4; j_5++) {
            weight_5 = m_mul_add(weight_5, theta, Real<R>::lit(B[5][((4 - 1) - j_5)]));
        }
        UNROLL for (int d_5 = 0; d_5 < N; d_5++) {
            sum[d_5] = m_mul_add(step.k[5][d_5], weight_5, sum[d_5]);
        }
        auto weight_6 = Real<R>::lit(B[6][(4 - 1)]);
        UNROLL for (int j_6 = 1; j_6 < 4; j_6++) {
            weight_6 = m_mul_add(weight_6, theta, Real<R>::lit(B[6][((4 - 1) - j_6)]));
        }
        UNROLL for (int d_6 = 0; d_6 < N; d_6++) {
            sum[d_6] = m_mul_add(step.k[6][d_6], weight_6, sum[d_6]);
        }
        auto out = u;
        UNROLL for (int d_7 = 0; d_7 < N; d_7++) {
            out[d_7] = m_mul_add((h * theta), sum[d_7], u[d_7]);
        }
        return out;
    }
};
} // namespace tsit5

namespace options {
CONSTANT int MANY_PARAMETERS = 448;
CONSTANT int MOST_FEATURES = 8;
CONSTANT int MOST_JUMPS = 16;

// options.rs  The options that all trajectories of a solve share.
template<class R, int N> struct Options {
    norm::Tolerances<R, N> tolerances;
    R dt;
    R dtmin;
    R dtmax;
    bool limited;
    bool stops;
    bool every_step;
    control::Law<R> law;
    control::Law<R> stiff_law;
    u32 kind;
    typename Real<R>::Bits max_steps;
    u32 guard;
    Arr<typename Real<R>::Bits, 2> noise_seed;
    u32 noise_levels;
};
template<class R, int N> DEVICE Options<R, N> make_Options(const norm::Tolerances<R, N>& tolerances, const R& dt, const R& dtmin, const R& dtmax, const bool& limited, const bool& stops, const bool& every_step, const control::Law<R>& law, const control::Law<R>& stiff_law, const u32& kind, const typename Real<R>::Bits& max_steps, const u32& guard, const Arr<typename Real<R>::Bits, 2>& noise_seed, const u32& noise_levels) { return {tolerances, dt, dtmin, dtmax, limited, stops, every_step, law, stiff_law, kind, max_steps, guard, noise_seed, noise_levels}; }

// options.rs  The end of a trajectory.
template<class R> struct End {
    R t;
    typename Real<R>::Bits code;
    typename Real<R>::Bits steps;
    typename Real<R>::Bits rejected;
    typename Real<R>::Bits saved;
    typename Real<R>::Bits guarded;
};
template<class R> DEVICE End<R> make_End(const R& t, const typename Real<R>::Bits& code, const typename Real<R>::Bits& steps, const typename Real<R>::Bits& rejected, const typename Real<R>::Bits& saved, const typename Real<R>::Bits& guarded) { return {t, code, steps, rejected, saved, guarded}; }
template<class R, class M, int N> DEVICE control::Law<R> law_of(const Options<R, N>& o, typename Real<R>::Bits memory);
template<class R> DEVICE End<R> end(R t, typename Real<R>::Bits code, typename Real<R>::Bits steps, typename Real<R>::Bits rejected, typename Real<R>::Bits saved, typename Real<R>::Bits guarded);

// options.rs  Returns the control law of the method that `memory` selects.
template<class R, class M, int N> DEVICE control::Law<R> law_of(const Options<R, N>& o, typename Real<R>::Bits memory) {
    auto law = o.law;
    if constexpr (M::Memory::SWITCHES) {
        auto implicit = M::Memory::template is_implicit<R>(memory);
        law = control::choose_law<R>(implicit, o.stiff_law, o.law);
    }
    return law;
}

// options.rs  Makes an [`End`].
template<class R> DEVICE End<R> end(R t, typename Real<R>::Bits code, typename Real<R>::Bits steps, typename Real<R>::Bits rejected, typename Real<R>::Bits saved, typename Real<R>::Bits guarded) {
    return make_End<R>(t, code, steps, rejected, saved, guarded);
}
} // namespace options

namespace lane {
CONSTANT int MOST_DUE = 8;

// lane.rs  The progress of a lane's trajectory, without its arrays.
template<class R> struct Lane {
    R t0;
    R t1;
    R t;
    R t_low;
    R dt;
    R last_dt;
    R plan;
    control::Memory<R> control;
    typename Real<R>::Bits memory;
    typename Real<R>::Bits attempts;
    typename Real<R>::Bits last_attempt;
    typename Real<R>::Bits before;
    typename Real<R>::Bits stop;
    typename Real<R>::Bits rejected;
    typename Real<R>::Bits fractions;
    typename Real<R>::Bits code;
    typename Real<R>::Bits saved;
    R save_at;
    typename Real<R>::Mask alive;
    typename Real<R>::Mask mirrored;
    typename Real<R>::Bits guarded;
    typename Real<R>::Bits sides;
    typename Real<R>::Bits known;
    typename Real<R>::Mask unsettled;
    typename Real<R>::Bits pending;
    R refused;
    R covered;
    R acted;
    typename Real<R>::Bits chain;
    typename Real<R>::Bits fired;
    R horizon;
    Arr<R, MOST_DUE> due;
    Arr<typename Real<R>::Bits, MOST_DUE> due_events;
    Arr<typename Real<R>::Bits, 2> number;
    typename Real<R>::Bits cell;
    typename Real<R>::Bits first_cell;
    typename Real<R>::Bits node;
    typename Real<R>::Mask moved;
    typename Real<R>::Mask begun;
    R size;
    R errors;
    R weight;
};
template<class R> DEVICE Lane<R> make_Lane(const R& t0, const R& t1, const R& t, const R& t_low, const R& dt, const R& last_dt, const R& plan, const control::Memory<R>& control, const typename Real<R>::Bits& memory, const typename Real<R>::Bits& attempts, const typename Real<R>::Bits& last_attempt, const typename Real<R>::Bits& before, const typename Real<R>::Bits& stop, const typename Real<R>::Bits& rejected, const typename Real<R>::Bits& fractions, const typename Real<R>::Bits& code, const typename Real<R>::Bits& saved, const R& save_at, const typename Real<R>::Mask& alive, const typename Real<R>::Mask& mirrored, const typename Real<R>::Bits& guarded, const typename Real<R>::Bits& sides, const typename Real<R>::Bits& known, const typename Real<R>::Mask& unsettled, const typename Real<R>::Bits& pending, const R& refused, const R& covered, const R& acted, const typename Real<R>::Bits& chain, const typename Real<R>::Bits& fired, const R& horizon, const Arr<R, MOST_DUE>& due, const Arr<typename Real<R>::Bits, MOST_DUE>& due_events, const Arr<typename Real<R>::Bits, 2>& number, const typename Real<R>::Bits& cell, const typename Real<R>::Bits& first_cell, const typename Real<R>::Bits& node, const typename Real<R>::Mask& moved, const typename Real<R>::Mask& begun, const R& size, const R& errors, const R& weight) { return {t0, t1, t, t_low, dt, last_dt, plan, control, memory, attempts, last_attempt, before, stop, rejected, fractions, code, saved, save_at, alive, mirrored, guarded, sides, known, unsettled, pending, refused, covered, acted, chain, fired, horizon, due, due_events, number, cell, first_cell, node, moved, begun, size, errors, weight}; }
template<class R> DEVICE Lane<R> empty(R t0, R t1, const control::Law<R>& law);
template<class R> DEVICE typename Real<R>::Mask is_in_need(const Lane<R>& lane);
template<class R> DEVICE typename Real<R>::Mask is_unsound(const Lane<R>& lane);
template<class R> DEVICE typename Real<R>::Mask is_at_end(const Lane<R>& lane);
template<class R, class M> DEVICE typename Real<R>::Bits looks_ahead(const Lane<R>& lane, u32 setting);
template<class R> DEVICE R ahead(const Lane<R>& lane, bool adaptive);

// lane.rs  Returns a lane before its first trajectory.
template<class R> DEVICE Lane<R> empty(R t0, R t1, const control::Law<R>& law) {
    auto zero = Real<R>::lit(0.0);
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    return make_Lane<R>(t0, t1, zero, zero, zero, zero, zero, control::fresh<R>(law), none, none, none, none, none, none, none, none, none, zero, Mask<typename Real<R>::Mask>::splat(true), Mask<typename Real<R>::Mask>::splat(false), none, none, none, Mask<typename Real<R>::Mask>::splat(false), none, zero, zero, zero, none, none, zero, repeat<MOST_DUE>(zero), repeat<MOST_DUE>(none), repeat<2>(none), none, none, none, Mask<typename Real<R>::Mask>::splat(false), Mask<typename Real<R>::Mask>::splat(false), zero, zero, zero);
}

// lane.rs  Returns whether a lane is idle.
template<class R> DEVICE typename Real<R>::Mask is_in_need(const Lane<R>& lane) {
    return op_not(m_less_than(lane.attempts, lane.last_attempt));
}

// lane.rs  Returns whether the trajectory of a lane cannot be solved.
template<class R> DEVICE typename Real<R>::Mask is_unsound(const Lane<R>& lane) {
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    return op_and(m_equals(lane.last_attempt, none), m_less_than(none, lane.attempts));
}

// lane.rs  Returns whether an adaptive lane is at the end of its segment.
template<class R> DEVICE typename Real<R>::Mask is_at_end(const Lane<R>& lane) {
    return m_equals(((lane.t1 - lane.t) - lane.t_low), Real<R>::lit(0.0));
}

// lane.rs  Returns the number of look-ahead attempts at the end: 0 or 1.
template<class R, class M> DEVICE typename Real<R>::Bits looks_ahead(const Lane<R>& lane, u32 setting) {
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    auto attempts = none;
    if ((M::GUARDS && (setting != guard::OFF))) {
        attempts = Bits<typename Real<R>::Bits>::lit(1);
        if constexpr (M::Memory::SWITCHES) {
            auto implicit = M::Memory::template is_implicit<R>(lane.memory);
            attempts = Bits<typename Real<R>::Bits>::select(implicit, attempts, none);
        }
    }
    return attempts;
}

// lane.rs  Returns the distance of the next saved time from the beginning of the step.
template<class R> DEVICE R ahead(const Lane<R>& lane, bool adaptive) {
    auto ahead_1 = ((lane.save_at - lane.t) - lane.t_low);
    if (op_not(adaptive)) {
        auto one = Bits<typename Real<R>::Bits>::lit(1);
        auto done = timeline::whole_from_bits<R>(m_wrapping_sub(lane.attempts, one));
        ahead_1 = (m_mul_add((-done), lane.dt, (lane.save_at - lane.t0)) - lane.covered);
    }
    return ahead_1;
}
} // namespace lane

namespace consistent {

// consistent.rs  A consistent state.
template<class R, int N> struct Start {
    Arr<R, N> u;
    typename Real<R>::Bits code;
};
template<class R, int N> DEVICE Start<R, N> make_Start(const Arr<R, N>& u, const typename Real<R>::Bits& code) { return {u, code}; }
CONSTANT double SHORT = 1e20;
CONSTANT u32 ITERATIONS = 24;
CONSTANT double FRACTION = 1e-3;
CONSTANT double ROUNDING_DOUBLE = 1e-13;
CONSTANT double ROUNDING_SINGLE = 1e-5;
template<class R, class S, int N, int P> DEVICE Start<R, N> consistent(S system, const Arr<R, N>& u, const Arr<R, P>& p, R t, const norm::Tolerances<R, N>& tolerances);
template<class R, class S, int N, int P> DEVICE void settle(S system, stepper::State<R, N, P>& state, lane::Lane<R>& lane, typename Real<R>::Mask which, R t);
template<class R, class S, int N, int P> DEVICE Arr<R, N> derivative(S system, const Arr<R, N>& u, const Arr<R, P>& p, R t, const Arr<R, N>& f);

// consistent.rs  Returns the state near `u` that solves the algebraic equations.
template<class R, class S, int N, int P> DEVICE Start<R, N> consistent(S system, const Arr<R, N>& u, const Arr<R, P>& p, R t, const norm::Tolerances<R, N>& tolerances) {
    auto zero = repeat<N>(Real<R>::lit(0.0));
    auto n = Real<R>::lit((double)(N));
    auto last = tolerances;
    UNROLL for (int d = 0; d < N; d++) {
        last.abstol[d] = (tolerances.abstol[d] * Real<R>::lit(FRACTION));
    }
    auto rounding = Real<R>::lit_of(ROUNDING_DOUBLE, ROUNDING_SINGLE);
    last.reltol = m_max(rounding, (tolerances.reltol * Real<R>::lit(FRACTION)));
    auto found = u;
    auto success = Bits<typename Real<R>::Bits>::lit(code::SUCCESS);
    auto code = success;
    auto open = Mask<typename Real<R>::Mask>::splat(true);
    u32 left = ITERATIONS;
    for (;;) {
        auto w = system.factor(found, p, t, Real<R>::lit(SHORT));
        auto f = system.rhs(found, p, t);
        if ((left == ITERATIONS)) {
            open = op_and(norm::is_finite<R, N>(u), norm::is_finite<R, N>(f));
            auto non_finite = Bits<typename Real<R>::Bits>::lit(code::NON_FINITE);
            code = Bits<typename Real<R>::Bits>::select(open, success, non_finite);
        }
        auto change = system.solve(w, system.algebraic_rows(f, zero));
        auto moved = found;
        UNROLL for (int d_1 = 0; d_1 < N; d_1++) {
            moved[d_1] = (found[d_1] + change[d_1]);
        }
        auto moved_1 = system.algebraic_columns(moved, found);
        UNROLL for (int d_2 = 0; d_2 < N; d_2++) {
            change[d_2] = (moved_1[d_2] - found[d_2]);
        }
        auto square = norm::scaled_error_sq<R, N>(change, found, moved_1, last);
        UNROLL for (int d_3 = 0; d_3 < N; d_3++) {
            found[d_3] = Real<R>::select(open, moved_1[d_3], found[d_3]);
        }
        open = op_and(open, op_not(m_le(square, n)));
        left = (left - 1);
        auto stop = (left == 0);
        if (stop) {
            auto square_1 = norm::scaled_error_sq<R, N>(change, found, found, tolerances);
            open = op_and(open, op_not(m_le(square_1, n)));
            break;
        }
        if (op_not(m_any(open))) {
            break;
        }
    }
    UNROLL for (int d_4 = 0; d_4 < N; d_4++) {
        found[d_4] = Real<R>::select(open, u[d_4], found[d_4]);
    }
    auto inconsistent = Bits<typename Real<R>::Bits>::lit(code::INCONSISTENT);
    code = Bits<typename Real<R>::Bits>::select(open, inconsistent, code);
    return make_Start<R, N>(found, code);
}

// consistent.rs  Makes the states of lanes `which` consistent at `t`.
template<class R, class S, int N, int P> DEVICE void settle(S system, stepper::State<R, N, P>& state, lane::Lane<R>& lane, typename Real<R>::Mask which, R t) {
    if constexpr ((S::ALGEBRAIC > 0)) {
        auto start = consistent<R, S, N, P>(system, state.u, state.p, t, state.tolerances);
        auto success = Bits<typename Real<R>::Bits>::lit(code::SUCCESS);
        state.u = vector::choose<R, N>(which, start.u, state.u);
        auto sound = op_and(which, m_equals(lane.code, success));
        lane.code = Bits<typename Real<R>::Bits>::select(sound, start.code, lane.code);
    }
}

// consistent.rs  Returns the derivative `u'` at a consistent state with right-hand side `f`.
template<class R, class S, int N, int P> DEVICE Arr<R, N> derivative(S system, const Arr<R, N>& u, const Arr<R, P>& p, R t, const Arr<R, N>& f) {
    auto by_time = repeat<N>(Real<R>::lit(0.0));
    if constexpr (op_not(S::AUTONOMOUS)) {
        by_time = system.time_gradient(u, p, t);
    }
    auto scaled = f;
    UNROLL for (int d = 0; d < N; d++) {
        scaled[d] = (f[d] * Real<R>::lit(SHORT));
    }
    auto w = system.factor(u, p, t, Real<R>::lit(SHORT));
    return system.solve(w, system.algebraic_rows(by_time, scaled));
}
} // namespace consistent

namespace first_step {
CONSTANT double RAISED = 16.0;
CONSTANT double LOG2_LEAST_BEND = (-10.0);
CONSTANT double LOG2_AT_REST = (-16.609640474436812);
CONSTANT double LOG2_PART = (-6.643856189774724);
CONSTANT double PART_OF_STILL = 1e-6;
CONSTANT double SHORTER = 0.0625;
CONSTANT double MOST = 100.0;
CONSTANT u32 ROUNDS = 12;
CONSTANT double LOG2_SHARE = (-13.287712379549449);
CONSTANT double LARGEST_DOUBLE = 1.0715086071862673e301;
CONSTANT double LARGEST_SINGLE = 1.329227995784916e36;
template<class R, class S, class M, int N, int P> DEVICE R size(S system, const Arr<R, N>& u, const Arr<R, P>& p, R t, R span, const Arr<R, N>& k, const norm::Tolerances<R, N>& tolerances);
template<class R> DEVICE R shortest(R of_u, R of_du, R span);
template<class R> DEVICE typename Real<R>::Mask is_rough(R h0, R of_du, R of_change, R t, R span);
template<class R> DEVICE typename Real<R>::Mask moves_less(R of_du, R span, R least);
template<class R> DEVICE typename Real<R>::Mask bends(R of_du, R of_bend);
template<class R> DEVICE R longest(R of_du, R of_change, R h0, R most, R span, typename Real<R>::Single root);
template<class R> DEVICE R shortened(R h, R of_du, R of_bend);
template<class R> DEVICE typename Real<R>::Single log2(R x);
template<class R> DEVICE R exp2(typename Real<R>::Single x);
template<class R> DEVICE R possible(R size_1, R t, R span);
template<class R> DEVICE typename Real<R>::Mask is_gentle(R h, R of_du, R of_change);
template<class R, class S, class M, int N, int P> DEVICE R after_action(S system, const stepper::State<R, N, P>& state, R t, R rest, R h, const Arr<R, N>& k, typename Real<R>::Mask which);
template<class R, class S, int N, int P> DEVICE Arr<R, N> du_change(S system, const Arr<R, N>& u, const Arr<R, P>& p, R t, R h, const Arr<R, N>& k);
template<class R> DEVICE typename Real<R>::Mask is_blind(R size_1, R t, R span);

// first_step.rs  Returns the first step size, positive and at most the length of the span.
template<class R, class S, class M, int N, int P> DEVICE R size(S system, const Arr<R, N>& u, const Arr<R, P>& p, R t, R span, const Arr<R, N>& k, const norm::Tolerances<R, N>& tolerances) {
    auto zero = repeat<N>(Real<R>::lit(0.0));
    auto mean = Real<R>::lit((1.0 / (double)(N)));
    auto of_u = (norm::scaled_error_sq<R, N>(u, u, zero, tolerances) * mean);
    auto of_du = (norm::scaled_error_sq<R, N>(k, u, zero, tolerances) * mean);
    auto h0 = shortest<R>(of_u, of_du, span);
    auto most = (h0 * Real<R>::lit(MOST));
    auto first = du_change<R, S, N, P>(system, u, p, t, m_copysign(h0, span), k);
    auto of_change = (norm::scaled_error_sq<R, N>(first, u, zero, tolerances) * mean);
    auto rough = is_rough<R>(h0, of_du, of_change, t, span);
    u32 rounds = 0;
    while (m_any(rough)) {
        auto part = Real<R>::select(rough, (h0 * Real<R>::lit(SHORTER)), h0);
        auto near = du_change<R, S, N, P>(system, u, p, t, m_copysign(part, span), k);
        auto bend = vector::add(near, (-(part / h0)), first);
        auto of_bend = (norm::scaled_error_sq<R, N>(bend, u, zero, tolerances) * mean);
        h0 = part;
        first = near;
        of_change = (norm::scaled_error_sq<R, N>(near, u, zero, tolerances) * mean);
        rough = op_and(rough, bends<R>(of_du, of_bend));
        most = Real<R>::select(rough, (h0 * Real<R>::lit(MOST)), most);
        rough = op_and(rough, is_rough<R>(h0, of_du, of_change, t, span));
        rounds = (rounds + 1);
        if ((rounds == ROUNDS)) {
            rough = Mask<typename Real<R>::Mask>::splat(false);
        }
    }
    auto root = Real<typename Real<R>::Single>::lit((0.5 / ((double)(M::ORDER) + 1.0)));
    auto wanted = longest<R>(of_du, of_change, h0, most, span, root);
    auto h = possible<R>(wanted, t, span);
    auto second = du_change<R, S, N, P>(system, u, p, t, m_copysign(h, span), k);
    auto of_second = (norm::scaled_error_sq<R, N>(second, u, zero, tolerances) * mean);
    auto bend_1 = vector::add(second, (-(h / h0)), first);
    auto of_bend_1 = (norm::scaled_error_sq<R, N>(bend_1, u, zero, tolerances) * mean);
    auto size_1 = shortened<R>(wanted, of_du, of_bend_1);
    return Real<R>::select(is_gentle<R>(h, of_du, of_second), possible<R>(size_1, t, span), size_1);
}

// first_step.rs  Returns the size `h₀` of the first Euler step.
template<class R> DEVICE R shortest(R of_u, R of_du, R span) {
    auto half_ = Real<typename Real<R>::Single>::lit(0.5);
    auto none = Real<typename Real<R>::Single>::lit(0.0);
    auto speed = (log2<R>(of_du) * half_);
    auto whole = log2<R>(m_abs(span));
    auto amount = (m_max((log2<R>(of_u) + Real<typename Real<R>::Single>::lit(LOG2_SHARE)), none) * half_);
    auto most = (whole + Real<typename Real<R>::Single>::lit(LOG2_PART));
    auto moves = exp2<R>(m_min((amount - speed), most));
    auto still = (m_abs(span) * Real<R>::lit(PART_OF_STILL));
    return m_at_most(Real<R>::select(moves_less<R>(of_du, span, Real<R>::lit(0.0)), still, moves), m_abs(span));
}

// first_step.rs  Returns whether the first Euler step must be shorter.
template<class R> DEVICE typename Real<R>::Mask is_rough(R h0, R of_du, R of_change, R t, R span) {
    auto possible_1 = m_gt((h0 * Real<R>::lit(SHORTER)), timeline::least_step(t));
    auto known = m_lt(of_du, Real<R>::lit_of(LARGEST_DOUBLE, LARGEST_SINGLE));
    return op_and(op_and(op_and(possible_1, known), op_not(moves_less<R>(of_du, span, Real<R>::lit(LOG2_AT_REST)))), op_not(m_le(of_change, (of_du * Real<R>::lit(0.25)))));
}

// first_step.rs  Returns whether the state moves by less than `2^least` tolerances in the span.
template<class R> DEVICE typename Real<R>::Mask moves_less(R of_du, R span, R least) {
    auto half_ = Real<typename Real<R>::Single>::lit(0.5);
    auto amount = ((log2<R>(of_du) * half_) + log2<R>(m_abs(span)));
    return m_lt(Real<R>::from_single(amount), least);
}

// first_step.rs  Returns whether the derivative bends in the first Euler step.
template<class R> DEVICE typename Real<R>::Mask bends(R of_du, R of_bend) {
    return op_not(m_le(of_bend, (of_du * Real<R>::lit(((0.25 * SHORTER) * SHORTER)))));
}

// first_step.rs  Returns the size `h₁`.
template<class R> DEVICE R longest(R of_du, R of_change, R h0, R most, R span, typename Real<R>::Single root) {
    auto half_ = Real<typename Real<R>::Single>::lit(0.5);
    auto shortest_1 = log2<R>(h0);
    auto unit = log2<R>(most);
    auto change = log2<R>(of_change);
    auto speed = m_max(log2<R>(of_du), change);
    auto rate = (((((change - speed) - shortest_1) - shortest_1) + unit) + unit);
    auto amount = ((speed + unit) + unit);
    auto share = Real<typename Real<R>::Single>::lit(LOG2_SHARE);
    auto log = (((share - amount) * root) - m_min((rate * root), (rate * (half_ - root))));
    return m_at_most(exp2<R>((unit + m_min(log, Real<typename Real<R>::Single>::lit(0.0)))), m_abs(span));
}

// first_step.rs  Returns the size after the second Euler step.
template<class R> DEVICE R shortened(R h, R of_du, R of_bend) {
    auto ratio = ((log2<R>(of_du) - log2<R>(of_bend)) * Real<typename Real<R>::Single>::lit(0.5));
    auto least = Real<typename Real<R>::Single>::lit(LOG2_LEAST_BEND);
    auto none = Real<typename Real<R>::Single>::lit(0.0);
    return (h * control::exp2_wide<R>(m_min(m_max(ratio, least), none)));
}

// first_step.rs  Returns the binary logarithm of a non-negative number, piecewise linear.
template<class R> DEVICE typename Real<R>::Single log2(R x) {
    auto one = m_bits_to_single(Real<R>::lit(1.0));
    auto cap = m_bits_to_single(Real<R>::lit_of(LARGEST_DOUBLE, LARGEST_SINGLE));
    return ((m_at_most(m_bits_to_single(x), cap) - one) * control::octave<R>());
}

// first_step.rs  Returns about `2^x`, with `x` limited to the exponents of finite numbers.
template<class R> DEVICE R exp2(typename Real<R>::Single x) {
    auto largest = log2<R>(Real<R>::lit_of(LARGEST_DOUBLE, LARGEST_SINGLE));
    return control::exp2_wide<R>(m_min(m_max(x, (-largest)), largest));
}

// first_step.rs  Returns the size, at least one that advances time, at most the span.
template<class R> DEVICE R possible(R size_1, R t, R span) {
    return m_at_most(m_max(size_1, timeline::least_step(t)), m_abs(span));
}

// first_step.rs  Returns whether an Euler step of size `h` follows the solution.
template<class R> DEVICE typename Real<R>::Mask is_gentle(R h, R of_du, R of_change) {
    return op_or(m_le(of_change, (of_du * Real<R>::lit(0.25))), m_le(((of_change * h) * h), Real<R>::lit(1.0)));
}

// first_step.rs  Returns the size of the first step after an action.
template<class R, class S, class M, int N, int P> DEVICE R after_action(S system, const stepper::State<R, N, P>& state, R t, R rest, R h, const Arr<R, N>& k, typename Real<R>::Mask which) {
    auto zero = repeat<N>(Real<R>::lit(0.0));
    auto mean = Real<R>::lit((1.0 / (double)(N)));
    const auto& tolerances = state.tolerances;
    auto of_du = (norm::scaled_error_sq<R, N>(k, state.u, zero, tolerances) * mean);
    auto part = m_at_most(m_abs(h), m_abs(rest));
    auto near = (part * Real<R>::lit(SHORTER));
    auto whole = du_change<R, S, N, P>(system, state.u, state.p, t, m_copysign(part, rest), k);
    auto first = du_change<R, S, N, P>(system, state.u, state.p, t, m_copysign(near, rest), k);
    auto bend = vector::add(first, Real<R>::lit((-SHORTER)), whole);
    auto of_bend = (norm::scaled_error_sq<R, N>(bend, state.u, zero, tolerances) * mean);
    auto next = m_abs(h);
    auto rough = op_and(which, bends<R>(of_du, of_bend));
    if (m_any(rough)) {
        auto anew = size<R, S, M, N, P>(system, state.u, state.p, t, rest, k, tolerances);
        next = Real<R>::select(rough, m_at_most(anew, next), next);
    }
    return next;
}

// first_step.rs  Returns the change of the derivative `k` in an Euler step of size `h`.
template<class R, class S, int N, int P> DEVICE Arr<R, N> du_change(S system, const Arr<R, N>& u, const Arr<R, P>& p, R t, R h, const Arr<R, N>& k) {
    auto moved = vector::add(u, h, k);
    auto there = system.rhs(moved, p, (t + h));
    if constexpr (S::MASS) {
        there = consistent::derivative<R, S, N, P>(system, moved, p, (t + h), there);
    }
    return vector::add(there, Real<R>::lit((-1.0)), k);
}

// first_step.rs  Returns whether even a step of [`RAISED`] times this `size` would not advance time.
template<class R> DEVICE typename Real<R>::Mask is_blind(R size_1, R t, R span) {
    return op_and(m_lt((size_1 * Real<R>::lit(RAISED)), timeline::least_step(t)), m_lt(size_1, m_abs(span)));
}
} // namespace first_step

namespace actions {
CONSTANT u32 MOST_AT_ONCE = 64;
template<class R, class S, int N, int P> DEVICE int scheduled(int number);
template<class R, class S, int N, int P> DEVICE int condition(int number);
template<class R, class S, int N, int P> DEVICE int delayed(int number);
template<class R, class S, int N, int P> DEVICE int jump(int number);
template<class R, class S, class Q, int N, int P> DEVICE void change(S system, Q& io, stepper::State<R, N, P>& state, int index, R t, typename Real<R>::Mask which);
template<class R, class S, int N, int P> DEVICE typename Real<R>::Mask ends(S system, const stepper::State<R, N, P>& state, R t, int index, typename Real<R>::Bits count);
template<class R, class S, int N, int P> DEVICE void choose_modes(stepper::State<R, N, P>& state, const Arr<R, P>& p, typename Real<R>::Mask which);
template<class R, class S, class Q, int N, int P> DEVICE void hand_in(Q& io, const Arr<R, P>& p, typename Real<R>::Mask over);

// actions.rs  Returns the index of scheduled action `number`, among all actions.
template<class R, class S, int N, int P> DEVICE int scheduled(int number) {
    return (S::EVENTS + number);
}

// actions.rs  Returns the index of condition `number`, among all actions.
template<class R, class S, int N, int P> DEVICE int condition(int number) {
    return ((S::EVENTS + S::TIMED) + number);
}

// actions.rs  Returns the index of the delayed action of event `number`, among all actions.
template<class R, class S, int N, int P> DEVICE int delayed(int number) {
    return (((S::EVENTS + S::TIMED) + S::CONDITIONS) + number);
}

// actions.rs  Returns the index of jump `number` among all counts.
template<class R, class S, int N, int P> DEVICE int jump(int number) {
    return (((S::EVENTS + S::TIMED) + S::CONDITIONS) + number);
}

// actions.rs  Runs action `index` in lanes `which`.
template<class R, class S, class Q, int N, int P> DEVICE void change(S system, Q& io, stepper::State<R, N, P>& state, int index, R t, typename Real<R>::Mask which) {
    if (io.records_actions()) {
        io.record_action(which, index, state.u, state.p, t);
    }
    auto after = system.event_action(index, state.u, state.p, t);
    if constexpr ((S::MODES > 0)) {
        auto p = system.modes_after(index, state.u, state.p, t);
        choose_modes<R, S, N, P>(state, p, which);
    }
    state.u = vector::choose<R, N>(which, after, state.u);
}

// actions.rs  Returns whether event `index` ends the trajectory at this count.
template<class R, class S, int N, int P> DEVICE typename Real<R>::Mask ends(S system, const stepper::State<R, N, P>& state, R t, int index, typename Real<R>::Bits count) {
    auto limit = timeline::whole_to_bits(system.event_limit(index, state.u, state.p, t));
    return op_and(m_less_than(Bits<typename Real<R>::Bits>::lit(0), limit), op_not(m_less_than(count, limit)));
}

// actions.rs  Copies the modes among the parameters `p` in lanes `which`.
template<class R, class S, int N, int P> DEVICE void choose_modes(stepper::State<R, N, P>& state, const Arr<R, P>& p, typename Real<R>::Mask which) {
    UNROLL for (int d = 0; d < S::MODES; d++) {
        auto mode = (S::FIRST_MODE + d);
        state.p[mode] = Real<R>::select(which, p[mode], state.p[mode]);
    }
}

// actions.rs  Delivers the final modes of lanes `over`, among the parameters `p`, to the sink.
template<class R, class S, class Q, int N, int P> DEVICE void hand_in(Q& io, const Arr<R, P>& p, typename Real<R>::Mask over) {
    UNROLL for (int d = 0; d < S::MODES; d++) {
        io.set_mode(over, d, p[(S::FIRST_MODE + d)]);
    }
}
} // namespace actions

namespace sides {
CONSTANT double STILL = 9.094947017729282e-13;
CONSTANT double LOW = 64.0;
template<class R> DEVICE typename Real<R>::Mask has(typename Real<R>::Bits set, typename Real<R>::Bits bit);
template<class R> DEVICE typename Real<R>::Bits with(typename Real<R>::Bits set, typename Real<R>::Bits bit, typename Real<R>::Mask which);
template<class R, class S, int N, int P> DEVICE typename Real<R>::Bits in_direction(typename Real<R>::Bits above);
template<class R, class S, class Q, class C, int N, int P> DEVICE void arm(S system, Q& io, const stepper::State<R, N, P>& state, lane::Lane<R>& lane, typename Real<R>::Mask begins, typename Real<R>::Mask fresh, typename Real<R>::Mask acted, typename Real<R>::Bits here, const Arr<R, N>& before, const Arr<R, P>& p_before);
template<class R, class S, int N, int P> DEVICE void settle(S system, const stepper::State<R, N, P>& state, lane::Lane<R>& lane, typename Real<R>::Mask which);
template<class R, class S, int N, int P> DEVICE Arr<typename Real<R>::Bits, 3> sides_of(S system, const stepper::State<R, N, P>& state, R t, R h, typename Real<R>::Bits here, const Arr<R, N>& before, const Arr<R, P>& p_before, typename Real<R>::Mask fresh);
template<class R> DEVICE typename Real<R>::Mask is_at_zero(R g, R slope, R t);
template<class R> DEVICE typename Real<R>::Mask stays_at_zero(R g, R was, R slope, R t);
template<class R, class S, int N, int P> DEVICE R slope_of(S system, int index, const Arr<R, N>& u, const Arr<R, P>& p, R t, const Arr<R, N>& du);
template<class R, class S, int N, int P> DEVICE typename Real<R>::Bits near(S system, const stepper::State<R, N, P>& state, R t, typename Real<R>::Mask which);
template<class R, class S, int N, int P> DEVICE Arr<typename Real<R>::Bits, 2> at_zero(S system, const stepper::State<R, N, P>& state, R t, const Arr<R, N>& before, const Arr<R, P>& p_before, const Arr<R, N>& du_before, R since, typename Real<R>::Bits fired);
template<class R, class S, int N, int P> DEVICE R units_of(S system, int index, const Arr<R, N>& u, const Arr<R, P>& p, R t);

// sides.rs  Returns whether the event of this bit is in a set.
template<class R> DEVICE typename Real<R>::Mask has(typename Real<R>::Bits set, typename Real<R>::Bits bit) {
    return op_not(m_equals(op_and(set, bit), Bits<typename Real<R>::Bits>::lit(0)));
}

// sides.rs  Returns a set with the event of this bit added in lanes `which`.
template<class R> DEVICE typename Real<R>::Bits with(typename Real<R>::Bits set, typename Real<R>::Bits bit, typename Real<R>::Mask which) {
    return Bits<typename Real<R>::Bits>::select(which, op_or(set, bit), set);
}

// sides.rs  Returns the events that count in this direction: to `above` zero, or below it.
template<class R, class S, int N, int P> DEVICE typename Real<R>::Bits in_direction(typename Real<R>::Bits above) {
    auto falls = Bits<typename Real<R>::Bits>::lit((u64)(S::FALLING));
    auto rises = Bits<typename Real<R>::Bits>::lit((u64)(S::RISING));
    return op_or(op_and(above, rises), op_and(op_not(above), falls));
}

// sides.rs  Initialises the sides of events in lanes that begin a segment or trajectory.
template<class R, class S, class Q, class C, int N, int P> DEVICE void arm(S system, Q& io, const stepper::State<R, N, P>& state, lane::Lane<R>& lane, typename Real<R>::Mask begins, typename Real<R>::Mask fresh, typename Real<R>::Mask acted, typename Real<R>::Bits here, const Arr<R, N>& before, const Arr<R, P>& p_before) {
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    lane.pending = Bits<typename Real<R>::Bits>::select(begins, none, lane.pending);
    lane.refused = Real<R>::select(begins, Real<R>::lit(0.0), lane.refused);
    lane.covered = Real<R>::select(begins, Real<R>::lit(0.0), lane.covered);
    if (m_any(fresh)) {
        lane.chain = Bits<typename Real<R>::Bits>::select(fresh, none, lane.chain);
        lane.fired = Bits<typename Real<R>::Bits>::select(fresh, none, lane.fired);
        lane.acted = Real<R>::select(fresh, lane.t0, lane.acted);
        UNROLL for (int e = 0; e < S::EVENTS; e++) {
            io.set_event_count(fresh, e, none);
        }
        UNROLL for (int e_1 = 0; e_1 < S::CONDITIONS; e_1++) {
            io.set_event_count(fresh, actions::condition<R, S, N, P>(e_1), none);
        }
    }
    auto renewed = op_or(fresh, acted);
    if (m_any(renewed)) {
        auto h = (lane.t1 - lane.t0);
        auto by_slope = fresh;
        if constexpr (C::PASSAGES) {
            by_slope = Mask<typename Real<R>::Mask>::splat(false);
        }
        auto sides = sides_of<R, S, N, P>(system, state, lane.t, h, here, before, p_before, by_slope);
        auto falls = Bits<typename Real<R>::Bits>::lit((u64)(S::FALLING));
        auto rises = Bits<typename Real<R>::Bits>::lit((u64)(S::RISING));
        auto rests = none;
        if constexpr ((op_not(S::MASS) && op_not(C::PASSAGES))) {
            auto acting = Bits<typename Real<R>::Bits>::lit((u64)(S::ACTING));
            auto rest = op_and(op_and(acting, op_xor(falls, rises)), op_not(sides[1]));
            rests = Bits<typename Real<R>::Bits>::select(fresh, rest, none);
        }
        auto stays = Bits<typename Real<R>::Bits>::select(fresh, none, op_and(lane.known, op_not(sides[1])));
        auto above = op_or(op_or(sides[0], op_and(rests, falls)), op_and(lane.sides, stays));
        auto known = op_or(op_or(sides[1], rests), stays);
        lane.sides = Bits<typename Real<R>::Bits>::select(renewed, above, lane.sides);
        lane.known = Bits<typename Real<R>::Bits>::select(renewed, known, lane.known);
    }
    if constexpr (op_not(C::PASSAGES)) {
        settle<R, S, N, P>(system, state, lane, begins);
    }
}

// sides.rs  Stores whether lanes `which` have an event function that is not strictly on its side.
template<class R, class S, int N, int P> DEVICE void settle(S system, const stepper::State<R, N, P>& state, lane::Lane<R>& lane, typename Real<R>::Mask which) {
    auto settled = Mask<typename Real<R>::Mask>::splat(true);
    auto bit = Bits<typename Real<R>::Bits>::lit(1);
    if constexpr ((S::EVENTS > 0)) {
        UNROLL for (int e = 0; e < S::EVENTS; e++) {
            auto g = system.event(e, state.u, state.p, lane.t);
            auto zero = Real<R>::lit(0.0);
            auto above = has<R>(lane.sides, bit);
            auto there = op_or(op_and(above, m_gt(g, zero)), op_and(op_not(above), m_lt(g, zero)));
            settled = op_and(op_and(settled, there), has<R>(lane.known, bit));
            bit = m_wrapping_add(bit, bit);
        }
    }
    lane.unsettled = op_or(op_and(which, op_not(settled)), op_and(op_not(which), lane.unsettled));
}

// sides.rs  Returns the sides of all events, the known ones, and the events at zero.
template<class R, class S, int N, int P> DEVICE Arr<typename Real<R>::Bits, 3> sides_of(S system, const stepper::State<R, N, P>& state, R t, R h, typename Real<R>::Bits here, const Arr<R, N>& before, const Arr<R, P>& p_before, typename Real<R>::Mask fresh) {
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    auto zero = Real<R>::lit(0.0);
    auto sides = none;
    auto known = none;
    auto at_zero_1 = none;
    auto bit = Bits<typename Real<R>::Bits>::lit(1);
    if constexpr ((S::EVENTS > 0)) {
        UNROLL for (int e = 0; e < S::EVENTS; e++) {
            auto g = system.event(e, state.u, state.p, t);
            auto was = system.event(e, before, p_before, t);
            auto slope = slope_of<R, S, N, P>(system, e, state.u, state.p, t, state.du);
            auto near_1 = op_and(has<R>(here, bit), stays_at_zero<R>(g, was, slope, t));
            auto by_slope = op_or(near_1, op_and(m_equals(g, zero), fresh));
            auto value = Real<R>::select(by_slope, (slope * m_copysign(Real<R>::lit(1.0), h)), g);
            sides = with<R>(sides, bit, m_gt(value, zero));
            known = with<R>(known, bit, op_or(m_gt(value, zero), m_lt(value, zero)));
            at_zero_1 = with<R>(at_zero_1, bit, near_1);
            bit = m_wrapping_add(bit, bit);
        }
    }
    return array(sides, known, at_zero_1);
}

// sides.rs  Returns whether an event function is zero up to the resolution of times near `t`.
template<class R> DEVICE typename Real<R>::Mask is_at_zero(R g, R slope, R t) {
    auto far = ((m_abs(t) * timeline::few_units<R>()) * Real<R>::lit(32.0));
    return m_le(m_abs(g), m_abs((slope * far)));
}

// sides.rs  Returns whether a function that was at zero before an action is at zero after it.
template<class R> DEVICE typename Real<R>::Mask stays_at_zero(R g, R was, R slope, R t) {
    return op_or(m_le(m_abs(g), (m_abs(was) * Real<R>::lit(4.0))), is_at_zero<R>(g, slope, t));
}

// sides.rs  Returns the slope of an event function along `du`.
template<class R, class S, int N, int P> DEVICE R slope_of(S system, int index, const Arr<R, N>& u, const Arr<R, P>& p, R t, const Arr<R, N>& du) {
    auto slope = Real<R>::lit(0.0);
    if constexpr ((S::EVENTS > 0)) {
        if constexpr (op_not(S::MASS)) {
            slope = system.event_slope(index, u, p, t, du);
        }
    }
    return slope;
}

// sides.rs  Returns the events with functions at zero in the state of lanes `which`, up to rounding.
template<class R, class S, int N, int P> DEVICE typename Real<R>::Bits near(S system, const stepper::State<R, N, P>& state, R t, typename Real<R>::Mask which) {
    auto here = Bits<typename Real<R>::Bits>::lit(0);
    auto bit = Bits<typename Real<R>::Bits>::lit(1);
    if constexpr ((S::EVENTS > 0)) {
        UNROLL for (int e = 0; e < S::EVENTS; e++) {
            auto g = system.event(e, state.u, state.p, t);
            auto slope = slope_of<R, S, N, P>(system, e, state.u, state.p, t, state.du);
            here = with<R>(here, bit, op_and(which, is_at_zero<R>(g, slope, t)));
            bit = m_wrapping_add(bit, bit);
        }
    }
    return here;
}

// sides.rs  Returns the events at rest at zero after an action, and those in contact.
template<class R, class S, int N, int P> DEVICE Arr<typename Real<R>::Bits, 2> at_zero(S system, const stepper::State<R, N, P>& state, R t, const Arr<R, N>& before, const Arr<R, P>& p_before, const Arr<R, N>& du_before, R since, typename Real<R>::Bits fired) {
    auto rests = Bits<typename Real<R>::Bits>::lit(0);
    auto touches = rests;
    auto bit = Bits<typename Real<R>::Bits>::lit(1);
    UNROLL for (int e = 0; e < S::EVENTS; e++) {
        auto here = has<R>(fired, bit);
        if (m_any(here)) {
            auto units = units_of<R, S, N, P>(system, e, before, p_before, t);
            auto g = system.event(e, state.u, state.p, t);
            auto was = system.event(e, before, p_before, t);
            auto near_1 = op_and(here, m_le(m_abs(g), m_max((m_abs(was) * Real<R>::lit(4.0)), units)));
            auto slope = system.event_slope(e, state.u, state.p, t, state.du);
            auto speed = m_abs(system.event_slope(e, before, p_before, t, du_before));
            auto still = m_le(m_abs(slope), (speed * Real<R>::lit(STILL)));
            rests = with<R>(rests, bit, op_and(near_1, still));
            auto low = m_le((speed * since), (units * Real<R>::lit(LOW)));
            touches = with<R>(touches, bit, op_and(near_1, low));
        }
        bit = m_wrapping_add(bit, bit);
    }
    return array(rests, touches);
}

// sides.rs  Returns the rounding error of an event function: a few units of its terms.
template<class R, class S, int N, int P> DEVICE R units_of(S system, int index, const Arr<R, N>& u, const Arr<R, P>& p, R t) {
    auto zero = Real<R>::lit(0.0);
    auto along = repeat<N>(zero);
    auto by_time = system.event_slope(index, u, p, t, along);
    auto sum = m_abs((by_time * t));
    UNROLL for (int d = 0; d < N; d++) {
        along[d] = Real<R>::lit(1.0);
        auto slope = (system.event_slope(index, u, p, t, along) - by_time);
        sum = (sum + m_abs((slope * u[d])));
        along[d] = zero;
    }
    return (sum * timeline::few_units<R>());
}
} // namespace sides

namespace recording {
CONSTANT int CAUSE = 1048576;
CONSTANT int COINCIDES = 1572864;
CONSTANT int SEGMENT = 2097152;
CONSTANT int END = 4194304;
CONSTANT u64 EVENT_OF = 63;
template<class R, class S, class Q, int N, int P> DEVICE void cause(Q& io, const stepper::State<R, N, P>& state, R t, typename Real<R>::Bits aimed, typename Real<R>::Bits fired, typename Real<R>::Mask which);

// recording.rs  Records the event that determined the time of a step's end, in lanes `which`.
template<class R, class S, class Q, int N, int P> DEVICE void cause(Q& io, const stepper::State<R, N, P>& state, R t, typename Real<R>::Bits aimed, typename Real<R>::Bits fired, typename Real<R>::Mask which) {
    auto one = Bits<typename Real<R>::Bits>::lit(1);
    auto aimed_1 = op_and(aimed, Bits<typename Real<R>::Bits>::lit(EVENT_OF));
    auto number = Bits<typename Real<R>::Bits>::lit((u64)(CAUSE));
    auto cause_1 = number;
    auto unknown = which;
    auto bit = one;
    auto event = one;
    UNROLL for (int _event = 0; _event < S::EVENTS; _event++) {
        auto here = op_and(which, sides::has<R>(fired, bit));
        cause_1 = Bits<typename Real<R>::Bits>::select(op_and(here, op_or(unknown, m_equals(aimed_1, event))), number, cause_1);
        unknown = op_and(unknown, op_not(here));
        bit = m_wrapping_add(bit, bit);
        event = m_wrapping_add(event, one);
        number = m_wrapping_add(number, one);
    }
    if constexpr ((S::EVENTS > 1)) {
        auto also = Bits<typename Real<R>::Bits>::lit((u64)(COINCIDES));
        bit = one;
        number = Bits<typename Real<R>::Bits>::lit((u64)(CAUSE));
        UNROLL for (int _event_1 = 0; _event_1 < S::EVENTS; _event_1++) {
            auto here_1 = op_and(op_and(which, sides::has<R>(fired, bit)), op_not(m_equals(cause_1, number)));
            io.record_mark(here_1, also, state.u, state.p, t);
            bit = m_wrapping_add(bit, bit);
            also = m_wrapping_add(also, one);
            number = m_wrapping_add(number, one);
        }
    }
    io.record_mark(which, cause_1, state.u, state.p, t);
}
} // namespace recording

namespace delays {
CONSTANT u64 LAST = 1073741824;

// delays.rs  The actions that ran at the start of a segment.
template<class R> struct Ran {
    typename Real<R>::Bits events;
    typename Real<R>::Mask over;
};
template<class R> DEVICE Ran<R> make_Ran(const typename Real<R>::Bits& events, const typename Real<R>::Mask& over) { return {events, over}; }
template<class R> DEVICE typename Real<R>::Mask is_reached(const lane::Lane<R>& lane, R at, R now);
template<class R> DEVICE void forget(lane::Lane<R>& lane, typename Real<R>::Mask fresh, R end);
template<class R> DEVICE void shorten(lane::Lane<R>& lane, typename Real<R>::Mask which);
template<class R, class S, int N, int P> DEVICE typename Real<R>::Mask schedule(S system, const stepper::State<R, N, P>& state, lane::Lane<R>& lane, int index, typename Real<R>::Bits bit, typename Real<R>::Mask which, typename Real<R>::Mask last);
template<class R> DEVICE Ran<R> none_ran();
template<class R, class S, class Q, int N, int P> DEVICE Ran<R> run(S system, Q& io, stepper::State<R, N, P>& state, lane::Lane<R>& lane, typename Real<R>::Mask again);
template<class R> DEVICE void count_again(lane::Lane<R>& lane, typename Real<R>::Mask which);

// delays.rs  Returns whether the time `at` is reached at the time `now`, up to rounding.
template<class R> DEVICE typename Real<R>::Mask is_reached(const lane::Lane<R>& lane, R at, R now) {
    auto ahead = ((at - now) * m_copysign(Real<R>::lit(1.0), (lane.horizon - lane.t0)));
    return m_le(ahead, (m_abs(now) * timeline::few_units<R>()));
}

// delays.rs  Forgets the due times of lanes `fresh`, which begin a trajectory that ends at `end`.
template<class R> DEVICE void forget(lane::Lane<R>& lane, typename Real<R>::Mask fresh, R end) {
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    lane.horizon = Real<R>::select(fresh, end, lane.horizon);
    UNROLL for (int slot = 0; slot < lane::MOST_DUE; slot++) {
        lane.due_events[slot] = Bits<typename Real<R>::Bits>::select(fresh, none, lane.due_events[slot]);
    }
}

// delays.rs  Ends the current segment of lanes `which` at their earliest due times.
template<class R> DEVICE void shorten(lane::Lane<R>& lane, typename Real<R>::Mask which) {
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    UNROLL for (int slot = 0; slot < lane::MOST_DUE; slot++) {
        auto due = lane.due[slot];
        auto waits = op_and(which, op_not(m_equals(lane.due_events[slot], none)));
        auto sooner = op_and(waits, op_not(is_reached<R>(lane, lane.t1, due)));
        lane.t1 = Real<R>::select(sooner, due, lane.t1);
    }
}

// delays.rs  Stores the due time of the delayed action of event `index`, in lanes `which`.
template<class R, class S, int N, int P> DEVICE typename Real<R>::Mask schedule(S system, const stepper::State<R, N, P>& state, lane::Lane<R>& lane, int index, typename Real<R>::Bits bit, typename Real<R>::Mask which, typename Real<R>::Mask last) {
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    auto now = Mask<typename Real<R>::Mask>::splat(false);
    if (m_any(which)) {
        auto delay = system.delay(index, state.u, state.p, lane.t);
        auto sound = op_and(which, m_ge(delay, Real<R>::lit(0.0)));
        auto due = (lane.t + (lane.t_low + m_copysign(delay, (lane.horizon - lane.t0))));
        auto at_once = op_and(sound, is_reached<R>(lane, due, lane.t));
        now = at_once;
        auto waits = op_and(op_and(sound, op_not(at_once)), op_not(is_reached<R>(lane, lane.horizon, due)));
        auto marked = op_or(bit, Bits<typename Real<R>::Bits>::lit(LAST));
        auto event = Bits<typename Real<R>::Bits>::select(last, marked, bit);
        UNROLL for (int slot = 0; slot < lane::MOST_DUE; slot++) {
            auto free = op_and(waits, m_equals(lane.due_events[slot], none));
            lane.due[slot] = Real<R>::select(free, due, lane.due[slot]);
            lane.due_events[slot] = Bits<typename Real<R>::Bits>::select(free, event, lane.due_events[slot]);
            waits = op_and(waits, op_not(free));
        }
        auto too_many = Bits<typename Real<R>::Bits>::lit(code::TOO_MANY_EVENTS);
        lane.code = Bits<typename Real<R>::Bits>::select(waits, too_many, lane.code);
        auto unsound = Bits<typename Real<R>::Bits>::lit(code::NON_FINITE);
        lane.code = Bits<typename Real<R>::Bits>::select(op_and(which, op_not(sound)), unsound, lane.code);
        shorten<R>(lane, which);
    }
    return now;
}

// delays.rs  Returns the result for a segment without delayed actions.
template<class R> DEVICE Ran<R> none_ran() {
    auto over = Mask<typename Real<R>::Mask>::splat(false);
    return make_Ran<R>(Bits<typename Real<R>::Bits>::lit(0), over);
}

// delays.rs  Runs the actions that are due when lanes `again` start a segment.
template<class R, class S, class Q, int N, int P> DEVICE Ran<R> run(S system, Q& io, stepper::State<R, N, P>& state, lane::Lane<R>& lane, typename Real<R>::Mask again) {
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    auto ran = none_ran<R>();
    auto bit = Bits<typename Real<R>::Bits>::lit(1);
    UNROLL for (int e = 0; e < S::EVENTS; e++) {
        UNROLL for (int slot = 0; slot < lane::MOST_DUE; slot++) {
            auto waits = op_and(again, sides::has<R>(lane.due_events[slot], bit));
            auto here = op_and(waits, is_reached<R>(lane, lane.due[slot], lane.t0));
            if (m_any(here)) {
                auto index = actions::delayed<R, S, N, P>(e);
                actions::change<R, S, Q, N, P>(system, io, state, index, lane.t0, here);
                auto last = Bits<typename Real<R>::Bits>::lit(LAST);
                ran.over = op_or(ran.over, op_and(here, sides::has<R>(lane.due_events[slot], last)));
                ran.events = sides::with<R>(ran.events, bit, here);
                lane.due_events[slot] = Bits<typename Real<R>::Bits>::select(here, none, lane.due_events[slot]);
            }
        }
        bit = m_wrapping_add(bit, bit);
    }
    auto terminated = Bits<typename Real<R>::Bits>::lit(code::TERMINATED);
    lane.code = Bits<typename Real<R>::Bits>::select(ran.over, terminated, lane.code);
    return ran;
}

// delays.rs  Counts the fixed steps of the current segment again, in lanes `which` with a new end.
template<class R> DEVICE void count_again(lane::Lane<R>& lane, typename Real<R>::Mask which) {
    auto one = Real<R>::lit(1.0);
    auto next = (timeline::whole_from_bits<R>(lane.attempts) + one);
    auto count = m_max(timeline::steps(lane.t0, lane.t1, m_abs(lane.dt)), next);
    auto last = timeline::whole_to_bits(count);
    lane.last_attempt = Bits<typename Real<R>::Bits>::select(which, last, lane.last_attempt);
    auto rest = m_mul_add((one - count), lane.dt, (lane.t1 - lane.t0));
    lane.last_dt = Real<R>::select(which, rest, lane.last_dt);
}
} // namespace delays

namespace dyadic {
CONSTANT u64 FIRST_OF_LAST = 4194304;
CONSTANT double LEAST = 2.384185791015625e-7;
CONSTANT double PART = 0.0625;
CONSTANT double FIRST = 0.015625;
CONSTANT double WEIGHT = 0.25;
CONSTANT double RATIO = 8.0;
CONSTANT double MOST = 0.25;
CONSTANT double MOST_SQUARE = 1e6;
template<class R, int N> DEVICE void begin(const options::Options<R, N>& o, lane::Lane<R>& lane, typename Real<R>::Mask fresh, typename Real<R>::Mask begins, R end_1);
template<class R> DEVICE timeline::Time<R> end(const lane::Lane<R>& lane);
template<class R, int N> DEVICE path::Path<R> path_of(const options::Options<R, N>& o, const lane::Lane<R>& lane);
template<class R, int N> DEVICE typename Real<R>::Mask choose(const options::Options<R, N>& o, lane::Lane<R>& lane, R h, R square, R factor, typename Real<R>::Mask moves, typename Real<R>::Mask done, typename Real<R>::Mask failing);

// dyadic.rs  Sets the cells and the first node of lanes that begin.
template<class R, int N> DEVICE void begin(const options::Options<R, N>& o, lane::Lane<R>& lane, typename Real<R>::Mask fresh, typename Real<R>::Mask begins, R end_1) {
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    auto span = (end_1 - lane.t0);
    auto automatic = m_equals(o.dt, Real<R>::lit(0.0));
    auto size = Real<R>::select(automatic, (span * Real<R>::lit((PART * FIRST))), m_abs(o.dt));
    auto cell = Real<R>::select(automatic, (span * Real<R>::lit(PART)), size);
    u32 level = 0;
    while ((level < o.noise_levels)) {
        cell = (cell + cell);
        level = (level + 1);
    }
    if (o.limited) {
        auto short_ = op_and(m_ge(o.dtmin, size), m_gt(cell, size));
        while (m_any(short_)) {
            size = Real<R>::select(short_, (size + size), size);
            short_ = op_and(m_ge(o.dtmin, size), m_gt(cell, size));
        }
        auto least = (cell * Real<R>::lit(LEAST));
        auto long_ = op_and(m_gt(size, o.dtmax), m_gt(size, least));
        while (m_any(long_)) {
            size = Real<R>::select(long_, (size * Real<R>::lit(0.5)), size);
            long_ = op_and(m_gt(size, o.dtmax), m_gt(size, least));
        }
    }
    lane.dt = Real<R>::select(fresh, cell, lane.dt);
    lane.size = Real<R>::select(fresh, size, lane.size);
    lane.errors = Real<R>::select(fresh, Real<R>::lit(0.0), lane.errors);
    lane.weight = Real<R>::select(fresh, Real<R>::lit(1.0), lane.weight);
    lane.cell = Bits<typename Real<R>::Bits>::select(fresh, none, lane.cell);
    lane.first_cell = Bits<typename Real<R>::Bits>::select(begins, lane.cell, lane.first_cell);
    auto first = timeline::whole_to_bits((lane.dt / lane.size));
    lane.node = Bits<typename Real<R>::Bits>::select(begins, first, lane.node);
    lane.begun = op_or(lane.begun, begins);
    auto plan = timeline::plan(lane.t0, Real<R>::lit(0.0), lane.size, Real<R>::lit(1.0));
    lane.plan = Real<R>::select(begins, plan, lane.plan);
}

// dyadic.rs  Returns the time at the end of the node.
template<class R> DEVICE timeline::Time<R> end(const lane::Lane<R>& lane) {
    auto one = Bits<typename Real<R>::Bits>::lit(1);
    auto cells = timeline::whole_from_bits<R>(m_wrapping_sub(lane.cell, lane.first_cell));
    auto start = timeline::grid(lane.t0, cells, lane.dt);
    auto next = timeline::whole_from_bits<R>(m_wrapping_add(lane.node, one));
    auto within = m_mul_add(next, lane.size, (-lane.dt));
    return timeline::after(start.t, timeline::plan(start.t, start.low, within, Real<R>::lit(1.0)));
}

// dyadic.rs  Returns the interval of the next step on the path of the noise.
template<class R, int N> DEVICE path::Path<R> path_of(const options::Options<R, N>& o, const lane::Lane<R>& lane) {
    return path::on_node<R>(o.noise_seed, lane.number, lane.cell, lane.node, lane.size);
}

// dyadic.rs  Chooses the next node, after a step of size `h`.
template<class R, int N> DEVICE typename Real<R>::Mask choose(const options::Options<R, N>& o, lane::Lane<R>& lane, R h, R square, R factor, typename Real<R>::Mask moves, typename Real<R>::Mask done, typename Real<R>::Mask failing) {
    auto one = Bits<typename Real<R>::Bits>::lit(1);
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    auto half_ = Real<R>::lit(0.5);
    auto last = Bits<typename Real<R>::Bits>::lit(FIRST_OF_LAST);
    auto divisible = m_less_than(lane.node, last);
    auto small = op_and(failing, op_not(divisible));
    auto next = m_wrapping_add(lane.node, one);
    auto over = m_equals(op_and(next, lane.node), none);
    auto next_1 = Bits<typename Real<R>::Bits>::select(over, m_shr<1>(next), next);
    auto cell = m_wrapping_add(lane.cell, one);
    auto cell_1 = Bits<typename Real<R>::Bits>::select(op_or(over, done), cell, lane.cell);
    lane.cell = Bits<typename Real<R>::Bits>::select(moves, cell_1, lane.cell);
    lane.node = Bits<typename Real<R>::Bits>::select(moves, next_1, lane.node);
    lane.moved = op_or(lane.moved, moves);
    auto goes_on = op_and(moves, op_not(done));
    auto is_first = m_equals(op_and(next_1, one), none);
    auto mean = m_mul_add(lane.weight, (square - lane.errors), lane.errors);
    lane.errors = Real<R>::select(moves, mean, lane.errors);
    auto weight = (lane.weight / (lane.weight + Real<R>::lit(1.0)));
    lane.weight = Real<R>::select(op_or(moves, failing), m_max(weight, Real<R>::lit(WEIGHT)), lane.weight);
    auto ratio = Real<R>::lit(RATIO);
    auto longer = op_and(op_and(goes_on, is_first), m_le((lane.errors * ratio), Real<R>::lit(MOST)));
    if (o.limited) {
        longer = op_and(longer, m_le((lane.size + lane.size), o.dtmax));
    }
    lane.node = Bits<typename Real<R>::Bits>::select(longer, m_shr<1>(next_1), lane.node);
    lane.size = Real<R>::select(longer, (lane.size + lane.size), lane.size);
    lane.errors = Real<R>::select(longer, (lane.errors * ratio), lane.errors);
    auto allowed = (h * factor);
    auto large = Real<R>::lit(MOST_SQUARE);
    auto square_1 = Real<R>::select(m_lt(square, large), square, large);
    lane.errors = Real<R>::select(failing, square_1, lane.errors);
    auto long_ = op_and(op_and(failing, m_gt(lane.size, allowed)), m_less_than(lane.node, last));
    while (m_any(long_)) {
        lane.node = Bits<typename Real<R>::Bits>::select(long_, m_shl<1>(lane.node), lane.node);
        lane.size = Real<R>::select(long_, (lane.size * half_), lane.size);
        lane.errors = Real<R>::select(long_, (lane.errors * Real<R>::lit((1.0 / RATIO))), lane.errors);
        long_ = op_and(op_and(failing, m_gt(lane.size, allowed)), m_less_than(lane.node, last));
    }
    if (o.limited) {
        small = op_or(small, op_and(op_or(goes_on, failing), m_le(lane.size, o.dtmin)));
    }
    return small;
}
} // namespace dyadic

namespace attempt {

// attempt.rs  The next step.
template<class R> struct Attempt {
    stepper::Ask<R> ask;
    typename Real<R>::Mask last;
    typename Real<R>::Mask run;
    typename Real<R>::Mask looks;
    timeline::Time<R> next;
};
template<class R> DEVICE Attempt<R> make_Attempt(const stepper::Ask<R>& ask, const typename Real<R>::Mask& last, const typename Real<R>::Mask& run, const typename Real<R>::Mask& looks, const timeline::Time<R>& next) { return {ask, last, run, looks, next}; }
CONSTANT double WHOLE = 0.9999847412109375;

// attempt.rs  The verdict of the error estimate and of the guard on a step.
template<class R> struct Verdict {
    typename Real<R>::Mask accept;
    R factor;
    R square;
};
template<class R> DEVICE Verdict<R> make_Verdict(const typename Real<R>::Mask& accept, const R& factor, const R& square) { return {accept, factor, square}; }
template<class R, class M, class C, int N> DEVICE Attempt<R> next(const options::Options<R, N>& o, lane::Lane<R>& lane);
template<class R> DEVICE void wait(lane::Lane<R>& lane, Attempt<R>& trial, typename Real<R>::Mask waits);
template<class R, class C, int N> DEVICE path::Path<R> path_of(const options::Options<R, N>& o, const lane::Lane<R>& lane, R h);
template<class R> DEVICE path::Path<R> beginning(path::Path<R> interval, R h);
template<class R, class S, int N, int P> DEVICE R bounded(S system, const options::Options<R, N>& o, const stepper::State<R, N, P>& state, const lane::Lane<R>& lane);
template<class R, class S, int N, int P> DEVICE R bound(S system, const Arr<R, N>& u, const Arr<R, P>& p, R t, R direction);
template<class R, int N> DEVICE R shortened(const options::Options<R, N>& o, const lane::Lane<R>& lane, R longest);
template<class R, class S, class M, int N, int P> DEVICE stepper::Step<R, N, typename M::template Kept<R, N>> attempt(S system, const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask);
template<class R, class S, class M, int N, int P> DEVICE stepper::Step<R, N, typename M::template Kept<R, N>> attempt_on(S system, const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask, const typename S::Noise::template Wiener<R>& wiener);
template<class R, class S, int N, int P, class V> DEVICE stepper::Step<R, N, V> within_domain(S system, const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask, stepper::Step<R, N, V> step);
template<class R> DEVICE Verdict<R> accepted();
template<class R, class S, class M, int N, int P> DEVICE Verdict<R> judge(const options::Options<R, N>& o, const stepper::State<R, N, P>& state, lane::Lane<R>& lane, const stepper::Ask<R>& ask, const stepper::Step<R, N, typename M::template Kept<R, N>>& step);
template<class R, class S, class M, int N, int P> DEVICE R squared_error(const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask, const stepper::Step<R, N, typename M::template Kept<R, N>>& step);
template<class R, class M, int N> DEVICE Verdict<R> decide(const options::Options<R, N>& o, lane::Lane<R>& lane, R square, typename Real<R>::Bits after);
template<class R, class M, int N> DEVICE control::Memory<R> next_memory(const options::Options<R, N>& o, typename Real<R>::Bits memory);
template<class R, class S, class M, class C, int N, int P> DEVICE Verdict<R> watch_growth(S system, const options::Options<R, N>& o, const stepper::State<R, N, P>& state, lane::Lane<R>& lane, const Attempt<R>& trial, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, const Verdict<R>& verdict);
template<class R, class C, int N> DEVICE typename Real<R>::Mask is_shown(const options::Options<R, N>& o, const lane::Lane<R>& lane, const Attempt<R>& trial, const Verdict<R>& verdict);
template<class R, class S, class M, int N, int P> DEVICE typename Real<R>::Mask passes_soon(S system, Arr<R, N> u, Arr<R, P> p, const stepper::Ask<R>& ask, typename Real<R>::Mask ends, typename Real<R>::Mask mirrored);
template<class R, class M, class C, int N> DEVICE Verdict<R> judge_growth(const options::Options<R, N>& o, lane::Lane<R>& lane, const Attempt<R>& trial, typename Real<R>::Bits after, const Verdict<R>& verdict, typename Real<R>::Mask grows, typename Real<R>::Mask soon);

// attempt.rs  Returns the next step: as long as errors allow, or the next fixed step.
template<class R, class M, class C, int N> DEVICE Attempt<R> next(const options::Options<R, N>& o, lane::Lane<R>& lane) {
    lane.attempts = m_wrapping_add(lane.attempts, Bits<typename Real<R>::Bits>::lit(1));
    auto run = op_not(m_less_than(lane.last_attempt, lane.attempts));
    auto looks = Mask<typename Real<R>::Mask>::splat(false);
    auto last = m_reaches(lane.attempts, lane.last_attempt);
    auto h = Real<R>::select(last, lane.last_dt, lane.dt);
    auto next_1 = timeline::after(lane.t, lane.plan);
    if constexpr (C::ADAPTIVE) {
        auto rest = ((lane.t1 - lane.t) - lane.t_low);
        auto size = timeline::planned(lane.t, lane.t_low, lane.plan);
        auto reach = size;
        if ((o.limited || C::BOUNDED)) {
            reach = timeline::lengthened(size);
        }
        if constexpr (C::NOISE) {
            size = lane.size;
            reach = (size + timeline::edge(lane.t, size, lane.t1));
            next_1 = dyadic::end<R>(lane);
        }
        last = m_le(m_abs(rest), m_abs(reach));
        h = Real<R>::select(last, rest, size);
        if ((M::GUARDS && (o.guard != guard::OFF))) {
            auto there = m_equals(rest, Real<R>::lit(0.0));
            h = Real<R>::select(there, size, h);
            looks = op_and(run, there);
            run = op_and(run, op_not(there));
        }
    } else {
        auto i = timeline::whole_from_bits<R>(lane.attempts);
        next_1 = timeline::grid(lane.t0, i, lane.dt);
        if constexpr ((C::EVENTS && op_not(C::PASSAGES))) {
            auto waits = op_not(m_equals(lane.pending, Bits<typename Real<R>::Bits>::lit(0)));
            auto size_1 = timeline::planned(lane.t, lane.t_low, lane.plan);
            auto there_1 = timeline::after(lane.t, lane.plan);
            h = Real<R>::select(waits, size_1, (h - lane.covered));
            last = op_and(last, op_not(waits));
            next_1.t = Real<R>::select(waits, there_1.t, next_1.t);
            next_1.low = Real<R>::select(waits, there_1.low, next_1.low);
        }
    }
    auto t_eval = lane.t;
    auto reach_1 = h;
    auto furthest = Real<R>::lit(timeline::BEYOND);
    if ((o.stops && C::TIME_DEPENDENT)) {
        auto edge = timeline::edge(lane.t, h, lane.t1);
        auto begins = m_equals(lane.t, lane.t0);
        t_eval = Real<R>::select(begins, (lane.t + edge), lane.t);
        reach_1 = Real<R>::select(last, (h - edge), h);
        reach_1 = Real<R>::select(begins, (reach_1 - edge), reach_1);
        furthest = Real<R>::select(last, Real<R>::lit(1.0), furthest);
    }
    if constexpr (((M::GUARDS && C::ADAPTIVE) && C::TIME_DEPENDENT)) {
        if (o.stops) {
            auto edge_1 = timeline::edge(lane.t, h, lane.t1);
            t_eval = Real<R>::select(looks, (lane.t - edge_1), t_eval);
        }
        reach_1 = Real<R>::select(looks, Real<R>::lit(0.0), reach_1);
    }
    auto busy = run;
    if constexpr ((M::ITERATES || M::Memory::SWITCHES)) {
        busy = op_and(run, lane.alive);
    }
    if constexpr (M::Memory::SWITCHES) {
        busy = op_or(busy, op_and(looks, lane.alive));
    }
    auto at = timeline::at(t_eval, lane.t_low, reach_1, furthest, busy);
    if constexpr (((M::GUARDS && op_not(C::MASS)) && ((N % 2) == 1))) {
        lane.mirrored = m_lt(h, Real<R>::lit(0.0));
    }
    auto watch = guard::watch<R>((o.guard != guard::OFF), lane.mirrored);
    auto ask = stepper::ask<R>(at, h, lane.memory, watch);
    if constexpr (C::NOISE) {
        ask.path = path_of<R, C, N>(o, lane, h);
    }
    return make_Attempt<R>(ask, last, run, looks, next_1);
}

// attempt.rs  Takes back the attempts of lanes `waits`, which have no increments of the noise yet.
template<class R> DEVICE void wait(lane::Lane<R>& lane, Attempt<R>& trial, typename Real<R>::Mask waits) {
    auto nobody = Mask<typename Real<R>::Mask>::splat(false);
    lane.moved = nobody;
    lane.begun = nobody;
    auto attempts = m_wrapping_sub(lane.attempts, Bits<typename Real<R>::Bits>::lit(1));
    lane.attempts = Bits<typename Real<R>::Bits>::select(waits, attempts, lane.attempts);
    trial.run = op_and(trial.run, op_not(waits));
    trial.ask.path.ends_within = op_and(trial.ask.path.ends_within, trial.run);
}

// attempt.rs  Returns the interval of the next step on the path of the noise.
template<class R, class C, int N> DEVICE path::Path<R> path_of(const options::Options<R, N>& o, const lane::Lane<R>& lane, R h) {
    auto step = m_wrapping_sub(lane.attempts, Bits<typename Real<R>::Bits>::lit(1));
    if (o.stops) {
        step = m_wrapping_add(step, lane.before);
    }
    auto interval = path::path<R>(o.noise_seed, lane.number, step, o.noise_levels, lane.dt);
    if constexpr (C::ADAPTIVE) {
        interval = dyadic::path_of<R, N>(o, lane);
    }
    return beginning<R>(interval, h);
}

// attempt.rs  Returns the beginning of an interval, of length `h`.
template<class R> DEVICE path::Path<R> beginning(path::Path<R> interval, R h) {
    auto part = interval;
    part.ends_within = m_lt(h, (part.length * Real<R>::lit(WHOLE)));
    part.reach = h;
    return part;
}

// attempt.rs  Returns the plan of the next step, limited by the system's step bounds.
template<class R, class S, int N, int P> DEVICE R bounded(S system, const options::Options<R, N>& o, const stepper::State<R, N, P>& state, const lane::Lane<R>& lane) {
    auto direction = (lane.t1 - lane.t0);
    auto longest = bound<R, S, N, P>(system, state.u, state.p, lane.t, direction);
    return shortened<R, N>(o, lane, longest);
}

// attempt.rs  Returns the longest step from time `t` that the system's bounds allow.
template<class R, class S, int N, int P> DEVICE R bound(S system, const Arr<R, N>& u, const Arr<R, P>& p, R t, R direction) {
    auto sign = m_copysign(Real<R>::lit(1.0), direction);
    auto longest = math::infinity<R>();
    UNROLL for (int index = 0; index < S::BOUNDS; index++) {
        auto bound_1 = system.step_bound(index, u, p, t, sign);
        auto is_bound = op_and(m_lt(bound_1, longest), m_gt(bound_1, Real<R>::lit(0.0)));
        longest = Real<R>::select(is_bound, bound_1, longest);
    }
    return longest;
}

// attempt.rs  Returns the plan of the next step, limited to `longest`.
template<class R, int N> DEVICE R shortened(const options::Options<R, N>& o, const lane::Lane<R>& lane, R longest) {
    auto size = timeline::planned(lane.t, lane.t_low, lane.plan);
    auto reach = m_abs(size);
    if (op_not(o.limited)) {
        auto free = m_equals(lane.pending, Bits<typename Real<R>::Bits>::lit(0));
        reach = Real<R>::select(free, (reach * Real<R>::lit(1.0625)), reach);
    }
    auto bounded_1 = m_max(longest, timeline::least_step(lane.t));
    auto plan = timeline::plan(lane.t, lane.t_low, m_copysign(bounded_1, size), Real<R>::lit(1.0));
    return Real<R>::select(m_lt(bounded_1, reach), plan, lane.plan);
}

// attempt.rs  Attempts a step.
template<class R, class S, class M, int N, int P> DEVICE stepper::Step<R, N, typename M::template Kept<R, N>> attempt(S system, const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask) {
    auto step = M::template step<R, S, N, P>(system, state, ask);
    return within_domain<R, S, N, P, typename M::template Kept<R, N>>(system, state, ask, step);
}

// attempt.rs  Attempts a step on a path, from the increments of the noise.
template<class R, class S, class M, int N, int P> DEVICE stepper::Step<R, N, typename M::template Kept<R, N>> attempt_on(S system, const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask, const typename S::Noise::template Wiener<R>& wiener) {
    auto step = M::template step_on<R, S, N, P>(system, state, ask, wiener);
    return within_domain<R, S, N, P, typename M::template Kept<R, N>>(system, state, ask, step);
}

// attempt.rs  Returns a step with [`code::OUTSIDE`] if its state is outside the system's domain.
template<class R, class S, int N, int P, class V> DEVICE stepper::Step<R, N, V> within_domain(S system, const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask, stepper::Step<R, N, V> step) {
    auto step_1 = step;
    if constexpr (S::HAS_DOMAIN) {
        auto none = Bits<typename Real<R>::Bits>::lit(code::SUCCESS);
        auto time = timeline::stage<R, S, N, P>(ask.at, Real<R>::lit(1.0));
        auto outside = op_and(system.out_of_domain(step_1.u, state.p, time), m_equals(step_1.code, none));
        auto left = Bits<typename Real<R>::Bits>::lit(code::OUTSIDE);
        step_1.code = Bits<typename Real<R>::Bits>::select(outside, left, step_1.code);
    }
    return step_1;
}

// attempt.rs  Returns the verdict on fixed steps, and the initial one of adaptive steps.
template<class R> DEVICE Verdict<R> accepted() {
    auto zero = Real<R>::lit(0.0);
    return make_Verdict<R>(Mask<typename Real<R>::Mask>::splat(true), zero, zero);
}

// attempt.rs  Returns the verdict of the error estimate on a step.
template<class R, class S, class M, int N, int P> DEVICE Verdict<R> judge(const options::Options<R, N>& o, const stepper::State<R, N, P>& state, lane::Lane<R>& lane, const stepper::Ask<R>& ask, const stepper::Step<R, N, typename M::template Kept<R, N>>& step) {
    auto square = squared_error<R, S, M, N, P>(state, ask, step);
    return decide<R, M, N>(o, lane, square, step.memory);
}

// attempt.rs  Returns the scaled error of a step, squared, as [`norm::scaled_error_sq`] computes it.
template<class R, class S, class M, int N, int P> DEVICE R squared_error(const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask, const stepper::Step<R, N, typename M::template Kept<R, N>>& step) {
    auto square = M::template scaled_error_sq<R, N, P>(state, ask, step);
    if constexpr ((S::HAS_DOMAIN || M::ITERATES)) {
        auto max_square = Real<R>::lit(norm::SQUARE_MAX);
        auto solved = m_equals(step.code, Bits<typename Real<R>::Bits>::lit(code::SUCCESS));
        square = Real<R>::select(solved, square, max_square);
    }
    return square;
}

// attempt.rs  Returns the verdict on a step from its scaled error, squared.
template<class R, class M, int N> DEVICE Verdict<R> decide(const options::Options<R, N>& o, lane::Lane<R>& lane, R square, typename Real<R>::Bits after) {
    auto law = options::law_of<R, M, N>(o, lane.memory);
    auto n = Real<R>::lit((double)(N));
    auto decision = control::decide<R>(square, n, lane.control, law, o.kind);
    lane.control = decision.memory;
    if constexpr (M::Memory::SWITCHES) {
        auto switched = M::Memory::template has_switched<R>(lane.memory, after);
        auto new_ = next_memory<R, M, N>(o, after);
        lane.control = control::choose_memory<R>(switched, new_, lane.control);
    }
    auto factor = Real<R>::from_single(decision.factor);
    return make_Verdict<R>(decision.accept, factor, square);
}

// attempt.rs  Returns the controller's memory before the first step of the method that `memory` selects.
template<class R, class M, int N> DEVICE control::Memory<R> next_memory(const options::Options<R, N>& o, typename Real<R>::Bits memory) {
    return control::fresh<R>(options::law_of<R, M, N>(o, memory));
}

// attempt.rs  Returns the verdict after the guard's check, which follows the error check; see [`guard`].
template<class R, class S, class M, class C, int N, int P> DEVICE Verdict<R> watch_growth(S system, const options::Options<R, N>& o, const stepper::State<R, N, P>& state, lane::Lane<R>& lane, const Attempt<R>& trial, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, const Verdict<R>& verdict) {
    auto verdict_1 = verdict;
    auto run = op_or(trial.run, trial.looks);
    auto careful = guard::is_careful<R>(lane.guarded);
    auto shown = is_shown<R, C, N>(o, lane, trial, verdict_1);
    if ((C::ADAPTIVE && (o.guard == guard::REJECT))) {
        if constexpr (M::ITERATES) {
            shown = op_and(shown, m_equals(step.code, Bits<typename Real<R>::Bits>::lit(code::SUCCESS)));
        }
        if constexpr (M::Memory::SWITCHES) {
            shown = op_and(shown, M::Memory::template was_implicit<R>(step.memory));
        }
        if constexpr (C::BOUNDED) {
            auto h = trial.ask.h;
            auto longest = bound<R, S, N, P>(system, state.u, state.p, lane.t, h);
            auto reaches = m_le(longest, (m_abs(h) * Real<R>::lit(1.0625)));
            shown = op_or(shown, op_and(op_and(reaches, trial.run), lane.alive));
        }
    }
    if ((M::GUARDS && m_any(op_or(op_or(step.grows, careful), shown)))) {
        auto solved = op_and(run, norm::is_finite<R, N>(step.u));
        auto grows = op_and(op_and(solved, step.grows), op_not(op_and(trial.looks, careful)));
        auto soon = op_and(op_and(op_and(solved, trial.run), op_or(shown, careful)), op_not(grows));
        if (m_any(soon)) {
            auto ends = op_and(careful, verdict_1.accept);
            soon = op_and(soon, passes_soon<R, S, M, N, P>(system, vector::choose<R, N>(ends, step.u, state.u), state.p, trial.ask, ends, lane.mirrored));
        }
        verdict_1 = judge_growth<R, M, C, N>(o, lane, trial, step.memory, verdict_1, grows, soon);
    }
    return verdict_1;
}

// attempt.rs  Returns whether a step suggests earlier growth that error estimates did not resolve.
template<class R, class C, int N> DEVICE typename Real<R>::Mask is_shown(const options::Options<R, N>& o, const lane::Lane<R>& lane, const Attempt<R>& trial, const Verdict<R>& verdict) {
    auto shown = Mask<typename Real<R>::Mask>::splat(false);
    if ((C::ADAPTIVE && (o.guard == guard::REJECT))) {
        auto one = Bits<typename Real<R>::Bits>::lit(1);
        auto still = m_equals(lane.rejected, m_wrapping_sub(lane.attempts, one));
        if (o.stops) {
            still = m_equals(lane.t, lane.t0);
        }
        shown = op_and(op_and(op_not(verdict.accept), m_lt(verdict.factor, Real<R>::lit(guard::SHOWN))), op_not(still));
        if (o.stops) {
            shown = op_or(shown, trial.last);
        }
        if (o.limited) {
            shown = op_or(shown, m_ge(m_abs(trial.ask.h), o.dtmax));
        }
        shown = op_and(op_and(shown, trial.run), lane.alive);
    }
    return shown;
}

// attempt.rs  Returns whether a step of `1/SOON` times this size is beyond the pole.
template<class R, class S, class M, int N, int P> DEVICE typename Real<R>::Mask passes_soon(S system, Arr<R, N> u, Arr<R, P> p, const stepper::Ask<R>& ask, typename Real<R>::Mask ends, typename Real<R>::Mask mirrored) {
    auto scale = (Real<R>::lit((guard::SOON / M::DIAGONAL)) / ask.h);
    auto end = timeline::stage<R, S, N, P>(ask.at, Real<R>::lit(1.0));
    auto t = Real<R>::select(ends, end, ask.at.t);
    return guard::would_pass<R, S, N, P>(system, u, p, t, scale, mirrored);
}

// attempt.rs  Returns the verdict on a step beyond or near the pole.
template<class R, class M, class C, int N> DEVICE Verdict<R> judge_growth(const options::Options<R, N>& o, lane::Lane<R>& lane, const Attempt<R>& trial, typename Real<R>::Bits after, const Verdict<R>& verdict, typename Real<R>::Mask grows, typename Real<R>::Mask soon) {
    auto verdict_1 = verdict;
    auto run = op_or(trial.run, trial.looks);
    auto refuse = (C::ADAPTIVE && (o.guard == guard::REJECT));
    auto judged = guard::judge<R>(lane.guarded, grows, soon, op_or(verdict_1.accept, trial.looks), run, verdict_1.factor, refuse);
    lane.guarded = judged.state;
    if constexpr (C::ADAPTIVE) {
        verdict_1.accept = op_and(verdict_1.accept, op_not(judged.refused));
        verdict_1.factor = judged.factor;
        auto forgotten = next_memory<R, M, N>(o, after);
        lane.control = control::choose_memory<R>(judged.refused, forgotten, lane.control);
        auto anew = op_and(judged.anew, lane.alive);
        auto begin = Bits<typename Real<R>::Bits>::lit(code::ANEW);
        lane.code = Bits<typename Real<R>::Bits>::select(anew, begin, lane.code);
        lane.last_attempt = Bits<typename Real<R>::Bits>::select(anew, lane.attempts, lane.last_attempt);
    }
    return verdict_1;
}
} // namespace attempt

namespace dense {
CONSTANT double MOST = 10.0;
CONSTANT double ALMOST_ALL = 0.999755859375;
CONSTANT double BRIEF = 9.5367431640625e-7;
TABLE double PLACES[3] = {0.17, 0.46, 0.81};
CONSTANT double NEAR = 0.125;
template<class R, int N> DEVICE typename Real<R>::Mask saves_within(const options::Options<R, N>& o, const lane::Lane<R>& lane, const attempt::Attempt<R>& trial, typename Real<R>::Mask moves);
template<class R, int N> DEVICE typename Real<R>::Mask can_halve(const options::Options<R, N>& o, const lane::Lane<R>& lane, const attempt::Attempt<R>& trial, typename Real<R>::Mask moves);
template<class R, class S, class M, int N, int P> DEVICE typename Real<R>::Mask misses(S system, const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, typename Real<R>::Mask which);
template<class R, class S, class M, int N, int P> COLD typename Real<R>::Mask is_off(S system, const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask, const stepper::Step<R, N, typename M::template Kept<R, N>>& step);
template<class R, int N, int P> DEVICE typename Real<R>::Mask is_large(const stepper::State<R, N, P>& state, const Arr<R, N>& new_, const Arr<R, N>& error);
template<class R, class M, int N, int P> DEVICE Arr<R, N> slope_at(const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, R theta);
template<class R> DEVICE void plan_again(lane::Lane<R>& lane, const lane::Lane<R>& before, R h, typename Real<R>::Mask refused, typename Real<R>::Mask halved);

// dense.rs  Returns the moving lanes with the next saved time within their step.
template<class R, int N> DEVICE typename Real<R>::Mask saves_within(const options::Options<R, N>& o, const lane::Lane<R>& lane, const attempt::Attempt<R>& trial, typename Real<R>::Mask moves) {
    auto ahead = m_abs(lane::ahead<R>(lane, true));
    auto run = op_and(op_and(moves, trial.run), lane.alive);
    auto within = op_and(run, m_lt(ahead, (m_abs(trial.ask.h) * Real<R>::lit(ALMOST_ALL))));
    if (o.limited) {
        within = op_and(within, m_gt(ahead, (o.dtmin * Real<R>::lit(16.0))));
    }
    if (o.every_step) {
        within = Mask<typename Real<R>::Mask>::splat(false);
    }
    return within;
}

// dense.rs  Returns the moving lanes with a step that can be halved to find events.
template<class R, int N> DEVICE typename Real<R>::Mask can_halve(const options::Options<R, N>& o, const lane::Lane<R>& lane, const attempt::Attempt<R>& trial, typename Real<R>::Mask moves) {
    auto size = m_abs(trial.ask.h);
    auto few = (timeline::least_step(lane.t) * Real<R>::lit(64.0));
    auto brief = m_max((m_abs((lane.t1 - lane.t0)) * Real<R>::lit(BRIEF)), few);
    auto free = m_equals(lane.pending, Bits<typename Real<R>::Bits>::lit(0));
    auto can = op_and(op_and(op_and(op_and(moves, trial.run), lane.alive), free), m_gt(size, brief));
    if (o.limited) {
        can = op_and(can, m_gt(size, (o.dtmin * Real<R>::lit(16.0))));
    }
    return can;
}

// dense.rs  Returns whether the interpolant of a step misses the solution, in lanes `which`.
template<class R, class S, class M, int N, int P> DEVICE typename Real<R>::Mask misses(S system, const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, typename Real<R>::Mask which) {
    auto missed = which;
    if (m_any(missed)) {
        auto estimate = M::template dense_error_sq<R, N, P>(state, ask, step);
        missed = op_and(missed, op_not(m_le(estimate, Real<R>::lit(((MOST * MOST) * (double)(N))))));
    }
    if (m_any(missed)) {
        auto state_1 = state;
        auto ask_1 = ask;
        auto step_1 = step;
        missed = op_and(missed, is_off<R, S, M, N, P>(system, state_1, ask_1, step_1));
    }
    return missed;
}

// dense.rs  Returns whether the interpolant of a step needs large corrections.
template<class R, class S, class M, int N, int P> COLD typename Real<R>::Mask is_off(S system, const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask, const stepper::Step<R, N, typename M::template Kept<R, N>>& step) {
    auto scale = (Real<R>::lit((1.0 / M::DIAGONAL)) / ask.h);
    auto factors = system.factor(state.u, state.p, ask.at.t, scale);
    auto off = Mask<typename Real<R>::Mask>::splat(false);
    UNROLL for (int i = 0; i < 3; i++) {
        auto theta = Real<R>::lit(PLACES[i]);
        auto u = M::template interpolate<R, N, P>(state, ask, step, theta);
        auto time = timeline::stage<R, S, N, P>(ask.at, theta);
        auto slope = slope_at<R, M, N, P>(state, ask, step, theta);
        if constexpr (S::MASS) {
            slope = system.mass(slope);
        }
        auto f = system.rhs(u, state.p, time);
        auto residual = vector::add(f, Real<R>::lit((-1.0)), slope);
        auto error = system.solve(factors, residual);
        auto large = is_large<R, N, P>(state, step.u, error);
        if (m_any(large)) {
            auto still = error;
            if constexpr (S::MASS) {
                still = system.mass(error);
            }
            UNROLL for (int d = 0; d < N; d++) {
                still[d] = (still[d] * scale);
            }
            error = vector::add(error, Real<R>::lit((-1.0)), system.solve(factors, still));
            large = op_and(large, is_large<R, N, P>(state, step.u, error));
        }
        off = op_or(off, large);
    }
    return off;
}

// dense.rs  Returns whether an error within a step to the state `new` exceeds [`MOST`] tolerances.
template<class R, int N, int P> DEVICE typename Real<R>::Mask is_large(const stepper::State<R, N, P>& state, const Arr<R, N>& new_, const Arr<R, N>& error) {
    auto square = norm::scaled_error_sq<R, N>(error, state.u, new_, state.tolerances);
    return op_not(m_le(square, Real<R>::lit(((MOST * MOST) * (double)(N)))));
}

// dense.rs  Returns the derivative of the interpolant at fraction `theta` of the step.
template<class R, class M, int N, int P> DEVICE Arr<R, N> slope_at(const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, R theta) {
    auto near = Real<R>::lit(NEAR);
    auto far = Real<R>::lit((2.0 * NEAR));
    auto after = M::template interpolate<R, N, P>(state, ask, step, (theta + near));
    auto before = M::template interpolate<R, N, P>(state, ask, step, (theta - near));
    auto far_after = M::template interpolate<R, N, P>(state, ask, step, (theta + far));
    auto far_before = M::template interpolate<R, N, P>(state, ask, step, (theta - far));
    auto unit = (Real<R>::lit((1.0 / (12.0 * NEAR))) / ask.h);
    auto slope = after;
    UNROLL for (int d = 0; d < N; d++) {
        auto wide = (far_after[d] - far_before[d]);
        slope[d] = (m_mul_add((after[d] - before[d]), Real<R>::lit(8.0), (-wide)) * unit);
    }
    return slope;
}

// dense.rs  Plans a step again in lanes `refused`, to the next saved time.
template<class R> DEVICE void plan_again(lane::Lane<R>& lane, const lane::Lane<R>& before, R h, typename Real<R>::Mask refused, typename Real<R>::Mask halved) {
    auto ahead = lane::ahead<R>(lane, true);
    auto to_save = [&]() {
        if constexpr (Real<R>::DOUBLE) {
            return lane.save_at;
        } else {
            return (lane.t_low + ahead);
        }
    }();
    auto half_ = timeline::plan(lane.t, lane.t_low, h, Real<R>::lit(0.5));
    auto plan = Real<R>::select(halved, half_, to_save);
    lane.plan = Real<R>::select(refused, plan, lane.plan);
    auto rejected = m_wrapping_add(lane.rejected, Bits<typename Real<R>::Bits>::lit(1));
    lane.rejected = Bits<typename Real<R>::Bits>::select(refused, rejected, lane.rejected);
    lane.control = control::choose_memory<R>(refused, before.control, lane.control);
    lane.memory = Bits<typename Real<R>::Bits>::select(refused, before.memory, lane.memory);
    lane.guarded = Bits<typename Real<R>::Bits>::select(refused, before.guarded, lane.guarded);
}
} // namespace dense

namespace roots {
CONSTANT double LEAST_PART_DOUBLE = 8.881784197001252e-16;
CONSTANT double LEAST_PART_SINGLE = 2.384185791015625e-7;
CONSTANT u64 MOST_EVALUATIONS = 64;

// roots.rs  The turning points of an event function, as fractions of the step.
template<class R> struct Turns {
    typename Real<R>::Mask there;
    R first;
    R second;
};
template<class R> DEVICE Turns<R> make_Turns(const typename Real<R>::Mask& there, const R& first, const R& second) { return {there, first, second}; }
template<class R> DEVICE R least_part();
template<class R, class S, class M, int N, int P> DEVICE R value_at(S system, const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, int index, R theta, bool slope);
template<class R> DEVICE Turns<R> turning(typename Real<R>::Mask there, R first, R second);
template<class R, class S, class M, int N, int P> DEVICE Turns<R> turns_of(S system, const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, int index, typename Real<R>::Mask which, typename Real<R>::Mask thrice, R side);
template<class R, class S, class M, int N, int P> DEVICE R zero_of(S system, const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, int index, typename Real<R>::Mask which, R low, R high, R side, bool slope);

// roots.rs  Returns the least fraction of a step that is a step of its own.
template<class R> DEVICE R least_part() {
    return Real<R>::lit_of(LEAST_PART_DOUBLE, LEAST_PART_SINGLE);
}

// roots.rs  Returns an event function, or its slope, at a fraction of the step.
template<class R, class S, class M, int N, int P> DEVICE R value_at(S system, const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, int index, R theta, bool slope) {
    auto u = M::template interpolate<R, N, P>(state, ask, step, theta);
    auto t = timeline::stage<R, S, N, P>(ask.at, theta);
    auto value = system.event(index, u, state.p, t);
    if (slope) {
        auto du = u;
        if constexpr (M::GUARDS) {
            du = dense::slope_at<R, M, N, P>(state, ask, step, theta);
        }
        if constexpr (op_not(M::GUARDS)) {
            du = system.rhs(u, state.p, t);
        }
        value = (system.event_slope(index, u, state.p, t, du) * ask.h);
    }
    return value;
}

// roots.rs  Makes a [`Turns`].
template<class R> DEVICE Turns<R> turning(typename Real<R>::Mask there, R first, R second) {
    return make_Turns<R>(there, first, second);
}

// roots.rs  Returns the turning points of the function of event `index`, in lanes `which`.
template<class R, class S, class M, int N, int P> DEVICE Turns<R> turns_of(S system, const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, int index, typename Real<R>::Mask which, typename Real<R>::Mask thrice, R side) {
    auto full = Real<R>::lit(1.0);
    auto zero = Real<R>::lit(0.0);
    auto from = value_at<R, S, M, N, P>(system, state, ask, step, index, zero, false);
    auto to = value_at<R, S, M, N, P>(system, state, ask, step, index, full, false);
    auto lean = value_at<R, S, M, N, P>(system, state, ask, step, index, zero, true);
    auto slope = value_at<R, S, M, N, P>(system, state, ask, step, index, full, true);
    auto inner = m_mul_add((to - from), Real<R>::lit(3.0), (-(lean + slope)));
    auto twice = op_and(m_gt((lean * slope), zero), m_lt((lean * inner), zero));
    auto bends = (lean - inner);
    auto inflection = (bends / (bends + (slope - inner)));
    auto towards = m_lt((side * lean), zero);
    auto low = Real<R>::select(op_and(twice, op_not(towards)), inflection, zero);
    auto high = Real<R>::select(op_and(twice, towards), inflection, full);
    auto first = zero_of<R, S, M, N, P>(system, state, ask, step, index, which, low, high, side, true);
    auto value = value_at<R, S, M, N, P>(system, state, ask, step, index, first, false);
    auto there = op_and(which, m_lt((value * side), zero));
    auto second = full;
    auto again = op_and(there, thrice);
    if (m_any(again)) {
        auto back = zero_of<R, S, M, N, P>(system, state, ask, step, index, again, high, full, (-side), true);
        auto value_1 = value_at<R, S, M, N, P>(system, state, ask, step, index, back, false);
        there = op_and(there, op_not(op_and(again, op_not(m_gt((value_1 * side), zero)))));
        second = Real<R>::select(again, back, full);
    }
    return make_Turns<R>(there, first, second);
}

// roots.rs  Returns a zero of an event function, or of its slope.
template<class R, class S, class M, int N, int P> DEVICE R zero_of(S system, const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, int index, typename Real<R>::Mask which, R low, R high, R side, bool slope) {
    auto half_ = Real<R>::lit(0.5);
    auto full = Real<R>::lit(1.0);
    auto zero = Real<R>::lit(0.0);
    auto side_1 = side;
    if (slope) {
        side_1 = (-side_1);
    }
    auto x1 = high;
    auto x2 = low;
    auto x3 = low;
    auto first = m_abs(value_at<R, S, M, N, P>(system, state, ask, step, index, x1, slope));
    auto second = m_abs(value_at<R, S, M, N, P>(system, state, ask, step, index, x2, slope));
    auto f1 = m_copysign(first, (-side_1));
    auto f2 = m_copysign(second, side_1);
    auto f3 = f2;
    auto part = half_;
    auto busy = which;
    auto rounds = Bits<typename Real<R>::Bits>::lit(0);
    auto tolerance = least_part<R>();
    while (m_any(busy)) {
        auto x = m_mul_add(part, (x2 - x1), x1);
        auto f = value_at<R, S, M, N, P>(system, state, ask, step, index, x, slope);
        auto near = m_gt((f * side_1), zero);
        auto was_near = m_gt((f1 * side_1), zero);
        auto same = op_or(op_and(near, was_near), op_and(op_not(near), op_not(was_near)));
        x3 = Real<R>::select(busy, Real<R>::select(same, x1, x2), x3);
        f3 = Real<R>::select(busy, Real<R>::select(same, f1, f2), f3);
        x2 = Real<R>::select(op_and(busy, op_not(same)), x1, x2);
        f2 = Real<R>::select(op_and(busy, op_not(same)), f1, f2);
        x1 = Real<R>::select(busy, x, x1);
        f1 = Real<R>::select(busy, f, f1);
        auto width = m_abs((x2 - x1));
        auto xi = ((x1 - x2) / (x3 - x2));
        auto phi = ((f1 - f2) / (f3 - f2));
        auto safe = op_and(m_lt((phi * phi), xi), m_lt(((full - phi) * (full - phi)), (full - xi)));
        auto quadratic = (((f1 / (f2 - f1)) * (f3 / (f2 - f3))) + ((((x3 - x1) / (x2 - x1)) * (f1 / (f3 - f1))) * (f2 / (f3 - f2))));
        auto least = (tolerance / width);
        part = m_min(m_max(Real<R>::select(safe, quadratic, half_), least), (full - least));
        rounds = m_wrapping_add(rounds, Bits<typename Real<R>::Bits>::lit(1));
        auto more = m_less_than(rounds, Bits<typename Real<R>::Bits>::lit(MOST_EVALUATIONS));
        auto there = op_or(m_le(width, (tolerance * Real<R>::lit(2.0))), m_equals(f1, zero));
        busy = op_and(op_and(busy, more), op_not(there));
    }
    return Real<R>::select(m_gt((f1 * side_1), zero), x2, x1);
}
} // namespace roots

namespace cubic {

// cubic.rs  A cubic on a step, in the fraction of the step.
template<class R> struct Cubic {
    R first;
    R lean;
    R slope;
    R last;
};
template<class R> DEVICE Cubic<R> make_Cubic(const R& first, const R& lean, const R& slope, const R& last) { return {first, lean, slope, last}; }
template<class R> DEVICE Cubic<R> cubic(R side, R first, R lean, R slope, R last);
template<class R> DEVICE R inner(const Cubic<R>& c);
template<class R> DEVICE typename Real<R>::Mask stays(R first, R from, R third, R to, R last);
template<class R> DEVICE Arr<typename Real<R>::Mask, 2> turns_beyond(const Cubic<R>& c);
template<class R> DEVICE Arr<R, 2> turns(const Cubic<R>& c);
template<class R> DEVICE Arr<R, 2> peak(const Cubic<R>& c);
template<class R> DEVICE Cubic<R> negative(const Cubic<R>& c);
template<class R> DEVICE Arr<R, 2> value(const Cubic<R>& c, R theta);
template<class R> DEVICE R zero_of(const Cubic<R>& c, typename Real<R>::Mask which, R low, R high, R side);
template<class R> DEVICE R beyond_end(const Cubic<R>& c);

// cubic.rs  Makes a [`Cubic`] of values and thirds of slopes, times `side`.
template<class R> DEVICE Cubic<R> cubic(R side, R first, R lean, R slope, R last) {
    return make_Cubic<R>((side * first), (side * lean), (side * slope), (side * last));
}

// cubic.rs  Returns the middle Bernstein coefficient of a third of the slope.
template<class R> DEVICE R inner(const Cubic<R>& c) {
    return ((c.last - c.first) - (c.lean + c.slope));
}

// cubic.rs  Returns whether a cubic has no zero on the step, by its Bernstein coefficients.
template<class R> DEVICE typename Real<R>::Mask stays(R first, R from, R third, R to, R last) {
    auto zero = Real<R>::lit(0.0);
    auto after = m_mul_add(third, from, first);
    auto before = m_mul_add((-third), to, last);
    return op_and(op_and(m_gt((first * after), zero), m_gt((first * before), zero)), m_gt((first * last), zero));
}

// cubic.rs  Returns whether the cubic may cross zero twice, and whether three times.
template<class R> DEVICE Arr<typename Real<R>::Mask, 2> turns_beyond(const Cubic<R>& c) {
    auto zero = Real<R>::lit(0.0);
    auto inner_1 = inner<R>(c);
    auto leaves = op_or(m_lt(c.lean, zero), op_and(m_equals(c.lean, zero), m_lt(inner_1, zero)));
    auto returns = op_or(m_gt(c.slope, zero), op_and(m_equals(c.slope, zero), m_gt(inner_1, zero)));
    auto both = op_and(m_gt((c.lean * c.slope), zero), m_lt((c.lean * inner_1), zero));
    auto both_1 = op_and(both, m_gt((inner_1 * inner_1), (c.lean * c.slope)));
    auto after = m_lt((c.first + c.lean), zero);
    auto before = m_lt((c.last - c.slope), zero);
    auto twice = op_and(op_or(op_and(leaves, returns), both_1), op_or(after, before));
    return array(twice, op_and(op_and(op_and(both_1, leaves), after), op_not(before)));
}

// cubic.rs  Returns the turning points of a cubic: its minimum, and a maximum after it.
template<class R> DEVICE Arr<R, 2> turns(const Cubic<R>& c) {
    auto inner_1 = inner<R>(c);
    auto root = m_sqrt(m_max(((inner_1 * inner_1) - (c.lean * c.slope)), Real<R>::lit(0.0)));
    auto sum = (m_abs(inner_1) + root);
    auto early = m_gt(inner_1, Real<R>::lit(0.0));
    auto of = Real<R>::select(early, m_abs(c.lean), sum);
    auto to = Real<R>::select(early, sum, m_abs(c.slope));
    return array((of / (of + to)), (sum / (sum + m_abs(c.slope))));
}

// cubic.rs  Returns the fraction of the step at the only maximum of a cubic, and the value there.
template<class R> DEVICE Arr<R, 2> peak(const Cubic<R>& c) {
    auto theta = turns<R>(negative<R>(c))[0];
    return array(theta, value<R>(c, theta)[0]);
}

// cubic.rs  Returns the cubic with the opposite sign.
template<class R> DEVICE Cubic<R> negative(const Cubic<R>& c) {
    return make_Cubic<R>((-c.first), (-c.lean), (-c.slope), (-c.last));
}

// cubic.rs  Returns the value of a cubic at a fraction of the step, and its derivative there.
template<class R> DEVICE Arr<R, 2> value(const Cubic<R>& c, R theta) {
    auto three = Real<R>::lit(3.0);
    auto inner_1 = inner<R>(c);
    auto second = ((inner_1 - c.lean) * three);
    auto third = ((c.last - c.first) - (inner_1 * three));
    auto slope = (c.lean * three);
    auto value_1 = m_mul_add(m_mul_add(m_mul_add(third, theta, second), theta, slope), theta, c.first);
    auto twice = (second + second);
    return array(value_1, m_mul_add(m_mul_add((third * three), theta, twice), theta, slope));
}

// cubic.rs  Returns a zero of a cubic between the fractions `low` and `high`, in lanes `which`.
template<class R> DEVICE R zero_of(const Cubic<R>& c, typename Real<R>::Mask which, R low, R high, R side) {
    auto half_ = Real<R>::lit(0.5);
    auto tolerance = roots::least_part<R>();
    auto low_1 = low;
    auto high_1 = high;
    auto zero = Real<R>::lit(0.0);
    auto from = value<R>(c, low_1);
    auto to = value<R>(c, high_1);
    auto falls = op_and(m_gt((from[0] * side), zero), m_lt((from[1] * side), zero));
    auto secant = m_mul_add((high_1 - low_1), (from[0] / (from[0] - to[0])), low_1);
    auto inside = op_and(op_and(falls, m_gt(secant, low_1)), m_lt(secant, high_1));
    auto theta = Real<R>::select(inside, secant, ((low_1 + high_1) * half_));
    auto busy = which;
    auto rounds = Bits<typename Real<R>::Bits>::lit(0);
    while (m_any(busy)) {
        auto at = value<R>(c, theta);
        auto near = m_gt((at[0] * side), zero);
        low_1 = Real<R>::select(op_and(busy, near), theta, low_1);
        high_1 = Real<R>::select(op_and(busy, op_not(near)), theta, high_1);
        auto next = (theta - (at[0] / at[1]));
        auto inside_1 = op_and(m_ge(next, low_1), m_le(next, high_1));
        next = Real<R>::select(inside_1, next, ((low_1 + high_1) * half_));
        auto moved = m_abs((next - theta));
        theta = Real<R>::select(busy, next, theta);
        rounds = m_wrapping_add(rounds, Bits<typename Real<R>::Bits>::lit(1));
        auto more = m_less_than(rounds, Bits<typename Real<R>::Bits>::lit(roots::MOST_EVALUATIONS));
        busy = op_and(op_and(busy, more), m_gt(moved, tolerance));
    }
    return theta;
}

// cubic.rs  Returns the distance of the zero near the end of the step from this end.
template<class R> DEVICE R beyond_end(const Cubic<R>& c) {
    auto three = Real<R>::lit(3.0);
    auto inner_1 = inner<R>(c);
    auto slope = (c.slope * three);
    auto second = ((c.slope - inner_1) * three);
    auto third = ((c.last - c.first) - (inner_1 * three));
    auto first = ((-c.last) / slope);
    auto value_1 = m_mul_add(m_mul_add(m_mul_add(third, first, second), first, slope), first, c.last);
    auto twice = (second + second);
    auto slope_1 = m_mul_add(m_mul_add((third * three), first, twice), first, slope);
    return (first - (value_1 / slope_1));
}
} // namespace cubic

namespace logged {

// logged.rs  The next event to log within a step.
template<class R> struct Next {
    typename Real<R>::Mask found;
    typename Real<R>::Mask more;
    R theta;
    typename Real<R>::Bits order;
    R event;
};
template<class R> DEVICE Next<R> make_Next(const typename Real<R>::Mask& found, const typename Real<R>::Mask& more, const R& theta, const typename Real<R>::Bits& order, const R& event) { return {found, more, theta, order, event}; }
template<class R> DEVICE Next<R> none();
template<class R> DEVICE Next<R> sooner(const Next<R>& next, const Next<R>& last, typename Real<R>::Mask which, R theta, typename Real<R>::Bits order, R event);
template<class R> DEVICE R number_of(typename Real<R>::Bits number, typename Real<R>::Mask rises);
template<class R, class S, int N, int P> DEVICE typename Real<R>::Mask is_logged(typename Real<R>::Bits bit);
template<class R, class S, int N, int P> DEVICE typename Real<R>::Mask is_timed_logged(typename Real<R>::Bits bit);
template<class R, class S, int N, int P> DEVICE typename Real<R>::Mask is_condition_logged(typename Real<R>::Bits bit);
template<class R, class S, class Q, int N, int P> DEVICE typename Real<R>::Bits slot_of_first(const Q& io, typename Real<R>::Bits fired);
template<class R, class S, class M, class Q, int N, int P> DEVICE void within(S system, Q& io, const stepper::State<R, N, P>& state, const lane::Lane<R>& lane, const stepper::Ask<R>& ask, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, R end, typename Real<R>::Bits first, typename Real<R>::Bits second, typename Real<R>::Bits third, typename Real<R>::Bits bent, typename Real<R>::Bits thrice, typename Real<R>::Mask which);

// logged.rs  Returns the state before the first event.
template<class R> DEVICE Next<R> none() {
    auto nobody = Mask<typename Real<R>::Mask>::splat(false);
    auto zero = Bits<typename Real<R>::Bits>::lit(0);
    return make_Next<R>(nobody, nobody, Real<R>::lit((-1.0)), zero, Real<R>::lit(0.0));
}

// logged.rs  Returns the earlier of `next` and a crossing at `theta`.
template<class R> DEVICE Next<R> sooner(const Next<R>& next, const Next<R>& last, typename Real<R>::Mask which, R theta, typename Real<R>::Bits order, R event) {
    auto behind = op_and(m_equals(theta, last.theta), m_less_than(last.order, order));
    auto after = op_and(which, op_or(m_lt(last.theta, theta), behind));
    auto first = op_and(after, op_or(op_not(next.found), m_lt(theta, next.theta)));
    return make_Next<R>(op_or(next.found, after), op_or(next.more, op_and(next.found, after)), Real<R>::select(first, theta, next.theta), Bits<typename Real<R>::Bits>::select(first, order, next.order), Real<R>::select(first, event, next.event));
}

// logged.rs  Returns the logged number of an event, counted from one; negative if falling.
template<class R> DEVICE R number_of(typename Real<R>::Bits number, typename Real<R>::Mask rises) {
    auto number_1 = timeline::whole_from_bits<R>(number);
    return Real<R>::select(rises, number_1, (-number_1));
}

// logged.rs  Returns whether the event of this bit is logged.
template<class R, class S, int N, int P> DEVICE typename Real<R>::Mask is_logged(typename Real<R>::Bits bit) {
    return sides::has<R>(Bits<typename Real<R>::Bits>::lit((u64)(S::LOGGED)), bit);
}

// logged.rs  Returns whether the scheduled action of this bit is logged.
template<class R, class S, int N, int P> DEVICE typename Real<R>::Mask is_timed_logged(typename Real<R>::Bits bit) {
    return sides::has<R>(Bits<typename Real<R>::Bits>::lit((u64)(S::TIMED_LOGGED)), bit);
}

// logged.rs  Returns whether the condition of this bit is logged.
template<class R, class S, int N, int P> DEVICE typename Real<R>::Mask is_condition_logged(typename Real<R>::Bits bit) {
    return sides::has<R>(Bits<typename Real<R>::Bits>::lit((u64)(S::CONDITIONS_LOGGED)), bit);
}

// logged.rs  Returns the index of a trajectory's next log entry, from its counts.
template<class R, class S, class Q, int N, int P> DEVICE typename Real<R>::Bits slot_of_first(const Q& io, typename Real<R>::Bits fired) {
    auto one = Bits<typename Real<R>::Bits>::lit(1);
    auto all = Bits<typename Real<R>::Bits>::lit(0);
    auto bit = one;
    UNROLL for (int e = 0; e < S::EVENTS; e++) {
        auto logs = is_logged<R, S, N, P>(bit);
        all = Bits<typename Real<R>::Bits>::select(logs, m_wrapping_add(all, io.event_count(e)), all);
        auto comes = op_and(logs, sides::has<R>(fired, bit));
        all = Bits<typename Real<R>::Bits>::select(comes, m_wrapping_sub(all, one), all);
        bit = m_wrapping_add(bit, bit);
    }
    if constexpr ((S::TIMED_LOGGED > 0)) {
        bit = one;
        UNROLL for (int e_1 = 0; e_1 < S::TIMED; e_1++) {
            auto logs_1 = is_timed_logged<R, S, N, P>(bit);
            auto count = io.event_count(actions::scheduled<R, S, N, P>(e_1));
            all = Bits<typename Real<R>::Bits>::select(logs_1, m_wrapping_add(all, count), all);
            bit = m_wrapping_add(bit, bit);
        }
    }
    if constexpr ((S::CONDITIONS_LOGGED > 0)) {
        bit = one;
        UNROLL for (int e_2 = 0; e_2 < S::CONDITIONS; e_2++) {
            auto logs_2 = is_condition_logged<R, S, N, P>(bit);
            auto count_1 = io.event_count(actions::condition<R, S, N, P>(e_2));
            all = Bits<typename Real<R>::Bits>::select(logs_2, m_wrapping_add(all, count_1), all);
            bit = m_wrapping_add(bit, bit);
        }
    }
    if constexpr ((S::JUMPS_LOGGED > 0)) {
        bit = one;
        auto logged = Bits<typename Real<R>::Bits>::lit((u64)(S::JUMPS_LOGGED));
        UNROLL for (int j = 0; j < S::JUMPS; j++) {
            auto logs_3 = sides::has<R>(logged, bit);
            auto count_2 = io.event_count(actions::jump<R, S, N, P>(j));
            all = Bits<typename Real<R>::Bits>::select(logs_3, m_wrapping_add(all, count_2), all);
            bit = m_wrapping_add(bit, bit);
        }
    }
    return all;
}

// logged.rs  Logs the events within a step of lanes `which`, before they are counted.
template<class R, class S, class M, class Q, int N, int P> DEVICE void within(S system, Q& io, const stepper::State<R, N, P>& state, const lane::Lane<R>& lane, const stepper::Ask<R>& ask, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, R end, typename Real<R>::Bits first, typename Real<R>::Bits second, typename Real<R>::Bits third, typename Real<R>::Bits bent, typename Real<R>::Bits thrice, typename Real<R>::Mask which) {
    auto nothing = Bits<typename Real<R>::Bits>::lit(0);
    auto one = Bits<typename Real<R>::Bits>::lit(1);
    auto full = Real<R>::lit(1.0);
    auto zero = Real<R>::lit(0.0);
    auto logged = Bits<typename Real<R>::Bits>::lit((u64)(S::LOGGED));
    auto some = op_and(op_or(op_or(first, second), third), logged);
    auto slot = slot_of_first<R, S, Q, N, P>(io, nothing);
    auto last = none<R>();
    auto busy = op_and(which, op_not(m_equals(some, nothing)));
    while (m_any(busy)) {
        auto next = none<R>();
        auto bit = one;
        auto number = one;
        auto order = one;
        UNROLL for (int e = 0; e < S::EVENTS; e++) {
            auto leaves = op_and(busy, sides::has<R>(op_and(first, logged), bit));
            auto returns = op_and(busy, sides::has<R>(op_and(second, logged), bit));
            auto leaves_again = op_and(busy, sides::has<R>(op_and(third, logged), bit));
            if (m_any(op_or(op_or(leaves, returns), leaves_again))) {
                auto above = sides::has<R>(lane.sides, bit);
                auto side = Real<R>::select(above, full, (-full));
                auto bends = op_and(busy, sides::has<R>(bent, bit));
                auto turn = full;
                auto turn_back = full;
                if (m_any(bends)) {
                    auto thrice_1 = op_and(bends, sides::has<R>(thrice, bit));
                    auto turns = roots::turns_of<R, S, M, N, P>(system, state, ask, step, e, bends, thrice_1, side);
                    turn = Real<R>::select(bends, turns.first, full);
                    turn_back = Real<R>::select(thrice_1, turns.second, full);
                }
                if (m_any(leaves)) {
                    auto theta = roots::zero_of<R, S, M, N, P>(system, state, ask, step, e, leaves, zero, turn, side, false);
                    auto event = number_of<R>(number, op_not(above));
                    next = sooner<R>(next, last, leaves, theta, order, event);
                }
                auto order_1 = m_wrapping_add(order, one);
                if (m_any(returns)) {
                    auto theta_1 = roots::zero_of<R, S, M, N, P>(system, state, ask, step, e, returns, turn, turn_back, (-side), false);
                    auto event_1 = number_of<R>(number, above);
                    next = sooner<R>(next, last, returns, theta_1, order_1, event_1);
                }
                auto order_2 = m_wrapping_add(order_1, one);
                if (m_any(leaves_again)) {
                    auto theta_2 = roots::zero_of<R, S, M, N, P>(system, state, ask, step, e, leaves_again, turn_back, full, side, false);
                    auto event_2 = number_of<R>(number, op_not(above));
                    next = sooner<R>(next, last, leaves_again, theta_2, order_2, event_2);
                }
            }
            bit = m_wrapping_add(bit, bit);
            number = m_wrapping_add(number, one);
            order = m_wrapping_add(m_wrapping_add(m_wrapping_add(order, one), one), one);
        }
        auto at_end = m_equals(next.theta, full);
        auto inner = M::template interpolate<R, N, P>(state, ask, step, next.theta);
        auto u = vector::choose<R, N>(at_end, step.u, inner);
        auto t = m_mul_add(ask.h, next.theta, lane.t);
        if constexpr (op_not(Real<R>::DOUBLE)) {
            t = (lane.t + m_mul_add(ask.h, next.theta, lane.t_low));
        }
        t = Real<R>::select(at_end, end, t);
        io.log_event(next.found, slot, next.event, t, u, u);
        slot = Bits<typename Real<R>::Bits>::select(next.found, m_wrapping_add(slot, one), slot);
        busy = op_and(busy, next.more);
        last = next;
    }
}
} // namespace logged

namespace timed {
template<class R, class S, int N, int P> DEVICE R due(S system, int index, const Arr<R, P>& p, R t);
template<class R, class S, int N, int P> DEVICE typename Real<R>::Mask is_unknown(S system, const Arr<R, P>& p, R t);
template<class R, class S, class Q, int N, int P> DEVICE typename Real<R>::Mask act(S system, Q& io, stepper::State<R, N, P>& state, lane::Lane<R>& lane, typename Real<R>::Mask begins, typename Real<R>::Mask fresh, Arr<R, N>& before);

// timed.rs  Returns whether `t` is a time of action `index`.
template<class R, class S, int N, int P> DEVICE R due(S system, int index, const Arr<R, P>& p, R t) {
    return system.due(index, p, t, timeline::few_units<R>());
}

// timed.rs  Returns whether a time of an action is a NaN.
template<class R, class S, int N, int P> DEVICE typename Real<R>::Mask is_unknown(S system, const Arr<R, P>& p, R t) {
    auto unknown = Mask<typename Real<R>::Mask>::splat(false);
    UNROLL for (int e = 0; e < S::TIMED; e++) {
        unknown = op_or(unknown, m_lt(due<R, S, N, P>(system, e, p, t), Real<R>::lit(0.0)));
    }
    return unknown;
}

// timed.rs  Runs and logs the actions that are due when lanes `begins` start.
template<class R, class S, class Q, int N, int P> DEVICE typename Real<R>::Mask act(S system, Q& io, stepper::State<R, N, P>& state, lane::Lane<R>& lane, typename Real<R>::Mask begins, typename Real<R>::Mask fresh, Arr<R, N>& before) {
    auto one = Bits<typename Real<R>::Bits>::lit(1);
    auto zero = Real<R>::lit(0.0);
    auto acts = Mask<typename Real<R>::Mask>::splat(false);
    UNROLL for (int e = 0; e < S::TIMED; e++) {
        auto index = actions::scheduled<R, S, N, P>(e);
        io.set_event_count(fresh, index, Bits<typename Real<R>::Bits>::lit(0));
        acts = op_or(acts, m_gt(due<R, S, N, P>(system, e, state.p, lane.t0), zero));
    }
    acts = op_and(op_and(acts, begins), m_equals(lane.code, Bits<typename Real<R>::Bits>::lit(code::SUCCESS)));
    if (m_any(acts)) {
        auto at = lane.t0;
        consistent::settle<R, S, N, P>(system, state, lane, op_and(acts, fresh), at);
        before = state.u;
        auto slot = Bits<typename Real<R>::Bits>::lit(0);
        if (((S::TIMED_LOGGED > 0) && io.logs())) {
            auto next = logged::slot_of_first<R, S, Q, N, P>(io, slot);
            slot = Bits<typename Real<R>::Bits>::select(fresh, slot, next);
        }
        auto bit = one;
        auto number = Bits<typename Real<R>::Bits>::lit((u64)((S::EVENTS + 1)));
        UNROLL for (int e_1 = 0; e_1 < S::TIMED; e_1++) {
            auto here = op_and(acts, m_gt(due<R, S, N, P>(system, e_1, state.p, lane.t0), zero));
            auto index_1 = actions::scheduled<R, S, N, P>(e_1);
            if (io.records_actions()) {
                auto cause = (recording::CAUSE + index_1);
                io.record_action(here, cause, state.u, state.p, lane.t0);
            }
            auto u = state.u;
            actions::change<R, S, Q, N, P>(system, io, state, index_1, lane.t0, here);
            if (((S::TIMED_LOGGED > 0) && io.logs())) {
                auto logs = op_and(here, logged::is_timed_logged<R, S, N, P>(bit));
                auto which = logged::number_of<R>(number, here);
                io.log_event(logs, slot, which, lane.t0, u, state.u);
                slot = Bits<typename Real<R>::Bits>::select(logs, m_wrapping_add(slot, one), slot);
            }
            bit = m_wrapping_add(bit, bit);
            number = m_wrapping_add(number, one);
            auto count = m_wrapping_add(io.event_count(index_1), one);
            io.set_event_count(here, index_1, count);
        }
    }
    return acts;
}
} // namespace timed

namespace thinning {

// thinning.rs  The next candidates of a lane's trajectory.
template<class R> struct Clocks {
    Arr<R, options::MOST_JUMPS> next;
    Arr<R, options::MOST_JUMPS> bounds;
    Arr<typename Real<R>::Bits, options::MOST_JUMPS> candidates;
};
template<class R> DEVICE Clocks<R> make_Clocks(const Arr<R, options::MOST_JUMPS>& next, const Arr<R, options::MOST_JUMPS>& bounds, const Arr<typename Real<R>::Bits, options::MOST_JUMPS>& candidates) { return {next, bounds, candidates}; }
template<class R> DEVICE Clocks<R> stopped();
template<class R> DEVICE typename Real<R>::Mask is_due(const Clocks<R>& clocks, int index, R now);
template<class R, class S, class Q, int N, int P> DEVICE void start(Q& io, const options::Options<R, N>& o, const lane::Lane<R>& lane, Clocks<R>& clocks, typename Real<R>::Mask fresh);
template<class R, class S, int N, int P> DEVICE void renew(S system, const stepper::State<R, N, P>& state, lane::Lane<R>& lane, Clocks<R>& clocks, typename Real<R>::Mask which, R now);
template<class R, class S, int N, int P> DEVICE void shorten(lane::Lane<R>& lane, const Clocks<R>& clocks, typename Real<R>::Mask which);
template<class R, class S, int N, int P> DEVICE void defer(Clocks<R>& clocks, typename Real<R>::Mask which, R now);
template<class R, class S, int N, int P> DEVICE typename Real<R>::Mask renew_within(S system, const stepper::State<R, N, P>& state, lane::Lane<R>& lane, Clocks<R>& clocks, typename Real<R>::Mask which);
template<class R, class S, class Q, int N, int P> DEVICE typename Real<R>::Mask run(S system, Q& io, const options::Options<R, N>& o, stepper::State<R, N, P>& state, lane::Lane<R>& lane, Clocks<R>& clocks, typename Real<R>::Mask begins, typename Real<R>::Mask fresh, typename Real<R>::Mask acted);
template<class R, class S, class Q, int N, int P> DEVICE void occur(S system, Q& io, const options::Options<R, N>& o, stepper::State<R, N, P>& state, const lane::Lane<R>& lane, int index, typename Real<R>::Bits jump, typename Real<R>::Bits candidate, typename Real<R>::Bits bit, typename Real<R>::Mask which);

// thinning.rs  Returns the clocks before the first trajectory.
template<class R> DEVICE Clocks<R> stopped() {
    return make_Clocks<R>(repeat<options::MOST_JUMPS>(Real<R>::lit(0.0)), repeat<options::MOST_JUMPS>(Real<R>::lit(0.0)), repeat<options::MOST_JUMPS>(Bits<typename Real<R>::Bits>::lit(0)));
}

// thinning.rs  Returns the lanes with a candidate of jump `index` that is due at the time `now`.
template<class R> DEVICE typename Real<R>::Mask is_due(const Clocks<R>& clocks, int index, R now) {
    auto ahead = (clocks.next[index] - now);
    auto near = (m_abs(now) * timeline::few_units<R>());
    return op_and(m_gt(clocks.bounds[index], Real<R>::lit(0.0)), m_le(ahead, near));
}

// thinning.rs  Starts the clocks of lanes `fresh`, which begin a trajectory, and resets their counts.
template<class R, class S, class Q, int N, int P> DEVICE void start(Q& io, const options::Options<R, N>& o, const lane::Lane<R>& lane, Clocks<R>& clocks, typename Real<R>::Mask fresh) {
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    auto zero = Real<R>::lit(0.0);
    auto jump = none;
    UNROLL for (int j = 0; j < S::JUMPS; j++) {
        io.set_event_count(fresh, actions::jump<R, S, N, P>(j), none);
        auto numbers = S::template jump_candidate<R>(o.noise_seed, lane.number, jump, none);
        jump = m_wrapping_add(jump, Bits<typename Real<R>::Bits>::lit(1));
        clocks.next[j] = Real<R>::select(fresh, numbers[0], clocks.next[j]);
        clocks.bounds[j] = Real<R>::select(fresh, zero, clocks.bounds[j]);
        clocks.candidates[j] = Bits<typename Real<R>::Bits>::select(fresh, none, clocks.candidates[j]);
    }
}

// thinning.rs  Evaluates the bounds again in lanes `which`, at the time `now`.
template<class R, class S, int N, int P> DEVICE void renew(S system, const stepper::State<R, N, P>& state, lane::Lane<R>& lane, Clocks<R>& clocks, typename Real<R>::Mask which, R now) {
    auto zero = Real<R>::lit(0.0);
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    UNROLL for (int j = 0; j < S::JUMPS; j++) {
        auto old = clocks.bounds[j];
        auto new_ = system.jump_bound(j, state.u, state.p, now);
        auto sound = op_and(m_ge(new_, zero), norm::is_finite<R, 1>(array(new_)));
        auto unsound = op_and(op_and(which, op_not(sound)), m_equals(lane.code, none));
        auto broken = Bits<typename Real<R>::Bits>::lit(code::RATE);
        lane.code = Bits<typename Real<R>::Bits>::select(unsound, broken, lane.code);
        auto changes = op_and(op_and(which, sound), op_not(m_equals(new_, old)));
        if (m_any(changes)) {
            auto rest = m_max(((clocks.next[j] - now) * old), zero);
            auto rest_1 = Real<R>::select(m_gt(old, zero), rest, clocks.next[j]);
            auto next = Real<R>::select(m_gt(new_, zero), (now + (rest_1 / new_)), rest_1);
            clocks.next[j] = Real<R>::select(changes, next, clocks.next[j]);
            clocks.bounds[j] = Real<R>::select(changes, new_, clocks.bounds[j]);
        }
    }
}

// thinning.rs  Ends the current segment of lanes `which` at their earliest candidates.
template<class R, class S, int N, int P> DEVICE void shorten(lane::Lane<R>& lane, const Clocks<R>& clocks, typename Real<R>::Mask which) {
    UNROLL for (int j = 0; j < S::JUMPS; j++) {
        auto near = (m_abs(lane.t1) * timeline::few_units<R>());
        auto sooner = m_gt((lane.t1 - clocks.next[j]), near);
        auto sooner_1 = op_and(op_and(which, sooner), m_gt(clocks.bounds[j], Real<R>::lit(0.0)));
        lane.t1 = Real<R>::select(sooner_1, clocks.next[j], lane.t1);
    }
}

// thinning.rs  Moves candidates that are due at the time `now` by a few units, in lanes `which`.
template<class R, class S, int N, int P> DEVICE void defer(Clocks<R>& clocks, typename Real<R>::Mask which, R now) {
    auto later = (now + (m_abs(now) * (timeline::few_units<R>() * Real<R>::lit(4.0))));
    UNROLL for (int j = 0; j < S::JUMPS; j++) {
        auto late = op_and(which, is_due<R>(clocks, j, now));
        clocks.next[j] = Real<R>::select(late, later, clocks.next[j]);
    }
}

// thinning.rs  Evaluates the bounds after an action within a segment, in lanes `which`.
template<class R, class S, int N, int P> DEVICE typename Real<R>::Mask renew_within(S system, const stepper::State<R, N, P>& state, lane::Lane<R>& lane, Clocks<R>& clocks, typename Real<R>::Mask which) {
    auto end = lane.t1;
    renew<R, S, N, P>(system, state, lane, clocks, which, lane.t);
    defer<R, S, N, P>(clocks, which, lane.t);
    shorten<R, S, N, P>(lane, clocks, which);
    return op_and(which, op_not(m_equals(lane.t1, end)));
}

// thinning.rs  Runs the candidates that are due when lanes `begins` start a segment.
template<class R, class S, class Q, int N, int P> DEVICE typename Real<R>::Mask run(S system, Q& io, const options::Options<R, N>& o, stepper::State<R, N, P>& state, lane::Lane<R>& lane, Clocks<R>& clocks, typename Real<R>::Mask begins, typename Real<R>::Mask fresh, typename Real<R>::Mask acted) {
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    auto one = Bits<typename Real<R>::Bits>::lit(1);
    auto now = lane.t0;
    auto jumped = Mask<typename Real<R>::Mask>::splat(false);
    consistent::settle<R, S, N, P>(system, state, lane, fresh, now);
    start<R, S, Q, N, P>(io, o, lane, clocks, fresh);
    auto changed = op_or(fresh, op_and(begins, acted));
    renew<R, S, N, P>(system, state, lane, clocks, changed, now);
    defer<R, S, N, P>(clocks, fresh, now);
    auto busy = op_and(op_and(begins, op_not(fresh)), m_equals(lane.code, none));
    u32 rounds = 0;
    while (m_any(busy)) {
        auto again = Mask<typename Real<R>::Mask>::splat(false);
        auto bit = one;
        auto jump = none;
        UNROLL for (int j = 0; j < S::JUMPS; j++) {
            auto here = op_and(busy, is_due<R>(clocks, j, now));
            if (m_any(here)) {
                auto candidate = m_wrapping_add(clocks.candidates[j], one);
                auto numbers = S::template jump_candidate<R>(o.noise_seed, lane.number, jump, candidate);
                auto bound = clocks.bounds[j];
                auto rate = system.jump_rate(j, state.u, state.p, now);
                auto slack = (bound * timeline::few_units<R>());
                auto sound = op_and(op_and(here, m_ge(rate, (-slack))), m_le((rate - bound), slack));
                auto broken = Bits<typename Real<R>::Bits>::lit(code::RATE);
                lane.code = Bits<typename Real<R>::Bits>::select(op_and(here, op_not(sound)), broken, lane.code);
                auto next = (clocks.next[j] + (numbers[0] / bound));
                clocks.next[j] = Real<R>::select(here, next, clocks.next[j]);
                clocks.candidates[j] = Bits<typename Real<R>::Bits>::select(here, candidate, clocks.candidates[j]);
                auto occurs = op_and(sound, m_lt((numbers[1] * bound), rate));
                if (m_any(occurs)) {
                    occur<R, S, Q, N, P>(system, io, o, state, lane, j, jump, candidate, bit, occurs);
                }
                again = op_or(again, sound);
                jumped = op_or(jumped, occurs);
            }
            bit = m_wrapping_add(bit, bit);
            jump = m_wrapping_add(jump, one);
        }
        renew<R, S, N, P>(system, state, lane, clocks, again, now);
        busy = op_and(again, m_equals(lane.code, none));
        rounds = (rounds + 1);
        if ((rounds == actions::MOST_AT_ONCE)) {
            auto too_many = Bits<typename Real<R>::Bits>::lit(code::TOO_MANY_EVENTS);
            lane.code = Bits<typename Real<R>::Bits>::select(busy, too_many, lane.code);
            busy = Mask<typename Real<R>::Mask>::splat(false);
        }
    }
    return jumped;
}

// thinning.rs  Counts and logs jump `index` in lanes `which`, and runs its action.
template<class R, class S, class Q, int N, int P> DEVICE void occur(S system, Q& io, const options::Options<R, N>& o, stepper::State<R, N, P>& state, const lane::Lane<R>& lane, int index, typename Real<R>::Bits jump, typename Real<R>::Bits candidate, typename Real<R>::Bits bit, typename Real<R>::Mask which) {
    auto one = Bits<typename Real<R>::Bits>::lit(1);
    auto u = state.u;
    auto t = lane.t0;
    auto random = S::template jump_number<R>(index, o.noise_seed, lane.number, jump, candidate);
    auto after = system.jump_action(index, state.u, state.p, t, random);
    if constexpr ((S::MODES > 0)) {
        auto p = system.modes_after_jump(index, state.u, state.p, t, random);
        actions::choose_modes<R, S, N, P>(state, p, which);
    }
    state.u = vector::choose<R, N>(which, after, u);
    if (((S::JUMPS_LOGGED > 0) && io.logs())) {
        auto slot = logged::slot_of_first<R, S, Q, N, P>(io, Bits<typename Real<R>::Bits>::lit(0));
        auto set = Bits<typename Real<R>::Bits>::lit((u64)(S::JUMPS_LOGGED));
        auto logs = op_and(which, sides::has<R>(set, bit));
        auto first = (u64)((((S::EVENTS + S::TIMED) + S::CONDITIONS) + 1));
        auto number = m_wrapping_add(jump, Bits<typename Real<R>::Bits>::lit(first));
        auto event = logged::number_of<R>(number, which);
        io.log_event(logs, slot, event, t, u, state.u);
    }
    auto place = actions::jump<R, S, N, P>(index);
    auto count = m_wrapping_add(io.event_count(place), one);
    io.set_event_count(which, place, count);
}
} // namespace thinning

namespace jumps {

// jumps.rs  The zeros that a jump has crossed.
template<class R> struct Jumped {
    typename Real<R>::Bits events;
    typename Real<R>::Bits above;
    typename Real<R>::Bits known;
};
template<class R> DEVICE Jumped<R> make_Jumped(const typename Real<R>::Bits& events, const typename Real<R>::Bits& above, const typename Real<R>::Bits& known) { return {events, above, known}; }

// jumps.rs  The effects of an event.
template<class R> struct Effects {
    typename Real<R>::Mask acts;
    typename Real<R>::Mask waits;
    typename Real<R>::Mask over;
};
template<class R> DEVICE Effects<R> make_Effects(const typename Real<R>::Mask& acts, const typename Real<R>::Mask& waits, const typename Real<R>::Mask& over) { return {acts, waits, over}; }
template<class R, class S, class Q, int N, int P> DEVICE typename Real<R>::Mask happen(S system, Q& io, stepper::State<R, N, P>& state, lane::Lane<R>& lane, typename Real<R>::Mask which, typename Real<R>::Bits fired, typename Real<R>::Bits here, const Arr<R, N>& before, const Arr<R, P>& p_before);
template<class R, class S, class Q, int N, int P> DEVICE Effects<R> occur(S system, Q& io, stepper::State<R, N, P>& state, lane::Lane<R>& lane, int index, typename Real<R>::Bits bit, typename Real<R>::Bits number, typename Real<R>::Mask here, typename Real<R>::Mask rises, typename Real<R>::Bits& slot);
template<class R, class S, int N, int P> DEVICE Jumped<R> of(S system, const stepper::State<R, N, P>& state, R t, typename Real<R>::Bits was, typename Real<R>::Bits known, typename Real<R>::Bits done, typename Real<R>::Bits near, const Arr<R, N>& before, const Arr<R, P>& p_before);

// jumps.rs  Runs the events with zeros that actions have crossed, in lanes `which`.
template<class R, class S, class Q, int N, int P> DEVICE typename Real<R>::Mask happen(S system, Q& io, stepper::State<R, N, P>& state, lane::Lane<R>& lane, typename Real<R>::Mask which, typename Real<R>::Bits fired, typename Real<R>::Bits here, const Arr<R, N>& before, const Arr<R, P>& p_before) {
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    auto one = Bits<typename Real<R>::Bits>::lit(1);
    auto ended = Mask<typename Real<R>::Mask>::splat(false);
    auto busy = which;
    auto done = fired;
    auto was = lane.sides;
    auto known = lane.known;
    auto near = here;
    u32 rounds = 0;
    while (m_any(busy)) {
        auto t = lane.t;
        consistent::settle<R, S, N, P>(system, state, lane, busy, t);
        auto failed = op_and(busy, op_not(m_equals(lane.code, none)));
        ended = op_or(ended, failed);
        busy = op_and(busy, op_not(failed));
        auto jumped = of<R, S, N, P>(system, state, lane.t, was, known, done, near, before, p_before);
        auto events = Bits<typename Real<R>::Bits>::select(busy, jumped.events, none);
        auto slot = none;
        if (((S::LOGGED > 0) && io.logs())) {
            slot = logged::slot_of_first<R, S, Q, N, P>(io, none);
        }
        auto acted = Mask<typename Real<R>::Mask>::splat(false);
        auto over = acted;
        auto ran = none;
        auto bit = one;
        auto number = one;
        UNROLL for (int e = 0; e < S::EVENTS; e++) {
            auto here_1 = sides::has<R>(events, bit);
            if (m_any(here_1)) {
                auto count = m_wrapping_add(io.event_count(e), one);
                io.set_event_count(here_1, e, count);
                auto rises = sides::has<R>(jumped.above, bit);
                auto effects = occur<R, S, Q, N, P>(system, io, state, lane, e, bit, number, here_1, rises, slot);
                acted = op_or(acted, effects.acts);
                ran = sides::with<R>(ran, bit, effects.acts);
                over = op_or(over, effects.over);
            }
            bit = m_wrapping_add(bit, bit);
            number = m_wrapping_add(number, one);
        }
        auto moved = Bits<typename Real<R>::Bits>::select(busy, jumped.known, none);
        was = op_or(op_and(was, op_not(moved)), op_and(jumped.above, moved));
        known = op_or(known, moved);
        near = none;
        done = ran;
        auto terminated = Bits<typename Real<R>::Bits>::lit(code::TERMINATED);
        lane.code = Bits<typename Real<R>::Bits>::select(over, terminated, lane.code);
        if constexpr ((S::DELAYED > 0)) {
            over = op_or(over, op_and(busy, op_not(m_equals(lane.code, none))));
        }
        ended = op_or(ended, over);
        busy = op_and(acted, op_not(over));
        rounds = (rounds + 1);
        if ((rounds == actions::MOST_AT_ONCE)) {
            auto too_many = Bits<typename Real<R>::Bits>::lit(code::TOO_MANY_EVENTS);
            lane.code = Bits<typename Real<R>::Bits>::select(busy, too_many, lane.code);
            ended = op_or(ended, busy);
            busy = Mask<typename Real<R>::Mask>::splat(false);
        }
    }
    return ended;
}

// jumps.rs  Runs the actions of event `index` in lanes `here`, after it was counted, and logs it.
template<class R, class S, class Q, int N, int P> DEVICE Effects<R> occur(S system, Q& io, stepper::State<R, N, P>& state, lane::Lane<R>& lane, int index, typename Real<R>::Bits bit, typename Real<R>::Bits number, typename Real<R>::Mask here, typename Real<R>::Mask rises, typename Real<R>::Bits& slot) {
    auto before = state.u;
    auto count = io.event_count(index);
    auto acting = Bits<typename Real<R>::Bits>::lit((u64)(S::ACTING));
    auto acts = op_and(here, sides::has<R>(acting, bit));
    auto waits = Mask<typename Real<R>::Mask>::splat(false);
    auto now = waits;
    if constexpr ((S::DELAYED > 0)) {
        auto delayed = Bits<typename Real<R>::Bits>::lit((u64)(S::DELAYED));
        waits = op_and(here, sides::has<R>(delayed, bit));
        auto last = actions::ends<R, S, N, P>(system, state, lane.t, index, count);
        now = delays::schedule<R, S, N, P>(system, state, lane, index, bit, waits, last);
        waits = op_and(waits, op_not(now));
    }
    actions::change<R, S, Q, N, P>(system, io, state, index, lane.t, acts);
    if constexpr ((S::DELAYED > 0)) {
        auto delayed_1 = actions::delayed<R, S, N, P>(index);
        actions::change<R, S, Q, N, P>(system, io, state, delayed_1, lane.t, now);
        acts = op_or(acts, now);
    }
    if (((S::LOGGED > 0) && io.logs())) {
        auto logs = op_and(here, logged::is_logged<R, S, N, P>(bit));
        auto which = logged::number_of<R>(number, rises);
        io.log_event(logs, slot, which, lane.t, before, state.u);
        slot = Bits<typename Real<R>::Bits>::select(logs, m_wrapping_add(slot, Bits<typename Real<R>::Bits>::lit(1)), slot);
    }
    auto ends = actions::ends<R, S, N, P>(system, state, lane.t, index, count);
    return make_Effects<R>(acts, waits, op_and(op_and(here, op_not(waits)), ends));
}

// jumps.rs  Returns the events with zeros that the state has crossed, from the sides `was`.
template<class R, class S, int N, int P> DEVICE Jumped<R> of(S system, const stepper::State<R, N, P>& state, R t, typename Real<R>::Bits was, typename Real<R>::Bits known, typename Real<R>::Bits done, typename Real<R>::Bits near, const Arr<R, N>& before, const Arr<R, P>& p_before) {
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    auto zero = Real<R>::lit(0.0);
    auto above = none;
    auto sure = none;
    auto bit = Bits<typename Real<R>::Bits>::lit(1);
    UNROLL for (int e = 0; e < S::EVENTS; e++) {
        auto g = system.event(e, state.u, state.p, t);
        auto stays = sides::has<R>(near, bit);
        if (m_any(stays)) {
            auto first = system.event(e, before, p_before, t);
            auto slope = sides::slope_of<R, S, N, P>(system, e, before, p_before, t, state.du);
            stays = op_and(stays, sides::stays_at_zero<R>(g, first, slope, t));
        }
        auto decided = op_and(op_or(m_gt(g, zero), m_lt(g, zero)), op_not(stays));
        above = sides::with<R>(above, bit, op_and(decided, m_gt(g, zero)));
        sure = sides::with<R>(sure, bit, decided);
        bit = m_wrapping_add(bit, bit);
    }
    auto counts = sides::in_direction<R, S, N, P>(above);
    auto ignored = Bits<typename Real<R>::Bits>::lit((u64)(S::NO_JUMPS));
    auto events = op_and(op_and(op_and(op_and(op_and(known, sure), op_xor(was, above)), counts), op_not(done)), op_not(ignored));
    return make_Jumped<R>(events, above, sure);
}
} // namespace jumps

namespace begin {

// begin.rs  Idle lanes by reason; each lane has one of three reasons.
template<class R> struct Need {
    typename Real<R>::Mask over;
    typename Real<R>::Mask anew;
    typename Real<R>::Mask again;
};
template<class R> DEVICE Need<R> make_Need(const typename Real<R>::Mask& over, const typename Real<R>::Mask& anew, const typename Real<R>::Mask& again) { return {over, anew, again}; }

// begin.rs  Lanes that begin, by the start that they make.
template<class R> struct Begun {
    typename Real<R>::Mask assigned;
    typename Real<R>::Mask fresh;
    typename Real<R>::Mask begins;
    typename Real<R>::Mask goes_on;
    typename Real<R>::Mask resumes;
};
template<class R> DEVICE Begun<R> make_Begun(const typename Real<R>::Mask& assigned, const typename Real<R>::Mask& fresh, const typename Real<R>::Mask& begins, const typename Real<R>::Mask& goes_on, const typename Real<R>::Mask& resumes) { return {assigned, fresh, begins, goes_on, resumes}; }
CONSTANT double FARTHEST = 0.0009765625;
CONSTANT double LEAST_POWER = 0.25;
CONSTANT double LEAST_RATIO = 15.0;
template<class R> DEVICE Need<R> need(typename Real<R>::Mask over, typename Real<R>::Mask anew, typename Real<R>::Mask again);
template<class R, class M, class Q, class C, int N, int P> DEVICE Need<R> hand_in(Q& io, const options::Options<R, N>& o, const stepper::State<R, N, P>& state, lane::Lane<R>& lane, typename Real<R>::Mask need_1);
template<class R, class M, class C, int N> DEVICE void count_attempts(const options::Options<R, N>& o, lane::Lane<R>& lane, typename Real<R>::Mask need_1);
template<class R, class M, class C, int N> DEVICE options::End<R> ending(const lane::Lane<R>& lane, const Arr<R, N>& u);
template<class R> DEVICE Begun<R> begun(typename Real<R>::Mask assigned, typename Real<R>::Mask fresh, typename Real<R>::Mask begins);
template<class R, class S, class M, class Q, class C, int N, int P> DEVICE typename Real<R>::Mask begin(S system, Q& io, const options::Options<R, N>& o, stepper::State<R, N, P>& state, lane::Lane<R>& lane, thinning::Clocks<R>& clocks, typename Real<R>::Mask need_1, const Need<R>& reasons);
template<class R, class C, int N> DEVICE R first_time(const options::Options<R, N>& o, const lane::Lane<R>& lane);
template<class R, class S, class Q, int N, int P> DEVICE void load(Q& io, const options::Options<R, N>& o, stepper::State<R, N, P>& state, lane::Lane<R>& lane, const Need<R>& reasons, const Begun<R>& begun_1);
template<class R, class Q, int N, int P> DEVICE typename Real<R>::Mask is_unsound(Q& io, const options::Options<R, N>& o, const Arr<R, P>& p, const lane::Lane<R>& lane, typename Real<R>::Mask fresh);
template<class R, class M, int N> DEVICE void reset(const options::Options<R, N>& o, lane::Lane<R>& lane, typename Real<R>::Mask need_1, const Need<R>& reasons, const Begun<R>& begun_1);
template<class R, class S, class M, int N, int P> DEVICE Arr<R, N> derivative(S system, const options::Options<R, N>& o, stepper::State<R, N, P>& state, lane::Lane<R>& lane, const Begun<R>& begun_1, R t);
template<class R, class S, int N, int P> DEVICE typename Real<R>::Mask is_pole(S system, const Arr<R, N>& u, const Arr<R, P>& p, R t, R end, const norm::Tolerances<R, N>& tolerances);
template<class R, class S, class M, int N, int P> DEVICE void plan(S system, const options::Options<R, N>& o, const stepper::State<R, N, P>& state, lane::Lane<R>& lane, const Begun<R>& begun_1, R t, const Arr<R, N>& k);
template<class R, int N> DEVICE R within_limits(const options::Options<R, N>& o, R t0, R size);
template<class R, int N> DEVICE void count(const options::Options<R, N>& o, lane::Lane<R>& lane, const Begun<R>& begun_1);
template<class R, class S, class Q, int N, int P> DEVICE void save(Q& io, Arr<R, N> u, Arr<R, P> p, lane::Lane<R>& lane, const Begun<R>& begun_1);
template<class R> DEVICE void park(lane::Lane<R>& lane, typename Real<R>::Mask idle);

// begin.rs  Makes a [`Need`].
template<class R> DEVICE Need<R> need(typename Real<R>::Mask over, typename Real<R>::Mask anew, typename Real<R>::Mask again) {
    return make_Need<R>(over, anew, again);
}

// begin.rs  Delivers the finished trajectories of idle lanes to the sink.
template<class R, class M, class Q, class C, int N, int P> DEVICE Need<R> hand_in(Q& io, const options::Options<R, N>& o, const stepper::State<R, N, P>& state, lane::Lane<R>& lane, typename Real<R>::Mask need_1) {
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    auto nobody = Mask<typename Real<R>::Mask>::splat(false);
    auto anew = nobody;
    if constexpr ((M::GUARDS && C::ADAPTIVE)) {
        anew = op_and(op_and(need_1, lane.alive), m_equals(lane.code, Bits<typename Real<R>::Bits>::lit(code::ANEW)));
    }
    auto over = op_and(need_1, op_not(anew));
    auto again = nobody;
    if (o.stops) {
        auto tried = op_and(op_and(need_1, lane.alive), m_less_than(none, lane.last_attempt));
        auto end = io.load_end(tried, lane.t1);
        again = op_and(op_and(op_and(tried, m_equals(lane.t, lane.t1)), op_not(m_equals(lane.t1, end))), m_equals(lane.code, none));
        over = op_and(over, op_not(again));
    }
    count_attempts<R, M, C, N>(o, lane, need_1);
    auto end_1 = ending<R, M, C, N>(lane, state.u);
    if constexpr ((C::RECORDS && (C::WATCHES || C::SCHEDULED))) {
        auto kind = m_wrapping_add(Bits<typename Real<R>::Bits>::lit((u64)(recording::END)), lane.stop);
        io.record_mark(over, kind, state.u, state.p, end_1.t);
    }
    io.finish(over, state.u, end_1);
    return make_Need<R>(over, anew, again);
}

// begin.rs  Adds the attempts of idle lanes to those of earlier segments.
template<class R, class M, class C, int N> DEVICE void count_attempts(const options::Options<R, N>& o, lane::Lane<R>& lane, typename Real<R>::Mask need_1) {
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    if ((o.stops || M::GUARDS)) {
        auto steps = m_wrapping_add(lane.before, lane.last_attempt);
        if constexpr ((M::GUARDS && C::ADAPTIVE)) {
            auto there = lane::is_at_end<R>(lane);
            auto there_1 = op_and(there, m_less_than(none, lane.last_attempt));
            auto looks = lane::looks_ahead<R, M>(lane, o.guard);
            steps = Bits<typename Real<R>::Bits>::select(there_1, m_wrapping_sub(steps, looks), steps);
        }
        lane.before = Bits<typename Real<R>::Bits>::select(need_1, steps, lane.before);
    } else {
        lane.before = lane.last_attempt;
    }
}

// begin.rs  Returns the end of a trajectory after its attempts were [counted](count_attempts).
template<class R, class M, class C, int N> DEVICE options::End<R> ending(const lane::Lane<R>& lane, const Arr<R, N>& u) {
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    auto ok = Bits<typename Real<R>::Bits>::lit(code::SUCCESS);
    auto code = ok;
    if constexpr (C::ADAPTIVE) {
        auto early = Bits<typename Real<R>::Bits>::lit(code::MAX_STEPS);
        code = Bits<typename Real<R>::Bits>::select(m_equals(lane.t, lane.t1), ok, early);
    }
    code = Bits<typename Real<R>::Bits>::select(m_equals(lane.code, none), code, lane.code);
    auto broken = op_or(lane::is_unsound<R>(lane), op_and(op_not(norm::is_finite<R, N>(u)), m_equals(code, ok)));
    auto non_finite = Bits<typename Real<R>::Bits>::lit(code::NON_FINITE);
    code = Bits<typename Real<R>::Bits>::select(broken, non_finite, code);
    if constexpr (M::Memory::SWITCHES) {
        code = op_or(code, M::Memory::template reported<R>(lane.memory));
    }
    auto reached = lane.t;
    if constexpr (op_not(C::ADAPTIVE)) {
        reached = Real<R>::select(m_equals(lane.last_attempt, none), lane.t0, lane.t1);
    }
    auto report = guard::reported<R>(lane.guarded);
    auto steps = lane.before;
    auto rejected = none;
    if constexpr (C::ADAPTIVE) {
        rejected = lane.rejected;
    } else {
        steps = m_wrapping_add(steps, lane.fractions);
    }
    return options::end<R>(reached, code, steps, rejected, lane.saved, report);
}

// begin.rs  Makes a [`Begun`].
template<class R> DEVICE Begun<R> begun(typename Real<R>::Mask assigned, typename Real<R>::Mask fresh, typename Real<R>::Mask begins) {
    auto nobody = Mask<typename Real<R>::Mask>::splat(false);
    return make_Begun<R>(assigned, fresh, begins, nobody, nobody);
}

// begin.rs  Begins the next trajectory or segment of idle lanes.
template<class R, class S, class M, class Q, class C, int N, int P> DEVICE typename Real<R>::Mask begin(S system, Q& io, const options::Options<R, N>& o, stepper::State<R, N, P>& state, lane::Lane<R>& lane, thinning::Clocks<R>& clocks, typename Real<R>::Mask need_1, const Need<R>& reasons) {
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    auto assigned = io.acquire(reasons.over);
    auto fresh = op_or(assigned, reasons.anew);
    auto begins = op_or(fresh, reasons.again);
    auto begun_1 = begun<R>(assigned, fresh, begins);
    auto stop = lane.stop;
    load<R, S, Q, N, P>(io, o, state, lane, reasons, begun_1);
    if constexpr ((C::NOISE || C::JUMPS)) {
        auto number = io.path_number(lane.t0);
        lane.number[0] = Bits<typename Real<R>::Bits>::select(assigned, number[0], lane.number[0]);
        lane.number[1] = Bits<typename Real<R>::Bits>::select(assigned, number[1], lane.number[1]);
    }
    reset<R, M, N>(o, lane, need_1, reasons, begun_1);
    if constexpr ((C::RECORDS && (C::WATCHES || C::SCHEDULED))) {
        if constexpr ((M::GUARDS && C::ADAPTIVE)) {
            io.forget_actions(reasons.anew);
        }
        if constexpr (C::TIME_DEPENDENT) {
            auto kind = recording::SEGMENT;
            io.record_action(reasons.again, kind, state.u, state.p, lane.t0);
        }
    }
    auto first = state.u;
    auto p_first = state.p;
    auto here = none;
    if constexpr (((C::SCHEDULED && C::EVENTS) && op_not(C::PASSAGES))) {
        here = sides::near<R, S, N, P>(system, state, lane.t, reasons.again);
    }
    auto acted = Mask<typename Real<R>::Mask>::splat(false);
    if constexpr ((S::TIMED > 0)) {
        acted = timed::act<R, S, Q, N, P>(system, io, state, lane, begins, fresh, first);
        begun_1.goes_on = op_and(acted, reasons.again);
    }
    auto ran = delays::none_ran<R>();
    if constexpr ((S::DELAYED > 0)) {
        ran = delays::run<R, S, Q, N, P>(system, io, state, lane, reasons.again);
        delays::shorten<R>(lane, begins);
        auto delayed = op_not(m_equals(ran.events, none));
        acted = op_or(acted, delayed);
        begun_1.goes_on = op_or(begun_1.goes_on, delayed);
    }
    if constexpr (C::JUMPS) {
        auto jumped = thinning::run<R, S, Q, N, P>(system, io, o, state, lane, clocks, begins, fresh, acted);
        thinning::shorten<R, S, N, P>(lane, clocks, begins);
        acted = op_or(acted, jumped);
        begun_1.goes_on = op_or(begun_1.goes_on, jumped);
        begun_1.resumes = op_and(op_and(reasons.again, m_equals(lane.stop, stop)), op_not(acted));
    }
    auto over = ran.over;
    if constexpr ((C::SCHEDULED && C::EVENTS)) {
        auto moved = op_and(begun_1.goes_on, op_not(over));
        if (m_any(moved)) {
            over = op_or(over, jumps::happen<R, S, Q, N, P>(system, io, state, lane, moved, ran.events, here, first, p_first));
        }
    }
    auto t_eval = first_time<R, C, N>(o, lane);
    auto k = derivative<R, S, M, N, P>(system, o, state, lane, begun_1, t_eval);
    if constexpr (C::ADAPTIVE) {
        if constexpr (C::NOISE) {
            auto end = io.load_end(begun_1.fresh, lane.t1);
            dyadic::begin<R, N>(o, lane, begun_1.fresh, begun_1.begins, end);
        } else {
            plan<R, S, M, N, P>(system, o, state, lane, begun_1, t_eval, k);
        }
        auto at_stop = op_and(reasons.again, op_not(begun_1.resumes));
        if ((((o.stops && Real<R>::DOUBLE) && op_not(S::AUTONOMOUS)) && m_any(at_stop))) {
            auto pole = is_pole<R, S, N, P>(system, state.u, state.p, lane.t0, lane.t1, state.tolerances);
            auto ends = op_and(op_and(at_stop, pole), m_equals(lane.code, none));
            auto singular = Bits<typename Real<R>::Bits>::lit(code::SINGULAR);
            lane.code = Bits<typename Real<R>::Bits>::select(ends, singular, lane.code);
        }
    } else {
        count<R, N>(o, lane, begun_1);
        if constexpr (C::JUMPS) {
            auto many = op_and(reasons.again, op_not(m_less_than(lane.before, o.max_steps)));
            auto limit = Bits<typename Real<R>::Bits>::lit(code::MAX_STEPS);
            lane.code = Bits<typename Real<R>::Bits>::select(op_and(many, m_equals(lane.code, none)), limit, lane.code);
        }
    }
    if constexpr (C::WATCHES) {
        sides::arm<R, S, Q, C, N, P>(system, io, state, lane, begins, fresh, acted, here, first, p_first);
    }
    auto unsound = op_and(fresh, is_unsound<R, Q, N, P>(io, o, state.p, lane, fresh));
    if constexpr ((S::TIMED > 0)) {
        unsound = op_or(unsound, op_and(fresh, timed::is_unknown<R, S, N, P>(system, state.p, lane.t0)));
    }
    auto one = Bits<typename Real<R>::Bits>::lit(1);
    lane.attempts = Bits<typename Real<R>::Bits>::select(unsound, one, lane.attempts);
    if ((C::SAVES && io.saves())) {
        first = vector::choose<R, N>(acted, first, state.u);
        save<R, S, Q, N, P>(io, first, state.p, lane, begun_1);
    }
    auto idle = op_and(reasons.over, op_not(assigned));
    park<R>(lane, idle);
    auto ended = op_or(op_or(op_and(assigned, m_equals(lane.t0, lane.t1)), unsound), over);
    if constexpr (((C::ADAPTIVE || C::JUMPS) || (S::ALGEBRAIC > 0))) {
        ended = op_or(ended, op_and(begins, op_not(m_equals(lane.code, none))));
    }
    lane.last_attempt = Bits<typename Real<R>::Bits>::select(ended, none, lane.last_attempt);
    return op_and(begins, m_equals(lane.last_attempt, none));
}

// begin.rs  Returns the time of the first evaluation of a span or segment.
template<class R, class C, int N> DEVICE R first_time(const options::Options<R, N>& o, const lane::Lane<R>& lane) {
    auto t = lane.t0;
    if ((o.stops && C::TIME_DEPENDENT)) {
        t = (lane.t0 + timeline::edge(lane.t0, (lane.t1 - lane.t0), lane.t1));
    }
    return t;
}

// begin.rs  Loads initial states, parameters and time spans, or the next segments.
template<class R, class S, class Q, int N, int P> DEVICE void load(Q& io, const options::Options<R, N>& o, stepper::State<R, N, P>& state, lane::Lane<R>& lane, const Need<R>& reasons, const Begun<R>& begun_1) {
    auto fresh = begun_1.fresh;
    auto begins = begun_1.begins;
    state.u = io.load_u(fresh, state.u);
    auto before = state.p;
    io.load_p(fresh, state.p);
    if constexpr ((S::MODES > 0)) {
        actions::choose_modes<R, S, N, P>(state, before, op_not(fresh));
    }
    auto start = io.load_start(fresh, lane.t0);
    auto end = io.load_end(begins, lane.t1);
    if (o.stops) {
        auto none = Bits<typename Real<R>::Bits>::lit(0);
        auto stopped = reasons.again;
        if constexpr (((S::DELAYED > 0) || (S::JUMPS > 0))) {
            auto stop = io.stop_time(reasons.again, lane.stop, end);
            stopped = op_and(stopped, m_equals(lane.t1, stop));
        }
        auto passed = m_wrapping_add(lane.stop, Bits<typename Real<R>::Bits>::lit(1));
        auto passed_1 = Bits<typename Real<R>::Bits>::select(stopped, passed, lane.stop);
        lane.stop = Bits<typename Real<R>::Bits>::select(fresh, none, passed_1);
        lane.t0 = Real<R>::select(reasons.again, lane.t1, Real<R>::select(fresh, start, lane.t0));
        auto next = io.stop_time(begins, lane.stop, end);
        auto next_1 = Real<R>::select(m_equals(next, math::infinity<R>()), end, next);
        lane.t1 = Real<R>::select(begins, next_1, lane.t1);
    } else {
        lane.t0 = start;
        lane.t1 = end;
    }
    if constexpr ((S::DELAYED > 0)) {
        delays::forget<R>(lane, fresh, end);
    }
    lane.t = Real<R>::select(begins, lane.t0, lane.t);
    lane.t_low = Real<R>::select(begins, Real<R>::lit(0.0), lane.t_low);
}

// begin.rs  Returns whether a new trajectory cannot be solved.
template<class R, class Q, int N, int P> DEVICE typename Real<R>::Mask is_unsound(Q& io, const options::Options<R, N>& o, const Arr<R, P>& p, const lane::Lane<R>& lane, typename Real<R>::Mask fresh) {
    auto end = lane.t1;
    if (o.stops) {
        end = io.load_end(fresh, end);
    }
    auto unsound = op_not(norm::is_finite<R, 1>(array((end - lane.t0))));
    UNROLL_UNLESS((P > (options::MANY_PARAMETERS * (2 - (int)(Real<R>::DOUBLE))))) for (int d = 0; d < P; d++) {
        unsound = op_or(unsound, op_not(m_equals(p[d], p[d])));
    }
    return unsound;
}

// begin.rs  Resets counts, code, and the memories of guard, method and controller.
template<class R, class M, int N> DEVICE void reset(const options::Options<R, N>& o, lane::Lane<R>& lane, typename Real<R>::Mask need_1, const Need<R>& reasons, const Begun<R>& begun_1) {
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    auto assigned = begun_1.assigned;
    auto steps_left = o.max_steps;
    if ((o.stops || M::GUARDS)) {
        lane.before = Bits<typename Real<R>::Bits>::select(assigned, none, lane.before);
        steps_left = m_wrapping_sub(o.max_steps, lane.before);
    }
    lane.attempts = Bits<typename Real<R>::Bits>::select(need_1, none, lane.attempts);
    lane.last_attempt = Bits<typename Real<R>::Bits>::select(need_1, steps_left, lane.last_attempt);
    lane.rejected = Bits<typename Real<R>::Bits>::select(assigned, none, lane.rejected);
    lane.fractions = Bits<typename Real<R>::Bits>::select(assigned, none, lane.fractions);
    lane.rejected = Bits<typename Real<R>::Bits>::select(reasons.anew, lane.before, lane.rejected);
    lane.code = Bits<typename Real<R>::Bits>::select(begun_1.fresh, none, lane.code);
    if constexpr (M::GUARDS) {
        lane.guarded = Bits<typename Real<R>::Bits>::select(assigned, none, lane.guarded);
        auto next = guard::next_part<R>(lane.guarded);
        lane.guarded = Bits<typename Real<R>::Bits>::select(reasons.again, next, lane.guarded);
    }
    if constexpr (M::Memory::SWITCHES) {
        lane.memory = Bits<typename Real<R>::Bits>::select(begun_1.fresh, none, lane.memory);
    }
    auto forgotten = control::fresh<R>(options::law_of<R, M, N>(o, lane.memory));
    lane.control = control::choose_memory<R>(begun_1.begins, forgotten, lane.control);
}

// begin.rs  Makes states consistent at `t`, and returns their derivatives.
template<class R, class S, class M, int N, int P> DEVICE Arr<R, N> derivative(S system, const options::Options<R, N>& o, stepper::State<R, N, P>& state, lane::Lane<R>& lane, const Begun<R>& begun_1, R t) {
    auto begins = begun_1.begins;
    consistent::settle<R, S, N, P>(system, state, lane, begins, t);
    auto f = system.rhs(state.u, state.p, t);
    auto k = f;
    if constexpr (S::MASS) {
        k = consistent::derivative<R, S, N, P>(system, state.u, state.p, t, f);
    }
    if (((M::GUARDS && S::MASS) && (o.guard != guard::OFF))) {
        auto scale = m_copysign(Real<R>::lit(consistent::SHORT), (lane.t1 - lane.t0));
        auto negative = guard::is_negative<R, S, N, P>(system, state.u, state.p, t, scale);
        lane.mirrored = op_or(op_and(begins, negative), op_and(lane.mirrored, op_not(begins)));
    }
    state.du = vector::choose<R, N>(begins, [&]() {
        if constexpr (M::NEEDS_DU) {
            return k;
        } else {
            return f;
        }
    }(), state.du);
    return k;
}

// begin.rs  Returns whether the derivative has a pole at `t`, the beginning of a segment.
template<class R, class S, int N, int P> DEVICE typename Real<R>::Mask is_pole(S system, const Arr<R, N>& u, const Arr<R, P>& p, R t, R end, const norm::Tolerances<R, N>& tolerances) {
    auto span = (end - t);
    auto least = (m_abs(timeline::edge(t, span, end)) * Real<R>::lit(16.0));
    auto near = m_copysign(m_at_most(least, (m_abs(span) * Real<R>::lit(FARTHEST))), span);
    auto further = (near * Real<R>::lit(16.0));
    auto at_near = system.rhs(u, p, (t + near));
    auto behind = system.rhs(u, p, (t + further));
    auto far = system.rhs(u, p, (t + (further * Real<R>::lit(16.0))));
    auto pole = Mask<typename Real<R>::Mask>::splat(false);
    UNROLL for (int d = 0; d < N; d++) {
        auto a = m_abs(at_near[d]);
        auto b = m_abs(behind[d]);
        auto c = m_abs(far[d]);
        auto first_order = Real<R>::lit(LEAST_RATIO);
        auto steep = op_and(m_ge(a, (b * first_order)), m_ge(b, (c * first_order)));
        auto product = (a * c);
        auto square = ((b * b) * Real<R>::lit(1.1));
        auto one_power = op_and(m_le(product, square), m_le(square, (product * Real<R>::lit(1.25))));
        auto scale = m_mul_add(tolerances.reltol, m_abs(u[d]), tolerances.abstol[d]);
        auto factor = (at_near[d] * near);
        auto away = (factor * m_copysign(Real<R>::lit(1.0), u[d]));
        auto grows = op_and(m_gt(away, Real<R>::lit(0.0)), m_ge(away, (m_abs(u[d]) * Real<R>::lit(LEAST_POWER))));
        pole = op_or(pole, op_and(op_and(steep, one_power), op_or(m_ge(m_abs(factor), scale), grows)));
    }
    return pole;
}

// begin.rs  Plans the first adaptive step.
template<class R, class S, class M, int N, int P> DEVICE void plan(S system, const options::Options<R, N>& o, const stepper::State<R, N, P>& state, lane::Lane<R>& lane, const Begun<R>& begun_1, R t, const Arr<R, N>& k) {
    auto none = Bits<typename Real<R>::Bits>::lit(code::SUCCESS);
    auto span = (lane.t1 - lane.t0);
    auto h0 = m_abs(o.dt);
    auto automatic = op_and(m_equals(h0, Real<R>::lit(0.0)), begun_1.begins);
    auto fresh = automatic;
    if constexpr ((S::JUMPS > 0)) {
        auto size = timeline::planned(lane.t0, Real<R>::lit(0.0), lane.plan);
        h0 = Real<R>::select(begun_1.resumes, m_abs(size), h0);
    }
    if constexpr ((((S::TIMED > 0) || (S::DELAYED > 0)) || (S::JUMPS > 0))) {
        auto goes_on = op_and(automatic, begun_1.goes_on);
        fresh = op_and(op_and(automatic, op_not(goes_on)), op_not(begun_1.resumes));
        if (m_any(goes_on)) {
            auto size_1 = timeline::planned(lane.t0, Real<R>::lit(0.0), lane.plan);
            auto size_2 = first_step::after_action<R, S, M, N, P>(system, state, t, span, size_1, k, goes_on);
            h0 = Real<R>::select(goes_on, size_2, h0);
        }
    }
    if (m_any(fresh)) {
        auto size_3 = first_step::size<R, S, M, N, P>(system, state.u, state.p, t, span, k, state.tolerances);
        h0 = Real<R>::select(fresh, size_3, h0);
    }
    auto blind = op_and(automatic, first_step::is_blind<R>(h0, lane.t0, span));
    auto too_short = Bits<typename Real<R>::Bits>::lit(code::DT_MIN);
    lane.code = Bits<typename Real<R>::Bits>::select(op_and(blind, m_equals(lane.code, none)), too_short, lane.code);
    h0 = within_limits<R, N>(o, lane.t0, h0);
    auto next = timeline::plan(lane.t0, Real<R>::lit(0.0), m_copysign(h0, span), Real<R>::lit(1.0));
    lane.plan = Real<R>::select(begun_1.begins, next, lane.plan);
}

// begin.rs  Returns the size of the first step within the limits of sizes at time `t0`.
template<class R, int N> DEVICE R within_limits(const options::Options<R, N>& o, R t0, R size) {
    auto size_1 = m_max(size, timeline::least_step(t0));
    if (o.limited) {
        size_1 = m_at_most(m_max(size_1, o.dtmin), o.dtmax);
    }
    return size_1;
}

// begin.rs  Counts the fixed steps of a span; the last one may be shorter.
template<class R, int N> DEVICE void count(const options::Options<R, N>& o, lane::Lane<R>& lane, const Begun<R>& begun_1) {
    auto span = (lane.t1 - lane.t0);
    auto h0 = m_abs(o.dt);
    auto count_1 = timeline::steps(lane.t0, lane.t1, h0);
    h0 = m_copysign(h0, span);
    lane.dt = Real<R>::select(begun_1.begins, h0, lane.dt);
    auto last = timeline::whole_to_bits(count_1);
    lane.last_attempt = Bits<typename Real<R>::Bits>::select(begun_1.begins, last, lane.last_attempt);
    auto rest = m_mul_add((Real<R>::lit(1.0) - count_1), h0, span);
    lane.last_dt = Real<R>::select(begun_1.begins, rest, lane.last_dt);
}

// begin.rs  Saves initial states `u` if the span's beginning is a saved time.
template<class R, class S, class Q, int N, int P> DEVICE void save(Q& io, Arr<R, N> u, Arr<R, P> p, lane::Lane<R>& lane, const Begun<R>& begun_1) {
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    auto one = Bits<typename Real<R>::Bits>::lit(1);
    lane.saved = Bits<typename Real<R>::Bits>::select(begun_1.fresh, none, lane.saved);
    lane.save_at = io.save_time(begun_1.fresh, lane.saved, lane.save_at);
    auto at_start = op_and(begun_1.fresh, m_equals(lane.save_at, lane.t0));
    if constexpr ((S::ALGEBRAIC > 0)) {
        at_start = op_and(at_start, m_equals(lane.code, none));
    }
    io.save(at_start, lane.saved, u, p, lane.save_at);
    lane.saved = Bits<typename Real<R>::Bits>::select(at_start, one, lane.saved);
    lane.save_at = io.save_time(at_start, lane.saved, lane.save_at);
}

// begin.rs  Parks lanes without a trajectory, when none is left.
template<class R> DEVICE void park(lane::Lane<R>& lane, typename Real<R>::Mask idle) {
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    lane.alive = op_and(lane.alive, op_not(idle));
    lane.t = Real<R>::select(idle, math::not_a_number<R>(), lane.t);
    lane.save_at = Real<R>::select(idle, math::infinity<R>(), lane.save_at);
    lane.last_attempt = Bits<typename Real<R>::Bits>::select(idle, op_not(none), lane.last_attempt);
}
} // namespace begin

namespace locate {
CONSTANT u64 SECOND = 64;
CONSTANT u64 AGAIN = 128;
CONSTANT u64 MOST_CORRECTIONS = 3;
CONSTANT int MOST_TURNS = 3;
CONSTANT double MISSED = 0.0009765625;

// locate.rs  The first event that ends the trajectory or acts.
template<class R> struct Place {
    typename Real<R>::Mask cut;
    R size;
    typename Real<R>::Bits event;
    typename Real<R>::Bits fired;
    typename Real<R>::Bits here;
    typename Real<R>::Bits undone;
};
template<class R> DEVICE Place<R> make_Place(const typename Real<R>::Mask& cut, const R& size, const typename Real<R>::Bits& event, const typename Real<R>::Bits& fired, const typename Real<R>::Bits& here, const typename Real<R>::Bits& undone) { return {cut, size, event, fired, here, undone}; }
template<class R> DEVICE typename Real<R>::Bits crossing_of(typename Real<R>::Bits event);
template<class R> DEVICE typename Real<R>::Bits corrections_of(typename Real<R>::Bits event);
template<class R, class S, int N, int P> DEVICE typename Real<R>::Mask counts_from(typename Real<R>::Mask above, typename Real<R>::Bits bit);
template<class R, class S, class M, class Q, int N, int P> DEVICE Place<R> search(S system, Q& io, const stepper::State<R, N, P>& state, const lane::Lane<R>& lane, const attempt::Attempt<R>& trial, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, const Arr<R, N>& du, R end, typename Real<R>::Bits crossed, typename Real<R>::Bits twice, typename Real<R>::Bits thrice, typename Real<R>::Mask look);
template<class R, class S, class V, int N, int P> DEVICE cubic::Cubic<R> on_step(S system, const stepper::State<R, N, P>& state, const lane::Lane<R>& lane, const attempt::Attempt<R>& trial, const stepper::Step<R, N, V>& step, const Arr<R, N>& du, R end, int index, R side);
template<class R, class S, class M, int N, int P> DEVICE roots::Turns<R> turns_of(S system, const stepper::State<R, N, P>& state, const attempt::Attempt<R>& trial, const stepper::Step<R, N, typename M::template Kept<R, N>>& made, const cubic::Cubic<R>& c, int index, typename Real<R>::Mask which, typename Real<R>::Mask thrice, R side);
template<class R, class S, int N, int P> DEVICE R ahead_of(S system, const Arr<R, N>& u, const Arr<R, P>& p, int index, R t, const Arr<R, N>& du);
template<class R, int N, int P> DEVICE typename Real<R>::Mask is_far(const stepper::State<R, N, P>& state, const Arr<R, N>& u, const Arr<R, N>& du, R t, R since, R ahead);

// locate.rs  Returns the crossing that the number `event` of a lane's event names, without corrections.
template<class R> DEVICE typename Real<R>::Bits crossing_of(typename Real<R>::Bits event) {
    return op_and(event, Bits<typename Real<R>::Bits>::lit((AGAIN - 1)));
}

// locate.rs  Returns the corrections in the number `event` of a lane's event, as multiples of [`AGAIN`].
template<class R> DEVICE typename Real<R>::Bits corrections_of(typename Real<R>::Bits event) {
    return op_and(event, op_not(Bits<typename Real<R>::Bits>::lit((AGAIN - 1))));
}

// locate.rs  Returns whether the event of this bit counts if its function leaves this side.
template<class R, class S, int N, int P> DEVICE typename Real<R>::Mask counts_from(typename Real<R>::Mask above, typename Real<R>::Bits bit) {
    auto falls = sides::has<R>(Bits<typename Real<R>::Bits>::lit((u64)(S::FALLING)), bit);
    auto rises = sides::has<R>(Bits<typename Real<R>::Bits>::lit((u64)(S::RISING)), bit);
    return op_or(op_and(above, falls), op_and(op_not(above), rises));
}

// locate.rs  Finds the events of lanes `look`, and counts them if the step is accepted.
template<class R, class S, class M, class Q, int N, int P> DEVICE Place<R> search(S system, Q& io, const stepper::State<R, N, P>& state, const lane::Lane<R>& lane, const attempt::Attempt<R>& trial, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, const Arr<R, N>& du, R end, typename Real<R>::Bits crossed, typename Real<R>::Bits twice, typename Real<R>::Bits thrice, typename Real<R>::Mask look) {
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    auto one = Bits<typename Real<R>::Bits>::lit(1);
    auto nobody = Mask<typename Real<R>::Mask>::splat(false);
    auto full = Real<R>::lit(1.0);
    auto zero = Real<R>::lit(0.0);
    auto arrives = op_and(look, op_not(m_equals(lane.pending, none)));
    auto pending = crossing_of<R>(lane.pending);
    auto corrections = corrections_of<R>(lane.pending);
    auto next_correction = m_wrapping_add(corrections, Bits<typename Real<R>::Bits>::lit(AGAIN));
    auto may_correct = op_and(arrives, m_less_than(corrections, Bits<typename Real<R>::Bits>::lit((MOST_CORRECTIONS * AGAIN))));
    auto corrected = nobody;
    auto correction = zero;
    auto made = step;
    auto logs = ((S::LOGGED > 0) && io.logs());
    auto turning = op_and(look, op_not(m_equals(op_or(twice, thrice), none)));
    if ((((S::MASS || M::GUARDS) || logs) || m_any(turning))) {
        made = M::template complete<R, S, N, P>(system, state, trial.ask, step);
    }
    auto close = ((m_abs(lane.t) + m_abs(trial.ask.h)) * timeline::few_units<R>());
    auto missed = close;
    if ((op_not(S::MASS) && m_any(arrives))) {
        auto which = one;
        UNROLL for (int e = 0; e < S::EVENTS; e++) {
            auto returns = m_wrapping_add(which, Bits<typename Real<R>::Bits>::lit(SECOND));
            auto here = op_and(arrives, op_or(m_equals(pending, which), m_equals(pending, returns)));
            if (m_any(here)) {
                auto ahead = ahead_of<R, S, N, P>(system, step.u, state.p, e, end, du);
                missed = Real<R>::select(here, (missed + m_abs(ahead)), missed);
            }
            which = m_wrapping_add(which, one);
        }
    }
    auto theta = full;
    auto event = none;
    auto cut = nobody;
    auto fired = none;
    auto here_1 = none;
    auto undone = none;
    auto once = none;
    auto again = none;
    auto third = none;
    auto bent = none;
    auto wavy = none;
    auto bit = one;
    auto number = one;
    UNROLL for (int e_1 = 0; e_1 < S::EVENTS; e_1++) {
        auto crosses = op_and(look, sides::has<R>(crossed, bit));
        auto mine = op_and(arrives, m_equals(pending, number));
        auto second_of = op_and(arrives, m_equals(pending, m_wrapping_add(number, Bits<typename Real<R>::Bits>::lit(SECOND))));
        auto both = op_and(op_and(op_and(look, sides::has<R>(twice, bit)), op_not(mine)), op_not(second_of));
        auto beside = nobody;
        auto back = nobody;
        auto earlier = nobody;
        auto ahead_1 = zero;
        if constexpr (op_not(S::MASS)) {
            ahead_1 = ahead_of<R, S, N, P>(system, step.u, state.p, e_1, end, du);
            auto near = op_and(look, m_le(m_abs(ahead_1), missed));
            here_1 = sides::with<R>(here_1, bit, near);
            earlier = op_and(op_and(op_and(op_and(may_correct, crosses), op_not(mine)), op_not(second_of)), op_not(near));
            auto others = op_and(arrives, sides::has<R>(lane.known, bit));
            auto others_1 = op_and(op_and(op_and(others, op_not(mine)), op_not(second_of)), near);
            auto others_2 = op_and(others_1, op_not(m_lt((ahead_1 * trial.ask.h), zero)));
            auto towards = (system.event_slope(e_1, step.u, state.p, end, du) * trial.ask.h);
            auto moves = Real<R>::select(sides::has<R>(lane.sides, bit), towards, (-towards));
            beside = op_and(op_and(others_2, op_not(crosses)), op_not(m_gt(moves, zero)));
            back = op_and(op_and(others_2, crosses), op_not(m_lt(moves, zero)));
            mine = op_or(mine, beside);
            second_of = op_or(second_of, back);
            both = op_and(both, op_not(beside));
        }
        if (m_any(op_or(op_or(op_or(crosses, both), mine), second_of))) {
            auto above = sides::has<R>(lane.sides, bit);
            auto side = Real<R>::select(above, full, (-full));
            auto c = on_step<R, S, typename M::template Kept<R, N>, N, P>(system, state, lane, trial, step, du, end, e_1, side);
            auto sunk = nobody;
            auto from = zero;
            if constexpr (op_not(S::MASS)) {
                auto rises = op_and(op_and(op_and(crosses, m_lt(c.first, zero)), m_gt(c.lean, zero)), m_lt(c.slope, zero));
                auto peak = cubic::peak<R>(c);
                from = Real<R>::select(rises, peak[0], zero);
                sunk = op_and(rises, op_not(m_gt(peak[1], zero)));
            }
            if ((op_not(S::MASS) && m_any(op_or(mine, second_of)))) {
                mine = op_and(mine, op_or(crosses, op_not(m_gt(c.slope, zero))));
                second_of = op_and(second_of, op_or(op_not(crosses), op_not(m_lt(c.slope, zero))));
                auto since = m_abs((end - lane.acted));
                auto far = is_far<R, N, P>(state, step.u, du, end, since, ahead_1);
                auto far_1 = op_and(op_and(far, op_or(op_and(mine, op_not(beside)), op_and(second_of, op_not(back)))), op_not(sunk));
                auto half_ = m_lt(m_abs(ahead_1), m_abs((trial.ask.h * Real<R>::lit(0.5))));
                auto astray = op_and(op_and(far_1, mine), op_not(half_));
                earlier = op_or(earlier, op_and(op_and(astray, crosses), may_correct));
                auto short_ = op_and(op_and(astray, op_not(crosses)), m_le(m_abs(ahead_1), m_abs(lane.refused)));
                mine = op_and(mine, op_not(short_));
                auto far_2 = op_and(op_and(far_1, half_), may_correct);
                auto better = (cubic::beyond_end<R>(c) * trial.ask.h);
                auto sound = op_and(m_gt((better * ahead_1), zero), m_lt(m_abs(better), m_abs((ahead_1 + ahead_1))));
                correction = Real<R>::select(far_2, Real<R>::select(sound, better, ahead_1), correction);
                corrected = op_or(corrected, far_2);
            }
            auto three = op_and(op_and(op_or(crosses, mine), op_not(second_of)), sides::has<R>(thrice, bit));
            auto turn = full;
            auto turn_back = full;
            if (m_any(op_or(both, three))) {
                auto turns = turns_of<R, S, M, N, P>(system, state, trial, made, c, e_1, op_or(both, three), three, side);
                both = op_and(both, turns.there);
                three = op_and(three, turns.there);
                turn = Real<R>::select(op_or(both, three), turns.first, full);
                turn_back = Real<R>::select(three, turns.second, full);
            }
            auto any = op_or(op_or(op_or(crosses, both), mine), second_of);
            auto first = op_and(any, counts_from<R, S, N, P>(above, bit));
            auto second = op_and(op_or(op_or(both, second_of), three), counts_from<R, S, N, P>(op_not(above), bit));
            auto again_first = op_and(first, three);
            auto acts = sides::has<R>(Bits<typename Real<R>::Bits>::lit((u64)(S::ACTING)), bit);
            if constexpr ((S::DELAYED > 0)) {
                auto delayed = Bits<typename Real<R>::Bits>::lit((u64)(S::DELAYED));
                acts = op_or(acts, sides::has<R>(delayed, bit));
            }
            auto count = io.event_count(e_1);
            auto next = m_wrapping_add(count, one);
            auto passed = Bits<typename Real<R>::Bits>::select(first, next, count);
            auto after = m_wrapping_add(passed, one);
            auto last = m_wrapping_add(Bits<typename Real<R>::Bits>::select(second, after, passed), one);
            auto ends_first = actions::ends<R, S, N, P>(system, state, lane.t, e_1, next);
            auto ends_second = actions::ends<R, S, N, P>(system, state, lane.t, e_1, after);
            auto ends_third = actions::ends<R, S, N, P>(system, state, lane.t, e_1, last);
            auto first_cuts = op_and(first, op_or(acts, ends_first));
            auto second_cuts = op_and(second, op_or(acts, ends_second));
            auto third_cuts = op_and(again_first, op_or(acts, ends_third));
            auto single = op_and(op_and(op_and(first_cuts, op_not(both)), op_not(second_of)), op_not(three));
            auto happens = op_or(op_or(single, op_and(second_cuts, second_of)), third_cuts);
            fired = sides::with<R>(fired, bit, happens);
            auto differs = op_or(op_and(mine, op_not(crosses)), op_and(second_of, crosses));
            undone = sides::with<R>(undone, bit, differs);
            once = sides::with<R>(once, bit, first);
            again = sides::with<R>(again, bit, second);
            third = sides::with<R>(third, bit, again_first);
            bent = sides::with<R>(bent, bit, op_or(op_or(both, second_of), three));
            wavy = sides::with<R>(wavy, bit, three);
            auto late = op_and(op_and(op_or(both, three), op_or(first_cuts, second_cuts)), arrives);
            auto begins = op_and(first_cuts, op_or(op_not(arrives), op_and(earlier, single)));
            auto returns_1 = op_and(op_and(second_cuts, op_not(first_cuts)), op_not(arrives));
            auto leaves = op_and(op_and(op_and(third_cuts, op_not(first_cuts)), op_not(second_cuts)), op_not(arrives));
            auto sought = op_or(op_or(begins, returns_1), leaves);
            if (m_any(sought)) {
                auto low = Real<R>::select(leaves, turn_back, Real<R>::select(returns_1, turn, from));
                auto high = Real<R>::select(leaves, full, Real<R>::select(returns_1, turn_back, turn));
                auto root = [&]() {
                    if constexpr ((S::MASS || M::GUARDS)) {
                        auto side_1 = Real<R>::select(returns_1, (-side), side);
                        return roots::zero_of<R, S, M, N, P>(system, state, trial.ask, made, e_1, sought, low, high, side_1, false);
                    } else {
                        auto side_2 = Real<R>::select(returns_1, (-full), full);
                        return cubic::zero_of<R>(c, sought, low, high, side_2);
                    }
                }();
                auto root_1 = Real<R>::select(op_and(begins, sunk), from, root);
                auto at_end = m_le(m_abs(((full - root_1) * trial.ask.h)), close);
                late = op_or(late, op_and(op_and(op_or(both, three), op_or(begins, returns_1)), at_end));
                auto sooner = op_and(sought, op_or(m_lt(root_1, theta), op_not(cut)));
                theta = Real<R>::select(sooner, root_1, theta);
                auto later = m_wrapping_add(number, Bits<typename Real<R>::Bits>::lit(SECOND));
                auto which_1 = Bits<typename Real<R>::Bits>::select(returns_1, later, number);
                auto anew = Bits<typename Real<R>::Bits>::select(arrives, next_correction, none);
                event = Bits<typename Real<R>::Bits>::select(sooner, op_or(which_1, anew), event);
                cut = op_or(cut, sooner);
            }
            fired = sides::with<R>(fired, bit, late);
            auto left = op_and(late, first_cuts);
            undone = sides::with<R>(undone, bit, op_and(left, both));
            again = Bits<typename Real<R>::Bits>::select(left, op_and(again, op_not(bit)), again);
            bent = Bits<typename Real<R>::Bits>::select(left, op_and(bent, op_not(bit)), bent);
            third = Bits<typename Real<R>::Bits>::select(late, op_and(third, op_not(bit)), third);
            wavy = Bits<typename Real<R>::Bits>::select(late, op_and(wavy, op_not(bit)), wavy);
        }
        bit = m_wrapping_add(bit, bit);
        number = m_wrapping_add(number, one);
    }
    auto rest = m_abs(((full - theta) * trial.ask.h));
    cut = op_and(cut, op_not(m_le(rest, close)));
    auto size = (theta * trial.ask.h);
    auto there = (trial.ask.h + correction);
    corrected = op_and(corrected, op_or(op_not(cut), m_lt(m_abs(there), m_abs(size))));
    cut = op_or(cut, corrected);
    size = Real<R>::select(corrected, there, size);
    event = Bits<typename Real<R>::Bits>::select(corrected, op_or(pending, next_correction), event);
    fired = Bits<typename Real<R>::Bits>::select(op_and(look, op_not(cut)), fired, none);
    here_1 = Bits<typename Real<R>::Bits>::select(op_and(look, op_not(cut)), here_1, none);
    undone = Bits<typename Real<R>::Bits>::select(op_and(look, op_not(cut)), undone, none);
    auto counts = op_and(look, op_not(cut));
    if (logs) {
        auto first_1 = op_and(once, op_not(op_and(fired, op_not(bent))));
        auto second_1 = op_and(again, op_not(op_and(fired, op_not(wavy))));
        logged::within<R, S, M, Q, N, P>(system, io, state, lane, trial.ask, made, end, first_1, second_1, op_and(third, op_not(fired)), bent, wavy, counts);
    }
    bit = one;
    UNROLL for (int e_2 = 0; e_2 < S::EVENTS; e_2++) {
        auto first_2 = op_and(counts, sides::has<R>(once, bit));
        auto second_2 = op_and(counts, sides::has<R>(again, bit));
        auto last_1 = op_and(counts, sides::has<R>(third, bit));
        if (m_any(op_or(op_or(first_2, second_2), last_1))) {
            auto count_1 = io.event_count(e_2);
            auto count_2 = Bits<typename Real<R>::Bits>::select(first_2, m_wrapping_add(count_1, one), count_1);
            auto count_3 = Bits<typename Real<R>::Bits>::select(second_2, m_wrapping_add(count_2, one), count_2);
            auto count_4 = Bits<typename Real<R>::Bits>::select(last_1, m_wrapping_add(count_3, one), count_3);
            io.set_event_count(op_or(op_or(first_2, second_2), last_1), e_2, count_4);
        }
        bit = m_wrapping_add(bit, bit);
    }
    return make_Place<R>(cut, size, event, fired, here_1, undone);
}

// locate.rs  Returns the cubic through the function of event `index` at the ends of a step, times `side`.
template<class R, class S, class V, int N, int P> DEVICE cubic::Cubic<R> on_step(S system, const stepper::State<R, N, P>& state, const lane::Lane<R>& lane, const attempt::Attempt<R>& trial, const stepper::Step<R, N, V>& step, const Arr<R, N>& du, R end, int index, R side) {
    auto first = system.event(index, state.u, state.p, lane.t);
    auto last = system.event(index, step.u, state.p, end);
    auto lean = Real<R>::lit(0.0);
    auto slope = lean;
    if constexpr (op_not(S::MASS)) {
        auto third = (trial.ask.h * Real<R>::lit((1.0 / 3.0)));
        lean = (system.event_slope(index, state.u, state.p, lane.t, state.du) * third);
        slope = (system.event_slope(index, step.u, state.p, end, du) * third);
    }
    return cubic::cubic<R>(side, first, lean, slope, last);
}

// locate.rs  Returns the turning points of the function of event `index` in lanes `which`.
template<class R, class S, class M, int N, int P> DEVICE roots::Turns<R> turns_of(S system, const stepper::State<R, N, P>& state, const attempt::Attempt<R>& trial, const stepper::Step<R, N, typename M::template Kept<R, N>>& made, const cubic::Cubic<R>& c, int index, typename Real<R>::Mask which, typename Real<R>::Mask thrice, R side) {
    if constexpr ((S::MASS || M::GUARDS)) {
        return roots::turns_of<R, S, M, N, P>(system, state, trial.ask, made, index, which, thrice, side);
    } else {
        auto zero = Real<R>::lit(0.0);
        auto full = Real<R>::lit(1.0);
        auto turn = cubic::turns<R>(c)[0];
        auto piece = c;
        auto low = zero;
        auto high = full;
        auto there = Mask<typename Real<R>::Mask>::splat(false);
        auto busy = which;
        UNROLL for (int round = 0; round < MOST_TURNS; round++) {
            if (m_any(busy)) {
                auto value = (side * roots::value_at<R, S, M, N, P>(system, state, trial.ask, made, index, turn, false));
                there = op_or(there, op_and(busy, m_lt(value, zero)));
                busy = op_and(op_and(op_and(busy, op_not(there)), m_gt(turn, low)), m_lt(turn, high));
                if (((round + 1) < MOST_TURNS)) {
                    auto slope = (side * roots::value_at<R, S, M, N, P>(system, state, trial.ask, made, index, turn, true));
                    auto behind = m_lt(slope, zero);
                    auto from = Real<R>::select(behind, turn, low);
                    auto to = Real<R>::select(behind, high, turn);
                    auto part = ((to - from) / (high - low));
                    auto third = ((slope * (to - from)) * Real<R>::lit((1.0 / 3.0)));
                    piece = cubic::cubic<R>(full, Real<R>::select(behind, value, piece.first), Real<R>::select(behind, third, (piece.lean * part)), Real<R>::select(behind, (piece.slope * part), third), Real<R>::select(behind, piece.last, value));
                    busy = op_and(busy, op_not(m_equals(slope, zero)));
                    low = Real<R>::select(busy, from, low);
                    high = Real<R>::select(busy, to, high);
                    auto next = m_mul_add((to - from), cubic::turns<R>(piece)[0], from);
                    turn = Real<R>::select(busy, next, turn);
                }
            }
        }
        auto back = full;
        if (m_any(thrice)) {
            auto most = cubic::turns<R>(c)[1];
            auto value_1 = (side * roots::value_at<R, S, M, N, P>(system, state, trial.ask, made, index, most, false));
            there = op_and(there, op_not(op_and(thrice, op_not(m_gt(value_1, zero)))));
            back = Real<R>::select(thrice, most, full);
        }
        return roots::turning<R>(there, turn, back);
    }
}

// locate.rs  Returns the time from state `u` to an event's zero, by linear extrapolation.
template<class R, class S, int N, int P> DEVICE R ahead_of(S system, const Arr<R, N>& u, const Arr<R, P>& p, int index, R t, const Arr<R, N>& du) {
    return ((-system.event(index, u, p, t)) / system.event_slope(index, u, p, t, du));
}

// locate.rs  Returns whether a step misses its event by too much.
template<class R, int N, int P> DEVICE typename Real<R>::Mask is_far(const stepper::State<R, N, P>& state, const Arr<R, N>& u, const Arr<R, N>& du, R t, R since, R ahead) {
    auto units = timeline::few_units<R>();
    auto part = Real<R>::lit(MISSED);
    auto relative = m_max((state.tolerances.reltol * part), units);
    auto least = (m_abs(t) * units);
    auto far = m_gt(m_abs(ahead), m_max(m_min((m_abs(t) * relative), (since * part)), least));
    UNROLL for (int d = 0; d < N; d++) {
        auto scale = m_mul_add(relative, m_abs(u[d]), (state.tolerances.abstol[d] * part));
        far = op_or(far, m_gt(m_abs((du[d] * ahead)), scale));
    }
    return far;
}
} // namespace locate

namespace events {

// events.rs  The events and conditions of a step.
template<class R, int N> struct Found {
    typename Real<R>::Mask goes;
    typename Real<R>::Mask near;
    typename Real<R>::Mask cut;
    R size;
    typename Real<R>::Bits event;
    typename Real<R>::Bits fired;
    typename Real<R>::Bits here;
    typename Real<R>::Bits returned;
    typename Real<R>::Bits held;
    typename Real<R>::Mask holds;
    Arr<R, N> du;
    R end;
    R t;
    R t_low;
};
template<class R, int N> DEVICE Found<R, N> make_Found(const typename Real<R>::Mask& goes, const typename Real<R>::Mask& near, const typename Real<R>::Mask& cut, const R& size, const typename Real<R>::Bits& event, const typename Real<R>::Bits& fired, const typename Real<R>::Bits& here, const typename Real<R>::Bits& returned, const typename Real<R>::Bits& held, const typename Real<R>::Mask& holds, const Arr<R, N>& du, const R& end, const R& t, const R& t_low) { return {goes, near, cut, size, event, fired, here, returned, held, holds, du, end, t, t_low}; }
template<class R, int N> DEVICE Found<R, N> nothing();
template<class R, class S, class M, class C, int N, int P> DEVICE Found<R, N> watch(S system, const stepper::State<R, N, P>& state, const lane::Lane<R>& lane, const attempt::Attempt<R>& trial, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, typename Real<R>::Mask moves);
template<class R> DEVICE void wait(lane::Lane<R>& lane, const lane::Lane<R>& before, typename Real<R>::Mask which);
template<class R> DEVICE void forget(lane::Lane<R>& lane, const lane::Lane<R>& before, typename Real<R>::Mask which);
template<class R, class S, class M, class Q, class C, int N, int P> DEVICE void find(S system, Q& io, const stepper::State<R, N, P>& state, lane::Lane<R>& lane, const lane::Lane<R>& before, const attempt::Attempt<R>& trial, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, Found<R, N>& found);
template<class R, class C> DEVICE void fail(lane::Lane<R>& lane, typename Real<R>::Mask which);
template<class R> DEVICE R side_of(const lane::Lane<R>& lane, typename Real<R>::Bits bit);

// events.rs  Returns the result for a system without events.
template<class R, int N> DEVICE Found<R, N> nothing() {
    auto nobody = Mask<typename Real<R>::Mask>::splat(false);
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    auto zero = Real<R>::lit(0.0);
    return make_Found<R, N>(nobody, nobody, nobody, zero, none, none, none, none, none, nobody, repeat<N>(zero), zero, zero, zero);
}

// events.rs  Tests whether a step may contain events, and evaluates the conditions at its end.
template<class R, class S, class M, class C, int N, int P> DEVICE Found<R, N> watch(S system, const stepper::State<R, N, P>& state, const lane::Lane<R>& lane, const attempt::Attempt<R>& trial, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, typename Real<R>::Mask moves) {
    auto zero = Real<R>::lit(0.0);
    auto found = nothing<R, N>();
    found.t = lane.t;
    found.t_low = lane.t_low;
    found.goes = moves;
    found.end = Real<R>::select(trial.last, lane.t1, trial.next.t);
    if constexpr (((S::EVENTS > 0) && op_not(C::PASSAGES))) {
        if constexpr (op_not(S::MASS)) {
            if constexpr (M::FSAL) {
                found.du = M::template du_after<R, N>(step.k);
            } else {
                found.du = system.rhs(step.u, state.p, found.end);
            }
        }
        auto quiet = op_not(lane.unsettled);
        if constexpr (((S::TIMED + S::DELAYED) > 0)) {
            quiet = op_and(quiet, op_not(trial.last));
        }
        auto third = (trial.ask.h * Real<R>::lit((1.0 / 3.0)));
        UNROLL for (int e = 0; e < S::EVENTS; e++) {
            auto first = system.event(e, state.u, state.p, lane.t);
            auto last = system.event(e, step.u, state.p, found.end);
            if constexpr (S::MASS) {
                quiet = op_and(quiet, m_gt((first * last), zero));
            } else {
                auto from = system.event_slope(e, state.u, state.p, lane.t, state.du);
                auto to = system.event_slope(e, step.u, state.p, found.end, found.du);
                quiet = op_and(quiet, cubic::stays<R>(first, from, third, to, last));
            }
        }
        found.near = op_and(found.goes, op_not(quiet));
    }
    if constexpr ((S::CONDITIONS > 0)) {
        auto bit = Bits<typename Real<R>::Bits>::lit(1);
        UNROLL for (int e_1 = 0; e_1 < S::CONDITIONS; e_1++) {
            auto holds = m_gt(system.holds(e_1, step.u, state.p, found.end), zero);
            found.held = sides::with<R>(found.held, bit, op_and(found.goes, holds));
            found.holds = op_or(found.holds, op_and(found.goes, holds));
            bit = m_wrapping_add(bit, bit);
        }
    }
    return found;
}

// events.rs  Takes a step back in lanes `which`, which make it again when more lanes search events.
template<class R> DEVICE void wait(lane::Lane<R>& lane, const lane::Lane<R>& before, typename Real<R>::Mask which) {
    forget<R>(lane, before, which);
    auto attempts = m_wrapping_sub(before.attempts, Bits<typename Real<R>::Bits>::lit(1));
    lane.attempts = Bits<typename Real<R>::Bits>::select(which, attempts, lane.attempts);
}

// events.rs  Removes the traces of a step from lanes `which`.
template<class R> DEVICE void forget(lane::Lane<R>& lane, const lane::Lane<R>& before, typename Real<R>::Mask which) {
    lane.control = control::choose_memory<R>(which, before.control, lane.control);
    lane.memory = Bits<typename Real<R>::Bits>::select(which, before.memory, lane.memory);
    lane.guarded = Bits<typename Real<R>::Bits>::select(which, before.guarded, lane.guarded);
}

// events.rs  Finds and counts the events of a step, in lanes `found.near`.
template<class R, class S, class M, class Q, class C, int N, int P> DEVICE void find(S system, Q& io, const stepper::State<R, N, P>& state, lane::Lane<R>& lane, const lane::Lane<R>& before, const attempt::Attempt<R>& trial, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, Found<R, N>& found) {
    auto near = found.near;
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    auto zero = Real<R>::lit(0.0);
    auto end = found.end;
    auto bit = Bits<typename Real<R>::Bits>::lit(1);
    if constexpr ((S::EVENTS > 0)) {
        if (m_any(near)) {
            auto sides = lane.sides;
            auto known = lane.known;
            auto crossed = none;
            auto twice = none;
            auto thrice = none;
            auto broken = Mask<typename Real<R>::Mask>::splat(false);
            UNROLL for (int e = 0; e < S::EVENTS; e++) {
                auto above = sides::has<R>(lane.sides, bit);
                auto was = sides::has<R>(lane.known, bit);
                auto side = side_of<R>(lane, bit);
                auto c = locate::on_step<R, S, typename M::template Kept<R, N>, N, P>(system, state, lane, trial, step, found.du, end, e, side);
                auto stays = m_gt(c.last, zero);
                auto leaves = m_lt(c.last, zero);
                broken = op_or(broken, op_not(m_equals(c.last, c.last)));
                auto flat = m_equals(c.last, zero);
                auto keeps = op_or(stays, op_and(flat, m_gt(c.slope, zero)));
                auto crosses = op_or(leaves, op_and(flat, m_lt(c.slope, zero)));
                if constexpr (op_not(S::MASS)) {
                    auto still = op_and(op_and(was, m_equals(c.last, c.first)), m_equals(c.lean, zero));
                    keeps = op_and(keeps, op_not(still));
                    crosses = op_and(crosses, op_not(still));
                    auto slope = system.event_slope(e, step.u, state.p, end, found.du);
                    auto there = sides::is_at_zero<R>(c.last, slope, end);
                    auto beneath = op_and(op_and(m_lt(c.first, zero), m_lt((c.first + c.lean), zero)), m_lt((c.last - c.slope), zero));
                    auto behind = op_and(op_and(crosses, op_or(there, beneath)), m_gt(c.slope, zero));
                    crosses = op_and(crosses, op_not(behind));
                    keeps = op_or(keeps, behind);
                    if constexpr (C::SCHEDULED) {
                        auto reaches = op_and(op_and(op_and(op_and(was, trial.last), there), m_lt(c.slope, zero)), op_not(crosses));
                        crosses = op_or(crosses, reaches);
                        keeps = op_and(keeps, op_not(reaches));
                    }
                    auto turns = cubic::turns_beyond<R>(c);
                    twice = sides::with<R>(twice, bit, op_and(op_and(was, turns[0]), op_not(crosses)));
                    thrice = sides::with<R>(thrice, bit, op_and(was, turns[1]));
                }
                crossed = sides::with<R>(crossed, bit, op_and(was, crosses));
                auto rises = op_or(op_and(keeps, above), op_and(crosses, op_not(above)));
                auto falls = op_or(op_and(keeps, op_not(above)), op_and(crosses, above));
                sides = sides::with<R>(sides, bit, rises);
                sides = Bits<typename Real<R>::Bits>::select(falls, op_and(sides, op_not(bit)), sides);
                known = sides::with<R>(known, bit, op_or(rises, falls));
                bit = m_wrapping_add(bit, bit);
            }
            auto some = op_or(op_or(crossed, twice), lane.pending);
            auto look = op_and(near, op_not(m_equals(some, none)));
            if (m_any(look)) {
                auto place = locate::search<R, S, M, Q, N, P>(system, io, state, lane, trial, step, found.du, end, crossed, twice, thrice, look);
                found.cut = place.cut;
                found.event = place.event;
                found.fired = place.fired;
                found.here = place.here;
                auto least = m_max(timeline::least_step(lane.t), (m_abs(trial.ask.h) * roots::least_part<R>()));
                found.size = m_copysign(m_max(m_abs(place.size), least), trial.ask.h);
                sides = op_xor(sides, place.undone);
                forget<R>(lane, before, found.cut);
            }
            found.goes = op_and(found.goes, op_not(found.cut));
            found.holds = op_and(found.holds, op_not(found.cut));
            auto goes = op_and(near, found.goes);
            lane.sides = Bits<typename Real<R>::Bits>::select(goes, sides, lane.sides);
            lane.known = Bits<typename Real<R>::Bits>::select(goes, known, lane.known);
            auto broken_1 = op_and(broken, goes);
            if (m_any(broken_1)) {
                fail<R, C>(lane, broken_1);
            }
        }
    }
}

// events.rs  Ends the trajectories of lanes `which`, with an event function that is a NaN.
template<class R, class C> DEVICE void fail(lane::Lane<R>& lane, typename Real<R>::Mask which) {
    auto non_finite = Bits<typename Real<R>::Bits>::lit(code::NON_FINITE);
    lane.code = Bits<typename Real<R>::Bits>::select(which, non_finite, lane.code);
    if constexpr (C::ADAPTIVE) {
        lane.last_attempt = Bits<typename Real<R>::Bits>::select(which, lane.attempts, lane.last_attempt);
    }
}

// events.rs  Returns 1 if the function of the event of this bit is above zero, otherwise -1.
template<class R> DEVICE R side_of(const lane::Lane<R>& lane, typename Real<R>::Bits bit) {
    return Real<R>::select(sides::has<R>(lane.sides, bit), Real<R>::lit(1.0), Real<R>::lit((-1.0)));
}
} // namespace events

namespace passages {
CONSTANT double FAR = 38.0;
template<class R, class S, class M, class Q, class C, int N, int P> DEVICE void find(S system, Q& io, const stepper::State<R, N, P>& state, lane::Lane<R>& lane, const attempt::Attempt<R>& trial, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, events::Found<R, N>& found);
template<class R, class S, int N, int P> DEVICE R scale_of(S system, const stepper::State<R, N, P>& state, const attempt::Attempt<R>& trial, int index);

// passages.rs  Finds and counts the events of a step, in lanes `found.goes`.
template<class R, class S, class M, class Q, class C, int N, int P> DEVICE void find(S system, Q& io, const stepper::State<R, N, P>& state, lane::Lane<R>& lane, const attempt::Attempt<R>& trial, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, events::Found<R, N>& found) {
    auto zero = Real<R>::lit(0.0);
    auto quiet = Mask<typename Real<R>::Mask>::splat(true);
    UNROLL for (int e = 0; e < S::EVENTS; e++) {
        auto first = system.event(e, state.u, state.p, lane.t);
        auto last = system.event(e, step.u, state.p, found.end);
        auto scale = scale_of<R, S, N, P>(system, state, trial, e);
        quiet = op_and(quiet, m_gt((first * last), (scale * Real<R>::lit(FAR))));
    }
    found.near = op_and(found.goes, op_not(quiet));
    auto near = found.near;
    if (m_any(near)) {
        auto none = Bits<typename Real<R>::Bits>::lit(0);
        auto one = Bits<typename Real<R>::Bits>::lit(1);
        auto acting = Bits<typename Real<R>::Bits>::lit((u64)(S::ACTING));
        auto acting_1 = op_or(acting, Bits<typename Real<R>::Bits>::lit((u64)(S::DELAYED)));
        auto slot = none;
        if (((S::LOGGED > 0) && io.logs())) {
            slot = logged::slot_of_first<R, S, Q, N, P>(io, none);
        }
        auto broken = Mask<typename Real<R>::Mask>::splat(false);
        auto bit = one;
        auto number = one;
        UNROLL for (int e_1 = 0; e_1 < S::EVENTS; e_1++) {
            auto above = sides::has<R>(lane.sides, bit);
            auto known = op_and(near, sides::has<R>(lane.known, bit));
            auto first_1 = system.event(e_1, state.u, state.p, lane.t);
            auto last_1 = system.event(e_1, step.u, state.p, found.end);
            broken = op_or(broken, op_and(near, op_not(m_equals(last_1, last_1))));
            auto stays = op_or(op_and(above, m_gt(last_1, zero)), op_and(op_not(above), m_lt(last_1, zero)));
            auto crosses = op_and(known, op_not(stays));
            auto product = (first_1 * last_1);
            auto scale_1 = scale_of<R, S, N, P>(system, state, trial, e_1);
            auto returns = op_and(op_and(known, stays), m_gt(product, zero));
            returns = op_and(returns, op_not(m_gt(product, (scale_1 * Real<R>::lit(FAR)))));
            if (m_any(returns)) {
                auto chance = math::exp((-(product / scale_1)));
                auto stream = system.event_stream(e_1, state.u, state.p, lane.t);
                auto stream_1 = m_shl<1>(timeline::whole_to_bits(stream));
                auto index = op_or(stream_1, Bits<typename Real<R>::Bits>::select(above, one, none));
                auto uniform_ = S::Noise::template uniform_<R>(trial.ask.path, index);
                returns = op_and(returns, m_lt(uniform_, chance));
            }
            auto leaves = op_or(crosses, returns);
            auto counts = op_and(leaves, locate::counts_from<R, S, N, P>(above, bit));
            if (m_any(counts)) {
                auto count = m_wrapping_add(io.event_count(e_1), one);
                auto ends = actions::ends<R, S, N, P>(system, state, lane.t, e_1, count);
                auto fires = op_and(counts, op_or(ends, sides::has<R>(acting_1, bit)));
                found.fired = sides::with<R>(found.fired, bit, fires);
                found.returned = sides::with<R>(found.returned, bit, op_and(counts, returns));
                if (((S::LOGGED > 0) && io.logs())) {
                    auto logs = op_and(op_and(counts, op_not(fires)), logged::is_logged<R, S, N, P>(bit));
                    auto which = logged::number_of<R>(number, op_not(above));
                    io.log_event(logs, slot, which, found.end, step.u, step.u);
                    auto next = m_wrapping_add(slot, one);
                    slot = Bits<typename Real<R>::Bits>::select(logs, next, slot);
                }
                io.set_event_count(counts, e_1, count);
            }
            auto appears = op_and(op_and(near, op_not(known)), op_or(m_gt(last_1, zero), m_lt(last_1, zero)));
            auto rises = op_or(op_and(appears, m_gt(last_1, zero)), op_and(crosses, op_not(above)));
            auto falls = op_or(op_and(appears, m_lt(last_1, zero)), op_and(crosses, above));
            lane.sides = sides::with<R>(lane.sides, bit, rises);
            lane.sides = Bits<typename Real<R>::Bits>::select(falls, op_and(lane.sides, op_not(bit)), lane.sides);
            lane.known = sides::with<R>(lane.known, bit, appears);
            bit = m_wrapping_add(bit, bit);
            number = m_wrapping_add(number, one);
        }
        if (m_any(broken)) {
            events::fail<R, C>(lane, broken);
        }
    }
}

// passages.rs  Returns the product of an event function's values at both ends of a step beside which
template<class R, class S, int N, int P> DEVICE R scale_of(S system, const stepper::State<R, N, P>& state, const attempt::Attempt<R>& trial, int index) {
    auto variance = system.event_variance(index, state.u, state.p, trial.ask.at.t);
    return ((variance * trial.ask.h) * Real<R>::lit(0.5));
}
} // namespace passages

namespace effects {
template<class R, class S, class M, class Q, class C, int N, int P> DEVICE void act(S system, Q& io, const options::Options<R, N>& o, stepper::State<R, N, P>& state, lane::Lane<R>& lane, const attempt::Attempt<R>& trial, const events::Found<R, N>& found, typename Real<R>::Mask near);
template<class R, class C, int N> DEVICE typename Real<R>::Mask follow(lane::Lane<R>& lane, R h, const events::Found<R, N>& found);
template<class R, class S, class M, class Q, class C, int N, int P> DEVICE typename Real<R>::Mask happen(S system, Q& io, const options::Options<R, N>& o, stepper::State<R, N, P>& state, lane::Lane<R>& lane, R h, typename Real<R>::Mask arrived, typename Real<R>::Bits aimed, const events::Found<R, N>& found);

// effects.rs  Applies the events of a step, or plans the step to an event, in lanes `near`.
template<class R, class S, class M, class Q, class C, int N, int P> DEVICE void act(S system, Q& io, const options::Options<R, N>& o, stepper::State<R, N, P>& state, lane::Lane<R>& lane, const attempt::Attempt<R>& trial, const events::Found<R, N>& found, typename Real<R>::Mask near) {
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    auto h = trial.ask.h;
    auto aimed = lane.pending;
    auto arrived = Mask<typename Real<R>::Mask>::splat(false);
    if constexpr (op_not(C::PASSAGES)) {
        arrived = follow<R, C, N>(lane, h, found);
    }
    if (m_any(op_and(found.goes, op_or(op_not(m_equals(found.fired, none)), found.holds)))) {
        happen<R, S, M, Q, C, N, P>(system, io, o, state, lane, h, arrived, aimed, found);
    }
    if constexpr ((C::EVENTS && op_not(C::PASSAGES))) {
        if (m_any(near)) {
            sides::settle<R, S, N, P>(system, state, lane, near);
            lane.unsettled = op_or(lane.unsettled, found.cut);
        }
    }
}

// effects.rs  Plans the steps to events in lanes `found.cut`; returns the lanes that have made such a step.
template<class R, class C, int N> DEVICE typename Real<R>::Mask follow(lane::Lane<R>& lane, R h, const events::Found<R, N>& found) {
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    auto one = Bits<typename Real<R>::Bits>::lit(1);
    auto cut = found.cut;
    auto goes = found.goes;
    auto arrived = op_and(goes, op_not(m_equals(lane.pending, none)));
    if constexpr (C::ADAPTIVE) {
        auto rejected = m_wrapping_add(lane.rejected, one);
        lane.rejected = Bits<typename Real<R>::Bits>::select(cut, rejected, lane.rejected);
        lane.refused = Real<R>::select(op_and(cut, m_equals(lane.pending, none)), h, lane.refused);
    } else {
        lane.t = Real<R>::select(cut, found.t, lane.t);
        lane.t_low = Real<R>::select(cut, found.t_low, lane.t_low);
        auto before = m_wrapping_sub(lane.attempts, one);
        lane.attempts = Bits<typename Real<R>::Bits>::select(op_or(cut, arrived), before, lane.attempts);
        auto fractions = m_wrapping_add(lane.fractions, one);
        lane.fractions = Bits<typename Real<R>::Bits>::select(arrived, fractions, lane.fractions);
        auto covered = Real<R>::select(arrived, (lane.covered + h), Real<R>::lit(0.0));
        lane.covered = Real<R>::select(goes, covered, lane.covered);
    }
    auto plan = timeline::plan(lane.t, lane.t_low, found.size, Real<R>::lit(1.0));
    lane.plan = Real<R>::select(cut, plan, lane.plan);
    lane.pending = Bits<typename Real<R>::Bits>::select(cut, found.event, none);
    return arrived;
}

// effects.rs  Runs the actions of events and conditions; returns the lanes with an ended trajectory.
template<class R, class S, class M, class Q, class C, int N, int P> DEVICE typename Real<R>::Mask happen(S system, Q& io, const options::Options<R, N>& o, stepper::State<R, N, P>& state, lane::Lane<R>& lane, R h, typename Real<R>::Mask arrived, typename Real<R>::Bits aimed, const events::Found<R, N>& found) {
    auto goes = found.goes;
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    auto one = Bits<typename Real<R>::Bits>::lit(1);
    auto nobody = Mask<typename Real<R>::Mask>::splat(false);
    auto before = state.u;
    auto p_before = state.p;
    auto at_zero = none;
    auto reached = lane.sides;
    if constexpr (C::PASSAGES) {
        reached = op_xor(reached, found.returned);
    } else {
        auto near = sides::near<R, S, N, P>(system, state, lane.t, goes);
        at_zero = op_or(op_or(near, found.fired), found.here);
    }
    auto acting = Bits<typename Real<R>::Bits>::lit((u64)(S::ACTING));
    auto over = nobody;
    if constexpr ((C::RECORDS && C::EVENTS)) {
        auto which = op_and(found.goes, op_not(m_equals(found.fired, none)));
        recording::cause<R, S, Q, N, P>(io, state, lane.t, aimed, found.fired, which);
    }
    auto ran = none;
    auto waiting = none;
    auto end = lane.t1;
    auto slot = none;
    if ((((S::LOGGED + S::CONDITIONS_LOGGED) > 0) && io.logs())) {
        slot = logged::slot_of_first<R, S, Q, N, P>(io, found.fired);
    }
    auto bit = one;
    auto number = one;
    UNROLL for (int e = 0; e < S::EVENTS; e++) {
        auto here = op_and(goes, sides::has<R>(found.fired, bit));
        if (m_any(here)) {
            auto rises = sides::has<R>(reached, bit);
            auto effects = jumps::occur<R, S, Q, N, P>(system, io, state, lane, e, bit, number, here, rises, slot);
            ran = sides::with<R>(ran, bit, effects.acts);
            waiting = sides::with<R>(waiting, bit, effects.waits);
            over = op_or(over, effects.over);
        }
        bit = m_wrapping_add(bit, bit);
        number = m_wrapping_add(number, one);
    }
    auto by_event = op_and(goes, op_not(m_equals(ran, none)));
    auto acted = by_event;
    bit = one;
    number = Bits<typename Real<R>::Bits>::lit((u64)(((S::EVENTS + S::TIMED) + 1)));
    UNROLL for (int e_1 = 0; e_1 < S::CONDITIONS; e_1++) {
        auto index = actions::condition<R, S, N, P>(e_1);
        auto here_1 = op_and(goes, sides::has<R>(found.held, bit));
        if (m_any(here_1)) {
            auto count = m_wrapping_add(io.event_count(index), one);
            io.set_event_count(here_1, index, count);
            auto acting_1 = Bits<typename Real<R>::Bits>::lit((u64)(S::CONDITIONS_ACTING));
            auto acts = op_and(here_1, sides::has<R>(acting_1, bit));
            auto before_1 = state.u;
            actions::change<R, S, Q, N, P>(system, io, state, index, lane.t, acts);
            if (((S::CONDITIONS_LOGGED > 0) && io.logs())) {
                auto logs = op_and(here_1, logged::is_condition_logged<R, S, N, P>(bit));
                auto which_1 = logged::number_of<R>(number, here_1);
                io.log_event(logs, slot, which_1, lane.t, before_1, state.u);
                slot = Bits<typename Real<R>::Bits>::select(logs, m_wrapping_add(slot, one), slot);
            }
            acted = op_or(acted, acts);
            over = op_or(over, op_and(here_1, actions::ends<R, S, N, P>(system, state, lane.t, index, count)));
        }
        bit = m_wrapping_add(bit, bit);
        number = m_wrapping_add(number, one);
    }
    auto terminated = Bits<typename Real<R>::Bits>::lit(code::TERMINATED);
    lane.code = Bits<typename Real<R>::Bits>::select(over, terminated, lane.code);
    auto ended = over;
    if constexpr ((S::DELAYED > 0)) {
        ended = op_or(ended, op_and(found.goes, op_not(m_equals(lane.code, none))));
    }
    if constexpr (((S::EVENTS > 0) && (((S::ACTING + S::DELAYED) + S::CONDITIONS_ACTING) > 0))) {
        auto moved = op_and(acted, op_not(ended));
        if (m_any(moved)) {
            ended = op_or(ended, jumps::happen<R, S, Q, N, P>(system, io, state, lane, moved, op_and(found.fired, op_not(op_and(waiting, op_not(ran)))), at_zero, before, p_before));
        }
    }
    auto at_end = nobody;
    if constexpr (C::ADAPTIVE) {
        at_end = lane::is_at_end<R>(lane);
    }
    auto whole = Real<R>::select(arrived, lane.covered, h);
    if constexpr (C::ADAPTIVE) {
        whole = Real<R>::select(arrived, lane.refused, h);
    }
    auto goes_on = op_and(acted, op_not(ended));
    by_event = op_and(by_event, op_not(ended));
    auto ends = op_and(ended, op_not(at_end));
    if constexpr ((S::DELAYED > 0)) {
        if constexpr (C::ADAPTIVE) {
            auto waits = op_and(op_and(op_and(op_and(arrived, op_not(m_equals(waiting, none))), op_not(acted)), op_not(ended)), op_not(at_end));
            auto fresh = control::fresh<R>(options::law_of<R, M, N>(o, lane.memory));
            lane.control = control::choose_memory<R>(waits, fresh, lane.control);
            auto plan = timeline::plan(lane.t, lane.t_low, whole, Real<R>::lit(1.0));
            lane.plan = Real<R>::select(waits, plan, lane.plan);
        } else {
            delays::count_again<R>(lane, op_and(op_not(m_equals(lane.t1, end)), op_not(ended)));
        }
    }
    if (m_any(goes_on)) {
        auto begun = begin::begun<R>(nobody, nobody, goes_on);
        auto k = begin::derivative<R, S, M, N, P>(system, o, state, lane, begun, lane.t);
        auto fresh_1 = control::fresh<R>(options::law_of<R, M, N>(o, lane.memory));
        lane.control = control::choose_memory<R>(by_event, fresh_1, lane.control);
        if constexpr (M::GUARDS) {
            auto next = guard::next_part<R>(lane.guarded);
            lane.guarded = Bits<typename Real<R>::Bits>::select(goes_on, next, lane.guarded);
        }
        if constexpr ((C::ADAPTIVE && op_not(C::NOISE))) {
            auto planned = timeline::planned(lane.t, lane.t_low, lane.plan);
            auto size = Real<R>::select(by_event, whole, planned);
            auto goes_on_1 = op_and(goes_on, op_not(at_end));
            if ((m_any(m_equals(o.dt, Real<R>::lit(0.0))) && m_any(goes_on_1))) {
                auto rest = (lane.t1 - lane.t);
                auto next_1 = first_step::after_action<R, S, M, N, P>(system, state, lane.t, rest, size, k, goes_on_1);
                auto next_2 = m_max(next_1, timeline::least_step(lane.t));
                if (o.limited) {
                    next_2 = m_max(next_2, o.dtmin);
                }
                size = m_copysign(next_2, size);
            }
            auto plan_1 = timeline::plan(lane.t, lane.t_low, size, Real<R>::lit(1.0));
            lane.plan = Real<R>::select(goes_on_1, plan_1, lane.plan);
        }
        auto sides = sides::sides_of<R, S, N, P>(system, state, lane.t, h, at_zero, before, p_before, nobody);
        auto since = m_abs((lane.t - lane.acted));
        auto resolution = (((m_abs(lane.t) + m_abs(whole)) * timeline::few_units<R>()) * Real<R>::lit(8.0));
        auto near_1 = m_le(since, resolution);
        auto rests = none;
        auto due = none;
        if constexpr (C::PASSAGES) {
            rests = op_and(ran, op_not(sides[1]));
        } else if constexpr (((S::EVENTS > 0) && op_not(S::MASS))) {
            if (m_any(by_event)) {
                auto acted_here = ran;
                auto contact = sides::at_zero<R, S, N, P>(system, state, lane.t, before, p_before, found.du, since, acted_here);
                near_1 = op_or(near_1, op_not(m_equals(contact[1], none)));
                rests = op_or(contact[0], op_and(contact[1], lane.fired));
                auto counts = sides::in_direction<R, S, N, P>(sides[0]);
                auto across = op_and(op_and(sides[1], lane.known), op_xor(sides[0], lane.sides));
                due = op_and(op_and(op_and(op_and(acting, op_not(found.fired)), sides[2]), across), counts);
            }
        }
        auto kept = op_or(rests, due);
        auto stays = op_and(op_and(lane.sides, lane.known), op_not(sides[1]));
        auto there = op_or(op_or(op_and(op_or(sides[0], stays), op_not(kept)), op_and(rests, op_not(reached))), op_and(due, op_not(sides[0])));
        auto known = op_or(op_or(lane.known, sides[1]), kept);
        lane.sides = Bits<typename Real<R>::Bits>::select(goes_on, there, lane.sides);
        lane.known = Bits<typename Real<R>::Bits>::select(goes_on, known, lane.known);
        auto chain = Bits<typename Real<R>::Bits>::select(near_1, m_wrapping_add(lane.chain, one), none);
        auto earlier = Bits<typename Real<R>::Bits>::select(near_1, lane.fired, none);
        auto fired = op_or(earlier, ran);
        lane.fired = Bits<typename Real<R>::Bits>::select(by_event, fired, lane.fired);
        lane.chain = Bits<typename Real<R>::Bits>::select(by_event, chain, lane.chain);
        lane.acted = Real<R>::select(by_event, lane.t, lane.acted);
        auto many = op_and(by_event, m_less_than(Bits<typename Real<R>::Bits>::lit((u64)(actions::MOST_AT_ONCE)), lane.chain));
        auto too_many = Bits<typename Real<R>::Bits>::lit(code::TOO_MANY_EVENTS);
        lane.code = Bits<typename Real<R>::Bits>::select(op_and(many, m_equals(lane.code, none)), too_many, lane.code);
        ends = op_or(ends, op_and(goes_on, op_not(m_equals(lane.code, none))));
    }
    if constexpr (op_not(C::ADAPTIVE)) {
        auto part = op_and(ends, arrived);
        auto counted = m_wrapping_add(lane.attempts, one);
        lane.attempts = Bits<typename Real<R>::Bits>::select(part, counted, lane.attempts);
        auto fractions = m_wrapping_sub(lane.fractions, one);
        lane.fractions = Bits<typename Real<R>::Bits>::select(part, fractions, lane.fractions);
        lane.t1 = Real<R>::select(ends, lane.t, lane.t1);
    }
    lane.last_attempt = Bits<typename Real<R>::Bits>::select(ends, lane.attempts, lane.last_attempt);
    return op_or(ended, ends);
}
} // namespace effects

namespace features {
CONSTANT int MOST = (2 * options::MOST_FEATURES);
TABLE double POINTS[5] = {0.0, 0.17267316464601143, 0.5, 0.8273268353539886, 1.0};
TABLE double WEIGHTS[5] = {0.05, 0.2722222222222222, 0.35555555555555557, 0.2722222222222222, 0.05};

// features.rs  The features of a lane's trajectory so far.
template<class R> struct Memory {
    Arr<R, MOST> most;
    Arr<R, MOST> at;
    Arr<R, MOST> sums;
    Arr<R, MOST> lows;
};
template<class R> DEVICE Memory<R> make_Memory(const Arr<R, MOST>& most, const Arr<R, MOST>& at, const Arr<R, MOST>& sums, const Arr<R, MOST>& lows) { return {most, at, sums, lows}; }
template<class R> DEVICE Memory<R> fresh();
template<class R, class S, class Q, class C, int N, int P> DEVICE void hand_in(S system, Q& io, const options::Options<R, N>& o, const stepper::State<R, N, P>& state, const lane::Lane<R>& lane, Memory<R>& memory, const begin::Need<R>& reasons);
template<class R, class S, class M, int N, int P> DEVICE void add(S system, const stepper::State<R, N, P>& state, const lane::Lane<R>& lane, const attempt::Attempt<R>& trial, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, typename Real<R>::Mask moves, Memory<R>& memory);
template<class R, class S, class M, int N, int P> DEVICE Arr<R, 5> values_of(S system, const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, const Arr<Arr<R, N>, 3>& within, int index);
template<class R> DEVICE void replace(Memory<R>& memory, int index, R value, R t, typename Real<R>::Mask which);
template<class R> DEVICE void increase(Memory<R>& memory, int index, R term, typename Real<R>::Mask which);
template<class R, class S, class M, int N, int P> DEVICE void rise(S system, const stepper::State<R, N, P>& state, const lane::Lane<R>& lane, const attempt::Attempt<R>& trial, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, int index, const Arr<R, 5>& values, typename Real<R>::Mask goes, Memory<R>& memory);
template<class R, class S, class M, int N, int P> DEVICE R positive_part(S system, const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, int index, const Arr<R, 5>& values, typename Real<R>::Mask goes);

// features.rs  Returns the memory before the first step.
template<class R> DEVICE Memory<R> fresh() {
    auto zero = Real<R>::lit(0.0);
    return make_Memory<R>(repeat<MOST>((-math::infinity<R>())), repeat<MOST>(math::not_a_number<R>()), repeat<MOST>(zero), repeat<MOST>(zero));
}

// features.rs  Delivers the features of finished trajectories, and begins the features of the next ones.
template<class R, class S, class Q, class C, int N, int P> DEVICE void hand_in(S system, Q& io, const options::Options<R, N>& o, const stepper::State<R, N, P>& state, const lane::Lane<R>& lane, Memory<R>& memory, const begin::Need<R>& reasons) {
    auto over = reasons.over;
    auto ends = op_or(over, reasons.anew);
    if (m_any(ends)) {
        auto new_ = fresh<R>();
        auto t = lane.t;
        if ((o.stops && C::TIME_DEPENDENT)) {
            t = (lane.t - timeline::edge(lane.t, (lane.t1 - lane.t0), lane.t1));
        }
        UNROLL for (int e = 0; e < (S::MAXIMA + S::MINIMA); e++) {
            auto last = system.event((S::EVENTS + e), state.u, state.p, t);
            replace<R>(memory, e, last, lane.t, over);
            auto most = memory.most[e];
            if ((e >= S::MAXIMA)) {
                most = (-most);
            }
            io.set_feature(over, (2 * e), most);
            io.set_feature(over, ((2 * e) + 1), memory.at[e]);
            memory.most[e] = Real<R>::select(ends, new_.most[e], memory.most[e]);
            memory.at[e] = Real<R>::select(ends, new_.at[e], memory.at[e]);
        }
        UNROLL for (int e_1 = 0; e_1 < (S::INTEGRALS + S::TIMES_POSITIVE); e_1++) {
            auto sum = (memory.sums[e_1] + memory.lows[e_1]);
            io.set_feature(over, ((2 * (S::MAXIMA + S::MINIMA)) + e_1), sum);
            memory.sums[e_1] = Real<R>::select(ends, new_.sums[e_1], memory.sums[e_1]);
            memory.lows[e_1] = Real<R>::select(ends, new_.lows[e_1], memory.lows[e_1]);
        }
    }
}

// features.rs  Adds a step to the features of lanes that move by it.
template<class R, class S, class M, int N, int P> DEVICE void add(S system, const stepper::State<R, N, P>& state, const lane::Lane<R>& lane, const attempt::Attempt<R>& trial, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, typename Real<R>::Mask moves, Memory<R>& memory) {
    auto made = m_equals(step.code, Bits<typename Real<R>::Bits>::lit(code::SUCCESS));
    auto goes = op_and(op_and(op_and(moves, trial.run), lane.alive), made);
    if (m_any(goes)) {
        const auto& ask = trial.ask;
        auto step_1 = M::template complete<R, S, N, P>(system, state, ask, step);
        auto within = array(M::template interpolate<R, N, P>(state, ask, step_1, Real<R>::lit(POINTS[1])), M::template interpolate<R, N, P>(state, ask, step_1, Real<R>::lit(POINTS[2])), M::template interpolate<R, N, P>(state, ask, step_1, Real<R>::lit(POINTS[3])));
        auto first = S::EVENTS;
        UNROLL for (int e = 0; e < (S::MAXIMA + S::MINIMA); e++) {
            auto values = values_of<R, S, M, N, P>(system, state, ask, step_1, within, (first + e));
            rise<R, S, M, N, P>(system, state, lane, trial, step_1, e, values, goes, memory);
        }
        auto first_1 = ((S::EVENTS + S::MAXIMA) + S::MINIMA);
        UNROLL for (int e_1 = 0; e_1 < S::INTEGRALS; e_1++) {
            auto values_1 = values_of<R, S, M, N, P>(system, state, ask, step_1, within, (first_1 + e_1));
            auto mean = (values_1[0] * Real<R>::lit(WEIGHTS[0]));
            UNROLL for (int i = 1; i < 5; i++) {
                mean = m_mul_add(values_1[i], Real<R>::lit(WEIGHTS[i]), mean);
            }
            increase<R>(memory, e_1, (mean * ask.h), goes);
        }
        UNROLL for (int e_2 = S::INTEGRALS; e_2 < (S::INTEGRALS + S::TIMES_POSITIVE); e_2++) {
            auto values_2 = values_of<R, S, M, N, P>(system, state, ask, step_1, within, (first_1 + e_2));
            auto part = positive_part<R, S, M, N, P>(system, state, ask, step_1, (first_1 + e_2), values_2, goes);
            increase<R>(memory, e_2, (part * m_abs(ask.h)), goes);
        }
    }
}

// features.rs  Returns the values of a function at the points of a step.
template<class R, class S, class M, int N, int P> DEVICE Arr<R, 5> values_of(S system, const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, const Arr<Arr<R, N>, 3>& within, int index) {
    auto start = timeline::stage<R, S, N, P>(ask.at, Real<R>::lit(POINTS[0]));
    auto end = timeline::stage<R, S, N, P>(ask.at, Real<R>::lit(POINTS[4]));
    auto values = repeat<5>(system.event(index, state.u, state.p, start));
    UNROLL for (int i = 1; i < 4; i++) {
        auto t = timeline::stage<R, S, N, P>(ask.at, Real<R>::lit(POINTS[i]));
        values[i] = system.event(index, within[(i - 1)], state.p, t);
    }
    values[4] = system.event(index, step.u, state.p, end);
    return values;
}

// features.rs  Replaces an extreme by `value` at time `t`, if it is larger, in lanes `which`.
template<class R> DEVICE void replace(Memory<R>& memory, int index, R value, R t, typename Real<R>::Mask which) {
    auto larger = op_and(which, op_or(m_gt(value, memory.most[index]), op_not(m_equals(value, value))));
    memory.most[index] = Real<R>::select(larger, value, memory.most[index]);
    memory.at[index] = Real<R>::select(larger, t, memory.at[index]);
}

// features.rs  Adds a term to a sum, in lanes `which`.
template<class R> DEVICE void increase(Memory<R>& memory, int index, R term, typename Real<R>::Mask which) {
    auto before = memory.sums[index];
    auto sum = (before + term);
    auto added = (sum - before);
    auto low = ((before - (sum - added)) + (term - added));
    memory.sums[index] = Real<R>::select(which, sum, before);
    memory.lows[index] = Real<R>::select(which, (memory.lows[index] + low), memory.lows[index]);
}

// features.rs  Updates an extreme by a step.
template<class R, class S, class M, int N, int P> DEVICE void rise(S system, const stepper::State<R, N, P>& state, const lane::Lane<R>& lane, const attempt::Attempt<R>& trial, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, int index, const Arr<R, 5>& values, typename Real<R>::Mask goes, Memory<R>& memory) {
    const auto& ask = trial.ask;
    auto zero = Real<R>::lit(0.0);
    auto full = Real<R>::lit(1.0);
    auto most = values[0];
    auto beside = array(values[1], values[2]);
    auto theta = zero;
    auto low = zero;
    auto high = Real<R>::lit(POINTS[1]);
    auto broken = op_not(m_equals(values[0], values[0]));
    UNROLL for (int i = 1; i < 4; i++) {
        auto larger = m_gt(values[i], most);
        broken = op_or(broken, op_not(m_equals(values[i], values[i])));
        most = Real<R>::select(larger, values[i], most);
        beside[0] = Real<R>::select(larger, values[(i - 1)], beside[0]);
        beside[1] = Real<R>::select(larger, values[(i + 1)], beside[1]);
        theta = Real<R>::select(larger, Real<R>::lit(POINTS[i]), theta);
        low = Real<R>::select(larger, Real<R>::lit(POINTS[(i - 1)]), low);
        high = Real<R>::select(larger, Real<R>::lit(POINTS[(i + 1)]), high);
    }
    auto larger_1 = m_gt(values[4], most);
    broken = op_or(broken, op_not(m_equals(values[4], values[4])));
    most = Real<R>::select(larger_1, values[4], most);
    beside[0] = Real<R>::select(larger_1, values[2], beside[0]);
    beside[1] = Real<R>::select(larger_1, values[3], beside[1]);
    theta = Real<R>::select(larger_1, full, theta);
    low = Real<R>::select(larger_1, Real<R>::lit(POINTS[3]), low);
    high = Real<R>::select(larger_1, full, high);
    auto bound = (((most - beside[0]) + (most - beside[1])) + most);
    auto promising = op_and(goes, m_gt(bound, memory.most[index]));
    if (m_any(promising)) {
        auto of = (S::EVENTS + index);
        auto slope = roots::value_at<R, S, M, N, P>(system, state, ask, step, of, theta, true);
        auto rises = op_and(m_gt(slope, zero), m_lt(theta, full));
        auto falls = op_and(m_lt(slope, zero), m_gt(theta, zero));
        auto search = op_and(promising, op_or(rises, falls));
        if (m_any(search)) {
            low = Real<R>::select(rises, theta, low);
            high = Real<R>::select(rises, high, theta);
            auto turn = roots::zero_of<R, S, M, N, P>(system, state, ask, step, of, search, low, high, (-full), true);
            auto top = roots::value_at<R, S, M, N, P>(system, state, ask, step, of, turn, false);
            auto higher = op_and(search, m_gt(top, most));
            most = Real<R>::select(higher, top, most);
            theta = Real<R>::select(higher, turn, theta);
        }
    }
    most = Real<R>::select(broken, math::not_a_number<R>(), most);
    auto within = (lane.t + m_mul_add(theta, ask.h, lane.t_low));
    auto end = Real<R>::select(trial.last, lane.t1, trial.next.t);
    auto t = Real<R>::select(m_equals(theta, full), end, within);
    replace<R>(memory, index, most, t, goes);
}

// features.rs  Returns the fraction of a step with a positive function; NaN if a value is.
template<class R, class S, class M, int N, int P> DEVICE R positive_part(S system, const stepper::State<R, N, P>& state, const stepper::Ask<R>& ask, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, int index, const Arr<R, 5>& values, typename Real<R>::Mask goes) {
    auto zero = Real<R>::lit(0.0);
    auto full = Real<R>::lit(1.0);
    auto part = zero;
    auto broken = op_not(m_equals(values[0], values[0]));
    UNROLL for (int i = 0; i < 4; i++) {
        auto both = op_and(m_gt(values[i], zero), m_gt(values[(i + 1)], zero));
        broken = op_or(broken, op_not(m_equals(values[(i + 1)], values[(i + 1)])));
        part = Real<R>::select(both, (part + (Real<R>::lit(POINTS[(i + 1)]) - Real<R>::lit(POINTS[i]))), part);
    }
    auto after = zero;
    auto searched = op_and(goes, op_not(broken));
    while (m_any(searched)) {
        auto found = op_not(goes);
        auto low = zero;
        auto high = zero;
        auto falls = found;
        UNROLL for (int i_1 = 0; i_1 < 4; i_1++) {
            auto from = m_gt(values[i_1], zero);
            auto to = m_gt(values[(i_1 + 1)], zero);
            auto crosses = op_or(op_and(from, op_not(to)), op_and(op_not(from), to));
            auto here = op_and(op_and(op_and(searched, crosses), m_ge(Real<R>::lit(POINTS[i_1]), after)), op_not(found));
            low = Real<R>::select(here, Real<R>::lit(POINTS[i_1]), low);
            high = Real<R>::select(here, Real<R>::lit(POINTS[(i_1 + 1)]), high);
            falls = op_or(falls, op_and(here, from));
            found = op_or(found, here);
        }
        found = op_and(found, searched);
        if (m_any(found)) {
            auto side = Real<R>::select(falls, full, (-full));
            auto root = roots::zero_of<R, S, M, N, P>(system, state, ask, step, index, found, low, high, side, false);
            auto added = Real<R>::select(falls, (root - low), (high - root));
            part = Real<R>::select(found, (part + added), part);
            after = high;
        }
        searched = found;
    }
    return Real<R>::select(broken, math::not_a_number<R>(), part);
}
} // namespace features

namespace advance {
CONSTANT double LEAST_PART = 9.313225746154785e-10;
template<class R, class S, class M, class Q, class C, int N, int P> DEVICE void record(S system, Q& io, const options::Options<R, N>& o, const stepper::State<R, N, P>& state, lane::Lane<R>& lane, const attempt::Attempt<R>& trial, stepper::Step<R, N, typename M::template Kept<R, N>>& step, typename Real<R>::Mask moves);
template<class R> DEVICE stepper::Ask<R> up_to(const stepper::Ask<R>& ask, R ahead, R h);
template<class R, class C> DEVICE R length_of(const lane::Lane<R>& lane, const attempt::Attempt<R>& trial);
template<class R, class C> DEVICE R reach_of(const lane::Lane<R>& lane, const attempt::Attempt<R>& trial);
template<class R, class S, class M, class C, int N, int P> DEVICE void adaptively(const options::Options<R, N>& o, const stepper::State<R, N, P>& state, lane::Lane<R>& lane, const attempt::Attempt<R>& trial, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, const attempt::Verdict<R>& verdict, typename Real<R>::Mask moves);
template<class R> DEVICE void arrive(lane::Lane<R>& lane, const attempt::Attempt<R>& trial, typename Real<R>::Mask moves);
template<class R, class M, class C, int N> DEVICE typename Real<R>::Mask forward(const options::Options<R, N>& o, lane::Lane<R>& lane, const attempt::Attempt<R>& trial, const attempt::Verdict<R>& verdict, typename Real<R>::Mask moves);
template<class R, int N> DEVICE typename Real<R>::Mask on_tree(const options::Options<R, N>& o, lane::Lane<R>& lane, const attempt::Attempt<R>& trial, const attempt::Verdict<R>& verdict, typename Real<R>::Mask moves);
template<class R> DEVICE typename Real<R>::Mask refuse(lane::Lane<R>& lane, const attempt::Attempt<R>& trial, typename Real<R>::Mask failing, typename Real<R>::Mask small, typename Real<R>::Mask beyond);
template<class R> DEVICE typename Real<R>::Mask shorten(lane::Lane<R>& lane, const attempt::Attempt<R>& trial, typename Real<R>::Mask failing, typename Real<R>::Mask small);
template<class R, int N, int P, class V> DEVICE typename Real<R>::Mask stays_outside(const stepper::State<R, N, P>& state, const stepper::Step<R, N, V>& step);
template<class R> DEVICE typename Real<R>::Bits cause(typename Real<R>::Mask hopeless, R square, typename Real<R>::Bits step_code);
template<class R, class M, class C, int N, int P> DEVICE void by_fixed_steps(lane::Lane<R>& lane, const attempt::Attempt<R>& trial, const stepper::Step<R, N, typename M::template Kept<R, N>>& step);
template<class R, class C> DEVICE void to_next(lane::Lane<R>& lane, const attempt::Attempt<R>& trial);

// advance.rs  Saves states within a step, or at its end, in lanes that move.
template<class R, class S, class M, class Q, class C, int N, int P> DEVICE void record(S system, Q& io, const options::Options<R, N>& o, const stepper::State<R, N, P>& state, lane::Lane<R>& lane, const attempt::Attempt<R>& trial, stepper::Step<R, N, typename M::template Kept<R, N>>& step, typename Real<R>::Mask moves) {
    auto h = length_of<R, C>(lane, trial);
    auto reach = reach_of<R, C>(lane, trial);
    auto ahead = lane::ahead<R>(lane, C::ADAPTIVE);
    auto want = op_and(op_and(moves, trial.run), m_le(m_abs(ahead), reach));
    if (o.every_step) {
        want = op_and(op_and(moves, trial.run), op_not(m_equals(lane.save_at, math::infinity<R>())));
    }
    if (((op_not(C::NOISE) && op_not(o.every_step)) && m_any(want))) {
        step = M::template complete<R, S, N, P>(system, state, trial.ask, step);
    }
    while (m_any(want)) {
        auto saved = step.u;
        if (o.every_step) {
            auto end = Real<R>::select(trial.last, lane.t1, trial.next.t);
            lane.save_at = Real<R>::select(want, end, lane.save_at);
        } else {
            auto there = m_ge(m_abs(ahead), m_abs(h));
            auto within = step.u;
            if constexpr (C::NOISE) {
                auto units = timeline::edge(lane.t, h, trial.next.t);
                there = m_ge((ahead + units), h);
                if (m_any(op_and(want, op_not(there)))) {
                    auto ask = up_to<R>(trial.ask, ahead, h);
                    auto part = M::template step<R, S, N, P>(system, state, ask);
                    within = part.u;
                }
            } else {
                within = M::template interpolate<R, N, P>(state, trial.ask, step, (ahead / h));
            }
            saved = vector::choose<R, N>(there, step.u, within);
        }
        io.save(want, lane.saved, saved, state.p, lane.save_at);
        auto one = Bits<typename Real<R>::Bits>::lit(1);
        lane.saved = Bits<typename Real<R>::Bits>::select(want, m_wrapping_add(lane.saved, one), lane.saved);
        lane.save_at = io.save_time(want, lane.saved, lane.save_at);
        ahead = lane::ahead<R>(lane, C::ADAPTIVE);
        want = op_and(want, m_le(m_abs(ahead), reach));
        if (o.every_step) {
            want = Mask<typename Real<R>::Mask>::splat(false);
        }
    }
}

// advance.rs  Returns the arguments of the step from the same beginning to a distance `ahead`.
template<class R> DEVICE stepper::Ask<R> up_to(const stepper::Ask<R>& ask, R ahead, R h) {
    auto part = ask;
    auto within = m_max(ahead, (h * Real<R>::lit(LEAST_PART)));
    part.h = within;
    part.at.reach = (ask.at.reach * (within / h));
    part.path.reach = within;
    part.path.ends_within = op_or(ask.path.ends_within, m_lt(within, h));
    return part;
}

// advance.rs  Returns the distance between the rounded times of a step's ends.
template<class R, class C> DEVICE R length_of(const lane::Lane<R>& lane, const attempt::Attempt<R>& trial) {
    auto length = trial.ask.h;
    if constexpr ((C::NOISE && C::ADAPTIVE)) {
        auto between = ((trial.next.t - lane.t) + (trial.next.low - lane.t_low));
        length = Real<R>::select(trial.last, length, between);
    }
    return length;
}

// advance.rs  Returns the greatest distance of saved times that belong to the step.
template<class R, class C> DEVICE R reach_of(const lane::Lane<R>& lane, const attempt::Attempt<R>& trial) {
    auto reach = m_abs(length_of<R, C>(lane, trial));
    if constexpr ((C::SCHEDULED || C::EVENTS)) {
        auto none = Bits<typename Real<R>::Bits>::lit(0);
        auto acts = op_or(trial.last, op_not(m_equals(lane.pending, none)));
        auto end = Real<R>::select(trial.last, lane.t1, trial.next.t);
        auto units = m_mul_add(m_abs(end), timeline::few_units<R>(), reach);
        reach = Real<R>::select(acts, units, reach);
    }
    if constexpr (C::NOISE) {
        reach = (reach + timeline::edge(lane.t, trial.ask.h, trial.next.t));
    }
    return reach;
}

// advance.rs  Moves lanes with an accepted adaptive step, and plans the next step.
template<class R, class S, class M, class C, int N, int P> DEVICE void adaptively(const options::Options<R, N>& o, const stepper::State<R, N, P>& state, lane::Lane<R>& lane, const attempt::Attempt<R>& trial, const stepper::Step<R, N, typename M::template Kept<R, N>>& step, const attempt::Verdict<R>& verdict, typename Real<R>::Mask moves) {
    auto small = [&]() {
        if constexpr (C::NOISE) {
            return on_tree<R, N>(o, lane, trial, verdict, moves);
        } else {
            return forward<R, M, C, N>(o, lane, trial, verdict, moves);
        }
    }();
    if (m_any(op_or(op_not(verdict.accept), small))) {
        auto beyond = op_not(m_lt(verdict.square, Real<R>::lit(norm::SQUARE_MAX)));
        auto failing = op_and(op_and(trial.run, lane.alive), op_not(moves));
        auto small_1 = op_and(small, lane.alive);
        if constexpr (C::EVENTS) {
            auto none = Bits<typename Real<R>::Bits>::lit(0);
            lane.pending = Bits<typename Real<R>::Bits>::select(failing, none, lane.pending);
        }
        if (m_any(refuse<R>(lane, trial, failing, small_1, beyond))) {
            auto stuck = shorten<R>(lane, trial, failing, small_1);
            auto before = M::template du_before<R, N>(step.k);
            auto hopeless = op_and(failing, op_not(norm::is_finite<R, N>(before)));
            if constexpr (S::HAS_DOMAIN) {
                stuck = op_or(stuck, op_and(failing, stays_outside<R, N, P, typename M::template Kept<R, N>>(state, step)));
            }
            auto code = cause<R>(hopeless, verdict.square, step.code);
            auto given_up = op_or(stuck, hopeless);
            lane.code = Bits<typename Real<R>::Bits>::select(given_up, code, lane.code);
            lane.last_attempt = Bits<typename Real<R>::Bits>::select(given_up, lane.attempts, lane.last_attempt);
        }
    }
}

// advance.rs  Moves lanes `moves` to the time at the end of an adaptive step.
template<class R> DEVICE void arrive(lane::Lane<R>& lane, const attempt::Attempt<R>& trial, typename Real<R>::Mask moves) {
    lane.t = Real<R>::select(moves, Real<R>::select(trial.last, lane.t1, trial.next.t), lane.t);
    if constexpr (op_not(Real<R>::DOUBLE)) {
        auto low = Real<R>::select(trial.last, Real<R>::lit(0.0), trial.next.low);
        lane.t_low = Real<R>::select(moves, low, lane.t_low);
    }
}

// advance.rs  Moves lanes with an accepted step, and plans the next step.
template<class R, class M, class C, int N> DEVICE typename Real<R>::Mask forward(const options::Options<R, N>& o, lane::Lane<R>& lane, const attempt::Attempt<R>& trial, const attempt::Verdict<R>& verdict, typename Real<R>::Mask moves) {
    auto h = trial.ask.h;
    auto done = op_and(moves, trial.last);
    auto more = lane::looks_ahead<R, M>(lane, o.guard);
    auto all = m_wrapping_add(lane.attempts, more);
    lane.last_attempt = Bits<typename Real<R>::Bits>::select(done, all, lane.last_attempt);
    auto size = h;
    auto before = lane.plan;
    if ((C::SCHEDULED || (M::GUARDS && (o.guard == guard::REJECT)))) {
        size = timeline::planned(lane.t, lane.t_low, lane.plan);
    }
    arrive<R>(lane, trial, moves);
    lane.plan = timeline::plan(lane.t, lane.t_low, h, verdict.factor);
    auto small = Mask<typename Real<R>::Mask>::splat(false);
    if (o.limited) {
        auto size_1 = (h * verdict.factor);
        small = op_and(op_and(trial.run, op_not(done)), m_le(m_abs(size_1), o.dtmin));
        small = op_and(small, m_equals(lane.pending, Bits<typename Real<R>::Bits>::lit(0)));
        auto size_2 = m_copysign(m_at_most(m_abs(size_1), o.dtmax), h);
        lane.plan = timeline::plan(lane.t, lane.t_low, size_2, Real<R>::lit(1.0));
    }
    if ((M::GUARDS && (o.guard != guard::OFF))) {
        auto ahead = timeline::plan(lane.t, lane.t_low, size, Real<R>::lit(1.0));
        lane.plan = Real<R>::select(done, ahead, lane.plan);
    }
    if constexpr (C::SCHEDULED) {
        auto ahead_1 = timeline::plan(lane.t, lane.t_low, size, Real<R>::lit(1.0));
        lane.plan = Real<R>::select(done, ahead_1, lane.plan);
    }
    if constexpr ((C::SCHEDULED || C::WATCHES)) {
        lane.plan = Real<R>::select(trial.run, lane.plan, before);
    }
    return small;
}

// advance.rs  Moves lanes with an accepted step to the next [node](dyadic), and divides rejected nodes.
template<class R, int N> DEVICE typename Real<R>::Mask on_tree(const options::Options<R, N>& o, lane::Lane<R>& lane, const attempt::Attempt<R>& trial, const attempt::Verdict<R>& verdict, typename Real<R>::Mask moves) {
    auto done = op_and(moves, trial.last);
    lane.last_attempt = Bits<typename Real<R>::Bits>::select(done, lane.attempts, lane.last_attempt);
    arrive<R>(lane, trial, moves);
    auto failing = op_and(op_and(trial.run, lane.alive), op_not(moves));
    auto h = trial.ask.h;
    auto square = (verdict.square * Real<R>::lit((1.0 / (double)(N))));
    auto factor = verdict.factor;
    auto small = dyadic::choose<R, N>(o, lane, h, square, factor, moves, done, failing);
    auto plan = timeline::plan(lane.t, lane.t_low, lane.size, Real<R>::lit(1.0));
    lane.plan = Real<R>::select(trial.run, plan, lane.plan);
    return small;
}

// advance.rs  Counts the rejected steps of lanes `failing`; returns the lanes that need a check.
template<class R> DEVICE typename Real<R>::Mask refuse(lane::Lane<R>& lane, const attempt::Attempt<R>& trial, typename Real<R>::Mask failing, typename Real<R>::Mask small, typename Real<R>::Mask beyond) {
    auto one = Bits<typename Real<R>::Bits>::lit(1);
    lane.rejected = Bits<typename Real<R>::Bits>::select(failing, m_wrapping_add(lane.rejected, one), lane.rejected);
    auto part = timeline::plan(lane.t, lane.t_low, trial.ask.h, Real<R>::lit((1.0 / 64.0)));
    auto stalls = timeline::stalls(lane.t, lane.t_low, part);
    return op_or(small, op_and(failing, op_or(beyond, stalls)));
}

// advance.rs  Plans a shorter step in lanes `failing`; returns the lanes that cannot shorten theirs.
template<class R> DEVICE typename Real<R>::Mask shorten(lane::Lane<R>& lane, const attempt::Attempt<R>& trial, typename Real<R>::Mask failing, typename Real<R>::Mask small) {
    auto h = trial.ask.h;
    auto size = timeline::planned(lane.t, lane.t_low, lane.plan);
    auto shorter = timeline::plan(lane.t, lane.t_low, h, Real<R>::lit(0.25));
    lane.plan = Real<R>::select(op_and(failing, m_ge(m_abs(size), m_abs(h))), shorter, lane.plan);
    return op_or(small, op_and(failing, timeline::stalls(lane.t, lane.t_low, lane.plan)));
}

// advance.rs  Returns whether smaller steps would stay outside the domain, too.
template<class R, int N, int P, class V> DEVICE typename Real<R>::Mask stays_outside(const stepper::State<R, N, P>& state, const stepper::Step<R, N, V>& step) {
    auto outside = Bits<typename Real<R>::Bits>::lit(code::OUTSIDE);
    auto still = m_equals(step.code, outside);
    UNROLL for (int d = 0; d < N; d++) {
        auto moved = m_abs((step.u[d] - state.u[d]));
        auto few = (m_abs(state.u[d]) * timeline::few_units<R>());
        still = op_and(still, m_le(moved, few));
    }
    return still;
}

// advance.rs  Returns the code of a trajectory that fails.
template<class R> DEVICE typename Real<R>::Bits cause(typename Real<R>::Mask hopeless, R square, typename Real<R>::Bits step_code) {
    auto code = Bits<typename Real<R>::Bits>::select(op_or(hopeless, op_not(norm::is_finite<R, 1>(array(square)))), Bits<typename Real<R>::Bits>::lit(code::NON_FINITE), Bits<typename Real<R>::Bits>::lit(code::DT_MIN));
    auto solved = m_equals(step_code, Bits<typename Real<R>::Bits>::lit(code::SUCCESS));
    return Bits<typename Real<R>::Bits>::select(solved, code, step_code);
}

// advance.rs  Moves lanes by fixed steps.
template<class R, class M, class C, int N, int P> DEVICE void by_fixed_steps(lane::Lane<R>& lane, const attempt::Attempt<R>& trial, const stepper::Step<R, N, typename M::template Kept<R, N>>& step) {
    to_next<R, C>(lane, trial);
    auto none = Bits<typename Real<R>::Bits>::lit(code::SUCCESS);
    lane.code = Bits<typename Real<R>::Bits>::select(m_equals(lane.code, none), step.code, lane.code);
}

// advance.rs  Moves lanes to the time at the end of a fixed step.
template<class R, class C> DEVICE void to_next(lane::Lane<R>& lane, const attempt::Attempt<R>& trial) {
    lane.t = Real<R>::select(trial.last, lane.t1, trial.next.t);
    if constexpr ((C::TIME_DEPENDENT && op_not(Real<R>::DOUBLE))) {
        lane.t_low = Real<R>::select(trial.last, Real<R>::lit(0.0), trial.next.low);
    }
}
} // namespace advance

namespace integrate {
template<class R, class S, class M, class Q, class C, int N, int P> DEVICE void integrate(S system, Q& io, const options::Options<R, N>& o);
template<class R, class S, class C, int N, int P> DEVICE void renew(S system, const stepper::State<R, N, P>& state, lane::Lane<R>& lane, thinning::Clocks<R>& clocks, typename Real<R>::Mask which);
template<class R, class S, class M, class Q, class C, int N, int P> DEVICE void rest(S system, Q& io, const options::Options<R, N>& o, stepper::State<R, N, P>& state, lane::Lane<R>& lane, const lane::Lane<R>& before, const attempt::Attempt<R>& trial, stepper::Step<R, N, typename M::template Kept<R, N>>& step, const attempt::Verdict<R>& verdict, typename Real<R>::Mask moves, typename Real<R>::Mask refused, typename Real<R>::Mask halved, const Arr<R, N>& du, features::Memory<R>& features);
template<class R, class S, class M, class Q, class C, int N, int P> DEVICE void go(S system, Q& io, const options::Options<R, N>& o, stepper::State<R, N, P>& state, lane::Lane<R>& lane, const attempt::Attempt<R>& trial, stepper::Step<R, N, typename M::template Kept<R, N>>& step, const attempt::Verdict<R>& verdict, typename Real<R>::Mask moves, const Arr<R, N>& du, features::Memory<R>& features);

// integrate.rs  Integrates every trajectory of `io` over its time span.
template<class R, class S, class M, class Q, class C, int N, int P> DEVICE void integrate(S system, Q& io, const options::Options<R, N>& o) {
    auto nobody = Mask<typename Real<R>::Mask>::splat(false);
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    auto zero = repeat<N>(Real<R>::lit(0.0));
    auto tolerances = o.tolerances;
    if constexpr (op_not(C::ADAPTIVE)) {
        tolerances = norm::tight<R, N>(o.tolerances);
    }
    auto state = stepper::state<R, N, P>(zero, repeat<P>(Real<R>::lit(0.0)), zero, tolerances);
    io.load_p(nobody, state.p);
    auto t0 = io.load_start(nobody, Real<R>::lit(0.0));
    auto t1 = io.load_end(nobody, Real<R>::lit(0.0));
    auto lane = lane::empty<R>(t0, t1, o.law);
    auto features = features::fresh<R>();
    auto nodes = S::Noise::template nodes<R>();
    auto clocks = thinning::stopped<R>();
    auto searches = nobody;
    for (;;) {
        auto need = lane::is_in_need<R>(lane);
        while (m_any(need)) {
            auto reasons = begin::hand_in<R, M, Q, C, N, P>(io, o, state, lane, need);
            if constexpr ((S::MODES > 0)) {
                actions::hand_in<R, S, Q, N, P>(io, state.p, reasons.over);
            }
            if constexpr (C::FEATURES) {
                features::hand_in<R, S, Q, C, N, P>(system, io, o, state, lane, features, reasons);
            }
            need = begin::begin<R, S, M, Q, C, N, P>(system, io, o, state, lane, clocks, need, reasons);
        }
        if (op_not(io.vote(lane.alive))) {
            break;
        }
        for (;;) {
            if constexpr (((C::ADAPTIVE && C::BOUNDED) && op_not(C::NOISE))) {
                lane.plan = attempt::bounded<R, S, N, P>(system, o, state, lane);
            }
            auto trial = attempt::next<R, M, C, N>(o, lane);
            auto ready = Mask<typename Real<R>::Mask>::splat(true);
            if constexpr ((C::NOISE && C::ADAPTIVE)) {
                ready = S::Noise::template approach<R>(nodes, trial.ask.path, lane.dt, lane.moved, lane.begun);
                attempt::wait<R>(lane, trial, op_not(ready));
            }
            auto step = [&]() {
                if constexpr ((C::NOISE && C::ADAPTIVE)) {
                    auto wiener = S::Noise::template on_node<R>(nodes, trial.ask.path);
                    return attempt::attempt_on<R, S, M, N, P>(system, state, trial.ask, wiener);
                } else {
                    return attempt::attempt<R, S, M, N, P>(system, state, trial.ask);
                }
            }();
            auto before = lane;
            auto verdict = attempt::accepted<R>();
            if constexpr (C::ADAPTIVE) {
                verdict = attempt::judge<R, S, M, N, P>(o, state, lane, trial.ask, step);
            }
            if constexpr ((C::NOISE && C::ADAPTIVE)) {
                events::forget<R>(lane, before, op_not(ready));
            }
            if constexpr (M::GUARDS) {
                verdict = attempt::watch_growth<R, S, M, C, N, P>(system, o, state, lane, trial, step, verdict);
            }
            if constexpr (M::Memory::SWITCHES) {
                lane.memory = Bits<typename Real<R>::Bits>::select(trial.run, step.memory, lane.memory);
            }
            auto moves = verdict.accept;
            if constexpr (C::ADAPTIVE) {
                moves = op_and(verdict.accept, trial.run);
            }
            auto refused = nobody;
            auto halved = nobody;
            if constexpr (((C::ADAPTIVE && M::GUARDS) && C::CHECKS_INTERPOLANT)) {
                if constexpr ((C::EVENTS || C::FEATURES)) {
                    halved = dense::can_halve<R, N>(o, lane, trial, moves);
                }
                if ((C::SAVES && io.saves())) {
                    auto free = m_equals(lane.pending, Bits<typename Real<R>::Bits>::lit(0));
                    refused = op_and(free, dense::saves_within<R, N>(o, lane, trial, moves));
                }
                refused = dense::misses<R, S, M, N, P>(system, state, trial.ask, step, op_or(refused, halved));
                moves = op_and(moves, op_not(refused));
                trial.run = op_and(trial.run, op_not(refused));
            }
            auto found = events::nothing<R, N>();
            auto near = nobody;
            auto waits = nobody;
            auto due = none;
            if constexpr (C::WATCHES) {
                auto goes = moves;
                if constexpr (op_not(C::ADAPTIVE)) {
                    goes = op_and(op_and(op_and(moves, trial.run), lane.alive), m_equals(step.code, none));
                }
                found = events::watch<R, S, M, C, N, P>(system, state, lane, trial, step, goes);
                if constexpr (C::PASSAGES) {
                    passages::find<R, S, M, Q, C, N, P>(system, io, state, lane, trial, step, found);
                }
                near = op_or(found.near, found.holds);
                if constexpr (((op_not(C::ADAPTIVE) || C::RECORDS) && op_not(C::PASSAGES))) {
                    events::find<R, S, M, Q, C, N, P>(system, io, state, lane, before, trial, step, found);
                    moves = op_and(moves, op_not(found.cut));
                    trial.run = op_and(trial.run, op_not(found.cut));
                }
            }
            if constexpr ((((C::WATCHES && C::ADAPTIVE) && op_not(C::RECORDS)) && op_not(C::PASSAGES))) {
                if (m_any(near)) {
                    if ((C::EVENTS && io.waits())) {
                        waits = op_and(found.near, op_not(searches));
                        events::wait<R>(lane, before, waits);
                    }
                    auto ready_1 = op_and(near, op_not(waits));
                    if (m_any(ready_1)) {
                        found.goes = ready_1;
                        found.near = op_and(found.near, ready_1);
                        events::find<R, S, M, Q, C, N, P>(system, io, state, lane, before, trial, step, found);
                        auto made = trial;
                        made.run = op_and(ready_1, op_not(found.cut));
                        go<R, S, M, Q, C, N, P>(system, io, o, state, lane, made, step, verdict, made.run, found.du, features);
                        effects::act<R, S, M, Q, C, N, P>(system, io, o, state, lane, made, found, ready_1);
                        if constexpr (C::JUMPS) {
                            renew<R, S, C, N, P>(system, state, lane, clocks, ready_1);
                        }
                        searches = op_or(found.cut, op_and(searches, op_not(ready_1)));
                    }
                    auto others = op_not(near);
                    if (m_any(others)) {
                        moves = op_and(moves, others);
                        trial.run = op_and(trial.run, others);
                        rest<R, S, M, Q, C, N, P>(system, io, o, state, lane, before, trial, step, verdict, moves, refused, halved, found.du, features);
                    }
                    due = Bits<typename Real<R>::Bits>::select(waits, none, lane.last_attempt);
                } else {
                    rest<R, S, M, Q, C, N, P>(system, io, o, state, lane, before, trial, step, verdict, moves, refused, halved, found.du, features);
                    due = lane.last_attempt;
                }
            } else {
                rest<R, S, M, Q, C, N, P>(system, io, o, state, lane, before, trial, step, verdict, moves, refused, halved, found.du, features);
                if constexpr (C::WATCHES) {
                    effects::act<R, S, M, Q, C, N, P>(system, io, o, state, lane, trial, found, near);
                    if constexpr (C::JUMPS) {
                        renew<R, S, C, N, P>(system, state, lane, clocks, near);
                    }
                }
                due = lane.last_attempt;
            }
            if (io.should_refill(op_not(m_less_than(lane.attempts, due)))) {
                searches = op_or(searches, waits);
                break;
            }
        }
    }
}

// integrate.rs  Evaluates the bounds of jumps after the actions of lanes `which`.
template<class R, class S, class C, int N, int P> DEVICE void renew(S system, const stepper::State<R, N, P>& state, lane::Lane<R>& lane, thinning::Clocks<R>& clocks, typename Real<R>::Mask which) {
    auto none = Bits<typename Real<R>::Bits>::lit(0);
    auto goes_on = op_and(op_and(which, m_less_than(lane.attempts, lane.last_attempt)), m_equals(lane.code, none));
    if (m_any(goes_on)) {
        auto cut = thinning::renew_within<R, S, N, P>(system, state, lane, clocks, goes_on);
        if constexpr (op_not(C::ADAPTIVE)) {
            delays::count_again<R>(lane, cut);
        }
        auto ends = op_and(goes_on, op_not(m_equals(lane.code, none)));
        if constexpr (op_not(C::ADAPTIVE)) {
            lane.t1 = Real<R>::select(ends, lane.t, lane.t1);
        }
        lane.last_attempt = Bits<typename Real<R>::Bits>::select(ends, lane.attempts, lane.last_attempt);
    }
}

// integrate.rs  Ends a step that no event interrupts, in all lanes.
template<class R, class S, class M, class Q, class C, int N, int P> DEVICE void rest(S system, Q& io, const options::Options<R, N>& o, stepper::State<R, N, P>& state, lane::Lane<R>& lane, const lane::Lane<R>& before, const attempt::Attempt<R>& trial, stepper::Step<R, N, typename M::template Kept<R, N>>& step, const attempt::Verdict<R>& verdict, typename Real<R>::Mask moves, typename Real<R>::Mask refused, typename Real<R>::Mask halved, const Arr<R, N>& du, features::Memory<R>& features) {
    go<R, S, M, Q, C, N, P>(system, io, o, state, lane, trial, step, verdict, moves, du, features);
    if constexpr (((C::ADAPTIVE && M::GUARDS) && C::CHECKS_INTERPOLANT)) {
        if (m_any(refused)) {
            dense::plan_again<R>(lane, before, trial.ask.h, refused, halved);
        }
    }
}

// integrate.rs  Saves, records and moves lanes `moves` by a step, and plans the next step of running lanes.
template<class R, class S, class M, class Q, class C, int N, int P> DEVICE void go(S system, Q& io, const options::Options<R, N>& o, stepper::State<R, N, P>& state, lane::Lane<R>& lane, const attempt::Attempt<R>& trial, stepper::Step<R, N, typename M::template Kept<R, N>>& step, const attempt::Verdict<R>& verdict, typename Real<R>::Mask moves, const Arr<R, N>& du, features::Memory<R>& features) {
    if constexpr (C::RECORDS) {
        auto goes = op_and(op_and(moves, trial.run), lane.alive);
        io.record(goes, state.u, lane.t, lane.t_low, trial.ask.h);
    }
    if ((C::SAVES && io.saves())) {
        advance::record<R, S, M, Q, C, N, P>(system, io, o, state, lane, trial, step, moves);
    }
    if constexpr (C::FEATURES) {
        features::add<R, S, M, N, P>(system, state, lane, trial, step, moves, features);
    }
    if constexpr (C::ADAPTIVE) {
        advance::adaptively<R, S, M, C, N, P>(o, state, lane, trial, step, verdict, moves);
    } else {
        advance::by_fixed_steps<R, M, C, N, P>(lane, trial, step);
    }
    state.u = vector::choose<R, N>(moves, step.u, state.u);
    if constexpr (M::FSAL) {
        auto after = M::template du_after<R, N>(step.k);
        state.du = vector::choose<R, N>(moves, after, state.du);
    } else if constexpr (((C::EVENTS && op_not(C::MASS)) && op_not(C::PASSAGES))) {
        state.du = vector::choose<R, N>(moves, du, state.du);
    }
}
} // namespace integrate


// lorenz
struct System {
    static constexpr bool AUTONOMOUS = true;
    static constexpr bool STEPWISE = false;
    static constexpr int BOUNDS = 0;
    static constexpr bool MASS = false;
    static constexpr int ALGEBRAIC = 0;
    static constexpr bool HAS_DOMAIN = false;
    static constexpr int OBSERVABLES = 0;
    static constexpr int EVENTS = 0;
    static constexpr int RISING = 0;
    static constexpr int FALLING = 0;
    static constexpr int ACTING = 0;
    static constexpr int DELAYED = 0;
    static constexpr int LOGGED = 0;
    static constexpr int NO_JUMPS = 0;
    static constexpr int CONDITIONS = 0;
    static constexpr int CONDITIONS_ACTING = 0;
    static constexpr int CONDITIONS_LOGGED = 0;
    static constexpr int TIMED = 0;
    static constexpr int TIMED_LOGGED = 0;
    static constexpr int JUMPS = 0;
    static constexpr int JUMPS_ACTING = 0;
    static constexpr int JUMPS_LOGGED = 0;
    static constexpr int MODES = 0;
    static constexpr int FIRST_MODE = 0;
    typedef path::NoNodes Noise;
    template<class R> using Factors = Arr<R, 8>;
    template<class R> static DEVICE Arr<R, 3> rhs(const Arr<R, 3>& u, const Arr<R, 3>& p, R t) {
        auto v0 = (u[1] - u[0]);
        auto v1 = (p[0] * v0);
        auto v2 = (p[1] - u[2]);
        auto v3 = m_mul_add(u[0], v2, (-u[1]));
        auto v4 = (u[0] * u[1]);
        auto v5 = m_mul_add((-p[2]), u[2], v4);
        return array(v1, v3, v5);
    }
    template<class R> static DEVICE Arr<Arr<R, 3>, 3> jacobian(const Arr<R, 3>& u, const Arr<R, 3>& p, R t) {
        auto zero = Real<R>::lit(0.0);
        auto v0 = (p[1] - u[2]);
        return array(array((-p[0]), p[0], zero), array(v0, Real<R>::lit((-1.0)), (-u[0])), array(u[1], u[0], (-p[2])));
    }
    template<class R> static DEVICE Arr<Arr<R, 3>, 3> parameter_jacobian(const Arr<R, 3>& u, const Arr<R, 3>& p, R t) {
        auto zero = Real<R>::lit(0.0);
        auto v0 = (u[1] - u[0]);
        return array(array(v0, zero, zero), array(zero, u[0], zero), array(zero, zero, (-u[2])));
    }
    template<class R> static DEVICE Arr<R, 3> time_gradient(const Arr<R, 3>& u, const Arr<R, 3>& p, R t) {
        auto zero = Real<R>::lit(0.0);
        return array(zero, zero, zero);
    }
    template<class R> static DEVICE Arr<R, 8> factor(const Arr<R, 3>& u, const Arr<R, 3>& p, R t, R scale) {
        auto v0 = (scale + p[0]);
        auto v1 = m_reciprocal(v0);
        auto v2 = (p[1] - u[2]);
        auto v3 = (scale - Real<R>::lit((-1.0)));
        auto v4 = (v2 * v1);
        auto v5 = m_mul_add((-v4), p[0], v3);
        auto v6 = m_reciprocal(v5);
        auto v7 = (scale + p[2]);
        auto v8 = (u[1] * v1);
        auto v9 = m_mul_add((-v8), p[0], (-u[0]));
        auto v10 = (v9 * v6);
        auto v11 = m_mul_add((-v10), u[0], v7);
        auto v12 = m_reciprocal(v11);
        return array(v1, (-p[0]), (-v4), v6, u[0], (-v8), v10, v12);
    }
    template<class R> static DEVICE Arr<R, 3> solve(const Arr<R, 8>& w, const Arr<R, 3>& b) {
        auto v0 = m_mul_add((-w[2]), b[0], b[1]);
        auto v1 = m_mul_add((-w[5]), b[0], b[2]);
        auto v2 = m_mul_add((-w[6]), v0, v1);
        auto v3 = (v2 * w[7]);
        auto v4 = m_mul_add((-w[4]), v3, v0);
        auto v5 = (v4 * w[3]);
        auto v6 = m_mul_add((-w[1]), v5, b[0]);
        auto v7 = (v6 * w[0]);
        return array(v7, v5, v3);
    }
    template<class R> static DEVICE typename Real<R>::Mask negative(const Arr<R, 8>& w) {
        auto signs = op_xor(op_xor(m_to_bits(w[0]), m_to_bits(w[3])), m_to_bits(w[7]));
        return m_lt(m_copysign(Real<R>::lit(1.0), Real<R>::from_bits(signs)), Real<R>::lit(0.0));
    }
    template<class R> static DEVICE R row_sum(const Arr<R, 3>& u, const Arr<R, 3>& p, R t) {
        auto matrix = System::jacobian<R>(u, p, t);
        auto greatest = Real<R>::lit(0.0);
        UNROLL for (int i = 0; i < 3; i++) {
            auto sum = Real<R>::lit(0.0);
            UNROLL for (int j = 0; j < 3; j++) {
                sum = (sum + m_abs(matrix[i][j]));
            }
            greatest = m_max(greatest, sum);
        }
        return greatest;
    }
};

// What the kernel is compiled for.
struct Config {
    typedef double Number;
    typedef odes::System System;
    typedef tsit5::Tsit5 Method;
    static constexpr int STATES = 3;
    static constexpr int PARAMETERS = 3;
    // How many of each are saved at a time; of times one or none.
    static constexpr int SAVED_STATES = 3;
    static constexpr int SAVED_OBSERVABLES = 0;
    static constexpr int SAVED_TIMES = 0;
    // What is logged of an event: its time and its number, and the states before and after it.
    static constexpr int LOG_MARKS = 0;
    static constexpr int LOG_BEFORE = 0;
    static constexpr int LOG_AFTER = 0;
    static constexpr bool SAVES = true;
    static constexpr bool RECORDS = false;
    static constexpr bool ADAPTIVE = true;
    static constexpr bool REFILL = true;
    static constexpr bool LIMITED = false;
    static constexpr bool STOPS = false;
    static constexpr bool OWN_TOLERANCES = false;
    static constexpr u32 LAW_KIND = 0;
    static constexpr u32 GUARD = 0;
    static constexpr bool TIME_DEPENDENT = false;
    static constexpr bool BOUNDED = false;
    static constexpr bool MASS = false;
    static constexpr bool EVENTS = false;
    static constexpr bool SCHEDULED = false;
    static constexpr bool WATCHES = false;
    static constexpr bool FEATURES = false;
    static constexpr bool JUMPS = false;
    static constexpr bool NOISE = false;
    static constexpr bool PASSAGES = false;
    static constexpr bool CHECKS_INTERPOLANT = false;
};
// For each column its place among the shared numbers, or -1.
CONSTANT int SHARED_AT[8] = {0, 1, 2, -1, 3, 4, 5, 6};
constexpr int SHARED_COUNT = 7;
// For each column whether it is drawn.
CONSTANT bool DRAWN[8] = {false, false, false, false, false, false, false, false};
DEVICE double drawn(int, u64, const GLOBAL u64*) { return 0.0; }template<class R> struct ResultArrays {
    GLOBAL R* finals;
    GLOBAL R* saved;
    GLOBAL R* ends;
    GLOBAL unsigned char* codes;
    GLOBAL u32* steps;
    GLOBAL u32* rejected;
    GLOBAL u32* kept;
    GLOBAL u32* guarded;
    GLOBAL u32* events;
    GLOBAL R* log;
    GLOBAL R* features;
    GLOBAL R* modes;
};
template<class R> struct LaneOptions {
    R abstol;
    R reltol;
    R dt;
    R dtmin;
    R dtmax;
    float law[control::LAW_NUMBERS];
    float stiff_law[control::LAW_NUMBERS];
    u32 max_steps;
    u32 log_slots;
    u32 noise[4];
};
} // namespace odes
// io.hpp

KERNEL(odes_solve, 64)
static_assert(sizeof(odes::KernelArguments<double>) == 328, "the layout of KernelArguments");
