//! The lane program of [`Milstein`].

stochastic! {
    /// Milstein's method for commutative noise, with exact derivatives.
    ///
    /// Euler's method plus `½ Σ_jl (g_j · ∇) g_l (W_j W_l - δ_jl h)`, without `h` in
    /// Stratonovich's calculus. Strong order 1, weak order 1.
    ///
    /// G. N. Milstein, *Approximate integration of stochastic differential equations* (Theory of
    /// Probability and its Applications 19, 1975).
    milstein::Milstein,
    calculus None, noise Commutative,
    strong 1.0, weak 1.0, drifts 1,
    step(system, u, p, at, h, path, w) {
        let one = R::lit(1.0);
        let none = R::lit(0.0);
        let f = system.rhs(u, p, at.t);
        let dw = <S::Noise as Noise<N, P>>::increments::<R>(path, false);
        let g = <S::Noise as Noise<N, P>>::diffuse::<R>(u, p, at.t, &dw, one, none);
        let mut length = h;
        if <S::Noise as Noise<N, P>>::STRATONOVICH {
            length = none;
        }
        let more = <S::Noise as Noise<N, P>>::milstein::<R>(u, p, at.t, &dw, length);
        for d in 0..N {
            w[d] = f[d].mul_add(h, u[d]) + (g[d] + more[d]);
        }
    }
}
