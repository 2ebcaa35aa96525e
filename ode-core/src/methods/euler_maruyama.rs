//! The lane program of [`EulerMaruyama`].

stochastic! {
    /// The method of Euler and Maruyama for Itô equations with noise of any kind.
    ///
    /// `u + f h + Σ g_j W_j`. Strong order 1/2, and 1 for additive noise; weak order 1.
    ///
    /// G. Maruyama, *Continuous Markov processes and stochastic equations* (Rendiconti del Circolo
    /// Matematico di Palermo 4, 1955).
    euler_maruyama::EulerMaruyama, adjoint euler_maruyama_adjoint,
    calculus Some(Calculus::Ito), noise Any,
    strong 0.5, weak 1.0, drifts 1,
    keeps 1, controller ORDER_1, areas false,
    stages(system, u, p, at, h, dw) {
        let one = R::lit(1.0);
        let none = R::lit(0.0);
    }
    step(next, k) {
        let f = system.rhs(u, p, at.t);
        let g = <S::Noise as Noise<N, P>>::diffuse::<R>(u, p, at.t, &dw, one, none);
        for d in 0..N {
            next[d] = f[d].mul_add(h, u[d]) + g[d];
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
        for d in 0..N {
            begin[d] = begin[d] + (by_f[d] + by_g[d]);
        }
    }
}
