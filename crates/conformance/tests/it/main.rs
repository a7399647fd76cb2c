//! The embedded server against a real one, and against clients of other projects.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails, fails its test")]

mod clients;
mod histories;
mod kubectl;
mod scripts;

use kubewright_testing::Tier;

/// Returns true if a test that compares both servers can run; prints a message if not.
fn is_real_tier() -> bool {
    let is_real = Tier::from_env().unwrap() == Tier::Real;
    if !is_real {
        println!("skipped: compares with a real server; KUBEWRIGHT_TEST_CLUSTER=real starts one");
    }
    is_real
}
