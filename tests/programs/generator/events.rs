//! Random modules with events, actions at given times, conditions after steps and modes.
//!
//! Their dynamics are tame: right-hand sides are damped, rotate, and are driven by bounded
//! functions. Another program can therefore follow a trajectory to any accuracy. Each module is
//! written twice, with the attributes, and as plain Rust with the attributes as data.

use std::fmt::Write as _;

use super::{Generator, Random};
use crate::shapes::{Condition, Direction, SHAPES, Shape};

const STATES: [&str; 3] = ["x", "y", "z"];

/// A random program with events.
pub(crate) struct EventProgram {
    pub(crate) name: String,
    /// The index of its shape in [`SHAPES`].
    pub(crate) shape: usize,
    /// The module, without `mod` and its attribute.
    pub(crate) text: String,
    /// The same module as plain Rust, with a function `plain`.
    pub(crate) plain: String,
}

/// A function: its name, its text after `fn name`, and its call.
struct Function {
    name: String,
    declaration: String,
    call: String,
}

/// The values that an action returns.
#[derive(Clone, Copy, PartialEq)]
enum Returns {
    State,
    Modes,
    Both,
}

struct Writer<'a> {
    generator: Generator,
    shape: &'a Shape,
    /// Whether some action changes modes.
    modes_change: bool,
}

impl EventProgram {
    /// Returns program `number` of `seed`, which does not depend on other programs.
    pub(crate) fn new(seed: u64, number: u64) -> EventProgram {
        let stream = Random(seed ^ 0x0045_7645_4e54).uniform(0.0, 1.0).to_bits();
        let generator = Generator::new(Random(stream.wrapping_add(number << 32)));
        let shape = (number % SHAPES.len() as u64) as usize;
        let writer = Writer { generator, shape: &SHAPES[shape], modes_change: false };
        let (text, plain) = writer.program();
        EventProgram { name: format!("events_{number}"), shape, text, plain }
    }
}

impl Writer<'_> {
    fn program(mut self) -> (String, String) {
        let mut text = self.structs("pub struct");
        let mut plain = self.structs("#[derive(Clone, Copy)] pub struct");
        plain += &conversions(self.shape);
        let rhs = self.rhs();
        for of in [&mut text, &mut plain] {
            writeln!(of, "fn rhs{}", rhs.declaration).expect("a string");
        }
        let (mut events, mut actions, mut limits) = (String::new(), String::new(), String::new());
        let mut last = String::new();
        for (index, event) in self.shape.events.iter().enumerate() {
            let direction = match event.direction {
                Direction::Rising => "rising",
                Direction::Falling => "falling",
                Direction::Both => "both",
            };
            let body = self.event_function(index, &last);
            let function = self.function(format!("event_{index}"), "f64", &body);
            last = body;
            let (stop, limit) = self.stop(4);
            let log = if event.logs { ", log" } else { "" };
            let attribute = format!("#[event({direction}{stop}{log})]");
            self.put(&mut text, &mut plain, &attribute, &function);
            write!(events, "|u, p, t| {{ {POINT} {} }}, ", function.call).expect("a string");
            limits += &limit;
            match event.acts {
                true => {
                    let name = function.name.clone();
                    actions +=
                        &self.action(&mut text, &mut plain, &format!("#[action({name})]"), &name);
                }
                false => actions += "None, ",
            }
        }
        let mut times = String::new();
        for (index, &logs) in self.shape.timed.iter().enumerate() {
            let (attribute, series) = self.times();
            let attribute = match logs {
                true => attribute.replace(")]", ", log)]"),
                false => attribute,
            };
            let name = format!("timed_{index}");
            actions += &self.action(&mut text, &mut plain, &attribute, &name);
            limits += "None, ";
            write!(times, "|p| {{ let p = parameters(p); vec![{series}] }}, ").expect("a string");
        }
        let mut conditions = String::new();
        for (index, &Condition { acts, logs }) in self.shape.conditions.iter().enumerate() {
            let body = self.condition();
            let function = self.function(format!("condition_{index}"), "bool", &body);
            let (stop, limit) = self.stop(40);
            let log = if logs { ", log" } else { "" };
            let attribute = match format!("{stop}{log}").strip_prefix(", ") {
                Some(words) => format!("#[after_step({words})]"),
                None => "#[after_step]".to_owned(),
            };
            self.put(&mut text, &mut plain, &attribute, &function);
            write!(conditions, "|u, p, t| {{ {POINT} {} }}, ", function.call).expect("a string");
            limits += &limit;
            match acts {
                true => {
                    let name = function.name.clone();
                    actions +=
                        &self.action(&mut text, &mut plain, &format!("#[action({name})]"), &name);
                }
                false => actions += "None, ",
            }
        }
        writeln!(
            plain,
            "pub fn plain() -> Plain {{ Plain {{
    rhs: |u, p, t| {{ {POINT} array({}) }},
    events: vec![{events}],
    conditions: vec![{conditions}],
    actions: vec![{actions}],
    limits: vec![{limits}],
    times: vec![{times}],
}} }}",
            rhs.call
        )
        .expect("a string");
        (text, plain)
    }

    /// Writes a function into the module, with its attribute, and into the plain text.
    fn put(&self, text: &mut String, plain: &mut String, attribute: &str, function: &Function) {
        let Function { name, declaration, .. } = function;
        writeln!(text, "{attribute}\nfn {name}{declaration}").expect("a string");
        writeln!(plain, "fn {name}{declaration}").expect("a string");
    }

    /// Returns the structs, each with this head.
    fn structs(&self, head: &str) -> String {
        let mut text = format!("{head} State {{ pub x: f64, pub y: f64, pub z: f64 }}\n");
        let own = "pub a: f64, pub b: f64, pub c: f64, pub d: f64, pub times: [f64; 2]";
        let fields = match (self.shape.modes, self.shape.first_mode) {
            (0, _) => format!("{own}, pub e: f64, pub f: f64"),
            (_, 0) => format!("pub modes: Modes, {own}"),
            _ => format!("{own}, pub modes: Modes"),
        };
        if self.shape.modes > 0 {
            writeln!(text, "{head} Modes {{ pub hold: f64, pub until: f64 }}").expect("a string");
        }
        writeln!(text, "{head} Parameters {{ {fields} }}").expect("a string");
        text
    }

    /// Returns a function with the arguments that its body uses.
    fn function(&mut self, name: String, returns: &str, body: &str) -> Function {
        let words: Vec<&str> = body.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let uses = |word: &str| words.contains(&word);
        let state = if uses("u") { "u" } else { "_" };
        let mut arguments = vec![format!("{state}: &State")];
        let mut call = vec!["&u"];
        if uses("p") || self.generator.once_in(4) {
            arguments.push("p: &Parameters".to_owned());
            call.push("&p");
        }
        if uses("m") {
            arguments.push("m: &Modes".to_owned());
            call.push("&p.modes");
        }
        if uses("t") {
            arguments.push("t: f64".to_owned());
            call.push("t");
        }
        let declaration = format!("({}) -> {returns} {{\n    {body}\n}}", arguments.join(", "));
        let call = format!("{name}({})", call.join(", "));
        Function { name, declaration, call }
    }

    /// Returns a number with two digits after the point.
    fn number(&mut self, low: f64, high: f64) -> String {
        let number = (self.generator.random.uniform(low, high) * 100.0).round() / 100.0;
        format!("{number:?}")
    }

    /// Returns a number or a parameter of order one.
    fn size(&mut self) -> String {
        match self.generator.below(4) {
            0 | 1 => self.number(0.3, 1.2),
            2 => format!("p.{}", self.generator.choose(&["a", "b", "c", "d"])),
            _ => format!("{} * p.{}", self.number(0.4, 1.1), self.generator.choose(&["a", "b"])),
        }
    }

    fn state(&mut self) -> String {
        format!("u.{}", self.generator.choose(&STATES))
    }

    /// Returns a sum of two states.
    fn sum(&mut self) -> String {
        let (first, second) = (self.state(), self.state());
        format!("{} * {first} + {} * {second}", self.size(), self.number(-0.8, 0.8))
    }

    /// Returns a function of states that is bounded by one.
    fn bounded(&mut self) -> String {
        let sum = self.sum();
        match self.generator.below(4) {
            0 => format!("({sum}).sin()"),
            1 => format!("({sum} + 0.3).cos()"),
            2 => format!("({sum}).tanh()"),
            _ => {
                let state = self.state();
                format!("{state} / (1.0 + {state} * {state})")
            }
        }
    }

    fn rhs(&mut self) -> Function {
        let mut terms: [Vec<String>; 3] = Default::default();
        for (d, terms) in terms.iter_mut().enumerate() {
            terms.push(format!("{} * u.{}", self.number(-0.4, -0.05), STATES[d]));
            let (size, bounded) = (self.number(-0.5, 0.5), self.bounded());
            terms.push(format!("{size} * {bounded}"));
            if d == 0 || self.generator.once_in(3) {
                let (size, speed) = (self.number(0.2, 0.8), self.number(0.4, 1.5));
                terms.push(format!("{size} * ({speed} * t).cos()"));
            }
            if self.shape.modes > 0 && (d == 1 || self.generator.once_in(3)) {
                terms.push(format!("{} * m.hold", self.number(-0.8, 0.8)));
            }
        }
        for (i, j) in [(0, 1), (1, 2), (0, 2)] {
            if (i, j) == (0, 1) || self.generator.once_in(2) {
                let speed = self.size();
                terms[i].push(format!("{speed} * u.{}", STATES[j]));
                terms[j].push(format!("-{speed} * u.{}", STATES[i]));
            }
        }
        let fields =
            terms.iter().zip(STATES).map(|(terms, name)| format!("{name}: {}", terms.join(" + ")));
        // Times of actions are formulas of the program's parameters.
        let body =
            format!("let _ = p.a;\n    State {{ {} }}", fields.collect::<Vec<String>>().join(", "));
        self.function("rhs".to_owned(), "State", &body)
    }

    /// Returns the function of an event; `last` is the function of the event before.
    fn event_function(&mut self, index: usize, last: &str) -> String {
        if index > 0 && self.generator.once_in(5) {
            // Two events at the same zero.
            return match self.generator.once_in(2) {
                true => last.to_owned(),
                false => format!("2.0 * ({last})"),
            };
        }
        let level = self.number(-0.5, 0.5);
        let modes = self.shape.modes > 0;
        match self.generator.below(if modes { 9 } else { 7 }) {
            0 => format!("{} - {level}", self.state()),
            1 => self.state(),
            2 => format!("{} - {level}", self.sum()),
            3 => format!("{} * {} - {}", self.state(), self.state(), self.number(0.05, 0.4)),
            4 => format!("({} + {} * t).sin() - {level}", self.state(), self.number(-0.5, 0.5)),
            5 => format!("{} - 0.6 * ({} * t).sin()", self.state(), self.number(0.3, 1.2)),
            6 => format!("{} - p.{} + 0.5", self.state(), self.generator.choose(&["a", "b", "c"])),
            7 => format!("{} - {} * m.hold", self.state(), self.number(0.2, 0.6)),
            _ => "t - m.until".to_owned(),
        }
    }

    /// Returns the end of an attribute and the limit.
    ///
    /// The event ends the trajectory after up to `most` earlier occurrences.
    fn stop(&mut self, most: i64) -> (String, String) {
        match self.generator.below(8) {
            0 => (", stop".to_owned(), "Some(1), ".to_owned()),
            1 | 2 => {
                let count = self.generator.between(2, most);
                (format!(", stop = {count}"), format!("Some({count}), "))
            }
            _ => (String::new(), "None, ".to_owned()),
        }
    }

    /// Returns an action with this attribute and name, and its call.
    fn action(
        &mut self,
        text: &mut String,
        plain: &mut String,
        attribute: &str,
        name: &str,
    ) -> String {
        let returns = match self.shape.modes {
            0 => Returns::State,
            // The first action changes the modes, so that they are modes.
            _ if !self.modes_change => *self.generator.choose(&[Returns::Modes, Returns::Both]),
            _ => *self.generator.choose(&[Returns::State, Returns::Modes, Returns::Both]),
        };
        self.modes_change = true;
        let (state, modes) = (self.new_state(), self.new_modes());
        let (returned, body, taken) = match returns {
            Returns::State => ("State", state, "(array(after), p0)"),
            Returns::Modes => ("Modes", modes, "(u0, changed(p0, after))"),
            Returns::Both => {
                let body = match self.generator.once_in(4) {
                    true => format!("(*u, {modes})"),
                    false => format!("({state}, {modes})"),
                };
                ("(State, Modes)", body, "(array(after.0), changed(p0, after.1))")
            }
        };
        let function = self.function(format!("after_{name}"), returned, &body);
        self.put(text, plain, attribute, &function);
        let call = &function.call;
        format!(
            "Some(|u, p, t| {{ let (u0, p0) = (*u, *p); {POINT} let after = {call}; {taken} }}), "
        )
    }

    /// Returns the text of the new state.
    fn new_state(&mut self) -> String {
        let changed = self.generator.between(1, 3) as usize;
        let first = self.generator.below(3);
        let fields = (0..changed).map(|k| {
            let name = STATES[(first + k) % 3];
            let value = match self.generator.below(6) {
                0 => format!("-u.{name}"),
                1 => format!("{} * u.{name}", self.number(-0.95, -0.4)),
                2 => self.number(-0.8, 0.8),
                3 => format!("u.{name} + {}", self.number(-0.7, 0.7)),
                4 => format!("0.5 * {} + 0.2 * p.d", self.state()),
                _ => format!("u.{name} + 0.4 * ({} + t).cos()", self.state()),
            };
            format!("{name}: {value}")
        });
        let fields: Vec<String> = fields.collect();
        let rest = if changed < 3 { ", ..*u" } else { "" };
        format!("State {{ {}{rest} }}", fields.join(", "))
    }

    /// Returns the text of the new modes.
    fn new_modes(&mut self) -> String {
        let hold = match self.generator.below(5) {
            0 => "-m.hold".to_owned(),
            1 => "0.5 - m.hold".to_owned(),
            2 => self.number(-0.9, 0.9),
            3 => format!("{}.tanh()", self.state()),
            _ => "if m.hold > 0.0 { -0.5 } else { 0.5 }".to_owned(),
        };
        let until = format!("t + {}", self.number(0.3, 1.5));
        match self.generator.below(3) {
            0 => format!("Modes {{ hold: {hold}, ..*m }}"),
            1 => format!("Modes {{ until: {until}, ..*m }}"),
            _ => format!("Modes {{ hold: {hold}, until: {until} }}"),
        }
    }

    /// Returns the attribute of an action at given times, and its time series.
    fn times(&mut self) -> (String, String) {
        let once = |time: &str| format!("Series {{ first: {time}, every: 0.0, count: 1.0 }}");
        let listed = |times: &[&str]| {
            let series: Vec<String> = times.iter().map(|time| once(time)).collect();
            (format!("#[at({})]", times.join(", ")), series.join(", "))
        };
        let often = |first: &str, every: &str, count: Option<&str>| {
            let said = count.map(|count| format!(", count = {count}")).unwrap_or_default();
            let number =
                count.map_or("f64::INFINITY".to_owned(), |count| format!("{count} as f64"));
            let series = format!("Series {{ first: {first}, every: {every}, count: {number} }}");
            (format!("#[at(first = {first}, every = {every}{said})]"), series)
        };
        match self.generator.below(7) {
            0 => listed(&[&self.number(0.2, 3.0)]),
            1 => listed(&["p.times[0]"]),
            2 => listed(&["p.times[0] + 1.25", "p.times[0]"]),
            3 => {
                let series = [once("p.times[0]"), once("p.times[1]")].join(", ");
                ("#[at(p.times)]".to_owned(), series)
            }
            4 => often("p.times[0]", "p.times[1]", None),
            5 => often("p.times[0]", "0.75", Some("3")),
            _ => often(&self.number(-2.0, 1.0), "p.times[1]", Some("6.0 * p.c")),
        }
    }

    fn condition(&mut self) -> String {
        let level = self.number(-0.4, 0.4);
        match self.generator.below(if self.shape.modes > 0 { 6 } else { 5 }) {
            0 => format!("{} > {level}", self.state()),
            1 => format!("{}.abs() < {}", self.state(), self.number(0.1, 0.5)),
            2 => format!("{} * {} < 0.1 && t > {level}", self.state(), self.state()),
            3 => format!("{} < 0.6 * (t + {level}).sin()", self.sum()),
            4 => "true".to_owned(),
            _ => format!("{} > 0.5 * m.hold || t < 0.5", self.state()),
        }
    }
}

/// Converts arrays to the arguments of functions.
const POINT: &str = "let (u, p) = (state(u), parameters(p));";

/// Returns the conversion functions between arrays and structs.
fn conversions(shape: &Shape) -> String {
    let own = |first: usize| {
        let names = ["a", "b", "c", "d"].iter().enumerate();
        let fields: Vec<String> =
            names.map(|(k, name)| format!("{name}: p[{}]", first + k)).collect();
        format!("{}, times: [p[{}], p[{}]]", fields.join(", "), first + 4, first + 5)
    };
    let modes =
        |first: usize| format!("modes: Modes {{ hold: p[{first}], until: p[{}] }}", first + 1);
    let fields = match (shape.modes, shape.first_mode) {
        (0, _) => format!("{}, e: p[6], f: p[7]", own(0)),
        (_, 0) => format!("{}, {}", modes(0), own(2)),
        _ => format!("{}, {}", own(0), modes(6)),
    };
    let changed = match shape.modes {
        0 => String::new(),
        _ => {
            let first = shape.first_mode;
            format!(
                "fn changed(mut p: [f64; 8], m: Modes) -> [f64; 8] {{ \
                 (p[{first}], p[{}]) = (m.hold, m.until); p }}\n",
                first + 1
            )
        }
    };
    format!(
        "fn state(u: &[f64; 3]) -> State {{ State {{ x: u[0], y: u[1], z: u[2] }} }}
fn array(u: State) -> [f64; 3] {{ [u.x, u.y, u.z] }}
fn parameters(p: &[f64; 8]) -> Parameters {{ Parameters {{ {fields} }} }}
{changed}"
    )
}
