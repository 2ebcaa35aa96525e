//! Hodgkin and Huxley, A quantitative description of membrane current, Journal of Physiology 117
//! (1952), with the resting potential at -65 mV.

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 4] = [-65.0, 0.0529, 0.5961, 0.3177];
/// Standard parameters.
pub const P: [f64; 1] = [10.0];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 30.0);
/// The state at the end of the span, by `tools/references.py`.
pub const REFERENCE: [f64; 4] =
    [-55.372183028435, 0.13727986173301, 0.43073714148508, 0.40313850649847];

/// The squid's giant axon. Time is in milliseconds.
#[ode_system]
pub mod hodgkin_huxley {
    pub struct State {
        /// The potential of the membrane, mV.
        pub potential: f64,
        /// The fraction of open activating gates of sodium.
        pub m: f64,
        /// The fraction of open inactivating gates of sodium.
        pub h: f64,
        /// The fraction of open gates of potassium.
        pub n: f64,
    }

    pub struct Parameters {
        /// The injected current, µA/cm².
        pub current: f64,
    }

    struct Channel {
        /// The maximal conductance, mS/cm².
        conductance: f64,
        /// The reversal potential, mV.
        potential: f64,
    }

    const SODIUM: Channel = Channel { conductance: 120.0, potential: 50.0 };
    const POTASSIUM: Channel = Channel { conductance: 36.0, potential: -77.0 };
    const LEAK: Channel = Channel { conductance: 0.3, potential: -54.387 };

    fn current(channel: &Channel, open: f64, v: f64) -> f64 {
        channel.conductance * open * (v - channel.potential)
    }

    fn gate(open: f64, opens: f64, closes: f64) -> f64 {
        opens * (1.0 - open) - closes * open
    }

    /// The currents of sodium, potassium and the leak, µA/cm².
    #[observable]
    pub fn currents(u: &State) -> [f64; 3] {
        [
            current(&SODIUM, u.m.powi(3) * u.h, u.potential),
            current(&POTASSIUM, u.n.powi(4), u.potential),
            current(&LEAK, 1.0, u.potential),
        ]
    }

    pub fn rhs(u: &State, p: &Parameters) -> State {
        let v = u.potential;
        let m_opens = 0.1 * (v + 40.0) / (1.0 - (-(v + 40.0) / 10.0).exp());
        let m_closes = 4.0 * (-(v + 65.0) / 18.0).exp();
        let h_opens = 0.07 * (-(v + 65.0) / 20.0).exp();
        let h_closes = 1.0 / (1.0 + (-(v + 35.0) / 10.0).exp());
        let n_opens = 0.01 * (v + 55.0) / (1.0 - (-(v + 55.0) / 10.0).exp());
        let n_closes = 0.125 * (-(v + 65.0) / 80.0).exp();
        State {
            potential: p.current - currents(u).iter().sum::<f64>(),
            m: gate(u.m, m_opens, m_closes),
            h: gate(u.h, h_opens, h_closes),
            n: gate(u.n, n_opens, n_closes),
        }
    }
}
