//! The functions of a compiled system against computations that share no code with them.
//!
//! These are the plain function compiled by rustc, differentiation of the emitted right-hand side
//! by dual numbers, and the models' right-hand sides in Python.

use crate::dual::Dual;
use crate::plain::Plain;
use crate::random::Random;
use crate::systems;
use odes::system::{Linearised, Rhs, System};

/// The number of points at which each property is tested.
const POINTS: usize = 200;

/// The variable of a derivative.
#[derive(Clone, Copy)]
enum Direction {
    State(usize),
    Parameter(usize),
    Time,
}

/// Computes the derivative of the right-hand side of `S` in a direction, by dual numbers.
fn differentiate<S: System<N, P>, const N: usize, const P: usize>(
    system: S,
    (u, p, t): &([f64; N], [f64; P], f64),
    direction: Direction,
) -> [f64; N] {
    let (mut u, mut p) = (u.map(Dual::constant), p.map(Dual::constant));
    let mut t = Dual::constant(*t);
    match direction {
        Direction::State(i) => u[i].slope = 1.0,
        Direction::Parameter(i) => p[i].slope = 1.0,
        Direction::Time => t.slope = 1.0,
    }
    system.rhs(&u, &p, t).map(|derivative| derivative.slope)
}

/// Returns whether `a` equals `b` to 1e-12, relative to `scale`.
fn close(a: f64, b: f64, scale: f64) -> bool {
    (a - b).abs() <= 1e-12 * scale
}

/// A right-hand side in numbers of 64 bits.
type Function<const N: usize, const P: usize> = fn(&[f64; N], &[f64; P], f64) -> [f64; N];

struct Case<const N: usize, const P: usize> {
    u: [f64; N],
    p: [f64; P],
    /// The range of the random factors between these numbers and the points.
    factors: (f64, f64),
    /// The range of the random times.
    span: (f64, f64),
    /// The plain function.
    call: Function<N, P>,
    /// The compiled function, without fusing.
    unfused: Function<N, P>,
    /// Whether the two functions agree to the last bit.
    ///
    /// They do if rustc and the lane program call the same elementary functions.
    exact: bool,
}

impl<const N: usize, const P: usize> Case<N, P> {
    fn points(&self) -> impl Iterator<Item = ([f64; N], [f64; P], f64)> {
        let mut random = Random(1);
        (0..POINTS).map(move |_| {
            let mut near = |value| value * random.uniform(self.factors.0, self.factors.1);
            let (u, p) = (self.u.map(&mut near), self.p.map(&mut near));
            (u, p, random.uniform(self.span.0, self.span.1))
        })
    }

    fn check<S: System<N, P>>(&self, system: S) {
        self.values(system);
        self.jacobian(system);
        self.parameter_jacobian(system);
        self.time_gradient(system);
    }

    fn values<S: System<N, P>>(&self, system: S) {
        for (u, p, t) in self.points() {
            let expected = (self.call)(&u, &p, t);
            let fused = system.rhs(&u, &p, t);
            let unfused = (self.unfused)(&u, &p, t);
            // Terms may cancel within a component; none is larger than the largest component by
            // more than a small factor.
            let scale = expected.iter().fold(0.0_f64, |scale, value| scale.max(value.abs()));
            for i in 0..N {
                let expected = expected[i];
                assert!(close(fused[i], expected, scale), "[{i}]: {} {expected}", fused[i]);
                if self.exact {
                    assert_eq!(unfused[i], expected, "[{i}], not fused");
                } else {
                    assert!(close(unfused[i], expected, scale), "[{i}]: {} {expected}", unfused[i]);
                }
            }
        }
    }

    /// Compares `computed`, rows by columns, with dual numbers, and `pattern` with their nonzeros.
    ///
    /// An entry belongs to the pattern if it is nonzero at some point. Each entry has to be right
    /// to 1e-12 of its largest value over the points. At nine points of ten it has to be right to
    /// 1e-12 of its value there; at other points its terms may cancel.
    fn matrix<S: System<N, P>, const C: usize>(
        &self,
        system: S,
        pattern: &[(usize, usize)],
        direction: impl Fn(usize) -> Direction,
        computed: impl Fn(&[f64; N], &[f64; P], f64) -> [[f64; C]; N],
    ) {
        let mut entries = vec![vec![Vec::new(); C]; N];
        for point in self.points() {
            let matrix = computed(&point.0, &point.1, point.2);
            for column in 0..C {
                let expected = differentiate::<S, N, P>(system, &point, direction(column));
                for row in 0..N {
                    entries[row][column].push((matrix[row][column], expected[row]));
                }
            }
        }
        let mut found = Vec::new();
        for (row, column) in (0..N).flat_map(|row| (0..C).map(move |column| (row, column))) {
            let values = &entries[row][column];
            let largest =
                values.iter().fold(0.0_f64, |most, (_, expected)| most.max(expected.abs()));
            if largest != 0.0 {
                found.push((row, column));
            }
            for (computed, expected) in values {
                assert!(
                    close(*computed, *expected, largest),
                    "[{row}][{column}]: {computed} instead of {expected}, at most {largest}"
                );
            }
            let off = values.iter().filter(|(a, b)| !close(*a, *b, b.abs())).count();
            assert!(off <= POINTS / 10, "[{row}][{column}]: wrong digits at {off} points");
        }
        assert_eq!(pattern, found);
    }

    fn jacobian<S: System<N, P>>(&self, system: S) {
        self.matrix::<S, N>(system, system.info().jacobian_pattern, Direction::State, |u, p, t| {
            system.jacobian(u, p, t)
        });
    }

    fn parameter_jacobian<S: System<N, P>>(&self, system: S) {
        self.matrix::<S, P>(
            system,
            system.info().parameter_pattern,
            Direction::Parameter,
            |u, p, t| system.parameter_jacobian(u, p, t),
        );
    }

    fn time_gradient<S: System<N, P>>(&self, system: S) {
        let pattern: Vec<_> = system.info().time_pattern.iter().map(|&row| (row, 0)).collect();
        self.matrix::<S, 1>(
            system,
            &pattern,
            |_| Direction::Time,
            |u, p, t| system.time_gradient(u, p, t).map(|derivative| [derivative]),
        );
    }
}

/// Most models are meant for one sign of each quantity, and some functions need it.
const SAME_SIGN: (f64, f64) = (0.5, 1.5);
/// Factors of both signs, so that the points reach all branches.
const ANY_SIGN: (f64, f64) = (-1.5, 1.5);

/// Converts a function that assigns the derivatives into one that returns them.
macro_rules! assigned {
    ($system:ident) => {
        |u, p, t| {
            let mut du = u.map(|_| f64::NAN);
            $system::call(&mut du, u, p, t);
            du
        }
    };
}

/// A function that returns the derivatives.
macro_rules! returned {
    ($system:ident) => {
        |u, p, t| $system::call(u, p, t)
    };
}

/// A function that assigns the derivatives, for a system that is a module.
macro_rules! assigned_fields {
    ($system:ident) => {
        |u, p, _| {
            let mut du = u.map(|_| f64::NAN).into();
            $system::rhs(&mut du, &(*u).into(), &(*p).into());
            du.into()
        }
    };
}

/// A function that returns the derivatives, for a system that is a module, with or without the
/// time.
macro_rules! returned_fields {
    ($system:ident) => {
        |u, p, _| $system::rhs(&(*u).into(), &(*p).into()).into()
    };
    ($system:ident, in time) => {
        |u, p, t| $system::rhs(&(*u).into(), &(*p).into(), t).into()
    };
}

/// One test for each system.
macro_rules! tests {
    ($($(#[$exact:ident])? $name:ident $factors:expr,)*) => {
        $(#[test]
        fn $name() {
            use crate::systems::$name::{P, U, $name, plain};
            Case {
                u: U,
                p: P,
                factors: $factors,
                span: (0.0, 15.0),
                call: assigned!($name),
                unfused: |u, p, t| plain::$name.rhs(u, p, t),
                exact: false $(|| stringify!($exact) == "exact")?,
            }
            .check($name);
            assert_eq!($name.info().jacobian_pattern, plain::$name.info().jacobian_pattern);
            assert_eq!($name.info().parameter_pattern, plain::$name.info().parameter_pattern);
        })*
    };
}

tests! {
    #[exact] constants SAME_SIGN,
    constructs ANY_SIGN,
    #[exact] control ANY_SIGN,
    #[exact] corners ANY_SIGN,
    forced_oscillator SAME_SIGN,
    functions SAME_SIGN,
    #[exact] helpers ANY_SIGN,
    #[exact] iteration ANY_SIGN,
    #[exact] remainders ANY_SIGN,
    #[exact] tables ANY_SIGN,
    #[exact] tuples ANY_SIGN,
}

/// Returns a state near `u0` without zeros.
fn without_zeros<const N: usize>(u0: &[f64; N]) -> [f64; N] {
    let share = u0.iter().fold(0.0_f64, |most, x| most.max(x.abs())) / N as f64;
    std::array::from_fn(|i| u0[i] + 0.15 * share * (i + 1) as f64)
}

/// Compares with the right-hand side in Python, `tools/references.py --rhs`.
fn python<S: System<N, P>, const N: usize, const P: usize>(
    system: S,
    u0: &[f64; N],
    p: &[f64; P],
    (begin, end): (f64, f64),
) {
    let mut lines = include_str!("../support/rhs.txt").lines();
    let line =
        lines.find_map(|line| line.strip_prefix(system.info().name)?.strip_prefix(' ')).unwrap();
    let expected: Vec<f64> = line.split(' ').map(|number| number.parse().unwrap()).collect();
    let computed = system.rhs(&without_zeros(u0), p, begin + 0.3 * (end - begin));
    assert_eq!(expected.len(), N);
    for (i, (computed, expected)) in computed.into_iter().zip(expected).enumerate() {
        assert!(close(computed, expected, expected.abs()), "[{i}]: {computed} {expected}");
    }
}

/// Compares with Cantera's rates, `tools/cantera_rates.py`.
#[test]
fn hydrogen_burns_as_in_cantera() {
    use odes_models::h2o2::h2o2;
    let lines = include_str!("../support/h2o2.txt").lines().skip(1);
    let states = lines.map(|line| {
        let mut numbers = line.split(' ').map(|number| number.parse::<f64>().unwrap());
        let u: [f64; 9] = std::array::from_fn(|_| numbers.next().unwrap());
        let p: [f64; 2] = std::array::from_fn(|_| numbers.next().unwrap());
        (u, p, numbers.collect::<Vec<_>>())
    });
    let mut count = 0;
    for (u, p, expected) in states {
        let computed = h2o2.rhs(&u, &p, 0.0);
        assert_eq!(expected.len(), computed.len());
        for (i, (computed, expected)) in computed.into_iter().zip(expected).enumerate() {
            let error = (computed / expected - 1.0).abs();
            assert!(error < 1e-11, "[{i}] at {u:?}, {p:?}: {computed} {expected}");
        }
        // A little below zero, where steps may end, the system has values and derivatives.
        let below = std::array::from_fn(|i| if i > 0 && u[i] < 1e-3 { -1e-3 * u[i] } else { u[i] });
        let (values, rows) = (h2o2.rhs(&below, &p, 0.0), h2o2.jacobian(&below, &p, 0.0));
        assert!(values.iter().chain(rows.as_flattened()).all(|x| x.is_finite()), "at {below:?}");
        count += 1;
    }
    assert_eq!(count, 24);
}

/// The compiled right-hand side in numbers that round every product separately.
fn unfused<S, const N: usize, const P: usize>(_: S) -> Function<N, P>
where
    S: System<N, P> + Default,
{
    |u, p, t| S::default().rhs(&u.map(Plain), &p.map(Plain), Plain(t)).map(|plain| plain.0)
}

/// One module of tests for each model.
macro_rules! models {
    ($($(#[$exact:ident])? $name:ident $form:ident $(in $time:ident)?,)*) => {
        $(mod $name {
            use odes_models::$name::{P, SPAN, U0, $name};
            use super::{Case, SAME_SIGN, python, unfused, without_zeros};

            #[test]
            fn differentiates() {
                Case {
                    u: without_zeros(&U0),
                    p: P,
                    factors: SAME_SIGN,
                    span: SPAN,
                    call: $form!($name $(, in $time)?),
                    unfused: unfused($name),
                    exact: false $(|| stringify!($exact) == "exact")?,
                }
                .check($name);
            }
            #[test]
            fn is_what_python_computes() {
                python($name, &U0, &P, SPAN);
            }
        })*
    };
}

models! {
    #[exact] arenstorf assigned,
    #[exact] brusselator assigned,
    #[exact] charged_particle returned,
    #[exact] diffusive_brusselator assigned,
    #[exact] double_pendulum assigned,
    #[exact] duffing assigned,
    #[exact] e5 assigned,
    #[exact] fitzhugh_nagumo assigned,
    #[exact] goodwin assigned,
    #[exact] h2o2 returned_fields,
    #[exact] hires returned_fields,
    #[exact] hodgkin_huxley returned_fields,
    #[exact] keller_miksis assigned,
    #[exact] kuramoto returned,
    #[exact] lorenz assigned,
    #[exact] lorenz96 assigned,
    #[exact] lotka_volterra assigned,
    #[exact] measles returned_fields in time,
    #[exact] morris_lecar assigned,
    #[exact] neural_ode assigned,
    #[exact] oregonator assigned,
    #[exact] phenytoin returned_fields,
    #[exact] pleiades assigned,
    #[exact] pollution assigned,
    #[exact] repressilator assigned_fields,
    #[exact] robertson assigned,
    #[exact] rossler assigned,
    #[exact] satellite returned_fields,
    #[exact] sir assigned,
    #[exact] stiff_van_der_pol assigned,
    #[exact] stirred_tank assigned,
    #[exact] stratosphere assigned,
    #[exact] van_der_pol assigned,
}

/// The form that returns the derivatives, and `f32` in the signature.
#[test]
fn returning() {
    use crate::systems::returning::{P, U, returning};
    let case = Case {
        u: U,
        p: P,
        factors: SAME_SIGN,
        span: (0.0, 15.0),
        call: |u, p, t| {
            let in_f32 = returning::call(&u.map(|x| x as f32), &p.map(|x| x as f32), t as f32);
            in_f32.map(f64::from)
        },
        unfused: |u, p, t| returning.rhs(u, p, t),
        exact: false,
    };
    case.jacobian(returning);
    case.parameter_jacobian(returning);
    case.time_gradient(returning);
    for (u, p, t) in case.points() {
        let expected = (case.call)(&u, &p, t);
        // The plain function computes in f32; the system computes in the requested precision.
        let computed = returning.rhs(&u, &p, t);
        let scale = expected[0].abs().max(expected[1].abs()).max(1.0);
        for i in 0..2 {
            assert!((computed[i] - expected[i]).abs() < 1e-5 * scale);
        }
    }
}

#[test]
fn returning_a_function_of_the_index() {
    use crate::systems::returning::ring;
    for i in 0..8 {
        let u = [1.0, -2.0, 0.5, 4.0].map(|x| x * f64::from(i));
        let p = [0.5, 0.25, -1.0, 2.0];
        let in_f32 = ring::call(&u.map(|x| x as f32), &p.map(|x| x as f32), i as f32);
        // Small numbers: exact in both precisions.
        assert_eq!(ring.rhs(&u, &p, f64::from(i)), in_f32.map(f64::from));
    }
}

#[test]
fn names_come_from_destructuring() {
    use crate::systems::constructs::constructs;
    use odes_models::{arenstorf::arenstorf, e5::e5, lorenz::lorenz};
    assert_eq!(lorenz.info().name, "lorenz");
    assert_eq!(lorenz.info().states, ["x", "y", "z"]);
    assert_eq!(lorenz.info().parameters, ["sigma", "rho", "beta"]);
    assert_eq!(arenstorf.info().parameters, ["p0"]);
    assert_eq!(e5.info().states, ["u0", "u1", "u2", "u3"]);
    assert_eq!(constructs.info().parameters, ["p0", "p1", "p2", "p3"]);
}

/// Rust's derives work on a system, which is a unit struct.
#[test]
fn a_system_is_a_plain_value() {
    use odes_models::lorenz::lorenz;
    let copy = lorenz;
    let default: lorenz = Default::default();
    assert_eq!((copy, lorenz), (default, Clone::clone(&lorenz)));
    assert_eq!(format!("{lorenz:?}"), "lorenz");
}

/// The device text contains the values of the user's constants.
#[test]
fn device_text_holds_constants_by_value() {
    let text = systems::constants::constants.device_source().unwrap().to_string();
    for (name, value) in [("LEAK_POTENTIAL", "-6e1"), ("CALCIUM", "1.2e2"), ("POTASSIUM", "-8.4e1")]
    {
        let member = format!("_{name} = {value};");
        assert!(text.contains(&member), "{member} is not in\n{text}");
    }
    let is_first = |line: &str| line.starts_with("    static constexpr double constant0_");
    assert!(text.lines().any(is_first), "{text}");
}

/// The level of a tank that drains, from the guide.
#[odes::ode_system]
fn tank(u: &[f64; 1], p: &[f64; 1]) -> [f64; 1] {
    [-p[0] * u[0].max(0.0).sqrt()]
}

/// A function of an argument that does not change has no slope.
///
/// This holds for a root too, whose derivative is infinite there.
#[test]
fn what_does_not_change_has_no_slope() {
    for (u, slope) in [(4.0, -0.5), (0.25, -2.0), (0.0, 0.0), (-1e-3, 0.0), (-1e300, 0.0)] {
        assert_eq!(tank.jacobian(&[u], &[2.0], 0.0), [[slope]], "{u}");
    }
}

/// Steps and pulses of the time, and of a state, whose exponentials overflow.
#[odes::ode_system]
fn steps(u: &[f64; 6], p: &[f64; 2], t: f64) -> [f64; 6] {
    let x = (t - p[0]) / p[1];
    [
        1.0 / (1.0 + (-x).exp()),
        1.0 / x.cosh().powi(2),
        3.0 / ((1.0 + (-x).exp()) * (2.0 + x.exp())),
        (1.0 + (-x).exp2()).powi(-2),
        1.0 / (x.exp() - 2.0 * (-x).exp() + 8.0 * u[3]),
        u[5] / (u[5] / p[1]).exp_m1(),
    ]
}

/// Derivatives with respect to time, a parameter and a state are equal to closed forms.
///
/// They are zero at and near overflows of the divisors, and never NaN.
#[test]
fn divisors_that_overflow_have_derivatives() {
    let near = |a: f64, b: f64, of: &str| {
        assert!((a - b).abs() <= 1e-12 * (1e-280 + b.abs()), "{of}: {a} for {b}");
    };
    // sech² without overflow.
    let sech2 = |x: f64| 4.0 / ((2.0 * x.abs()).exp() + 2.0 + (-2.0 * x.abs()).exp());
    // The logistic function, its slope, and of 1 / (2 + exp(x)) the same.
    let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
    let slope = |x: f64| logistic(x) * logistic(-x);
    let fall = |x: f64| 1.0 / (2.0 + x.exp());
    let fall_slope = |x: f64| -fall(x) / (1.0 + 2.0 * (-x).exp());
    let w = 1e-3;
    for x in [-1e300, -1e6, -750.0, -709.0, -705.0, -354.0, -40.0, -1.0, 0.0, 0.5, 3.0, 40.0] {
        for x in [x, -x] {
            let t = 5.0 + w * x;
            let x: f64 = (t - 5.0) / w;
            let u = [0.0, 0.0, 0.0, 1.0, 0.0, 0.25 * w * x.abs().clamp(1.0, 1e6)];
            let gradient = steps.time_gradient(&u, &[5.0, w], t);
            near(gradient[0], slope(x) / w, &format!("logistic at {x}"));
            near(gradient[1], -2.0 * sech2(x) * x.tanh() / w, &format!("sech² at {x}"));
            let both = 3.0 * (slope(x) * fall(x) + logistic(x) * fall_slope(x)) / w;
            near(gradient[2], both, &format!("box at {x}"));
            let two = std::f64::consts::LN_2;
            let exp2 = 2.0 * logistic(two * x).powi(2) * logistic(-two * x) * two / w;
            near(gradient[3], exp2, &format!("exp2 at {x}"));
            let jacobian = steps.jacobian(&u, &[5.0, w], t);
            let parameters = steps.parameter_jacobian(&u, &[5.0, w], t);
            let finite = |row: &[f64]| row.iter().all(|derivative| derivative.is_finite());
            assert!(finite(&gradient) && jacobian.iter().all(|row| finite(row)), "{x}");
            near(parameters[0][0], -slope(x) / w, &format!("logistic by its place at {x}"));
            if x.abs() > 745.0 {
                assert_eq!((gradient[4], jacobian[4][3]), (0.0, 0.0), "{x}");
            }
            let y = u[5] / w;
            if (1.0..600.0).contains(&y) {
                let by_state = (1.0 - y / -(-y).exp_m1()) / y.exp_m1();
                near(jacobian[5][5], by_state, &format!("Bose's function at {y}"));
            }
        }
    }
}

/// Terms that are zero beside a one; the compiler cannot derive the amount that makes them zero.
#[odes::ode_system]
fn adsorption(u: &[f64; 3], p: &[f64; 1]) -> [f64; 3] {
    let [amount, energy, bias] = *u;
    [
        1.0 / (1.0 + amount * energy.exp()),
        1.0 / (1.0 + (amount * energy.exp()).powi(2)),
        1.0 / (1.0 + p[0] * bias.exp_m1()),
    ]
}

#[test]
fn terms_that_are_zero_have_derivatives() {
    let e = 3.0_f64.exp();
    let jacobian = adsorption.jacobian(&[0.0, 3.0, 0.0], &[5.0], 0.0);
    let zeroed = jacobian.map(|row| row.map(|derivative| derivative + 0.0));
    assert_eq!(zeroed, [[-e, 0.0, 0.0], [0.0; 3], [0.0, 0.0, -5.0]]);
    let jacobian = adsorption.jacobian(&[0.5, 3.0, 0.25], &[5.0], 0.0);
    let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-13, "{a} for {b}");
    near(jacobian[0][0], -e / (1.0 + 0.5 * e).powi(2));
    near(jacobian[0][1], -0.5 * e / (1.0 + 0.5 * e).powi(2));
    let hill = (1.0 + 0.25 * e * e).powi(2);
    near(jacobian[1][0], -e * e / hill);
    near(jacobian[1][1], -0.5 * e * e / hill);
    near(jacobian[2][2], -5.0 * 0.25_f64.exp() / (1.0 + 5.0 * 0.25_f64.exp_m1()).powi(2));
    // States at which the terms overflow.
    let jacobian = adsorption.jacobian(&[0.5, 800.0, 800.0], &[5.0], 0.0);
    assert!(jacobian.iter().flatten().all(|&derivative| derivative == 0.0), "{jacobian:?}");
}
