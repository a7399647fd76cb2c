//! What a Kubernetes object is, for both sides of the wire: identity, YAML, field sets, selectors, quantities, patches.
