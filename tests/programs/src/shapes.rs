//! The properties of random programs with events that are known when the loop is compiled.
//!
//! A loop is compiled for each of these shapes, not for each program: a program has one of the
//! shapes, and its own functions.

/// The number of states of each program.
pub const STATES: usize = 3;
/// The number of parameters of each program, including modes.
pub const PARAMETERS: usize = 8;

/// The direction in which a function goes through zero for an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Rising,
    Falling,
    Both,
}

use Direction::{Both, Falling, Rising};

/// An event of a shape. The program sets the number of occurrences before it ends a trajectory.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    pub direction: Direction,
    /// Whether it has an action.
    pub acts: bool,
    /// Whether it is logged.
    pub logs: bool,
}

impl Event {
    #[must_use]
    pub fn counts(&self, rising: bool) -> bool {
        match self.direction {
            Both => true,
            Rising => rising,
            Falling => !rising,
        }
    }
}

/// A condition after steps of a shape.
#[derive(Clone, Copy, Debug)]
pub struct Condition {
    /// Whether it has an action.
    pub acts: bool,
    /// Whether it is logged.
    pub logs: bool,
}

/// The properties of a program.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub events: &'static [Event],
    /// Actions at given times: whether each is logged.
    pub timed: &'static [bool],
    pub conditions: &'static [Condition],
    /// The number of modes.
    pub modes: usize,
    /// The index of the first mode among the parameters.
    pub first_mode: usize,
}

const fn event(direction: Direction, acts: bool, logs: bool) -> Event {
    Event { direction, acts, logs }
}

const fn condition(acts: bool, logs: bool) -> Condition {
    Condition { acts, logs }
}

const PLAIN: Shape = Shape { events: &[], timed: &[], conditions: &[], modes: 0, first_mode: 0 };

/// All shapes.
pub const SHAPES: [Shape; 6] = [
    Shape { events: &[event(Both, true, true), event(Rising, false, true)], ..PLAIN },
    Shape {
        events: &[event(Falling, true, true), event(Rising, true, false), event(Both, false, true)],
        modes: 2,
        first_mode: 6,
        ..PLAIN
    },
    Shape {
        events: &[event(Rising, true, true), event(Falling, false, true)],
        timed: &[true, false],
        ..PLAIN
    },
    Shape {
        events: &[event(Both, true, false), event(Both, false, true), event(Falling, true, true)],
        timed: &[true],
        conditions: &[condition(false, false), condition(true, true)],
        modes: 2,
        first_mode: 0,
    },
    Shape {
        timed: &[false, true],
        conditions: &[condition(true, false), condition(false, true)],
        ..PLAIN
    },
    Shape {
        events: &[
            event(Falling, false, false),
            event(Rising, false, true),
            event(Both, false, true),
            event(Both, false, true),
        ],
        conditions: &[condition(false, true)],
        ..PLAIN
    },
];

/// Returns a bit for each event of a shape with a property.
macro_rules! bits {
    ($events:expr, $event:ident, $is:expr) => {{
        let (mut bits, mut index) = (0, 0);
        while index < $events.len() {
            let $event = $events[index];
            if $is {
                bits |= 1 << index;
            }
            index += 1;
        }
        bits
    }};
}

impl Shape {
    #[must_use]
    pub const fn rising(&self) -> usize {
        bits!(self.events, event, !matches!(event.direction, Falling))
    }

    #[must_use]
    pub const fn falling(&self) -> usize {
        bits!(self.events, event, !matches!(event.direction, Rising))
    }

    #[must_use]
    pub const fn acting(&self) -> usize {
        bits!(self.events, event, event.acts)
    }

    #[must_use]
    pub const fn logged(&self) -> usize {
        bits!(self.events, event, event.logs)
    }

    #[must_use]
    pub const fn conditions_acting(&self) -> usize {
        bits!(self.conditions, condition, condition.acts)
    }

    #[must_use]
    pub const fn timed_logged(&self) -> usize {
        bits!(self.timed, logs, logs)
    }

    #[must_use]
    pub const fn conditions_logged(&self) -> usize {
        bits!(self.conditions, condition, condition.logs)
    }

    /// Returns whether each event, action at a given time and condition is logged, in this order.
    pub fn logs(&self) -> impl Iterator<Item = bool> {
        let events = self.events.iter().map(|event| event.logs);
        let conditions = self.conditions.iter().map(|condition| condition.logs);
        events.chain(self.timed.iter().copied()).chain(conditions)
    }

    /// Returns the number of events, actions at given times and conditions.
    #[must_use]
    pub const fn happenings(&self) -> usize {
        self.events.len() + self.timed.len() + self.conditions.len()
    }
}
