//! Sandu and others, Benchmarking stiff ODE solvers for atmospheric chemistry problems II,
//! Atmospheric Environment 31 (1997), the small mechanism of KPP. The rates are functions of the
//! temperature by DeMore and others, Chemical Kinetics and Photochemical Data, JPL 92-20 (1992).

use std::f64::consts::PI;

use odes::ode_system;

const HOUR: f64 = 3600.0;

/// Standard initial state.
pub const U0: [f64; 5] = [99.06, 6.624e8, 5.326e11, 8.725e8, 2.24e8];
/// Standard parameters. At this temperature the rates equal those in KPP's file to three digits.
pub const P: [f64; 3] = [241.42, 8.12e16, 1.697e16];
/// Time span: from noon, three days.
pub const SPAN: (f64, f64) = (12.0 * HOUR, 84.0 * HOUR);
/// The state at the end of the span, by `tools/references.py`.
pub const REFERENCE: [f64; 5] =
    [141.13673171377, 9.4680221718537e8, 7.6209864514908e11, 9.1317513902874e8, 1.8332486097126e8];

/// Ozone at 25 km, under a sun that rises and sets.
///
/// The components are excited and ground-state oxygen atoms, ozone, nitric oxide and dioxide
/// (1/cm³). The parameters are the temperature (K), and air and oxygen (1/cm³). Time is in seconds
/// from midnight.
#[ode_system]
pub fn stratosphere(du: &mut [f64; 5], u: &[f64; 5], p: &[f64; 3], t: f64) {
    const SUNRISE: f64 = 4.5;
    const SUNSET: f64 = 19.5;

    /// The intensity of light, as a fraction of noon's.
    fn sun(t: f64) -> f64 {
        let hour = 24.0 * (t / (24.0 * HOUR)).fract();
        let from_noon = (2.0 * hour - SUNRISE - SUNSET) / (SUNSET - SUNRISE);
        if from_noon.abs() < 1.0 { 0.5 * (1.0 + (PI * from_noon * from_noon).cos()) } else { 0.0 }
    }

    let [singlet, atom, ozone, no, no2] = *u;
    let [temperature, air, oxygen] = *p;
    let arrhenius = |a: f64, activation: f64| a * (-activation / temperature).exp();
    let three_bodies = |a: f64, n: f64| a * (temperature / 300.0).powf(-n) * air;
    let light = sun(t);

    // Light splits oxygen, ozone (into either atom), and nitrogen dioxide.
    let split_oxygen = 2.643e-10 * light.powi(3) * oxygen;
    let split_ozone = 6.12e-4 * light * ozone;
    let split_ozone_to_singlet = 1.07e-3 * light.powi(2) * ozone;
    let split_no2 = 1.289e-2 * light * no2;

    let ozone_formed = three_bodies(6e-34, 2.3) * atom * oxygen;
    let atom_and_ozone = arrhenius(8e-12, 2060.0) * atom * ozone;
    let quenched = (arrhenius(1.8e-11, -110.0) + arrhenius(3.2e-11, -70.0)) * singlet * air;
    let singlet_and_ozone = 1.2e-10 * singlet * ozone;
    let no_and_ozone = arrhenius(2e-12, 1400.0) * no * ozone;
    let no2_and_atom = arrhenius(6.5e-12, -120.0) * no2 * atom;

    let to_no2 = no_and_ozone - no2_and_atom - split_no2;
    du[0] = split_ozone_to_singlet - quenched - singlet_and_ozone;
    du[1] = 2.0 * split_oxygen - ozone_formed + split_ozone - atom_and_ozone + quenched
        - no2_and_atom
        + split_no2;
    du[2] = ozone_formed
        - split_ozone
        - atom_and_ozone
        - split_ozone_to_singlet
        - singlet_and_ozone
        - no_and_ozone;
    du[3] = -to_no2;
    du[4] = to_no2;
}
