//! Labs.
fn main() {}
