//! Models with an activation of one's own, and the answers of a fit without names.

use std::path::Path;
use std::sync::Arc;

use agglio::Options;
use agglio::activation::{Activation, Affine, Range, Registry, named};
use agglio::inference::Covariance;
use agglio::model::{Centre, Model};
use agglio::rows::Dense;
use agglio::spec::{Entry, Pair};

/// `φ(t) = t/√(1 + t²)` under any name.
#[derive(Debug)]
struct Algebraic(&'static str);

impl Activation for Algebraic {
    fn name(&self) -> String {
        self.0.to_owned()
    }
    fn value(&self, t: f64) -> f64 {
        t / t.hypot(1.0)
    }
    fn derivative(&self, t: f64) -> f64 {
        t.hypot(1.0).powi(-3)
    }
    fn second_derivative(&self, t: f64) -> f64 {
        -3.0 * self.value(t) * t.hypot(1.0).powi(-4)
    }
    fn range(&self) -> Range {
        Range { lo: -1.0, hi: 1.0, attained: false }
    }
}

fn doses() -> Dense {
    Dense::new(vec![0., 1., 2., 3., 4., 5.], 1, vec![9.0, 21.0, 62.0, 137.0, 181.0, 190.0]).unwrap()
}

#[test]
fn a_model_with_an_activation_of_ones_own_is_saved_and_loaded() {
    let phi: Arc<dyn Activation> = Arc::new(Algebraic("algebraic"));
    let registry = Registry::new().with(phi.clone()).unwrap();
    let scaled: Arc<dyn Activation> = Arc::new(Affine::new(phi.clone(), 100.0, 100.0));
    for options in [
        Options::new(phi.clone()).range(Pair(Entry::Free, Entry::Fixed(200.0))),
        Options::new(phi).set("affine", "100,100").unwrap(),
        Options::new(scaled),
    ] {
        let fitted = options.build().unwrap().fit(&doses()).unwrap();
        assert!(fitted.certificate().certified(), "{}", fitted.verdict());
        let model = Model::try_from(&fitted).unwrap();
        assert!(model.inference().is_some_and(|own| own.se.name() == "classical"));
        let text = model.to_json();
        let loaded = Model::from_json_with(&text, Path::new("m.json"), &registry).unwrap();
        assert_eq!(loaded.to_json(), text);
        let predictions = loaded.predict(&[0.5, 2.5, 9.0], None, Centre::Mean);
        assert_eq!(predictions, model.predict(&[0.5, 2.5, 9.0], None, Centre::Mean));
        let rows = Dense::new(vec![0.5, 2.5, 9.0], 1, vec![0.0; 3]).unwrap();
        for (own, of_fit) in predictions.iter().zip(fitted.predict(&rows, Centre::Mean).unwrap()) {
            assert!((own - of_fit).abs() < 1e-9 * of_fit.abs(), "{own} {of_fit}");
        }
        let refused = Model::from_json(&text, Path::new("m.json")).unwrap_err().to_string();
        assert!(refused.contains("algebraic` is not built in") && refused.contains("Registry"), "{refused}");
    }
}

#[test]
fn a_registry_refuses_names_that_would_be_ambiguous() {
    let with = |registry: Registry, name| registry.with(Arc::new(Algebraic(name))).map_err(|why| why.to_string());
    for name in ["sigmoid", "logit", "leaky-softplus:0.3", "leaky-softplus:7", "0+100*tanh", "relu"] {
        assert!(with(Registry::new(), name).unwrap_err().contains("built in"), "{name}");
    }
    let one = with(Registry::new(), "algebraic").unwrap();
    assert!(with(one.clone(), "algebraic").unwrap_err().contains("registered already"));
    assert!(Arc::ptr_eq(&one.find("algebraic").unwrap(), &one.find("algebraic").unwrap()));
    assert!(one.find("algebraick").is_err() && one.find("1+2*algebraick").is_err());
    assert_eq!(one.find("1+2*algebraic").unwrap().value(0.75), 2.2);
}

#[test]
fn answers_of_a_fit_are_those_of_its_usual_inference() {
    let rows = Dense::new(vec![0., 1., 2., 3., 4., 5.], 1, vec![0.11, 0.32, 0.45, 0.81, 0.88, 0.97]).unwrap();
    for (loss, kind) in [("squares", Covariance::Classical), ("bernoulli", Covariance::Hc0)] {
        let fitted =
            Options::new(named("sigmoid").unwrap()).set("loss", loss).unwrap().build().unwrap().fit(&rows).unwrap();
        let inference = fitted.inference(kind).unwrap().unwrap();
        assert_eq!(fitted.covariance().unwrap().unwrap(), inference.covariance());
        assert_eq!(fitted.confidence_intervals(0.9).unwrap().unwrap(), inference.confidence_intervals(0.9).unwrap());
        assert!(fitted.confidence_intervals(1.0).is_err());
        assert!(fitted.to_string().contains(kind.name()), "{fitted}");
        assert_eq!(Model::try_from(&fitted).unwrap().inference().unwrap().se, kind);
    }
    let offsets = rows.with_offsets(vec![0.1; 6]).unwrap();
    let fitted = Options::new(named("sigmoid").unwrap()).build().unwrap().fit(&offsets).unwrap();
    assert_eq!(Model::try_from(&fitted).unwrap().offset(), Some("offset"));
}
