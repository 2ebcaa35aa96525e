//! Uppal, Ray and Poore, On the dynamic behavior of continuous stirred tank reactors, Chemical
//! Engineering Science 29 (1974).

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 2] = [0.5, 2.0];
/// Standard parameters.
pub const P: [f64; 4] = [0.135, 20.0, 11.0, 1.5];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 10.0);
/// The state at the end of the span, by `tools/references.py`.
pub const REFERENCE: [f64; 2] = [0.45237182090921, 1.9302799100435];

/// A self-heating reaction: conversion and temperature, dimensionless.
///
/// The parameters are the Damköhler number, the activation energy, the heat of the reaction and the
/// cooling.
#[ode_system]
pub fn stirred_tank(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 4], _t: f64) {
    /// Arrhenius' law, relative to the rate at the temperature 0.
    fn arrhenius(energy: f64, temperature: f64) -> f64 {
        (temperature / (1.0 + temperature / energy)).exp()
    }

    let [conversion, temperature] = *u;
    let [damkohler, energy, heat, cooling] = *p;
    let reacted = damkohler * (1.0 - conversion) * arrhenius(energy, temperature);
    du[0] = reacted - conversion;
    du[1] = heat * reacted - temperature - cooling * temperature;
}
