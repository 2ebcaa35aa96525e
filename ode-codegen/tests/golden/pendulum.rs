mod pendulum {
    const MASS: f64 = 2.0;

    pub struct State {
        pub angle: f64,
        pub speed: f64,
        pub tension: f64,
    }

    /// The tension has no derivative.
    #[mass_matrix]
    const M: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, MASS, 0.0], [0.0, 0.0, 0.0]];

    fn rhs(u: &State, p: &[f64; 2]) -> State {
        let [gravity, length] = *p;
        State {
            angle: u.speed,
            speed: -MASS * gravity / length * u.angle.sin(),
            tension: u.tension - MASS * (length * u.speed.powi(2) + gravity * u.angle.cos()),
        }
    }

    /// A rope cannot push.
    fn is_out_of_domain(u: &State) -> bool {
        u.tension < 0.0
    }
}
