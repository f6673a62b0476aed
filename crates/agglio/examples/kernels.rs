//! Kernels as shares of what the machine can do: `kernels [MEGABYTES [REPEATS]]`.

use agglio::bench::{Bench, Storage};

fn main() -> agglio::Result<()> {
    let mut words = std::env::args().skip(1).filter_map(|word| word.parse::<usize>().ok());
    let (megabytes, repeats) = (words.next().unwrap_or(16), words.next().unwrap_or(5));
    for width in [10, 50, 100, 500] {
        let rows = megabytes * 1_000_000 / 8 / width;
        let bench = Bench::new(rows, width, Storage::F64, repeats)?;
        for threads in [1, 2] {
            let (gradient, curvature) = (bench.gradient(threads)?, bench.curvature(threads)?);
            println!(
                "d = {width:3}, {threads} threads: gradient {:5.1} ns a row, {:3.0} % of a sum; curvature {:3.0} % of gemm",
                1e9 * gradient.seconds / rows as f64,
                100.0 * gradient.fraction(),
                100.0 * curvature.fraction()
            );
        }
    }
    Ok(())
}
