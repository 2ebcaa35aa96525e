//! Functions inside a right-hand side, and closures.

use odes::ode_system;

const LENGTH: usize = 2;

#[ode_system]
fn closures(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 1], t: f64) {
    let mut count = 0.0;
    let mut add = |x: f64| count += x;
    add(u[0]);
    let rate = p[0];
    du[0] = rate(u[0]);
    let rates: [f64; LENGTH] = std::array::from_fn(|i| u[i]);
    let sum = std::array::from_fn(|i| u[i]).iter().sum::<f64>();
    let far = |i: usize| u[i + 1];
    for i in 0..2 {
        du[i] = far(i) + t.map(|x| x + 1.0);
    }
    let exit = |x: f64| {
        if x > 0.0 {
            return 1.0;
        }
        x
    };
    du[1] = exit(u[1]);
}

#[ode_system]
fn functions(du: &mut [f64; 2], u: &[f64; 2], _p: &[f64; 0], _t: f64) {
    fn factorial(n: u32) -> f64 {
        if n == 0 { 1.0 } else { n as f64 * factorial(n - 1) }
    }
    fn even(n: u32) -> bool {
        n == 0 || odd(n - 1)
    }
    fn odd(n: u32) -> bool {
        n != 0 && even(n - 1)
    }
    fn double<const N: usize>(x: [f64; N]) -> [f64; N] {
        x.map(|x| 2.0 * x)
    }
    fn scale(x: &mut [f64; 2], by: f64) {
        x[0] *= by;
    }
    unsafe fn dangerous(x: f64) -> f64 {
        x
    }
    fn print(x: f64) -> f64 {
        println!("{x}");
        outside(x)
    }
    fn beyond(x: [f64; 2], i: usize) -> f64 {
        x[i - 1]
    }
    let x = double(*u);
    let many = beyond(x, 1, 2);
    du[0] = factorial(3) + print(x[0]);
    du[1] = if even(4) { beyond(*u, 0) } else { hidden(1.0) };
    {
        fn hidden(x: f64) -> f64 {
            x
        }
    }
}

fn outside(x: f64) -> f64 {
    x
}

fn main() {}
