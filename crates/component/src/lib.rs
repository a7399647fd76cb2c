//! The component reconciler: installs, upgrades, repairs and removes the dependents of a component.
