//! The dev command: an operator on an embedded API server, with a live view of its dependents.
