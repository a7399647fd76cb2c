//! Outcomes that nobody chose: there is no default one, and none that passes for an error (HALT-2, HALT-6, RES-08).

use kubewright::prelude::*;

fn default<T: Default>() {}
fn error<T: std::error::Error>() {}

fn main() {
    default::<Halt>();
    default::<Wait>();
    default::<Blocked>();
    default::<Failure>();
    default::<Delay>();
    error::<Halt>();
    error::<Wait>();
    error::<Blocked>();
    error::<Failure>();
}
