//! Failures without the error that they come from (HALT-5, RES-06).

use kubewright::prelude::*;

fn main() {
    let _ = Failure::backoff();
    let _ = Failure::after(Delay::secs::<30>());
    let _ = Failure::terminal("Unsupported");
    let _ = Failure::default();
}
