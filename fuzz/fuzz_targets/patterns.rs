#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kubewright_fuzz::patterns(data));
