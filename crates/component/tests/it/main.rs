//! Components on an embedded API server.

mod budgets;
mod types;
mod world;
