//! Looks for bytes that break a law of [`agglio_fuzz::terms`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agglio_fuzz::terms(data));
