//! The events of lockstep members between the steps that they share.
//!
//! A lane stores these numbers in its [`Lane`](crate::integrate::lane::Lane). In lockstep, one
//! lane is the clock of all members, so members store them.

pub use device::*;

#[ode_macros::device(armed)]
mod device {
    use crate::integrate::{attempt, lane, locate};
    use crate::lane::{Bits, Mask, Real};
    use crate::step::timeline;

    /// The event functions' sides of members, and their last actions.
    ///
    /// A [`Lane`](lane::Lane) has the same fields.
    #[derive(Clone, Copy, Debug)]
    pub struct Armed<R: Real> {
        /// The events with functions above zero, as far as the side is `known`.
        pub sides: R::Bits,
        /// The events with a known side.
        pub known: R::Bits,
        /// The time of the last action.
        pub acted: R,
        /// The number of preceding actions at the same time, or in contact.
        pub chain: R::Bits,
        /// The events that acted last, and before in the same chain of actions.
        pub fired: R::Bits,
    }

    /// The events of members in an attempted step.
    ///
    /// [`Found`](crate::integrate::events::Found) has the same `fired`, `here`, `held` and `holds`.
    #[derive(Clone, Copy, Debug)]
    pub struct Occurred<R: Real> {
        /// The sides at the end of the step.
        pub sides: R::Bits,
        /// The events with a known side there.
        pub known: R::Bits,
        /// The first event within the step that ends the trajectory or acts, as a lane's number.
        pub event: R::Bits,
        /// The size of the step to that event.
        pub size: R,
        /// The events at the end of the step that end the trajectory or act.
        pub fired: R::Bits,
        /// The events with functions at zero there, up to rounding.
        pub here: R::Bits,
        /// The conditions that hold there.
        pub held: R::Bits,
        /// Members with a condition that holds.
        pub holds: R::Mask,
        /// Members with an event function that is NaN there.
        pub broken: R::Mask,
    }

    /// Returns the sides of members before they begin.
    pub fn unarmed<R: Real>() -> Armed<R> {
        let none = <R::Bits as Bits>::lit(0);
        Armed::<R> { sides: none, known: none, acted: R::lit(0.0), chain: none, fired: none }
    }

    /// Returns the events of a step without any, which ends with these sides.
    pub fn quiet<R: Real>(armed: &Armed<R>) -> Occurred<R> {
        let none = <R::Bits as Bits>::lit(0);
        let nobody = <R::Mask as Mask>::splat(false);
        Occurred::<R> {
            sides: armed.sides,
            known: armed.known,
            event: none,
            size: R::lit(0.0),
            fired: none,
            here: none,
            held: none,
            holds: nobody,
            broken: nobody,
        }
    }

    /// Returns the clock as the lanes of members with these sides.
    pub fn watched<R: Real>(clock: &lane::Lane<R>, armed: &Armed<R>) -> lane::Lane<R> {
        let mut lane = *clock;
        lane.sides = armed.sides;
        lane.known = armed.known;
        lane.acted = armed.acted;
        lane.chain = armed.chain;
        lane.fired = armed.fired;
        lane
    }

    /// Returns the sides and last actions of lanes.
    pub fn armed_of<R: Real>(lane: &lane::Lane<R>) -> Armed<R> {
        Armed::<R> {
            sides: lane.sides,
            known: lane.known,
            acted: lane.acted,
            chain: lane.chain,
            fired: lane.fired,
        }
    }

    /// Returns the event that each member's step goes to, as a lane's number; zero if none.
    ///
    /// `clock` goes to the first event among all members. Members with an event at the same time,
    /// up to rounding, go to their own event there.
    pub fn pending_of<R: Real>(
        clock: &lane::Lane<R>,
        trial: &attempt::Attempt<R>,
        occurred: &Occurred<R>,
    ) -> R::Bits {
        let none = <R::Bits as Bits>::lit(0);
        let plan = timeline::plan(clock.t, clock.t_low, occurred.size, R::lit(1.0));
        let own = timeline::after(clock.t, plan);
        let close = (clock.t.abs() + trial.ask.h.abs()) * timeline::few_units::<R>();
        let there = (own.t - trial.next.t).abs().le(close);
        let cut = !locate::crossing_of::<R>(occurred.event).equals(none);
        let goes = !clock.pending.equals(none) & cut & there;
        <R::Bits as Bits>::select(goes, occurred.event, none)
    }
}
