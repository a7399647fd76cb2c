#![no_main]

#[path = "../src/templates.rs"]
mod templates;

libfuzzer_sys::fuzz_target!(|data: &[u8]| templates::templates(data));
