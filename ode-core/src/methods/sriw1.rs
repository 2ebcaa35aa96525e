//! The lane program of [`Sriw1`].

stochastic! {
    /// Rößler's method SRIW1 for Itô equations with diagonal or scalar noise.
    ///
    /// Two evaluations of the drift, and four of the noise. Strong order 3/2, weak order 2. The error
    /// estimate of a component is `|h/3 (f_2 - f_1)|` and the magnitude of the terms of the noise that
    /// have order 3/2.
    ///
    /// A. Rößler, *Runge–Kutta methods for the strong approximation of solutions of stochastic
    /// differential equations* (SIAM Journal on Numerical Analysis 48, 2010).
    sriw1::Sriw1, adjoint sriw1_adjoint,
    calculus Some(Calculus::Ito), noise DiagonalOrScalar,
    strong 1.5, weak 2.0, drifts 2,
    keeps 2, controller ORDER_3_2, areas true,
    stages(system, u, p, at, h, dw) {
        let half = R::lit(0.5);
        let fourth = R::lit(0.25);
        let node = R::lit(0.75);
        let by_lean = R::lit(1.5);
        let b_41 = R::lit(-5.0);
        let b_42 = R::lit(3.0);
        // The weights of both drifts.
        let early = R::lit(1.0 / 3.0);
        let late = R::lit(2.0 / 3.0);
        let each = <S::Noise as Noise<N, P>>::of_components::<R>(&dw);
        let root = h.sqrt();
        let quarter = timeline::time_of_node::<R>(at, fourth);
        let later = timeline::time_of_node::<R>(at, node);
        let last = timeline::time_of_node::<R>(at, R::lit(1.0));
        let f = system.rhs(u, p, at.t);
        let g1 = <S::Noise as Noise<N, P>>::columns::<R>(u, p, at.t);
        // The arguments of the second to fourth evaluations of the noise, and of the second one of
        // the drift.
        let mut w2 = *u;
        let mut w3 = *u;
        let mut w4 = *u;
        let mut v = *u;
        // The iterated integrals, divided by the powers of `h` that make them of one order: the
        // integral of the path, and the third one. The weights of the first three evaluations.
        let mut lean = *u;
        let mut thrice = *u;
        let mut a = *u;
        let mut b = *u;
        let mut c = *u;
        for d in 0..N {
            let once = each[0][d];
            let twice = (half * once.mul_add(once, -h)) / root;
            lean[d] = half.mul_add(once, each[1][d]);
            thrice[d] = once * once.mul_add(once, R::lit(-3.0) * h) / (R::lit(6.0) * h);
            a[d] = R::lit(2.0) * (lean[d] - thrice[d]) - (once + twice);
            let of_g2 = R::lit(4.0 / 3.0) * ((once + twice) - lean[d]);
            b[d] = R::lit(5.0 / 3.0).mul_add(thrice[d], of_g2);
            let of_g3 = R::lit(2.0 / 3.0) * ((once - lean[d]) - thrice[d]);
            c[d] = R::lit(-1.0 / 3.0).mul_add(twice, of_g3);
            let drift = (fourth * f[d]).mul_add(h, u[d]);
            w2[d] = (half * root).mul_add(g1[d], drift);
            w3[d] = f[d].mul_add(h, u[d]) - root * g1[d];
            let drift = (node * f[d]).mul_add(h, u[d]);
            v[d] = (by_lean * lean[d]).mul_add(g1[d], drift);
        }
        let g2 = <S::Noise as Noise<N, P>>::columns::<R>(&w2, p, quarter);
        let g3 = <S::Noise as Noise<N, P>>::columns::<R>(&w3, p, last);
        for d in 0..N {
            let drift = (fourth * f[d]).mul_add(h, u[d]);
            let noise = b_41.mul_add(g1[d], b_42 * g2[d]);
            w4[d] = root.mul_add(half.mul_add(g3[d], noise), drift);
        }
    }
    step(next, k) {
        let g4 = <S::Noise as Noise<N, P>>::columns::<R>(&w4, p, quarter);
        let second = system.rhs(&v, p, later);
        for d in 0..N {
            let noise = a[d].mul_add(g1[d], b[d] * g2[d]);
            let noise = thrice[d].mul_add(g4[d], c[d].mul_add(g3[d], noise));
            let drift = early.mul_add(f[d], late * second[d]);
            next[d] = drift.mul_add(h, u[d]) + noise;
            let of_lean = R::lit(2.0).mul_add(g1[d], R::lit(-4.0 / 3.0) * g2[d]);
            let of_lean = R::lit(-2.0 / 3.0).mul_add(g3[d], of_lean);
            let of_thrice = R::lit(-2.0).mul_add(g1[d], R::lit(5.0 / 3.0) * g2[d]);
            let of_thrice = R::lit(-2.0 / 3.0).mul_add(g3[d], of_thrice) + g4[d];
            let of_noise = lean[d].mul_add(of_lean, thrice[d] * of_thrice);
            let of_drift = early * h * (second[d] - f[d]);
            k[1][d] = of_drift.abs() + of_noise.abs();
        }
        k[0] = f;
    }
    back(end, begin, by_p) {
        let mut of_g1 = *end;
        let mut of_g2 = *end;
        let mut of_g3 = *end;
        let mut of_g4 = *end;
        let mut of_f = *end;
        for d in 0..N {
            of_g1[d] = a[d] * end[d];
            of_g2[d] = b[d] * end[d];
            of_g3[d] = c[d] * end[d];
            of_g4[d] = thrice[d] * end[d];
            of_f[d] = h * (late * end[d]);
        }
        let by_v = adjoint::through::<R, S, N, P>(system, &v, p, later, &of_f, &mut by_p);
        let by_w4 = <S::Noise as PullBackNoise<N, P>>::pull_back_columns::<R>(
            &w4, p, quarter, &of_g4, &mut by_p,
        );
        for d in 0..N {
            of_g3[d] = (half * root).mul_add(by_w4[d], of_g3[d]);
            of_g2[d] = (b_42 * root).mul_add(by_w4[d], of_g2[d]);
        }
        let by_w3 = <S::Noise as PullBackNoise<N, P>>::pull_back_columns::<R>(
            &w3, p, last, &of_g3, &mut by_p,
        );
        let by_w2 = <S::Noise as PullBackNoise<N, P>>::pull_back_columns::<R>(
            &w2, p, quarter, &of_g2, &mut by_p,
        );
        for d in 0..N {
            let by_quarters = by_w2[d] + by_w4[d];
            begin[d] = begin[d] + ((by_quarters + by_w3[d]) + by_v[d]);
            let of_drift = node.mul_add(by_v[d], fourth.mul_add(by_quarters, by_w3[d]));
            of_f[d] = h * early.mul_add(end[d], of_drift);
            let of_roots = half.mul_add(by_w2[d], b_41 * by_w4[d]) - by_w3[d];
            let of_v = (by_lean * lean[d]).mul_add(by_v[d], of_g1[d]);
            of_g1[d] = root.mul_add(of_roots, of_v);
        }
        let by_f = adjoint::through::<R, S, N, P>(system, u, p, at.t, &of_f, &mut by_p);
        let by_g = <S::Noise as PullBackNoise<N, P>>::pull_back_columns::<R>(
            u, p, at.t, &of_g1, &mut by_p,
        );
        for d in 0..N {
            begin[d] = begin[d] + (by_f[d] + by_g[d]);
        }
    }
}
