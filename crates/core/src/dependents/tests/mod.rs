//! The tests of the engine against a cluster in memory.

mod apply;
mod chance;
mod cluster;
mod deletion;
mod deletion_of_api_services;
mod drift;
mod fights;
mod inspection;
mod marks;
mod ownership;
mod preparation;
mod properties;
mod requests;
mod rules;
mod world;
