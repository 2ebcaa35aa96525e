//! A module of lane programs with several mistakes.

use ode_macros::device;

#[device(mistaken)]
mod mistaken {
    use odes::lane::Real;

    pub fn half<R: Real>(x: R) -> R {
        x * R::lit(0.5)
    }

    pub fn step<R: Real>(x: R, n: u32) -> R {
        let y = match n {
            0 => x,
            _ => half(x),
        };
        if n > 1u32 {
            return y;
        }
        half::<_>(y)
    }

    fn next<R: Real>(state: &mut R) -> R {
        *state = *state + *state;
        *state
    }

    pub fn order<R: Real>(state: &mut R) -> [R; 2] {
        [*state, next(state)]
    }
}

fn main() {}
