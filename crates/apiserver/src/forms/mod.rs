//! The form of the built-in types: their fields and the Go types behind them, as data.
//!
//! The sources are the published OpenAPI definitions (`data/schemas.json.zst`) and facts about Go types that they lack (`data/types.toml`). What the
//! server does with the objects of a type is not here but in [`types`](crate::types).

mod data;
pub(crate) mod facts;
pub(crate) mod form;

pub use data::Definitions;
