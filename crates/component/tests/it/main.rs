//! Components on an embedded API server.

mod apply;
mod budgets;
mod crash;
mod delete;
mod lifecycle;
mod types;
mod world;
