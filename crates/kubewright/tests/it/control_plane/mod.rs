//! The contract fixture (flow-and-contract.md, 17.1): the owner and five components, with controllers of their own and their external systems.

mod controllers;
mod disturbance;
mod external;
mod external_systems;
mod kinds;
mod life;
mod world;
