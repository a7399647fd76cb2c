//! Ours beside the openmcp mcp-operator: on the objects that it left, scene by scene, and the traps that ours avoid.
//!
//! `recording` reads the scenes, `kinds` are the recorded kinds as a contract, `outside` plays what lies behind the components, `hand` what a person did,
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
