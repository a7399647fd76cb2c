//! Pure decisions of an operator: outcomes, back-off, the work queue, manifests, health, dependents.
