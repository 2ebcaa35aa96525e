use odes::prelude::*;

fn main() {
    let _ = Axis::p("rate", 0.0..=1.0);
    let _ = Axis::p("rate", 2.0);
    let _ = Axis::u0(0, [1, 2]);
}
