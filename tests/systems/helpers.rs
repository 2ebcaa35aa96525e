//! Functions inside the right-hand side, and closures.

pub(crate) const U: [f64; 4] = [0.5, -1.2, 0.8, 1.5];
pub(crate) const P: [f64; 3] = [1.1, 0.6, 0.3];

systems! {
    #[allow(clippy::items_after_statements)]
    pub(crate) fn helpers(du: &mut [f64; 4], u: &[f64; 4], p: &[f64; 3], t: f64) {
        let [a, b, ..] = *u;
        const HALF: f64 = 0.5;

        /// Calls a function that is declared after it.
        fn mean(x: f64, y: f64) -> f64 {
            HALF * sum([x, y])
        }

        const fn sum(x: [f64; 2]) -> f64 {
            x[0] + x[1]
        }

        fn saturation(x: f64, rate: f64) -> f64 {
            let x = if x > 0.0 { x } else { -x };
            rate * x / (1.0 + x)
        }

        fn shifted(values: &[f64; 4], by: usize) -> [f64; 4] {
            let mut out = [0.0; 4];
            for i in 0..4 {
                out[i] = values[(i + by) % 4];
            }
            out
        }

        fn extent(values: &[f64]) -> (f64, f64, usize) {
            let (mut low, mut high) = (values[0], values[0]);
            for &value in values {
                if value < low {
                    low = value;
                }
                if value > high {
                    high = value;
                }
            }
            (low, high, values.len())
        }

        fn rotate((x, y): (f64, f64), [c, s]: [f64; 2]) -> (f64, f64) {
            (c * x - s * y, s * x + c * y)
        }

        fn index(i: i32, n: usize) -> usize {
            let n = n as i32;
            ((i % n + n) % n) as usize
        }

        fn iterated(f: impl Fn(f64) -> f64, mut x: f64, times: u32) -> f64 {
            for _ in 0..times {
                x = f(x);
            }
            x
        }

        fn half(x: f64) -> f64 {
            HALF * x
        }

        fn square(i: usize) -> f64 {
            i.pow(2) as f64
        }

        // A closure captures the values from its creation.
        let mut rate = p[0];
        let decay = move |x: f64| -> f64 { -rate * x };
        rate *= 2.0;
        let apply = |x, y| {
            let z = decay(x) + y;
            z * rate
        };
        let element = |i: usize| u[i % 4] * t;
        let a = a + 1.0;
        let twice = |x: f64| 2.0 * x;

        let back = shifted(u, 3);
        let (low, high, count) = extent(&back);
        let (x, y) = rotate((low, high), [p[1], p[2]]);
        let means: [f64; 3] = std::array::from_fn(|i| mean(u[i], u[i + 1]));
        let doubled = means.map(twice);
        {
            const HALF: f64 = 0.25;
            fn own(x: f64) -> f64 {
                HALF * mean(x, 1.0)
            }
            du[3] = own(b) + HALF;
        }

        du[0] = saturation(a, p[1]) - apply(b, x);
        du[1] = saturation(y, element(6)) * count as f64;
        du[2] = doubled.iter().sum::<f64>() + decay(u[index(-3, 4)]);
        du[3] += mean(high, element(1));
        let squares: [f64; 4] = std::array::from_fn(square);
        du[0] += iterated(half, a, 3) - iterated(|x| x * p[2] + t, b, 2);
        du[2] -= squares.iter().zip(u).map(|(&s, x)| s * x).sum::<f64>();
    }
}
