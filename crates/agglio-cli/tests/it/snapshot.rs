//! A *snapshot* of some 300 fits, so that a change of the code which is not meant to change results is seen not to.
//!
//! The file beside this one has the status and the coefficients of each fit. Status must be the same and coefficients the
//! same to nine digits, on any machine. `make snapshot REV=…` builds an earlier commit and compares the two programs on one
//! machine, bit for bit. `AGGLIO_SNAPSHOT=write cargo test --release -p agglio-cli --test it snapshot` writes the file again.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::{env, fs, thread};

use agglio::Solver;
use agglio::activation::NAMES;
use serde_json::Value;

use crate::{Folder, Numbers};

/// The solvers that take any problem: all but `theory`.
fn solvers() -> impl Iterator<Item = Solver> {
    Solver::ALL.into_iter().filter(|&solver| solver != Solver::Theory)
}

/// Coefficients of a fit that the file keeps.
const KEPT: usize = 6;

/// A fit: a table by its name, and the flags beside `--target y`.
struct Fit {
    table: String,
    flags: String,
}

/// How a fit ended, as the program prints it; of one that was refused, its exit code alone.
#[derive(Clone, Debug, PartialEq)]
struct Ended {
    status: String,
    passes: String,
    theta: Vec<f64>,
}

impl Fit {
    fn new(table: impl Into<String>, flags: impl Into<String>) -> Fit {
        Fit { table: table.into(), flags: flags.into() }
    }

    fn name(&self) -> String {
        format!("{} {}", self.table, self.flags).trim_end().to_owned()
    }

    fn run(&self, program: &Path, folder: &Folder) -> Ended {
        let mut command = Command::new(program);
        command.current_dir(folder.path("")).args(["fit", &format!("{}.csv", self.table), "--target", "y"]);
        command.args(["--format", "json", "--quiet"]).args(self.flags.split_whitespace());
        let output = command.output().unwrap();
        let Ok(fit) = serde_json::from_slice::<Value>(&output.stdout) else {
            let status = format!("exit code {}", output.status.code().unwrap());
            return Ended { status, passes: String::new(), theta: Vec::new() };
        };
        let coefficients = fit["coefficients"].as_object().unwrap().values();
        let theta = [&fit["intercept"]].into_iter().chain(coefficients).map(|w| w.as_f64().unwrap_or(f64::NAN));
        Ended {
            status: fit["status"].as_str().unwrap().to_owned(),
            passes: fit["passes"].to_string(),
            theta: theta.collect(),
        }
    }
}

impl Ended {
    /// A line of the file.
    fn line(&self, name: &str) -> String {
        let theta: Vec<String> = self.theta.iter().take(KEPT).map(f64::to_string).collect();
        format!("{name}\t{}\t{}", self.status, theta.join(" "))
    }

    /// Whether the status is that of a line and the coefficients agree, relative to the largest of them.
    fn agrees_with(&self, line: &str) -> bool {
        let fields: Vec<&str> = line.split('\t').collect();
        let theta: Vec<f64> = fields[2].split_whitespace().map(|w| w.parse().unwrap()).collect();
        let largest = theta.iter().fold(0.0_f64, |most, w| most.max(w.abs()));
        let close = |(found, kept): (&f64, &f64)| (found - kept).abs() <= 1e-9 * largest;
        self.status == fields[1]
            && theta.len() == self.theta.len().min(KEPT)
            && self.theta.iter().zip(&theta).all(close)
    }

    fn has_bits_of(&self, other: &Ended) -> bool {
        let bits = |theta: &[f64]| theta.iter().map(|w| w.to_bits()).collect::<Vec<u64>>();
        (&self.status, &self.passes, bits(&self.theta)) == (&other.status, &other.passes, bits(&other.theta))
    }
}

/// Writes the tables of the bank.
fn tables() -> Folder {
    let folder = Folder::new();
    let simulate = |name: &str, words: &str| {
        let run = folder.run(&format!("simulate {words} -o {name}.csv"));
        assert_eq!(run.code, Some(0), "{words}: {}", run.stderr);
    };
    for phi in NAMES {
        let few = format!("--rows 120 --features 3 --activation {phi} --seed 5");
        simulate(&format!("exact-{phi}"), &few);
        simulate(&format!("noisy-{phi}"), &format!("{few} --noise post:0.1"));
        simulate(&format!("before-{phi}"), &format!("{few} --noise pre:0.3"));
        for seed in 0..4 {
            let words = format!("--rows 30 --features 2 --activation {phi} --design t:3 --norm 4 --noise post:0.3");
            simulate(&format!("hard-{phi}-{seed}"), &format!("{words} --seed {seed}"));
        }
    }
    simulate("long", "--rows 9000 --features 4 --activation sigmoid --noise post:0.1 --seed 1");
    simulate("long-silu", "--rows 5000 --features 2 --activation silu --noise post:0.05 --seed 2");
    simulate("middle", "--rows 600 --features 40 --activation sigmoid --noise post:0.05 --seed 3");
    simulate("broad", "--rows 900 --features 80 --activation softplus --noise post:0.05 --seed 4");
    simulate("wide", "--rows 1300 --features 1010 --activation sigmoid --noise post:0.01 --seed 6");
    simulate("short", "--rows 12 --features 20 --activation sigmoid --seed 7");
    odd_tables(&folder);
    folder
}

/// Tables that are noisy-sigmoid with something else.
fn odd_tables(folder: &Folder) {
    let plain = Numbers::parse(&folder.read("noisy-sigmoid.csv"));
    let derive = |name: &str, header: &str, row: &dyn Fn(usize, &[f64]) -> Vec<f64>| {
        let mut text = format!("{header}\n");
        for (i, old) in plain.rows.iter().enumerate() {
            let cells: Vec<String> = row(i, old).iter().map(f64::to_string).collect();
            writeln!(text, "{}", cells.join(",")).unwrap();
        }
        folder.write(&format!("{name}.csv"), &text);
    };
    let indicator = |holds: bool| f64::from(u8::from(holds));
    derive("weighted", "a,b,c,y,weight", &|i, x| [x, &[(i % 4) as f64]].concat());
    derive("offset", "a,b,c,y,offset", &|i, x| [x, &[(i % 5) as f64 / 5.0 - 0.4]].concat());
    derive("both", "a,b,c,y,weight,offset", &|i, x| [x, &[(i % 3) as f64 + 0.5, (i % 5) as f64 / 5.0]].concat());
    derive("collinear", "a,b,c,d,y", &|_, x| vec![x[0], x[1], x[2], x[0] - x[1], x[3]]);
    derive("constant", "a,b,c,y", &|_, x| vec![x[0], 7.0, x[2], x[3]]);
    derive("flat", "a,b,c,y", &|_, x| vec![x[0], x[1], x[2], 0.25]);
    derive("binary", "a,b,c,y", &|_, x| vec![x[0], x[1], x[2], indicator(x[3] > 0.5)]);
    derive("separable", "a,b,c,y", &|_, x| vec![x[0], x[1], x[2], indicator(x[0] + x[1] > 0.1)]);
    derive("beyond", "a,b,c,y", &|_, x| vec![x[0], x[1], x[2], 1.6 * x[3] - 0.3]);
    derive("percent", "a,b,c,y", &|_, x| vec![x[0], x[1], x[2], 100.0 * x[3]]);
    derive("units", "a,b,c,y", &|_, x| vec![1e9 * x[0], 1e-9 * x[1], x[2] + 1e6, x[3]]);
    derive("outliers", "a,b,c,y", &|i, x| vec![x[0], x[1], x[2], if i % 17 == 0 { 1.0 - x[3] } else { x[3] }]);
    derive("noise", "a,b,c,y", &|i, x| vec![x[0], x[1], x[2], (i * 7919 % 101) as f64 / 101.0]);
}

/// Every fit of the snapshot.
fn bank() -> Vec<Fit> {
    let mut fits = Vec::new();
    for phi in NAMES {
        let fit = |table: &str, flags: &str| Fit::new(format!("{table}-{phi}"), format!("--activation {phi} {flags}"));
        fits.extend(solvers().map(|solver| fit("noisy", &format!("--solver {solver}"))));
        fits.extend(["auto", "gd", "svrg", "lbfgs"].map(|solver| fit("exact", &format!("--solver {solver}"))));
        fits.extend(
            ["--noise pre", "--noise auto", "--noise pre --solver gd", "--tau-max 0.5"].map(|f| fit("before", f)),
        );
        fits.extend((0..4).map(|seed| Fit::new(format!("hard-{phi}-{seed}"), format!("--activation {phi}"))));
    }
    for table in
        ["binary", "separable", "beyond", "percent", "units", "outliers", "noise", "collinear", "constant", "flat"]
    {
        fits.extend(["auto", "lm", "lbfgs", "sgd"].map(|solver| Fit::new(table, format!("--solver {solver}"))));
    }
    for (table, columns) in [("weighted", "--weights weight"), ("offset", "--offset offset")] {
        fits.extend(["auto", "gd", "saga", "newton-cg"].map(|s| Fit::new(table, format!("{columns} --solver {s}"))));
        fits.push(Fit::new(table, format!("{columns} --noise auto")));
    }
    fits.push(Fit::new("both", "--weights weight --offset offset"));
    fits.push(Fit::new("both", "--weights weight --offset offset --activation softplus --no-intercept"));
    for flags in OPTIONS {
        fits.push(Fit::new("noisy-sigmoid", flags));
    }
    for flags in ["", "--restarts 4", "--restarts auto", "--solver multistart", "--noise pre", "--noise auto"] {
        fits.push(Fit::new("noisy-silu", format!("--activation silu {flags} --seed 3")));
        fits.push(Fit::new("outliers", format!("--activation gelu {flags}")));
    }
    for flags in ["", "--noise auto", "--restarts 2", "--solver sgd", "--solver lbfgs", "--solver newton-cg"] {
        fits.push(Fit::new("long", flags));
        fits.push(Fit::new("long-silu", format!("--activation silu {flags}")));
    }
    for solver in ["auto", "lbfgs", "sgd", "lm"] {
        fits.push(Fit::new("middle", format!("--solver {solver}")));
        fits.push(Fit::new("broad", format!("--solver {solver} --activation softplus")));
        fits.push(Fit::new("short", format!("--solver {solver}")));
    }
    fits.extend(["", "--solver lbfgs --epochs 40", "--solver gd --epochs 40"].map(|flags| Fit::new("wide", flags)));
    fits
}

const OPTIONS: [&str; 34] = [
    "--no-intercept",
    "--scaling none",
    "--scaling none --no-intercept --solver gd",
    "--l2 0.01",
    "--l2 0.01 --solver lbfgs",
    "--l2 0.01 --solver linear",
    "--radius 0.3",
    "--radius 0.3 --solver gd",
    "--radius 0.3 --solver sgd",
    "--radius 0.3 --noise pre",
    "--init random",
    "--init random:3 --solver lm --seed 2",
    "--init random --solver gd --tau0 1",
    "--restarts 3",
    "--restarts auto --seed 9",
    "--solver gd:eta=0.5,tau0=0.1,beta=1.2",
    "--solver gd --epochs 7",
    "--solver sgd:decay=none --batch 10",
    "--solver sgd --batch 7 --seed 4 --epochs 30",
    "--solver adam:epsilon=1e-8",
    "--solver adam:beta1=0.8,beta2=0.9",
    "--solver yogi:v0=gradient",
    "--solver momentum:mu=0.5",
    "--solver ngd:decay=none --batch 20",
    "--solver ngd --eta 0.01",
    "--solver gradopt:passes=3 --delta 2",
    "--solver glmtron --eta 0.7",
    "--solver theory --radius 3 --no-intercept",
    "--solver theory:algorithm=2 --radius 3 --no-intercept --epochs 20",
    "--solver theory:sigma=0.01,constants=printed --radius 0.9 --no-intercept --epochs 50",
    "--tol 1e-3",
    "--tol 1e-4 --solver lbfgs",
    "--tau-max 0",
    "--tau-max 0.2 --solver svrg",
];

/// How every fit of the bank ends by each of these programs, several fits at a time.
fn run_all(fits: &[Fit], programs: &[PathBuf]) -> Vec<Vec<Ended>> {
    let (folder, next) = (tables(), AtomicUsize::new(0));
    let ends = Mutex::new(vec![Vec::new(); fits.len()]);
    let work = || {
        while let Some((index, fit)) = Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| Some((i, fits.get(i)?)))
        {
            let ended = programs.iter().map(|program| fit.run(program, &folder)).collect();
            ends.lock().unwrap_or_else(PoisonError::into_inner)[index] = ended;
        }
    };
    thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
    ends.into_inner().unwrap()
}

fn this_program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_agglio"))
}

#[test]
fn fits_end_as_the_file_says() {
    let fits = bank();
    let ends = run_all(&fits, &[this_program()]);
    let lines: Vec<String> = fits.iter().zip(&ends).map(|(fit, ends)| ends[0].line(&fit.name())).collect();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/snapshot.tsv");
    if env::var_os("AGGLIO_SNAPSHOT").is_some_and(|what| what == "write") {
        fs::write(&file, lines.join("\n") + "\n").unwrap();
    }
    let kept = fs::read_to_string(file).unwrap();
    assert_eq!(kept.lines().count(), fits.len(), "the file has other fits than the bank");
    let differs = |((ends, line), kept): &((&Vec<Ended>, &String), &str)| {
        line.split('\t').next() != kept.split('\t').next() || !ends[0].agrees_with(kept)
    };
    let other: Vec<String> = ends
        .iter()
        .zip(&lines)
        .zip(kept.lines())
        .filter(differs)
        .map(|((_, line), kept)| format!("is  {line}\nwas {kept}"))
        .collect();
    assert!(other.is_empty(), "{} of {} fits differ:\n{}", other.len(), fits.len(), other.join("\n"));
}

/// Run by `make snapshot`, with the path of the earlier program in `AGGLIO_EARLIER`.
#[test]
#[ignore = "needs an earlier program"]
fn fits_have_the_bits_of_an_earlier_program() {
    let earlier = PathBuf::from(env::var_os("AGGLIO_EARLIER").unwrap());
    let fits = bank();
    let ends = run_all(&fits, &[this_program(), earlier]);
    let mut other = 0;
    for (fit, ends) in fits.iter().zip(&ends).filter(|(_, ends)| !ends[0].has_bits_of(&ends[1])) {
        println!("{}\n  now     {:?}\n  earlier {:?}", fit.name(), ends[0], ends[1]);
        other += 1;
    }
    let passes_only = |ends: &&Vec<Ended>| {
        let same = Ended { passes: ends[1].passes.clone(), ..ends[0].clone() };
        !ends[0].has_bits_of(&ends[1]) && same.has_bits_of(&ends[1])
    };
    let passes = ends.iter().filter(passes_only).count();
    println!("{} fits: {} with other bits or status, {passes} with other passes alone", fits.len(), other - passes);
    assert_eq!(other, 0);
}
