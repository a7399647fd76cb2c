/// Whether children that are there may be changed in a pass, so that an upgrade of the operator does not roll running workloads
/// (`flow-and-contract.md`, 7.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UpdateGate {
    /// Updates are written.
    Open,
    /// Updates are held back.
    Closed,
}

/// The gate of the children of an owner with this generation, this applied generation, and this value of the annotation
/// `<domain>/autoupdate-spec`. It is open when the owner changed since the last success, or when the annotation is `once` or `always`.
pub fn gate_of(generation: i64, applied: Option<i64>, autoupdate: Option<&str>) -> UpdateGate {
    if generation > applied.unwrap_or_default() || matches!(autoupdate, Some("once" | "always")) {
        UpdateGate::Open
    } else {
        UpdateGate::Closed
    }
}
