//! `fit --by`: one table of curves.

use serde_json::Value;

use crate::{Folder, number};

/// A curve for each of these levels, of ten points each, whose rows stand between each other.
fn lines(levels: &[&str]) -> Vec<String> {
    let line = |k: usize, g: usize, level: &str| {
        let dose = 0.05 * 2.1_f64.powi(k as i32);
        let noise = 0.03 * (5.7 * (k + 10 * g) as f64).sin();
        let y = 0.1 + 0.8 / (1.0 + (0.4 - (1.0 + 0.2 * g as f64) * dose.ln()).exp()) + noise;
        format!("{level},{dose:e},{y:e},{},{}\n", 1.0 + (k % 3) as f64, 0.1 * (k % 4) as f64)
    };
    (0..10).flat_map(|k| levels.iter().enumerate().map(move |(g, level)| line(k, g, level))).collect()
}

const HEADER: &str = "curve,dose,y,w,o\n";
const FOUR: &str = "--formula y~log(dose) --range free,free";

fn folder(levels: &[&str]) -> Folder {
    Folder::with(&[("d.csv", &(HEADER.to_owned() + &lines(levels).concat()))])
}

/// The lines of a table but the header, which begin with these levels.
fn rows_of<'t>(stdout: &'t str, levels: &[&str]) -> Vec<&'t str> {
    let is_one = |line: &&str| levels.iter().any(|level| line.starts_with(&format!("{level},")));
    stdout.lines().skip(1).filter(is_one).collect()
}

#[test]
fn groups_have_the_numbers_of_their_fits_alone() {
    let levels = ["b", "a", "c"];
    let folder = folder(&levels);
    for words in [
        "--formula y~log(dose)",
        FOUR,
        "--formula y~log(dose) --weights w",
        "--formula y~log(dose) --weights w --offset o",
        "--target y --features dose,o --activation probit --range 0,1.2",
        "--target y --features dose --noise pre --activation softplus",
        "--target y --features log(dose) --no-intercept --solver lm",
    ] {
        let run = folder.run(&format!("fit d.csv {words} --by curve --format json"));
        let groups: Vec<Value> =
            serde_json::from_str(&run.stdout).unwrap_or_else(|why| panic!("{why}: {}", run.stderr));
        let names: Vec<&str> = groups.iter().map(|group| group["curve"].as_str().unwrap()).collect();
        assert_eq!(names, ["a", "b", "c"], "{words}");
        for group in &groups {
            let level = format!("{},", group["curve"].as_str().unwrap());
            let own: Vec<String> = lines(&levels).into_iter().filter(|line| line.starts_with(&level)).collect();
            folder.write("one.csv", &(HEADER.to_owned() + &own.concat()));
            let alone = folder.fit(&format!("one.csv {words} --threads 1"));
            for (name, value) in alone["coefficients"].as_object().unwrap() {
                assert_eq!(number(value).to_bits(), number(&group[name]).to_bits(), "{words}: {name}");
            }
            match words.contains("no-intercept") {
                true => assert!(group["(intercept)"].is_null()),
                false => assert_eq!(alone["intercept"], group["(intercept)"]),
            }
            for key in ["loss", "status", "certified"] {
                assert_eq!(alone[key], group[key], "{words}");
            }
            assert_eq!(group["observations"], 10);
        }
    }
}

#[test]
fn columns_are_those_of_the_model() {
    let folder = folder(&["a", "b"]);
    let header = |words: &str| {
        let run = folder.run(&format!("fit d.csv {words} --by curve"));
        assert_eq!(run.code, Some(0), "{words}: {}{}", run.stdout, run.stderr);
        run.stdout.lines().next().unwrap().to_owned()
    };
    let end = "loss,r_squared,sigma,status,certified,note";
    assert_eq!(
        header(FOUR),
        format!(
            "curve,observations,log(dose),log(dose)_se,(intercept),(intercept)_se,lower,lower_se,upper,upper_se,ec50,ec50_se,{end}"
        )
    );
    assert_eq!(
        header("--target y --features log(dose) --affine 0,free --no-intercept"),
        format!("curve,observations,log(dose),log(dose)_se,scale,scale_se,ec50,ec50_se,{end}")
    );
    // another covariate, an offset or an unbounded activation has no EC50
    for words in [
        "--formula y~log(dose)+o",
        "--formula y~log(dose)+offset(o)",
        "--formula y~dose",
        "--formula y~log(dose) --activation softplus",
    ] {
        assert!(!header(words).contains("ec50"), "{words}");
    }
    // every other column is a covariate, but not that of the groups
    assert!(header("--target y").starts_with("curve,observations,dose,dose_se,w,w_se,o,o_se,(intercept)"));
}

#[test]
fn broken_groups_change_no_other_row_and_the_exit_code() {
    let levels = ["g1", "g2", "g3"];
    let folder = folder(&levels);
    for words in ["--formula y~log(dose)", FOUR, "--formula y~log(dose) --weights w"] {
        let before = folder.run(&format!("fit d.csv {words} --by curve"));
        assert_eq!((before.code, before.stdout.lines().count()), (Some(0), 4), "{}", before.stderr);
        let broken = "one,1,0.5,1,0\nconst,1,.5,1,0\nconst,2,.5,1,0\nconst,3,.5,1,0\nconst,4,.5,1,0\nconst,5,.5,1,0\n\
                      \"a, b\",1,.5,1,0\n\"a, b\",1,.6,1,0\n\"a, b\",1,.3,1,0\n\"a, b\",1,.2,1,0\n\"a, b\",1,.4,1,0\n";
        folder.write("e.csv", &(HEADER.to_owned() + broken + &lines(&levels).concat()));
        let after = folder.run(&format!("fit e.csv {words} --by curve"));
        assert_eq!((after.code, after.stdout.lines().count()), (Some(3), 7), "{}", after.stderr);
        assert_eq!(rows_of(&before.stdout, &levels), rows_of(&after.stdout, &levels));
        let one = rows_of(&after.stdout, &["one"])[0];
        assert!(one.starts_with("one,1,,,") && one.contains(",failed,false,1 row is not enough"), "{one}");
        assert!(rows_of(&after.stdout, &["const"])[0].ends_with("`y` is always 0.5: there is nothing to explain"));
        let same = after.stdout.lines().nth(1).unwrap();
        assert!(
            same.starts_with("\"a, b\",5,") && same.ends_with("`log(dose)` is constant or zero: its coefficient is 0")
        );
        let table = folder.run(&format!("fit e.csv {words} --by curve --format table"));
        assert!(table.stdout.lines().all(|line| line.chars().count() <= 80), "{}", table.stdout);
        assert!(table.stdout.contains("1 row is not enough") && table.stdout.contains("failed"), "{}", table.stdout);
    }
    // text in a cell is an error of the whole file
    folder.write("t.csv", &(HEADER.to_owned() + "one,x,0.5,1,0\n" + &lines(&levels).concat()));
    let run = folder.run("fit t.csv --formula y~log(dose) --by curve");
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.contains("t.csv:2: column `dose`"), "{}", run.stderr);
}

#[test]
fn threads_change_no_byte() {
    let names: Vec<String> = (0..40).map(|g| format!("{g}")).collect();
    let levels: Vec<&str> = names.iter().map(String::as_str).collect();
    let folder = folder(&levels);
    let runs = [1, 2, 3].map(|threads| folder.run(&format!("fit d.csv {FOUR} --by curve --threads {threads}")));
    assert_eq!(runs[0].stdout.lines().count(), 41);
    assert!(runs.iter().all(|run| run.stdout == runs[0].stdout && run.code == runs[0].code));
    // levels that are numbers are sorted as numbers
    let found: Vec<&str> = runs[0].stdout.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert_eq!(found, levels);
}

#[test]
fn rows_with_missing_values_are_refused_or_dropped() {
    let levels = ["a", "b"];
    let whole = folder(&levels);
    let expected = whole.run(&format!("fit d.csv {FOUR} --by curve")).stdout;
    for gap in ["a,,0.5,1,0\n", ",1,0.5,1,0\n", "b,1,NA,1,0\n", "gone,1,,1,0\n"] {
        whole.write("m.csv", &(HEADER.to_owned() + &lines(&levels).concat() + gap));
        let run = whole.run(&format!("fit m.csv {FOUR} --by curve"));
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{gap}");
        let run = whole.run(&format!("fit m.csv {FOUR} --by curve --missing drop"));
        assert_eq!((run.code, &run.stdout), (Some(0), &expected), "{gap}");
        assert!(run.stderr.contains("1 of 21 rows have a missing value and were dropped"), "{}", run.stderr);
    }
}
