//! Every lane type gives the bits of one lane.

use ode_core::lane::dispatch::{self, InstructionSet, LaneProgram, SimdFamily};
use ode_core::lane::{Bits, Real, Scalar};
use ode_core::random::{self, brownian, path, sobol};

/// Words of all programs for the indices from `first` on, `VECTORS` vectors for a number.
struct Words<const VECTORS: usize> {
    first: u64,
}

/// Enough for every lane type.
const COUNT: usize = 64;

/// A bit pattern for each lane.
#[inline(always)]
fn bits<R: Real>(lane: impl Fn(usize) -> u64) -> R::Bits {
    let mut x = R::lit(0.0);
    for i in 0..R::LANES {
        let word = <<R::Scalar as Real>::Bits as Bits>::lit(lane(i));
        x.set_lane(i, <R::Scalar as Real>::from_bits(word));
    }
    x.to_bits()
}

impl<T: Scalar, const VECTORS: usize> LaneProgram<T> for Words<VECTORS> {
    type Output = Vec<u64>;
    const VECTORS: usize = VECTORS;

    #[inline(always)]
    fn run<R: Real<Scalar = T>>(self) -> Vec<u64> {
        let lit = |word: u64| <R::Bits as Bits>::lit(word);
        let mut words = vec![];
        let directions = sobol::directions(77).map(|d| d.map(|v| lit(u64::from(v))));
        let directions = directions.unwrap_or([lit(0); 32]);
        for from in (0..COUNT).step_by(R::LANES) {
            // Not all ones in the exponent, which would be a NaN.
            let index = |i: usize| (self.first + (from + i) as u64) & 0x7f7f_ffff;
            let x = bits::<R>(index);
            let quantity = bits::<R>(|i| 40 * (from + i) as u64);
            let philox = random::philox4x32::<R>([quantity, x, lit(3), x], [lit(5), x]);
            let point = random::sobol_point::<R>(x, &directions);
            let owen = random::owen::<R>(point, &[philox[1]; 32]);
            let n = lit(1_000_003);
            let powers = [lit(1 << 10), lit(1 << 10), lit(1 << 22)];
            let keys = [philox[0], lit(1), philox[1], lit(2), lit(3), philox[3], lit(4), lit(5)];
            let permuted = random::permuted::<R>(x, n, &powers, &keys);
            let unit = random::open_unit::<R>(philox[2], philox[3]);
            let normal = random::normal_quantile(unit);
            let tiny = R::lit(1e-30) * unit;
            let far = random::normal_quantile(R::select(x.less_than(lit(1 << 20)), tiny, unit));
            let ends = [unit, R::lit(3.0)];
            let laws = [
                random::between(unit, R::lit(-1.0), R::lit(2.0)),
                random::log_between(unit, R::lit(1.0), R::lit(2.0), [R::lit(0.0), R::lit(0.69)]),
                random::gaussian(unit, R::lit(2.0), R::lit(0.5)),
                random::log_normal(unit, R::lit(2.0), R::lit(0.5)),
                random::position(unit, R::lit(6.0)),
                random::linspace(unit, R::lit(0.5), ends[0], ends[1], R::lit(0.3)),
                random::logspace(unit, R::lit(0.5), ends, R::lit(0.1), R::lit(0.3)),
            ];
            let mut all = vec![philox[0], philox[1], philox[2], philox[3], point, owen, permuted];
            all.extend([unit, normal, far].map(Real::to_bits));
            all.extend(laws.map(Real::to_bits));
            all.extend(random::normals::<R>(philox).map(Real::to_bits));
            let mut interval =
                path::path::<R>([philox[0], lit(1)], [x, lit(2)], x, 2, R::lit(0.25));
            interval.ends_within = x.less_than(lit(1 << 20));
            interval.reach = R::lit(0.2) * unit;
            for areas in [false, true] {
                let increments = brownian::increments::<R, 3>(&interval, areas);
                all.extend(increments.as_flattened().iter().map(|number| number.to_bits()));
            }
            if R::DOUBLE {
                let numbers = [
                    random::middle::<R>(owen),
                    random::integer::<R>(x.shl::<13>()),
                    random::stratum::<R>(permuted, philox[1], R::lit(1_000_003.0)),
                ];
                all.extend(numbers.map(Real::to_bits));
            }
            for lane in 0..R::LANES {
                words.extend(all.iter().map(|word| word.lane(lane)));
            }
        }
        words
    }
}

fn agree<T: Scalar>() {
    for first in [0, 123, (1 << 20) - 30, 0x7f00_0000] {
        let expected = <Words<1> as LaneProgram<T>>::run::<T>(Words { first });
        let check = |what: &str, words: Vec<u64>| assert_eq!(words, expected, "{what}, {first}");
        for isa in InstructionSet::available() {
            check(&format!("{isa:?} 1"), dispatch::run::<T, _>(isa, Words::<1> { first }));
            check(&format!("{isa:?} 2"), dispatch::run::<T, _>(isa, Words::<2> { first }));
        }
        check("one lane", dispatch::run_scalar::<T, _>(Words::<1> { first }));
        check("arrays", <T::Simd as SimdFamily<T>>::portable(Words::<1> { first }));
    }
}

#[test]
fn every_lane_type_agrees() {
    agree::<f32>();
    agree::<f64>();
}

/// Products of words against those of integers, with whatever stands in upper words.
#[test]
fn products_of_words() {
    for (a, b) in
        [(0, 5), (0xffff_ffff, 0xffff_ffff), (0xdead_beef, 0x1234_5678), (3, 0x8000_0000_u64)]
    {
        let high = 0xabcd_0123_0000_0000;
        assert_eq!(Bits::mul_low(a | high, b), (a * b) & 0xffff_ffff);
        assert_eq!(Bits::mul_high(a, b | high), (a * b) >> 32);
        assert_eq!(Bits::mul_low(a as u32, b as u32), (a * b) as u32);
        assert_eq!(Bits::mul_high(a as u32, b as u32), ((a * b) >> 32) as u32);
    }
}
