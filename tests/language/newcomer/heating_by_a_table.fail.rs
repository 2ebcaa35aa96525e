//! A house heated after a table of the weather, looked up by the hour.

use odes::ode_system;

const WEATHER: [f64; 24] = [8.0; 24];

#[ode_system]
fn house(du: &mut [f64; 1], u: &[f64; 1], p: &[f64; 2], t: f64) {
    let hour = (t / 3600.0) as usize % 24;
    let outside = WEATHER[hour];
    let heating = match u[0] < 18.0 {
        true => p[1],
        false => 0.0,
    };
    du[0] = p[0] * (outside - u[0]) + heating;
}

fn main() {}
