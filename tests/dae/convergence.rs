//! Orders of steps and interpolants.
//!
//! If the mass matrix `M` is not singular, the orders are those for `u' = M⁻¹ f`, because methods
//! and interpolants are the same for both. For equations of index 1:
//!
//! * ESDIRK methods are stiffly accurate and begin with satisfied algebraic equations, so all
//!   stages satisfy them. Steps are those for the equations without algebraic unknowns, of full
//!   order in all unknowns (Hairer and Wanner II, VI.1). The derivatives of algebraic unknowns have
//!   errors of the stage order, `h²`, and the Hermite polynomial has `h` times these errors.
//! * Rosenbrock methods solve linear equations in place of the algebraic ones, which adds further
//!   order conditions (VI.4). Stiffly accurate methods with stiffly accurate embedded methods
//!   satisfy the conditions of order 3; Rodas4 and Rodas5P were constructed to satisfy theirs.
//!   Within one step the errors of algebraic unknowns have one order less than other errors, with
//!   Rosenbrock23 also at the end of the step. They do not accumulate, because `R(∞) = 0`.

use odes::KenCarp4;
use odes::methods::{Kvaerno3, Kvaerno5, Method, Rodas3, Rodas4, Rosenbrock23, TrBdf2};
use odes::prelude::*;
use odes::system::{Quantities, System};
use std::ops::Range;

/// Kaps' problem, `x = exp(-2t)`, `y = exp(-t)`, multiplied by a diagonal matrix.
#[ode_system]
mod diagonal {
    #[mass_matrix]
    const M: [f64; 2] = [2.0, 0.25];

    fn rhs(u: &[f64; 2]) -> [f64; 2] {
        let [x, y] = *u;
        [2.0 * (y * y - 3.0 * x), 0.25 * (x - y - y * y)]
    }
}

/// Kaps' problem, multiplied by a full matrix.
#[ode_system]
mod full {
    #[mass_matrix]
    const M: [[f64; 2]; 2] = [[2.0, -1.0], [0.5, 3.0]];

    fn rhs(u: &[f64; 2]) -> [f64; 2] {
        let [x, y] = *u;
        let (dx, dy) = (y * y - 3.0 * x, x - y - y * y);
        [2.0 * dx - dy, 0.5 * dx + 3.0 * dy]
    }
}

/// `x = cos t`, `y = sin t`, multiplied by a matrix without a diagonal.
#[ode_system]
mod swapped {
    #[mass_matrix]
    const M: [[f64; 2]; 2] = [[0.0, 3.0], [0.5, 0.0]];

    fn rhs(u: &[f64; 2], t: f64) -> [f64; 2] {
        let [x, y] = *u;
        let (sin, cos) = (t.sin(), t.cos());
        let dx = -sin - (x * x * x - cos * cos * cos) + (y - sin);
        let dy = cos + x * (sin - y);
        [3.0 * dy, 0.5 * dx]
    }
}

/// Kaps' problem for `z = x y`; `z` is in all equations, and its own equation is not linear in it.
#[ode_system]
mod algebraic {
    #[mass_matrix]
    const M: [f64; 3] = [1.0, 1.0, 0.0];

    fn rhs(u: &[f64; 3]) -> [f64; 3] {
        let [x, y, z] = *u;
        let product = x * y;
        [-2.0 * z / y, -z / x, z + z.powi(3) - product - product.powi(3)]
    }
}

/// `x = cos t`, `y = sin t`, `z = 2 + x² y`.
///
/// The mass matrix couples the derivatives, all equations depend on the time, and the algebraic
/// equation comes first.
#[ode_system]
mod forced {
    #[mass_matrix]
    const M: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.5, 0.0], [-1.0, 2.0, 0.0]];

    fn rhs(u: &[f64; 3], t: f64) -> [f64; 3] {
        let [x, y, z] = *u;
        let (sin, cos) = (t.sin(), t.cos());
        let dx = -sin - (x * x * x - cos * cos * cos) + 0.5 * (z - 2.0 - x * x * sin);
        let dy = cos + x * (sin - y) + z * (x - cos);
        [z * z - (2.0 + x * y * cos).powi(2), dx + 0.5 * dy, 2.0 * dy - dx]
    }
}

fn decay(t: f64) -> [f64; 2] {
    [(-2.0 * t).exp(), (-t).exp()]
}

fn circle(t: f64) -> [f64; 2] {
    [t.cos(), t.sin()]
}

fn decay_and_product(t: f64) -> [f64; 3] {
    let [x, y] = decay(t);
    [x, y, x * y]
}

fn circle_and_product(t: f64) -> [f64; 3] {
    let [x, y] = circle(t);
    [x, y, 2.0 + x * x * y]
}

/// Measures the powers of the step size by which errors of some unknowns decrease.
///
/// The errors are at the end of fixed steps, and of the interpolant within one step.
fn powers<M, S, const N: usize>(
    method: M,
    steps: u32,
    system: S,
    exact: fn(f64) -> [f64; N],
    of: Range<usize>,
) -> [f64; 2]
where
    M: Method + Copy,
    S: System<N, 0>,
{
    let error = |dt: f64, end: f64, times: &[f64]| {
        let options =
            SolveOptions::default().fixed_step(dt).saveat(times).abstol(1e-9).reltol(1e-9);
        let problem = OdeProblem::new(system, exact(0.2), 0.2..=end, []);
        let solution = problem.solve(method, &options).unwrap();
        assert_eq!(solution.code(), ReturnCode::Success, "{}", M::PROPERTIES.name);
        let pairs = solution.times().zip(solution.states());
        let errors = pairs.flat_map(|(t, u)| {
            let (u, exact) = (u.to_numbers(), exact(t));
            of.clone().map(move |d| (u[d] - exact[d]).abs())
        });
        errors.fold(0.0, f64::max)
    };
    let end = |steps: u32| error(2.0 / f64::from(steps), 2.2, &[0.7, 1.2, 1.7, 2.2]);
    let within = |dt: f64| {
        let times = [0.2, 0.45, 0.7, 0.9].map(|theta| 0.2 + theta * dt);
        error(dt, 0.2 + dt, &times)
    };
    [(end(steps) / end(2 * steps)).log2(), (within(0.02) / within(0.01)).log2()]
}

/// Asserts that a method converges with order `order`.
///
/// Within one step, the errors of its interpolant have the power `within` of the step size, and the
/// power `algebraically` for algebraic unknowns.
fn converges<M>(method: M, steps: u32, order: f64, within: f64, algebraically: f64)
where
    M: Method + Copy,
{
    for (what, [step, dense], expected) in [
        ("diagonal", powers(method, steps, diagonal, decay, 0..2), within),
        ("full", powers(method, steps, full, decay, 0..2), within),
        ("swapped", powers(method, steps, swapped, circle, 0..2), within),
        ("differential", powers(method, steps, algebraic, decay_and_product, 0..2), within),
        ("algebraic", powers(method, steps, algebraic, decay_and_product, 2..3), algebraically),
        ("differential, forced", powers(method, steps, forced, circle_and_product, 0..2), within),
        (
            "algebraic, forced",
            powers(method, steps, forced, circle_and_product, 2..3),
            algebraically,
        ),
    ] {
        eprintln!("{}, {what}: order {step:.2}, interpolant h^{dense:.2}", M::PROPERTIES.name);
        assert!((step - order).abs() < 0.25, "{}, {what}: order {step}", M::PROPERTIES.name);
        assert!((dense - expected).abs() < 0.35, "{}, {what}: h^{dense}", M::PROPERTIES.name);
    }
}

macro_rules! methods {
    ($($name:ident: $method:ident, $steps:literal steps, $order:literal, $within:literal, $algebraically:literal;)*) => { $(
        #[test]
        fn $name() {
            converges($method, $steps, $order, $within, $algebraically);
        }
    )* };
}

methods! {
    rosenbrock23: Rosenbrock23, 32 steps, 2.0, 3.0, 2.0;
    rodas3: Rodas3, 256 steps, 3.0, 3.0, 2.0;
    rodas4: Rodas4, 256 steps, 4.0, 4.0, 3.0;
    rodas5p: Rodas5P, 32 steps, 5.0, 5.0, 4.0;
    trbdf2: TrBdf2, 32 steps, 2.0, 3.0, 3.0;
    kvaerno3: Kvaerno3, 64 steps, 3.0, 4.0, 3.0;
    kencarp4: KenCarp4, 64 steps, 4.0, 4.0, 3.0;
    kvaerno5: Kvaerno5, 32 steps, 5.0, 4.0, 3.0;
}
