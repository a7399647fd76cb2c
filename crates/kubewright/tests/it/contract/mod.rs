//! The controllers of the components of a contract, on a test cluster.

mod by_hand;
mod children;
mod conditions;
mod deletion;
mod dependencies;
mod give_up;
mod halted;
mod openmcp;
mod operations;
mod owner;
mod platform;
mod rendered;
mod start;
mod triggers;
mod world;
