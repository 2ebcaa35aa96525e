//! The lane program of [`Shark`].

stochastic! {
    /// The method ShARK (shifted additive-noise Runge–Kutta) for additive noise.
    ///
    /// Two evaluations of the drift. Strong order 3/2, with smaller errors than [`Sra1`]; weak
    /// order 2.
    ///
    /// J. Foster, G. dos Reis, C. Strange, *High order splitting methods for SDEs satisfying a
    /// commutativity condition* (arXiv:2210.17543), equation (6.1).
    ///
    /// [`Sra1`]: crate::methods::Sra1
    shark::Shark,
    calculus None, noise Additive,
    strong 1.5, weak 2.0, drifts 2,
    step(system, u, p, at, h, path, w) {
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
        }
    }
}
