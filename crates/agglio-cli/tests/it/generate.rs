//! Manual pages and completions: complete, well formed, and written like all other files.

use std::io::{ErrorKind, Write};
use std::process::{Command, Output, Stdio};

use crate::{Folder, commands};

const KINDS: [&str; 5] = ["man", "bash", "zsh", "fish", "powershell"];

/// The text of a kind as it goes to standard output.
fn generate(kind: &str) -> String {
    let run = Folder::new().run(&format!("generate {kind}"));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{kind}");
    run.stdout
}

/// The flags that the help of `fit` lists, without dashes.
fn flags_of_fit() -> Vec<String> {
    let help = Folder::new().run("fit --help").stdout;
    // the help of a flag is indented further, and may begin a line with the name of another one
    let lines = help.lines().filter(|line| line.trim_start().starts_with('-') && !line.starts_with("        "));
    let flags = lines.filter_map(|line| line.split_whitespace().find_map(|word| word.strip_prefix("--")));
    // the value of `--prove[=<GAP>]` may be left out
    flags.map(|flag| flag.split('[').next().unwrap_or(flag).to_owned()).collect()
}

/// Gives a program a text, unless the system has no such program.
fn feed(program: &str, words: &[&str], text: &str) -> Option<Output> {
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Err(why) if why.kind() == ErrorKind::NotFound => return None,
        child => child.unwrap(),
    };
    let mut input = child.stdin.take().unwrap();
    let text = text.to_owned();
    // what the program writes meanwhile must not fill its pipe
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    Some(output)
}

#[test]
fn every_kind_has_all_commands_and_the_flags_of_fit() {
    let (commands, flags) = (commands(), flags_of_fit());
    assert!(commands.len() >= 11 && flags.len() >= 30, "{commands:?} {flags:?}");
    for kind in KINDS {
        let text = generate(kind).replace("\\-", "-");
        for command in &commands {
            let named = match kind {
                "man" => format!("\n.TH agglio-{command} "),
                "bash" => format!("agglio,{command})"),
                "zsh" => format!("({command})\n"),
                "fish" => format!("-a \"{command}\""),
                _ => format!("'agglio;{command}'"),
            };
            assert!(text.contains(&named), "{kind} has no {command}");
        }
        for flag in &flags {
            let typed = if kind == "fish" { format!(" -l {flag} ") } else { format!("--{flag}") };
            assert!(text.contains(&typed), "{kind} has no {flag}");
        }
    }
}

#[test]
fn shells_can_read_their_completions() {
    for shell in ["bash", "zsh", "fish"] {
        let Some(output) = feed(shell, &["-n"], &generate(shell)) else { continue };
        assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn bash_completes_a_flag_and_a_command() {
    for (typed, full) in [("agglio fit --tra", "--trace"), ("agglio gen", "generate"), ("agglio generate fi", "fish")] {
        let words: Vec<&str> = typed.split(' ').collect();
        let [.., before, last] = words[..] else { unreachable!() };
        let ask = format!(
            "\nCOMP_WORDS=({typed}); COMP_CWORD={}; _agglio agglio {last} {before}; printf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
            words.len() - 1
        );
        let Some(output) = feed("bash", &[], &(generate("bash") + &ask)) else { return };
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), full, "{typed}");
    }
}

#[test]
fn manual_pages_are_set_without_warnings() {
    let Some(output) = feed("groff", &["-k", "-man", "-Tutf8", "-ww"], &generate("man")) else { return };
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    // lines are justified with more than one space
    let text = String::from_utf8_lossy(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("φ(xᵀw + b)"), "{text}");
    // a flag that `-h` leaves out
    assert!(text.contains("A column or term that is"), "{text}");
}

#[test]
fn a_folder_gets_a_page_for_each_command() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("man")).unwrap();
    assert_eq!(folder.run("generate man -o man").code, Some(0));
    let mut pages = vec!["agglio.1".to_owned()];
    pages.extend(commands().iter().map(|command| format!("agglio-{command}.1")));
    let text: String = pages.iter().map(|page| folder.read(&format!("man/{page}"))).collect();
    assert!(
        text == generate("man"),
        "the pages of the folder are not those of standard output, in the order of the help"
    );
    assert_eq!(std::fs::read_dir(folder.path("man")).unwrap().count(), pages.len());
    // one page that is there already, and none is changed
    std::fs::remove_file(folder.path("man/agglio-fit.1")).unwrap();
    assert_eq!(folder.run("generate man -o man").code, Some(2));
    assert!(!folder.path("man/agglio-fit.1").exists());
    assert_eq!(folder.run("generate man -o man --force").code, Some(0));
    assert!(folder.path("man/agglio-fit.1").exists());
}

#[test]
fn a_file_is_written_like_all_others() {
    let folder = Folder::new();
    assert_eq!(folder.run("generate zsh --output _agglio").code, Some(0));
    assert_eq!(folder.read("_agglio"), generate("zsh"));
    let run = folder.run("generate fish -o _agglio");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("_agglio: the file exists; pass --force"), "{}", run.stderr);
    assert_eq!(folder.run("generate fish -o _agglio --force").code, Some(0));
    assert_eq!(folder.read("_agglio"), generate("fish"));
    assert_eq!(folder.names(), ["_agglio"]);
    assert_eq!(folder.run("generate bash -o -").stdout, generate("bash"));
}

#[test]
fn an_unknown_kind_is_refused_with_those_that_there_are() {
    let run = Folder::new().run("generate tcsh");
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.contains("invalid value 'tcsh'"), "{}", run.stderr);
    assert!(KINDS.iter().all(|kind| run.stderr.contains(kind)), "{}", run.stderr);
}
