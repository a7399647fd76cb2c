//! Multi-step work of hand-written reconcilers: deadlines, pipelines, branches (`flow-and-contract.md`, 5 and 6).

mod deadline;
