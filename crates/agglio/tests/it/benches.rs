//! What is measured can be measured, at any size.

use agglio::bench::{Bench, Storage};

#[test]
fn kernels_and_fits_are_timed() {
    for (storage, threads) in [(Storage::F64, 1), (Storage::F32, 2)] {
        let bench = Bench::new(3000, 7, storage, 3).unwrap();
        for timing in [bench.gradient(threads).unwrap(), bench.curvature(threads).unwrap()] {
            assert!(timing.seconds > 0.0 && timing.bound > 0.0 && timing.fraction().is_finite(), "{timing:?}");
        }
        let (seconds, passes) = bench.fit(threads).unwrap();
        assert!(seconds > 0.0 && passes >= 2.0);
    }
    assert!(Bench::new(0, 7, Storage::F64, 3).is_err());
}
