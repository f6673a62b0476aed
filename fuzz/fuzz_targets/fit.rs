//! Looks for bytes that break a law of [`agglio_fuzz::fit`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agglio_fuzz::fit(data));
