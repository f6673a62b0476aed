//! A fit that is cut short and resumed ends with the same bits as one that nobody disturbs.

use std::env;
use std::fs;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use agglio::activation::named;
use agglio::fit::{Observer, Silent, Step};
use agglio::rows::Dense;
use agglio::simulate::{LabelNoise, Shape, Simulated, Simulation};
use agglio::{Fitted, Options, Solver};
use tempfile::TempDir;

/// How often each fit is killed; `AGGLIO_KILLS` says otherwise.
const KILLS: usize = 8;
/// The variable that tells the child which fit to make, and in which folder.
const CHILD: &str = "AGGLIO_KILLED_FIT";

/// A table with noise, of which some fits take restarts and many stages.
fn rows(activation: &str, n: usize) -> Dense {
    let drawn = draw(activation, n);
    Dense::new(drawn.values, 4, drawn.labels).unwrap()
}

fn draw(activation: &str, n: usize) -> Simulated {
    let noise = LabelNoise::Post(0.2, Shape::Gauss);
    Simulation::new(named(activation).unwrap(), n, 4).norm(3.0).noise(noise).seed(11).draw().unwrap()
}

fn options(activation: &str, keys: &str) -> Options {
    let pairs = keys.split(',').map(|pair| pair.split_once('=').unwrap());
    pairs.fold(Options::new(named(activation).unwrap()), |options, (key, value)| options.set(key, value).unwrap())
}

/// All numbers of a fit, bit for bit.
fn bits(fitted: &Fitted) -> String {
    let report = fitted.report();
    let numbers = report.coefficients.iter().chain([
        &report.intercept,
        &report.loss,
        &report.prediction_loss,
        &report.path_loss,
        &report.passes,
    ]);
    let bits: Vec<String> = numbers.map(|number| format!("{:016x}", number.to_bits())).collect();
    let certificate = &report.certificate;
    format!(
        "{} {} {:?} {:?} {:?}",
        bits.join(" "),
        report.steps,
        report.reason,
        certificate.status,
        certificate.restarts
    )
}

/// Ends the program, as far as this thread is concerned, after a number of steps.
struct Crash(usize);

impl Observer for Crash {
    fn step(&mut self, _step: &Step<'_>) -> ControlFlow<()> {
        if self.0 == 0 {
            // without the message of a panic
            resume_unwind(Box::new("crash"));
        }
        self.0 -= 1;
        ControlFlow::Continue(())
    }
}

struct Count(usize);

impl Observer for Count {
    fn step(&mut self, _step: &Step<'_>) -> ControlFlow<()> {
        self.0 += 1;
        ControlFlow::Continue(())
    }
}

/// Crashes a fit after each of several numbers of steps, resumes it, and compares. Answers how many steps were saved.
fn crash_and_resume(activation: &str, keys: &str, n: usize) -> usize {
    let folder = TempDir::new().unwrap();
    let (file, rows) = (folder.path().join("fit.checkpoint"), rows(activation, n));
    let options = options(activation, keys);
    let saving = || options.clone().checkpoint(&file).checkpoint_every(Duration::ZERO).build().unwrap();
    let mut all = Count(0);
    let undisturbed = bits(&saving().fit_observed(&rows, &mut all).unwrap());
    let mut saved = 0;
    for crash in (1..5).map(|k| all.0 * k / 5) {
        let _ = fs::remove_file(&file);
        let crashed = catch_unwind(AssertUnwindSafe(|| saving().fit_observed(&rows, &mut Crash(crash)).map(drop)));
        assert!(crashed.is_err(), "{activation}, {keys}: {} steps", all.0);
        let mut left = Count(0);
        let plan = if file.exists() { options.clone().resume(&file).build().unwrap() } else { saving() };
        let resumed = plan.fit_observed(&rows, &mut left).unwrap();
        assert_eq!(bits(&resumed), undisturbed, "{activation}, {keys}: after {crash} of {} steps", all.0);
        saved += all.0 - left.0;
    }
    saved
}

/// Solver `linear` and noise before φ make no long run.
#[test]
fn every_solver_goes_on_bit_for_bit() {
    for solver in Solver::ALL.into_iter().filter(|&solver| !matches!(solver, Solver::Linear | Solver::Theory)) {
        for activation in ["sigmoid", "silu"] {
            let saved = crash_and_resume(activation, &format!("solver={solver},epochs=25"), 300);
            assert!(saved > 0 || solver == Solver::Auto, "{solver}");
        }
    }
}

#[test]
fn every_race_goes_on_bit_for_bit() {
    let races = [
        ("sigmoid", "restarts=6", 300),
        ("silu", "restarts=auto", 300),
        ("sigmoid", "restarts=3", 9000),
        ("silu", "noise=auto", 9000),
        ("softplus", "radius=0.5,restarts=4", 300),
        ("sigmoid", "tau-max=0.5,restarts=4", 300),
    ];
    for (activation, keys, n) in races {
        assert!(crash_and_resume(activation, keys, n) > 0, "{activation}, {keys}");
    }
}

#[test]
fn threads_may_differ_and_nothing_else() {
    let folder = TempDir::new().unwrap();
    let (file, rows) = (folder.path().join("fit.checkpoint"), rows("sigmoid", 3000));
    let saving = options("sigmoid", "solver=gd,epochs=30,threads=2").checkpoint(&file).checkpoint_every(Duration::ZERO);
    let undisturbed = bits(&saving.build().unwrap().fit(&rows).unwrap());
    let resume = |keys: &str| options("sigmoid", keys).resume(&file).build();
    let resumed = resume("solver=gd,epochs=30,threads=1").unwrap();
    assert_eq!(bits(&resumed.fit(&rows).unwrap()), undisturbed);
    let why = |keys: &str| resume(keys).unwrap_err().to_string();
    assert!(why("solver=gd,epochs=31").contains("`epochs` was `30` and is now `31`"), "{}", why("solver=gd,epochs=31"));
    assert!(why("solver=sgd,epochs=30").contains("`solver` was `gd` and is now `sgd`"));
    let mut drawn = draw("sigmoid", 3000);
    drawn.labels.swap(7, 8);
    let other = Dense::new(drawn.values, 4, drawn.labels).unwrap();
    let why = resumed.fit(&other).unwrap_err().to_string();
    assert!(why.contains("another table"), "{why}");
}

/// A checkpoint that cannot be written costs no fit.
#[test]
fn a_fit_outlives_its_checkpoints() {
    let folder = TempDir::new().unwrap();
    let place = folder.path().join("place");
    fs::create_dir(&place).unwrap();
    let options = options("sigmoid", "solver=gd,epochs=30");
    let plan = options.clone().checkpoint(place.join("c")).checkpoint_every(Duration::ZERO).build().unwrap();
    let rows = rows("sigmoid", 300);
    assert!(plan.fit(&rows).unwrap().checkpoint_fault().is_none());
    /// Removes the folder at the first step.
    struct Remove<'a>(&'a Path);
    impl Observer for Remove<'_> {
        fn step(&mut self, _step: &Step<'_>) -> ControlFlow<()> {
            let _ = fs::remove_dir_all(self.0);
            ControlFlow::Continue(())
        }
    }
    let fitted = plan.fit_observed(&rows, &mut Remove(&place)).unwrap();
    assert!(fitted.checkpoint_fault().unwrap().to_string().contains("place"));
    assert_eq!(fitted.coefficients, options.build().unwrap().fit(&rows).unwrap().coefficients);
    let why = plan.fit(&rows).unwrap_err().to_string();
    assert!(why.contains("place"), "{why}");
}

/// The fits that are killed.
const KILLED: [(&str, &str); 5] = [
    ("auto with restarts", "restarts=60"),
    ("gd", "solver=gd,epochs=150,tol=1e-300"),
    ("svrg", "solver=svrg,epochs=40,tol=1e-300"),
    ("saga", "solver=saga,epochs=40,tol=1e-300"),
    ("adam", "solver=adam,epochs=100,tol=1e-300"),
];
const KILLED_ROWS: usize = 1500;

/// The fit that is killed, in a process of its own. It begins, or goes on, and says how it ended.
#[test]
#[ignore = "started by the test that kills it"]
fn killed_fit() {
    let Ok(task) = env::var(CHILD) else { return };
    let (keys, folder) = task.split_once('@').unwrap();
    let (file, end) = (Path::new(folder).join("fit.checkpoint"), Path::new(folder).join("end"));
    let options = options("sigmoid", keys).checkpoint(&file).checkpoint_every(Duration::ZERO);
    let plan = if file.exists() { options.resume(&file) } else { options }.build().unwrap();
    let fitted = plan.fit_observed(&rows("sigmoid", KILLED_ROWS), &mut Silent).unwrap();
    fs::write(Path::new(folder).join("draft"), bits(&fitted)).unwrap();
    fs::rename(Path::new(folder).join("draft"), end).unwrap();
}

fn child(keys: &str, folder: &Path) -> std::process::Child {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "checkpoints::killed_fit", "--ignored", "--test-threads=1"]);
    command.env(CHILD, format!("{keys}@{}", folder.display()));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Every resumed fit is killed again, until one comes to its end.
#[test]
fn a_fit_that_is_killed_again_and_again_ends_with_the_same_bits() {
    let kills = env::var("AGGLIO_KILLS").map_or(KILLS, |text| text.parse().unwrap());
    for (name, keys) in KILLED {
        let folder = TempDir::new().unwrap();
        let end = folder.path().join("end");
        let begun = Instant::now();
        assert!(child(keys, folder.path()).wait().unwrap().success(), "{name}");
        let (duration, undisturbed) = (begun.elapsed(), fs::read_to_string(&end).unwrap());
        let (mut killed, mut ended, mut resumed) = (0, 0, 0);
        while killed < kills {
            fs::remove_file(&end).unwrap();
            let _ = fs::remove_file(folder.path().join("fit.checkpoint"));
            while !end.exists() {
                resumed += usize::from(folder.path().join("fit.checkpoint").exists());
                let mut child = child(keys, folder.path());
                if killed < kills {
                    // multiples of the golden ratio are spread evenly
                    let share = (killed as f64 * 0.618_033_988_749_895).fract();
                    std::thread::sleep(duration.mul_f64(0.6 * share));
                }
                let running = killed < kills && child.try_wait().unwrap().is_none();
                if running {
                    killed += 1;
                    let _ = child.kill();
                }
                let status = child.wait().unwrap();
                assert!(running || status.success(), "{name}, after {killed} kills: {status}");
            }
            assert_eq!(fs::read_to_string(&end).unwrap(), undisturbed, "{name}, after {killed} kills");
            ended += 1;
        }
        println!("{name}: {killed} kills in {ended} fits, {resumed} times resumed, the same bits every time");
        assert!(resumed > 0, "{name}");
    }
}
