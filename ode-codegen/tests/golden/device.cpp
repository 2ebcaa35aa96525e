namespace sample {
CONSTANT int STAGES = 3;
TABLE double A[STAGES][2] = {{0.5, 0.0}, {(-1.5), 0.25}, {1e-3, 2.0}};
CONSTANT float SINGLE = 0.1f;
struct Decay;

// device.rs:37  What a step gives.
template<class R, int N> struct Step {
    Arr<R, N> u;
    typename Real<R>::Mask accept;
};
template<class R, int N> DEVICE Step<R, N> make_Step(const Arr<R, N>& u, const typename Real<R>::Mask& accept) { return {u, accept}; }
template<class R> DEVICE Arr<R, 4> rule(const Arr<R, 4>& x);
template<class R, class L, int N, bool LIMITED> DEVICE Step<R, N> step(const Arr<R, N>& u, R double_);
template<class R> DEVICE R level(R x);
template<class R, int N> COLD void slow(Arr<R, N>& x, R by);
template<class R, int N> DEVICE Arr<R, N> choose(typename Real<R>::Mask mask, const Arr<R, N>& a, const Arr<R, N>& b);
template<class R, class S, int N, int P> DEVICE Arr<R, N> solved(S system, const typename S::template Factors<R>& w, const Arr<R, N>& b);

// device.rs:22  `x' = -x`.
struct Decay {
    static constexpr int ORDER = 2;
    template<class R> static DEVICE Arr<R, 4> rhs(const Arr<R, 4>& x) {
        auto out = x;
        UNROLL for (int i = 0; i < 4; i++) {
            out[i] = (-x[i]);
        }
        return out;
    }
};

// device.rs:49  Calls what stands below it.
template<class R> DEVICE Arr<R, 4> rule(const Arr<R, 4>& x) {
    auto u = x;
    auto rounds = 0u;
    while ((rounds < 2u)) {
        auto step_1 = step<R, Decay, 4, true>(u, Real<R>::lit((double)(SINGLE)));
        u = choose(step_1.accept, step_1.u, u);
        rounds = (rounds + 1u);
    }
    auto odd = Bits<typename Real<R>::Bits>::lit(1);
    u[3] = Real<R>::from_bits(m_wrapping_add(op_and(m_to_bits(u[3]), op_not(odd)), m_shl<1>(odd)));
    return u;
}

// device.rs:63  One step. The names are words of C++, or bound again.
template<class R, class L, int N, bool LIMITED> DEVICE Step<R, N> step(const Arr<R, N>& u, R double_) {
    auto new_ = u;
    UNROLL for (int s = 0; s < L::ORDER; s++) {
        auto k = L::rhs(new_);
        UNROLL for (int d = 0; d < N; d++) {
            auto weight = (double_ * Real<R>::lit(A[s][0]));
            auto weight_1 = (weight * weight);
            new_[d] = m_mul_add(k[d], weight_1, new_[d]);
        }
    }
    auto level_1 = level(new_[0]);
    auto factor = [&]() {
        if constexpr (Real<R>::DOUBLE) {
            return Real<R>::lit(0.75);
        } else {
            return level_1;
        }
    }();
    auto factor_1 = [&]() {
        auto half_ = Real<R>::lit(0.5);
        return (factor * half_);
    }();
    auto accept = op_or(m_le(level_1, factor_1), op_and(op_not(m_gt(level_1, Real<R>::lit(1.0))), Mask<typename Real<R>::Mask>::splat(true)));
    if constexpr ((LIMITED && (N > 2))) {
        new_[(N - 1)] = math::exp(m_at_most(new_[(N - 1)], Real<R>::lit(1e3)));
    } else {
        slow(new_, level_1);
    }
    return make_Step<R, N>(new_, accept);
}

// device.rs:91  
template<class R> DEVICE R level(R x) {
    auto small = m_lt(m_abs(x), Real<R>::lit(1e-6));
    if (m_any(small)) {
        return Real<R>::select(small, Real<R>::lit(1e-6), x);
    } else {
        return x;
    }
}

// device.rs:99  Seldom needed.
template<class R, int N> COLD void slow(Arr<R, N>& x, R by) {
    UNROLL_UNLESS((N > 4)) for (int i = 0; i < 2; i++) {
        UNROLL for (int j = i; j < 2; j++) {
            if ((j < N)) {
                x[j] = (x[j] * by);
            }
        }
    }
}

// device.rs:111  `a` where the mask is true, else `b`.
template<class R, int N> DEVICE Arr<R, N> choose(typename Real<R>::Mask mask, const Arr<R, N>& a, const Arr<R, N>& b) {
    auto out = repeat<N>(Real<R>::lit(0.0));
    UNROLL for (int d = 0; d < N; d++) {
        out[d] = Real<R>::select(mask, a[d], b[d]);
    }
    return out;
}

// device.rs:120  A value of a parameter's type, and a type that belongs to it, with arguments of its own.
template<class R, class S, int N, int P> DEVICE Arr<R, N> solved(S system, const typename S::template Factors<R>& w, const Arr<R, N>& b) {
    return system.solve(w, b);
}
} // namespace sample
