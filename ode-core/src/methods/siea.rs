//! The lane program of [`Siea`].

stochastic! {
    /// The stochastic improved Euler method for Itô equations with diagonal or scalar noise.
    ///
    /// Two evaluations of the drift, and three of the noise. Strong order 1, weak order 2.
    ///
    /// A. Tocino, J. Vigo-Aguiar, *Weak second order conditions for stochastic Runge–Kutta
    /// methods* (SIAM Journal on Scientific Computing 24, 2002).
    siea::Siea, adjoint siea_adjoint,
    calculus Some(Calculus::Ito), noise DiagonalOrScalar,
    strong 1.0, weak 2.0, drifts 2,
    keeps 1, controller ORDER_1, areas false,
    stages(system, u, p, at, h, dw) {
        let half = R::lit(0.5);
        let fourth = R::lit(0.25);
        let each = <S::Noise as Noise<N, P>>::of_components::<R>(&dw);
        let root = h.sqrt();
        let f = system.rhs(u, p, at.t);
        let g = <S::Noise as Noise<N, P>>::columns::<R>(u, p, at.t);
        let mut w = *u;
        let mut above = *u;
        let mut below = *u;
        for d in 0..N {
            let drift = f[d].mul_add(h, u[d]);
            w[d] = g[d].mul_add(each[0][d], drift);
            above[d] = g[d].mul_add(root, drift);
            below[d] = drift - g[d] * root;
        }
        let last = timeline::time_of_node::<R>(at, R::lit(1.0));
    }
    step(next, k) {
        let second = system.rhs(&w, p, last);
        let above = <S::Noise as Noise<N, P>>::columns::<R>(&above, p, last);
        let below = <S::Noise as Noise<N, P>>::columns::<R>(&below, p, last);
        for d in 0..N {
            let once = each[0][d];
            let twice = once.mul_add(once, -h) / root;
            let sum = R::lit(2.0).mul_add(g[d], above[d] + below[d]);
            let noise = once.mul_add(sum, twice * (above[d] - below[d]));
            let drift = half * (f[d] + second[d]);
            next[d] = drift.mul_add(h, fourth.mul_add(noise, u[d]));
        }
    }
    back(end, begin, by_p) {
        let mut of_above = *end;
        let mut of_below = *end;
        let mut of_f = *end;
        for d in 0..N {
            let once = each[0][d];
            let twice = once.mul_add(once, -h) / root;
            let quarter = fourth * end[d];
            of_above[d] = quarter * (once + twice);
            of_below[d] = quarter * (once - twice);
            of_f[d] = h * (half * end[d]);
        }
        let by_w = adjoint::through::<R, S, N, P>(system, &w, p, last, &of_f, &mut by_p);
        let by_above = <S::Noise as PullBackNoise<N, P>>::pull_back_columns::<R>(
            &above, p, last, &of_above, &mut by_p,
        );
        let by_below = <S::Noise as PullBackNoise<N, P>>::pull_back_columns::<R>(
            &below, p, last, &of_below, &mut by_p,
        );
        let mut of_g = *end;
        for d in 0..N {
            let by_drift = by_w[d] + (by_above[d] + by_below[d]);
            begin[d] = begin[d] + by_drift;
            of_f[d] = h * half.mul_add(end[d], by_drift);
            let sum = each[0][d] * half.mul_add(end[d], by_w[d]);
            of_g[d] = root.mul_add(by_above[d] - by_below[d], sum);
        }
        let by_f = adjoint::through::<R, S, N, P>(system, u, p, at.t, &of_f, &mut by_p);
        let by_g = <S::Noise as PullBackNoise<N, P>>::pull_back_columns::<R>(
            u, p, at.t, &of_g, &mut by_p,
        );
        for d in 0..N {
            begin[d] = begin[d] + (by_f[d] + by_g[d]);
        }
    }
}
