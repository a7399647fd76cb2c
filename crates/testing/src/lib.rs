//! Tests of operators: one cluster interface over the embedded API server, a real control plane, and any kubeconfig.

pub mod real;
