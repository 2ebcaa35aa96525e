//! The lane program of [`Milstein`].

stochastic! {
    /// Milstein's method for commutative noise, with exact derivatives.
    ///
    /// Euler's method plus `½ Σ_jl (g_j · ∇) g_l (W_j W_l - δ_jl h)`, without `h` in
    /// Stratonovich's calculus. Strong order 1, weak order 1.
    ///
    /// G. N. Milstein, *Approximate integration of stochastic differential equations* (Theory of
    /// Probability and its Applications 19, 1975).
    milstein::Milstein, adjoint milstein_adjoint,
    calculus None, noise Commutative,
    strong 1.0, weak 1.0, drifts 1,
    keeps 1, controller ORDER_1, areas false,
    stages(system, u, p, at, h, dw) {
        let one = R::lit(1.0);
        let none = R::lit(0.0);
        let mut length = h;
        if <S::Noise as Noise<N, P>>::STRATONOVICH {
            length = none;
        }
    }
    step(next, k) {
        let f = system.rhs(u, p, at.t);
        let g = <S::Noise as Noise<N, P>>::diffuse::<R>(u, p, at.t, &dw, one, none);
        let more = <S::Noise as Noise<N, P>>::milstein::<R>(u, p, at.t, &dw, length);
        for d in 0..N {
            next[d] = f[d].mul_add(h, u[d]) + (g[d] + more[d]);
        }
    }
    back(end, begin, by_p) {
        let mut of_f = *end;
        for d in 0..N {
            of_f[d] = h * end[d];
        }
        let by_f = adjoint::through::<R, S, N, P>(system, u, p, at.t, &of_f, &mut by_p);
        let by_g = <S::Noise as PullBackNoise<N, P>>::pull_back_diffuse::<R>(
            u, p, at.t, &dw, one, none, end, &mut by_p,
        );
        let by_more = <S::Noise as PullBackNoise<N, P>>::pull_back_milstein::<R>(
            u, p, at.t, &dw, length, end, &mut by_p,
        );
        for d in 0..N {
            begin[d] = begin[d] + (by_f[d] + (by_g[d] + by_more[d]));
        }
    }
}
