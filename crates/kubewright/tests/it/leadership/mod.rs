//! Several replicas of one operator.

mod replicas;
mod sharing;
mod terms;
