//! *Statistics* of a few runs: the median, and how far they lie apart.

/// The median of some numbers, their quartiles, and their ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The middle one; of an even count, the upper of two, so that it is one of them.
    pub median: f64,
    /// The lowest.
    pub low: f64,
    /// The lower quartile, between two numbers where it falls between them.
    pub lower: f64,
    /// The upper quartile.
    pub upper: f64,
    /// The highest.
    pub high: f64,
}

impl Spread {
    /// Of these numbers; of none, nothing is a number. An infinite one means "never" and counts as the highest.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Spread {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let at = |index: usize| values.get(index).copied().unwrap_or(f64::NAN);
        let last = values.len().saturating_sub(1);
        let quantile = |share: f64| {
            let place = share * last as f64;
            let (below, above) = (at(place.floor() as usize), at(place.ceil() as usize));
            // equal ends first: between two infinite numbers there is nothing to share out
            if below == above { below } else { below + (place - place.floor()) * (above - below) }
        };
        Spread {
            median: at(values.len() / 2),
            low: at(0),
            lower: quantile(0.25),
            upper: quantile(0.75),
            high: at(last),
        }
    }

    /// Of the ratios of numbers, pair by pair.
    pub fn of_ratios(above: impl IntoIterator<Item = f64>, below: impl IntoIterator<Item = f64>) -> Spread {
        Spread::of(above.into_iter().zip(below).map(|(above, below)| ratio(above, below)))
    }

    /// In another unit.
    pub fn times(self, factor: f64) -> Spread {
        let Spread { median, low, lower, upper, high } = self;
        let [median, low, lower, upper, high] = [median, low, lower, upper, high].map(|value| factor * value);
        Spread { median, low, lower, upper, high }
    }
}

/// The one divided by the other; one where both are the same, as when neither ever comes or both are zero.
pub fn ratio(above: f64, below: f64) -> f64 {
    if above == below { 1.0 } else { above / below }
}

/// A line through points by least squares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// Rise per unit.
    pub slope: f64,
    /// The share of the variance of y that it explains.
    pub r_squared: f64,
}

impl Trend {
    /// Through these points.
    pub fn through(x: &[f64], y: &[f64]) -> Trend {
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let (x_mean, y_mean) = (mean(x), mean(y));
        let products = |a: &[f64], a_mean: f64, b: &[f64], b_mean: f64| {
            a.iter().zip(b).map(|(a, b)| (a - a_mean) * (b - b_mean)).sum::<f64>()
        };
        let (xy, xx, yy) =
            (products(x, x_mean, y, y_mean), products(x, x_mean, x, x_mean), products(y, y_mean, y, y_mean));
        Trend { slope: xy / xx, r_squared: xy * xy / (xx * yy) }
    }
}
