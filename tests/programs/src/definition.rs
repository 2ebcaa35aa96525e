//! The definition of events (`docs/events.md`) as a plain program.
//!
//! It follows one trajectory sequentially, in `f64`, with functions that rustc compiled.
//!
//! The program shares nothing with the loop of `ode-core`: no method, no step sizes, no
//! interpolants. It integrates in short steps by extrapolation of the midpoint rule (Gragg's
//! method; Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I, II.9), and finds
//! zeros by bisection.
//!
//! If rounding or the tolerance decides the result, the program returns a [`Doubt`]: a function
//! that grazes zero, or events at nearly the same time.

use crate::shapes::{PARAMETERS as P, STATES as N, Shape};

/// A state.
pub type State = [f64; N];
/// Parameters and modes.
pub type Parameters = [f64; P];
/// A function of state, parameters and time.
pub type Function<T> = fn(&State, &Parameters, f64) -> T;

/// The times `first + k every` for whole `k` below `count`.
#[derive(Clone, Copy, Debug)]
pub struct Series {
    pub first: f64,
    pub every: f64,
    pub count: f64,
}

/// The functions of a program, compiled by rustc.
#[derive(Debug)]
pub struct Plain {
    pub rhs: Function<State>,
    pub events: Vec<Function<f64>>,
    pub conditions: Vec<Function<bool>>,
    /// The actions of events, then of given times, then of conditions.
    pub actions: Vec<Option<Function<(State, Parameters)>>>,
    /// The number of occurrences before the trajectory ends.
    pub limits: Vec<Option<u32>>,
    /// The times of the actions at given times.
    pub times: Vec<fn(&Parameters) -> Vec<Series>>,
}

/// A trajectory to follow.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub u: State,
    pub p: Parameters,
    pub from: f64,
    pub to: f64,
}

/// A reason why the result of a trajectory is uncertain.
///
/// The result depends on the last digits or on the sizes of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// A function turns around close to zero.
    Grazing,
    /// A function goes through zero slowly.
    Slow,
    /// Two events are at nearly the same time, or one is near the end.
    Near,
    /// A function goes through zero more often than steps can detect.
    Fast,
}

/// An event of the log.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub time: f64,
    pub event: usize,
    pub rising: bool,
    pub before: State,
    pub after: State,
}

/// The result of a trajectory.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub terminated: bool,
    /// The counts of events, actions at given times, and conditions.
    pub counts: Vec<u32>,
    /// All events, actions at given times and conditions, logged or not.
    pub happened: Vec<Entry>,
    pub end: f64,
    pub state: State,
    /// The parameters with the final modes.
    pub p: Parameters,
    /// The states at the given ends of steps, before the actions there.
    pub at_steps: Vec<(f64, State)>,
    pub doubt: Option<Doubt>,
}

/// The longest step of a compared solve, which detects one extremum of a function.
pub const LONGEST_STEP: f64 = 0.25;
/// The step of this integration.
const STEP: f64 = 1.0 / 32.0;
/// The distance below which times and values are nearly equal.
const NEAR: f64 = 2e-5;
/// The distance below which a step near an event ends at the event.
const THERE: f64 = 1e-6;
/// The distance below which zeros coincide.
const SAME: f64 = 1e-10;
/// The depth beyond zero that a step may fail to detect.
const SHALLOW: f64 = 1e-3;
/// The distance from zero that no function covers within [`LONGEST_STEP`].
const FAR: f64 = 1.0;
/// The least slope of a function at its zero.
const LEAST_SLOPE: f64 = 0.02;

/// Returns whether times of actions are equal except for rounding.
fn is_same(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

/// The current position on a trajectory.
struct Walk<'a> {
    shape: &'a Shape,
    plain: &'a Plain,
    /// The term added to the right-hand side.
    defect: State,
    /// The direction of time: one or minus one.
    forth: f64,
    t: f64,
    u: State,
    p: Parameters,
    /// For each event whether its function is above zero, if this is known.
    above: Vec<Option<bool>>,
    /// The zeros and the turning points of the functions.
    zeros: Vec<Vec<f64>>,
    turns: Vec<Vec<f64>>,
    /// The times of the last change and of the last event.
    changed: f64,
    last: f64,
    /// The time of the last step that ended at an event.
    stepped: f64,
    outcome: Outcome,
}

/// Follows a trajectory.
///
/// `steps` are the ends of steps after which conditions are evaluated, in order; the ends at events
/// are added. `defect` is added to the right-hand side.
#[must_use]
pub fn follow(shape: &Shape, plain: &Plain, case: &Case, steps: &[f64], defect: State) -> Outcome {
    let Case { u, p, from, to } = *case;
    let outcome = Outcome {
        terminated: false,
        counts: vec![0; shape.happenings()],
        happened: Vec::new(),
        end: from,
        state: u,
        p,
        at_steps: Vec::new(),
        doubt: None,
    };
    let nothing = vec![Vec::new(); shape.events.len()];
    let mut walk = Walk {
        shape,
        plain,
        defect,
        forth: (to - from).signum(),
        t: from,
        u,
        p,
        above: vec![None; shape.events.len()],
        zeros: nothing.clone(),
        turns: nothing,
        changed: f64::NAN,
        last: f64::NAN,
        stepped: f64::NAN,
        outcome,
    };
    walk.all(to, steps);
    walk.outcome.end = walk.t;
    walk.outcome.state = walk.u;
    walk.outcome.p = walk.p;
    walk.look_for_fast();
    walk.outcome
}

impl Walk<'_> {
    fn all(&mut self, to: f64, steps: &[f64]) {
        let timed = self.action_times(to);
        let or_timed =
            |step: f64| timed.iter().copied().find(|&time| is_same(time, step)).unwrap_or(step);
        let mut steps = steps.iter().copied().map(or_timed).peekable();
        let mut timed = timed.iter().copied().peekable();
        // The beginning of the span counts.
        match timed.next_if(|&time| time == self.t) {
            Some(_) => {
                self.act_at_time();
            }
            None => self.arm(&[]),
        }
        while self.t != to {
            let mut next = self.t + self.forth * STEP;
            let places = [timed.peek().copied(), steps.peek().copied(), Some(to)];
            for place in places.into_iter().flatten() {
                if (next - place) * self.forth >= 0.0 {
                    next = place;
                }
            }
            if self.go(next) {
                // The trajectory ended at an event on the way.
                if self.outcome.terminated {
                    return;
                }
                continue;
            }
            let step = steps.next_if(|&step| step == self.t).is_some();
            let due = timed.next_if(|&time| time == self.t).is_some();
            if step || due || self.t == to {
                if due || self.t == to {
                    self.doubt_near_zero();
                }
                // The end of the step at an event is already included.
                let at_event =
                    |near| (self.t - self.stepped).abs() < near || self.event_is_here(near);
                if step && !due && self.t != to && at_event(NEAR) {
                    // Otherwise it is a step of its own that ends just before the event.
                    if self.defect == [0.0; N] && !at_event(THERE) {
                        self.doubt(Doubt::Near);
                    }
                    continue;
                }
                if step {
                    self.outcome.at_steps.push((self.t, self.u));
                }
                // The end of the span does not count.
                if self.ask() || (due && self.t != to && self.act_at_time()) {
                    self.outcome.terminated = true;
                    return;
                }
            }
        }
    }

    fn doubt(&mut self, doubt: Doubt) {
        self.outcome.doubt.get_or_insert(doubt);
    }

    /// Returns the times of actions within the span, in order.
    fn action_times(&self, to: f64) -> Vec<f64> {
        let within =
            |time: f64| (time - self.t) * self.forth >= 0.0 && (to - time) * self.forth >= 0.0;
        let mut all: Vec<f64> =
            (0..self.shape.timed.len()).flat_map(|index| self.times_of(index)).collect();
        all.retain(|&time| within(time));
        all.sort_by(|a, b| (a * self.forth).total_cmp(&(b * self.forth)));
        all.dedup_by(|a, b| is_same(*a, *b));
        all
    }

    /// Returns all times of an action that may be in a span.
    fn times_of(&self, index: usize) -> Vec<f64> {
        let times = |series: Series| {
            let Series { first, every, count } = series;
            let numbers = (0..1000).map(f64::from).take_while(move |&number| number < count);
            numbers.map(move |number| if number == 0.0 { first } else { first + number * every })
        };
        (self.plain.times[index])(&self.p).into_iter().flat_map(times).collect()
    }

    fn derivative(&self, u: &State, t: f64) -> State {
        let du = (self.plain.rhs)(u, &self.p, t);
        std::array::from_fn(|d| du[d] + self.defect[d])
    }

    /// Returns the state after a step.
    fn after(&self, size: f64) -> State {
        let mut table: Vec<State> = Vec::new();
        let first = self.derivative(&self.u, self.t);
        for k in 1..=3_u32 {
            let count = 2 * k;
            let h = size / f64::from(count);
            let (mut before, mut now) = (self.u, self.u);
            (0..N).for_each(|d| now[d] += h * first[d]);
            for number in 1..count {
                let du = self.derivative(&now, self.t + h * f64::from(number));
                let next = std::array::from_fn(|d| before[d] + 2.0 * h * du[d]);
                (before, now) = (now, next);
            }
            let du = self.derivative(&now, self.t + size);
            let mut row: State = std::array::from_fn(|d| 0.5 * (now[d] + before[d] + h * du[d]));
            // Extrapolation by Aitken and Neville.
            for (column, old) in table.iter_mut().enumerate() {
                let ratio = f64::from(k) / f64::from(k - 1 - column as u32);
                let better =
                    std::array::from_fn(|d| row[d] + (row[d] - old[d]) / (ratio * ratio - 1.0));
                (*old, row) = (row, better);
            }
            table.push(row);
        }
        table[table.len() - 1]
    }

    fn value(&self, event: usize, u: &State, t: f64) -> f64 {
        (self.plain.events[event])(u, &self.p, t)
    }

    /// Returns the slope of an event's function in the direction of time.
    fn slope(&self, event: usize, u: &State, t: f64) -> f64 {
        let du = self.derivative(u, t);
        let at = |by: f64| {
            let moved = std::array::from_fn(|d| u[d] + by * du[d]);
            self.value(event, &moved, t + by)
        };
        let by = 1e-6;
        (at(by) - at(-by)) / (2.0 * by) * self.forth
    }

    /// Updates the signs of the functions.
    ///
    /// The functions of `crossed` are zero except for rounding, unless actions moved them away.
    fn arm(&mut self, crossed: &[usize]) {
        for event in 0..self.shape.events.len() {
            let value = self.value(event, &self.u, self.t);
            let at_zero = value == 0.0 || (crossed.contains(&event) && value.abs() < 1e-9);
            let deciding = if at_zero { self.slope(event, &self.u, self.t) } else { value };
            if at_zero && deciding.abs() < LEAST_SLOPE {
                self.doubt(Doubt::Slow);
            }
            if !at_zero && value.abs() < NEAR {
                self.doubt(Doubt::Near);
            }
            // An event is due if the action of another event turns its function back at its zero.
            let rising = deciding > 0.0;
            let turned = crossed.contains(&event) && self.above[event] != Some(rising);
            let now = self.outcome.happened.iter().rev().take_while(|entry| entry.time == self.t);
            let shape = &self.shape.events[event];
            let due = shape.acts
                && shape.counts(rising)
                && !now.map(|entry| entry.event).any(|e| e == event);
            if at_zero && turned && due {
                self.doubt(Doubt::Near);
            }
            self.above[event] = Some(rising);
        }
    }

    /// Handles a jump of the state by actions; returns whether the trajectory ends.
    ///
    /// The events over whose zeros the state jumped occur, except those that occurred with the
    /// events `fired`. The functions of the events `crossed` were zero, except for rounding.
    fn jump(&mut self, fired: &[usize], crossed: &[usize]) -> bool {
        let (mut done, mut near) = (fired.to_vec(), crossed.to_vec());
        for _ in 0..20 {
            let mut events = Vec::new();
            for event in 0..self.shape.events.len() {
                let value = self.value(event, &self.u, self.t);
                let Some(above) = self.above[event] else { continue };
                if value == 0.0 || (near.contains(&event) && value.abs() < 1e-9) {
                    continue;
                }
                if value.abs() < NEAR {
                    self.doubt(Doubt::Near);
                }
                let rising = value > 0.0;
                self.above[event] = Some(rising);
                let shape = &self.shape.events[event];
                if rising != above && shape.counts(rising) && !done.contains(&event) {
                    events.push((event, rising));
                }
            }
            let (mut acted, mut over) = (false, false);
            for &(event, rising) in &events {
                self.outcome.counts[event] += 1;
                let before = self.u;
                acted |= self.act(event);
                over |= self.ends(event);
                let entry = Entry { time: self.t, event, rising, before, after: self.u };
                self.outcome.happened.push(entry);
            }
            if !acted || over {
                return over;
            }
            done = events.into_iter().map(|(event, _)| event).collect();
            done.retain(|event| self.shape.events[*event].acts);
            near.clear();
        }
        // The chain of actions does not end.
        self.doubt(Doubt::Fast);
        false
    }

    /// Records a doubt for functions near zero at another event.
    fn doubt_near_zero(&mut self) {
        for event in 0..self.shape.events.len() {
            if self.value(event, &self.u, self.t).abs() < NEAR {
                self.doubt(Doubt::Near);
            }
        }
    }

    /// Advances to a time, or to the first event on the way; returns whether there was an event.
    fn go(&mut self, to: f64) -> bool {
        let size = to - self.t;
        let end = self.after(size);
        let mut found: Vec<(f64, usize)> = Vec::new();
        for event in 0..self.shape.events.len() {
            let side = if self.above[event] == Some(true) { 1.0 } else { -1.0 };
            if self.value(event, &end, to) * side < 0.0 {
                found.push((self.zero(event, size, side), event));
            }
            self.look_for_turn(event, &end, to);
        }
        let Some(first) = found.iter().map(|(part, _)| *part).min_by(f64::total_cmp) else {
            (self.t, self.u) = (to, end);
            return false;
        };
        let same = SAME / size.abs();
        found.retain(|(part, _)| (part - first) < NEAR / size.abs());
        if found.iter().any(|(part, _)| part - first > same) {
            self.doubt(Doubt::Near);
        }
        (self.u, self.t) = (self.after(first * size), self.t + first * size);
        let events: Vec<usize> = found.into_iter().map(|(_, event)| event).collect();
        self.cross(&events);
        true
    }

    /// Returns the position in a step at which a function changes sign.
    fn zero(&self, event: usize, size: f64, side: f64) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..48 {
            let middle = 0.5 * (low + high);
            let value = self.value(event, &self.after(middle * size), self.t + middle * size);
            *(if value * side > 0.0 { &mut low } else { &mut high }) = middle;
        }
        high
    }

    /// Searches a step for a turning point of a function, and records a doubt if it is close to
    /// zero.
    fn look_for_turn(&mut self, event: usize, end: &State, to: f64) {
        let values = [self.value(event, &self.u, self.t), self.value(event, end, to)];
        if values[0].abs().min(values[1].abs()) > FAR {
            return;
        }
        let slopes = [self.slope(event, &self.u, self.t), self.slope(event, end, to)];
        if slopes[0] * slopes[1] > 0.0 {
            return;
        }
        self.turns[event].push(self.t);
        let flatter = usize::from(slopes[1].abs() < slopes[0].abs());
        let leaves = values[flatter] * (slopes[1] - slopes[0]) < 0.0;
        // A function that leaves zero and returns may have been at zero for a short time.
        if values[flatter].abs() < if leaves { SHALLOW } else { 4.0 * NEAR } {
            self.doubt(Doubt::Grazing);
        }
    }

    /// Handles the events whose functions are zero here.
    fn cross(&mut self, events: &[usize]) {
        let mut happen = Vec::new();
        for &event in events {
            let rising = self.above[event] != Some(true);
            self.above[event] = Some(rising);
            self.zeros[event].push(self.t);
            if self.slope(event, &self.u, self.t).abs() < LEAST_SLOPE {
                self.doubt(Doubt::Slow);
            }
            if self.shape.events[event].counts(rising) {
                happen.push((event, rising));
                self.outcome.counts[event] += 1;
            }
        }
        if happen.is_empty() {
            return;
        }
        if (self.t - self.changed).abs() < SHALLOW || (self.t - self.last).abs() < NEAR {
            self.doubt(Doubt::Near);
        }
        self.last = self.t;
        // A step ends at events that end the trajectory or act.
        let asked: Vec<usize> = match happen.iter().any(|(event, _)| self.matters(*event)) {
            true => {
                self.stepped = self.t;
                self.outcome.at_steps.push((self.t, self.u));
                self.holding()
            }
            false => Vec::new(),
        };
        let (mut acted, mut over) = (false, false);
        // Events that only count come first, with the state before.
        happen.sort_by_key(|(event, _)| self.matters(*event));
        for &(event, rising) in &happen {
            let before = self.u;
            acted |= self.act(event);
            over |= self.ends(event);
            let entry = Entry { time: self.t, event, rising, before, after: self.u };
            self.outcome.happened.push(entry);
        }
        let (by_condition, ends) = self.hold(&asked);
        let mut over = over || ends;
        if acted || by_condition {
            self.changed = self.t;
            let fired: Vec<usize> = happen
                .iter()
                .map(|(event, _)| *event)
                .filter(|event| self.shape.events[*event].acts)
                .collect();
            over = over || self.jump(&fired, events);
            self.arm(events);
        }
        self.outcome.terminated = over;
    }

    /// Returns whether a counted event ends the trajectory or acts.
    fn matters(&self, event: usize) -> bool {
        self.shape.events[event].acts || self.ends(event)
    }

    fn ends(&self, index: usize) -> bool {
        self.plain.limits[index].is_some_and(|limit| self.outcome.counts[index] >= limit)
    }

    /// Runs the action of this index, if there is one.
    fn act(&mut self, index: usize) -> bool {
        match self.plain.actions[index] {
            Some(action) => {
                (self.u, self.p) = action(&self.u, &self.p, self.t);
                true
            }
            None => false,
        }
    }

    /// Counts an action at a given time or a condition, and runs its action, if there is one.
    fn count_and_act(&mut self, index: usize) -> bool {
        self.outcome.counts[index] += 1;
        let before = self.u;
        let acted = self.act(index);
        let entry = Entry { time: self.t, event: index, rising: true, before, after: self.u };
        self.outcome.happened.push(entry);
        acted
    }

    /// Returns whether an event that matters is so `near` that a step may end at it.
    fn event_is_here(&self, near: f64) -> bool {
        let by = self.forth * near;
        let end = self.after(by);
        (0..self.shape.events.len()).any(|event| {
            let rising = self.above[event] != Some(true);
            let side = if rising { -1.0 } else { 1.0 };
            let counted = self.outcome.counts[event] + 1;
            let matters = self.shape.events[event].acts
                || self.plain.limits[event].is_some_and(|limit| counted >= limit);
            let crosses = self.value(event, &end, self.t + by) * side < 0.0;
            crosses && matters && self.shape.events[event].counts(rising)
        })
    }

    /// Returns the conditions that hold.
    fn holding(&self) -> Vec<usize> {
        let holds = |index: &usize| (self.plain.conditions[*index])(&self.u, &self.p, self.t);
        (0..self.shape.conditions.len()).filter(holds).collect()
    }

    /// Runs the actions of conditions that hold.
    ///
    /// Returns whether an action ran, and whether the trajectory ends.
    fn hold(&mut self, conditions: &[usize]) -> (bool, bool) {
        let (mut acted, mut over) = (false, false);
        for &condition in conditions {
            let index = self.shape.events.len() + self.shape.timed.len() + condition;
            acted |= self.count_and_act(index);
            over |= self.ends(index);
        }
        (acted, over)
    }

    /// Evaluates the conditions at the end of a step; returns whether the trajectory ends.
    fn ask(&mut self) -> bool {
        let (acted, over) = self.hold(&self.holding());
        over || (acted && self.change())
    }

    /// Runs actions at a given time, in the order of their functions; returns whether the
    /// trajectory ends.
    fn act_at_time(&mut self) -> bool {
        let is_now = |time: f64| is_same(time, self.t);
        let due = |index: &usize| self.times_of(*index).into_iter().any(is_now);
        let due: Vec<usize> = (0..self.shape.timed.len()).filter(due).collect();
        for timed in due {
            self.count_and_act(self.shape.events.len() + timed);
        }
        self.change()
    }

    /// Handles a change that is not from an event; returns whether the trajectory ends.
    fn change(&mut self) -> bool {
        if (self.t - self.last).abs() < NEAR {
            self.doubt(Doubt::Near);
        }
        self.changed = self.t;
        let over = self.jump(&[], &[]);
        self.arm(&[]);
        over
    }

    /// Records functions that go through zero or turn around more often than a step can detect.
    fn look_for_fast(&mut self) {
        let near = |a: f64, b: f64| (a - b).abs() < LONGEST_STEP;
        for event in 0..self.shape.events.len() {
            let (zeros, turns) = (&self.zeros[event], &self.turns[event]);
            let twice = zeros.windows(2).filter(|pair| near(pair[0], pair[1]));
            let around = |pair: &[f64]| {
                turns.iter().filter(|turn| pair.iter().any(|zero| near(**turn, *zero))).count()
            };
            let fast = zeros.windows(3).any(|three| near(three[0], three[2]))
                || twice.into_iter().any(|pair| around(pair) > 1);
            if fast {
                self.doubt(Doubt::Fast);
            }
        }
    }
}
