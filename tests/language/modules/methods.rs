use odes::ode_system;

#[ode_system]
pub(crate) mod rule {
    pub(crate) struct Parameters {
        pub(crate) rate: f64,
        pub(crate) saturation: f64,
    }

    impl Parameters {
        fn uptake(&self, x: f64) -> f64 {
            self.rate * x / (self.saturation + x.abs())
        }
    }

    pub(crate) fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
        [-p.uptake(u[0])]
    }
}
