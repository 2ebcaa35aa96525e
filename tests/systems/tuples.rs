//! Tuples, patterns within patterns, late initialisation, destructuring assignment.

pub(crate) const U: [f64; 5] = [0.5, -1.2, 0.8, 1.5, -0.4];
pub(crate) const P: [f64; 3] = [1.1, -0.6, 0.3];

systems! {
    #[allow(clippy::needless_late_init, clippy::type_complexity)]
    pub(crate) fn tuples(du: &mut [f64; 5], u: &[f64; 5], p: &[f64; 3], t: f64) {
        let [first, rest @ .., last] = *u;
        let (a, (b, [c, _])) = (first, (last, [rest[0], rest[1]]));
        let pair: (f64, usize) = (a * b, 3);
        let nested = ((c, p[0]), [p[1], p[2]], pair.1 - 1);
        let (&x, y) = (&u[2], &u[3]);

        // Declared first, and assigned in both branches.
        let (low, high);
        let index: usize;
        let scale;
        if a < b {
            low = a;
            high = b;
            scale = (2.0, x);
        } else {
            (low, high) = (b, a);
            scale = (x, y - 1.0);
        }
        index = nested.2 + 1;

        // The right side is evaluated before the first assignment.
        let mut v = [a, b, c];
        let mut w = (x, *y);
        [v[0], v[1]] = [v[1], v[0]];
        (w.0, w.1) = (w.1, w.0);
        (v[2], _) = (v[2] * w.0, 1.0);
        [w.1, ..] = [w.1 + t, 0.0, 0.0];
        w.0 += 0.5;
        let mut m = [(1.0, [2.0, a]), (b, [3.0, 4.0])];
        m[1].1[0] *= x;
        (m[0], m[1]) = (m[1], m[0]);
        ((v[0], v[1]), _) = ((v[0] - high, v[1] + low), ());

        du[0] = v[0] * nested.0.0 + v[1];
        du[1] = v[2] - nested.1[1] * pair.0;
        [du[2], du[3]] = [w.0 * scale.0, w.1 - scale.1];
        du[index + 1] = m[0].1[0] + m[1].1[1] * nested.0.1;
    }
}
