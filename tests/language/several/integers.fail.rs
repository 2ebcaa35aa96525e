//! Integers are computed at compile time, with the panics of Rust.

use odes::ode_system;

#[ode_system]
fn overflows(du: &mut [f64; 2], u: &[f64; 2], _p: &[f64; 0], _t: f64) {
    let n: u32 = 3;
    let below = (n - 4) as f64;
    let product = 65_536 * 65_536;
    let wide = 65_536_i64 * 65_536;
    let least = -2_147_483_647 - 1;
    let quotient = least / -1;
    let remainder = (-128_i8) % -1;
    let zero = wide / (n as i64 - 3);
    let rest = wide % 0;
    let byte = 200_u8 + 100;
    let late: usize;
    late = 1 - 2;
    fn before(i: usize) -> usize {
        i - 1
    }
    for i in 0..2 {
        du[i] = u[(before(i) + 2) % 2];
    }
    let power = 10_i32.pow(10) + 2_i64.rem_euclid(n as i64 - 3);
    let float = u[0].pow(2) + f64::from(true);
    let bits = 1 << 3 | 4;
}

#[ode_system]
fn casts(du: &mut [f64; 2], u: &[f64; 2], _p: &[f64; 0], t: f64) {
    let step = (t * 2.0) as usize;
    let index = 1.5 as usize;
    let text = (1, 2) as f64;
    du[0] = u[index];
    du[1] = u[2.0 as usize];
}

fn main() {}
