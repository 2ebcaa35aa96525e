//! `while`, `loop`, `break`, `continue`, `match` and `if` on compile-time values.
//!
//! The values are integers and truth values. There are also integer arithmetic and casts.

pub(crate) const U: [f64; 4] = [0.5, -1.2, 0.8, 1.5];
pub(crate) const P: [f64; 2] = [1.1, -0.6];

systems! {
    #[allow(
        clippy::needless_range_loop,
        clippy::while_let_loop,
        clippy::explicit_counter_loop,
        clippy::match_bool,
        clippy::bool_comparison
    )]
    pub(crate) fn control(du: &mut [f64; 4], u: &[f64; 4], p: &[f64; 2], t: f64) {
        const LAST: usize = 3;
        const EXACT: bool = true;

        // The smallest power of two that is at least 5, by integers.
        let mut size = 1_usize;
        while size < 5 {
            size *= 2;
        }
        let mut sum = 0.0;
        let mut k: i32 = 10;
        while k > 0 && size == 8 {
            k -= 3;
            if k % 2 == 0 {
                continue;
            }
            sum += u[(k + 4) as usize % 4];
        }

        let mut rounds = 0;
        let found = loop {
            rounds += 1;
            if rounds * rounds > 10 {
                break rounds;
            }
            if u[rounds % 4] > 0.0 {
                sum += 0.5;
            }
        };

        // Leaves two loops from inside a branch on the state that is around both.
        let mut product = 1.0;
        if u[0] > 0.1 {
            'outer: for i in 0..4 {
                for j in 0..4 {
                    if i * j == 2 {
                        continue 'outer;
                    }
                    if i + j > 5 || i == 3 {
                        break 'outer;
                    }
                    product *= 1.0 + 0.125 * u[i] * u[j];
                }
                product += p[0];
            }
        }

        // Gauss–Seidel with a fixed number of rounds.
        let mut x = [1.0, t];
        for round in 0..5 {
            if round == 3 {
                break;
            }
            x[0] = 0.25 * (u[0] - x[1]);
            x[1] = 0.25 * (u[1] - x[0]);
        }

        for i in 0..4_usize {
            let neighbour = match i {
                0 => LAST,
                n @ 1..=2 if n % 2 == 1 => n + 1,
                1 | 2 => 0,
                LAST => i - 1,
                _ => 17,
            };
            let boundary = match (i, i % 2 == 0) {
                (0, _) | (LAST, _) => true,
                (_, even) => !even,
            };
            let factor = if boundary { p[0] } else { p[1] };
            du[i] = match EXACT == boundary {
                true => factor * u[neighbour],
                false => {
                    let difference = u[neighbour] - u[i];
                    factor * difference
                }
            };
            match i as i32 - 2 {
                -2..=-2 => du[i] += 2.0 * x[0],
                -1 => du[i] += x[0],
                ..-1 => du[i] += 1.0,
                0 => {}
                n => du[i] -= x[1] * n as f64,
            }
        }

        // Integers, with Rust's arithmetic.
        let floor = (-7_i64 / 2) as f64 + (-7 % 4) as f64;
        let byte = (300_i32 as u8) as f64 + (-1_i32) as u8 as f64;
        let index = (2.9 * 1.2) as usize;
        let flag = (index == 3) as usize + true as usize;
        let mut wave = 0.0;
        for i in -3..4_i32 {
            let neighbour = (i - 1).rem_euclid(4) as usize;
            wave += u[neighbour.min(2)] * f64::from(i.abs().max(1).pow(2));
            wave -= i.div_euclid(2) as f64 * u[1];
        }
        du[2] -= wave * 0.25;
        du[0] += floor * sum / 4.0;
        du[1] += byte * 0.0625 * product;
        du[index] += u[flag] * found as f64;
    }
}
