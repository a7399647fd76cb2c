//! The functions of sprig and of Helm that need no chart, by group.

pub mod data;
