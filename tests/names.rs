//! Names of systems, constants and types that variables of an expansion have, too.
//!
//! A unit struct or a constant `u` turns each pattern `u` in its scope into a comparison with it, and a type
//! `Real` hides a trait: such an expansion is not compiled.

#![allow(non_upper_case_globals, non_snake_case)]

use odes::__private::System;
use odes::prelude::*;

/// What every system here computes, and what its derivatives are.
fn check<S: System<2, 2>>(_: S) {
    let (u, p, t) = ([1.5, -0.25], [3.0, 0.5], 2.0);
    assert_eq!(S::rhs(&u, &p, t), [4.0, -0.1875], "{}", S::NAME);
    assert_eq!(S::jacobian(&u, &p, t), [[3.0, 2.0], [-0.125, 0.75]], "{}", S::NAME);
    assert_eq!(S::parameter_jacobian(&u, &p, t), [[1.5, 0.0], [0.0, -0.375]], "{}", S::NAME);
    assert_eq!(S::time_gradient(&u, &p, t), [-0.25, 0.0], "{}", S::NAME);
    // (5 - J) x for x = (1, 2).
    let factors = S::factor(&u, &p, t, 5.0);
    let [x, y]: [f64; 2] = S::solve(&factors, &[-2.0, 8.625]);
    assert!((x - 1.0).abs() < 1e-14 && (y - 2.0).abs() < 1e-14, "{}: {x} {y}", S::NAME);
    assert!(S::device_source().contains("rhs(const Arr<R, 2>& u, const Arr<R, 2>& p, R t)"));
}

macro_rules! named {
    ($($name:ident)*) => {
        /// Each in a module of its own, with a variable of its own name.
        mod apart {
            $(
                pub(super) mod $name {
                    use odes::prelude::*;

                    #[ode_system]
                    pub(crate) fn $name(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2], t: f64) {
                        let [first, second] = *u;
                        let (rate, forced) = (p[0], t * second);
                        let product = p[1] * first * second;
                        du[0] = {
                            let $name = rate * first;
                            $name + forced
                        };
                        du[1] = product;
                    }
                }
            )*
        }

        /// All in one module, where each is in the scope of the expansions of the others.
        mod together {
            use odes::prelude::*;
            $(
                #[ode_system]
                pub(super) fn $name(state: &[f64; 2], rates: &[f64; 2], time: f64) -> [f64; 2] {
                    let [first, second] = *state;
                    [rates[0] * first + time * second, rates[1] * first * second]
                }
            )*
        }

        /// The same as modules.
        mod modules {
            use odes::prelude::*;
            $(
                #[ode_system]
                pub(super) mod $name {
                    pub(crate) struct State {
                        pub(crate) first: f64,
                        pub(crate) second: f64,
                    }

                    fn rhs(u: &State, p: &[f64; 2], t: f64) -> State {
                        State {
                            first: p[0] * u.first + t * u.second,
                            second: p[1] * u.first * u.second,
                        }
                    }
                }
            )*
        }

        #[test]
        fn systems_have_any_name() {
            $(
                check(apart::$name::$name);
                check(together::$name);
                check(modules::$name);
                let mut by_call = [0.0; 2];
                apart::$name::$name::call(&mut by_call, &[1.5, -0.25], &[3.0, 0.5], 2.0);
                assert_eq!(by_call, [4.0, -0.1875], stringify!($name));
            )*
        }
    };
}

named! {
    a b du f h k m0 p q s t u v0 v1 w x zero scale matrix jacobian index value put out kept numbers text
    all other rhs call report R N P S T Q System Real Operations LinearEquations Self_ device_source
}

/// Constants with such names, lookups among them, in every kind of generated function.
#[ode_system]
mod constants {
    pub(super) const u: f64 = 1.0;
    const p: f64 = 2.0;
    const t: f64 = 3.0;
    const w: f64 = 4.0;
    const b: f64 = 5.0;
    const a: f64 = 6.0;
    const v0: f64 = 7.0;
    const v1: f64 = 8.0;
    const m0: f64 = 9.0;
    const zero: f64 = 10.0;
    const scale: f64 = 11.0;
    const matrix: f64 = 12.0;
    const jacobian_: f64 = 13.0;
    const index: f64 = 14.0;
    const value: f64 = 15.0;
    const put: f64 = 16.0;
    const numbers: f64 = 17.0;
    const text: f64 = 18.0;
    const constant0_u: f64 = 19.0;
    const k: [f64; 3] = [0.0, 1.0, 4.0];
    const all: [f64; 3] = [0.0, 2.0, 8.0];

    pub(super) struct State {
        pub(super) first: f64,
        pub(super) second: f64,
    }

    #[mass_matrix]
    const M: [f64; 2] = [2.0, 0.0];

    fn rhs(state: &State, rates: &[f64; 1], time: f64) -> State {
        let sum = u + p + t + w + b + a + v0 + v1 + m0 + zero + scale + matrix + jacobian_;
        let sum = sum + index + value + put + numbers + text + constant0_u;
        let pulse = if time < rates[0] + t { 1.0 } else { 0.0 };
        State {
            first: sum * state.first + super::interp_linear(&k, state.first) + pulse,
            second: state.second - super::interp_linear(&all, state.second + p) * w,
        }
    }

    #[observable]
    fn output(state: &State) -> f64 {
        value * state.first + k[2]
    }

    fn is_out_of_domain(state: &State) -> bool {
        state.first > constant0_u
    }
}

#[test]
fn constants_have_any_name() {
    fn of<S: System<2, 1>>(_: S) {
        let (state, rates) = ([1.5, -0.5], [1.0]);
        // 1 + 2 + … + 19 is 190, and the pulse ends at rates[0] + 3.
        let second = -0.5 - 5.0 * 4.0;
        assert_eq!(S::rhs(&state, &rates, 2.0), [190.0 * 1.5 + 2.5 + 1.0, second]);
        assert_eq!(S::rhs(&state, &rates, 5.0), [190.0 * 1.5 + 2.5, second]);
        assert_eq!(S::jacobian(&state, &rates, 2.0), [[193.0, 0.0], [0.0, 1.0 - 6.0 * 4.0]]);
        assert_eq!(S::mass(&[3.0, 3.0]), [6.0, 0.0]);
        let mut outputs = Vec::new();
        S::observe(&state, &rates, 2.0, |_, output| outputs.push(output));
        assert_eq!(outputs, [15.0 * 1.5 + 4.0]);
        let mut breaks = Vec::new();
        S::parameter_breaks(&rates, |time| breaks.push(time));
        assert_eq!(breaks, [4.0]);
        assert!(S::device_source().contains("constant"));
    }
    of(constants);
    let numbers: [f64; 2] = constants::State { first: constants::u, second: 2.0 }.into();
    assert_eq!(numbers, [1.0, 2.0]);
}
