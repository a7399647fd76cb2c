//! A framework for Kubernetes operators: components, reconcilers, and an API server to test them on.
