//! The linear equations of implicit methods, model by model.
//!
//! The tests compare their solutions with those of a dense solver with pivoting, and their nonzeros
//! with the report.

use crate::random::Random;
use odes::system::{Report, System};

/// Returns the largest magnitude.
fn size<const N: usize>(x: &[f64; N]) -> f64 {
    x.iter().fold(0.0_f64, |size, x| size.max(x.abs()))
}

/// Solves `a x = b` by Gaussian elimination with pivoting, with rows scaled to one size.
fn dense<const N: usize>(mut a: [[f64; N]; N], mut b: [f64; N]) -> [f64; N] {
    for i in 0..N {
        let size = size(&a[i]);
        a[i] = a[i].map(|x| x / size);
        b[i] /= size;
    }
    for k in 0..N {
        let pivot = (k..N).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..N {
            let multiplier = a[i][k] / a[k][k];
            for j in k..N {
                a[i][j] -= multiplier * a[k][j];
            }
            b[i] -= multiplier * b[k];
        }
    }
    for i in (0..N).rev() {
        let known: f64 = (i + 1..N).map(|j| a[i][j] * b[j]).sum();
        b[i] = (b[i] - known) / a[i][i];
    }
    b
}

/// Returns whether the determinant of a matrix is negative, by Gaussian elimination with pivoting.
fn has_negative_determinant<const N: usize>(mut a: [[f64; N]; N]) -> bool {
    let mut negative = false;
    for k in 0..N {
        let pivot = (k..N).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        negative ^= (pivot != k) ^ (a[k][k] < 0.0);
        for i in k + 1..N {
            let multiplier = a[i][k] / a[k][k];
            for j in k..N {
                a[i][j] -= multiplier * a[k][j];
            }
        }
    }
    negative
}

/// Returns the condition number of `a x = b`: `|a⁻¹| |a| |x|` (Skeel 1979).
///
/// The number is the change of the solution due to rounding of the entries of `a`, in units of
/// rounding, relative to the solution's size.
fn condition<const N: usize>(a: &[[f64; N]; N], x: &[f64; N]) -> f64 {
    let spread = a.map(|row| row.iter().zip(x).map(|(a, x)| (a * x).abs()).sum::<f64>());
    let mut moved = [0.0; N];
    for (j, spread) in spread.into_iter().enumerate() {
        let column = dense(*a, std::array::from_fn(|i| f64::from(u8::from(i == j))));
        for i in 0..N {
            moved[i] += column[i].abs() * spread;
        }
    }
    size(&moved) / size(x)
}

/// Compares solutions at states near the initial one, for small and large step sizes.
///
/// With a small step size little of the Jacobian is left, and with a large one most. If mass is
/// conserved and the step is large, the equations are ill-conditioned: rounding then limits the
/// digits of every solution.
fn check<S: System<N, P>, const N: usize, const P: usize>(
    system: S,
    u0: [f64; N],
    p: [f64; P],
    (begin, end): (f64, f64),
    shares: &[f64],
) {
    let mut random = Random(1);
    let scatter = 1e-3 * size(&u0);
    let (mut largest, mut good) = (0.0_f64, 0);
    for share in shares {
        for _ in 0..20 {
            let u = u0.map(|x| (x + scatter) * random.uniform(0.5, 1.5));
            let t = random.uniform(begin, end);
            let f = system.rhs(&u, &p, t);
            let mut w = system.jacobian(&u, &p, t).map(|row| row.map(|x| -x));
            let scale = share * w.iter().map(size).fold(0.0, f64::max);
            let factors = system.factor(&u, &p, t, scale);
            let x = system.solve(&factors, &f);
            for (i, row) in w.iter_mut().enumerate() {
                row[i] += scale;
            }
            let (expected, negative) = (dense(w, f), has_negative_determinant(w));
            // Determinants whose sign rounding may change are not compared.
            if 1e-12 * condition(&w, &expected) < 1e-3 {
                assert_eq!(
                    system.negative(&factors),
                    negative,
                    "{}, step {share}",
                    system.info().name
                );
            }
            let difference: [f64; N] = std::array::from_fn(|d| x[d] - expected[d]);
            let error = size(&difference) / size(&expected);
            let rounding = 10.0 * f64::EPSILON * condition(&w, &expected);
            assert!(error < rounding.max(1e-10), "{}: {error:e}, {rounding:e}", system.info().name);
            if rounding < 1e-10 {
                (largest, good) = (largest.max(error), good + 1);
            }
        }
    }
    assert!(good >= 40 && largest < 1e-10, "{}: {largest:e} in {good}", system.info().name);
    let numbers = Report::of(&system).factor_nonzeros;
    let most = nonzeros(N, system.info().jacobian_pattern);
    eprintln!("{}: {largest:.1e} in {good}, {numbers} of {most}", system.info().name);
    assert!(numbers <= most, "{}: {numbers}", system.info().name);
}

/// Counts the nonzeros of the factors of a matrix with this pattern and a full diagonal.
///
/// The order of elimination is Markowitz's (1957).
fn nonzeros(n: usize, pattern: &[(usize, usize)]) -> usize {
    let mut nonzero = vec![vec![false; n]; n];
    let diagonal = (0..n).map(|k| (k, k));
    diagonal.chain(pattern.iter().copied()).for_each(|(i, j)| nonzero[i][j] = true);
    let mut left: Vec<usize> = (0..n).collect();
    let mut count = 0;
    while !left.is_empty() {
        let row = |k: usize| left.iter().filter(|&&j| nonzero[k][j]).count();
        let column = |k: usize| left.iter().filter(|&&i| nonzero[i][k]).count();
        let cost = |k: usize| (row(k) - 1) * (column(k) - 1);
        let at = (0..left.len()).min_by_key(|&at| cost(left[at])).unwrap();
        count += row(left[at]) + column(left[at]) - 1;
        let pivot = left.swap_remove(at);
        for &i in &left {
            for &j in &left {
                nonzero[i][j] |= nonzero[i][pivot] && nonzero[pivot][j];
            }
        }
    }
    count
}

/// Step sizes as `1/(γ h)` relative to the Jacobian.
///
/// If the system is not stiff, a method takes no larger steps than these.
const NONSTIFF: &[f64] = &[1e-2, 1.3, 1e2, 1e4];
const STIFF: &[f64] = &[1e-6, 1e-4, 1e-2, 1.3, 1e2, 1e4];

/// Each state moves all others: thousands of operations.
#[odes::ode_system]
fn crowd(du: &mut [f64; 30], u: &[f64; 30]) {
    let mut sum = 0.0;
    for x in u {
        sum += x * x;
    }
    for i in 0..30 {
        du[i] = (1.0 + i as f64) * u[i] - sum * u[(7 * i) % 30];
    }
}

#[test]
fn many_operations() {
    check(crowd, std::array::from_fn(|i| 1.0 + i as f64 / 30.0), [], (0.0, 1.0), NONSTIFF);
}

macro_rules! models {
    ($($name:ident $shares:ident,)*) => { $(
        #[test]
        fn $name() {
            use odes_models::$name::{P, SPAN, U0, $name};
            check($name, U0, P, SPAN, $shares);
        }
    )* };
}

models! {
    arenstorf NONSTIFF,
    brusselator NONSTIFF,
    charged_particle NONSTIFF,
    diffusive_brusselator STIFF,
    double_pendulum NONSTIFF,
    duffing NONSTIFF,
    e5 STIFF,
    fitzhugh_nagumo NONSTIFF,
    goodwin STIFF,
    h2o2 STIFF,
    hires STIFF,
    hodgkin_huxley STIFF,
    keller_miksis NONSTIFF,
    kuramoto NONSTIFF,
    lorenz NONSTIFF,
    lorenz96 NONSTIFF,
    lotka_volterra NONSTIFF,
    measles NONSTIFF,
    morris_lecar NONSTIFF,
    neural_ode NONSTIFF,
    oregonator STIFF,
    phenytoin NONSTIFF,
    pleiades NONSTIFF,
    pollution STIFF,
    repressilator STIFF,
    robertson STIFF,
    rossler NONSTIFF,
    satellite NONSTIFF,
    sir NONSTIFF,
    stiff_van_der_pol STIFF,
    stirred_tank STIFF,
    stratosphere STIFF,
    van_der_pol NONSTIFF,
}
