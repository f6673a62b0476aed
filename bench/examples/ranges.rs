//! Ranges of activations over intervals, for `bench/ranges.py`.
//!
//! Each line of standard input has an activation, and the two ends of an interval, which may be `-inf` and `inf`. Each line
//! of the output has the smallest and the largest value there of φ, φ′, φ″ and zφ′(z).

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use agglio::activation::{Activation, PiecewiseMonotone, Shape, named};

type Failure = Box<dyn std::error::Error>;

/// An activation with its shape.
struct Shaped {
    phi: Arc<dyn Activation>,
    shape: Shape,
}

impl Shaped {
    fn new(name: &str) -> Result<Shaped, Failure> {
        let phi = named(name)?;
        let shape = phi.shape().ok_or("it has no shape")?;
        Ok(Shaped { phi, shape })
    }

    /// The ranges of the four functions.
    fn ranges(&self, ends: [f64; 2]) -> [[f64; 2]; 4] {
        let Shaped { phi, shape } = self;
        let range = |curve: &PiecewiseMonotone, function: &dyn Fn(f64) -> f64| {
            curve.range(ends, ends.map(|at| curve.end(at, function)))
        };
        [
            range(&shape.value, &|z| phi.value(z)),
            range(&shape.derivative, &|z| phi.derivative(z)),
            range(&shape.second_derivative, &|z| phi.second_derivative(z)),
            range(&shape.radial_derivative, &|z| z * phi.derivative(z)),
        ]
    }
}

fn main() -> Result<(), Failure> {
    let mut known = BTreeMap::new();
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lines() {
        let line = line?;
        let [name, from, to] = line.split(' ').collect::<Vec<_>>()[..] else { return Err(line.into()) };
        if !known.contains_key(name) {
            known.insert(name.to_owned(), Shaped::new(name)?);
        }
        let Some(shaped) = known.get(name) else { continue };
        let ranges = shaped.ranges([from.parse()?, to.parse()?]);
        let numbers: Vec<String> = ranges.iter().flatten().map(|end| format!("{end:.16e}")).collect();
        writeln!(out, "{}", numbers.join(" "))?;
    }
    Ok(out.flush()?)
}
