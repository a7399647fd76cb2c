#![no_main]

#[path = "../src/charts.rs"]
mod charts;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = charts::archives(data);
});
