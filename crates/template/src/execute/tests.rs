//! Tests of the execution.
