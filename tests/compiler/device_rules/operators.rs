//! Operators.

use ode_macros::device;

/// `&`, `|`, `^` and `!` of truth values are truth values.
#[device(masks)]
pub mod masks {
    use odes::lane::{Mask, Real};

    pub const EVEN: bool = false;

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let one = R::lit(1.0);
        let zero = R::lit(0.0);
        let a = x[0].gt(x[1]);
        let b = x[2].le(x[3]);
        let both = a & b;
        let either = a | !b;
        // `~` of a C++ `bool` would be true for both.
        let neither = !a & !b;
        let always = <R::Mask as Mask>::splat(true);
        let never = !always | <R::Mask as Mask>::splat(false);
        let mut last = zero;
        if (EVEN ^ true) & !(EVEN ^ EVEN) {
            last = one;
        }
        [
            R::select(both, x[0], zero),
            R::select(either & always, x[1], one),
            R::select(neither | never, x[2], -one),
            R::select(!(both | neither), last, R::lit(2.0)),
        ]
    }
}

/// Arithmetic of bit patterns.
#[device(bits)]
pub mod bits {
    use odes::lane::{Bits, Real};

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let a = x[0].to_bits();
        let b = x[1].to_bits();
        let ones = <R::Bits as Bits>::lit(0xffff_ffff_ffff_ffff);
        let odd = <R::Bits as Bits>::lit(0x9E37_79B9_7F4A_7C15);
        let sum = a.wrapping_add(odd).wrapping_add(ones);
        let difference = a.wrapping_sub(b).wrapping_sub(odd);
        let mixed = (sum ^ difference.shr::<7>()).wrapping_add(difference.shl::<13>() & !b);
        let less = a.less_than(b) | a.equals(b);
        let chosen = <R::Bits as Bits>::select(less, mixed | odd.shr::<1>(), mixed);
        [R::from_bits(sum), R::from_bits(difference), R::from_bits(!mixed), R::from_bits(chosen)]
    }
}

/// `a & b == c` means `(a & b) == c`, as in Rust.
#[device(precedence)]
pub mod precedence {
    use odes::lane::{Bits, Real};

    fn flags(a: u32, b: u32) -> u32 {
        let mut flags = 0u32;
        if a & 3u32 == b {
            flags = flags + 1u32;
        }
        if a | b ^ 1u32 != 2u32 && !(a > b) || b % 4u32 * 2u32 == 2u32 {
            flags = flags + 2u32;
        }
        if a + b * 3u32 == 13u32 || a / 2u32 * 2u32 == a {
            flags = flags + 4u32;
        }
        flags
    }

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let [a, b, c, d] = *x;
        let minus = -a * b - -c / d;
        let minus_abs = -a.abs() + (-a).abs() * (b + c) * d - (a - (b - (c - d)));
        let low = a.to_bits();
        let one = <R::Bits as Bits>::lit(1);
        let bits = low & one | one ^ b.to_bits() & !low;
        let mut count = R::lit(0.0);
        let mut n = flags(7u32, 3u32) + 10u32 * flags(2u32, 1u32) + 100u32 * flags(7u32, 2u32);
        while n > 0u32 {
            count = count + R::lit(1.0);
            n -= 1u32;
        }
        [minus, minus_abs, R::from_bits(bits), count]
    }
}

/// Integers outside lanes.
///
/// `u32` and `u64` wrap with the wrapping operations, `i32` is signed, and division is towards
/// zero.
#[device(integers)]
pub mod integers {
    use odes::lane::Real;

    const LARGE: u64 = 0xffff_ffff_ffff_fffe;
    const HALF: u32 = 0x8000_0000;

    /// `x` if `condition`, else 0.
    fn when<R: Real>(condition: bool, x: R) -> R {
        if condition { x } else { R::lit(0.0) }
    }

    /// The last 16 bits of `n`.
    fn low<R: Real>(n: u32) -> R {
        let mut rest = n;
        let mut weight = R::lit(1.0);
        let mut sum = R::lit(0.0);
        for _i in 0..16 {
            sum = sum + when(rest % 2u32 == 1u32, weight);
            weight = weight + weight;
            rest /= 2u32;
        }
        sum
    }

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let below = 0u32.wrapping_sub(1u32);
        let unsigned = below > 5u32 && below / 2u32 == HALF - 1u32 && below % 10u32 == 5u32;
        let wide = LARGE.wrapping_add(4u64) == 2u64 && LARGE / 2u64 > 4294967296u64;
        let minus = -7i32;
        let signed = minus / 2i32 == -3i32 && minus % 2i32 == -1i32 && minus < 2i32;
        let mut mixed = 0x9E37_79B9u32;
        let mut rounds = 0usize;
        while rounds < 5usize {
            mixed = (mixed ^ HALF).wrapping_add(mixed & 0xff00u32 | 1u32);
            rounds += 1usize;
            mixed -= 3u32;
            mixed /= 5u32;
            mixed *= 3u32;
        }
        let all = unsigned && wide && signed;
        [when(unsigned, x[0]), when(wide, x[1]), when(signed, x[2]), when(all, low::<R>(mixed))]
    }
}
