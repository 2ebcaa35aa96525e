//! Loops over ranges, arrays and iterators; sums; `array::map` and `array::from_fn`.

pub(crate) const U: [f64; 6] = [0.5, -1.2, 0.8, 1.5, -0.4, 0.9];
pub(crate) const P: [f64; 3] = [1.1, -0.6, 0.3];

systems! {
    #[allow(clippy::needless_range_loop, clippy::reversed_empty_ranges, clippy::explicit_counter_loop)]
    pub(crate) fn iteration(du: &mut [f64; 6], u: &[f64; 6], p: &[f64; 3], t: f64) {
        const N: usize = 3;
        const WEIGHTS: [f64; N] = [0.25, 0.5, 0.125];

        // Ranges.
        let mut polynomial = 0.0;
        for i in (0..N).rev() {
            polynomial = polynomial * t + p[i];
        }
        let mut even = 0.0;
        for i in (0..6).step_by(2) {
            even += u[i];
        }
        let mut odd = 0.0;
        for i in (1..=5).rev().step_by(2) {
            odd = odd * 0.5 + u[i];
        }
        for _ in 3..0 {
            odd = 0.0;
        }
        for i in -2..=2_i32 {
            even += i as f64 * u[(i + 2) as usize];
        }

        // Arrays.
        let mut first = 0.0;
        for x in *u {
            first += x * x;
        }
        for x in u {
            first -= x * 0.5;
        }
        for &x in &WEIGHTS {
            first += x;
        }
        let mut weighted = 0.0;
        for (i, x) in u.iter().enumerate().skip(1).take(4) {
            weighted += x * (i as f64 + WEIGHTS[i % N]);
        }
        for (&w, x) in WEIGHTS.iter().zip(u.iter().skip(1)) {
            weighted -= w * x;
        }
        for (i, (w, x)) in WEIGHTS.into_iter().zip(u.iter().rev()).enumerate() {
            for [a, b] in [[w, *x], [1.0, 2.0]] {
                weighted += a * b * (i + 1) as f64;
            }
        }

        // Sums, and arrays made by functions.
        let total = u.iter().sum::<f64>();
        let squares: f64 = u.iter().map(|x| x * x).sum();
        let dot: f64 = WEIGHTS.iter().zip(p.iter()).map(|(a, b)| a * b).sum();
        let count = (0..N).map(|i| i * i).sum::<usize>();
        let product = p.iter().copied().product::<f64>() + [0.0; 0].iter().sum::<f64>();
        let folded = u.iter().fold(1.0, |product, x| product * 0.5 + x);
        let doubled = u.map(|x| 2.0 * x);
        let matrix: [[f64; N]; N] = std::array::from_fn(|i| std::array::from_fn(|j| u[i + j] * WEIGHTS[j]));
        let applied = std::array::from_fn::<f64, 3, _>(|i| {
            matrix[i].iter().zip(p).map(|(a, x)| a * x).sum::<f64>()
        });

        du[0] = polynomial + total * dot;
        du[1] = even - odd * folded;
        du[2] = first * product + weighted;
        du[3] = squares * count as f64;
        for (i, (x, y)) in doubled.iter().zip(applied).enumerate().take(2) {
            du[4 + i] = x - y;
        }
    }
}
