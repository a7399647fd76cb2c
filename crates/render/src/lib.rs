//! Generators: what turns a component's spec into the manifests of its dependents.
