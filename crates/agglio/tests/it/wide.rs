//! More coefficients than a matrix of them is worth forming for: the same answers through products with vectors.

use agglio::activation::named;
use agglio::simulate::{LabelNoise, Shape};
use agglio::{Noise, Options, Report, Solver, Status};

use crate::bank;

const WIDTH: usize = 1100;

fn fit(solver: Solver, rows: usize, noise: LabelNoise) -> (Report, Vec<f64>) {
    let data = bank::paper("sigmoid", rows, WIDTH, noise, 3);
    let options = Options::new(named("sigmoid").unwrap()).intercept(false).solver(solver).noise(Noise::Post);
    (options.build().unwrap().fit(&bank::rows(&data)).unwrap().into_report(), data.truth)
}

#[test]
fn noiseless_wide_models_are_recovered() {
    let (report, truth) = fit(Solver::Auto, 3 * WIDTH, LabelNoise::None);
    assert!(report.certificate.certified() && report.certificate.curvature_products.is_some(), "{}", report.verdict());
    let (off, length) = (bank::distance(&report.coefficients, &truth), bank::distance(&truth, &vec![0.0; WIDTH]));
    assert!(off <= 1e-13 * length, "{off:e}");
}

#[test]
fn noisy_wide_models_have_the_optimum_of_another_solver() {
    let noise = LabelNoise::Post(0.02, Shape::Gauss);
    let (auto, _) = fit(Solver::Auto, 3 * WIDTH, noise);
    assert!(auto.certificate.certified(), "{}", auto.verdict());
    let (other, _) = fit(Solver::Lbfgs, 3 * WIDTH, noise);
    let off = bank::largest_difference(&auto.coefficients, &other.coefficients);
    assert!(off <= 1e-5, "{off:e}");
}

/// So many columns that the curvature of some rows stands for that of all: alike, each much like the last, and with one that
/// almost no row tells; and labels that are 0 or 1.
#[test]
fn the_curvature_of_some_rows_leads_to_the_optimum_of_all() {
    const COLUMNS: usize = 70;
    let phi = named("sigmoid").unwrap();
    for (design, rows) in [("alike", 820), ("correlated", 820), ("rare", 820), ("binary", 820), ("binary", 40)] {
        let mut data = bank::paper("sigmoid", rows * COLUMNS, COLUMNS, LabelNoise::None, 3);
        for (i, x) in data.values.chunks_mut(COLUMNS).enumerate() {
            match design {
                "correlated" => (1..COLUMNS).for_each(|j| x[j] = 0.95 * x[j - 1] + 0.3 * x[j]),
                "rare" => x[7] = f64::from(u8::from(i % 3000 == 0)),
                _ => {}
            }
            let z: f64 = x.iter().zip(&data.truth).map(|(x, w)| x * w).sum();
            data.labels[i] = match design {
                "binary" => f64::from(u8::from(phi.value(2.0 * z) > (i * 7919 % 1000) as f64 / 1000.0)),
                _ => phi.value(z) + 0.02 * ((i * 31 % 7) as f64 - 3.0) / 3.0,
            };
        }
        let [auto, other] = [Solver::Auto, Solver::Lm].map(|solver| {
            Options::new(phi.clone())
                .solver(solver)
                .noise(Noise::Post)
                .build()
                .unwrap()
                .fit(&bank::rows(&data))
                .unwrap()
        });
        assert!(auto.certificate.certified(), "{design}, {rows}: {}", auto.verdict());
        let off = bank::largest_difference(&auto.coefficients, &other.coefficients);
        assert!(off <= 1e-5, "{design}, {rows}: {off:e}");
        // labels of zero and one on few rows leave doubt, so that challengers follow
        let most = if rows < 100 { 60.0 } else { 25.0 };
        assert!(auto.passes <= most, "{design}, {rows}: {} passes", auto.passes);
    }
}

#[test]
fn fewer_rows_than_coefficients_are_not_enough() {
    let (report, truth) = fit(Solver::Auto, 200, LabelNoise::None);
    assert_eq!(report.status(), Status::NotIdentified, "{}", report.verdict());
    let zero = vec![0.0; WIDTH];
    assert!(bank::distance(&report.coefficients, &zero) < bank::distance(&truth, &zero));
    assert!(report.loss <= 1e-25);
}

/// A penalty decides what fewer rows than coefficients leave open, and a column that carries nothing has no say in it.
#[test]
fn a_penalty_identifies_wide_models() {
    let mut data = bank::paper("sigmoid", 300, WIDTH, LabelNoise::Post(0.02, Shape::Gauss), 3);
    data.values.chunks_mut(WIDTH).for_each(|x| x[7] = 0.0);
    let report = Options::new(named("sigmoid").unwrap()).l2(0.01).build().unwrap().fit(&bank::rows(&data)).unwrap();
    assert!(report.certificate.certified(), "{}", report.verdict());
    assert_eq!(report.dead_columns, [7]);
}

/// A ball holds wide models back as it does narrow ones: on its surface, where descent by projection ends too.
#[test]
fn a_ball_holds_wide_models_back() {
    let data = bank::paper("sigmoid", 2 * WIDTH, WIDTH, LabelNoise::Post(0.02, Shape::Gauss), 3);
    let [auto, projected] = [Solver::Auto, Solver::Gd].map(|solver| {
        let options = Options::new(named("sigmoid").unwrap()).solver(solver).noise(Noise::Post).radius(0.3);
        options.build().unwrap().fit(&bank::rows(&data)).unwrap()
    });
    assert!(auto.certificate.certified() && auto.certificate.held_back, "{}", auto.verdict());
    let off = bank::distance(&auto.coefficients, &projected.coefficients);
    assert!(off <= 1e-4 * bank::distance(&auto.coefficients, &vec![0.0; WIDTH]), "{off:e}: {}", projected.verdict());
}

/// Labels of zero and one that a plane separates, as any would with so few rows: never certified, whoever fits.
#[test]
fn separable_wide_models_are_not_certified() {
    let mut data = bank::paper("sigmoid", 2 * WIDTH, WIDTH, LabelNoise::None, 3);
    data.labels.iter_mut().for_each(|y| *y = f64::from(u8::from(*y > 0.5)));
    for solver in [Solver::Auto, Solver::NewtonCg, Solver::Lbfgs] {
        let options = Options::new(named("sigmoid").unwrap()).solver(solver).noise(Noise::Post).intercept(false);
        let report = options.build().unwrap().fit(&bank::rows(&data)).unwrap();
        let honest = matches!(report.status(), Status::Diverging | Status::IterationLimit);
        assert!(honest && !report.certificate.certified(), "{solver}: {} {}", report.status(), report.verdict());
        assert!(report.loss < 0.01, "{solver}: {}", report.loss);
    }
}

/// Ten rows of very many columns take neither long nor much; what would is refused.
#[test]
fn very_wide_models_end() {
    let width = 100_000;
    let data = bank::paper("sigmoid", 10, width, LabelNoise::None, 3);
    let rows = bank::rows(&data);
    for solver in [Solver::Auto, Solver::Lbfgs, Solver::NewtonCg] {
        let report = Options::new(named("sigmoid").unwrap()).solver(solver).build().unwrap().fit(&rows).unwrap();
        assert_eq!(report.status(), Status::NotIdentified, "{solver}: {}", report.verdict());
        let [warning] = &report.warnings(&[])[..] else { panic!("{solver}: {:?}", report.warnings(&[]).len()) };
        assert!(warning.contains("covariate 12 and 99988 more): drop columns") && warning.len() < 300, "{warning}");
    }
    for solver in [Solver::Lm, Solver::Newton, Solver::Multistart] {
        let refused = Options::new(named("sigmoid").unwrap()).solver(solver).build().unwrap().fit(&rows).unwrap_err();
        assert!(refused.to_string().contains("100001 coefficients") && refused.to_string().contains("`auto`"));
    }
}

/// Copies of columns are a lack of identification, and no optimum at infinity.
#[test]
fn copies_in_wide_models_are_not_identified() {
    let mut data = bank::paper("sigmoid", 2 * WIDTH, WIDTH, LabelNoise::Post(0.02, Shape::Gauss), 3);
    data.values.chunks_mut(WIDTH).for_each(|x| x[7] = x[3]);
    let report = Options::new(named("sigmoid").unwrap()).noise(Noise::Post).build().unwrap();
    let report = report.fit(&bank::rows(&data)).unwrap();
    assert_eq!(report.status(), Status::NotIdentified, "{}", report.verdict());
}
