//! Loops and branches.

use ode_macros::device;

/// `for` over literals, constants and const parameters.
///
/// The end may be included, the loops may be nested with bounds that depend on the outer loop, and
/// a loop may have no iteration.
#[device(for_loops)]
pub mod for_loops {
    use odes::lane::Real;

    pub const COUNT: usize = 3;
    const N: usize = 2;

    fn triangle<R: Real, const K: usize>(x: &[R; 4]) -> R {
        let mut sum = R::lit(0.0);
        for i in 1..K {
            for j in 0..i {
                sum = sum * x[i] + x[j];
            }
            for j in 2..=i {
                sum = sum - x[j] * R::lit(j as f64);
            }
        }
        sum
    }

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let mut out = *x;
        for i in 0..COUNT {
            out[i] = out[i] + out[i + 1];
        }
        for i in 0..N {
            out[N] = out[N] * x[i];
        }
        for i in 1..=2 {
            for j in i..3 {
                out[j] = out[j] - x[i] * R::lit((10 * i + j) as f64);
            }
        }
        for i in 2..2 {
            out[i] = R::lit(0.0);
        }
        out[3] = out[3] + triangle::<R, 4>(x) * triangle::<R, 1>(x);
        out
    }
}

/// Long loops, which are not unrolled.
///
/// Inner loops are as long as the iteration index; a name that is bound again inside is not the
/// index.
#[device(rolled_loops)]
pub mod rolled_loops {
    use odes::lane::Real;

    fn stages<R: Real, const N: usize>(x: &[R; 4]) -> R {
        let mut kept = *x;
        #[rolled(2 * N > 6)]
        for i in 0..4 {
            let mut sum = x[i];
            for j in 0..i {
                sum = sum * R::lit(0.5) - kept[j];
            }
            for i in i..4 {
                sum = sum + x[i];
            }
            kept[i] = sum;
        }
        #[rolled(N > 3)]
        for i in 0..3 {
            let i = i / 2;
            for j in i..2 {
                kept[j] = kept[j] * kept[i];
            }
        }
        kept[0] + kept[1] * kept[3]
    }

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let rolled = stages::<R, 4>(x);
        let unrolled = stages::<R, 3>(x);
        [rolled, unrolled, rolled - unrolled, x[3]]
    }
}

/// `break` and `continue` affect the loop that contains them, unrolled or not.
#[device(leaving)]
pub mod leaving {
    use odes::lane::Real;

    fn skipping<R: Real, const N: usize>(x: &[R; N], skip: usize) -> R {
        let mut sum = R::lit(0.0);
        for i in 0..N {
            if i == skip {
                continue;
            }
            sum = sum + x[i];
            if i == 2 {
                break;
            }
        }
        sum
    }

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let mut sum = x[0];
        let mut rounds = 0u32;
        while rounds < 3u32 {
            rounds = rounds + 1u32;
            for i in 0..4 {
                if i == 1 {
                    continue;
                }
                sum = sum + x[i];
                if i == 2 {
                    break;
                }
            }
            sum = sum * R::lit(0.5);
        }
        let mut product = x[1];
        for i in 0..3 {
            let mut n = 0u32;
            while n < 9u32 {
                n = n + 1u32;
                if n == 2u32 {
                    continue;
                }
                product = product * R::lit(0.75) + x[i];
                if n == 4u32 {
                    break;
                }
            }
        }
        let mut turns = 0u32;
        loop {
            turns += 1u32;
            if turns == 2u32 {
                continue;
            }
            product = product - sum * R::lit(0.125);
            if turns > 4u32 {
                break;
            }
        }
        [sum, skipping(x, 1), product, skipping(x, 3)]
    }
}

/// `while` with a count and with a mask.
#[device(while_loops)]
pub mod while_loops {
    use odes::lane::{Bits, Mask, Real};

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let one = <R::Bits as Bits>::lit(1);
        let cap = <R::Bits as Bits>::lit(40);
        let mut a = x[0].abs();
        let mut steps = <R::Bits as Bits>::lit(0);
        let mut run = a.lt(R::lit(100.0)) & steps.less_than(cap);
        while run.any() {
            a = R::select(run, a * R::lit(1.5) + R::lit(0.1), a);
            steps = <R::Bits as Bits>::select(run, steps.wrapping_add(one), steps);
            run = run & a.lt(R::lit(100.0)) & steps.less_than(cap);
        }
        let mut b = x[1];
        let mut n = 10u32;
        while n > 0u32 && n != 4u32 {
            b = b - x[2];
            n -= 1u32;
        }
        while n > 100u32 {
            b = R::lit(0.0);
        }
        [a, R::from_bits(steps), b, x[3]]
    }
}

/// `if` on constants and const parameters: the branch not taken need not even be valid.
#[device(constant_if)]
pub mod constant_if {
    use odes::lane::{Bits, Real};

    pub const LIMIT: usize = 2;
    pub const WEIGHTS: [f64; 2] = [0.0, 0.3];

    pub trait Kind {
        const COUNT: usize;
    }

    #[derive(Clone, Copy, Debug)]
    pub struct Few;

    impl Kind for Few {
        const COUNT: usize = 1;
    }

    fn at<R: Real, K: Kind, const N: usize, const SAVE: bool>(x: &[R; N]) -> R {
        let mut out = x[0];
        if SAVE {
            out = out * R::lit(3.0);
        } else if N > LIMIT && K::COUNT == 1 {
            out = out + x[N - 1];
        }
        if !SAVE || N == 1 {
            out = out - R::lit(0.1);
        }
        if WEIGHTS[0] != 0.0 {
            out = out * R::lit(WEIGHTS[0]);
        }
        if WEIGHTS[1] > 0.25 {
            out = out * R::lit(WEIGHTS[1]);
        }
        out
    }

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let mut precision = x[3];
        if R::DOUBLE {
            precision = R::from_bits(precision.to_bits().shl::<40>());
        }
        [
            at::<R, Few, 4, true>(x),
            at::<R, Few, 4, false>(x),
            at::<R, Few, 1, false>(&[x[2]]) + at::<R, Few, 1, true>(&[x[1]]),
            precision,
        ]
    }
}

/// `if` on run-time values, with and without `else`; on loop variables.
#[device(run_time_if)]
pub mod run_time_if {
    use odes::lane::{Mask, Real};

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let mut out = *x;
        let negative = x[0].lt(R::lit(0.0));
        if negative.any() {
            out[0] = R::select(negative, -x[0], x[0]);
        }
        for i in 0..4 {
            if i == 0 {
                out[i] = out[i] + R::lit(1.0);
            } else if i < 3 && !(i == 1) {
                out[i] = out[i] - x[i - 1];
            } else {
                out[i] = out[i] * x[i - 1];
            }
        }
        out
    }
}
