//! `u' = A u` against known eigenvalues and the exponential of the matrix.

use ode_arrays::{Array, ArrayCpu, ArrayProblem, Linear, Number, Shape};
use ode_core::SolveOptions;
use ode_core::methods::{Rodas4, Rodas5P, Tabulated, Tsit5, Vern7};

/// Numbers between -1 and 1.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// A matrix `H D H` with rotations and decays in `D` and a reflection `H`, and its exponential.
struct Known {
    v: Vec<f64>,
    blocks: Vec<[f64; 2]>,
}

impl Known {
    fn new(n: usize) -> Self {
        let mut noise = noise(n as u64);
        let v: Vec<f64> = (0..n).map(|_| noise()).collect();
        let norm = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let v = v.into_iter().map(|x| x / norm).collect();
        let blocks = (0..n.div_ceil(2)).map(|_| [noise() - 1.0, 3.0 * noise()]).collect();
        Known { v, blocks }
    }

    fn reflect(&self, x: &mut [f64]) {
        let along: f64 = self.v.iter().zip(&*x).map(|(v, x)| v * x).sum();
        for (x, v) in x.iter_mut().zip(&self.v) {
            *x -= 2.0 * along * v;
        }
    }

    /// `H f(D) H x`, where `f` of a block is a scaled rotation.
    fn apply(&self, x: &mut [f64], f: impl Fn([f64; 2]) -> [f64; 2]) {
        self.reflect(x);
        for (x, &block) in x.chunks_mut(2).zip(&self.blocks) {
            match x {
                [x, y] => {
                    let [a, b] = f(block);
                    (*x, *y) = (a * *x - b * *y, b * *x + a * *y);
                }
                [x] => *x *= f([block[0], 0.0])[0],
                _ => unreachable!(),
            }
        }
        self.reflect(x);
    }

    fn matrix(&self) -> Vec<f64> {
        let n = self.v.len();
        let mut columns = vec![0.0; n * n];
        for (i, column) in columns.chunks_mut(n).enumerate() {
            column[i] = 1.0;
            self.apply(column, |block| block);
        }
        columns
    }

    fn exponential(&self, t: f64, x: &mut [f64]) {
        self.apply(x, |[a, b]| [(a * t).exp() * (b * t).cos(), (a * t).exp() * (b * t).sin()]);
    }
}

fn error<T: Number, M: Tabulated>(method: M, n: usize, tolerance: f64) -> f64 {
    let known = Known::new(n);
    let shape = Shape::matrix(n, n);
    let a = known.matrix().into_iter().map(T::narrow).collect();
    let a = Array::of(shape, a).unwrap();
    let mut noise = noise(7);
    let u0: Vec<f64> = (0..n).map(|_| noise()).collect();
    let start: Vec<T> = u0.iter().map(|&u| T::narrow(u)).collect();
    let span = T::narrow(0.0)..=T::narrow(2.0);
    let problem = Linear::problem(a, Array::vector(start), span).unwrap();
    let options = SolveOptions::default().abstol(tolerance).reltol(tolerance);
    let solution = problem.solve(method, ArrayCpu::new(), &options).unwrap();
    assert!(solution.code().is_success());
    let mut exact = u0;
    known.exponential(2.0, &mut exact);
    let ends = solution.final_state().iter().zip(&exact);
    ends.map(|(u, exact)| (u.widen() - exact).abs()).fold(0.0, f64::max)
}

#[test]
fn explicit_methods_give_the_exponential() {
    for n in [1, 2, 3, 100, 301] {
        for tolerance in [1e-6, 1e-10] {
            let tsit5 = error::<f64, _>(Tsit5, n, tolerance);
            assert!(tsit5 < 30.0 * tolerance, "{n} {tolerance} {tsit5}");
            let vern7 = error::<f64, _>(Vern7, n, tolerance);
            assert!(vern7 < 30.0 * tolerance, "{n} {tolerance} {vern7}");
        }
        let single = error::<f32, _>(Tsit5, n, 1e-5);
        assert!(single < 3e-4, "{n} {single}");
    }
}

#[test]
fn rosenbrock_methods_give_the_exponential() {
    for n in [1, 2, 3, 100, 301] {
        for tolerance in [1e-5, 1e-8] {
            let rodas5p = error::<f64, _>(Rodas5P, n, tolerance);
            assert!(rodas5p < 30.0 * tolerance, "{n} {tolerance} {rodas5p}");
        }
        let rodas4 = error::<f64, _>(Rodas4, n, 1e-6);
        assert!(rodas4 < 3e-5, "{n} {rodas4}");
        let single = error::<f32, _>(Rodas5P, n, 1e-4);
        assert!(single < 3e-3, "{n} {single}");
    }
}

/// The same by differences, with a forcing whose derivative by the time is one, too.
#[test]
fn differences_stand_in_for_derivatives() {
    // u' = -1000 (u - cos(t) w), of which little is left but cos(t) w and its lag.
    let n = 20;
    let system = |u: &Array<f64>, p: &[Array<f64>], t: f64, du: &mut Array<f64>| {
        du.product(-1000.0, &p[0], u)?;
        du.add(1000.0 * t.cos(), &[(1.0, &p[1])])
    };
    let w: Vec<f64> = (0..n).map(|i| 1.0 + f64::from(i)).collect();
    let identity = Array::matrix(20, 20, |row, column| f64::from(row == column));
    let p = [identity, Array::vector(w.clone())];
    let problem = ArrayProblem::new(system, Array::vector(w.clone()), 0.0..=3.0, p);
    let options = SolveOptions::default().tolerance(1e-7);
    let solution = problem.solve(Rodas5P, ArrayCpu::new(), &options).unwrap();
    assert!(solution.code().is_success());
    assert!(solution.counts().accepted < 200, "{:?}", solution.counts());
    let (t, k) = (3.0f64, 1000.0f64);
    let exact = (k * k * t.cos() + k * t.sin()) / (k * k + 1.0);
    for (u, w) in solution.final_state().iter().zip(&w) {
        assert!((u / w - exact).abs() < 1e-6, "{u} {w} {exact}");
    }
}

/// The exponential by scaling and squaring, of a matrix that is not normal.
#[test]
fn a_matrix_of_columns_gives_the_exponential_of_all() {
    let n = 12;
    let mut noise = noise(3);
    let a: Vec<f64> = (0..n * n).map(|_| noise()).collect();
    let product = |x: &[f64], y: &[f64]| -> Vec<f64> {
        let sum = |i: usize, j: usize| (0..n).map(|k| x[k * n + i] * y[j * n + k]).sum();
        (0..n * n).map(|at| sum(at % n, at / n)).collect()
    };
    let identity: Vec<f64> = (0..n * n).map(|at| f64::from(at % n == at / n)).collect();
    let scaled: Vec<f64> = a.iter().map(|a| a / 1024.0).collect();
    let (mut power, mut exp) = (identity.clone(), identity.clone());
    for k in 1..12 {
        power = product(&power, &scaled).iter().map(|x| x / f64::from(k)).collect();
        exp.iter_mut().zip(&power).for_each(|(sum, x)| *sum += x);
    }
    for _ in 0..10 {
        exp = product(&exp, &exp);
    }
    let shape = Shape::matrix(n, n);
    let [a, u0] = [a, identity].map(|numbers| Array::of(shape, numbers).unwrap());
    let problem = Linear::problem(a, u0, 0.0..=1.0).unwrap();
    let options = SolveOptions::default().tolerance(1e-11);
    let solution = problem.solve(Vern7, ArrayCpu::new(), &options).unwrap();
    for (u, exact) in solution.final_state().iter().zip(&exp) {
        assert!((u - exact).abs() < 1e-8, "{u} {exact}");
    }
}

#[test]
fn bits_do_not_depend_on_the_number_of_threads() {
    let n = 700;
    let known = Known::new(n);
    let a = Array::of(Shape::matrix(n, n), known.matrix()).unwrap();
    for columns in [1, 3, 150] {
        let u0 = Array::matrix(n, columns, |row, column| ((row * 7 + column) as f64).sin());
        let problem = Linear::problem(a.clone(), u0, 0.0..=0.1).unwrap();
        let options = SolveOptions::default().saveat(0.03);
        let of = |threads| {
            let place = ArrayCpu::new().threads(threads);
            let solution = problem.solve(Tsit5, place, &options).unwrap();
            (solution.states().to_vec(), solution.final_state().to_vec(), solution.counts())
        };
        let one = of(1);
        assert!([2, 3, 7].into_iter().all(|threads| of(threads) == one), "{columns}");
    }
    let u0 = Array::matrix(n, 1, |row, _| ((row * 7) as f64).sin());
    let problem = Linear::problem(a, u0, 0.0..=0.1).unwrap();
    let of = |threads| {
        let place = ArrayCpu::new().threads(threads);
        problem.solve(Rodas4, place, &SolveOptions::default()).unwrap().final_state().to_vec()
    };
    let one = of(1);
    assert!([2, 3, 7].into_iter().all(|threads| of(threads) == one));
}

/// Products of a matrix and a vector of several sizes, added and in batches, against sums in `f64`.
#[test]
fn products_with_a_vector_have_the_sums_of_plain_loops() {
    let mut noise = noise(5);
    for (rows, columns, batch) in [
        (1, 1, 1),
        (1, 1000, 1),
        (63, 3, 1),
        (64, 4, 1),
        (65, 63, 1),
        (130, 64, 2),
        (3, 65, 40),
        (1000, 129, 1),
        (257, 1030, 1),
    ] {
        let mut array = |shape: Shape| {
            let numbers = (0..shape.len()).map(|_| noise() as f32).collect();
            Array::of(shape, numbers).unwrap()
        };
        let a = array(Shape { rows, columns, batch });
        let x = array(Shape { rows: columns, columns: 1, batch });
        let before = array(Shape { rows, columns: 1, batch });
        let mut replaced = before.clone();
        replaced.product(-0.5, &a, &x).unwrap();
        let mut added = before.clone();
        added.add_product(3.0, &a, &x).unwrap();
        let [a, x, before, replaced, added] =
            [&a, &x, &before, &replaced, &added].map(|array| array.to_vec().unwrap());
        for i in 0..rows * batch {
            let (of, row) = (i / rows, i % rows);
            let term = |j: usize| {
                let factors = [a[(of * columns + j) * rows + row], x[of * columns + j]];
                f64::from(factors[0]) * f64::from(factors[1])
            };
            let sum: f64 = (0..columns).map(term).sum();
            let size: f64 = (0..columns).map(|j| term(j).abs()).sum();
            let errors = [
                f64::from(replaced[i]) + 0.5 * sum,
                f64::from(added[i]) - (f64::from(before[i]) + 3.0 * sum),
            ];
            let tolerance = 4e-7 * (size + f64::from(before[i]).abs()) + 1e-7;
            assert!(
                errors.iter().all(|e| e.abs() < 3.0 * tolerance),
                "{rows} {columns} {errors:?}"
            );
        }
    }
}

/// In one sum of `f32` they would be wrong in the fourth digit.
#[test]
fn long_products_with_a_vector_keep_their_digits() {
    let n = 100_000;
    let a = Array::matrix(1, n, |_, _| 0.1f32);
    let mut y = Array::vector([0.0f32]);
    y.product(1.0, &a, &Array::vector(vec![1.0f32; n])).unwrap();
    let exact = n as f64 * f64::from(0.1f32);
    let error = (f64::from(y.to_vec().unwrap()[0]) - exact).abs() / exact;
    assert!(error < 3e-6, "{error}");
}

/// Rounding errors of products are no errors of steps: `f32` takes about as many as `f64`.
#[test]
fn single_precision_needs_as_many_steps_as_double() {
    fn steps<T: Number>(n: usize) -> u32 {
        let mut noise = noise(1);
        // Numbers of variance 1, so that eigenvalues are in the circle of radius 1 around -1.
        let scale = (3.0 / n as f64).sqrt();
        let a = Array::matrix(n, n, |row, column| {
            T::narrow(scale * noise() - f64::from(row == column))
        });
        let u0 = Array::matrix(n, 1, |row, _| T::narrow((row as f64).sin()));
        let problem = Linear::problem(a, u0, T::narrow(0.0)..=T::narrow(10.0)).unwrap();
        let options = SolveOptions::default().tolerance(1e-6);
        let counts = problem.solve(Tsit5, ArrayCpu::new(), &options).unwrap().counts();
        counts.accepted + counts.rejected
    }
    let (single, double) = (steps::<f32>(700), steps::<f64>(700));
    assert!(4 * single < 5 * double, "{single} and {double} steps");
}
