//! The lane program of [`Spark`].

stochastic! {
    /// The method SPaRK (splitting path Runge–Kutta) for Stratonovich equations with noise of any
    /// kind.
    ///
    /// Three evaluations of drift and noise. Strong order 1/2, 1 for commutative and 3/2 for
    /// additive noise; weak order 1. The error estimate is the difference from the trapezoidal rule.
    ///
    /// J. Foster, A. Jelinčič, *On the convergence of adaptive approximations for stochastic
    /// differential equations* (arXiv:2311.14201), definition 1.6.
    spark::Spark, adjoint spark_adjoint,
    calculus Some(Calculus::Stratonovich), noise Any,
    strong 0.5, weak 1.0, drifts 3,
    keeps 2, controller ORDER_1, areas true,
    stages(system, u, p, at, h, dw) {
        let one = R::lit(1.0);
        let none = R::lit(0.0);
        let half = R::lit(0.5);
        // `sqrt(3)`, `(3 - sqrt(3)) / 6` and `sqrt(3) / 3`.
        let root = R::lit(1.7320508075688772);
        let outer = R::lit(0.21132486540518713);
        let inner = R::lit(0.5773502691896257);
        let f = system.rhs(u, p, at.t);
        let g = <S::Noise as Noise<N, P>>::diffuse::<R>(u, p, at.t, &dw, half, root);
        let mut w = *u;
        for d in 0..N {
            w[d] = (half * f[d]).mul_add(h, u[d]) + g[d];
        }
        let middle = timeline::time_of_node::<R>(at, half);
        let second = system.rhs(&w, p, middle);
        let spread = <S::Noise as Noise<N, P>>::diffuse::<R>(&w, p, middle, &dw, one, none);
        let mut v = *u;
        for d in 0..N {
            v[d] = second[d].mul_add(h, u[d]) + spread[d];
        }
        let last = timeline::time_of_node::<R>(at, one);
    }
    step(next, k) {
        let third = system.rhs(&v, p, last);
        let first = <S::Noise as Noise<N, P>>::diffuse::<R>(u, p, at.t, &dw, outer, one);
        let rest = <S::Noise as Noise<N, P>>::diffuse::<R>(&v, p, last, &dw, outer, -one);
        // The trapezoidal rule without areas.
        let begin = <S::Noise as Noise<N, P>>::diffuse::<R>(u, p, at.t, &dw, half, none);
        let finish = <S::Noise as Noise<N, P>>::diffuse::<R>(&v, p, last, &dw, half, none);
        for d in 0..N {
            let drift = outer.mul_add(f[d] + third[d], inner * second[d]);
            let noise = inner.mul_add(spread[d], first[d] + rest[d]);
            next[d] = drift.mul_add(h, u[d]) + noise;
            let less = (-half).mul_add(f[d] + third[d], drift);
            k[1][d] = less.mul_add(h, noise - (begin[d] + finish[d]));
        }
        k[0] = f;
    }
    back(end, begin, by_p) {
        let mut of_f = *end;
        for d in 0..N {
            of_f[d] = h * (outer * end[d]);
        }
        let by_f = adjoint::through::<R, S, N, P>(system, &v, p, last, &of_f, &mut by_p);
        let by_g = <S::Noise as PullBackNoise<N, P>>::pull_back_diffuse::<R>(
            &v, p, last, &dw, outer, -one, end, &mut by_p,
        );
        let mut of_g = *end;
        for d in 0..N {
            let by_v = by_f[d] + by_g[d];
            begin[d] = begin[d] + by_v;
            of_g[d] = inner.mul_add(end[d], by_v);
            of_f[d] = h * of_g[d];
        }
        let by_f = adjoint::through::<R, S, N, P>(system, &w, p, middle, &of_f, &mut by_p);
        let by_g = <S::Noise as PullBackNoise<N, P>>::pull_back_diffuse::<R>(
            &w, p, middle, &dw, one, none, &of_g, &mut by_p,
        );
        let mut by_w = *end;
        for d in 0..N {
            by_w[d] = by_f[d] + by_g[d];
            of_f[d] = h * half.mul_add(by_w[d], outer * end[d]);
        }
        let by_f = adjoint::through::<R, S, N, P>(system, u, p, at.t, &of_f, &mut by_p);
        let by_g = <S::Noise as PullBackNoise<N, P>>::pull_back_diffuse::<R>(
            u, p, at.t, &dw, half, root, &by_w, &mut by_p,
        );
        let by_first = <S::Noise as PullBackNoise<N, P>>::pull_back_diffuse::<R>(
            u, p, at.t, &dw, outer, one, end, &mut by_p,
        );
        for d in 0..N {
            begin[d] = begin[d] + (by_w[d] + (by_f[d] + (by_g[d] + by_first[d])));
        }
    }
}
