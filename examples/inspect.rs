//! The compiler's report on a right-hand side, and the code that it generates.
//!
//! ```text
//! cargo run -p odes-examples --example inspect
//! cargo run -p odes-examples --example inspect -- --rust
//! cargo run -p odes-examples --example inspect -- --cuda
//! ```

use odes::system::System;
use odes_models as models;

fn main() {
    match std::env::args().nth(1).as_deref() {
        // The code of the CPU's lanes.
        Some("--rust") => return println!("{}", models::lorenz::lorenz.rust_source()),
        // The code of a GPU's threads, without the kernel around it.
        Some("--cuda") => return print!("{}", models::lorenz::lorenz.device_source().unwrap()),
        _ => {}
    }
    let reports = [
        models::lorenz::lorenz::report(),
        models::hodgkin_huxley::hodgkin_huxley::report(),
        models::double_pendulum::double_pendulum::report(),
        models::lorenz96::lorenz96::report(),
        models::pleiades::pleiades::report(),
        models::pollution::pollution::report(),
    ];
    for report in reports {
        println!("{report}\n");
    }
}
