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
    keeps 2, controller ORDER_3_2,
    step(system, u, p, at, h, path, w, k) {
        let dw = <S::Noise as Noise<N, P>>::increments::<R>(path, true);
        let each = <S::Noise as Noise<N, P>>::of_components::<R>(&dw);
        let root = h.sqrt();
        let quarter = timeline::time_of_node::<R>(at, R::lit(0.25));
        let f = system.rhs(u, p, at.t);
        let g1 = <S::Noise as Noise<N, P>>::columns::<R>(u, p, at.t);
        for d in 0..N {
            let drift = (R::lit(0.25) * f[d]).mul_add(h, u[d]);
            w[d] = (R::lit(0.5) * root).mul_add(g1[d], drift);
        }
        let g2 = <S::Noise as Noise<N, P>>::columns::<R>(&w, p, quarter);
        for d in 0..N {
            w[d] = f[d].mul_add(h, u[d]) - root * g1[d];
        }
        let end = timeline::time_of_node::<R>(at, R::lit(1.0));
        let g3 = <S::Noise as Noise<N, P>>::columns::<R>(&w, p, end);
        for d in 0..N {
            let drift = (R::lit(0.25) * f[d]).mul_add(h, u[d]);
            let noise = R::lit(-5.0).mul_add(g1[d], R::lit(3.0) * g2[d]);
            w[d] = root.mul_add(R::lit(0.5).mul_add(g3[d], noise), drift);
        }
        let g4 = <S::Noise as Noise<N, P>>::columns::<R>(&w, p, quarter);
        for d in 0..N {
            // The integral of the path, divided by the length of the step.
            let lean = R::lit(0.5).mul_add(each[0][d], each[1][d]);
            let drift = (R::lit(0.75) * f[d]).mul_add(h, u[d]);
            w[d] = (R::lit(1.5) * lean).mul_add(g1[d], drift);
        }
        let later = timeline::time_of_node::<R>(at, R::lit(0.75));
        let second = system.rhs(&w, p, later);
        for d in 0..N {
            // The iterated integrals, divided by the powers of `h` that make them of one order.
            let once = each[0][d];
            let twice = (R::lit(0.5) * once.mul_add(once, -h)) / root;
            let lean = R::lit(0.5).mul_add(once, each[1][d]);
            let thrice = once * once.mul_add(once, R::lit(-3.0) * h) / (R::lit(6.0) * h);
            let a = R::lit(2.0) * (lean - thrice) - (once + twice);
            let b = R::lit(4.0 / 3.0) * ((once + twice) - lean);
            let b = R::lit(5.0 / 3.0).mul_add(thrice, b);
            let c = R::lit(2.0 / 3.0) * ((once - lean) - thrice);
            let c = R::lit(-1.0 / 3.0).mul_add(twice, c);
            let noise = a.mul_add(g1[d], b * g2[d]);
            let noise = thrice.mul_add(g4[d], c.mul_add(g3[d], noise));
            let drift = R::lit(1.0 / 3.0).mul_add(f[d], R::lit(2.0 / 3.0) * second[d]);
            w[d] = drift.mul_add(h, u[d]) + noise;
            let of_lean = R::lit(2.0).mul_add(g1[d], R::lit(-4.0 / 3.0) * g2[d]);
            let of_lean = R::lit(-2.0 / 3.0).mul_add(g3[d], of_lean);
            let of_thrice = R::lit(-2.0).mul_add(g1[d], R::lit(5.0 / 3.0) * g2[d]);
            let of_thrice = R::lit(-2.0 / 3.0).mul_add(g3[d], of_thrice) + g4[d];
            let of_noise = lean.mul_add(of_lean, thrice * of_thrice);
            let of_drift = R::lit(1.0 / 3.0) * h * (second[d] - f[d]);
            k[1][d] = of_drift.abs() + of_noise.abs();
        }
        k[0] = f;
    }
    back(system, u, p, at, h, path, end, begin, by_p) {
        let dw = <S::Noise as Noise<N, P>>::increments::<R>(path, true);
        let each = <S::Noise as Noise<N, P>>::of_components::<R>(&dw);
        let root = h.sqrt();
        let quarter = timeline::time_of_node::<R>(at, R::lit(0.25));
        let later = timeline::time_of_node::<R>(at, R::lit(0.75));
        let last = timeline::time_of_node::<R>(at, R::lit(1.0));
        let f = system.rhs(u, p, at.t);
        let g1 = <S::Noise as Noise<N, P>>::columns::<R>(u, p, at.t);
        // The arguments of the second to fourth evaluations of the noise, and of the second one of
        // the drift.
        let mut w2 = *u;
        let mut w3 = *u;
        let mut w4 = *u;
        let mut v = *u;
        for d in 0..N {
            let drift = (R::lit(0.25) * f[d]).mul_add(h, u[d]);
            w2[d] = (R::lit(0.5) * root).mul_add(g1[d], drift);
            w3[d] = f[d].mul_add(h, u[d]) - root * g1[d];
            let lean = R::lit(0.5).mul_add(each[0][d], each[1][d]);
            let drift = (R::lit(0.75) * f[d]).mul_add(h, u[d]);
            v[d] = (R::lit(1.5) * lean).mul_add(g1[d], drift);
        }
        let g2 = <S::Noise as Noise<N, P>>::columns::<R>(&w2, p, quarter);
        let g3 = <S::Noise as Noise<N, P>>::columns::<R>(&w3, p, last);
        let mut of_g1 = *end;
        let mut of_g2 = *end;
        let mut of_g3 = *end;
        let mut of_g4 = *end;
        let mut of_f = *end;
        for d in 0..N {
            let drift = (R::lit(0.25) * f[d]).mul_add(h, u[d]);
            let noise = R::lit(-5.0).mul_add(g1[d], R::lit(3.0) * g2[d]);
            w4[d] = root.mul_add(R::lit(0.5).mul_add(g3[d], noise), drift);
            let once = each[0][d];
            let twice = (R::lit(0.5) * once.mul_add(once, -h)) / root;
            let lean = R::lit(0.5).mul_add(once, each[1][d]);
            let thrice = once * once.mul_add(once, R::lit(-3.0) * h) / (R::lit(6.0) * h);
            let a = R::lit(2.0) * (lean - thrice) - (once + twice);
            let b = R::lit(4.0 / 3.0) * ((once + twice) - lean);
            let b = R::lit(5.0 / 3.0).mul_add(thrice, b);
            let c = R::lit(2.0 / 3.0) * ((once - lean) - thrice);
            let c = R::lit(-1.0 / 3.0).mul_add(twice, c);
            of_g1[d] = a * end[d];
            of_g2[d] = b * end[d];
            of_g3[d] = c * end[d];
            of_g4[d] = thrice * end[d];
            of_f[d] = h * (R::lit(2.0 / 3.0) * end[d]);
        }
        let by_v = adjoint::through::<R, S, N, P>(system, &v, p, later, &of_f, &mut by_p);
        let by_w4 = <S::Noise as PullBackNoise<N, P>>::pull_back_columns::<R>(
            &w4, p, quarter, &of_g4, &mut by_p,
        );
        for d in 0..N {
            of_g3[d] = (R::lit(0.5) * root).mul_add(by_w4[d], of_g3[d]);
            of_g2[d] = (R::lit(3.0) * root).mul_add(by_w4[d], of_g2[d]);
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
            let of_drift = R::lit(0.75).mul_add(by_v[d], R::lit(0.25).mul_add(by_quarters, by_w3[d]));
            of_f[d] = h * R::lit(1.0 / 3.0).mul_add(end[d], of_drift);
            let lean = R::lit(0.5).mul_add(each[0][d], each[1][d]);
            let of_roots = R::lit(0.5).mul_add(by_w2[d], R::lit(-5.0) * by_w4[d]) - by_w3[d];
            let of_v = (R::lit(1.5) * lean).mul_add(by_v[d], of_g1[d]);
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
