//! Recordings of lane programs.

use std::cell::RefCell;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};
use std::sync::Arc;

use odes::lane::{Bits, Mask, Real};

/// A function of one number, from [`Real`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unary {
    Neg,
    Abs,
    Sqrt,
    Floor,
    RoundEven,
    Exp,
    Exp2,
    ExpM1,
    Ln,
    Log2,
    Log10,
    Ln1p,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Cbrt,
}

/// A function of two numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Min,
    Max,
    Copysign,
    Powf,
    Atan2,
    Hypot,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Comparison {
    Lt,
    Le,
    Gt,
    Ge,
    Equals,
}

/// An operation. Operands are positions of numbers or of truth values.
#[derive(Clone, Debug)]
enum Operation {
    Literal(f64),
    /// State, then parameters, then the time.
    Input(u32),
    Unary(Unary, u32),
    Binary(Binary, u32, u32),
    MulAdd(u32, u32, u32),
    Select(u32, u32, u32),
    /// The entry of a table at an index.
    Lookup(Arc<[f64]>, u32),
    Compare(Comparison, u32, u32),
    And(u32, u32),
    Or(u32, u32),
    Not(u32),
}

/// The kind of an operand.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Number,
    Truth,
}

impl Operation {
    /// Calls a function for each operand.
    fn operands(&mut self, mut each: impl FnMut(Kind, &mut u32)) {
        use Kind::{Number, Truth};
        match self {
            Operation::Literal(_) | Operation::Input(_) => {}
            Operation::Unary(_, a) | Operation::Lookup(_, a) => each(Number, a),
            Operation::Binary(_, a, b) | Operation::Compare(_, a, b) => {
                each(Number, a);
                each(Number, b);
            }
            Operation::MulAdd(a, b, c) => [a, b, c].into_iter().for_each(|a| each(Number, a)),
            Operation::Select(truth, a, b) => {
                each(Truth, truth);
                each(Number, a);
                each(Number, b);
            }
            Operation::And(a, b) | Operation::Or(a, b) => {
                each(Truth, a);
                each(Truth, b);
            }
            Operation::Not(a) => each(Truth, a),
        }
    }
}

/// A recorded function.
#[derive(Clone, Debug)]
pub struct Tape {
    operations: Vec<Operation>,
    results: Vec<u32>,
}

#[derive(Default)]
struct Recorder {
    operations: Vec<Operation>,
    numbers: u32,
    masks: u32,
}

thread_local! {
    static RECORDER: RefCell<Recorder> = RefCell::default();
}

fn number(operation: Operation) -> Recorded {
    RECORDER.with_borrow_mut(|recorder| {
        recorder.operations.push(operation);
        recorder.numbers += 1;
        Recorded(recorder.numbers - 1)
    })
}

fn mask(operation: Operation) -> RecordedMask {
    RECORDER.with_borrow_mut(|recorder| {
        recorder.operations.push(operation);
        recorder.masks += 1;
        RecordedMask(recorder.masks - 1)
    })
}

/// A number that only records the operations on it.
#[derive(Clone, Copy, Debug)]
pub struct Recorded(u32);

/// A truth value that only records the operations on it.
#[derive(Clone, Copy, Debug)]
pub struct RecordedMask(u32);

impl Tape {
    /// Records `function`, which receives as many numbers as there are inputs.
    pub fn record(inputs: usize, function: impl FnOnce(&[Recorded]) -> Vec<Recorded>) -> Tape {
        RECORDER.with_borrow_mut(|recorder| *recorder = Recorder::default());
        let inputs: Vec<Recorded> =
            (0..inputs).map(|index| number(Operation::Input(index as u32))).collect();
        let results = function(&inputs).into_iter().map(|result| result.0).collect();
        let operations =
            RECORDER.with_borrow_mut(|recorder| std::mem::take(&mut recorder.operations));
        Tape { operations, results }
    }

    /// Returns a tape with the same results and only the operations that they need.
    #[must_use]
    pub fn pruned(&self) -> Tape {
        // The positions of the operations that return numbers, and of those that return truth
        // values.
        let (mut numbers, mut masks) = (Vec::new(), Vec::new());
        for (place, operation) in self.operations.iter().enumerate() {
            match operation {
                Operation::Compare(..)
                | Operation::And(..)
                | Operation::Or(..)
                | Operation::Not(_) => {
                    masks.push(place);
                }
                _ => numbers.push(place),
            }
        }
        let mut needed = vec![false; self.operations.len()];
        for &result in &self.results {
            needed[numbers[result as usize]] = true;
        }
        for (place, operation) in self.operations.iter().enumerate().rev() {
            if needed[place] {
                let mut operation = operation.clone();
                operation.operands(|kind, operand| {
                    let places = if kind == Kind::Number { &numbers } else { &masks };
                    needed[places[*operand as usize]] = true;
                });
            }
        }
        // The remaining numbers come before these.
        let position = |all: &[usize]| {
            let mut count = 0;
            let mut next = |place: &usize| {
                count += u32::from(needed[*place]);
                count.wrapping_sub(1)
            };
            all.iter().map(&mut next).collect::<Vec<u32>>()
        };
        let (new_numbers, new_masks) = (position(&numbers), position(&masks));
        let kept = self.operations.iter().zip(&needed).filter(|(_, needed)| **needed);
        let operations = kept.map(|(operation, _)| {
            let mut operation = operation.clone();
            operation.operands(|kind, operand| {
                let places = if kind == Kind::Number { &new_numbers } else { &new_masks };
                *operand = places[*operand as usize];
            });
            operation
        });
        let results = self.results.iter().map(|&result| new_numbers[result as usize]).collect();
        Tape { operations: operations.collect(), results }
    }

    /// Returns the number of operations, including literals.
    #[must_use]
    pub fn operations(&self) -> usize {
        self.operations.len()
    }

    /// Returns the results for some inputs.
    #[must_use]
    pub fn evaluate<R: Real>(&self, inputs: &[R]) -> Vec<R> {
        let numbers = self.numbers(inputs);
        self.results.iter().map(|&result| numbers[result as usize]).collect()
    }

    /// Returns all intermediate numbers, in order.
    fn numbers<R: Real>(&self, inputs: &[R]) -> Vec<R> {
        let mut numbers: Vec<R> = Vec::with_capacity(self.operations.len());
        let mut masks: Vec<R::Mask> = Vec::new();
        for operation in &self.operations {
            let of = |index: u32| numbers[index as usize];
            let truth = |index: u32| masks[index as usize];
            let number = match *operation {
                Operation::Literal(value) => R::lit(value),
                Operation::Input(index) => inputs[index as usize],
                Operation::Unary(function, a) => unary(function, of(a)),
                Operation::Binary(function, a, b) => binary(function, of(a), of(b)),
                Operation::MulAdd(a, b, c) => of(a).mul_add(of(b), of(c)),
                Operation::Select(mask, a, b) => R::select(truth(mask), of(a), of(b)),
                Operation::Lookup(ref table, index) => R::lookup(table, of(index)),
                Operation::Compare(comparison, a, b) => {
                    let truth = compare(comparison, of(a), of(b));
                    masks.push(truth);
                    continue;
                }
                Operation::And(a, b) => {
                    let truth = truth(a) & truth(b);
                    masks.push(truth);
                    continue;
                }
                Operation::Or(a, b) => {
                    let truth = truth(a) | truth(b);
                    masks.push(truth);
                    continue;
                }
                Operation::Not(a) => {
                    let truth = !truth(a);
                    masks.push(truth);
                    continue;
                }
            };
            numbers.push(number);
        }
        numbers
    }

    /// Returns whether a result depends on the sign of a zero, which the compiler may change.
    #[must_use]
    pub fn sign_of_zero_matters(&self, inputs: &[f64]) -> bool {
        let numbers = self.numbers(inputs);
        let zero = |index: u32| numbers[index as usize] == 0.0;
        self.operations.iter().any(|operation| match *operation {
            Operation::Binary(Binary::Div | Binary::Copysign, _, b) => zero(b),
            Operation::Binary(Binary::Atan2 | Binary::Powf, a, _) => zero(a),
            _ => false,
        })
    }

    /// Returns whether a number is rounded to an integer that equals it.
    ///
    /// All numbers beyond some size are such integers; the compiler's remainders end there.
    #[must_use]
    pub fn has_large_quotient(&self, inputs: &[f64]) -> bool {
        let numbers = self.numbers(inputs);
        self.operations.iter().any(|operation| match *operation {
            Operation::Unary(Unary::Floor, a) => numbers[a as usize].abs() >= 2.0 / f64::EPSILON,
            _ => false,
        })
    }

    /// Returns whether a result depends on the sign of a NaN, which neither Rust nor IEEE 754
    /// defines.
    #[must_use]
    pub fn sign_of_nan_matters(&self, inputs: &[f64]) -> bool {
        let numbers = self.numbers(inputs);
        self.operations.iter().any(|operation| match *operation {
            Operation::Binary(Binary::Copysign, _, b) => numbers[b as usize].is_nan(),
            _ => false,
        })
    }

    /// Returns the inputs on which each result depends, except by a condition.
    #[must_use]
    pub fn dependences(&self) -> Vec<Vec<u32>> {
        let mut inputs: Vec<Vec<u32>> = Vec::new();
        for operation in &self.operations {
            let operands: &[u32] = match operation {
                Operation::Input(index) => {
                    inputs.push(vec![*index]);
                    continue;
                }
                Operation::Literal(_) => &[],
                Operation::Unary(_, a) | Operation::Lookup(_, a) => &[*a],
                Operation::Binary(_, a, b) | Operation::Select(_, a, b) => &[*a, *b],
                Operation::MulAdd(a, b, c) => &[*a, *b, *c],
                _ => continue,
            };
            let mut all: Vec<u32> =
                operands.iter().flat_map(|&operand| inputs[operand as usize].clone()).collect();
            all.sort_unstable();
            all.dedup();
            inputs.push(all);
        }
        self.results.iter().map(|&result| inputs[result as usize].clone()).collect()
    }
}

fn binary<R: Real>(function: Binary, a: R, b: R) -> R {
    match function {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div => a / b,
        Binary::Min => a.min(b),
        Binary::Max => a.max(b),
        Binary::Copysign => a.copysign(b),
        Binary::Powf => a.powf(b),
        Binary::Atan2 => a.atan2(b),
        Binary::Hypot => a.hypot(b),
    }
}

fn compare<R: Real>(comparison: Comparison, a: R, b: R) -> R::Mask {
    match comparison {
        Comparison::Lt => a.lt(b),
        Comparison::Le => a.le(b),
        Comparison::Gt => a.gt(b),
        Comparison::Ge => a.ge(b),
        Comparison::Equals => a.equals(b),
    }
}

macro_rules! functions {
    ($($name:ident = $function:ident,)*) => {
        fn unary<R: Real>(function: Unary, a: R) -> R {
            match function {
                Unary::Neg => -a,
                $(Unary::$function => a.$name(),)*
            }
        }

        impl Real for Recorded {
            type Scalar = f64;
            type Mask = RecordedMask;
            type Bits = NoBits;
            type Single = f32;
            const LANES: usize = 1;
            const DOUBLE: bool = true;

            fn lit(value: f64) -> Self {
                number(Operation::Literal(value))
            }
            fn mul_add(self, a: Self, b: Self) -> Self {
                number(Operation::MulAdd(self.0, a.0, b.0))
            }
            fn lookup(table: &[f64], index: Self) -> Self {
                number(Operation::Lookup(table.into(), index.0))
            }
            fn select(mask: RecordedMask, a: Self, b: Self) -> Self {
                number(Operation::Select(mask.0, a.0, b.0))
            }
            $(fn $name(self) -> Self {
                number(Operation::Unary(Unary::$function, self.0))
            })*
            two! { min Min, max Max, copysign Copysign, powf Powf, atan2 Atan2, hypot Hypot }
            comparisons! { lt Lt, le Le, gt Gt, ge Ge, equals Equals }
            no_solver_parts! {
                max_magnitude(self, _: Self) -> Self;
                at_most(self, _: Self) -> Self;
                at_least(self, _: Self) -> Self;
                to_bits(self) -> NoBits;
                from_bits(_: NoBits) -> Self;
                bits_to_single(self) -> f32;
                single_to_bits(_: f32) -> Self;
                to_single(self) -> f32;
                from_single(_: f32) -> Self;
                single_mask(_: RecordedMask) -> bool;
                lane(&self, _: usize) -> f64;
                lanes(&self) -> &[f64];
                set_lane(&mut self, _: usize, _: f64) -> ();
            }
        }
    };
}

macro_rules! two {
    ($($name:ident $function:ident),*) => {
        $(fn $name(self, other: Self) -> Self {
            number(Operation::Binary(Binary::$function, self.0, other.0))
        })*
    };
}

macro_rules! comparisons {
    ($($name:ident $comparison:ident),*) => {
        $(fn $name(self, other: Self) -> RecordedMask {
            mask(Operation::Compare(Comparison::$comparison, self.0, other.0))
        })*
    };
}

macro_rules! operators {
    ($($operator:ident $name:ident,)*) => {
        $(impl $operator for Recorded {
            type Output = Self;
            fn $name(self, other: Self) -> Self {
                number(Operation::Binary(Binary::$operator, self.0, other.0))
            }
        })*
    };
}

functions! {
    abs = Abs,
    sqrt = Sqrt,
    floor = Floor,
    round_even = RoundEven,
    exp = Exp,
    exp2 = Exp2,
    exp_m1 = ExpM1,
    ln = Ln,
    log2 = Log2,
    log10 = Log10,
    ln_1p = Ln1p,
    sin = Sin,
    cos = Cos,
    tan = Tan,
    asin = Asin,
    acos = Acos,
    atan = Atan,
    sinh = Sinh,
    cosh = Cosh,
    tanh = Tanh,
    asinh = Asinh,
    acosh = Acosh,
    atanh = Atanh,
    cbrt = Cbrt,
}

operators! { Add add, Sub sub, Mul mul, Div div, }

impl Neg for Recorded {
    type Output = Self;
    fn neg(self) -> Self {
        number(Operation::Unary(Unary::Neg, self.0))
    }
}

impl BitAnd for RecordedMask {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        mask(Operation::And(self.0, other.0))
    }
}

impl BitOr for RecordedMask {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        mask(Operation::Or(self.0, other.0))
    }
}

impl Not for RecordedMask {
    type Output = Self;
    fn not(self) -> Self {
        mask(Operation::Not(self.0))
    }
}

impl Mask for RecordedMask {
    no_solver_parts! {
        splat(_: bool) -> Self;
        any(self) -> bool;
        to_bitmask(self) -> u64;
        from_bitmask(_: u64) -> Self;
    }
}

/// The type of bit patterns, which right-hand sides do not use.
#[derive(Clone, Copy, Debug)]
pub struct NoBits;

macro_rules! no_operators {
    ($($operator:ident $name:ident,)*) => {
        $(impl $operator for NoBits {
            type Output = Self;
            no_solver_parts! { $name(self, _: Self) -> Self; }
        })*
    };
}

no_operators! { BitAnd bitand, BitOr bitor, BitXor bitxor, }

impl Not for NoBits {
    type Output = Self;
    no_solver_parts! { not(self) -> Self; }
}

impl Bits for NoBits {
    type Mask = RecordedMask;
    fn shl<const BY: u32>(self) -> Self {
        self
    }
    fn shr<const BY: u32>(self) -> Self {
        self
    }
    no_solver_parts! {
        lit(_: u64) -> Self;
        lane(&self, _: usize) -> u64;
        wrapping_add(self, _: Self) -> Self;
        wrapping_sub(self, _: Self) -> Self;
        mul_low(self, _: Self) -> Self;
        mul_high(self, _: Self) -> Self;
        equals(self, _: Self) -> RecordedMask;
        less_than(self, _: Self) -> RecordedMask;
        select(_: RecordedMask, _: Self, _: Self) -> Self;
    }
}
