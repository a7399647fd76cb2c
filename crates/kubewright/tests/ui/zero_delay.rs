//! A constant delay of zero (HALT-4, RES-05).

use kubewright::prelude::*;

const RECHECK: Delay = Delay::secs::<0>();

fn main() {
    let _ = Wait::after(RECHECK, "WaitingForLaaS");
}
