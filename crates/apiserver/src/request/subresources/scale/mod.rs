//! The `/scale` subresource: an autoscaling/v1 Scale as a view of a few fields of an object (SUB-4).
//!
//! A write changes the Scale, whose field owners are those of the object's replicas. The result is written back into the object, which is then
//! updated like any other.

mod answer;
mod owners;
mod view;

pub(in crate::request) use answer::answer;
