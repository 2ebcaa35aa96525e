//! The cubic through the values and slopes of an event function at the ends of a step.
//!
//! Its error is of fourth order in the step. The cubic decides which steps may contain an event,
//! and where the step to an event ends at first.

pub use device::*;

#[ode_macros::device(cubic)]
mod device {
    use crate::integrate::roots;
    use crate::lane::{Bits, Mask, Real};

    /// A cubic on a step, in the fraction of the step.
    ///
    /// It is above zero at the beginning if the event function is still on its side there.
    #[derive(Clone, Copy, Debug)]
    pub struct Cubic<R: Real> {
        /// The value at the beginning.
        pub first: R,
        /// A third of the slope at the beginning.
        pub lean: R,
        /// A third of the slope at the end.
        pub slope: R,
        /// The value at the end.
        pub last: R,
    }

    /// Makes a [`Cubic`] of values and thirds of slopes, times `side`.
    pub fn cubic<R: Real>(side: R, first: R, lean: R, slope: R, last: R) -> Cubic<R> {
        Cubic::<R> {
            first: side * first,
            lean: side * lean,
            slope: side * slope,
            last: side * last,
        }
    }

    /// Returns the middle Bernstein coefficient of a third of the slope.
    ///
    /// The outer coefficients are `lean` and `slope`.
    fn inner<R: Real>(c: &Cubic<R>) -> R {
        (c.last - c.first) - (c.lean + c.slope)
    }

    /// Returns whether a cubic has no zero on the step, by its Bernstein coefficients.
    ///
    /// They have the same sign. `first` and `last` are its values at the ends, `from` and `to` its
    /// slopes there, and `third` is a third of the step. If products underflow, the result is
    /// `false`.
    pub fn stays<R: Real>(first: R, from: R, third: R, to: R, last: R) -> R::Mask {
        let zero = R::lit(0.0);
        let after = third.mul_add(from, first);
        let before = (-third).mul_add(to, last);
        (first * after).gt(zero) & (first * before).gt(zero) & (first * last).gt(zero)
    }

    /// Returns whether the cubic may cross zero twice, and whether three times.
    ///
    /// It does neither unless it turns, and unless its Bernstein coefficients change sign as often.
    pub fn turns_beyond<R: Real>(c: &Cubic<R>) -> [R::Mask; 2] {
        let zero = R::lit(0.0);
        let inner = inner::<R>(c);
        let leaves = c.lean.lt(zero) | (c.lean.equals(zero) & inner.lt(zero));
        let returns = c.slope.gt(zero) | (c.slope.equals(zero) & inner.gt(zero));
        let both = (c.lean * c.slope).gt(zero) & (c.lean * inner).lt(zero);
        let both = both & (inner * inner).gt(c.lean * c.slope);
        let after = (c.first + c.lean).lt(zero);
        let before = (c.last - c.slope).lt(zero);
        let twice = ((leaves & returns) | both) & (after | before);
        [twice, both & leaves & after & !before]
    }

    /// Returns the turning points of a cubic: its minimum, and a maximum after it.
    ///
    /// The cubic [turns](turns_beyond) once or twice; the second point is valid if it turns twice.
    pub fn turns<R: Real>(c: &Cubic<R>) -> [R; 2] {
        // With θ = x / (1 + x), the slope is zero if `slope x² + 2 inner x + lean` is.
        let inner = inner::<R>(c);
        let root = (inner * inner - c.lean * c.slope).max(R::lit(0.0)).sqrt();
        let sum = inner.abs() + root;
        let early = inner.gt(R::lit(0.0));
        let of = R::select(early, c.lean.abs(), sum);
        let to = R::select(early, sum, c.slope.abs());
        [of / (of + to), sum / (sum + c.slope.abs())]
    }

    /// Returns the fraction of the step at the only maximum of a cubic, and the value there.
    ///
    /// The cubic rises at its beginning and falls at its end.
    pub fn peak<R: Real>(c: &Cubic<R>) -> [R; 2] {
        let theta = turns::<R>(&negative::<R>(c))[0];
        [theta, value::<R>(c, theta)[0]]
    }

    /// Returns the cubic with the opposite sign.
    fn negative<R: Real>(c: &Cubic<R>) -> Cubic<R> {
        Cubic::<R> { first: -c.first, lean: -c.lean, slope: -c.slope, last: -c.last }
    }

    /// Returns the value of a cubic at a fraction of the step, and its derivative there.
    fn value<R: Real>(c: &Cubic<R>, theta: R) -> [R; 2] {
        let three = R::lit(3.0);
        let inner = inner::<R>(c);
        let second = (inner - c.lean) * three;
        let third = (c.last - c.first) - inner * three;
        let slope = c.lean * three;
        let value = third.mul_add(theta, second).mul_add(theta, slope).mul_add(theta, c.first);
        let twice = second + second;
        [value, (third * three).mul_add(theta, twice).mul_add(theta, slope)]
    }

    /// Returns a zero of a cubic between the fractions `low` and `high`, in lanes `which`.
    ///
    /// The cubic has the sign of `side` at `low`, and the opposite one at `high`. Newton's method
    /// finds the zero, with bisections if it leaves the bracket.
    pub fn zero_of<R: Real>(c: &Cubic<R>, which: R::Mask, low: R, high: R, side: R) -> R {
        let half = R::lit(0.5);
        let tolerance = roots::least_part::<R>();
        let mut low = low;
        let mut high = high;
        let zero = R::lit(0.0);
        let from = value::<R>(c, low);
        let to = value::<R>(c, high);
        // After an action, rounding may have left the function on the other side of a zero that it
        // moves away from.
        let falls = (from[0] * side).gt(zero) & (from[1] * side).lt(zero);
        let secant = (high - low).mul_add(from[0] / (from[0] - to[0]), low);
        let inside = falls & secant.gt(low) & secant.lt(high);
        let mut theta = R::select(inside, secant, (low + high) * half);
        let mut busy = which;
        let mut rounds = <R::Bits as Bits>::lit(0);
        while busy.any() {
            let at = value::<R>(c, theta);
            let near = (at[0] * side).gt(zero);
            low = R::select(busy & near, theta, low);
            high = R::select(busy & !near, theta, high);
            let mut next = theta - at[0] / at[1];
            let inside = next.ge(low) & next.le(high);
            next = R::select(inside, next, (low + high) * half);
            let moved = (next - theta).abs();
            theta = R::select(busy, next, theta);
            rounds = rounds.wrapping_add(<R::Bits as Bits>::lit(1));
            let more = rounds.less_than(<R::Bits as Bits>::lit(roots::MOST_EVALUATIONS));
            busy = busy & more & moved.gt(tolerance);
        }
        theta
    }

    /// Returns the distance of the zero near the end of the step from this end.
    ///
    /// It is a fraction of the step, and negative before the end: two steps of Newton's method.
    pub fn beyond_end<R: Real>(c: &Cubic<R>) -> R {
        let three = R::lit(3.0);
        let inner = inner::<R>(c);
        let slope = c.slope * three;
        let second = (c.slope - inner) * three;
        let third = (c.last - c.first) - inner * three;
        let first = -c.last / slope;
        let value = third.mul_add(first, second).mul_add(first, slope).mul_add(first, c.last);
        let twice = second + second;
        let slope = (third * three).mul_add(first, twice).mul_add(first, slope);
        first - value / slope
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether a cubic stays on its side, as the loop tests it on a step of size 1.
    fn stays_of(c: &Cubic<f64>) -> bool {
        stays(c.first, 3.0 * c.lean, 1.0 / 3.0, 3.0 * c.slope, c.last)
    }

    /// Returns the cubic `(x - a)(x - b)(x - c)` times `sign`.
    fn of_zeros(zeros: [f64; 3], sign: f64) -> Cubic<f64> {
        let value = |x: f64| sign * zeros.iter().map(|z| x - z).product::<f64>();
        let slope = |x: f64| {
            let [a, b, c] = zeros.map(|z| x - z);
            sign * (a * b + b * c + c * a)
        };
        cubic(1.0, value(0.0), slope(0.0) / 3.0, slope(1.0) / 3.0, value(1.0))
    }

    /// Returns the value of a cubic by its Bernstein polynomials.
    fn at(c: &Cubic<f64>, x: f64) -> f64 {
        let y = 1.0 - x;
        let inner = 3.0 * x * y * (y * (c.first + c.lean) + x * (c.last - c.slope));
        y.powi(3) * c.first + inner + x.powi(3) * c.last
    }

    #[test]
    fn zeros_and_turning_points_are_those_of_the_polynomial() {
        // One zero, two and three within the step; the others are outside.
        let one = of_zeros([0.3, -2.0, 5.0], 1.0);
        assert!(!stays_of(&one) && !turns_beyond(&one)[0]);
        assert!((zero_of(&one, true, 0.0, 1.0, 1.0) - 0.3).abs() < 1e-15);

        for [low, high] in [[0.25, 0.75], [0.01, 0.02], [0.4999, 0.5], [0.98, 0.999]] {
            let two = of_zeros([low, high, -3.0], 1.0);
            assert!(!stays_of(&two), "{low} {high}");
            assert_eq!(turns_beyond(&two), [true, false]);
            // The derivative of (x - a)(x - b)(x + 3) is zero here.
            let (sum, product) = (3.0 - low - high, low * high - 3.0 * (low + high));
            let turn = (-sum + (sum * sum - 3.0 * product).sqrt()) / 3.0;
            assert!((turns(&two)[0] - turn).abs() < 1e-13, "{low} {high}");
            assert!((zero_of(&two, true, 0.0, turn, 1.0) - low).abs() < 1e-11);
            assert!((zero_of(&two, true, turn, 1.0, -1.0) - high).abs() < 1e-11);
        }

        let three = of_zeros([0.1, 0.4, 0.8], -1.0);
        assert_eq!(turns_beyond(&three), [true, true]);
        let places = turns(&three);
        let found = [
            zero_of(&three, true, 0.0, places[0], 1.0),
            zero_of(&three, true, places[0], places[1], -1.0),
            zero_of(&three, true, places[1], 1.0, 1.0),
        ];
        for (found, known) in found.into_iter().zip([0.1, 0.4, 0.8]) {
            assert!((found - known).abs() < 1e-14, "{found} {known}");
        }
    }

    #[test]
    fn a_zero_that_was_left_is_not_found_again() {
        // The function is below its zero by rounding, moves away from it, and returns.
        for [left, back] in [[1e-15, 0.9], [1e-12, 0.3], [1e-9, 0.02]] {
            let ball = of_zeros([left, back, 5.0], 1.0);
            assert!(ball.first < 0.0 && ball.lean > 0.0);
            assert!((zero_of(&ball, true, 0.0, 1.0, 1.0) - back).abs() < 1e-13, "{left} {back}");
        }
    }

    #[test]
    fn a_zero_near_the_end_is_corrected_to_second_order() {
        for miss in [1e-2, 1e-4, -1e-4, -1e-2] {
            let near = of_zeros([1.0 + miss, -2.0, 5.0], 1.0);
            assert!((beyond_end(&near) - miss).abs() < 2.0 * miss.abs().powi(4), "{miss}");
        }
    }

    #[test]
    fn a_cubic_without_zeros_stays() {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            (state >> 33) as f64 / (1_u64 << 31) as f64
        };
        let mut tested = 0;
        for _ in 0..10_000 {
            let some = cubic(1.0, next(), 4.0 * next() - 2.0, 4.0 * next() - 2.0, next());
            if stays_of(&some) {
                tested += 1;
                assert!((0..=50).all(|i| at(&some, f64::from(i) / 50.0) > 0.0), "{some:?}");
            }
        }
        assert!(tested > 1000, "{tested}");
    }
}
