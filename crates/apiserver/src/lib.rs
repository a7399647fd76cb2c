//! An embedded Kubernetes API server: in process for tests, on a loopback port for kubectl.

pub mod kinds;
