use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    const HALF: f64 = 0.5;
    static RATES: Rates = [HALF, 1.0];
    type Rates = [f64; 2];
    struct Flow {
        rate: f64,
    }
    impl Flow {
        fn of(rate: f64) -> Self {
            Self { rate }
        }
        fn from(&self, x: f64) -> f64 {
            self.rate * x
        }
    }
    let rates: Rates = RATES;
    du[0] = Flow::of(rates[0]).from(u[1]);
    du[1] = Flow { rate: -rates[1] }.from(u[0]);
}
