//! The `/scale` subresource: an autoscaling/v1 Scale as a view of a few fields of an object (SUB-4).
//!
//! A write is a write of the Scale, with field owners of its own, which are those of the replicas of the object. What comes of it goes back
//! into the object, which is then updated like any other.

mod answer;
mod check;
mod owners;
mod view;

pub(super) use answer::answer;
pub(super) use check::check;
