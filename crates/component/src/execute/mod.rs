//! Execution of a plan: its actions are sent as requests, their answers update the observation, and the plan is computed again.

mod foreign;
mod request;
mod sender;

pub(crate) use foreign::check_foreign;
pub(crate) use request::refusal_of;
pub(crate) use sender::{Sender, SentAction};
