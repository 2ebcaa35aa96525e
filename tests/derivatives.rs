//! The functions of a compiled system against what does not share code with them: the plain
//! function compiled by rustc, and differentiation of the emitted right-hand side by dual numbers.

#[path = "support/dual.rs"]
mod dual;
#[path = "support/random.rs"]
mod random;
mod systems;

use dual::Dual;
use odes::__private::System;
use random::Random;

/// Points that each property is tested at.
const POINTS: usize = 200;

/// What derivatives are taken by.
#[derive(Clone, Copy)]
enum Direction {
    State(usize),
    Parameter(usize),
    Time,
}

/// The derivative of the right-hand side of `S` in a direction, by dual numbers.
fn differentiate<S: System<N, P>, const N: usize, const P: usize>(
    (u, p, t): &([f64; N], [f64; P], f64),
    direction: Direction,
) -> [f64; N] {
    let constant = |value| Dual { value, slope: 0.0 };
    let (mut u, mut p, mut t) = (u.map(constant), p.map(constant), constant(*t));
    match direction {
        Direction::State(i) => u[i].slope = 1.0,
        Direction::Parameter(i) => p[i].slope = 1.0,
        Direction::Time => t.slope = 1.0,
    }
    S::rhs(&u, &p, t).map(|derivative| derivative.slope)
}

/// Whether `a` is `b` to 1e-12, relative to `scale`.
fn close(a: f64, b: f64, scale: f64) -> bool {
    (a - b).abs() <= 1e-12 * scale
}

struct Case<const N: usize, const P: usize> {
    u: [f64; N],
    p: [f64; P],
    /// Points are these numbers times random factors in this range.
    factors: (f64, f64),
    call: fn(&mut [f64; N], &[f64; N], &[f64; P], f64),
    /// Whether the plain function uses `+ - * / sqrt` and comparisons only, which rustc and the
    /// lane program round alike.
    exact: bool,
}

impl<const N: usize, const P: usize> Case<N, P> {
    fn points(&self) -> impl Iterator<Item = ([f64; N], [f64; P], f64)> {
        let mut random = Random(1);
        (0..POINTS).map(move |_| {
            let mut near = |value| value * random.uniform(self.factors.0, self.factors.1);
            let (u, p) = (self.u.map(&mut near), self.p.map(&mut near));
            (u, p, random.uniform(0.0, 15.0))
        })
    }

    fn check<S: System<N, P>, Plain: System<N, P>>(&self, _: S, _: Plain) {
        self.values::<S, Plain>();
        self.jacobian::<S>();
        self.parameter_jacobian::<S>();
        self.time_gradient::<S>();
        assert_eq!(S::JACOBIAN_PATTERN, Plain::JACOBIAN_PATTERN);
        assert_eq!(S::PARAMETER_PATTERN, Plain::PARAMETER_PATTERN);
    }

    fn values<S: System<N, P>, Plain: System<N, P>>(&self) {
        for (u, p, t) in self.points() {
            let mut expected = [f64::NAN; N];
            (self.call)(&mut expected, &u, &p, t);
            let fused = S::rhs(&u, &p, t);
            let plain = Plain::rhs(&u, &p, t);
            // Terms may cancel within a component; none is larger than the largest component by
            // more than a small factor.
            let scale = expected.iter().fold(0.0_f64, |scale, value| scale.max(value.abs()));
            for i in 0..N {
                let expected = expected[i];
                assert!(close(fused[i], expected, scale), "[{i}]: {} {expected}", fused[i]);
                if self.exact {
                    assert_eq!(plain[i], expected, "[{i}], not fused");
                } else {
                    assert!(close(plain[i], expected, scale), "[{i}]: {} {expected}", plain[i]);
                }
            }
        }
    }

    /// Compares `computed`, rows by columns, with dual numbers, and `pattern` with where these
    /// are nonzero at some point.
    fn matrix<S: System<N, P>, const C: usize>(
        &self,
        pattern: &[(usize, usize)],
        direction: impl Fn(usize) -> Direction,
        computed: impl Fn(&[f64; N], &[f64; P], f64) -> [[f64; C]; N],
    ) {
        let mut nonzero = [[false; C]; N];
        for point in self.points() {
            let matrix = computed(&point.0, &point.1, point.2);
            let columns: [[f64; N]; C] =
                std::array::from_fn(|column| differentiate::<S, N, P>(&point, direction(column)));
            for row in 0..N {
                // The terms of an entry may cancel: a few roundings of the largest in its row.
                let largest =
                    columns.iter().fold(0.0_f64, |most, column| most.max(column[row].abs()));
                for column in 0..C {
                    let (computed, expected) = (matrix[row][column], columns[column][row]);
                    assert!(
                        (computed - expected).abs() <= 1e-12 * expected.abs() + 2e-15 * largest,
                        "[{row}][{column}]: {computed} instead of {expected} at {point:?}"
                    );
                    nonzero[row][column] |= expected != 0.0;
                }
            }
        }
        let found: Vec<(usize, usize)> = (0..N)
            .flat_map(|row| (0..C).map(move |column| (row, column)))
            .filter(|&(row, column)| nonzero[row][column])
            .collect();
        assert_eq!(pattern, found);
    }

    fn jacobian<S: System<N, P>>(&self) {
        self.matrix::<S, N>(S::JACOBIAN_PATTERN, Direction::State, S::jacobian);
    }

    fn parameter_jacobian<S: System<N, P>>(&self) {
        self.matrix::<S, P>(S::PARAMETER_PATTERN, Direction::Parameter, S::parameter_jacobian);
    }

    fn time_gradient<S: System<N, P>>(&self) {
        let pattern: Vec<_> = S::TIME_PATTERN.iter().map(|&row| (row, 0)).collect();
        self.matrix::<S, 1>(
            &pattern,
            |_| Direction::Time,
            |u, p, t| S::time_gradient(u, p, t).map(|derivative| [derivative]),
        );
    }
}

/// Most models are meant for one sign of each quantity, and some functions need it.
const SAME_SIGN: (f64, f64) = (0.5, 1.5);
/// Reaches all branches.
const ANY_SIGN: (f64, f64) = (-1.5, 1.5);

/// One test for each system.
macro_rules! tests {
    ($($(#[$exact:ident])? $name:ident $factors:expr,)*) => {
        $(#[test]
        fn $name() {
            use systems::$name::{P, U, $name, plain};
            let exact = false $(|| stringify!($exact) == "exact")?;
            Case { u: U, p: P, factors: $factors, call: $name::call, exact }.check($name, plain::$name);
        })*
    };
}

tests! {
    #[exact] arenstorf SAME_SIGN,
    #[exact] brusselator SAME_SIGN,
    constructs ANY_SIGN,
    #[exact] control ANY_SIGN,
    #[exact] corners ANY_SIGN,
    fitzhugh_nagumo SAME_SIGN,
    forced_oscillator SAME_SIGN,
    functions SAME_SIGN,
    #[exact] helpers ANY_SIGN,
    #[exact] hires SAME_SIGN,
    #[exact] iteration ANY_SIGN,
    #[exact] lorenz SAME_SIGN,
    #[exact] lorenz96 SAME_SIGN,
    morris_lecar SAME_SIGN,
    network SAME_SIGN,
    #[exact] oregonator SAME_SIGN,
    pendulum SAME_SIGN,
    #[exact] pleiades SAME_SIGN,
    #[exact] pollution SAME_SIGN,
    #[exact] remainders ANY_SIGN,
    #[exact] robertson SAME_SIGN,
    #[exact] tuples ANY_SIGN,
    #[exact] van_der_pol SAME_SIGN,
}

/// The form that returns the derivatives, and `f32` in the signature.
#[test]
fn returning() {
    use systems::returning::{P, U, returning};
    let case = Case {
        u: U,
        p: P,
        factors: SAME_SIGN,
        call: |du, u, p, t| {
            let in_f32 = returning::call(&u.map(|x| x as f32), &p.map(|x| x as f32), t as f32);
            *du = in_f32.map(f64::from);
        },
        exact: false,
    };
    case.jacobian::<returning>();
    case.parameter_jacobian::<returning>();
    case.time_gradient::<returning>();
    for (u, p, t) in case.points() {
        let mut expected = [0.0; 2];
        (case.call)(&mut expected, &u, &p, t);
        // The plain function computes in f32; the system in the precision it is asked for.
        let computed = returning::rhs(&u, &p, t);
        let scale = expected[0].abs().max(expected[1].abs()).max(1.0);
        for i in 0..2 {
            assert!((computed[i] - expected[i]).abs() < 1e-5 * scale);
        }
    }
}

#[test]
fn returning_a_function_of_the_index() {
    use systems::returning::ring;
    for i in 0..8 {
        let u = [1.0, -2.0, 0.5, 4.0].map(|x| x * f64::from(i));
        let p = [0.5, 0.25, -1.0, 2.0];
        let in_f32 = ring::call(&u.map(|x| x as f32), &p.map(|x| x as f32), i as f32);
        // Small numbers: exact in both precisions.
        assert_eq!(ring::rhs(&u, &p, f64::from(i)), in_f32.map(f64::from));
    }
}

#[test]
fn names_come_from_destructuring() {
    use systems::{constructs::constructs, hires::hires, lorenz::lorenz, van_der_pol::van_der_pol};
    assert_eq!(lorenz::NAME, "lorenz");
    assert_eq!(lorenz::STATES, ["x", "y", "z"]);
    assert_eq!(lorenz::PARAMETERS, ["sigma", "rho", "beta"]);
    assert_eq!(van_der_pol::PARAMETERS, ["p0"]);
    assert_eq!(hires::STATES, ["u0", "u1", "u2", "u3", "u4", "u5", "u6", "u7"]);
    assert_eq!(constructs::PARAMETERS, ["p0", "p1", "p2", "p3"]);
}

/// A system is what Rust's derives make of a unit struct.
#[test]
fn a_system_is_a_plain_value() {
    use systems::lorenz::lorenz;
    let copy = lorenz;
    let default: lorenz = Default::default();
    assert_eq!((copy, lorenz), (default, Clone::clone(&lorenz)));
    assert_eq!(format!("{lorenz:?}"), "lorenz");
}

/// The constants of the user's are in the device text by value.
#[test]
fn device_text_holds_constants_by_value() {
    let text = systems::morris_lecar::morris_lecar::device_source();
    for (name, value) in [("LEAK_POTENTIAL", "-6e1"), ("CALCIUM", "1.2e2"), ("POTASSIUM", "-8.4e1")]
    {
        let member = format!("_{name} = {value};");
        assert!(text.contains(&member), "{member} is not in\n{text}");
    }
    assert!(text.starts_with("struct System {\n    static constexpr double constant0_"));
}
