//! The loops over the entries of one row, for f64 and f32 storage.
//!
//! Eight independent partial sums per dot product let the compiler use the vector unit and fix the order of
//! additions, so that the result does not depend on how the loop is compiled.

const LANES: usize = 8;

/// A number as it is stored.
pub(super) trait Element: Copy + Send + Sync + std::fmt::Debug + Into<f64> {}
impl Element for f64 {}
impl Element for f32 {}

/// Σ_j f(x_j − c_j, v_j), with c = 0 where `centre` is empty.
#[inline(always)]
fn fold<T: Element>(x: &[T], centre: &[f64], v: &[f64], f: impl Fn(f64, f64) -> f64) -> f64 {
    if centre.is_empty() {
        lanes(x.len(), |j| f(x[j].into(), v[j]))
    } else {
        let (x, centre, v) = (x, &centre[..x.len()], &v[..x.len()]);
        lanes(x.len(), |j| f(x[j].into() - centre[j], v[j]))
    }
}

#[inline(always)]
fn lanes(len: usize, term: impl Fn(usize) -> f64) -> f64 {
    let mut sums = [0.0; LANES];
    let whole = len - len % LANES;
    for start in (0..whole).step_by(LANES) {
        for (lane, sum) in sums.iter_mut().enumerate() {
            *sum += term(start + lane);
        }
    }
    let rest: f64 = (whole..len).map(&term).sum();
    let [a, b, c, d, e, f, g, h] = sums;
    (((a + e) + (b + f)) + ((c + g) + (d + h))) + rest
}

/// Σ_j (x_j − c_j)·v_j.
pub(super) fn dot<T: Element>(x: &[T], centre: &[f64], v: &[f64]) -> f64 {
    let v = &v[..x.len()];
    fold(x, centre, v, |x, v| x * v)
}

/// Σ_j (x_j − c_j)²·v_j.
pub(super) fn square_dot<T: Element>(x: &[T], centre: &[f64], v: &[f64]) -> f64 {
    let v = &v[..x.len()];
    fold(x, centre, v, |x, v| x * x * v)
}

/// Writes `f(sum_j, x_j − c_j)` over each sum.
#[inline(always)]
pub(super) fn update<T: Element>(x: &[T], centre: &[f64], sums: &mut [f64], f: impl Fn(f64, f64) -> f64) {
    if centre.is_empty() {
        for (sum, &x) in sums.iter_mut().zip(x) {
            *sum = f(*sum, x.into());
        }
    } else {
        for ((sum, &x), &c) in sums.iter_mut().zip(x).zip(centre) {
            *sum = f(*sum, x.into() - c);
        }
    }
}
