//! TestCluster: the embedded API server, a real one, or any kubeconfig, behind one interface for tests of operators.
