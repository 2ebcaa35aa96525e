//! What the compiler makes of a right-hand side.
//!
//! ```text
//! cargo run --example inspect
//! cargo run --example inspect -- --cuda
//! ```

mod models;

use odes::system::System;

fn main() {
    let cuda = std::env::args().any(|argument| argument == "--cuda");
    if cuda {
        // What a GPU's threads run, inside a kernel around it.
        println!("{}", models::lorenz::lorenz::device_source());
        return;
    }
    let reports = [
        models::lorenz::lorenz::report(),
        models::hodgkin_huxley::hodgkin_huxley::report(),
        models::double_pendulum::double_pendulum::report(),
        models::lorenz96::lorenz96::report(),
        models::pleiades::pleiades::report(),
    ];
    for report in reports {
        println!("{report}\n");
    }
}
