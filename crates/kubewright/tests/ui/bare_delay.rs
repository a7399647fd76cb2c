//! Numbers and durations that are no delays: a number has no unit, and a duration may be zero (HALT-4, RES-05).

use std::time::Duration;

use kubewright::prelude::*;

fn main() {
    let _ = Wait::after(30, "WaitingForLaaS");
    let _: Delay = 30.into();
    let _: Delay = Duration::from_secs(30).into();
}
