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

/// The properties of a program.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub events: &'static [Event],
    /// The number of actions at given times.
    pub timed: usize,
    /// Conditions after steps: whether each has an action.
    pub conditions: &'static [bool],
    /// The number of modes.
    pub modes: usize,
    /// The index of the first mode among the parameters.
    pub first_mode: usize,
}

const fn event(direction: Direction, acts: bool, logs: bool) -> Event {
    Event { direction, acts, logs }
}

const PLAIN: Shape = Shape { events: &[], timed: 0, conditions: &[], modes: 0, first_mode: 0 };

/// All shapes.
pub const SHAPES: [Shape; 6] = [
    Shape { events: &[event(Both, true, true), event(Rising, false, true)], ..PLAIN },
    Shape {
        events: &[event(Falling, true, true), event(Rising, true, false), event(Both, false, true)],
        modes: 2,
        first_mode: 6,
        ..PLAIN
    },
    Shape { events: &[event(Rising, true, true), event(Falling, false, true)], timed: 2, ..PLAIN },
    Shape {
        events: &[event(Both, true, false), event(Both, false, true), event(Falling, true, true)],
        timed: 1,
        conditions: &[false, true],
        modes: 2,
        first_mode: 0,
    },
    Shape { timed: 2, conditions: &[true, false], ..PLAIN },
    Shape {
        events: &[
            event(Falling, false, false),
            event(Rising, false, true),
            event(Both, false, true),
            event(Both, false, true),
        ],
        conditions: &[false],
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
        bits!(self.conditions, acts, acts)
    }

    /// Returns the number of events, actions at given times and conditions.
    #[must_use]
    pub const fn happenings(&self) -> usize {
        self.events.len() + self.timed + self.conditions.len()
    }
}
