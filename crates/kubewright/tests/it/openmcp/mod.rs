//! Comparison of Kubewright with the openmcp mcp-operator: Kubewright runs on the objects that the original left, scene by scene, and avoids its
//! traps.
//!
//! `recording` reads the scenes, `kinds` has the recorded kinds as a contract, `outside` plays the external systems, `hand` the manual actions,
//! `play` compares, `documented` is the table of differences.

mod documented;
mod hand;
mod kinds;
mod normal;
mod outside;
mod play;
mod ready;
mod recording;
mod scenes;
mod start;
mod traps;
