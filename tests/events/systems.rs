//! Systems with events.

use odes::prelude::*;

/// A ball that falls to the ground.
#[ode_system]
pub(crate) mod ball {
    pub struct State {
        pub height: f64,
        pub velocity: f64,
    }

    pub struct Parameters {
        pub gravity: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { height: u.velocity, velocity: -p.gravity }
    }

    #[event(falling, stop)]
    fn ground(u: &State) -> f64 {
        u.height
    }
}

/// A ball whose velocity changes sign at the position that the integrator finds, a little below or
/// above the ground.
#[ode_system]
pub(crate) mod turning {
    pub struct State {
        pub height: f64,
        pub velocity: f64,
    }

    pub struct Parameters {
        pub gravity: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { height: u.velocity, velocity: -p.gravity }
    }

    #[event(falling)]
    fn ground(u: &State) -> f64 {
        u.height
    }

    #[action(ground)]
    fn bounce(u: &State) -> State {
        State { velocity: -u.velocity, ..*u }
    }
}

/// A ball that bounces between two walls while it falls.
#[ode_system]
pub(crate) mod walls {
    pub struct State {
        pub x: f64,
        pub vx: f64,
        pub y: f64,
        pub vy: f64,
    }

    fn rhs(u: &State) -> State {
        State { x: u.vx, vx: 0.0, y: u.vy, vy: -9.8 }
    }

    #[event(falling, log)]
    fn ground(u: &State) -> f64 {
        u.y
    }

    #[action(ground)]
    fn up(u: &State) -> State {
        State { vy: -0.9 * u.vy, ..*u }
    }

    #[event(both, log)]
    fn wall(u: &State) -> f64 {
        u.x * (u.x - 10.0)
    }

    #[action(wall)]
    fn back(u: &State) -> State {
        State { vx: -0.9 * u.vx, ..*u }
    }
}

/// A harmonic oscillator `x'' = -x` with counted zeros.
#[ode_system]
pub(crate) mod wave {
    pub struct State {
        pub x: f64,
        pub v: f64,
    }

    pub struct Parameters {
        pub level: f64,
    }

    fn rhs(u: &State) -> State {
        State { x: u.v, v: -u.x }
    }

    #[event(both, log)]
    fn zero(u: &State) -> f64 {
        u.x
    }

    #[event(rising, log)]
    fn up(u: &State) -> f64 {
        u.x
    }

    /// Grazes zero if the level is nearly one.
    #[event(both, log)]
    fn level(u: &State, p: &Parameters) -> f64 {
        u.x - p.level
    }
}

/// The harmonic oscillator without events.
#[ode_system]
pub(crate) mod plain_wave {
    pub struct State {
        pub x: f64,
        pub v: f64,
    }

    fn rhs(u: &State) -> State {
        State { x: u.v, v: -u.x }
    }
}

/// The impact oscillator `x'' = -x` with a wall at zero.
#[ode_system]
pub(crate) mod impact {
    pub struct State {
        pub x: f64,
        pub v: f64,
    }

    pub struct Parameters {
        pub restitution: f64,
    }

    fn rhs(u: &State) -> State {
        State { x: u.v, v: -u.x }
    }

    #[event(falling, stop = 20, log)]
    fn wall(u: &State) -> f64 {
        u.x
    }

    #[action(wall)]
    fn back(u: &State, p: &Parameters) -> State {
        State { x: 0.0, v: -p.restitution * u.v }
    }
}

/// A leaky integrate-and-fire neuron: `τ v' = -v + r i`, a spike at 15, and a reset to zero.
#[ode_system]
pub(crate) mod neuron {
    pub struct State {
        pub v: f64,
    }

    pub struct Parameters {
        pub current: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { v: (p.current - u.v) / 10.0 }
    }

    #[event(rising)]
    fn spike(u: &State) -> f64 {
        u.v - 15.0
    }

    #[action(spike)]
    fn reset(_: &State) -> State {
        State { v: 0.0 }
    }
}

/// A quadratic integrate-and-fire neuron, `v' = v² + 1` from -10 to 10.
#[ode_system]
pub(crate) mod quadratic {
    pub struct State {
        pub v: f64,
    }

    fn rhs(u: &State) -> State {
        State { v: u.v * u.v + 1.0 }
    }

    #[event(rising)]
    fn spike(u: &State) -> f64 {
        u.v - 10.0
    }

    #[action(spike)]
    fn reset(_: &State) -> State {
        State { v: -10.0 }
    }
}

/// `u' = 1` with four events at almost the same time; a parameter selects the event that ends it.
#[ode_system]
pub(crate) mod close {
    pub struct State {
        pub u: f64,
    }

    fn rhs(_: &State) -> State {
        State { u: 1.0 }
    }

    #[event(both)]
    fn first(u: &State) -> f64 {
        u.u
    }

    #[event(both, stop)]
    fn second(u: &State) -> f64 {
        u.u - 1e-8
    }

    #[event(both, stop)]
    fn third(u: &State) -> f64 {
        u.u - 2e-8
    }

    #[event(both)]
    fn fourth(u: &State) -> f64 {
        u.u - 2e-7
    }
}

/// A cubic in time.
#[ode_system]
pub(crate) mod cubic {
    pub struct State {
        pub u: f64,
    }

    pub struct Parameters {
        pub squared: f64,
    }

    fn rhs(_: &State) -> State {
        State { u: 1.0 }
    }

    #[event(both)]
    fn root(_: &State, p: &Parameters, t: f64) -> f64 {
        let x = if p.squared > 0.5 { t * t } else { t };
        (x - 0.1) * (x - 0.4) * (x - 0.8)
    }

    #[event(both, stop = 2)]
    fn second(_: &State, p: &Parameters, t: f64) -> f64 {
        let x = if p.squared > 0.5 { t * t } else { t };
        (x - 0.1) * (x - 0.4) * (x - 0.8)
    }
}

/// A body with growing thrust: its height is cubic in time.
#[ode_system]
pub(crate) mod thrust {
    pub struct State {
        pub height: f64,
        pub speed: f64,
    }

    pub struct Parameters {
        pub weight: f64,
        pub level: f64,
        pub lowest: f64,
    }

    fn rhs(u: &State, p: &Parameters, t: f64) -> State {
        State { height: u.speed, speed: t - p.weight }
    }

    #[event(both, log)]
    fn passes(u: &State, p: &Parameters) -> f64 {
        u.height - p.level
    }

    #[event(falling, stop)]
    fn falls(u: &State, p: &Parameters) -> f64 {
        u.height - p.lowest
    }

    #[event(rising, stop = 2)]
    fn rises(u: &State, p: &Parameters) -> f64 {
        u.height - p.level
    }
}

/// A ball on a racket that moves up and down, or on a floor at the height `amplitude` if the
/// frequency is zero.
#[ode_system]
pub(crate) mod racket {
    pub struct State {
        pub height: f64,
        pub velocity: f64,
    }

    pub struct Parameters {
        pub amplitude: f64,
        pub frequency: f64,
        pub restitution: f64,
    }

    fn rhs(u: &State) -> State {
        State { height: u.velocity, velocity: -9.81 }
    }

    #[event(falling)]
    fn hit(u: &State, p: &Parameters, t: f64) -> f64 {
        u.height - p.amplitude * (p.frequency * t).cos()
    }

    #[action(hit)]
    fn strike(u: &State, p: &Parameters, t: f64) -> State {
        let speed = -p.amplitude * p.frequency * (p.frequency * t).sin();
        State {
            height: p.amplitude * (p.frequency * t).cos(),
            velocity: (1.0 + p.restitution) * speed - p.restitution * u.velocity,
        }
    }
}

/// A ball with drag; an impact leaves it where it is.
#[ode_system]
pub(crate) mod dropped {
    pub struct State {
        pub height: f64,
        pub velocity: f64,
    }

    pub struct Parameters {
        pub floor: f64,
        pub drag: f64,
        pub restitution: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        let drag = p.drag * u.velocity * u.velocity.abs();
        State { height: u.velocity, velocity: -9.81 - drag }
    }

    #[event(falling)]
    fn impact(u: &State, p: &Parameters) -> f64 {
        u.height - p.floor
    }

    #[action(impact)]
    fn bounce(u: &State, p: &Parameters) -> State {
        State { height: u.height, velocity: -p.restitution * u.velocity }
    }
}

/// A relay with both events at one level.
#[ode_system]
pub(crate) mod relay {
    pub struct State {
        pub x: f64,
    }

    pub struct Modes {
        pub on: f64,
    }

    pub struct Parameters {
        pub level: f64,
        pub modes: Modes,
    }

    fn rhs(_: &State, m: &Modes) -> State {
        State { x: 1.5 * m.on - 0.7 }
    }

    #[event(rising)]
    fn hot(u: &State, p: &Parameters) -> f64 {
        u.x - p.level
    }

    #[action(hot)]
    fn off(_: &State) -> Modes {
        Modes { on: 0.0 }
    }

    #[event(falling)]
    fn cold(u: &State, p: &Parameters) -> f64 {
        u.x - p.level
    }

    #[action(cold)]
    fn on(_: &State) -> Modes {
        Modes { on: 1.0 }
    }
}

/// Events and an action at one time.
#[ode_system]
pub(crate) mod coincident {
    pub struct State {
        pub x: f64,
        pub y: f64,
        pub count: f64,
    }

    pub struct Parameters {
        pub at: f64,
        pub level: f64,
        pub speed: f64,
    }

    fn rhs(_: &State, p: &Parameters) -> State {
        State { x: p.speed, y: 1.0, count: 0.0 }
    }

    #[event(both)]
    fn counted(u: &State, p: &Parameters) -> f64 {
        u.x - p.level
    }

    #[event(both)]
    fn reached(u: &State, p: &Parameters) -> f64 {
        u.x.exp() - p.level.exp()
    }

    #[action(reached)]
    fn count(u: &State) -> State {
        State { count: u.count + 1.0, ..*u }
    }

    #[event(rising)]
    fn time(_: &State, p: &Parameters, t: f64) -> f64 {
        t - p.at
    }

    #[action(time)]
    fn more(u: &State) -> State {
        State { count: u.count + 100.0, ..*u }
    }

    #[event(rising)]
    fn limit(u: &State) -> f64 {
        u.y - 2.0
    }

    #[at(p.at)]
    fn dose(u: &State) -> State {
        State { y: 2.0, count: u.count + 10_000.0, ..*u }
    }
}

/// A state that falls to zero at the time of its lift.
#[ode_system]
pub(crate) mod lifted {
    pub struct State {
        pub y: f64,
        pub count: f64,
    }

    pub struct Parameters {
        pub at: f64,
        pub slope: f64,
    }

    fn rhs(_: &State, p: &Parameters) -> State {
        State { y: -p.slope, count: 0.0 }
    }

    #[event(falling)]
    fn zero(u: &State) -> f64 {
        u.y
    }

    #[action(zero)]
    fn count(u: &State) -> State {
        State { count: u.count + 1.0, ..*u }
    }

    #[at(p.at)]
    fn lift(u: &State) -> State {
        State { y: u.y + 1.0, ..*u }
    }
}

/// Van der Pol's oscillator; it ends at the second time that `y` falls through zero.
#[ode_system]
pub(crate) mod limit_cycle {
    pub struct State {
        pub x: f64,
        pub y: f64,
    }

    fn rhs(u: &State) -> State {
        State { x: u.y, y: (1.0 - u.x * u.x) * u.y - u.x }
    }

    #[event(falling, stop = 2)]
    fn turn(u: &State) -> f64 {
        u.y
    }
}

/// An event function that is NaN from t = 1 on.
#[ode_system]
pub(crate) mod undefined {
    pub struct State {
        pub x: f64,
    }

    fn rhs(_: &State) -> State {
        State { x: -1.0 }
    }

    #[event(falling)]
    fn root(u: &State) -> f64 {
        u.x.sqrt() + 0.1 * u.x + 1.0
    }
}

/// `u' = 1` with four logged events at almost the same time.
#[ode_system]
pub(crate) mod marks {
    pub struct State {
        pub u: f64,
    }

    fn rhs(_: &State) -> State {
        State { u: 1.0 }
    }

    #[event(both, log)]
    fn first(u: &State) -> f64 {
        u.u
    }

    #[event(both, log)]
    fn second(u: &State) -> f64 {
        u.u - 1e-8
    }

    #[event(both, log)]
    fn third(u: &State) -> f64 {
        u.u - 2e-8
    }

    #[event(both, log)]
    fn fourth(u: &State) -> f64 {
        u.u - 2e-7
    }

    /// An event that is not logged.
    #[event(both)]
    fn silent(u: &State) -> f64 {
        u.u - 1e-7
    }

    /// A cubic in time.
    #[event(both, log)]
    fn root(_: &State, t: f64) -> f64 {
        let x = t - 2.0;
        (x - 0.1) * (x - 0.4) * (x - 0.8)
    }

    /// The square of the cubic.
    #[event(both, log)]
    fn square(_: &State, t: f64) -> f64 {
        let x = (t - 4.0) * (t - 4.0);
        (x - 0.1) * (x - 0.4) * (x - 0.8)
    }
}

/// A pendulum from rest, with its turning points.
#[ode_system]
pub(crate) mod pendulum {
    pub struct State {
        pub angle: f64,
        pub speed: f64,
    }

    fn rhs(u: &State) -> State {
        State { angle: u.speed, speed: -9.8 * u.angle.sin() }
    }

    #[event(both, log)]
    fn turn(u: &State) -> f64 {
        u.speed
    }

    #[event(both, log)]
    fn slow(u: &State) -> f64 {
        u.speed * u.speed - 1e-12
    }
}

/// Cosines of `3 t` and `t`.
#[ode_system]
pub(crate) mod cosines {
    pub struct State {
        pub fast: f64,
        pub slow: f64,
    }

    fn rhs(_: &State, t: f64) -> State {
        State { fast: -3.0 * (3.0 * t).sin(), slow: -t.sin() }
    }

    #[event(both, log)]
    fn one(u: &State) -> f64 {
        u.slow
    }

    #[event(both, log)]
    fn three(u: &State) -> f64 {
        u.fast
    }
}

/// `u' = u`, with events that are a few units in the last place of one apart.
#[ode_system]
pub(crate) mod units {
    pub struct State {
        pub u: f64,
    }

    const UNIT: f64 = 2.220446049250313e-16;

    fn rhs(u: &State) -> State {
        State { u: u.u }
    }

    #[event(rising, log)]
    fn fifty(u: &State) -> f64 {
        u.u - 1.0 - 50.0 * UNIT
    }

    #[event(rising, log)]
    fn sixty(u: &State) -> f64 {
        u.u - 1.0 - 60.0 * UNIT
    }

    #[event(rising, log)]
    fn seventy(u: &State) -> f64 {
        u.u - 1.0 - 70.0 * UNIT
    }

    #[event(rising, log)]
    fn eighty(u: &State) -> f64 {
        u.u - 1.0 - 80.0 * UNIT
    }

    #[event(rising, log)]
    fn ninety(u: &State) -> f64 {
        u.u - 1.0 - 90.0 * UNIT
    }
}

/// A function of the time that dips below zero and returns, with an event and an action at each
/// zero.
#[ode_system]
pub(crate) mod dip {
    pub struct State {
        pub u: f64,
        pub falls: f64,
        pub rises: f64,
    }

    pub struct Parameters {
        pub from: f64,
        pub to: f64,
    }

    fn rhs(_: &State) -> State {
        State { u: 1.0, falls: 0.0, rises: 0.0 }
    }

    #[event(falling, log)]
    fn into(_: &State, p: &Parameters, t: f64) -> f64 {
        (t - p.from) * (t - p.to)
    }

    #[action(into)]
    fn fall(u: &State) -> State {
        State { falls: u.falls + 1.0, ..*u }
    }

    #[event(rising, log)]
    fn out(_: &State, p: &Parameters, t: f64) -> f64 {
        (t - p.from) * (t - p.to)
    }

    #[action(out)]
    fn rise(u: &State) -> State {
        State { rises: u.rises + 1.0, ..*u }
    }
}

/// The system of Hénon and Heiles (Astron. J. 69 (1964) 73), with its upward passages of `x = 0`.
#[ode_system]
pub(crate) mod henon_heiles {
    pub struct State {
        pub vx: f64,
        pub vy: f64,
        pub x: f64,
        pub y: f64,
    }

    fn rhs(u: &State) -> State {
        State { vx: -u.x - 2.0 * u.x * u.y, vy: u.y * u.y - u.y - u.x * u.x, x: u.vx, y: u.vy }
    }

    #[event(rising, log)]
    fn section(u: &State) -> f64 {
        u.x
    }
}

/// An oscillator that is pushed at a level; other events have the function of this level too.
#[ode_system]
pub(crate) mod pushed {
    pub struct State {
        pub x: f64,
        pub v: f64,
    }

    pub struct Parameters {
        pub level: f64,
    }

    fn rhs(u: &State) -> State {
        State { x: u.v, v: -u.x }
    }

    #[event(rising, log)]
    fn passes(u: &State, p: &Parameters) -> f64 {
        u.x - p.level
    }

    #[action(passes)]
    fn push(u: &State) -> State {
        State { v: 1.01 * u.v, ..*u }
    }

    #[event(rising, log)]
    fn seen(u: &State, p: &Parameters) -> f64 {
        u.x - p.level
    }

    #[event(falling, log)]
    fn back(u: &State, p: &Parameters) -> f64 {
        u.x - p.level
    }
}

/// A ball whose impacts another event counts; that event ends the trajectory.
#[ode_system]
pub(crate) mod counted {
    pub struct State {
        pub height: f64,
        pub velocity: f64,
    }

    fn rhs(u: &State) -> State {
        State { height: u.velocity, velocity: -9.81 - 0.1 * u.velocity }
    }

    #[event(falling, log)]
    fn ground(u: &State) -> f64 {
        u.height
    }

    #[action(ground)]
    fn bounce(u: &State) -> State {
        State { velocity: -0.9 * u.velocity, ..*u }
    }

    #[event(falling, stop = 5)]
    fn fifth(u: &State) -> f64 {
        u.height
    }
}

/// A tank whose valve closes when it is full; its level then stays as rounding left it.
#[ode_system]
pub(crate) mod tank {
    pub struct State {
        pub level: f64,
    }

    pub struct Modes {
        pub valve: f64,
    }

    pub struct Parameters {
        pub inflow: f64,
        pub full: f64,
        pub modes: Modes,
    }

    fn rhs(_: &State, p: &Parameters) -> State {
        State { level: p.inflow * p.modes.valve }
    }

    #[event(rising)]
    fn full(u: &State, p: &Parameters) -> f64 {
        u.level - p.full
    }

    #[action(full)]
    fn close(_: &State) -> Modes {
        Modes { valve: 0.0 }
    }
}
