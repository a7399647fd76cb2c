/// The permission to change existing children in a pass. It keeps an upgrade of the operator from rolling running workloads
/// (`flow-and-contract.md`, 7.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UpdateGate {
    /// Updates of existing children are written.
    Open,
    /// Updates of existing children are held back.
    Closed,
}

/// Returns the gate for the children of an owner with this generation, this applied generation, and this value of the annotation
/// `<domain>/autoupdate-spec`. The gate is open if the owner changed since the last success, or if the annotation is `once` or `always`.
pub fn gate_of(generation: i64, applied: Option<i64>, autoupdate: Option<&str>) -> UpdateGate {
    if generation > applied.unwrap_or_default() || matches!(autoupdate, Some("once" | "always")) {
        UpdateGate::Open
    } else {
        UpdateGate::Closed
    }
}
