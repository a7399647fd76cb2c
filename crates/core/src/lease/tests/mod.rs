mod config;
mod elector;
mod model;
mod names;
mod overlap;
mod record;
mod world;
