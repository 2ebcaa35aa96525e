#[derive(Clone, Copy)]
struct Mine;

impl odes::internals::lane::WithSingle for Mine {}

fn main() {}
