//! An example operator.

fn main() {}
