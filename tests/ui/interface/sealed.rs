#[derive(Clone, Copy)]
struct Mine;

impl odes::lane::WithSingle for Mine {}

fn main() {}
