//! The lane program of [`Shark`].

stochastic! {
    /// The method ShARK (shifted additive-noise Runge–Kutta) for additive noise.
    ///
    /// Two evaluations of the drift. Strong order 3/2, with smaller errors than [`Sra1`]; weak
    /// order 2. The error estimate is the difference of both drifts, `0.6 h (f_2 - f_1)`.
    ///
    /// J. Foster, G. dos Reis, C. Strange, *High order splitting methods for SDEs satisfying a
    /// commutativity condition* (arXiv:2210.17543), equation (6.1).
    ///
    /// [`Sra1`]: crate::methods::Sra1
    shark::Shark, adjoint shark_adjoint,
    calculus None, noise Additive,
    strong 1.5, weak 2.0, drifts 2,
    keeps 2, controller ORDER_3_2,
    step(system, u, p, at, h, path, w, k) {
        let one = R::lit(1.0);
        let none = R::lit(0.0);
        let node = R::lit(5.0 / 6.0);
        let dw = <S::Noise as Noise<N, P>>::increments::<R>(path, true);
        let shift = <S::Noise as Noise<N, P>>::diffuse::<R>(u, p, at.t, &dw, none, one);
        for d in 0..N {
            w[d] = u[d] + shift[d];
        }
        let f = system.rhs(&w, p, at.t);
        let ahead = <S::Noise as Noise<N, P>>::diffuse::<R>(u, p, at.t, &dw, node, one);
        for d in 0..N {
            w[d] = (node * f[d]).mul_add(h, u[d]) + ahead[d];
        }
        let second = system.rhs(&w, p, timeline::time_of_node::<R>(at, node));
        // `W` at the beginning, and the change of `g` times `W/2 - H`.
        let half = R::lit(0.5);
        let first = <S::Noise as Noise<N, P>>::diffuse::<R>(u, p, at.t, &dw, half, one);
        let end = timeline::time_of_node::<R>(at, one);
        let last = <S::Noise as Noise<N, P>>::diffuse::<R>(u, p, end, &dw, half, -one);
        for d in 0..N {
            let drift = R::lit(0.4).mul_add(f[d], R::lit(0.6) * second[d]);
            w[d] = drift.mul_add(h, u[d]) + (first[d] + last[d]);
            k[1][d] = R::lit(0.6) * h * (second[d] - f[d]);
        }
        k[0] = f;
    }
    back(system, u, p, at, h, path, end, begin, by_p) {
        // The noise depends on the parameters, not on the state.
        let one = R::lit(1.0);
        let none = R::lit(0.0);
        let half = R::lit(0.5);
        let node = R::lit(5.0 / 6.0);
        let dw = <S::Noise as Noise<N, P>>::increments::<R>(path, true);
        let shift = <S::Noise as Noise<N, P>>::diffuse::<R>(u, p, at.t, &dw, none, one);
        let mut w = *u;
        for d in 0..N {
            w[d] = u[d] + shift[d];
        }
        let f = system.rhs(&w, p, at.t);
        let ahead = <S::Noise as Noise<N, P>>::diffuse::<R>(u, p, at.t, &dw, node, one);
        let mut v = *u;
        let mut of_f = *end;
        for d in 0..N {
            v[d] = (node * f[d]).mul_add(h, u[d]) + ahead[d];
            of_f[d] = h * (R::lit(0.6) * end[d]);
        }
        let time = timeline::time_of_node::<R>(at, node);
        let by_v = adjoint::through::<R, S, N, P>(system, &v, p, time, &of_f, &mut by_p);
        for d in 0..N {
            of_f[d] = h * node.mul_add(by_v[d], R::lit(0.4) * end[d]);
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
        let time = timeline::time_of_node::<R>(at, one);
        let _by_u = <S::Noise as PullBackNoise<N, P>>::pull_back_diffuse::<R>(
            u, p, time, &dw, half, -one, end, &mut by_p,
        );
    }
}
