//! Combinations of the subset's parts: closures in loops, loops in functions, tuples in branches.

pub(crate) const U: [f64; 4] = [0.5, -1.2, 0.8, 1.5];
pub(crate) const P: [f64; 3] = [1.1, -0.6, 0.3];

systems! {
    #[allow(clippy::redundant_closure_call, clippy::never_loop)]
    pub(crate) fn corners(du: &mut [f64; 4], u: &[f64; 4], p: &[f64; 3], t: f64) {
        const EDGES: [(usize, usize); 5] = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)];
        const ACTIVE: [bool; 5] = [true, true, false, true, true];

        fn weight(i: usize) -> f64 {
            match i {
                0 | 3 => 1.0,
                1 => half(),
                n => 1.0 / n as f64,
            }
        }

        fn half() -> f64 {
            0.5
        }

        /// Heron's rule; `break` leaves only the function's own loop.
        fn root(x: f64, steps: i32) -> f64 {
            let mut y = 1.0;
            let mut i = 0;
            loop {
                if i >= steps {
                    break y;
                }
                y = 0.5 * (y + x / y);
                i += 1;
            }
        }

        fn ordered(a: f64, b: f64) -> ((f64, f64), bool) {
            if a < b { ((a, b), true) } else { ((b, a), false) }
        }

        // A graph, as lists of integers and truth values.
        let mut flow = [0.0; 4];
        for ((i, j), active) in EDGES.into_iter().zip(ACTIVE) {
            if !active {
                continue;
            }
            let rate = weight(i) * weight(j);
            let along = |from: usize| rate * u[from];
            flow[i] -= along(i);
            flow[j] += along(i);
            let rate = 0.0;
            flow[j] += rate;
        }

        // Closures use the values from their creation.
        let mut factor = 1.0;
        let mut made = [0.0; 3];
        for (k, slot) in [2, 0, 1].into_iter().enumerate() {
            let moved = move |x: f64| x * factor + k as f64;
            factor += p[slot];
            let outer = |x| moved(x) + moved(t * 0.25);
            made[slot] = outer(u[k]);
        }

        // Both sides of a branch on the state: tuples, late values, loops, functions.
        let ((low, high), swapped) = ordered(u[0], u[1]);
        let chosen;
        let (mut count, pair);
        if swapped && low < 0.0 {
            chosen = root(1.0 + high * high, 3);
            count = 1.0;
            pair = (high, [low; 2]);
            for i in (0..3).rev() {
                if i == 0 {
                    break;
                }
                count *= 1.5;
            }
        } else {
            let values = u.map(|x| if x > 0.0 { x } else { weight(2) * x });
            chosen = values.iter().zip(&made).map(|(a, b)| a * b).sum();
            count = 'found: loop {
                for i in 0..4 {
                    if weight(i) < 0.75 {
                        break 'found i as f64;
                    }
                }
                break 0.0;
            };
            pair = (low, [values[3], chosen]);
        }
        count += pair.1[1];

        // Rows of a matrix.
        let matrix: [[f64; 3]; 4] = std::array::from_fn(|i| {
            let x = u[i];
            p.map(|a| a * x + i as f64)
        });
        let all: f64 = matrix.iter().map(|row| row.iter().sum::<f64>()).sum();
        for (i, (row, x)) in matrix.iter().zip(u).enumerate() {
            let mut sum = flow[i];
            for (a, b) in row.iter().zip(made) {
                sum += a * b * x;
            }
            du[i] = sum;
        }
        for pair in [(0, 1), (2, 0), (3, 3)] {
            let n = match pair {
                (0, n) | (n, 0) => n,
                (a, b) if a != b => a,
                (a, _) => a - 3,
            };
            du[n] += weight(n) * chosen;
        }
        [du[3], _] = [du[3] - all * count, 0.0];
        du[2] *= pair.0;
    }
}
