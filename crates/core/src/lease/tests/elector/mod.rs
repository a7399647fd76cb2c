//! Each row of the table of 7.3.

mod bench;
mod ending;
mod leading;
mod limits;
mod waiting;
