//! Looks for bytes that break a law of [`agglio_fuzz::numbers`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agglio_fuzz::numbers(data));
