//! The lane program of [`StochasticHeun`].

stochastic! {
    /// Heun's method for Stratonovich equations with noise of any kind.
    ///
    /// The trapezoidal rule for drift and noise, with Euler's method as predictor. Strong order
    /// 1/2, and 1 for commutative noise; weak order 1. The error estimate is the difference from the
    /// predictor.
    ///
    /// W. Rümelin, *Numerical treatment of stochastic differential equations* (SIAM Journal on
    /// Numerical Analysis 19, 1982).
    stochastic_heun::StochasticHeun, adjoint stochastic_heun_adjoint,
    calculus Some(Calculus::Stratonovich), noise Any,
    strong 0.5, weak 1.0, drifts 2,
    keeps 2, controller ORDER_1, areas false,
    stages(system, u, p, at, h, dw) {
        let one = R::lit(1.0);
        let none = R::lit(0.0);
        let half = R::lit(0.5);
        let f = system.rhs(u, p, at.t);
        let g = <S::Noise as Noise<N, P>>::diffuse::<R>(u, p, at.t, &dw, one, none);
        let mut w = *u;
        for d in 0..N {
            w[d] = f[d].mul_add(h, u[d]) + g[d];
        }
        let last = timeline::time_of_node::<R>(at, one);
    }
    step(next, k) {
        let second = system.rhs(&w, p, last);
        let spread = <S::Noise as Noise<N, P>>::diffuse::<R>(&w, p, last, &dw, one, none);
        for d in 0..N {
            let drift = half * (f[d] + second[d]);
            next[d] = drift.mul_add(h, half.mul_add(g[d] + spread[d], u[d]));
            k[1][d] = half * (second[d] - f[d]).mul_add(h, spread[d] - g[d]);
        }
        k[0] = f;
    }
    back(end, begin, by_p) {
        let mut of_g = *end;
        let mut of_f = *end;
        for d in 0..N {
            of_g[d] = half * end[d];
            of_f[d] = h * of_g[d];
        }
        let by_f = adjoint::through::<R, S, N, P>(system, &w, p, last, &of_f, &mut by_p);
        let by_g = <S::Noise as PullBackNoise<N, P>>::pull_back_diffuse::<R>(
            &w, p, last, &dw, one, none, &of_g, &mut by_p,
        );
        for d in 0..N {
            let by_w = by_f[d] + by_g[d];
            begin[d] = begin[d] + by_w;
            of_g[d] = of_g[d] + by_w;
            of_f[d] = h * of_g[d];
        }
        let by_f = adjoint::through::<R, S, N, P>(system, u, p, at.t, &of_f, &mut by_p);
        let by_g = <S::Noise as PullBackNoise<N, P>>::pull_back_diffuse::<R>(
            u, p, at.t, &dw, one, none, &of_g, &mut by_p,
        );
        for d in 0..N {
            begin[d] = begin[d] + (by_f[d] + by_g[d]);
        }
    }
}
