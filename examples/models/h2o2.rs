//! Smith and others, GRI-Mech 3.0 (1999), <http://combustion.berkeley.edu/gri-mech>: its hydrogen
//! and oxygen, as in `h2o2.yaml` of Cantera 3.2, with 8 reacting species in nitrogen and 28
//! reactions. Argon is left out, and so is the reaction that needs it.

use odes::lane::Scalar;
use odes::system::Rhs;
use odes::{Trajectory, ode_fn, ode_system};

/// A standard atmosphere, in Pa.
pub const ATMOSPHERE: f64 = 101_325.0;

/// Standard initial state: stoichiometric hydrogen in air at 1100 K.
pub const U0: [f64; 9] =
    [1100.0, 0.028522387527567396, 0.0, 0.0, 0.22635400697100733, 0.0, 0.0, 0.0, 0.0];
/// Standard parameters: atmospheric pressure, and the mass fraction of nitrogen.
pub const P: [f64; 2] = [ATMOSPHERE, 0.7451236055014252];
/// Time span: until the gas burns.
pub const SPAN: (f64, f64) = (0.0, 1e-4);
/// The state at the end of the span, by `tools/references.py`.
pub const REFERENCE: [f64; 9] = [
    1939.9863621086,
    0.0053295544128698,
    0.0031959737120925,
    0.014469488776171,
    0.045112045194655,
    0.0171360498429,
    0.16960951416065,
    2.2507499726181e-5,
    1.2608995078306e-6,
];
/// Ignition delays of stoichiometric hydrogen in air: the times until the gas is 400 K warmer.
///
/// They are by Cantera's CVODES with tolerances of 1e-11 and 1e-22
/// (`bench/peers/ignition.py --references`): pressures in atmospheres, temperatures in K, times in s.
pub const DELAYS: [(f64, f64, f64); 12] = [
    (0.1, 850.0, 7.4887691e-3),
    (0.1, 950.0, 2.3592802e-3),
    (0.1, 1100.0, 9.4237500e-4),
    (0.1, 1400.0, 6.4516517e-4),
    (1.0, 850.0, 1.8557508),
    (1.0, 950.0, 8.9515875e-3),
    (1.0, 1100.0, 8.8956309e-5),
    (1.0, 1400.0, 2.2015112e-5),
    (10.0, 850.0, 4.8486546e-1),
    (10.0, 950.0, 2.9574905e-2),
    (10.0, 1100.0, 8.8033692e-4),
    (10.0, 1400.0, 2.3085290e-6),
];

/// Returns initial state and parameters of hydrogen in air at a temperature, a ratio and a
/// pressure.
///
/// The temperature is in K, the equivalence ratio is 1 for a stoichiometric mixture, and the
/// pressure is in Pa. Air has 3.76 molecules of nitrogen for each molecule of oxygen.
pub fn in_air(temperature: f64, ratio: f64, pressure: f64) -> ([f64; 9], [f64; 2]) {
    let (hydrogen, oxygen, nitrogen) = (2.0 * ratio * 2.016, 31.998, 3.76 * 28.014);
    let all = hydrogen + oxygen + nitrogen;
    let u0 = [temperature, hydrogen / all, 0.0, 0.0, oxygen / all, 0.0, 0.0, 0.0, 0.0];
    (u0, [pressure, nitrogen / all])
}

/// Returns initial state and parameters for entry `i` of the [`DELAYS`].
pub fn of_delay(i: usize) -> ([f64; 9], [f64; 2]) {
    let (pressure, temperature, _) = DELAYS[i];
    in_air(temperature, 1.0, pressure * ATMOSPHERE)
}

/// Returns initial state and parameters for `ignition`, from those for `h2o2`.
///
/// A gas counts as ignited when it is 400 K warmer.
pub fn until_ignition((u0, p): ([f64; 9], [f64; 2])) -> ([f64; 10], [f64; 3]) {
    let mut with_delay = [0.0; 10];
    with_delay[..9].copy_from_slice(&u0);
    (with_delay, [p[0], p[1], u0[0] + 400.0])
}

/// Returns the ignition delay of a trajectory saved at the end of every step (`SaveAt::Steps`).
///
/// This is the first time at which the gas is 400 K warmer than at the beginning. It is computed
/// from the cubic through the temperatures and their derivatives at both ends of that step. Returns
/// `None` if the gas never ignites.
pub fn ignition_delay<T: Scalar>(trajectory: Trajectory<'_, h2o2::Model, T, 9, 2>) -> Option<f64> {
    let ignited = trajectory.u0().temperature + 400.0;
    let temperature = |slot| trajectory.state(slot).temperature;
    let after = (0..trajectory.len()).find(|&slot| temperature(slot) >= ignited)?;
    let before = after.checked_sub(1)?;
    let (begin, end) = (trajectory.time(before).widen(), trajectory.time(after).widen());
    let p: [f64; 2] = trajectory.p().into();
    let rise = |slot| {
        let u: [f64; 9] = trajectory.state(slot).into();
        h2o2.rhs(&u, &p, trajectory.time(slot).widen())[0] * (end - begin)
    };
    let (a, b) = (temperature(before), temperature(after));
    let (slope_a, slope_b) = (rise(before), rise(after));
    let cubic = |x: f64| {
        a + x * x * (3.0 - 2.0 * x) * (b - a) + x * (1.0 - x) * ((1.0 - x) * slope_a - x * slope_b)
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if cubic(middle) < ignited { low = middle } else { high = middle }
    }
    Some(begin + high * (end - begin))
}

/// The derivatives of the temperature (K) and of the mass fractions of H2, H, O, O2, OH, H2O, HO2
/// and H2O2, in that order, in an adiabatic gas at constant pressure (Pa). `nitrogen` is the
/// remaining mass fraction. Time is in s; the function computes in g, cm, mol and cal, like
/// mechanism files.
#[ode_fn]
pub fn burning(
    temperature: f64,
    fractions: [f64; 8],
    pressure: f64,
    nitrogen: f64,
) -> (f64, [f64; 8]) {
    // The reacting species.
    const H2: usize = 0;
    const H: usize = 1;
    const O: usize = 2;
    const O2: usize = 3;
    const OH: usize = 4;
    const H2O: usize = 5;
    const HO2: usize = 6;
    const H2O2: usize = 7;
    const SPECIES: usize = 8;
    // A species with tables that does not react.
    const N2: usize = 8;

    /// The gas constant, J/(mol K).
    const R: f64 = 8.31446261815324;
    /// The gas constant in calories, cal/(mol K), for activation energies.
    const R_CAL: f64 = R / 4.184;
    /// The pressure of the thermodynamic tables.
    const STANDARD_PRESSURE: f64 = 101_325.0;
    /// Molar masses of H and O, and of N2.
    const MASS_H: f64 = 1.008;
    const MASS_O: f64 = 15.999;
    const MASS_N2: f64 = 28.014;

    /// Atoms of hydrogen and of oxygen.
    const ATOMS: [[usize; 2]; SPECIES] =
        [[2, 0], [1, 0], [0, 1], [0, 2], [1, 1], [2, 1], [1, 2], [2, 2]];

    /// The temperature at which the polynomials of the tables meet.
    const MEET: f64 = 1000.0;
    /// NASA's polynomials up to that temperature: `[a1, …, a5]` of each species.
    #[rustfmt::skip]
    const COLD: [[f64; 5]; SPECIES + 1] = [
        [2.34433112, 0.00798052075, -1.9478151e-5, 2.01572094e-8, -7.37611761e-12],
        [2.5, 7.05332819e-13, -1.99591964e-15, 2.30081632e-18, -9.27732332e-22],
        [3.1682671, -0.00327931884, 6.64306396e-6, -6.12806624e-9, 2.11265971e-12],
        [3.78245636, -0.00299673416, 9.84730201e-6, -9.68129509e-9, 3.24372837e-12],
        [3.99201543, -0.00240131752, 4.61793841e-6, -3.88113333e-9, 1.3641147e-12],
        [4.19864056, -0.0020364341, 6.52040211e-6, -5.48797062e-9, 1.77197817e-12],
        [4.30179801, -0.00474912051, 2.11582891e-5, -2.42763894e-8, 9.29225124e-12],
        [4.27611269, -0.000542822417, 1.67335701e-5, -2.15770813e-8, 8.62454363e-12],
        [3.298677, 0.0014082404, -3.963222e-6, 5.641515e-9, -2.444854e-12],
    ];
    /// NASA's polynomials above that temperature.
    #[rustfmt::skip]
    const HOT: [[f64; 5]; SPECIES + 1] = [
        [3.3372792, -4.94024731e-5, 4.99456778e-7, -1.79566394e-10, 2.00255376e-14],
        [2.50000001, -2.30842973e-11, 1.61561948e-14, -4.73515235e-18, 4.98197357e-22],
        [2.56942078, -8.59741137e-5, 4.19484589e-8, -1.00177799e-11, 1.22833691e-15],
        [3.28253784, 0.00148308754, -7.57966669e-7, 2.09470555e-10, -2.16717794e-14],
        [3.09288767, 0.000548429716, 1.26505228e-7, -8.79461556e-11, 1.17412376e-14],
        [3.03399249, 0.00217691804, -1.64072518e-7, -9.7041987e-11, 1.68200992e-14],
        [4.0172109, 0.00223982013, -6.3365815e-7, 1.1424637e-10, -1.07908535e-14],
        [4.16500285, 0.00490831694, -1.90139225e-6, 3.71185986e-10, -2.87908305e-14],
        [2.92664, 0.0014879768, -5.68476e-7, 1.0097038e-10, -6.753351e-15],
    ];
    /// The constants of integration: `[a6, a7]`.
    const COLD_CONSTANTS: [[f64; 2]; SPECIES + 1] = [
        [-917.935173, 0.683010238],
        [25473.6599, -0.446682853],
        [29122.2592, 2.05193346],
        [-1063.94356, 3.65767573],
        [3615.08056, -0.103925458],
        [-30293.7267, -0.849032208],
        [294.80804, 3.71666245],
        [-17702.5821, 3.43505074],
        [-1020.8999, 3.950372],
    ];
    const HOT_CONSTANTS: [[f64; 2]; SPECIES + 1] = [
        [-950.158922, -3.20502331],
        [25473.6599, -0.446682914],
        [29217.5791, 4.78433864],
        [-1088.45772, 5.45323129],
        [3858.657, 4.4766961],
        [-30004.2971, 4.9667701],
        [111.856713, 3.78510215],
        [-17861.7877, 2.91615662],
        [-922.7977, 5.980528],
    ];

    /// Reactants, products, and the `[A, b, E]` of the rate constant `A T^b exp(-E/RT)`.
    const BIMOLECULAR: [([usize; 2], [usize; 2], [f64; 3]); 17] = [
        ([O, H2], [H, OH], [38700.0, 2.7, 6260.0]),
        ([O, HO2], [OH, O2], [2e13, 0.0, 0.0]),
        ([O, H2O2], [OH, HO2], [9.63e6, 2.0, 4000.0]),
        ([H, O2], [O, OH], [2.65e16, -0.6707, 17041.0]),
        ([H, HO2], [O, H2O], [3.97e12, 0.0, 671.0]),
        ([H, HO2], [O2, H2], [4.48e13, 0.0, 1068.0]),
        ([H, HO2], [OH, OH], [8.4e13, 0.0, 635.0]),
        ([H, H2O2], [HO2, H2], [1.21e7, 2.0, 5200.0]),
        ([H, H2O2], [OH, H2O], [1e13, 0.0, 3600.0]),
        ([OH, H2], [H, H2O], [2.16e8, 1.51, 3430.0]),
        ([OH, OH], [O, H2O], [35700.0, 2.4, -2110.0]),
        ([OH, HO2], [O2, H2O], [1.45e13, 0.0, -500.0]),
        ([OH, H2O2], [HO2, H2O], [2e12, 0.0, 427.0]),
        ([OH, H2O2], [HO2, H2O], [1.7e18, 0.0, 29410.0]),
        ([HO2, HO2], [O2, H2O2], [1.3e11, 0.0, -1630.0]),
        ([HO2, HO2], [O2, H2O2], [4.2e14, 0.0, 12000.0]),
        ([OH, HO2], [O2, H2O], [5e15, 0.0, 17330.0]),
    ];

    /// `A T^b exp(-E/RT)`, E in cal/mol.
    fn arrhenius(rate: [f64; 3], ln_t: f64, per_rt: f64) -> f64 {
        let [a, b, energy] = rate;
        a * (b * ln_t - energy * per_rt).exp()
    }

    /// `T^b`.
    fn power(b: f64, ln_t: f64) -> f64 {
        (b * ln_t).exp()
    }

    fn dot(a: [f64; 5], b: [f64; 5]) -> f64 {
        a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>()
    }

    /// Lindemann's falloff with Troe's broadening, for the recombination of OH.
    ///
    /// Returns the rate constant at the reduced pressure `reduced`, relative to its high-pressure
    /// limit.
    fn troe(t: f64, reduced: f64) -> f64 {
        let center = (1.0 - 0.7346) * (t * (-1.0 / 94.0)).exp()
            + 0.7346 * (t * (-1.0 / 1756.0)).exp()
            + (-5182.0 / t).exp();
        let ln_center = center.ln();
        // The formula uses decimal logarithms.
        let ln_10 = std::f64::consts::LN_10;
        let x = reduced.ln() - 0.4 * ln_10 - 0.67 * ln_center;
        let width = 0.75 * ln_10 - 1.27 * ln_center - 0.14 * x;
        let ratio = x / width;
        reduced / (1.0 + reduced) * (ln_center / (1.0 + ratio * ratio)).exp()
    }

    let t = temperature;
    let ln_t = t.ln();
    let per_t = 1.0 / t;
    let per_rt = per_t * (1.0 / R_CAL);

    // Moles of each species in a gram of gas, moles of all, and grams in a cubic centimetre.
    let mut mass = [0.0; SPECIES];
    for i in 0..SPECIES {
        let [hydrogen, oxygen] = ATOMS[i];
        mass[i] = hydrogen as f64 * MASS_H + oxygen as f64 * MASS_O;
    }
    let n: [f64; SPECIES] = std::array::from_fn(|i| fractions[i] * (1.0 / mass[i]));
    let nitrogen = nitrogen * (1.0 / MASS_N2);
    let all = n.iter().sum::<f64>() + nitrogen;
    let density = pressure * (1e-6 / R) * per_t / all;

    // Heat capacity (in R), enthalpy (in R) and Gibbs function (in RT) of each species.
    let (t2, t3, t4) = (t * t, t * t * t, t * t * t * t);
    let a: [[f64; 5]; SPECIES + 1] =
        std::array::from_fn(|i| if t > MEET { HOT[i] } else { COLD[i] });
    let constants: [[f64; 2]; SPECIES + 1] =
        std::array::from_fn(|i| if t > MEET { HOT_CONSTANTS[i] } else { COLD_CONSTANTS[i] });
    let heat_capacity = a.map(|a| dot(a, [1.0, t, t2, t3, t4]));
    let enthalpy: [f64; SPECIES] = std::array::from_fn(|i| {
        constants[i][0] + dot(a[i], [t, t2 / 2.0, t3 * (1.0 / 3.0), t4 / 4.0, t4 * t * 0.2])
    });
    let gibbs: [f64; SPECIES] = std::array::from_fn(|i| {
        let [a6, a7] = constants[i];
        dot(a[i], [1.0 - ln_t, -t / 2.0, t2 * (-1.0 / 6.0), t3 * (-1.0 / 12.0), t4 * -0.05])
            + a6 * per_t
            - a7
    });

    // Each species in equilibrium with H2 and O2 at the standard pressure, relative to its
    // concentration `standard`. Equilibrium constants are quotients of these values.
    let standard = STANDARD_PRESSURE * 1e-6 / R * per_t;
    let (g_h, g_o) = (gibbs[H2] / 2.0, gibbs[O2] / 2.0);
    let equilibrium: [f64; SPECIES] = std::array::from_fn(|i| {
        if i == H2 || i == O2 {
            1.0
        } else {
            let [hydrogen, oxygen] = ATOMS[i];
            (hydrogen as f64 * g_h + oxygen as f64 * g_o - gibbs[i]).exp()
        }
    });
    let z: [f64; SPECIES] = std::array::from_fn(|i| n[i] / equilibrium[i]);

    // Rates of production in mol/(g s); the rates of bimolecular reactions are divided by the
    // density.
    let mut bimolecular = [0.0; SPECIES];
    for ([a, b], [d, e], rate) in BIMOLECULAR {
        let forward = n[a] * n[b];
        let reverse = equilibrium[a] * equilibrium[b] * (z[d] * z[e]);
        let speed = arrhenius(rate, ln_t, per_rt) * (forward - reverse);
        bimolecular[a] -= speed;
        bimolecular[b] -= speed;
        bimolecular[d] += speed;
        bimolecular[e] += speed;
    }

    // Recombinations, with third bodies of different efficiencies.
    let radicals = n[H2] + n[H] + n[O] + n[OH] + n[HO2] + n[H2O2];
    let to_ho2 = 2.8e18 * power(-0.86, ln_t) * radicals
        + (2.08e19 * n[O2] + 2.6e19 * nitrogen) * power(-1.24, ln_t)
        + 1.126e19 * power(-0.76, ln_t) * n[H2O];
    let to_h2 = 1e18 * per_t * (all - n[H2] - n[H2O])
        + 9e16 * power(-0.6, ln_t) * n[H2]
        + 6e19 * power(-1.25, ln_t) * n[H2O];
    let low = arrhenius([2.3e18, -0.9, -1700.0], ln_t, per_rt);
    let high = 7.4e13 * power(-0.37, ln_t);
    let third = all + n[H2] + 5.0 * n[H2O];
    let recombinations = [
        (O, O, O2, density * (1.2e17 * per_t * (all + 1.4 * n[H2] + 14.4 * n[H2O]))),
        (O, H, OH, density * (5e17 * per_t * third)),
        (H, O2, HO2, density * to_ho2),
        (H, H, H2, density * to_h2),
        (H, OH, H2O, density * (2.2e22 * per_t * per_t * (all - 0.27 * n[H2] + 2.65 * n[H2O]))),
        (OH, OH, H2O2, high * troe(t, low / high * (density * third))),
    ];
    let mut made = bimolecular.map(|moles| density * moles);
    for (a, b, product, k) in recombinations {
        let reverse = standard * (equilibrium[a] * equilibrium[b]) * z[product];
        let speed = k * (density * (n[a] * n[b]) - reverse);
        made[a] -= speed;
        made[b] -= speed;
        made[product] += speed;
    }

    let mut capacity = heat_capacity[N2] * nitrogen;
    let mut heat = 0.0;
    for i in 0..SPECIES {
        capacity += heat_capacity[i] * n[i];
        heat -= enthalpy[i] * made[i];
    }
    let changes: [f64; SPECIES] = std::array::from_fn(|i| mass[i] * made[i]);
    (heat / capacity, changes)
}

/// Hydrogen burning in air: a homogeneous adiabatic reactor at constant pressure.
#[ode_system]
pub mod h2o2 {
    use super::burning;

    pub struct State {
        /// In K.
        pub temperature: f64,
        /// Mass fractions of H2, H, O, O2, OH, H2O, HO2 and H2O2.
        pub fractions: [f64; 8],
    }

    pub struct Parameters {
        /// In Pa.
        pub pressure: f64,
        /// The mass fraction of nitrogen.
        pub nitrogen: f64,
    }

    pub fn rhs(u: &State, p: &Parameters) -> State {
        let (temperature, fractions) = burning(u.temperature, u.fractions, p.pressure, p.nitrogen);
        State { temperature, fractions }
    }
}

/// The reactor of `h2o2`, with its ignition delay as an unknown.
///
/// For many trajectories it suffices to save the final state. Without ignition, the delay is the
/// time span.
#[ode_system]
pub mod ignition {
    use super::burning;

    pub struct State {
        pub temperature: f64,
        pub fractions: [f64; 8],
        /// The time below the temperature `ignited`; zero at the beginning.
        pub delay: f64,
    }

    pub struct Parameters {
        pub pressure: f64,
        pub nitrogen: f64,
        /// In K.
        pub ignited: f64,
    }

    pub fn rhs(u: &State, p: &Parameters) -> State {
        let (temperature, fractions) = burning(u.temperature, u.fractions, p.pressure, p.nitrogen);
        let delay = if u.temperature < p.ignited { 1.0 } else { 0.0 };
        State { temperature, fractions, delay }
    }
}
