//! The error type of the layers.

/// The error type of the layers, as usual for tower services.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;
