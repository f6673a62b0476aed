//! *Passes with a free response scale*: the values a + b·φ(z), and the sums from which the best a and b follow.

use crate::oracle::loss;
use crate::oracle::partial_sums::PartialSums;
use crate::oracle::query::{At, Hessian, Want};
use crate::oracle::response::ResponseAt;
use crate::oracle::row_pass::RowPass;
use crate::rows::Run;

/// What a pass knows of a run of rows at τ = 1: the values φ are masked where a row has no weight.
pub(super) struct Rescaled<'a> {
    pub weight: &'a [f64],
    /// a + bφ − y.
    pub residual: &'a [f64],
    /// D = bφ′.
    pub derivative: &'a [f64],
    /// φ.
    pub value: &'a [f64],
}

impl RowPass<'_> {
    /// From φ and φ′ to a + bφ and bφ′ at τ = 1. Keeps φ in `kept`, with zeros for rows without weight.
    pub(super) fn rescale(
        &self,
        ResponseAt { offset, scale, .. }: ResponseAt,
        weight: &[f64],
        [value, derivative]: [&mut [f64]; 2],
        kept: &mut [f64],
    ) {
        kept.copy_from_slice(value);
        loss::mask(weight, kept);
        value.iter_mut().for_each(|value| *value = offset + scale * *value);
        derivative.iter_mut().for_each(|derivative| *derivative *= scale);
    }

    /// The same for τ < 1: from φ̂_τ to bφ̂_τ, and from responses to graduated labels on the same scale.
    pub(super) fn rescale_graduated(
        &self,
        response: ResponseAt,
        tau: f64,
        [value, derivative, label]: [&mut [f64]; 3],
        [preimage, beyond, graduated]: [&mut [f64]; 3],
    ) {
        let frame = &self.prepared.frame;
        let Some(scale) = &frame.response else { return };
        for ((label, preimage), beyond) in label.iter().zip(&mut *preimage).zip(&mut *beyond) {
            (*preimage, *beyond) = scale.preimage(response, frame.activation.as_ref(), *label);
        }
        frame.activation.graduate(tau, preimage, graduated);
        for ((label, graduated), beyond) in label.iter_mut().zip(graduated).zip(beyond) {
            *label = response.scale * (*graduated + tau * *beyond);
        }
        value.iter_mut().for_each(|value| *value *= response.scale);
        derivative.iter_mut().for_each(|derivative| *derivative *= response.scale);
    }

    /// Adds the sums over a and b, and those between them and the coefficients.
    pub(super) fn add_response(
        &self,
        at: &At<'_>,
        response: ResponseAt,
        run: &Run<'_>,
        rows: &Rescaled<'_>,
        [first, second]: [&mut [f64]; 2],
        sums: &mut PartialSums,
    ) {
        if matches!(at.want, Want::CurvatureTimes(..)) {
            return;
        }
        let Rescaled { weight, residual, derivative, value } = *rows;
        for i in 0..run.len() {
            let (weight, value, residual) = (weight[i], value[i], residual[i]);
            let terms = [1.0, value, value * value, residual, residual * value];
            sums.numbers.iter_mut().zip(terms).for_each(|(sum, term)| *sum += weight * term);
        }
        let [offset, scale] = sums.response.as_mut_slice() else { return };
        // the derivative of bφ′ by b
        let bend = if at.want == Want::Curvature(Hessian::Full) { 1.0 / response.scale } else { 0.0 };
        for i in 0..run.len() {
            first[i] = weight[i] * derivative[i];
            second[i] = first[i] * (value[i] + bend * residual[i]);
        }
        self.add(run, [(first, offset), (second, scale)]);
    }

    /// For a product of the curvature with v: `times` is x_iᵀv, and h_i·x_iᵀv is given. Adds the share of the response scale
    /// to these, and the products in its entries to the sums.
    pub(super) fn multiply_response(
        &self,
        hessian: Hessian,
        response: ResponseAt,
        rows: &Rescaled<'_>,
        times: &[f64],
        h: &mut [f64],
        sums: &mut PartialSums,
    ) {
        let Some(scale) = &self.prepared.frame.response else { return };
        let [alpha, beta] = self.displacement(scale.free());
        let bend = if hessian == Hessian::Full { 1.0 / response.scale } else { 0.0 };
        for i in 0..h.len() {
            let (weight, residual, derivative, value) =
                (rows.weight[i], rows.residual[i], rows.derivative[i], rows.value[i]);
            let along = response.units[0] * alpha + response.units[1] * beta * value;
            let bent = bend * residual * derivative * response.units[1];
            h[i] += weight * (derivative * along + bent * beta);
            let total = derivative * times[i] + along;
            let terms = [response.units[0] * total, response.units[1] * value * total + bent * times[i]];
            sums.numbers.iter_mut().zip(terms).for_each(|(sum, term)| *sum += weight * term);
        }
    }

    /// The entries of v for α and β; zero for one that is not free.
    fn displacement(&self, free: [bool; 2]) -> [f64; 2] {
        let crate::oracle::query::Ask::At(At { want: Want::CurvatureTimes(_, v), .. }) = &self.query.ask else {
            return [0.0, 0.0];
        };
        let mut entries = v.iter().skip(self.prepared.frame.coordinates.dim()).copied();
        free.map(|free| if free { entries.next().unwrap_or(0.0) } else { 0.0 })
    }
}
