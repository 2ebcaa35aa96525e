//! Names.

use ode_macros::device;

/// `let x = x + 1` reads the old `x`, and a name bound in a block ends with it.
#[device(shadowing)]
pub mod shadowing {
    use odes::lane::Real;

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let [a, b, c, d] = *x;
        let a = a + b;
        let a = a * a;
        // The name of the second `a` in C++.
        let a_1 = a - b;
        let c = {
            let a = a + c;
            let a = a * b;
            a - a_1
        };
        let mut sum = d;
        for i in 0..4 {
            let a = a + x[i];
            let a = a + a_1;
            sum = sum + a;
        }
        let x = [a, b];
        let b = x[0] - b;
        [a, b, c, sum]
    }
}

/// A local may have the name of a function, a constant or a loop variable.
#[device(locals_and_items)]
pub mod locals_and_items {
    use odes::lane::Real;

    fn level<R: Real>(x: R) -> R {
        x * R::lit(0.75)
    }

    fn sum<R: Real, const N: usize>(next: R, x: &[R; N]) -> R {
        let mut next = next;
        for i in 0..N {
            next = next + x[i];
        }
        next
    }

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let level = level(x[0]);
        let rule = level + x[1];
        let sum = sum::<R, 4>(rule, x);
        let mut i = x[2];
        for j in 0..2 {
            i = i + x[j];
        }
        for i in 0..2 {
            let j = x[i] + level;
            let i = j + sum;
            let _ = i;
        }
        [level, rule, sum, i]
    }
}

/// A module with a C++ keyword as its name.
#[device(typename)]
pub mod typename {
    use odes::lane::Real;

    pub fn twice<R: Real>(typename: R) -> R {
        typename + typename
    }
}

/// C++ keywords that are names in Rust: locals, parameters, items, fields, modules.
#[device(reserved)]
pub mod reserved {
    use super::typename;
    use odes::lane::Real;

    pub const I: f64 = 0.25;

    #[derive(Clone, Copy, Debug)]
    pub struct Words<R: Real> {
        pub short: R,
        pub long: R,
        pub r#try: R,
    }

    fn double<R: Real>(int: R, unsigned: &mut R) -> R {
        *unsigned = *unsigned + int;
        int + int
    }

    #[allow(non_upper_case_globals)]
    fn operator<R: Real, const register: usize>(x: R) -> R {
        let mut sum = x;
        for signed in 0..register {
            sum = sum + R::lit(signed as f64);
        }
        sum
    }

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let [auto, this, and, xor] = *x;
        let mut new = auto * R::lit(I);
        let delete = double(this, &mut new);
        let not = operator::<R, 3>(typename::twice(and));
        let words = Words { short: delete, long: not, r#try: xor };
        let reinterpret_cast = words.short + words.r#try;
        let static_assert = words.long - auto;
        let constexpr = new * this;
        let r#static = reinterpret_cast * static_assert;
        let goto = [constexpr, r#static];
        let wchar_t = goto[0] - goto[1];
        [new, reinterpret_cast, static_assert, wchar_t]
    }
}

/// Names that the C++ side needs for itself.
#[device(prelude)]
pub mod prelude {
    use odes::lane::Real;

    pub const UNROLL: f64 = 1.5;
    pub const COLD: f64 = 2.5;
    pub const CONSTANT: f64 = 3.5;
    pub const GLOBAL: f64 = 4.5;
    pub const NAN: f64 = 5.5;
    pub const INFINITY: f64 = 6.5;
    pub const NULL: f64 = 7.5;
    pub const M_PI: f64 = 8.5;

    fn repeat<R: Real>(x: R) -> [R; 2] {
        [x; 2]
    }

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let array = [x[0], x[1]];
        let copy = [array[0], x[2]];
        let [larger, smaller] = repeat(copy[1]);
        let repeat = [larger; 2];
        let again = [smaller; 3];
        let u32 = x[3] * (R::lit(UNROLL) + R::lit(COLD));
        let math = (u32 - R::lit(CONSTANT)).exp() * R::lit(GLOBAL);
        let m_abs = math.abs();
        let op_and = m_abs.abs() + R::lit(NAN) * R::lit(INFINITY);
        [copy[0] + repeat[1], again[2] * R::lit(NULL), op_and + R::lit(M_PI), u32]
    }
}
