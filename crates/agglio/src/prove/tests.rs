//! Tests of bounds: no point of a region is below its bound, and no region with a minimum is excluded.

use std::collections::HashSet;

use super::bound::Finding;
use super::examined::Exclusion;
use super::examiner::{Candidate, Examiner};
use super::landscape::Landscape;
use super::part::Parts;
use super::region::{Kind, Region};
use super::small::{self, Vector, ZERO};
use crate::activation::{NAMES, named};
use crate::math::rng::{Random, Stream};
use crate::oracle::{FreeResponse, Oracle, Problem};
use crate::rows::Dense;

/// A random problem with this activation, and with free asymptotes if φ has them and `free` is true.
fn landscape(name: &str, seed: u64, free: bool) -> Landscape {
    let mut random = Random::new(seed, Stream::Start);
    let (rows, width) = (12 + seed as usize % 30, 1 + seed as usize % 2);
    let x: Vec<f64> = (0..rows * width).map(|_| random.normal()).collect();
    let phi = named(name).unwrap();
    let y = (0..rows).map(|i| {
        let z: f64 = x[i * width..(i + 1) * width].iter().map(|x| 1.5 * x).sum::<f64>() + 0.3;
        phi.value(z) + 0.3 * random.normal()
    });
    let y = y.collect();
    let weights = (0..rows).map(|i| 0.5 + (i % 3) as f64).collect();
    let offsets = (0..rows).map(|i| 0.1 * (i % 5) as f64).collect();
    let table = Dense::new(x, width, y).unwrap().with_weights(weights).unwrap().with_offsets(offsets).unwrap();
    let (left, right) = phi.limits();
    let is_free = free && (right - left).is_finite();
    let response = FreeResponse { offset: is_free, scale: is_free, asymptotes: is_free, ..FreeResponse::default() };
    let l2 = if seed.is_multiple_of(3) { 0.02 } else { 0.0 };
    let oracle = Problem { response, l2, ..Problem::new(phi.clone()) }.on(&table).unwrap();
    Landscape::of(&oracle as &dyn Oracle, &phi).unwrap().unwrap()
}

/// A random region: boxes and parts of cones of many sizes.
fn region(landscape: &Landscape, random: &mut Random) -> Region {
    let order = landscape.order();
    let size = 10.0_f64.powf(3.0 * random.uniform() - 2.5);
    let mut region = Region::point(ZERO, landscape.predictors);
    for j in 0..order {
        region.centre[j] = 3.0 * random.normal();
        region.radius[j] = size * (0.2 + random.uniform());
    }
    for (m, [low, high]) in landscape.response.bounds.iter().enumerate() {
        let at = landscape.predictors + m;
        region.centre[at] = low + (0.45 + 0.1 * random.uniform()) * (high - low);
        region.radius[at] = 0.02 * size.min(1.0) * (high - low);
    }
    if random.uniform() < 0.4 {
        let axis = (random.uniform() * landscape.predictors as f64) as usize % landscape.predictors;
        region.kind = Kind::Cone { axis, sign: if random.uniform() < 0.5 { 1 } else { -1 } };
        for j in (0..landscape.predictors).filter(|&j| j != axis) {
            region.radius[j] = size.min(0.5);
            region.centre[j] = (2.0 * random.uniform() - 1.0) * (1.0 - region.radius[j]);
        }
        let near = if random.uniform() < 0.3 { 0.0 } else { 0.3 * random.uniform() };
        region.radius[axis] = 0.1 * size.min(1.0);
        region.centre[axis] = near + region.radius[axis];
    }
    region
}

/// A random point of a region.
fn point(region: &Region, order: usize, random: &mut Random) -> Vector {
    let mut inside = *region;
    for j in 0..order {
        let share = match (random.uniform() * 4.0) as usize {
            0 => -1.0,
            1 => 1.0,
            _ => 2.0 * random.uniform() - 1.0,
        };
        inside.centre[j] += share * region.radius[j];
    }
    if let Kind::Cone { axis, .. } = region.kind {
        inside.centre[axis] = inside.centre[axis].max(1e-3 * region.t(axis)[1]);
    }
    inside.middle()
}

/// Far away, and lower than everything.
fn nobody(landscape: &Landscape) -> Candidate {
    let mut point = ZERO;
    point[..landscape.order()].fill(1e9);
    Candidate { point, loss: 0.0, error: 0.0, gradient: 0.0 }
}

#[test]
fn no_point_of_a_region_is_below_its_bound() {
    let mut open = 0;
    for name in NAMES {
        for (seed, free) in (0..6).flat_map(|seed| [(seed, false), (seed, true)]) {
            let landscape = landscape(name, seed, free);
            let (mut examiner, mut random) = (Examiner::new(&landscape), Random::new(seed, Stream::Start));
            for _ in 0..60 {
                let region = region(&landscape, &mut random);
                // nothing is above this cut, so what is excluded has no minimum
                let finding = examiner.examine(&region, f64::INFINITY, &nobody(&landscape), &[]);
                let Finding::Open { lower, .. } = finding else { continue };
                open += 1;
                for _ in 0..20 {
                    let inside = point(&region, landscape.order(), &mut random);
                    let loss = examiner.at(&inside).loss;
                    assert!(
                        loss.is_nan() || loss >= lower * (1.0 - 1e-12),
                        "{name} {seed} {free}: {loss} < {lower} in {region:?}"
                    );
                }
            }
        }
    }
    assert!(open > 2000, "{open}");
}

#[test]
fn a_region_without_a_stationary_point_has_a_lower_neighbour() {
    // an excluded box has no stationary point, or no minimum: some point outside is lower than all inside
    let (mut excluded, mut tests) = (0, HashSet::new());
    for name in NAMES {
        for seed in 0..8 {
            let landscape = landscape(name, seed, false);
            let (mut examiner, mut random) = (Examiner::new(&landscape), Random::new(seed, Stream::Start));
            for _ in 0..20 {
                let region = region(&landscape, &mut random);
                let finding = examiner.examine(&region, f64::INFINITY, &nobody(&landscape), &[]);
                let Finding::Excluded(test) = finding else { continue };
                excluded += 1;
                tests.insert(test);
                let inside = |random: &mut Random| point(&region, landscape.order(), random);
                let least = (0..40)
                    .map(|_| examiner.at(&inside(&mut random)))
                    .min_by(|a, b| a.loss.total_cmp(&b.loss))
                    .unwrap();
                // descend from the lowest sample: the end must leave the region
                let end = descend(&mut examiner, least, landscape.order());
                let is_inside = is_well_inside(&region, &end.point, landscape.order());
                assert!(!is_inside || end.gradient > 1e-6, "{name} {seed}: {end:?} in {region:?}");
            }
        }
    }
    let all = [Exclusion::Monotone, Exclusion::Newton, Exclusion::Radial];
    assert!(all.iter().all(|test| tests.contains(test)), "{tests:?}");
    assert!(excluded > 1000, "{excluded}");
}

/// Whether a point is inside a region, and not at its surface.
fn is_well_inside(region: &Region, point: &Vector, order: usize) -> bool {
    let mut own = *point;
    if let Kind::Cone { axis, sign } = region.kind {
        // t and ψ of the point
        let t = f64::from(sign) / point[axis];
        own = point.map(|v| v * t);
        own[axis] = t;
    }
    (0..order).all(|j| (own[j] - region.centre[j]).abs() < region.radius[j] * (1.0 - 1e-6))
}

/// Coordinate descent with shrinking steps.
fn descend(examiner: &mut Examiner<'_>, mut best: Candidate, order: usize) -> Candidate {
    let (mut step, mut rounds) = (0.3, 0);
    while step > 1e-7 && rounds < 400 {
        let mut moved = false;
        rounds += 1;
        for (j, side) in (0..order).flat_map(|j| [(j, -1.0), (j, 1.0)]) {
            let mut point = best.point;
            point[j] += side * step;
            let there = examiner.at(&point);
            if there.loss < best.loss {
                (best, moved) = (there, true);
            }
        }
        step *= if moved { 1.0 } else { 0.5 };
    }
    best
}

/// The number of tiny boxes around the minimum of a fit that are excluded although they hold it.
fn wrongly_excluded(has_margins: bool) -> usize {
    let (mut wrong, mut held) = (0, 0);
    for seed in 0..40 {
        let landscape = landscape("sigmoid", seed, false);
        let mut examiner = Examiner::new(&landscape);
        if !has_margins {
            (examiner.margin, examiner.slack, examiner.ulps) = (0.0, 0.0, 0.0);
        }
        let mut start = ZERO;
        start[..landscape.order()].fill(0.5);
        let start = examiner.at(&start);
        let end = descend(&mut examiner, start, landscape.order());
        let newton = polish(&mut examiner, &landscape, end);
        if small::norm(&examiner.sums_at(&newton.point).gradient) > 3e-16 {
            continue;
        }
        held += 10;
        for exponent in 0..10 {
            let mut region = Region::point(newton.point, landscape.predictors);
            region.radius[..landscape.order()].fill(10.0_f64.powi(-exponent - 8));
            let finding = examiner.examine(&region, f64::INFINITY, &nobody(&landscape), &[]);
            wrong += usize::from(matches!(finding, Finding::Excluded(_)));
        }
    }
    assert!(held >= 100, "{held}");
    wrong
}

/// Newton steps on the gradient at the centre, until it is rounding.
fn polish(examiner: &mut Examiner<'_>, landscape: &Landscape, mut best: Candidate) -> Candidate {
    for _ in 0..2000 {
        let gradient = examiner.sums_at(&best.point).gradient;
        let mut next = best.point;
        // the rows are white, and φ′ is below a quarter
        (0..landscape.order()).for_each(|j| next[j] -= 4.0 * gradient[j]);
        let there = examiner.at(&next);
        if small::norm(&examiner.sums_at(&next).gradient) < small::norm(&gradient) {
            best = there;
        }
    }
    best
}

#[test]
fn rounding_excludes_no_minimum_but_would_without_margins() {
    assert_eq!(wrongly_excluded(true), 0);
    assert!(wrongly_excluded(false) > 0);
}

/// Rows of two groups, with an indicator of the second: each group spans fewer directions than both.
fn two_groups(name: &str, seed: u64) -> Landscape {
    let mut random = Random::new(seed, Stream::Covariates);
    let phi = named(name).unwrap();
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for i in 0..24 {
        let (group, own) = (f64::from(i % 2), random.normal());
        x.extend([own, group]);
        y.push(phi.value(2.0 * own + group) + 0.4 * random.normal());
    }
    let table = Dense::new(x, 2, y).unwrap();
    let oracle = Problem::new(phi.clone()).on(&table).unwrap();
    Landscape::of(&oracle as &dyn Oracle, &phi).unwrap().unwrap()
}

#[test]
fn the_least_loss_of_a_group_is_below_its_loss_at_every_point_and_lifts_the_bounds_of_regions() {
    let mut lifted = 0;
    for name in ["sigmoid", "probit", "silu", "softplus"] {
        for seed in 0..4 {
            let landscape = two_groups(name, seed);
            let (mut examiner, mut random) = (Examiner::new(&landscape), Random::new(seed, Stream::Start));
            let mut parts = Parts::default();
            let everything = landscape.spread(&(0..landscape.rows() as u32).collect::<Vec<u32>>());
            assert!(parts.enter_levels(&landscape, 0.1 * everything, &mut |_| true) > 0, "{name} {seed}");
            assert_eq!(parts.tried.len(), 2, "{name} {seed}");
            for _ in 0..200 {
                let region = region(&landscape, &mut random);
                let [own, with_parts] = [&[], parts.tried.as_slice()].map(|parts| {
                    match examiner.examine(&region, f64::INFINITY, &nobody(&landscape), parts) {
                        Finding::Open { lower, .. } => lower,
                        Finding::Excluded(_) => 0.0,
                    }
                });
                lifted += usize::from(with_parts > own);
                let inside = point(&region, landscape.order(), &mut random);
                let loss = examiner.at(&inside).loss;
                assert!(loss.is_nan() || loss >= with_parts * (1.0 - 1e-12), "{name} {seed}: {loss} < {with_parts}");
                let least: f64 = parts.tried.iter().map(|part| part.least).sum();
                assert!(loss.is_nan() || loss >= least, "{name} {seed}: {loss} < {least}");
            }
            // near the lowest point of each group alone, a larger bound would be wrong
            let lowest = (0..20).map(|_| {
                let start = std::array::from_fn(|j| if j < 3 { 2.0 * random.normal() } else { 0.0 });
                let start = examiner.at(&start);
                descend(&mut examiner, start, 3).loss
            });
            let lowest = lowest.fold(f64::INFINITY, f64::min);
            let least: f64 = parts.tried.iter().map(|part| part.least).sum();
            assert!(least <= lowest, "{name} {seed}: {least} > {lowest}");
        }
    }
    assert!(lifted > 200, "{lifted}");
}
