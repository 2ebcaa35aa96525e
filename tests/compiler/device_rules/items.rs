//! Items: functions, traits, constants, structs.

use ode_macros::device;

/// Functions are declared before they are defined.
#[device(any_order)]
pub mod any_order {
    use odes::lane::Real;

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let [a, b, c, d] = *x;
        [first(a, b), second(c), first(d, a), R::lit(LATE) * b]
    }

    fn first<R: Real>(x: R, y: R) -> R {
        second(x) * y
    }

    fn second<R: Real>(x: R) -> R {
        x + R::lit(LATE)
    }

    const LATE: f64 = 0.3;
}

/// `L::force` and `L::ORDER` of a type parameter `L` are items of its struct.
#[device(dispatch)]
pub mod dispatch {
    use odes::lane::Real;

    pub trait Law {
        const ORDER: usize;
        const SCALE: f64;
        const ODD: bool;
        fn force<R: Real, const N: usize>(x: &[R; N], t: R) -> R;
        fn shift<R: Real>() -> R;
    }

    #[derive(Clone, Copy, Debug)]
    pub struct Linear;
    #[derive(Clone, Copy, Debug)]
    pub struct Cubic;

    impl Law for Linear {
        const ORDER: usize = 1;
        const SCALE: f64 = 0.1;
        const ODD: bool = false;
        fn force<R: Real, const N: usize>(x: &[R; N], t: R) -> R {
            x[N - 1] * t
        }
        fn shift<R: Real>() -> R {
            R::lit(0.7)
        }
    }

    impl Law for Cubic {
        const ORDER: usize = 3;
        const SCALE: f64 = -0.3;
        const ODD: bool = true;
        fn force<R: Real, const N: usize>(x: &[R; N], t: R) -> R {
            let mut sum = t;
            for i in 0..N {
                sum = x[i].mul_add(x[i] * x[i], sum);
            }
            sum
        }
        fn shift<R: Real>() -> R {
            R::lit(1.3)
        }
    }

    fn apply<R: Real, L: Law, const N: usize>(x: &[R; N], t: R) -> R {
        let force = L::force(x, t) * L::force::<R, N>(x, R::lit(L::SCALE));
        let power = force + R::lit(L::ORDER as f64) + <L as Law>::shift::<R>();
        if L::ODD { -power } else { power }
    }

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let pair = [x[2], x[3]];
        [
            apply::<R, Linear, 4>(x, x[0]),
            apply::<R, Cubic, 4>(x, x[1]),
            apply::<R, Linear, 2>(&pair, x[1]),
            apply::<R, Cubic, 2>(&pair, R::lit(Cubic::SCALE)) + Linear::shift::<R>(),
        ]
    }
}

/// `R::Mask`, `R::Bits`, `R::Single` in signatures, and `<R::Single as Real>::…`.
#[device(associated_types)]
pub mod associated_types {
    use odes::lane::{Bits, Mask, Real};

    fn sign_bit<R: Real>(x: R) -> R::Bits {
        if R::DOUBLE { x.to_bits().shr::<63>() } else { x.to_bits().shr::<31>() }
    }

    fn is_negative<R: Real>(x: R) -> R::Mask {
        sign_bit(x).equals(<R::Bits as Bits>::lit(1))
    }

    fn in_single<R: Real>(x: R::Single, m: <R as Real>::Mask) -> <R as Real>::Single {
        let tenth = <R::Single as Real>::lit(0.1);
        <R::Single as Real>::select(R::single_mask(m), x * tenth, x)
    }

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let [a, b, c, d] = *x;
        let negative = is_negative(a) & !is_negative::<R>(b);
        let none: R::Mask = <R::Mask as Mask>::splat(false);
        let single: R::Single = in_single::<R>(c.to_single(), negative | none);
        [R::select(negative, a, b), R::from_single(single), R::select(is_negative(c), d, c), d]
    }
}

/// Constants, tables of them, and tables indexed in loops.
#[device(tables)]
pub mod tables {
    use odes::lane::{Bits, Real};

    pub const ROWS: usize = 3;
    pub const COLUMNS: usize = ROWS - 1;
    const C: [f64; ROWS] = [0.1, -0.7, 1e3];
    pub const A: [[f64; COLUMNS]; ROWS] = [[0.1, 0.2], [-0.3, 0.4], [C[0], -C[1] / 3.0]];
    pub const CUBE: [[[f64; 2]; 1]; 2] = [[[1.5, 2.5]], [[3.5, 4.5]]];
    pub const WORDS: [u64; 2] = [0x7ff0_0000_0000_0000, 1];
    pub const PLACES: [usize; 4] = [2, 0, 3, 1];

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let mut out = [R::lit(0.0); 4];
        for row in 0..ROWS {
            let mut sum = R::lit(C[row]);
            for column in 0..COLUMNS {
                sum = x[column].mul_add(R::lit(A[row][column]), sum);
            }
            out[row] = sum;
        }
        for i in 0..2 {
            for j in 0..2 {
                out[3] = out[3] + R::lit(CUBE[i][0][j]) * x[PLACES[i + 2 * j]];
            }
        }
        let word = <R::Bits as Bits>::lit(WORDS[1]) ^ out[2].to_bits();
        out[2] = R::from_bits(word);
        out
    }
}

/// Generic arguments are copied if they are written, and deduced otherwise.
#[device(turbofish)]
pub mod turbofish {
    use odes::lane::{Bits, Real};

    fn constant<R: Real>() -> R {
        R::lit(0.3)
    }

    fn scaled<R: Real, const BY: u32, const UP: bool>(x: R) -> R {
        if UP { x * R::lit(BY as f64) } else { x / R::lit(BY as f64) }
    }

    fn first<R: Real, const N: usize, const M: usize>(x: &[[R; M]; N]) -> R {
        x[N - 1][M - 1] + R::lit(N as f64)
    }

    fn pass<R: Real, const N: usize>(x: &[R; N]) -> R {
        let rows = [*x, *x];
        first(&rows) + first::<R, 2, N>(&rows) + first::<R, 1, 1>(&[[x[0]]])
    }

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let half = constant::<R>();
        let shifted = half.to_bits().shr::<3>().shl::<1>();
        [
            scaled::<R, 3, true>(x[0]),
            scaled::<R, 7, false>(x[1]) + half,
            pass(x) + pass::<R, 1>(&[x[2]]),
            R::from_bits(shifted) * x[3],
        ]
    }
}

/// Structs: fields in any order, deduced or explicit types, nested structs.
#[device(structs)]
pub mod structs {
    use odes::lane::Real;

    #[derive(Clone, Copy, Debug)]
    pub struct Pair<R: Real> {
        pub low: R,
        pub high: R,
    }

    #[derive(Clone, Copy, Debug)]
    pub struct Step<R: Real, const N: usize, const K: usize> {
        pub pairs: [Pair<R>; N],
        pub k: [[R; N]; K],
        pub accept: R::Mask,
    }

    #[derive(Clone, Copy, Debug)]
    pub struct Verdict<R: Real> {
        pub good: R::Mask,
        pub memory: R::Single,
    }

    const WEIGHT: f64 = 0.3;

    #[derive(Clone, Copy, Debug)]
    pub struct Sizes {
        pub n: u32,
        pub weight: f64,
    }

    fn step<R: Real, const N: usize>(x: &[R; N]) -> Step<R, N, 2> {
        let mut pairs = [Pair { low: x[0], high: x[0] }; N];
        for i in 0..N {
            pairs[i].high = pairs[i].high + x[i];
        }
        pairs[N - 1] = Pair { high: x[0], low: x[1] };
        Step::<R, N, 2> { accept: x[0].lt(x[1]), k: [*x, *x], pairs }
    }

    fn verdict<R: Real>(x: R) -> Verdict<R> {
        let good = x.gt(R::lit(0.0));
        // No field determines `R`.
        Verdict::<R> { good, memory: x.to_single() }
    }

    fn spread<R: Real>(pair: &Pair<R>, into: &mut Pair<R>) {
        into.low = pair.high - into.low;
    }

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let mut step = step(x);
        let copy = step;
        step.pairs[1].low = step.k[1][3] * x[1];
        let mut pair = step.pairs[1];
        spread(&copy.pairs[1], &mut pair);
        let verdict = verdict(x[2]);
        let sizes = Sizes { weight: WEIGHT, n: 2u32 };
        let mut last = x[3];
        if sizes.n == 2u32 {
            last = last * R::lit(sizes.weight);
        }
        [
            pair.low + pair.high,
            R::select(copy.accept & verdict.good, step.pairs[3].low, step.pairs[3].high),
            R::from_single(verdict.memory) + copy.pairs[1].low,
            last,
        ]
    }
}

/// The items that [`other_modules`] uses.
#[device(shapes)]
pub mod shapes {
    use odes::lane::Real;

    pub const EDGE: f64 = 1.1;
    pub const CORNERS: [f64; 2] = [0.6, -0.9];

    #[derive(Clone, Copy, Debug)]
    pub struct Point<R: Real> {
        pub x: R,
        pub y: R,
    }

    pub trait Shape {
        const SIDES: usize;
        fn area<R: Real>(point: &Point<R>) -> R;
    }

    #[derive(Clone, Copy, Debug)]
    pub struct Square;

    impl Shape for Square {
        const SIDES: usize = 4;
        fn area<R: Real>(point: &Point<R>) -> R {
            point.x * point.y
        }
    }

    pub fn point<R: Real>(x: R, y: R) -> Point<R> {
        Point { x, y }
    }
}

/// Functions, constants, structs and traits of another module.
#[device(other_modules)]
pub mod other_modules {
    use super::shapes;
    use odes::lane::Real;
    use shapes::Shape;

    fn half<R: Real, S: Shape>(point: &shapes::Point<R>) -> R {
        S::area(point) / R::lit(S::SIDES as f64)
    }

    fn turned<R: Real>(point: shapes::Point<R>) -> super::shapes::Point<R> {
        super::shapes::point(point.y, -point.x)
    }

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let point = shapes::point(x[0], x[1]);
        let other = turned(shapes::point::<R>(x[2], x[3]));
        let mut sum = R::lit(crate::device_rules::items::shapes::EDGE);
        for i in 0..2 {
            sum = sum + R::lit(shapes::CORNERS[i]) * other.y;
        }
        [half::<R, shapes::Square>(&point), other.x, sum, point.x + other.y]
    }
}

/// A `#[cold]` function is called, with the same result.
#[device(cold)]
pub mod cold {
    use odes::lane::{Mask, Real};

    #[cold]
    #[inline(never)]
    fn rare<R: Real, const N: usize>(x: [R; N], by: &mut R) -> [R; N] {
        let mut out = x;
        for i in 0..N {
            out[i] = out[i] * *by;
        }
        *by = *by + R::lit(0.1);
        out
    }

    #[cold]
    fn plain<R: Real>(x: R) -> R {
        x + x
    }

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let negative = x[0].lt(R::lit(0.0));
        let mut out = *x;
        let mut by = x[1];
        if negative.any() {
            let slow = rare(*x, &mut by);
            for i in 0..4 {
                out[i] = R::select(negative, slow[i], x[i]);
            }
            by = R::select(negative, by, x[1]);
        }
        out[3] = plain(by);
        out
    }
}
