//! Systems, constants and types with the names of variables in an expansion.
//!
//! A unit struct or a constant `u` turns each pattern `u` in its scope into a comparison with it. A
//! type `Real` hides a trait. Such an expansion would not compile.

#![allow(non_upper_case_globals, non_snake_case)]

use odes::__private::System;
use odes::prelude::*;

/// Checks the values of every system here, and its derivatives.
fn check<S: System<2, 2>>(system: S) {
    let (u, p, t) = ([1.5, -0.25], [3.0, 0.5], 2.0);
    assert_eq!(system.rhs(&u, &p, t), [4.0, -0.1875], "{}", system.info().name);
    assert_eq!(system.jacobian(&u, &p, t), [[3.0, 2.0], [-0.125, 0.75]], "{}", system.info().name);
    assert_eq!(
        system.parameter_jacobian(&u, &p, t),
        [[1.5, 0.0], [0.0, -0.375]],
        "{}",
        system.info().name
    );
    assert_eq!(system.time_gradient(&u, &p, t), [-0.25, 0.0], "{}", system.info().name);
    // (5 - J) x for x = (1, 2).
    let factors = system.factor(&u, &p, t, 5.0);
    let [x, y]: [f64; 2] = system.solve(&factors, &[-2.0, 8.625]);
    assert!((x - 1.0).abs() < 1e-14 && (y - 2.0).abs() < 1e-14, "{}: {x} {y}", system.info().name);
    assert!(
        system
            .device_source()
            .unwrap()
            .to_string()
            .contains("rhs(const Arr<R, 2>& u, const Arr<R, 2>& p, R t)")
    );
}

macro_rules! named {
    ($($name:ident)*) => {
        /// Each system in its own module, with a variable of its own name.
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

        /// All systems in one module, in the scope of each other's expansions.
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
    a b du f h k m0 p q s t u v0 v1 w x zero scale matrix jacobian index value put out kept numbers
    text all other rhs call report R N P S T Q System Real Operations LinearEquations Self_
    device_source
}

/// Constants with such names, whose values the macro cannot read.
mod outside {
    pub(super) const u: f64 = 1.0;
    pub(super) const p: f64 = 2.0;
    pub(super) const t: f64 = 3.0;
    pub(super) const w: f64 = 4.0;
    pub(super) const b: f64 = 5.0;
    pub(super) const a: f64 = 6.0;
    pub(super) const v0: f64 = 7.0;
    pub(super) const v1: f64 = 8.0;
    pub(super) const m0: f64 = 9.0;
    pub(super) const zero: f64 = 10.0;
    pub(super) const scale: f64 = 11.0;
    pub(super) const matrix: f64 = 12.0;
    pub(super) const jacobian: f64 = 13.0;
    pub(super) const index: f64 = 14.0;
    pub(super) const value: f64 = 15.0;
    pub(super) const put: f64 = 16.0;
    pub(super) const numbers: f64 = 17.0;
    pub(super) const text: f64 = 18.0;
    pub(super) const constant0_u: f64 = 19.0;
    pub(super) const R: f64 = 20.0;
    pub(super) const N: f64 = 20.0;
    pub(super) const k: [f64; 3] = [0.0, 1.0, 4.0];
    pub(super) const all: [f64; 3] = [0.0, 2.0, 8.0];
}

/// Lookups among these constants, in every kind of generated function.
#[ode_system]
mod constants {
    use super::outside;
    // In the scope of the generated code.
    use super::outside::{
        N, R, a, all, b, constant0_u, index, jacobian, k, m0, matrix, numbers, p, put, scale, t,
        text, u, v0, v1, value, w, zero,
    };

    pub(super) struct State {
        pub(super) first: f64,
        pub(super) second: f64,
    }

    #[mass_matrix]
    const M: [f64; 2] = [outside::p, 0.0];

    fn rhs(state: &State, rates: &[f64; 1], time: f64) -> State {
        let sum = outside::u + outside::p + outside::t + outside::w + outside::b + outside::a;
        let sum = sum + outside::v0 + outside::v1 + outside::m0 + outside::zero + outside::scale;
        let sum = sum + outside::matrix + outside::jacobian + outside::index + outside::value;
        let sum = sum + outside::put + outside::numbers + outside::text + outside::constant0_u;
        let sum = sum + R - N;
        let pulse = if time < rates[0] + outside::t { 1.0 } else { 0.0 };
        State {
            first: sum * state.first + interp_linear(&outside::k, state.first) + pulse,
            second: state.second
                - interp_linear(&outside::all, state.second + outside::p) * outside::w,
        }
    }

    #[observable]
    fn output(state: &State) -> f64 {
        outside::value * state.first + outside::k[2]
    }

    fn is_out_of_domain(state: &State) -> bool {
        state.first > outside::constant0_u
    }
}

#[test]
fn constants_have_any_name() {
    fn of<S: System<2, 1>>(system: S) {
        let (state, rates) = ([1.5, -0.5], [1.0]);
        // 1 + 2 + … + 19 is 190, and the pulse ends at rates[0] + 3.
        let second = -0.5 - 5.0 * 4.0;
        assert_eq!(system.rhs(&state, &rates, 2.0), [190.0 * 1.5 + 2.5 + 1.0, second]);
        assert_eq!(system.rhs(&state, &rates, 5.0), [190.0 * 1.5 + 2.5, second]);
        assert_eq!(system.jacobian(&state, &rates, 2.0), [[193.0, 0.0], [0.0, 1.0 - 6.0 * 4.0]]);
        assert_eq!(system.mass(&[3.0, 3.0]), [6.0, 0.0]);
        let mut outputs = Vec::new();
        system.observe(&state, &rates, 2.0, |_, output| outputs.push(output));
        assert_eq!(outputs, [15.0 * 1.5 + 4.0]);
        let mut breaks = Vec::new();
        system.parameter_breaks(&rates, |time| breaks.push(time));
        assert_eq!(breaks, [4.0]);
        let text = system.device_source().unwrap().to_string();
        for name in ["double constant10_scale = 1.1e1;", "table0_k[3]", "table1_all[3]"] {
            assert!(text.contains(name), "{name}: {text}");
        }
    }
    of(constants);
    let numbers: [f64; 2] = constants::State { first: outside::u, second: 2.0 }.into();
    assert_eq!(numbers, [1.0, 2.0]);
}

/// Also if the system is only visible in a function.
#[test]
fn systems_inside_functions_have_any_name() {
    #[ode_system]
    fn u(u: &[f64; 2], p: &[f64; 2], t: f64) -> [f64; 2] {
        [p[0] * u[0] + t * u[1], p[1] * u[0] * u[1]]
    }
    check(u);
    assert_eq!(u::call(&[1.5, -0.25], &[3.0, 0.5], 2.0), [4.0, -0.1875]);
}
