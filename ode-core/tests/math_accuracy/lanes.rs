//! Every lane type gives the bits of the scalar.

use crate::Random;
use ode_core::lane::dispatch::{self, InstructionSet, LaneProgram};
use ode_core::lane::{Real, Scalar};
use ode_core::math;

macro_rules! functions {
    ($($(#[$_:meta])* $name:ident($x:ident $(, $y:ident)?) = $library:ident;)*) => {
        /// Number of functions.
        const COUNT: usize = [$(stringify!($name)),*].len();

        /// All functions of a number, or of two.
        #[inline(always)]
        fn all<R: Real>(first: R, second: R) -> [R; COUNT] {
            [$({
                let ($x, _) = (first, second);
                $(let $y = second;)?
                math::$name($x $(, $y)?)
            }),*]
        }
    };
}
ode_core::elementary_functions!(functions);

/// Computes all functions of `x` (and `y`) in lanes; `VECTORS` vectors make a number.
struct All<'a, T, const VECTORS: usize> {
    x: &'a [T],
    y: &'a [T],
}

impl<T: Scalar, const VECTORS: usize> LaneProgram<T> for All<'_, T, VECTORS> {
    type Output = Vec<[T; COUNT]>;
    const VECTORS: usize = VECTORS;

    #[inline(always)]
    fn run<R: Real<Scalar = T>>(self) -> Vec<[T; COUNT]> {
        let mut results = Vec::new();
        for (x, y) in self.x.chunks_exact(R::LANES).zip(self.y.chunks_exact(R::LANES)) {
            let (mut a, mut b) = (R::lit(0.0), R::lit(0.0));
            for i in 0..R::LANES {
                a.set_lane(i, x[i]);
                b.set_lane(i, y[i]);
            }
            let all = all(a, b);
            results.extend((0..R::LANES).map(|i| all.map(|f| f.lane(i))));
        }
        results
    }
}

fn every_lane_type_agrees<T: Scalar>(x: &[T], y: &[T], bits: fn(T) -> u64) {
    let scalar = All::<T, 1> { x, y }.run::<T>();
    let check = |what: &str, results: Vec<[T; COUNT]>| {
        assert_eq!(results.len(), scalar.len());
        for (i, (a, b)) in results.iter().zip(&scalar).enumerate() {
            for (f, (a, b)) in a.iter().zip(b).enumerate() {
                let same = bits(*a) == bits(*b) || a.is_nan() && b.is_nan();
                assert!(same, "function {f} of {}, {}: {a} with {what}, {b}", x[i], y[i]);
            }
        }
    };
    for isa in InstructionSet::available() {
        check(&format!("{isa:?} 1"), dispatch::run(isa, All::<T, 1> { x, y }));
        check(&format!("{isa:?} 2"), dispatch::run(isa, All::<T, 2> { x, y }));
    }
    check("one lane", dispatch::run_scalar(All::<T, 1> { x, y }));
}

/// Arguments of all kinds side by side, so that lanes of one vector differ.
fn arguments(seed: u64) -> Vec<f64> {
    let mut random = Random(seed);
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        f64::INFINITY,
        -f64::INFINITY,
        f64::NAN,
        f64::from_bits(1),
        f64::MAX,
        f64::MIN_POSITIVE,
        1e10,
        -1e300,
    ];
    (0..32 * 300)
        .map(|i| match (i / 32 % 3, i % 7) {
            // Blocks without a special value, too: the hot path alone.
            (0, _) => random.uniform(0.0, 20.0),
            (_, 0) => special[random.bits() as usize % special.len()],
            (_, 1) => f64::from_bits(random.bits()),
            (_, 2) => random.logarithmic(-140.0, 120.0),
            (_, 3) => random.uniform(-750.0, 720.0),
            _ => random.uniform(-10.0, 10.0),
        })
        .collect()
}

#[test]
fn f64_lanes_agree() {
    every_lane_type_agrees(&arguments(6), &arguments(7), f64::to_bits);
}

#[test]
fn f32_lanes_agree() {
    let narrow = |x: Vec<f64>| x.into_iter().map(|x| x as f32).collect::<Vec<_>>();
    let (x, y) = (narrow(arguments(8)), narrow(arguments(9)));
    every_lane_type_agrees(&x, &y, |x| u64::from(x.to_bits()));
}
