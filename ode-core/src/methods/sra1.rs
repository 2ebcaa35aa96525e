//! The lane program of [`Sra1`].

stochastic! {
    /// Rößler's method SRA1 for additive noise.
    ///
    /// Two evaluations of the drift. Strong order 3/2, weak order 2. The error estimate is the
    /// difference of both drifts, `2/3 h (f_2 - f_1)`.
    ///
    /// A. Rößler, *Runge–Kutta methods for the strong approximation of solutions of stochastic
    /// differential equations* (SIAM Journal on Numerical Analysis 48, 2010).
    sra1::Sra1, adjoint sra1_adjoint,
    calculus None, noise Additive,
    strong 1.5, weak 2.0, drifts 2,
    keeps 2, controller ORDER_3_2,
    step(system, u, p, at, h, path, w, k) {
        let one = R::lit(1.0);
        let half = R::lit(0.5);
        let dw = <S::Noise as Noise<N, P>>::increments::<R>(path, true);
        let end = timeline::time_of_node::<R>(at, one);
        // The integral of the path, divided by the length of the step, is `W/2 + H`.
        let lean = <S::Noise as Noise<N, P>>::diffuse::<R>(u, p, end, &dw, half, one);
        let f = system.rhs(u, p, at.t);
        for d in 0..N {
            let ahead = R::lit(0.75) * f[d];
            w[d] = ahead.mul_add(h, R::lit(1.5).mul_add(lean[d], u[d]));
        }
        let middle = timeline::time_of_node::<R>(at, R::lit(0.75));
        let second = system.rhs(&w, p, middle);
        let first = <S::Noise as Noise<N, P>>::diffuse::<R>(u, p, at.t, &dw, half, one);
        // `W` less the integral.
        let rest = <S::Noise as Noise<N, P>>::diffuse::<R>(u, p, end, &dw, half, -one);
        for d in 0..N {
            let drift = R::lit(1.0 / 3.0).mul_add(f[d], R::lit(2.0 / 3.0) * second[d]);
            w[d] = drift.mul_add(h, u[d]) + (first[d] + rest[d]);
            k[1][d] = R::lit(2.0 / 3.0) * h * (second[d] - f[d]);
        }
        k[0] = f;
    }
    back(system, u, p, at, h, path, end, begin, by_p) {
        // The noise depends on the parameters, not on the state.
        let one = R::lit(1.0);
        let half = R::lit(0.5);
        let dw = <S::Noise as Noise<N, P>>::increments::<R>(path, true);
        let last = timeline::time_of_node::<R>(at, one);
        let lean = <S::Noise as Noise<N, P>>::diffuse::<R>(u, p, last, &dw, half, one);
        let f = system.rhs(u, p, at.t);
        let mut w = *u;
        let mut of_f = *end;
        for d in 0..N {
            let ahead = R::lit(0.75) * f[d];
            w[d] = ahead.mul_add(h, R::lit(1.5).mul_add(lean[d], u[d]));
            of_f[d] = h * (R::lit(2.0 / 3.0) * end[d]);
        }
        let middle = timeline::time_of_node::<R>(at, R::lit(0.75));
        let by_w = adjoint::through::<R, S, N, P>(system, &w, p, middle, &of_f, &mut by_p);
        let mut of_lean = *end;
        for d in 0..N {
            of_f[d] = h * R::lit(0.75).mul_add(by_w[d], R::lit(1.0 / 3.0) * end[d]);
            of_lean[d] = R::lit(1.5) * by_w[d];
        }
        let by_u = adjoint::through::<R, S, N, P>(system, u, p, at.t, &of_f, &mut by_p);
        let _by_u = <S::Noise as PullBackNoise<N, P>>::pull_back_diffuse::<R>(
            u, p, last, &dw, half, one, &of_lean, &mut by_p,
        );
        let _by_u = <S::Noise as PullBackNoise<N, P>>::pull_back_diffuse::<R>(
            u, p, at.t, &dw, half, one, end, &mut by_p,
        );
        let _by_u = <S::Noise as PullBackNoise<N, P>>::pull_back_diffuse::<R>(
            u, p, last, &dw, half, -one, end, &mut by_p,
        );
        for d in 0..N {
            begin[d] = begin[d] + (by_w[d] + by_u[d]);
        }
    }
}
