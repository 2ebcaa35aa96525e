//! Functions that right-hand sides of other crates call.

/// Functions of the time of the day.
pub mod weather {
    /// Temperatures by the hour; the last one equals the first.
    const TEMPERATURE: [f64; 5] = [9.5, 11.0, 17.25, 14.0, 9.5];

    /// Returns the temperature at a time in days.
    #[odes::ode_fn]
    pub fn temperature(t: f64) -> f64 {
        use odes::interp_cubic;
        const LENGTH: f64 = 4.0;
        fn between(table: &[f64; 5], x: f64) -> f64 {
            interp_cubic(table, x)
        }
        between(&TEMPERATURE, t.rem_euclid(1.0) * LENGTH) - TEMPERATURE[2]
    }
}

/// Functions of temperatures.
pub mod arrhenius {
    /// Gas constant, J/(mol K).
    const R: f64 = 8.314_462_618;

    /// Returns the rate constant at a temperature in K, for an activation energy in J/mol.
    #[odes::ode_fn]
    pub fn rate(factor: f64, activation: f64, temperature: f64) -> f64 {
        factor * (-activation / (R * temperature)).exp()
    }

    /// Returns the rate constants of several reactions.
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
