//! The lane program of [`Shark`].

stochastic! {
    /// The method ShARK (shifted additive-noise Runge–Kutta) for additive noise.
    ///
    /// Two evaluations of the drift. Strong order 3/2, with smaller errors than [`Sra1`]; weak
    /// order 2. The error estimate is the difference of both drifts, `0.6 h (f_2 - f_1)`, and the
    /// change of `g` times `W/2 - H`, without signs.
    ///
    /// J. Foster, G. dos Reis, C. Strange, *High order splitting methods for SDEs satisfying a
    /// commutativity condition* (arXiv:2210.17543), equation (6.1).
    ///
    /// [`Sra1`]: crate::methods::Sra1
    shark::Shark, adjoint shark_adjoint,
    calculus None, noise Additive,
    strong 1.5, weak 2.0, drifts 2,
    keeps 2, controller ORDER_3_2, areas true,
    stages(system, u, p, at, h, dw) {
        let one = R::lit(1.0);
        let none = R::lit(0.0);
        let half = R::lit(0.5);
        let node = R::lit(5.0 / 6.0);
        // The weights of both drifts.
        let early = R::lit(0.4);
        let late = R::lit(0.6);
        let shift = <S::Noise as Noise<N, P>>::diffuse::<R>(u, p, at.t, &dw, none, one);
        let mut w = *u;
        for d in 0..N {
            w[d] = u[d] + shift[d];
        }
        let f = system.rhs(&w, p, at.t);
        let ahead = <S::Noise as Noise<N, P>>::diffuse::<R>(u, p, at.t, &dw, node, one);
        let mut v = *u;
        for d in 0..N {
            v[d] = (node * f[d]).mul_add(h, u[d]) + ahead[d];
        }
        let middle = timeline::time_of_node::<R>(at, node);
        let last = timeline::time_of_node::<R>(at, one);
    }
    step(next, k) {
        let second = system.rhs(&v, p, middle);
        // `W` at the beginning, and the change of `g` times `W/2 - H`.
        let first = <S::Noise as Noise<N, P>>::diffuse::<R>(u, p, at.t, &dw, half, one);
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
        let by_v = adjoint::through::<R, S, N, P>(system, &v, p, middle, &of_f, &mut by_p);
        for d in 0..N {
            of_f[d] = h * node.mul_add(by_v[d], early * end[d]);
        }
        let by_w = adjoint::through::<R, S, N, P>(system, &w, p, at.t, &of_f, &mut by_p);
        let mut of_w = *end;
        let mut of_h = *end;
        for d in 0..N {
            let both = by_v[d] + by_w[d];
            begin[d] = begin[d] + both;
            of_w[d] = node.mul_add(by_v[d], half * end[d]);
            of_h[d] = both + end[d];
        }
        let _by_u = <S::Noise as PullBackNoise<N, P>>::pull_back_diffuse::<R>(
            u, p, at.t, &dw, one, none, &of_w, &mut by_p,
        );
        let _by_u = <S::Noise as PullBackNoise<N, P>>::pull_back_diffuse::<R>(
            u, p, at.t, &dw, none, one, &of_h, &mut by_p,
        );
        let _by_u = <S::Noise as PullBackNoise<N, P>>::pull_back_diffuse::<R>(
            u, p, last, &dw, half, -one, end, &mut by_p,
        );
    }
}
