//! Mass matrices and domains of systems that are modules.
//!
//! The tests compare the generated code with the matrices and functions as rustc compiled them, and
//! the C++ with the Rust code.

use crate::conserved::robertson;
use crate::cpp::HostCpp;
use crate::random::Random;
use odes::prelude::*;
use odes::system::{Domain, LinearEquations, MassMatrix, System};
use odes_skipped::needs;

/// A constant of another module.
const INERTIA: f64 = 2.5;

/// Entries off the diagonal, some of them constants, and an algebraic equation without its own
/// unknown.
///
/// That unknown has a derivative in another equation.
#[ode_system]
mod coupled {
    use super::INERTIA;

    const N: usize = 4;
    const HALF: f64 = 0.5;

    pub(crate) struct State {
        pub(crate) x: [f64; 2],
        pub(crate) force: f64,
        pub(crate) speed: f64,
    }

    #[mass_matrix]
    pub(crate) const MASS: [[f64; N]; N] = [
        [2.0, -HALF, 0.0, 0.0],
        [0.0, INERTIA, HALF * HALF, 0.0],
        [0.0; N],
        [0.0, 0.0, 1.0 / 3.0, -1.0],
    ];

    pub(crate) fn rhs(u: &State, p: &[f64; 1], t: f64) -> State {
        State {
            x: [u.speed * u.force - u.x[0], u.x[0] * u.x[1] + u.speed.sin()],
            force: u.x[1].powi(2) + p[0] * u.speed - t,
            speed: u.force - u.x[0],
        }
    }

    /// A system whose entries depend on the parameters and the time.
    pub(crate) fn is_out_of_domain(u: &State, p: &[f64; 1], t: f64) -> bool {
        let Limits { low, high } = limits(p[0]);
        !(u.x[0] >= low && (u.speed <= high || t < 1.0))
    }

    struct Limits {
        low: f64,
        high: f64,
    }

    fn limits(p: f64) -> Limits {
        Limits { low: -p, high: p * p }
    }
}

/// Too large for straight-line code; the first equation is algebraic and lacks its own unknown.
#[ode_system]
mod large {
    const N: usize = 60;

    #[mass_matrix]
    pub(crate) const M: [[f64; N]; N] = matrix([[0.0; N]; N]);

    const fn matrix<const N: usize>(mut m: [[f64; N]; N]) -> [[f64; N]; N] {
        let mut i = 1;
        while i < N {
            m[i][i] = 1.0 + i as f64;
            m[i][(7 * i) % N] = 0.5;
            i += 1;
        }
        m
    }

    pub(crate) fn rhs(u: &[f64; N], p: &[f64; 1]) -> [f64; N] {
        let mut total = 0.0;
        for x in u {
            total += x;
        }
        let mut du = [0.0; N];
        for i in 1..N {
            du[0] += u[i] * u[i];
            du[i] = total * u[i] - p[0] * u[0] / (1.0 + i as f64);
        }
        du
    }
}

/// The identity, which is equivalent to no mass matrix.
#[ode_system]
mod identity {
    #[mass_matrix]
    const M: [[f32; 2]; 2] = [[1.0, 0.0], [0.0, 1.0]];

    fn rhs(u: &[f32; 2]) -> [f32; 2] {
        [u[1], -u[0]]
    }

    fn is_out_of_domain(_u: &[f32; 2]) -> bool {
        false
    }
}

/// Returns the diagonal matrix with these entries.
fn diagonal<const N: usize>(m: &[f64; N]) -> [[f64; N]; N] {
    std::array::from_fn(|i| std::array::from_fn(|j| if i == j { m[i] } else { 0.0 }))
}

fn product<const N: usize>(m: &[[f64; N]; N], v: &[f64; N]) -> [f64; N] {
    m.map(|row| row.iter().zip(v).map(|(m, v)| m * v).sum())
}

fn assert_close(computed: &[f64], expected: &[f64], what: &str) {
    let size = expected.iter().fold(1e-300_f64, |size, x| size.max(x.abs()));
    for (a, b) in computed.iter().zip(expected) {
        assert!((a - b).abs() < 1e-9 * size, "{what}: {computed:?} {expected:?}");
    }
}

/// Checks that `mass` is `M v`, and that the `x` of `solve` satisfies `(s M - J) x = b`.
fn check<S: System<N, P>, const N: usize, const P: usize>(
    system: S,
    m: &[[f64; N]; N],
    p: [f64; P],
) {
    const { assert!(S::MASS) };
    let zero_rows = m.iter().filter(|row| row.iter().all(|x| *x == 0.0)).count();
    assert_eq!(S::ALGEBRAIC, zero_rows);
    let mut random = Random(7);
    for scale in [1e-3, 0.7, 30.0, 1e5] {
        let u: [f64; N] = std::array::from_fn(|_| random.uniform(0.2, 1.4));
        let t = random.uniform(0.0, 3.0);
        let v: [f64; N] = std::array::from_fn(|_| random.uniform(-1.0, 1.0));
        assert_close(&system.mass(&v), &product(m, &v), "M v");

        let x = system.solve(&system.factor(&u, &p, t, scale), &v);
        let (mx, jx) = (product(m, &x), product(&system.jacobian(&u, &p, t), &x));
        let back: [f64; N] = std::array::from_fn(|i| scale * mx[i] - jx[i]);
        assert_close(&back, &v, "W x");

        let (a, b) = (u, v);
        let rows = system.algebraic_rows(&a, &b);
        for i in 0..N {
            let zero = m[i].iter().all(|x| *x == 0.0);
            assert_eq!(rows[i], if zero { a[i] } else { b[i] });
        }
        let zero: [bool; N] = std::array::from_fn(|j| m.iter().all(|row| row[j] == 0.0));
        let apart = zero.iter().filter(|zero| **zero).count() == zero_rows;
        let columns = system.algebraic_columns(&a, &b);
        for j in 0..N {
            assert_eq!(columns[j], if zero[j] || !apart { a[j] } else { b[j] });
        }
    }
}

const RATES: [f64; 3] = [0.04, 3e7, 1e4];

#[test]
fn matrices_are_those_that_were_written() {
    check(robertson, &diagonal(&robertson::M), RATES);
    check(coupled, &coupled::MASS, [0.8]);
}

#[test]
fn large_systems_have_mass_matrices() {
    assert!(matches!(large::report().linear, LinearEquations::Loops { .. }));
    check(large, &large::M, [0.3]);
}

#[test]
fn the_identity_is_no_mass_matrix() {
    use identity::Model;
    const { assert!(!<Model as MassMatrix<2>>::MASS && !<Model as Domain<2, 0>>::HAS_DOMAIN) };
    assert_eq!(<Model as MassMatrix<2>>::ALGEBRAIC, 0);
    assert_eq!(Model.mass(&[3.0, 5.0]), [3.0, 5.0]);
    assert_eq!(Model.algebraic_rows(&[1.0; 2], &[3.0, 5.0]), [3.0, 5.0]);
}

#[test]
fn domains_are_those_that_were_written() {
    let mut random = Random(11);
    let mut outside = [0; 2];
    for _ in 0..200 {
        let u: [f64; 3] = std::array::from_fn(|_| random.uniform(-0.2, 1.0));
        let expected = robertson::is_out_of_domain(&u);
        assert_eq!(robertson.out_of_domain(&u, &RATES, 0.0), expected, "{u:?}");
        outside[0] += u32::from(expected);

        let u: [f64; 4] = std::array::from_fn(|_| random.uniform(-1.5, 1.5));
        let t = random.uniform(0.0, 2.0);
        let expected = coupled::is_out_of_domain(&u.into(), &[0.8], t);
        assert_eq!(coupled.out_of_domain(&u, &[0.8], t), expected, "{u:?} {t}");
        outside[1] += u32::from(expected);
    }
    assert!(outside.iter().all(|count| (20..180).contains(count)), "{outside:?}");
}

#[test]
fn reports_tell() {
    let text = robertson::report().to_string();
    assert!(text.contains("\n  mass matrix: constant, 1 algebraic equation\n"), "{text}");
    assert!(text.contains("\n  steps to states outside the domain are rejected\n"), "{text}");
    let text = identity::report().to_string();
    assert!(text.contains("\n  mass matrix: the identity\n"), "{text}");
    assert!(!text.contains("domain"), "{text}");
}

/// Evaluates all functions that a mass matrix and a domain add.
///
/// The arguments are a state, parameters, a time and a scale.
type Evaluate = unsafe extern "C" fn(*const f64, *const f64, f64, f64, *mut f64);

fn compare<S: System<N, P>, const N: usize, const P: usize>(system: S, cpp: &HostCpp, p: [f64; P]) {
    let prelude = ode_core::kernel::Target::Host.prelude();
    let math = ode_core::math::device_source();
    // Systems name the type of the nodes of their noise.
    let path = ode_core::random::path::DEVICE;
    let linear =
        [path, ode_core::system::linear::tiles::DEVICE, ode_core::system::linear::DEVICE].concat();
    let out_of_domain = if S::HAS_DOMAIN { "System::out_of_domain(x, y, t)" } else { "false" };
    let source = format!(
        r#"{prelude}
        namespace odes {{ {math} {linear} {} }}
        extern "C" void evaluate(const double* u, const double* p, double t, double s, double* out) {{
            using namespace odes;
            static_assert(System::MASS && System::ALGEBRAIC == {} && System::HAS_DOMAIN == {});
            Arr<double, {N}> x;
            Arr<double, {P}> y;
            for (int i = 0; i < {N}; i++) x[i] = u[i];
            for (int i = 0; i < {P}; i++) y[i] = p[i];
            auto f = System::rhs(x, y, t);
            auto a = System::mass(x);
            auto b = System::solve(System::factor(x, y, t, s), f);
            auto c = System::algebraic_rows(x, f);
            auto d = System::algebraic_columns(x, f);
            for (int i = 0; i < {N}; i++) *out++ = a[i];
            for (int i = 0; i < {N}; i++) *out++ = b[i];
            for (int i = 0; i < {N}; i++) *out++ = c[i];
            for (int i = 0; i < {N}; i++) *out++ = d[i];
            *out++ = {out_of_domain} ? 1.0 : 0.0;
        }}
        "#,
        system.device_source().unwrap(),
        S::ALGEBRAIC,
        S::HAS_DOMAIN,
    );
    let library = cpp.compile(&source);
    // SAFETY: the function has this type.
    let evaluate: libloading::Symbol<'_, Evaluate> = unsafe { library.get(b"evaluate") }.unwrap();
    let mut random = Random(3);
    for scale in [0.02, 1.5, 400.0] {
        let u: [f64; N] = std::array::from_fn(|_| random.uniform(-1.0, 1.0));
        let t = random.uniform(0.0, 2.0);
        let f = system.rhs(&u, &p, t);
        let x = system.solve(&system.factor(&u, &p, t, scale), &f);
        let parts =
            [system.mass(&u), x, system.algebraic_rows(&u, &f), system.algebraic_columns(&u, &f)];
        let outside = f64::from(u8::from(system.out_of_domain(&u, &p, t)));
        let expected = [parts.as_flattened(), &[outside]].concat();
        let mut computed = vec![f64::NAN; expected.len()];
        // SAFETY: the pointers are to as many numbers as the function reads and writes.
        unsafe { evaluate(u.as_ptr(), p.as_ptr(), t, scale, computed.as_mut_ptr()) };
        assert_eq!(computed, expected, "{}", system.info().name);
    }
}

#[needs(cpp)]
#[test]
fn the_device_text_computes_the_same() {
    let Some(cpp) = HostCpp::find() else {
        eprintln!("skipped: no C++ compiler (c++, g++ or clang++)");
        return;
    };
    compare(robertson, &cpp, RATES);
    compare(coupled, &cpp, [0.8]);
    compare(large, &cpp, [0.3]);
}
