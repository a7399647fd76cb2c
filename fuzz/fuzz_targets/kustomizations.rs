#![no_main]

#[path = "../src/kustomizations.rs"]
mod kustomizations;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = kustomizations::kustomizations(data);
});
