//! Every construct of the subset, in a system without meaning.

pub(crate) const U: [f64; 5] = [0.5, -1.2, 0.8, 1.5, -0.4];
pub(crate) const P: [f64; 4] = [1.1, -0.6, 0.3, 2.0];

const WEIGHT: f64 = 0.625;

systems! {
    /// Patterns, shadowing, loops, integers, arrays, branches, assignments.
    #[allow(unused_assignments, unused_braces, clippy::needless_range_loop)]
    pub(crate) fn constructs(derivative: &mut [f64; 5], state: &[f64; 5], parameters: &[f64; 4], t: f64) {
        use std::f64::consts;
        const ORDER: [usize; 5] = [4, 2, 0, 1, 3];
        const FACTOR: f64 = 2.0 * WEIGHT;

        // Patterns, ascription, late initialisation, shadowing, references.
        let [first, .., last] = *state;
        let [[a, _], [_, b]] = [[first, 0.0], [1.0, last]];
        let p: [f64; 4] = *parameters;
        let borrowed = &state[1];
        let late;
        let a = a * FACTOR;
        late = a + *borrowed;

        // Local arrays, nested ones, repeats, lengths.
        let mut table = [[0.0; 3]; 2];
        for i in 0..table.len() {
            for j in 0..=2 {
                table[i][j] = (i + 1) as f64 * state[ORDER[j]] - (j as f64) / 4.0;
            }
        }
        table[1][2] *= consts::FRAC_1_PI;

        // Integers: arithmetic, signed ones, conditions known at compile time.
        let mut sum = 0.0;
        for i in 0..5_usize {
            let back = (i as i32 - 2) * 3 % 4;
            if i > 0 && state[i - 1] > 0.0 {
                sum += state[i - 1] * back as f64;
            } else if i % 2 == 0 || state[i] * state[i] < 0.5 {
                sum -= state[i];
            }
        }

        // Branches on the state: as values, as statements, with else-if, nested, compound.
        let slope = if late > 0.1 { p[0] } else if late >= -0.7 { p[1] * late } else { -p[2] };
        let mut bend = b;
        if !(sum <= 0.0 && bend != 0.0) || t == 0.5 {
            bend += 1.0;
            if bend > 0.9 {
                bend = bend * bend;
            }
        } else {
            bend /= 3.0;
        }
        let high = { let twice = 2.0 * bend; twice > p[3] };
        let gate = if high { sum } else { table[0][1] };
        let warm = if last > 0.2 { late < 0.1 } else { bend > 0.5 };
        let cold = if first != 0.0 { !warm } else { false };
        let draught = if !cold { 0.5 * last } else { first - late };

        // The derivatives, in an order of their own.
        for i in 0..5 {
            derivative[ORDER[i]] = if i == 3 { gate } else { -slope * state[i] };
        }
        derivative[0] += table[0][0] * table[1][2];
        derivative[1] -= WEIGHT * t - draught;
        derivative[(2 * 7 - 4) / 5] *= 1.0 / p[3];
        derivative[4] = derivative[4] + (bend - consts::PI * (1e-3 + 2f64)) / -0.25;
        { derivative[3] = derivative[3] - 0.5_f64.max(0.1) }
    }
}
