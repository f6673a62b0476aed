//! The tables of keys and of solvers: every option has one row, and everything reads it.

use agglio::activation::named;
use agglio::spec::{Group, KEYS, Key};
use agglio::{Options, Solver, Spec};

/// Texts that are a value of some key.
const TEXTS: [&str; 14] = [
    "0.5",
    "1.5",
    "3",
    "1e-10",
    "18446744073709551615",
    "inf",
    "true",
    "gd",
    "random:2.5",
    "at:0.5,1,-2",
    "leaky-softplus:0.3",
    "auto",
    "0,free",
    "-1.5,100",
];

/// The texts that a key takes, those of its placeholder first.
fn texts(key: &Key) -> Vec<&'static str> {
    let texts = key.value.split('|').chain(TEXTS);
    texts.filter(|text| key.set(&mut Spec::default(), text).is_ok()).collect()
}

fn spec(key: &str, text: &str) -> Spec {
    let mut spec = Spec::default();
    spec.set(key, text).unwrap();
    spec
}

/// A value of a key that the solver has a use for, with the other options that this value needs.
fn options(solver: Solver, key: &Key) -> Options {
    let value = match key.name {
        "noise" if solver == Solver::Linear => "pre",
        "noise" => "post",
        // another loss is a question of the solver and of other options, not of the key
        "loss" => "squares",
        "solver" => solver.name(),
        "beta" => "1.5",
        "sigma" => "0.1",
        "init" => "at:0,0.1",
        "intercept" => "false",
        "scaling" => "none",
        "activation" => "sigmoid",
        "restarts" => "3",
        "range" | "affine" => "-1,2",
        _ if key.value.contains('|') => texts(key)[1],
        _ => ["0.5", "3"].into_iter().find(|text| key.set(&mut Spec::default(), text).is_ok()).unwrap(),
    };
    let options = Options::new(named("sigmoid").unwrap()).solver(solver);
    let options = match solver {
        Solver::Theory if key.name == "batch" => options.set("algorithm", "2").unwrap(),
        _ => options,
    };
    let options = if solver == Solver::Theory { options.intercept(false).radius(1.0) } else { options };
    let options = if key.name == "branch" { options.set("activation", "silu").unwrap() } else { options };
    // other solvers make no proof by themselves, whose time could be limited
    let limits = key.name == "prove-seconds" && key.is_for(solver);
    let options = if limits { options.set("prove", "0.1").unwrap() } else { options };
    options.set(key.name, value).unwrap()
}

#[test]
fn texts_come_back_as_they_were_given() {
    for key in KEYS {
        assert!(!texts(key).is_empty(), "{}", key.name);
        for text in texts(key) {
            let given = spec(key.name, text);
            let written = given.get(key.name).unwrap().unwrap();
            assert_eq!(spec(key.name, &written), given, "{}={text}", key.name);
            assert!(written == text || text.parse::<f64>().unwrap() == written.parse::<f64>().unwrap(), "{written}");
            assert_eq!(given.given().map(|(key, _)| key.name).collect::<Vec<_>>(), [key.name]);
        }
    }
}

#[test]
fn a_spec_is_an_object_of_what_is_given() {
    let mut all = Spec::default();
    for key in KEYS {
        for text in texts(key) {
            let given = spec(key.name, text);
            let json = serde_json::to_string(&given).unwrap();
            assert_eq!(serde_json::from_str::<Spec>(&json).unwrap(), given, "{json}");
        }
        all.set(key.name, texts(key)[0]).unwrap();
    }
    assert_eq!(serde_json::from_str::<Spec>(&serde_json::to_string(&all).unwrap()).unwrap(), all);
    let typed = r#"{"solver":"sgd","eta":0.5,"batch":20,"intercept":false}"#;
    let read: Spec = serde_json::from_str(typed).unwrap();
    assert_eq!((read.solver, read.eta, read.batch), (Some(Solver::Sgd), Some(0.5), Some(20)));
    assert_eq!(serde_json::to_value(&read).unwrap(), serde_json::from_str::<serde_json::Value>(typed).unwrap());
    assert!(serde_json::from_str::<Spec>(r#"{"bach": 20}"#).unwrap_err().to_string().contains("`batch`"));
}

#[test]
fn a_plan_knows_its_spec_and_can_be_made_from_it() {
    let plan = Options::new(named("silu").unwrap()).solver(Solver::Gd).eta(0.5).build().unwrap();
    let again = Options::from_spec(plan.spec().clone()).unwrap().build().unwrap();
    assert_eq!(plan.spec(), again.spec());
    assert_eq!(plan.spec().activation.as_deref(), Some("silu"));
    assert_eq!(plan.spec().filtered(|key| key.group == Group::Model), spec("activation", "silu"));
}

#[test]
fn names_and_values_that_do_not_exist_are_told() {
    let why = |key: &str, text: &str| Spec::default().set(key, text).unwrap_err().to_string();
    assert_eq!(why("tua0", "1"), "no option is called `tua0`; did you mean `tau0`?");
    assert!(why("colour", "1").contains("the keys are activation, range, affine, intercept, loss, noise"));
    assert_eq!(why("eta", "big"), "eta is `big`; it must be a number");
    assert_eq!(why("noise", "during"), "noise is `during`; it must be `post`, `pre` or `auto`");
    assert!(why("solver", "adm").contains("did you mean `adam`?"));
}

/// A key that a solver does not take is refused before there is data, and the error names both.
#[test]
fn solvers_take_the_keys_of_their_row_and_no_others() {
    for (solver, key) in Solver::ALL.into_iter().flat_map(|solver| KEYS.iter().map(move |key| (solver, key))) {
        let built = options(solver, key).build();
        match (key.is_for(solver), built) {
            (true, Ok(_)) => {}
            (true, Err(why)) => panic!("{solver} {}: {why}", key.name),
            (false, Ok(_)) => panic!("{solver} takes {}", key.name),
            (false, Err(why)) => {
                let why = why.to_string();
                let both = format!("solver `{solver}` does not take `{}`", key.name);
                assert!(why.starts_with(&both), "{solver} {}: {why}", key.name);
            }
        }
    }
}

/// What rows of the registry name is there, and a key that some solver accepts is not for all of them.
#[test]
fn solvers_accept_keys_that_exist() {
    for key in KEYS {
        let accepting = Solver::ALL.into_iter().filter(|solver| solver.accepts(key.name)).count();
        let taking = Solver::ALL.into_iter().filter(|&solver| key.is_for(solver)).count();
        assert!(accepting == 0 || accepting == taking, "{}", key.name);
        assert!(taking > 0 && !key.help.is_empty() && !key.default.is_empty(), "{}", key.name);
    }
    let names = Solver::ALL.map(Solver::name);
    assert!(names.iter().all(|name| name.parse::<Solver>().unwrap().name() == *name));
}

#[test]
fn numbers_out_of_range_are_refused_by_name() {
    for key in KEYS {
        for text in
            ["0", "-1", "1", "2", "inf", "nan"].iter().filter(|text| key.set(&mut Spec::default(), text).is_ok())
        {
            let built = Options::from_spec(spec(key.name, text)).and_then(Options::build);
            let why = built.map(|_| String::new()).unwrap_or_else(|why| why.to_string());
            let must = ["inf", "nan"].contains(text) && key.name != "activation";
            assert!(!must || why.starts_with(&format!("{} is ", key.name)), "{}={text}: {why}", key.name);
        }
    }
}
