//! Where data comes from: arrays and the simulator.

use agglio::Options;
use agglio::activation::named;
use agglio::rows::Dense;
use agglio::simulate::{Design, LabelNoise, Shape, Simulation};

use crate::bank;

#[test]
fn arrays_that_are_no_table_are_refused() {
    assert!(Dense::new(vec![], 0, vec![]).is_err());
    assert!(Dense::new(vec![1.0, 2.0, 3.0], 2, vec![1.0]).is_err());
    assert!(Dense::new(vec![1.0, f64::NAN], 1, vec![1.0, 2.0]).unwrap_err().to_string().contains("row 2"));
    assert!(Dense::new(vec![1.0, 2.0], 1, vec![1.0, f64::INFINITY]).is_err());
    assert!(Dense::new_f32(vec![1.0, f32::NAN], 1, vec![1.0, 2.0]).is_err());
    let rows = Dense::new(vec![1.0, 2.0], 1, vec![0.1, 0.2]).unwrap();
    for weights in [vec![1.0], vec![-1.0, 2.0], vec![f64::NAN, 1.0], vec![0.0, 0.0]] {
        assert!(rows.clone().with_weights(weights).is_err());
    }
    assert!(rows.clone().with_offsets(vec![1.0]).is_err());
    let one = Dense::new(vec![1.0], 1, vec![0.1]).unwrap();
    assert!(Options::new(named("sigmoid").unwrap()).build().unwrap().fit(&one).is_err());
}

#[test]
fn simulated_data_has_the_law_it_is_asked_for() {
    let draw = |design, noise| {
        Simulation::new(named("identity").unwrap(), 40_000, 2)
            .norm(2.0)
            .design(design)
            .noise(noise)
            .seed(1)
            .draw()
            .unwrap()
    };
    let column = |data: &agglio::simulate::Simulated, j: usize| {
        data.values.iter().skip(j).step_by(2).copied().collect::<Vec<_>>()
    };
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let product = |x: &[f64], y: &[f64]| mean(&x.iter().zip(y).map(|(x, y)| x * y).collect::<Vec<_>>());
    for (design, variance, correlation) in [
        (Design::Scaled, 0.5, 0.0),
        (Design::Normal, 1.0, 0.0),
        (Design::Correlated(0.8), 1.0, 0.8),
        (Design::Uniform, 1.0, 0.0),
        (Design::Student(12.0), 1.2, 0.0),
    ] {
        let data = draw(design, LabelNoise::None);
        let (a, b) = (column(&data, 0), column(&data, 1));
        assert!(mean(&a).abs() < 0.03 && (product(&a, &a) / variance - 1.0).abs() < 0.05, "{design:?}");
        assert!((product(&a, &b) / variance - correlation).abs() < 0.03, "{design:?}");
        assert!((bank::distance(&data.truth, &[0.0, 0.0]) - 2.0).abs() < 1e-12);
    }
    for (noise, deviation) in [
        (LabelNoise::Post(0.3, Shape::Gauss), 0.3),
        (LabelNoise::Pre(0.3, Shape::Uniform), 0.3 / 3.0_f64.sqrt()),
        (LabelNoise::Pre(0.3, Shape::Sign), 0.3),
    ] {
        let data = draw(Design::Normal, noise);
        let clean = draw(Design::Normal, LabelNoise::None).labels;
        let noise_drawn: Vec<f64> = data.labels.iter().zip(&clean).map(|(y, z)| y - z).collect();
        assert!((product(&noise_drawn, &noise_drawn).sqrt() / deviation - 1.0).abs() < 0.02, "{noise:?}");
    }
    let inside = Simulation::new(named("sigmoid").unwrap(), 2000, 2).noise(LabelNoise::Post(0.5, Shape::Truncated));
    assert!(inside.draw().unwrap().labels.iter().all(|&y| y > 0.0 && y < 1.0));
}
