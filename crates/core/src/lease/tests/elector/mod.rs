//! Tests of each row of the table of reconciler.md, 7.3.

mod bench;
mod ending;
mod leading;
mod limits;
mod waiting;
