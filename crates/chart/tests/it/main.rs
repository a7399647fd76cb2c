//! Tests of charts as programs use them.

mod charts;
mod published;
mod subcharts;
mod vectors;
