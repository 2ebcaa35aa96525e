//! Functions that right-hand sides of other crates call.

/// Of temperatures.
pub mod arrhenius {
    /// Gas constant, J/(mol K).
    const R: f64 = 8.314_462_618;

    /// The rate constant at a temperature in K, for an activation energy in J/mol.
    #[odes::ode_fn]
    pub fn rate(factor: f64, activation: f64, temperature: f64) -> f64 {
        factor * (-activation / (R * temperature)).exp()
    }

    /// Those of several reactions.
    #[odes::ode_fn]
    pub fn rates<const N: usize>(
        factors: &[f64; N],
        activations: &[f64; N],
        temperature: f64,
    ) -> [f64; N] {
        use self::rate as single;
        let mut rates = [0.0; N];
        for i in 0..N {
            rates[i] = single(factors[i], activations[i], temperature);
        }
        rates
    }
}
