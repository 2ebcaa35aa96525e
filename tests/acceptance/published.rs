//! Published reference solutions, against the references of the models.
//!
//! `tools/references.py` computes the models' references in long arithmetic. The Bari test set
//! (Mazzia and Magherini, Test Set for Initial Value Problem Solvers, release 2.4, 2008) has
//! references of several models, most by RADAU5 and RADAU in arithmetic of 19 digits. They are here
//! with all digits of its files.
//! files have.

#![allow(clippy::excessive_precision)]

use odes_models::{hires, oregonator, pleiades, pollution, robertson, stiff_van_der_pol};

/// Asserts that each component agrees within this relative difference.
#[track_caller]
fn agrees<const N: usize>(name: &str, ours: [f64; N], published: [f64; N], within: f64) {
    for (i, (x, expected)) in ours.into_iter().zip(published).enumerate() {
        let error = (x / expected - 1.0).abs();
        assert!(error < within, "{name}, component {i}: {x:e} and {expected:e}, {error:.1e}");
    }
}

/// Rounding errors affect only the last digits of both references.
///
/// Ours have fourteen digits, and the published ones sixteen.
#[test]
fn the_bari_test_set_agrees() {
    agrees("hires", hires::REFERENCE, HIRES, 1e-13);
    agrees("pollution", pollution::REFERENCE, POLLUTION, 1e-13);
    agrees("robertson", robertson::REFERENCE, ROBERTSON, 1e-13);
    agrees("stiff_van_der_pol", stiff_van_der_pol::REFERENCE, VAN_DER_POL, 1e-13);
    // Fewer digits of the published solutions are right.
    agrees("oregonator", oregonator::REFERENCE, OREGONATOR, 5e-13);
    agrees("pleiades", pleiades::REFERENCE, PLEIADES, 5e-12);
}

const HIRES: [f64; 8] = [
    7.371312573325668e-4,
    1.442485726316185e-4,
    5.888729740967575e-5,
    1.175651343283149e-3,
    2.386356198831331e-3,
    6.238968252742796e-3,
    2.849998395185769e-3,
    2.850001604814231e-3,
];

const POLLUTION: [f64; 20] = [
    5.646255480022769e-2,
    1.342484130422339e-1,
    4.139734331099427e-9,
    5.523140207484359e-3,
    2.018977262302196e-7,
    1.464541863493966e-7,
    7.784249118997964e-2,
    3.245075353396018e-1,
    7.494013383880406e-3,
    1.622293157301561e-8,
    1.135863833257075e-8,
    2.230505975721359e-3,
    2.087162882798630e-4,
    1.396921016840158e-5,
    8.964884856898295e-3,
    4.352846369330103e-18,
    6.899219696263405e-3,
    1.007803037365946e-4,
    1.772146513969984e-6,
    5.682943292316392e-5,
];

const ROBERTSON: [f64; 3] = [2.083340149701255e-8, 8.333360770334713e-14, 9.999999791665050e-1];

const VAN_DER_POL: [f64; 2] = [1.706167732170483, -8.928097010247975e-1];

const OREGONATOR: [f64; 3] = [1.000814870318523, 1.228178521549917e3, 1.320554942846706e2];

const PLEIADES: [f64; 28] = [
    3.706139143970502e-1,
    3.237284092057233,
    -3.222559032418324,
    6.597091455775310e-1,
    3.425581707156584e-1,
    1.562172101400631,
    -7.003092922212495e-1,
    -3.943437585517392,
    -3.271380973972550,
    5.225081843456543,
    -2.590612434977470,
    1.198213693392275,
    -2.429682344935824e-1,
    1.091449240428980,
    3.417003806314313,
    1.354584501625501,
    -2.590065597810775,
    2.025053734714242,
    -1.155815100160448,
    -8.072988170223021e-1,
    5.952396354208710e-1,
    -3.741244961234010,
    3.773459685750630e-1,
    9.386858869551073e-1,
    3.667922227200571e-1,
    -3.474046353808490e-1,
    2.344915448180937,
    -1.947020434263292,
];
