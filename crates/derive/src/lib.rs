//! Derive macros of Kubewright.
