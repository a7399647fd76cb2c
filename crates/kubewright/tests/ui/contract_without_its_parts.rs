//! An owner whose status is not that of an owner, and a component without the methods of its author (flow-and-contract.md, 13.1).

#[macro_use]
mod platform;

use kubewright::prelude::*;
use platform::*;

contract! {
    owner = ApiServer;
    Landscaper {}
}

fn main() {}
