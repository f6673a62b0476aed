//! Looks for bytes that break a law of [`agglio_fuzz::arguments`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agglio_fuzz::arguments(data));
