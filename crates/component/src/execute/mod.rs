//! Executing a plan: actions become requests, answers go back into what is observed, and the plan is asked again.

mod foreign;
mod request;
mod sender;

pub(crate) use foreign::check_foreign;
pub(crate) use request::refusal_of;
pub(crate) use sender::{Sender, Sent};
