//! A *scale* says where on an axis a number goes, and which numbers have no place there.

use std::sync::Arc;

use kuva::render::layout::{Layout, TickFormat};

use crate::figure::Axis;

/// Larger numbers are not drawn, because their distances could overflow.
pub const LARGEST: f64 = 1e100;
/// What differs by less than this share is one number to an axis.
const SAME: f64 = 1e-9;
/// Below this the ticks of the drawing crate's own logarithmic axes are cut off.
const LEAST: f64 = 1e-9;
/// Up to this number of decades an axis also has labels between powers of ten.
const FEW: f64 = 3.0;
/// Most powers of ten that are labelled.
const MOST: f64 = 9.0;
/// Space beyond the first and last number of an axis, as a share of its length.
const MARGIN: f64 = 0.02;

/// An axis with its range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// Equal distances are equal differences.
    Linear { low: f64, high: f64 },
    /// Equal distances are equal ratios, over few decades.
    Log { low: f64, high: f64 },
    /// The same over many decades, or very small numbers: their logarithms on a linear axis.
    Decades { low: f64, high: f64, step: f64 },
}

impl Scale {
    /// A scale on which all these numbers have a place that can have one, as far as the axis goes.
    pub fn new(axis: &Axis, values: impl Iterator<Item = f64>) -> Scale {
        let most = axis.most.filter(|most| Self::is_drawn(axis, *most));
        let all = values.chain(axis.including.iter().copied()).filter(|value| Self::is_drawn(axis, *value));
        let drawn = all.map(|value| most.map_or(value, |most| value.min(most)));
        let range = drawn.fold(None, |range, value| match range {
            None => Some((value, value)),
            Some((low, high)) => Some((f64::min(low, value), f64::max(high, value))),
        });
        let scale = match (axis.log, range) {
            (false, range) => Scale::linear(range.unwrap_or((0.0, 1.0))),
            (true, range) => Scale::log(range.unwrap_or((0.1, 1.0))),
        };
        most.map_or(scale, |most| scale.up_to(most))
    }

    fn is_drawn(axis: &Axis, value: f64) -> bool {
        value.abs() <= LARGEST && (!axis.log || value > 0.0)
    }

    /// The same, no higher than `most`.
    fn up_to(self, most: f64) -> Scale {
        match self {
            Scale::Linear { low, high } if low < most => Scale::Linear { low, high: high.min(most) },
            Scale::Log { low, high } if low < most => Scale::Log { low, high: high.min(most) },
            Scale::Decades { low, high, step } if low < most.log10() => {
                Scale::Decades { low, high: high.min(most.log10()), step }
            }
            scale => scale,
        }
    }

    fn linear((low, high): (f64, f64)) -> Scale {
        // room for marks at the ends, and for a single number
        let size = low.abs().max(high.abs());
        let is_one = high - low <= SAME * size || size < 1.0 / LARGEST;
        let room = if is_one { if size < SAME { 0.1 } else { 0.1 * size } } else { MARGIN * (high - low) };
        Scale::Linear { low: low - room, high: high + room }
    }

    fn log((low, high): (f64, f64)) -> Scale {
        let (from, to) = (low.log10(), high.log10());
        let length = to - from;
        if length > FEW {
            let margin = MARGIN * length;
            return Scale::Decades { low: from - margin, high: to + margin, step: step(length) };
        }
        let (from, to) = (from.floor(), to.ceil());
        let to = if to > from { to } else { from + 1.0 };
        match low >= LEAST {
            true => Scale::Log { low: round_below(low), high: 1.0 / round_below(1.0 / high) },
            false => Scale::Decades { low: from, high: to, step: 1.0 },
        }
    }

    /// Where the number goes, in the units of the axis; nothing where it has no place.
    pub fn place(&self, value: f64) -> Option<f64> {
        let placed = match self {
            Scale::Linear { .. } => value,
            Scale::Log { .. } if value > 0.0 => value,
            Scale::Decades { .. } if value > 0.0 => value.log10(),
            Scale::Log { .. } | Scale::Decades { .. } => return None,
        };
        (value.abs() <= LARGEST).then_some(placed)
    }

    /// How far along the axis a place is, from 0 to 1.
    pub fn share(&self, place: f64) -> f64 {
        match *self {
            Scale::Linear { low, high } | Scale::Decades { low, high, .. } => (place - low) / (high - low),
            Scale::Log { low, high } => (place / low).ln() / (high / low).ln(),
        }
    }

    /// The place that is so far along the axis, from 0 to 1.
    pub fn at(&self, share: f64) -> f64 {
        match *self {
            Scale::Linear { low, high } | Scale::Decades { low, high, .. } => low + share * (high - low),
            Scale::Log { low, high } => low * (high / low).powf(share),
        }
    }

    /// Where the number goes, an exact zero of a logarithmic axis to its lower end.
    pub fn place_or_end(&self, value: f64) -> Option<f64> {
        match self {
            Scale::Log { .. } | Scale::Decades { .. } if value == 0.0 => Some(self.at(0.0)),
            _ => self.place(value),
        }
    }

    /// Whether the number is an exact zero of a logarithmic axis.
    pub fn is_below(&self, value: f64) -> bool {
        value == 0.0 && !matches!(self, Scale::Linear { .. })
    }

    /// Whether the number is above the end of the axis.
    pub fn is_above(&self, value: f64) -> bool {
        self.place(value).is_some_and(|place| self.share(place) > 1.0 + SAME)
    }

    /// The range in the units of the axis.
    pub fn range(&self) -> (f64, f64) {
        match *self {
            Scale::Linear { low, high } | Scale::Log { low, high } | Scale::Decades { low, high, .. } => (low, high),
        }
    }

    /// Makes it the horizontal axis of a layout.
    pub fn along_x(&self, layout: Layout) -> Layout {
        let (low, high) = self.range();
        match *self {
            Scale::Linear { .. } => layout.with_x_axis_min(low).with_x_axis_max(high).with_x_tick_format(plain()),
            Scale::Log { .. } => {
                layout.with_log_x().with_x_axis_min(low).with_x_axis_max(high).with_x_tick_format(plain())
            }
            Scale::Decades { step, .. } => {
                layout.with_x_axis_min(low).with_x_axis_max(high).with_x_tick_step(step).with_x_tick_format(powers())
            }
        }
    }

    /// Makes it the vertical axis of a layout.
    pub fn along_y(&self, layout: Layout) -> Layout {
        let (low, high) = self.range();
        match *self {
            Scale::Linear { .. } => layout.with_y_axis_min(low).with_y_axis_max(high).with_y_tick_format(plain()),
            Scale::Log { .. } => {
                layout.with_log_y().with_y_axis_min(low).with_y_axis_max(high).with_y_tick_format(plain())
            }
            Scale::Decades { step, .. } => {
                layout.with_y_axis_min(low).with_y_axis_max(high).with_y_tick_step(step).with_y_tick_format(powers())
            }
        }
    }
}

/// Decades between two labels.
fn step(length: f64) -> f64 {
    [1.0, 2.0, 4.0, 5.0, 10.0, 20.0, 50.0].into_iter().find(|step| length / step < MOST).unwrap_or(100.0)
}

/// The largest 1, 2 or 5 times a power of ten that is at most nine tenths of the value, so that marks have room.
fn round_below(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    let candidates = [5.0, 2.0, 1.0, 0.5].map(|factor| factor * power);
    candidates.into_iter().find(|candidate| *candidate <= 0.9 * value).unwrap_or(0.2 * power)
}

fn plain() -> TickFormat {
    TickFormat::Custom(Arc::new(number))
}

fn powers() -> TickFormat {
    TickFormat::Custom(Arc::new(|place| power_of_ten(place.round() as i32)))
}

/// A number of few digits, without an exponent where that is short.
fn number(value: f64) -> String {
    match value.abs() {
        v if v == 0.0 || (1e-3..1e7).contains(&v) => format!("{}", (value * 1e6).round() / 1e6),
        _ => {
            let exponent = value.abs().log10().floor() as i32;
            let digits = (value / 10_f64.powi(exponent) * 1e3).round() / 1e3;
            if digits == 1.0 { power_of_ten(exponent) } else { format!("{digits}·{}", power_of_ten(exponent)) }
        }
    }
}

/// `10⁻¹⁶`; small powers as plain numbers would be read faster, but a column of labels reads best in one style.
pub fn power_of_ten(exponent: i32) -> String {
    let raised = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => char::from_u32(0x2070 + digit.to_digit(10).unwrap_or(0)).unwrap_or(digit),
    };
    format!("10{}", exponent.to_string().chars().map(raised).collect::<String>())
}
