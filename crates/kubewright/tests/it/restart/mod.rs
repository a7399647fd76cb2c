//! The restart request fixture (`flow-and-contract.md`, 17.3), in addition to the package fixture.

mod disturbance;
mod history;
mod transitions;
mod world;
