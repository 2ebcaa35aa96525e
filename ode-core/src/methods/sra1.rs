//! The lane program of [`Sra1`].

stochastic! {
    /// Rößler's method SRA1 for additive noise.
    ///
    /// Two evaluations of the drift. Strong order 3/2, weak order 2. The error estimate is the
    /// difference of both drifts, `2/3 h (f_2 - f_1)`, and the change of `g` times `W/2 - H`, without
    /// signs.
    ///
    /// A. Rößler, *Runge–Kutta methods for the strong approximation of solutions of stochastic
    /// differential equations* (SIAM Journal on Numerical Analysis 48, 2010).
    sra1::Sra1, adjoint sra1_adjoint,
    calculus None, noise Additive,
    strong 1.5, weak 2.0, drifts 2,
    keeps 2, controller ORDER_3_2, areas true,
    stages(system, u, p, at, h, dw) {
        let one = R::lit(1.0);
        let half = R::lit(0.5);
        let node = R::lit(0.75);
        let by_lean = R::lit(1.5);
        // The weights of both drifts.
        let early = R::lit(1.0 / 3.0);
        let late = R::lit(2.0 / 3.0);
        let last = timeline::time_of_node::<R>(at, one);
        // The integral of the path, divided by the length of the step, is `W/2 + H`.
        let lean = <S::Noise as Noise<N, P>>::diffuse::<R>(u, p, last, &dw, half, one);
        let f = system.rhs(u, p, at.t);
        let mut w = *u;
        for d in 0..N {
            let ahead = node * f[d];
            w[d] = ahead.mul_add(h, by_lean.mul_add(lean[d], u[d]));
        }
        let middle = timeline::time_of_node::<R>(at, node);
    }
    step(next, k) {
        let second = system.rhs(&w, p, middle);
        let first = <S::Noise as Noise<N, P>>::diffuse::<R>(u, p, at.t, &dw, half, one);
        // `W` less the integral.
        let rest = <S::Noise as Noise<N, P>>::diffuse::<R>(u, p, last, &dw, half, -one);
        let before = <S::Noise as Noise<N, P>>::diffuse::<R>(u, p, at.t, &dw, half, -one);
        for d in 0..N {
            let drift = early.mul_add(f[d], late * second[d]);
            next[d] = drift.mul_add(h, u[d]) + (first[d] + rest[d]);
            k[1][d] = (late * h * (second[d] - f[d])).abs() + (rest[d] - before[d]).abs();
        }
        k[0] = f;
    }
    back(end, begin, by_p) {
        // The noise depends on the parameters, not on the state.
        let mut of_f = *end;
        for d in 0..N {
            of_f[d] = h * (late * end[d]);
        }
        let by_w = adjoint::through::<R, S, N, P>(system, &w, p, middle, &of_f, &mut by_p);
        let mut of_lean = *end;
        for d in 0..N {
            of_f[d] = h * node.mul_add(by_w[d], early * end[d]);
            of_lean[d] = by_lean * by_w[d];
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
