//! A scripted API server for the tests of this crate: small enough to be obviously right, and able to misbehave on demand.

mod log;
mod scripted;
mod server;

pub(crate) use log::{CapturedLog, subscribe};
pub(crate) use scripted::{ScriptedCall, client_of, cluster_of, slow_client_of};
pub(crate) use server::{Fault, Server};
